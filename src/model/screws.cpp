#include "torsor/model/screws.hpp"

#include <cmath>

#include "torsor/model/dh.hpp"

namespace torsor {
namespace {

constexpr double unit_tolerance = 1e-9;

/// What a unit screw says: kind, axis and pitch, and a point of the axis.
struct Reading {
  JointKind kind = JointKind::prismatic;
  Vec3<double> axis, point;
  double pitch = 0;
};

Reading read(const Twist<double>& S, const std::string& joint) {
  const double w = norm(S.w), v = norm(S.v);
  const std::string name = "from_screws: joint '" + joint + "'";
  if (!std::isfinite(w) || !std::isfinite(v))
    throw Error(name + ": its screw holds a number that is not finite");
  Reading result;
  if (w < 1e-14) {
    if (std::abs(v - 1) > unit_tolerance)
      throw Error(name + ": a screw without rotation needs |v| = 1, got " + std::to_string(v));
    result.axis = S.v * (1 / v);
    return result;
  }
  if (std::abs(w - 1) > unit_tolerance)
    throw Error(name + ": a screw needs |w| = 1, or w = 0 and |v| = 1; |w| is " +
                std::to_string(w));
  result.axis = S.w * (1 / w);
  result.point = cross(S.w, S.v) * (1 / (w * w));
  const double pitch = dot(S.w, S.v) / (w * w);
  const bool turns_only = std::abs(pitch) <= 1e-14 * (1 + v);  // rounding of w.v
  result.kind = turns_only ? JointKind::revolute : JointKind::helical;
  result.pitch = turns_only ? 0 : pitch;
  return result;
}

bool finite(const SE3<double>& T) {
  return std::isfinite(norm(T.p) + norm(T.R.c0) + norm(T.R.c1) + norm(T.R.c2));
}

std::string numbered(const std::string& name, const char* stem, std::size_t i) {
  return name.empty() ? stem + std::to_string(i) : name;
}

}  // namespace

RobotDescription from_screws(const std::string& name, const std::vector<ScrewJoint>& joints,
                             const SE3<double>& tool_home) {
  if (joints.empty()) throw Error("from_screws: robot '" + name + "' has no joint");
  RobotDescription robot;
  robot.name = name;
  robot.root = "base";
  robot.links.push_back({robot.root, {}, false, {}, {}});

  SE3<double> T_root_parent;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const ScrewJoint& given = joints[i];
    Joint joint;
    joint.name = numbered(given.name, "joint_", i + 1);
    if (!finite(given.home) || !finite(tool_home))
      throw Error("from_screws: joint '" + joint.name + "': a home pose is not finite");
    const Reading screw = read(given.screw, joint.name);

    SE3<double> T_root_link = given.home;
    if (screw.kind != JointKind::prismatic)
      T_root_link.p = screw.point + screw.axis * dot(given.home.p - screw.point, screw.axis);
    const SE3<double> T_link_home = inverse_times(T_root_link, given.home);

    joint.kind = screw.kind;
    joint.parent = robot.links.back().name;
    joint.child = numbered(given.link, "link_", i + 1);
    joint.placement = inverse_times(T_root_parent, T_root_link);
    joint.axis = transpose_times(T_root_link.R, screw.axis);
    joint.pitch = screw.pitch;
    joint.limits = given.limits;
    joint.friction = given.friction;
    joint.actuator = given.actuator;
    const Inertial inertial =
        given.has_inertial ? transported(T_link_home, given.inertial) : Inertial{};
    robot.links.push_back({joint.child, inertial, given.has_inertial, {}, {}});
    robot.frames.push_back({"frame_" + std::to_string(i + 1), joint.child, T_link_home, {}});
    robot.joints.push_back(std::move(joint));
    T_root_parent = T_root_link;
  }
  robot.frames.push_back(
      {"tool", robot.links.back().name, inverse_times(T_root_parent, tool_home), {}});
  return robot;
}

RobotDescription from_screws(const std::string& name, const std::vector<Twist<double>>& screws,
                             const std::vector<SE3<double>>& homes,
                             const std::vector<Inertial>& inertials) {
  const std::string sizes = std::to_string(screws.size()) + " screws, " +
                            std::to_string(homes.size()) + " home poses and " +
                            std::to_string(inertials.size()) + " inertias";
  if (homes.size() != screws.size() || (!inertials.empty() && inertials.size() != screws.size()))
    throw Error("from_screws: robot '" + name + "' has " + sizes);
  std::vector<ScrewJoint> joints(screws.size());
  for (std::size_t i = 0; i < screws.size(); ++i) {
    joints[i].screw = screws[i];
    joints[i].home = homes[i];
    joints[i].has_inertial = !inertials.empty();
    if (!inertials.empty()) joints[i].inertial = inertials[i];
  }
  return from_screws(name, joints, homes.empty() ? SE3<double>{} : homes.back());
}

}  // namespace torsor
