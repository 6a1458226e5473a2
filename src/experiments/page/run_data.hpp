#pragma once
/// The runs of a report as the viewer reads them (viewer/src/data.ts). Private to this room.
#include <string>

#include "report/parts.hpp"

namespace torsor::report {

/// JSON. Curves and poses are float32 in base64: of each curve recorded points alone, all of them
/// or as many as the page has room for; of each run the poses of all bodies that C++ computed at
/// instants spread evenly over it, so that the viewer needs no kinematics.
/// `facts` receives which meshes are embedded, their size, and which are not drawn and why.
std::string run_data(const Report& report, const Palette& palette, const Extras& extras,
                     std::vector<RunFact>& facts);

/// Panels over time of anything else, under titles of which a page shows one at a time.
struct LiveSection {
  std::string title;
  std::vector<Group> groups;
  Recording motion{};  ///< t and q: the robot moves along it; empty: none is drawn
};
std::string group_data(const std::string& title, const std::vector<LiveSection>& sections,
                       const Model<double>* robot = nullptr);

}  // namespace torsor::report
