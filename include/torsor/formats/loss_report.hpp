#pragma once
/// What became of a robot file: what was read, what is kept without use, what was dropped.
///
/// It is a view of the findings: everything that a reader or writer drops is a finding of kind `ignored`
/// (motion or forces are others without it) or `not_used` (they are not), with a subject.
#include <string>
#include <vector>

#include "torsor/formats/finding.hpp"
#include "torsor/model/description.hpp"

namespace torsor {

struct LossReport {
  struct Entry {
    std::string what;  ///< "<camera>", "links"
    int count = 0;
  };
  std::vector<Entry> read;     ///< links, joints, ...
  std::vector<Entry> kept;     ///< in the robot, but no algorithm uses them
  std::vector<Entry> dropped;  ///< motion and forces stay
  std::vector<Entry> changed;  ///< dropped, and motion or forces change

  bool any() const { return !dropped.empty() || !changed.empty(); }
  /// One line each: "dropped  8 <camera>: motion and forces stay".
  std::vector<std::string> lines() const;
};

/// Of a robot as it was read.
LossReport loss_report(const RobotDescription& robot, const Findings& findings);
/// Of what a writer could not say: Conversion::losses.
LossReport loss_report(const Findings& losses);

}  // namespace torsor
