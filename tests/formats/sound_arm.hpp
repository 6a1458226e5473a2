#pragma once
/// A sound arm for tests that make one thing wrong with it.
#include <string>

#include "torsor/formats/check_model.hpp"
#include "torsor/model/model.hpp"

namespace torsor::testing {

/// A rod of 0.4 m along x, 2 kg, radius 0.03 m, about its middle.
inline Inertial rod() { return {2, {0.2, 0, 0}, Sym3<double>::diagonal(0.0009, 0.0271, 0.0271)}; }

inline Joint hinge(const std::string& name, const std::string& parent, const std::string& child,
                   double x) {
  Joint joint;
  joint.name = name, joint.parent = parent, joint.child = child;
  joint.placement.p = {x, 0, 0};
  joint.limits = {{-2, 2, 3, infinity, infinity, 50}};
  joint.origin = {"arm.urdf", 20};
  return joint;
}

inline RobotDescription sound_arm() {
  RobotDescription robot;
  robot.name = "arm";
  robot.root = "base";
  robot.links = {
      {"base", {5, {}, Sym3<double>::diagonal(0.02, 0.02, 0.02)}, true, {}, {"arm.urdf", 2}},
      {"upper", rod(), true, {}, {"arm.urdf", 3}},
      {"lower", rod(), true, {}, {"arm.urdf", 9}}};
  robot.joints = {hinge("shoulder", "base", "upper", 0), hinge("elbow", "upper", "lower", 0.4)};
  return robot;
}

inline Findings findings_of(const RobotDescription& robot) { return check_model(robot); }

inline std::string all(const Findings& findings) {
  std::string text;
  for (const Finding& f : findings)
    text += std::string(name_of(f.severity)) + ": " + f.line() + "\n";
  return text;
}

}  // namespace torsor::testing
