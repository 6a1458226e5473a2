#include <cmath>
#include <numbers>

#include "check/parts.hpp"

namespace torsor::internal::checks {
namespace {

/// ".1" after the joint's name where there are several degrees of freedom.
std::string dof_label(const Joint& joint, std::size_t k, std::size_t count) {
  return element("joint", count > 1 ? joint.name + "." + std::to_string(k) : joint.name);
}

void check_axis(const Vec3<double>& axis, const Joint& joint, Report& report) {
  const std::string who = element("joint", joint.name);
  const double length = norm(axis);
  if (!is_finite(axis) || !(length > 1e-12))
    return report.error(joint.origin, who, "axis is zero or not finite (" + numbers(axis) + ")",
                        "the joint has no direction", "give a unit vector such as 0 0 1",
                        is_finite(axis) ? Finding::Kind::other : Finding::Kind::not_finite);
  if (std::abs(length - 1) > 1e-3)
    report.warning(
        joint.origin, who,
        "axis (" + numbers(axis) + ") has length " + short_number(length) + " instead of 1",
        "programs that do not normalise it move too far", "normalise it; --fix does",
        Finding::Kind::axis_length);
  else if (std::abs(length - 1) > 1e-9)
    report.note(joint.origin, who,
                "axis (" + numbers(axis) + ") is off unit length by " + short_number(length - 1),
                "it is normalised when the model is built", "write more digits; --fix does",
                Finding::Kind::axis_length);
}

void check_pose(const SE3<double>& T, const Joint& joint, Report& report) {
  const std::string who = element("joint", joint.name);
  if (!is_finite(T.p))
    report.error(joint.origin, who, "placement is not finite (" + numbers(T.p) + ")",
                 "nothing behind the joint has a pose", "give three finite lengths in m",
                 Finding::Kind::not_finite);
  if (!(rotation_error(T) < 1e-9))
    report.error(joint.origin, who,
                 "placement is not a rotation (off by " + short_number(rotation_error(T)) + ")",
                 "it would scale or mirror everything behind the joint",
                 "give an orthogonal matrix",
                 std::isnan(rotation_error(T)) ? Finding::Kind::not_finite : Finding::Kind::other);
}

void check_position_limits(const Limits& l, bool angle, const Joint& joint, const std::string& who,
                           Report& report) {
  const char* unit = angle ? " rad" : " m";
  const std::string range = "[" + short_number(l.lower) + ", " + short_number(l.upper) + "]" + unit;
  if (std::isnan(l.lower) || std::isnan(l.upper))
    return report.error(joint.origin, who, "a limit is not a number",
                        "nothing can be compared with it", "give numbers",
                        Finding::Kind::not_finite);
  if (l.lower > l.upper)
    return report.error(joint.origin, who, "lower limit is above the upper one " + range,
                        "no position is allowed", "exchange them; --fix does",
                        Finding::Kind::limit_order);
  if (l.lower == l.upper)
    report.warning(joint.origin, who, "limits leave no range " + range,
                   "the joint cannot move, though it counts as a degree of freedom",
                   "give its range or make it fixed; --fix removes the limits",
                   Finding::Kind::limit_range);
  else if (l.lower > 0 || l.upper < 0)
    report.note(joint.origin, who, "the neutral position 0 is outside of the limits " + range,
                "the neutral configuration, where many programs start, is not reachable",
                "start from a configuration within the limits, with --q");
  // Twice around either way is more than any arm's cable allows.
  const double two_turns = 4 * std::numbers::pi;
  for (const double x : {l.lower, l.upper}) {
    if (!std::isfinite(x)) continue;
    if (std::abs(x) >= 1e6) {
      report.note(joint.origin, who, "limit " + short_number(x) + unit + " stands for no limit",
                  "programs that draw positions within the limits lose all digits",
                  angle ? "make the joint continuous" : "leave the limit out");
      break;
    }
    if (angle && std::abs(x) > two_turns) {
      report.warning(joint.origin, who, "limit " + short_number(x) + " rad is more than two turns",
                     "it looks like degrees: " + short_number(x) + " deg are " +
                         short_number(x * std::numbers::pi / 180) + " rad",
                     "write radians; use a continuous joint where there is no limit");
      break;
    }
    if (!angle && std::abs(x) > 20) {
      report.warning(joint.origin, who, "limit " + short_number(x) + " m is a long way",
                     "it looks like millimetres", "write metres");
      break;
    }
  }
}

void check_limits(const Joint& joint, Report& report) {
  using Kind = Finding::Kind;
  for (std::size_t k = 0; k < joint.limits.size(); ++k) {
    const Limits& l = joint.limits[k];
    const std::string who = dof_label(joint, k, joint.limits.size());
    const bool angle = is_angle(joint, k);
    check_position_limits(l, angle, joint, who, report);
    const auto rate = [&](double value, const char* name, const char* consequence, Kind kind) {
      if (std::isnan(value) || value < 0)
        report.error(joint.origin, who, std::string(name) + " limit is " + short_number(value),
                     "a limit is a size", "give 0 or more, or none",
                     std::isnan(value) ? Kind::not_finite : kind);
      else if (value == 0)
        report.warning(joint.origin, who, std::string(name) + " limit is 0", consequence,
                       "give the limit, or leave it out; --fix removes it", kind);
    };
    rate(l.velocity, "velocity", "taken literally, the joint must stand still",
         Kind::velocity_limit);
    report.topic = Finding::Topic::dynamics;
    rate(l.effort, "effort", "taken literally, the joint is not driven; often it means \"unknown\"",
         Kind::effort_limit);
    report.topic = Finding::Topic::motion;
    rate(l.acceleration, "acceleration", "taken literally, the joint cannot start",
         Kind::acceleration_limit);
    rate(l.jerk, "jerk", "taken literally, the joint cannot start", Kind::jerk_limit);
    if (angle && std::isfinite(l.velocity) && l.velocity > 50)
      report.note(joint.origin, who,
                  "velocity limit " + short_number(l.velocity) + " rad/s is " +
                      short_number(l.velocity * 30 / std::numbers::pi) + " turns per minute",
                  "fast for a joint; it may be degrees per second, or the motor's side of the gear",
                  "write rad/s at the joint");
  }
}

void check_drive(const Joint& joint, Report& report) {
  for (std::size_t k = 0; k < joint.friction.size(); ++k) {
    const Friction& f = joint.friction[k];
    const std::string who = dof_label(joint, k, joint.friction.size());
    const Actuator a = k < joint.actuator.size() ? joint.actuator[k] : Actuator{};
    check_friction(f, a.gear_ratio * a.gear_ratio * a.motor_viscous, n_v(joint) == 1, joint.origin,
                   who, report);
    if (f.stiction != 0 && f.stiction < f.coulomb)
      report.warning(joint.origin, who,
                     "stiction " + short_number(f.stiction) + " N m is below Coulomb friction " +
                         short_number(f.coulomb) + " N m",
                     "a joint holds at least what it takes to keep it moving",
                     "give stiction of at least coulomb, or leave it out; --fix does");
  }
  for (std::size_t k = 0; k < joint.actuator.size(); ++k) {
    const Actuator& a = joint.actuator[k];
    const std::string who = dof_label(joint, k, joint.actuator.size());
    if (!std::isfinite(a.rotor_inertia) || a.rotor_inertia < 0)
      report.error(joint.origin, who,
                   "rotor inertia is " + short_number(a.rotor_inertia) + " kg m^2",
                   "the mass matrix loses its meaning", "give 0 or more",
                   a.rotor_inertia < 0 ? Finding::Kind::other : Finding::Kind::not_finite);
    if (!std::isfinite(a.gear_ratio) || a.gear_ratio == 0)
      report.error(joint.origin, who, "gear ratio is " + short_number(a.gear_ratio),
                   "the motor would not reach the joint", "give motor turns per joint turn",
                   a.gear_ratio == 0 ? Finding::Kind::other : Finding::Kind::not_finite);
    if (a.rotor_inertia > 0 && a.gear_ratio == 1)
      report.note(joint.origin, who,
                  "rotor inertia " + short_number(a.rotor_inertia) + " kg m^2 with gear ratio 1",
                  "the joint feels rotor inertia times the gear ratio squared",
                  "give the gear ratio, unless the motor drives the joint directly or the figure "
                  "is the reflected one");
  }
}

}  // namespace

void check_friction(const Friction& f, double further, bool one, const Origin& origin,
                    const std::string& who, Report& report) {
  for (const double x : {f.viscous, f.damping, f.coulomb, f.stiction, f.stribeck, f.width})
    if (!std::isfinite(x) || x < 0)
      report.error(origin, who, "a friction parameter is " + short_number(x),
                   "negative friction drives the joint", "give 0 or more",
                   x < 0 ? Finding::Kind::other : Finding::Kind::not_finite);
  if (!std::isfinite(f.offset))
    report.error(origin, who, "offset of friction is " + short_number(f.offset),
                 "it has no meaning", "give it in N m", Finding::Kind::not_finite);
  const auto check = [&](const char* what, double asymmetry, double size) {
    if (!(std::abs(asymmetry) <= size))
      report.error(origin, who,
                   std::string(what) + " is " + short_number(asymmetry) + ", what it adds to " +
                       short_number(size),
                   "in one direction friction would drive the joint",
                   "give an asymmetry of at most that size",
                   std::isfinite(asymmetry) && std::isfinite(size) ? Finding::Kind::other
                                                                   : Finding::Kind::not_finite);
  };
  check("viscous_asymmetry", f.viscous_asymmetry, f.viscous + f.damping + further);
  check("coulomb_asymmetry", f.coulomb_asymmetry, f.coulomb);
  if (!(f.load >= 0 && f.load < 1))
    report.error(origin, who, "load of friction is " + short_number(f.load),
                 "friction in proportion to the transmitted torque would drive or lock the joint",
                 "give a share from 0 to below 1",
                 std::isfinite(f.load) ? Finding::Kind::other : Finding::Kind::not_finite);
  else if (f.load > 0 && !one)
    report.error(origin, who, "load of friction is " + short_number(f.load),
                 "friction of the load is that of joints with one degree of freedom",
                 "leave it out");
}

void check_joints(const RobotDescription& robot, Report& report) {
  for (const Joint& joint : robot.joints) {
    check_pose(joint.placement, joint, report);
    if (has_axis(joint.kind)) check_axis(joint.axis, joint, report);
    for (const JointPart& part : joint.parts) {
      check_pose(part.placement, joint, report);
      if (has_axis(part.kind)) check_axis(part.axis, joint, report);
    }
    if (has_pitch(joint.kind) && joint.pitch == 0)
      report.warning(joint.origin, element("joint", joint.name), "is helical with pitch 0",
                     "it turns without advancing", "give the pitch in m/rad, or make it revolute");
    check_limits(joint, report);
    report.topic = Finding::Topic::dynamics;
    check_drive(joint, report);
    report.topic = Finding::Topic::motion;
  }
}

}  // namespace torsor::internal::checks
