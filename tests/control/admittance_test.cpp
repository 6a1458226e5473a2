/// Admittance control: a virtual mass moved by the measured force, followed by a stiff loop.
#include "torsor/control/task/admittance.hpp"

#include <gtest/gtest.h>

#include "control/hybrid_runs.hpp"
#include "control/reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"

namespace torsor {
namespace {

using namespace testing;

const TaskCoordinateOptions tip{.frame = "tip", .axes = "xy"};
AdmittanceGains gains(double k = 900) {
  return {{Gain::uniform(2, 2), Gain::uniform(2, 60), Gain::uniform(2, 200)},
          Gain::uniform(2, k),
          Gain::uniform(2, 2 * std::sqrt(std::abs(k)))};
}
std::vector<double> elbow_plus(double x, double y) {
  const double q2 = std::acos((x * x + y * y) / 2 - 1);
  return {std::atan2(y, x) - q2 / 2, q2};
}

/// The wall of G3.12b: the same equilibrium as impedance, x = 1.2090909 with 18.181818 N.
TEST(Admittance, comes_to_rest_where_impedance_does) {
  const Model<double> arm = load_robot("planar2r");
  Admittance law(arm, tip, gains());
  Plant plant(arm);
  plant.surfaces = {{.name = "wall",
                     .frame = "tip",
                     .origin = {1.2, 0, 0},
                     .normal = {-1, 0, 0},
                     .stiffness = 2000}};
  SimulateOptions o;
  o.q0 = elbow_plus(1, 0.5);
  o.duration = 6;
  o.record_every = 0.1;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  const Recording r = simulate(
      plant, law,
      [](double, ReferencePoint& p) {
        p.x.assign({1.3, 0.5});
      },
      o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  const int last = r.size() - 1;
  EXPECT_NEAR(r.contact(last, 0), 18.181818, 1e-6);
  EXPECT_NEAR(std::cos(r.q(last, 0)) + std::cos(r.q(last, 0) + r.q(last, 1)), 1.2090909, 1e-7);
  EXPECT_NEAR(r.x_c(last, 0), -18.181818 / 200, 1e-7);
  EXPECT_LT(r.lyapunov_increase(), 1e-15);
  EXPECT_EQ(compare_predictions(r).size(), 2u);
  for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.observed;
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

/// A push of (6, -4) N in free space: z is the step response of M z'' + B z' + K z = f, and the tip
/// follows it exactly.
TEST(Admittance, a_push_moves_the_point_as_the_virtual_mass) {
  const Model<double> arm = load_robot("planar2r");
  Admittance law(arm, tip, gains());
  Plant plant(arm);
  const Frame frame = arm.frame("tip");
  KinematicsWorkspace<double> ws(arm);
  plant.wrench = [&](double, View<const double> q, View<const double>, View<Wrench<double>> F) {
    forward_kinematics(arm, ws, q);
    const SO3<double>& R = ws.T_world_body[static_cast<std::size_t>(frame.body)].R;
    const Vec3<double> f = transpose_times(R, Vec3<double>{6, -4, 0});
    F[frame.body] += Wrench<double>{cross(frame.placement.p, f), f};
  };
  SimulateOptions o;
  o.q0 = elbow_plus(1.1, 0.5);
  o.duration = 1;
  o.record_every = 0.1;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  const Recording r = simulate(
      plant, law,
      [](double, ReferencePoint& p) {
        p.x.assign({1.1, 0.5});
      },
      o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const double d = std::sqrt(3600 - 1600.0) / 4, s1 = -15 + d, s2 = -15 - d;
  for (int row = 0; row < r.size(); ++row) {
    const double t = r.t[static_cast<std::size_t>(row)];
    const double step = 1 - (s2 * std::exp(s1 * t) - s1 * std::exp(s2 * t)) / (s2 - s1);
    EXPECT_NEAR(r.x_c(row, 0), 6 / 200.0 * step, 1e-9);
    const double q1 = r.q(row, 0), q12 = q1 + r.q(row, 1);
    EXPECT_NEAR(std::cos(q1) + std::cos(q12), 1.1 + 6 / 200.0 * step, 1e-9);
    EXPECT_NEAR(std::sin(q1) + std::sin(q12), 0.5 - 4 / 200.0 * step, 1e-9);
  }
}

/// The inner loop leaves Kp d = what a wrong model costs; the force moves the mass all the same.
TEST(Admittance, holds_puma560_and_ur5_at_1_khz_with_20_percent_of_the_mass_missing) {
  for (const char* name : {"puma560", "ur5"}) {
    const TableArm table(name);
    const Model<double> believed = with_inertia_times(table.arm, 0.8);
    Admittance law(believed, table.coordinates(TaskAngles::rotation),
                   {{Gain({5, 5, 5, 0.5, 0.5, 0.5}), Gain({300, 300, 300, 20, 20, 20}),
                     Gain({1000, 1000, 1000, 200, 200, 200})},
                    Gain::uniform(6, 2500),
                    Gain::uniform(6, 100)},
                   {.friction = false});
    Plant plant(table.arm);
    plant.friction = false;
    plant.surfaces = {table.table()};
    plant.surfaces[0].stiffness = 5000;
    plant.surfaces[0].damping = 50;
    SimulateOptions o = table.start(4);
    o.period = 1e-3;
    o.integrator = Integrator::rk4;
    o.record_every = 0.1;
    const std::vector<double> goal{
        table.T.p.x + 0.03, table.T.p.y - 0.02, table.T.p.z - 0.02, 0, 0.1, 0};
    const Recording r = simulate(
        plant, law, [&](double, ReferencePoint& p) { p.x = goal; }, o);
    ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
    const int last = r.size() - 1;
    EXPECT_NEAR(r.x_c(last, 2), r.contact(last, 0) / 1000, 1e-4) << name;  // K_d z = -f_e, up
    for (int k = 0; k < 6; ++k) EXPECT_LT(std::abs(r.task_e(last, k)), 0.05) << name << k;
    EXPECT_GT(r.contact(last, 0), 5) << name;
  }
}

TEST(Admittance, conditions_catch_gains_that_are_not_stable) {
  const Model<double> arm = load_robot("planar2r");
  EXPECT_TRUE(all_satisfied(testing::conditions_from(Admittance(arm, tip, gains()), {0.3, 1.2})));
  EXPECT_FALSE(
      all_satisfied(testing::conditions_from(Admittance(arm, tip, gains(-1)), {0.3, 1.2})));
  AdmittanceGains undamped = gains();
  undamped.virtual_mass.Bd = Gain({60, -1});
  EXPECT_FALSE(all_satisfied(testing::conditions_from(Admittance(arm, tip, undamped), {0.3, 1.2})));
  AdmittanceGains slow = gains();
  slow.Kv = Gain({0, 60});
  EXPECT_FALSE(all_satisfied(testing::conditions_from(Admittance(arm, tip, slow), {0.3, 1.2})));
}

TEST(Admittance, calls_allocate_nothing) {
  const TableArm table("puma560");
  Admittance law(table.arm, table.coordinates(TaskAngles::rotation),
                 {{Gain::uniform(6, 1), Gain::uniform(6, 20), Gain::uniform(6, 100)},
                  Gain::uniform(6, 100),
                  Gain::uniform(6, 20)});
  std::vector<Wrench<double>> F(static_cast<std::size_t>(table.arm.n_bodies()));
  const std::vector<double> v(6, 0.2), x(6, 0.1), x_c(12, 0.01);
  std::vector<double> tau(6), rate(12), e(6);
  const ControlState state{.q = table.q0, .qd = v, .F_contact = F};
  const AllocationCounter counter;
  law.torque({0, state, x_c, {.x = x}}, tau);
  law.state_derivative({0, state, x_c, {.x = x}}, rate);
  (void)law.lyapunov({0, state, x_c, {.x = x}}, table.arm);
  law.task_error({0, state, x_c, {.x = x}}, e);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
