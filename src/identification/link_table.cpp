#include "torsor/identification/internal/link_table.hpp"

#include <cmath>

namespace torsor::internal {
namespace {

/// Rounding of a placement that was written as a table or with full digits.
constexpr double exact_placement = 1e-12;

/// a, alpha, d, theta of a placement; false where it is of another form.
bool as_modified_row(const SE3<double>& T, DhRow& row) {
  const auto& R = T.R;
  row.alpha = std::atan2(-R.c2.y, R.c2.z);
  row.theta = std::atan2(-R.c1.x, R.c0.x);
  row.a = T.p.x;
  row.d = T.p.z * std::cos(row.alpha) - T.p.y * std::sin(row.alpha);
  const SE3<double> again = x_screw(row.a, row.alpha) * z_screw(row.d, row.theta);
  double off = norm(again.p - T.p);
  for (const Vec3<double>& e : {again.R.c0 - T.R.c0, again.R.c1 - T.R.c1, again.R.c2 - T.R.c2})
    off = std::max(off, norm(e));
  return off <= exact_placement * (1 + norm(T.p));
}

}  // namespace

std::optional<DhTable> link_table(const RobotDescription& robot) {
  if (!robot.loops.empty() || !robot.couplings.empty() || !robot.springs.empty() ||
      !robot.motors.empty() || robot.joints.size() + 1 != robot.links.size())
    return {};
  const Link* const root = robot.find_link(robot.root);
  if (root == nullptr) return {};
  DhTable table;
  table.convention = DhTable::Convention::modified;
  table.name = robot.name;
  table.source = robot.source;
  table.root = robot.root;
  table.base = robot.base;
  table.gravity = robot.gravity;
  table.origin = robot.origin;
  table.inertial = root->inertial;
  table.has_inertial = root->has_inertial;
  std::string at = robot.root;
  while (table.rows.size() < robot.joints.size()) {
    const Joint* next = nullptr;
    for (const Joint& joint : robot.joints)
      if (joint.parent == at) {
        if (next != nullptr) return {};
        next = &joint;
      }
    if (next == nullptr) return {};
    const Joint& joint = *next;
    DhRow row;
    row.prismatic = joint.kind == JointKind::prismatic;
    row.continuous = joint.kind == JointKind::continuous;
    const bool along_z = joint.axis.x == 0 && joint.axis.y == 0 && joint.axis.z > 0;
    if ((!row.prismatic && !row.continuous && joint.kind != JointKind::revolute) || !along_z ||
        !as_modified_row(joint.placement, row))
      return {};
    const Link* const link = robot.find_link(joint.child);
    if (link == nullptr) return {};
    row.name = joint.name;
    row.link = joint.child;
    row.inertial = link->inertial;
    row.has_inertial = link->has_inertial;
    if (!joint.limits.empty()) row.limits = joint.limits[0];
    if (!joint.friction.empty()) row.friction = joint.friction[0];
    if (!joint.actuator.empty()) row.actuator = joint.actuator[0];
    if (!joint.spring.empty()) row.spring = joint.spring[0];
    row.origin = joint.origin;
    table.rows.push_back(std::move(row));
    at = joint.child;
  }
  return table;
}

}  // namespace torsor::internal
