/// Impedance control: Huo 2005, sec. 3.12, its three modes, and what the contact does.
#include "torsor/control/task/impedance.hpp"

#include <gtest/gtest.h>

#include "control/hybrid_runs.hpp"
#include "control/reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/task/resolved_acceleration.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using namespace testing;

const TaskCoordinateOptions tip{.frame = "tip", .axes = "xy"};
ImpedanceGains textbook_gains() {
  return {Gain::uniform(2, 2), Gain::uniform(2, 60), Gain::uniform(2, 200)};
}
/// The tip of R2 at (x, y), elbow +.
std::vector<double> elbow_plus(double x, double y) {
  const double q2 = std::acos((x * x + y * y) / 2 - 1);
  return {std::atan2(y, x) - q2 / 2, q2};
}
/// X_d = (1.3, 0.5), f_d = (8, 0) from (1, 0.5); the wall is at x = 1.2.
Recording wall_run(ImpedanceMode mode, bool wall, double duration) {
  static const Model<double> arm = load_robot("planar2r");
  ImpedanceControl law(arm, tip, textbook_gains(), mode);
  Plant plant(arm);
  if (wall)
    plant.surfaces = {{.name = "wall",
                       .frame = "tip",
                       .origin = {1.2, 0, 0},
                       .normal = {-1, 0, 0},
                       .stiffness = 2000}};
  SimulateOptions o;
  o.q0 = elbow_plus(1, 0.5);
  o.duration = duration;
  o.record_every = 0.1;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  return simulate(
      plant, law,
      [](double, ReferencePoint& r) {
        r.x.assign({1.3, 0.5});
        r.f_on_environment.assign({8, 0});
      },
      o);
}
double x_of(const Recording& r, int row) {
  return std::cos(r.q(row, 0)) + std::cos(r.q(row, 0) + r.q(row, 1));
}

TEST(Impedance, G_3_12b_all_modes_come_to_rest_where_the_textbook_says) {
  const double x[3] = {1.2090909, 1.2127273, 1.26}, f[3] = {18.181818, 25.454545, 120};
  for (const ImpedanceMode mode :
       {ImpedanceMode::hogan, ImpedanceMode::force_tracking, ImpedanceMode::book}) {
    const Recording r = wall_run(mode, true, 6);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_TRUE(all_satisfied(r.conditions));
    const int k = static_cast<int>(mode), last = r.size() - 1;
    EXPECT_NEAR(x_of(r, last), x[k], 1e-7) << k;
    EXPECT_NEAR(r.contact(last, 0), f[k], 1e-6) << k;
    EXPECT_LT(r.lyapunov_balance(), 1e-9) << k;
    ASSERT_EQ(r.predictions.size(), 1u);
    EXPECT_TRUE(compare_predictions(r)[0].kept);
  }
}

TEST(Impedance, G_3_12b_free_space_is_the_mass_spring_damper) {
  const Recording r = wall_run(ImpedanceMode::hogan, false, 1);
  EXPECT_NEAR(x_of(r, r.at(0.5)), 1.2479786, 1e-7);
  EXPECT_NEAR(x_of(r, r.at(1)), 1.2922953, 1e-7);
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

TEST(Impedance, with_a_unit_mass_and_no_contact_it_is_resolved_acceleration) {
  const Model<double> arm = load_robot("planar2r");
  ImpedanceControl law(arm, tip,
                       {Gain::uniform(2, 1), Gain::uniform(2, 20), Gain::uniform(2, 100)});
  ResolvedAcceleration same(arm, {.frame = "tip", .kp = 100, .kd = 20, .axes = "xy"});
  const std::vector<double> q{0.3, -0.7}, v{0.5, -1.2}, x{1.2, 0.4}, xd{0.3, -0.2}, xdd{1, -0.5};
  std::vector<double> a(2), b(2);
  const ControlReference reference{.x = x, .xd = xd, .xdd = xdd};
  law.torque({0, {.q = q, .qd = v}, {}, reference}, a);
  same.torque({0, {.q = q, .qd = v}, {}, reference}, b);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(a[k], b[k], 1e-12);
}

/// A moving X_d, full matrices, six coordinates by Euler angles and by rotations: e follows
/// M_d e'' + B_d e' + K_d e = 0 whatever the arm does.
TEST(Impedance, a_moving_reference_is_followed_with_the_same_impedance) {
  const TableArm table("ur5");
  const Model<double> arm = without_friction(table.arm);
  for (const TaskAngles angles : {TaskAngles::euler, TaskAngles::rotation}) {
    TaskCoordinates at_start(arm, table.coordinates(angles));
    at_start.evaluate(table.q0, std::vector<double>(6));
    std::vector<double> X0(at_start.X().begin(), at_start.X().end());
    ImpedanceControl law(arm, table.coordinates(angles),
                         {Gain({2, 2, 2, 0.5, 0.5, 0.5}), Gain({40, 40, 40, 10, 10, 10}),
                          Gain({200, 200, 200, 50, 50, 50})});  // double poles -10
    const auto wave = [X0](double t, ReferencePoint& r) {
      r.x = X0;
      r.xd.assign(6, 0.0);
      r.xdd.assign(6, 0.0);
      r.x[0] += 0.05 * std::sin(3 * t) + 0.02;
      r.xd[0] = 0.15 * std::cos(3 * t);
      r.xdd[0] = -0.45 * std::sin(3 * t);
    };
    const Recording r = simulate(Plant(arm), law, wave, table.start(1));
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    for (int row = 0; row < r.size(); ++row) {
      const double t = r.t[static_cast<std::size_t>(row)];
      EXPECT_NEAR(r.task_e(row, 0), double_pole(0.02, 0.15, t), 1e-8);
      for (int k = 1; k < 6; ++k) EXPECT_NEAR(r.task_e(row, k), 0, 1e-8);
    }
    EXPECT_LT(r.lyapunov_balance(), 1e-9);
  }
}

/// At rest G - Ghat = Hhat J~^-1 M_d^-1 (K_d e - f_e).
TEST(Impedance, holds_puma560_and_ur5_at_1_khz_with_20_percent_of_the_mass_missing) {
  for (const char* name : {"puma560", "ur5"}) {
    const TableArm table(name);
    const Model<double> believed = with_inertia_times(table.arm, 0.8);
    ImpedanceControl law(believed, table.coordinates(TaskAngles::rotation),
                         {Gain({5, 5, 5, 0.5, 0.5, 0.5}), Gain({200, 200, 200, 20, 20, 20}),
                          Gain({2000, 2000, 2000, 200, 200, 200})},
                         ImpedanceMode::hogan, {.friction = false});
    Plant plant(table.arm);
    plant.friction = false;
    plant.surfaces = {table.table()};
    plant.surfaces[0].stiffness = 5000;
    plant.surfaces[0].damping = 50;
    SimulateOptions o = table.start(3);
    o.period = 1e-3;
    o.integrator = Integrator::rk4;
    o.record_every = 0.1;
    const std::vector<double> goal{
        table.T.p.x + 0.03, table.T.p.y - 0.02, table.T.p.z - 0.02, 0, 0.1, 0};
    const Recording r = simulate(
        plant, law, [&](double, ReferencePoint& p) { p.x = goal; }, o);
    ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
    const int last = r.size() - 1;
    std::vector<double> G(6), zero(6), qdd(6), expected(6);
    RneaWorkspace<double> rnea(table.arm);
    gravity_torque(table.arm, rnea, r.q.row(last), G);
    law.task().evaluate(r.q.row(last), zero);
    TaskVector a{};
    const double K[6] = {400, 400, 400, 400, 400, 400};  // K_d / M_d
    for (int k = 0; k < 6; ++k) a[static_cast<std::size_t>(k)] = K[k] * r.task_e(last, k);
    a[2] += r.contact(last, 0) / 5;  // f_e = (0, 0, -contact)
    TaskSolver solver(believed);
    solver.acceleration(law.task(), a, zero, 0, qdd);
    DynamicsWorkspace<double> ws(believed);
    tree_inverse_dynamics(believed, ws, r.q.row(last), zero, qdd, {}, expected,
                          {.friction = false});
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(expected[k], G[k], 1e-2) << name << k;
    EXPECT_GT(r.contact(last, 0), 10) << name;
  }
}

/// A rigid wall, sampled: f(k+1) = f(k) + H_x / M_d (K_d e - g(k)) settles at the force of the spring
/// for M_d > H_x / 2. The book's mode adds K_d e - f_d for ever: the force is what it happens to be.
TEST(Impedance, sampled_on_a_rigid_wall_the_force_is_that_of_the_spring_but_in_the_books_mode) {
  const Model<double> arm = load_robot("planar2r");
  Plant plant(arm);
  plant.surfaces = {{.name = "wall", .frame = "tip", .origin = {1.2, 0, 0}, .normal = {-1, 0, 0}}};
  SimulateOptions o;
  o.q0 = elbow_plus(1.2, 0.5);
  o.period = 1e-3;
  o.integrator = Integrator::rk4;
  o.duration = 0.2;
  const auto run = [&](ImpedanceMode mode) {
    ImpedanceControl law(arm, tip, textbook_gains(), mode);
    return simulate(
        plant, law,
        [](double, ReferencePoint& r) {
          r.x.assign({1.3, 0.5});
          r.f_on_environment.assign({8, 0});
        },
        o);
  };
  o.period = 0;  // the force would follow from a torque that it decides
  EXPECT_THROW(run(ImpedanceMode::hogan), Error);
  o.period = 1e-3;
  const Recording hogan = run(ImpedanceMode::hogan), tracking = run(ImpedanceMode::force_tracking),
                  book = run(ImpedanceMode::book);
  EXPECT_NEAR(hogan.contact(hogan.size() - 1, 0), 20, 1e-3);
  EXPECT_NEAR(tracking.contact(tracking.size() - 1, 0), 28, 1e-3);
  EXPECT_GT(book.contact(book.at(0.1), 0), 100);
  EXPECT_NEAR(book.contact(book.at(0.2), 0) / book.contact(book.at(0.1), 0), 2, 0.05);  // grows on
}

TEST(Impedance, conditions_catch_gains_that_are_not_passive) {
  const Model<double> arm = load_robot("planar2r");
  const auto satisfied = [&](ImpedanceGains gains) {
    return all_satisfied(
        testing::conditions_from(ImpedanceControl(arm, tip, std::move(gains)), {0.3, 1.2}));
  };
  const Gain M = Gain::uniform(2, 2), B = Gain::uniform(2, 60), K = Gain::uniform(2, 200);
  EXPECT_TRUE(satisfied({M, B, K}));
  EXPECT_FALSE(satisfied({Gain({2, -1}), B, K}));
  EXPECT_FALSE(satisfied({M, Gain({60, 0}), K}));
  EXPECT_FALSE(satisfied({M, B, Gain::full(2, {200, 30, 10, 200})}));
  EXPECT_THROW(ImpedanceControl(arm, tip, {Gain({2, 0}), B, K}), Error);
  EXPECT_THROW(ImpedanceControl(arm, tip, {M, Gain::uniform(3, 1), K}), Error);
  EXPECT_THROW(ImpedanceControl(arm, tip, {M, B, K}).check_reference({}), Error);
}

TEST(Impedance, calls_allocate_nothing) {
  const TableArm table("puma560");
  ImpedanceControl law(table.arm, table.coordinates(TaskAngles::euler),
                       {Gain::uniform(6, 1), Gain::uniform(6, 20), Gain::uniform(6, 100)});
  std::vector<Wrench<double>> F(static_cast<std::size_t>(table.arm.n_bodies()));
  const std::vector<double> v(6, 0.2), x(6, 0.1);
  std::vector<double> tau(6), e(6);
  const ControlState state{.q = table.q0, .qd = v, .F_contact = F};
  const AllocationCounter counter;
  law.torque({0, state, {}, {.x = x}}, tau);
  (void)law.lyapunov({0, state, {}, {.x = x}}, table.arm);
  law.task_error({0, state, {}, {.x = x}}, e);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
