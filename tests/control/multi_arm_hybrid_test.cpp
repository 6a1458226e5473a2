/// Several arms with one object: textbook section 3.13, with the closed chain as plant.
#include "torsor/control/multi_arm_hybrid.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/allocation_counter.hpp"
#include "support/cooperating_arms.hpp"
#include "torsor/control/make_controller.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/model/parameters.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

using testing::contact_point;
using testing::origin_on_surface;
using testing::planar_arms;
using testing::planar_arms_at;
using testing::two_planar_grasps;

static_assert(ControlLaw<MultiArmHybrid> && HasLyapunov<MultiArmHybrid> &&
              HasTaskError<MultiArmHybrid>);

/// X = (x, y, phi) of the object.
CooperationOptions planar_cooperation(std::vector<double> fractions) {
  CooperationOptions o{.object = "object", .fractions = std::move(fractions)};
  o.task.axes = "xy";
  o.task.angles = TaskAngles::planar;
  return o;
}
/// The contact point on y = 0.5; e_3 = (0, 1, b) / n.
ObjectTaskOptions on_table(const CooperatingArms& arms) {
  ObjectTaskOptions o;
  o.constraint =
      point_on_plane(arms.coordinates(0), contact_point(), {0, 0.5, 0}, {0, 1, 0}, {1, 0, 0});
  o.position = ObjectPosition::integrated;
  o.x_p0 = {0.02, 0.05};
  o.weights = {Gain::uniform(3, 1), Gain::uniform(3, 2)};
  return o;
}
MultiArmHybrid golden_law(const Model<double>& robot, std::vector<double> fractions) {
  CooperatingArms arms(robot, planar_cooperation(std::move(fractions)));
  const ObjectTaskOptions task = on_table(arms);
  return MultiArmHybrid(std::move(arms), task, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
}
Plant on_surface(const Model<double>& robot) {
  Plant plant(robot);
  plant.surfaces = {{.name = "table",
                     .frame = "object",
                     .point = contact_point(),
                     .origin = {0, 0.5, 0},
                     .normal = {0, 1, 0},
                     .bilateral = true}};
  return plant;
}
const ReferenceFunction golden_reference = [](double t, ReferencePoint& r) {
  r.x = {0.1 * std::sin(1.5 * t), 0.2 * std::sin(t)};
  r.xd = {0.15 * std::cos(1.5 * t), 0.2 * std::cos(t)};
  r.xdd = {-0.225 * std::sin(1.5 * t), -0.2 * std::sin(t)};
  r.f_on_environment = {-10};
};
SimulateOptions golden_run() {
  SimulateOptions o;
  o.q0 = planar_arms_at(two_planar_grasps(), 0.02, origin_on_surface(0.1), 0.1);
  o.duration = 3;
  o.record_every = 0.05;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  return o;
}
double angle_of(const Recording& r, int row) { return r.q(row, 0) + r.q(row, 1) + r.q(row, 2); }
/// f_c2 of the normal force that was recorded.
double contact_force(const Recording& r, int row) {
  const double a = angle_of(r, row), b = 0.05 * std::cos(a) + 0.15 * std::sin(a);
  return -r.contact(row, 0) * std::sqrt(1 + b * b);
}

TEST(MultiArmHybrid, G_3_13_force_is_the_command_and_the_error_its_closed_form) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmHybrid law = golden_law(robot, {0.35, 0.65});
  const Recording r = simulate(on_surface(robot), law, golden_reference, golden_run());
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  const double tau[6] = {17.23436095,  -2.93826246, 1.90925948,
                         -28.65215902, -1.96097094, -7.26690742};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(r.tau(0, k), tau[k], 1e-7) << k;
  const double e0[2] = {-0.02, -0.05}, v0[2] = {0.15, 0.2};
  for (int row = 0; row < r.size(); ++row) {
    const double t = r.t[static_cast<std::size_t>(row)];
    EXPECT_NEAR(contact_force(r, row), -10, 1e-7) << t;
    const double x_d[2] = {0.1 * std::sin(1.5 * t), 0.2 * std::sin(t)};
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(x_d[k] - r.x_c(row, k), (e0[k] + (v0[k] + 10 * e0[k]) * t) * std::exp(-10 * t),
                  1e-9);
  }
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  EXPECT_LT(r.energy_balance(), 1e-8);
}

}  // namespace
}  // namespace torsor
