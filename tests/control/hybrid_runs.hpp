#pragma once
/// The textbook's arm on its circle (G3.12a), and six-axis arms on a table.
#include <cmath>
#include <numbers>

#include "torsor/control/task/hybrid_task.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor::testing {

/// x_p^d = 0.15 sin 2t, f^d = 5 + 2 sin 3t.
inline void circle_reference(double t, ReferencePoint& r) {
  r.x.assign({0.15 * std::sin(2 * t)});
  r.xd.assign({0.3 * std::cos(2 * t)});
  r.xdd.assign({-0.6 * std::sin(2 * t)});
  r.f_on_environment.assign({5 + 2 * std::sin(3 * t)});
}
/// The tip inside a ring around (1, 0.4), radius 0.3; it starts at 135 deg, where x_p = 0.05.
inline Surface ring() {
  return {.name = "ring",
          .frame = "tip",
          .origin = {1, 0.4, 0},
          .radius = 0.3,
          .inside = true,
          .bilateral = true};
}
inline Constraint ring_constraint() {
  const double start = 0.75 * std::numbers::pi - 0.05 / 0.3;
  return Constraint::circle({1, 0.4, 0}, 0.3, {0, 0, 1}, {std::cos(start), std::sin(start), 0});
}
inline HybridTaskOptions ring_task(PositionError error = PositionError::integral) {
  return {.coordinates = {.frame = "tip", .axes = "xy"},
          .constraint = ring_constraint(),
          .error = error,
          .start =
              error == PositionError::integral ? std::vector<double>{0.05} : std::vector<double>{}};
}
inline SimulateOptions ring_start(double duration) {
  SimulateOptions o;
  // Elbow up: the tip at (1, 0.4) + 0.3 (cos, sin)(135 deg).
  const double x = 1 - 0.3 * std::numbers::sqrt2 / 2, y = 0.4 + 0.3 * std::numbers::sqrt2 / 2;
  const double r2 = x * x + y * y, q2 = std::acos(r2 / 2 - 1);
  o.q0 = {std::atan2(y, x) - q2 / 2, q2};
  o.duration = duration;
  o.record_every = 0.01;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  return o;
}

/// A six-axis arm whose flange touches a table from above.
struct TableArm {
  Model<double> arm;
  std::vector<double> q0;
  Frame flange;
  SE3<double> T;

  explicit TableArm(const char* robot)
      : arm(load_robot(robot)), q0{0.3, 0.6, -0.4, 0.3, 1.2, -0.2}, flange(arm.frames().back()) {
    if (std::string(robot) == "ur5") q0 = {0.3, -1.2, 1.4, -0.9, -1.4, 0.2};
    KinematicsWorkspace<double> ws(arm);
    forward_kinematics(arm, ws, q0);
    T = frame_pose(ws, flange);
  }
  Surface table(const char* name = "table", const Vec3<double>& offset = {}) const {
    return {.name = name,
            .frame = flange.name,
            .point = transpose_times(T.R, offset),
            .origin = T.p,
            .normal = {0, 0, 1}};
  }
  TaskCoordinateOptions coordinates(TaskAngles angles) const {
    return {.frame = flange.name, .angles = angles, .origin = T.R};
  }
  /// The normal points into the table: f > 0 presses.
  Constraint plane() const { return Constraint::plane(T.p, {0, 0, -1}, {1, 0, 0}); }
  Constraint face() const { return Constraint::face(T.p, {0, 0, -1}, {1, 0, 0}); }
  SimulateOptions start(double duration) const {
    SimulateOptions o;
    o.q0 = q0;
    o.duration = duration;
    o.record_every = 0.02;
    o.control = {.relative = 1e-10, .absolute = 1e-12};
    return o;
  }
};

/// Of a double pole -10: e(t) from e(0), e'(0).
inline double double_pole(double e0, double v0, double t) {
  return (e0 + (v0 + 10 * e0) * t) * std::exp(-10 * t);
}

}  // namespace torsor::testing
