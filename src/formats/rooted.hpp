#pragma once
/// A robot whose root has a name: the link that is no joint's child, where its file leaves it open.
#include <set>
#include <string>

#include "torsor/model/description.hpp"

namespace torsor::internal {

inline RobotDescription rooted(RobotDescription robot) {
  if (!robot.root.empty()) return robot;
  std::set<std::string> children;
  for (const Joint& joint : robot.joints) children.insert(joint.child);
  for (const Link& link : robot.links)
    if (!children.contains(link.name)) robot.root = link.name;
  return robot;
}

}  // namespace torsor::internal
