// The row of URDF in the table of formats.
#include <algorithm>

#include "torsor/formats/robot_format.hpp"
#include "torsor/formats/text.hpp"
#include "urdf/elements.hpp"

namespace torsor {
namespace {

bool same(const Vec3<double>& a, const Vec3<double>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// What the writer puts in elements that only Torsor reads.
std::vector<std::string> cannot_say(const RobotDescription& robot) {
  std::vector<std::string> words;
  const auto say = [&](bool present, const char* what) {
    if (present) words.emplace_back(what);
  };
  const auto any = [&](const auto& test) {
    return std::any_of(robot.joints.begin(), robot.joints.end(), test);
  };
  say(!same(robot.gravity, RobotDescription{}.gravity), "gravity");
  const SE3<double>& base = robot.base;
  say(!same(base.p, {}) || !same(base.R.c0, {1, 0, 0}) || !same(base.R.c1, {0, 1, 0}),
      "pose of the base");
  say(!robot.frames.empty(), "frames");
  say(!robot.loops.empty(), "loops");
  say(std::any_of(robot.couplings.begin(), robot.couplings.end(),
                  [](const Coupling& c) { return c.terms.size() != 2; }),
      "couplings of more than two joints");
  say(!robot.springs.empty() || any([](const Joint& j) { return !j.spring.empty(); }), "springs");
  say(!robot.motors.empty() || any([](const Joint& j) { return !j.actuator.empty(); }), "motors");
  say(!robot.configurations.empty(), "named configurations");
  say(any([](const Joint& j) {
        return std::any_of(j.friction.begin(), j.friction.end(), [](const Friction& f) {
          return f.viscous != 0 || f.stiction != 0 || f.stribeck != 0 || f.width != 0 ||
                 f.offset != 0 || f.viscous_asymmetry != 0 || f.coulomb_asymmetry != 0 ||
                 f.load != 0;
        });
      }),
      "friction beyond damping and Coulomb");
  say(any([](const Joint& j) {
        return std::any_of(j.limits.begin(), j.limits.end(), [](const Limits& l) {
          return l.acceleration < infinity || l.jerk < infinity;
        });
      }),
      "limits of acceleration and jerk");
  say(any([](const Joint& j) {
        return internal::with_kind(j.kind, [](auto type) { return !type.in_urdf; });
      }),
      "joints that URDF does not have");
  return words;
}

Conversion write(const RobotDescription& robot, const std::string&) {
  Conversion result;
  result.text = write_urdf(robot);
  result.link_frames = unmoved_links(robot);
  if (const std::vector<std::string> words = cannot_say(robot); !words.empty())
    result.notes.push_back("URDF cannot say: " + listed(words) +
                           "; written as torsor: elements, which other programs ignore");
  return result;
}

}  // namespace

namespace internal {

const RobotFormat& urdf_format() {
  static const RobotFormat format{
      .name = "urdf",
      .title = "URDF",
      .extensions = {".urdf", ".xml"},
      .recognises = [](std::string_view text) { return xml_root_name(text) == "robot"; },
      .read = read_urdf,
      .examine = internal::urdf::examine,
      .edit = internal::urdf::edit,
      .write = write,
      .cannot_say = cannot_say};
  return format;
}

}  // namespace internal
}  // namespace torsor
