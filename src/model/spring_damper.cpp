#include "torsor/model/spring_damper.hpp"

#include <algorithm>

#include "torsor/model/model.hpp"

namespace torsor {
namespace {

/// The link without a parent joint.
std::string root_of(const RobotDescription& robot) {
  for (const Link& link : robot.links)
    if (std::none_of(robot.joints.begin(), robot.joints.end(),
                     [&](const Joint& j) { return j.child == link.name; }))
      return link.name;
  return "";
}

}  // namespace

std::vector<internal::SpringEnds> internal::spring_ends(const RobotDescription& description,
                                                        const std::vector<Frame>& frames) {
  std::vector<internal::SpringEnds> ends;
  if (description.springs.empty()) return ends;
  const std::string root = root_of(description);
  const auto frame_of = [&](const std::string& link) -> const Frame& {
    // Links come first among the frames, and the model has checked that this one exists.
    return *std::find_if(frames.begin(), frames.end(),
                         [&](const Frame& f) { return f.name == (link.empty() ? root : link); });
  };
  for (const SpringDamper& s : description.springs) {
    const Frame &a = frame_of(s.link_a), &b = frame_of(s.link_b);
    ends.push_back({a.body, b.body, a.placement * s.point_a, b.placement * s.point_b});
  }
  return ends;
}

}  // namespace torsor
