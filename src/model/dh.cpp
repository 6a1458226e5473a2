#include "torsor/model/dh.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace torsor {
namespace {

using Convention = DhTable::Convention;

/// The range of DH angles is (-pi, pi]; atan2 gives -pi for a negative zero.
double angle(double sine, double cosine) {
  const double result = std::atan2(sine, cosine);
  return result == -std::numbers::pi ? std::numbers::pi : result;
}

/// The angle between x and z less a right angle, in magnitude.
double off_perpendicular(const Vec3<double>& x, const Vec3<double>& z) {
  return std::abs(std::atan2(dot(x, z), norm(cross(x, z))));
}

std::string condition_message(Convention convention, double tolerance, const DhParameters& found) {
  const bool standard = convention == Convention::standard;
  const std::string lines = standard ? "X of the next frame and Z of the previous one"
                                     : "X of the previous frame and Z of the next one";
  char number[64];
  std::string message;
  if (found.off_perpendicular > tolerance) {
    std::snprintf(number, sizeof number, "%.3g rad", found.off_perpendicular);
    message = lines + " are off perpendicular by " + number;
  }
  if (found.gap > tolerance) {
    std::snprintf(number, sizeof number, "%.3g m", found.gap);
    message += (message.empty() ? lines + " miss each other by " : " and miss each other by ");
    message += number;
  }
  return message;
}

/// Whether a struct of doubles holds what a new one holds.
template <class Numbers>
bool is_default(const Numbers& numbers) {
  using Array = std::array<double, sizeof(Numbers) / sizeof(double)>;
  return std::bit_cast<Array>(numbers) == std::bit_cast<Array>(Numbers{});
}
template <class Numbers>
std::vector<Numbers> unless_default(const Numbers& numbers) {
  return is_default(numbers) ? std::vector<Numbers>{} : std::vector<Numbers>{numbers};
}

std::string numbered(const std::string& name, const char* stem, std::size_t i) {
  return name.empty() ? stem + std::to_string(i) : name;
}

void check(const DhTable& table) {
  if (table.rows.empty())
    throw Error(table.origin.prefix() + "DH table '" + table.name + "' has no rows");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const DhRow& row = table.rows[i];
    const struct {
      const char* name;
      double value;
    } entries[] = {{"a", row.a}, {"alpha", row.alpha}, {"d", row.d}, {"theta", row.theta}};
    for (const auto& [name, value] : entries) {
      if (std::isfinite(value)) continue;
      throw Error(row.origin.prefix() + "DH row " + std::to_string(i + 1) + " (joint '" +
                  numbered(row.name, "joint_", i + 1) + "'): " + name + " = " +
                  std::to_string(value) + " is not a finite number");
    }
    if (row.prismatic && row.continuous)
      throw Error(row.origin.prefix() + "DH row " + std::to_string(i + 1) + " (joint '" +
                  numbered(row.name, "joint_", i + 1) +
                  "'): a joint is prismatic or continuous, not both");
  }
}

Joint joint_of(const DhRow& row, std::size_t number, const std::string& parent,
               const SE3<double>& T_parent_joint) {
  Joint joint;
  joint.name = numbered(row.name, "joint_", number);
  joint.kind = row.prismatic    ? JointKind::prismatic
               : row.continuous ? JointKind::continuous
                                : JointKind::revolute;
  joint.parent = parent;
  joint.child = numbered(row.link, "link_", number);
  joint.placement = T_parent_joint;
  joint.limits = unless_default(row.limits);
  joint.friction = unless_default(row.friction);
  joint.actuator = unless_default(row.actuator);
  joint.spring = unless_default(row.spring);
  joint.origin = row.origin;
  return joint;
}

}  // namespace

const char* name_of(DhTable::Convention convention) {
  return convention == Convention::standard ? "standard" : "modified";
}

Inertial transported(const SE3<double>& T_ab, const Inertial& in_b) {
  return {in_b.mass, T_ab * in_b.com, rotated(T_ab.R, in_b.about_com)};
}

DhParameters dh_parameters_from_frames(const SE3<double>& T_0_previous, const SE3<double>& T_0_next,
                                       Convention convention, double tolerance) {
  const SE3<double> T = inverse_times(T_0_previous, T_0_next);
  const bool standard = convention == Convention::standard;
  const Vec3<double> x = standard ? T.R.c0 : Vec3<double>::unit_x();
  const Vec3<double> z = standard ? Vec3<double>::unit_z() : T.R.c2;
  const Vec3<double> normal = cross(z, x);

  DhParameters found;
  if (standard) {
    found.theta = angle(T.R(1, 0), T.R(0, 0));
    found.alpha = angle(T.R(2, 1), T.R(2, 2));
  } else {
    found.theta = angle(-T.R(0, 1), T.R(0, 0));
    found.alpha = angle(-T.R(1, 2), T.R(2, 2));
  }
  found.a = dot(T.p, x);
  found.d = dot(T.p, z);
  found.off_perpendicular = off_perpendicular(x, z);
  // X parallel to Z has no common normal; then the gap is the distance of the parallels.
  const double length = norm(normal);
  found.gap = length > tolerance ? std::abs(dot(T.p, normal)) / length : norm(cross(T.p, z));
  found.message = condition_message(convention, tolerance, found);
  return found;
}

RobotDescription from_dh(const DhTable& table) {
  check(table);
  const bool standard = table.convention == Convention::standard;
  RobotDescription robot;
  robot.name = table.name;
  robot.source = table.source;
  robot.root = table.root;
  robot.gravity = table.gravity;
  robot.base = table.base;
  robot.origin = table.origin;
  robot.links.push_back({table.root, table.inertial, table.has_inertial, {}, table.origin});

  SE3<double> T_parent_frame;  // of the table's frame i-1 in link i-1
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const DhRow& row = table.rows[i];
    const SE3<double> x = internal::x_screw(row.a, row.alpha),
                      z = internal::z_screw(row.d, row.theta);
    const SE3<double> T_joint = standard ? T_parent_frame * z : x * z;
    const SE3<double> T_link_frame = standard ? x : SE3<double>{};

    robot.joints.push_back(joint_of(row, i + 1, robot.links.back().name, T_joint));
    const std::string& link = robot.joints.back().child;
    const Inertial inertial =
        row.has_inertial ? transported(T_link_frame, row.inertial) : Inertial{};
    robot.links.push_back({link, inertial, row.has_inertial, {}, row.origin});
    if (standard)
      robot.frames.push_back({"frame_" + std::to_string(i + 1), link, T_link_frame, row.origin});
    T_parent_frame = T_link_frame;
  }
  robot.frames.push_back(
      {"tool", robot.links.back().name, T_parent_frame * table.tool, table.origin});
  return robot;
}

}  // namespace torsor
