#pragma once
/// The golden run G3.13 of several arms with one object, and two arms of six joints with a box.
#include <cmath>

#include "support/cooperating_arms.hpp"
#include "torsor/control/arms/object_task.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor::testing {

/// X = (x, y, phi) of the object.
inline CooperationOptions planar_cooperation(std::vector<double> fractions) {
  CooperationOptions o{.object = "object", .fractions = std::move(fractions)};
  o.task.axes = "xy";
  o.task.angles = TaskAngles::planar;
  return o;
}
/// The contact point on y = 0.5; e_3 = (0, 1, b) / n.
inline ObjectTaskOptions on_table(const CooperatingArms& arms) {
  ObjectTaskOptions o;
  o.constraint =
      point_on_plane(arms.coordinates(0), contact_point(), {0, 0.5, 0}, {0, 1, 0}, {1, 0, 0});
  o.error = PositionError::integral;
  o.start = {0.02, 0.05};
  o.weights = {Gain::uniform(3, 1), Gain::uniform(3, 2)};
  return o;
}
inline Plant on_surface(const Model<double>& robot) {
  Plant plant(robot);
  plant.surfaces = {{.name = "table",
                     .frame = "object",
                     .point = contact_point(),
                     .origin = {0, 0.5, 0},
                     .normal = {0, 1, 0},
                     .bilateral = true}};
  return plant;
}
inline const ReferenceFunction golden_reference = [](double t, ReferencePoint& r) {
  r.x = {0.1 * std::sin(1.5 * t), 0.2 * std::sin(t)};
  r.xd = {0.15 * std::cos(1.5 * t), 0.2 * std::cos(t)};
  r.xdd = {-0.225 * std::sin(1.5 * t), -0.2 * std::sin(t)};
  r.f_on_environment = {-10};
};
inline SimulateOptions golden_run() {
  SimulateOptions o;
  o.q0 = planar_arms_at(two_planar_grasps(), 0.02, origin_on_surface(0.1), 0.1);
  o.duration = 3;
  o.record_every = 0.05;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  return o;
}
inline double angle_of(const Recording& r, int row) {
  return r.q(row, 0) + r.q(row, 1) + r.q(row, 2);
}
/// f_c2 of the normal force that was recorded.
inline double contact_force(const Recording& r, int row) {
  const double a = angle_of(r, row), b = 0.05 * std::cos(a) + 0.15 * std::sin(a);
  return -r.contact(row, 0) * std::sqrt(1 + b * b);
}

/// X = position and rotation of the box.
inline CooperationOptions spatial_cooperation() {
  CooperationOptions o{.object = "box", .fractions = {0.4, 0.6}};
  o.task.angles = TaskAngles::rotation;
  o.effects.friction = false;
  return o;
}
/// Two arms of six joints with a box; away from singular configurations.
inline ArmsWithBox spatial_arms(const char* name) {
  const Model<double> arm = load_robot(name);
  const bool ur5 = std::string(name) == "ur5";
  const std::vector<double> q = ur5 ? std::vector<double>{0.2, -1.3, 1.7, -1.9, -1.3, 0.3}
                                    : std::vector<double>{0.2, 0.5, -0.4, 0.4, 0.9, 0.3};
  return arms_with_box(arm, q, 0.4, 3);
}
/// The box moves and turns about a point that it starts from, with zero and other start velocities.
inline ReferenceFunction spatial_path(const SE3<double>& start) {
  return [start](double t, ReferencePoint& r) {
    const double s = std::sin(2 * t), c = std::cos(2 * t);
    r.x = {
        start.p.x + 0.04 * s, start.p.y + 0.03 * s * s, start.p.z + 0.05 * (1 - c), 0, 0, 0.2 * s};
    r.xd = {0.08 * c, 0.12 * s * c, 0.1 * s, 0, 0, 0.4 * c};
    r.xdd = {-0.16 * s, 0.24 * (c * c - s * s), 0.2 * c, 0, 0, -0.8 * s};
  };
}

}  // namespace torsor::testing
