/// Several arms with one object that answers forces: Huo 2005, exercise 3-24.
#include "torsor/control/arms/multi_arm_impedance.hpp"

#include <gtest/gtest.h>

#include "multi_arm_runs.hpp"
#include "reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor {
namespace {

using namespace testing;  // the runs

/// X: the contact point and the angle, so that the wall's force has no moment in it.
CooperationOptions at_contact() {
  CooperationOptions o = planar_cooperation({0.35, 0.65});
  o.task.point = contact_point();
  return o;
}
ImpedanceGains book_gains(int n) {
  return {Gain::uniform(n, 2), Gain::uniform(n, 60), Gain::uniform(n, 200)};
}
MultiArmImpedance law_of(const Model<double>& robot, ImpedanceMode mode) {
  ObjectTaskOptions task;
  task.weights = {Gain::uniform(3, 1), Gain::uniform(3, 2)};
  return MultiArmImpedance(robot, at_contact(), task, book_gains(3), mode);
}
/// A wall at x = 0.1 of 2000 N/m; the object is drawn 0.1 m behind it.
Plant at_wall(const Model<double>& robot) {
  Plant plant(robot);
  plant.surfaces = {{.name = "wall",
                     .frame = "object",
                     .point = contact_point(),
                     .origin = {0.1, 0, 0},
                     .normal = {-1, 0, 0},
                     .stiffness = 2000}};
  return plant;
}
const ReferenceFunction into_wall = [](double, ReferencePoint& r) {
  r.x = {0.2, 0.45, 0};
  r.f_on_environment = {8, 0, 0};
};
SimulateOptions wall_run(double x) {
  SimulateOptions o;
  o.q0 = planar_arms_at(two_planar_grasps(), x - 0.05, 0.6, 0);
  o.duration = 6;
  o.record_every = 0.1;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  return o;
}

/// The equilibria of G3.12b: k_e = 2000, K_d = 200, x_d - x_w = 0.1, f_d = 8.
TEST(MultiArmImpedance, X_3_24_rests_at_the_wall_where_one_arm_would) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  const struct {
    ImpedanceMode mode;
    double depth, force;
  } rows[] = {{ImpedanceMode::hogan, 0.0090909, 18.181818},
              {ImpedanceMode::force_tracking, 0.0127273, 25.454545},
              {ImpedanceMode::book, 0.06, 120}};
  for (const auto& row : rows) {
    MultiArmImpedance law = law_of(robot, row.mode);
    const Recording r = simulate(at_wall(robot), law, into_wall, wall_run(-0.1));
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_TRUE(all_satisfied(r.conditions));
    const int last = r.size() - 1;
    EXPECT_NEAR(0.2 - r.task_e(last, 0) - 0.1, row.depth, 1e-7);
    EXPECT_NEAR(r.contact(last, 0), row.force, 1e-4);
    EXPECT_NEAR(r.task_e(last, 1), 0, 1e-7);
    EXPECT_NEAR(r.task_e(last, 2), 0, 1e-7);
    EXPECT_LT(r.lyapunov_balance(), 1e-8);
    ASSERT_EQ(r.predictions.size(), 1u);
    EXPECT_TRUE(compare_predictions(r)[0].kept);
    EXPECT_LT(r.energy_balance(), 1e-7);
  }
}

/// G3.12b in free space: x from 1.0 to 1.3 as 2 x'' + 60 x' + 200 (x - 1.3) = 0.
TEST(MultiArmImpedance, X_3_24_moves_in_free_space_as_mass_spring_and_damper) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmImpedance law = law_of(robot, ImpedanceMode::hogan);
  const ReferenceFunction to = [](double, ReferencePoint& r) { r.x = {0.2, 0.45, 0}; };
  const Recording r = simulate(Plant(robot), law, to, wall_run(-0.1));
  EXPECT_NEAR(0.2 - r.task_e(r.at(0.5), 0), 0.1479786, 1e-7);  // 1.2479786 less 1.1
  EXPECT_NEAR(0.2 - r.task_e(r.at(1), 0), 0.1922953, 1e-7);
}

/// u^i as the exercise writes it, with matrices.
TEST(MultiArmImpedance, X_3_24_torques_are_those_of_the_matrix_form) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmImpedance law = law_of(robot, ImpedanceMode::hogan);
  const std::vector<double> q = planar_arms_at(two_planar_grasps(), 0.06, 0.6, 0), rest(6);
  std::vector<Wrench<double>> F(static_cast<std::size_t>(robot.n_bodies()));
  const Vec3<double> push{-30, 0, 0}, at = planar_pose(0.2 + 0.25, 0, 0) * contact_point();
  // Link 3 of arm 1 is parallel to the object here; the wall pushes at the contact point.
  F[3] = {cross(at, push), push};
  ReferencePoint point;
  into_wall(0, point);
  std::vector<double> tau(6);
  law.torque({0, {.q = q, .qd = rest, .F_contact = F}, {}, point.view()}, tau);

  CooperatingArms arms(robot, at_contact());
  arms.evaluate({.q = q, .qd = rest});
  CrbaWorkspace<double> crba(arms.forest());
  RneaWorkspace<double> rnea(arms.forest());
  std::vector<double> H(36), G(6);
  mass_matrix(arms.forest(), crba, q, column_major(H.data(), 6, 6));
  gravity_torque(arms.forest(), rnea, q, G);
  const double f_e[3] = {30, 0, 0}, share[2] = {2.0 / 3, 1.0 / 3};
  std::vector<double> a(3), qdd(6);
  const double e[3] = {0.2 - 0.11, 0, 0};
  for (std::size_t k = 0; k < 3; ++k) a[k] = (200 * e[k] - f_e[k]) / 2;
  arms.joint_velocity(a, qdd);  // at rest: J~^-1 X''
  for (int arm = 0; arm < 2; ++arm)
    for (int i = 3 * arm; i < 3 * arm + 3; ++i) {
      double sum = G[static_cast<std::size_t>(i)];
      for (int k = 0; k < 6; ++k)
        sum += H[static_cast<std::size_t>(6 * k + i)] * qdd[static_cast<std::size_t>(k)];
      for (int k = 0; k < 3; ++k)
        sum += arms.coordinates(arm).jacobian()(k, i) * share[arm] * f_e[k];
      EXPECT_NEAR(tau[static_cast<std::size_t>(i)], sum, 1e-10);
    }
}

/// 1 kHz, 20 % of all masses missing: at rest 0.8 H_x Md^-1 Kd e = 0.2 G along every motion.
TEST(MultiArmImpedance, holds_a_box_at_1_khz_with_20_percent_of_the_mass_missing) {
  for (const char* name : {"ur5", "puma560"}) {
    const ArmsWithBox cell = spatial_arms(name);
    const Model<double> believed = with_inertia_times(cell.robot, 0.8);
    MultiArmImpedance law(believed, spatial_cooperation(), {},
                          {Gain::uniform(6, 1), Gain::uniform(6, 40), Gain::uniform(6, 400)});
    Plant plant(cell.robot);
    plant.friction = false;
    SimulateOptions o;
    o.q0 = cell.q;
    o.duration = 1;
    o.record_every = 0.5;
    o.period = 1e-3;
    o.integrator = Integrator::rk4;
    const SE3<double> goal = cell.T_world_box;
    const ReferenceFunction stay = [&](double, ReferencePoint& r) {
      r.x = {goal.p.x, goal.p.y, goal.p.z, 0, 0, 0};
    };
    const Recording r = simulate(plant, law, stay, o);
    ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
    const int last = r.size() - 1;
    CooperatingArms arms(believed, spatial_cooperation());
    const std::vector<double> rest(12);
    const ControlState state{.q = r.q.row(last), .qd = rest};
    arms.evaluate(state);
    std::vector<double> a(6), qdd(12), tau(12), G(12), G_true(12);
    for (int k = 0; k < 6; ++k) a[static_cast<std::size_t>(k)] = 400 * r.task_e(last, k);
    arms.joint_acceleration(state, a, qdd);
    arms.torque(state, qdd, tau);
    RneaWorkspace<double> rnea(cell.robot);
    gravity_torque(arms.forest(), rnea, r.q.row(last), G);
    gravity_torque(cell.robot, rnea, r.q.row(last), G_true);
    for (int direction = 0; direction < 6; ++direction) {
      std::vector<double> unit(6), move(12);
      unit[static_cast<std::size_t>(direction)] = 1;
      arms.joint_velocity(unit, move);
      double given = 0, lacking = 0;
      for (std::size_t k = 0; k < 12; ++k) {
        given += (tau[k] - G[k]) * move[k];
        lacking += 0.2 * G_true[k] * move[k];
      }
      EXPECT_NEAR(given, lacking, 0.01) << name << direction;
    }
  }
}

TEST(MultiArmImpedance, from_a_file_it_is_the_same_law_and_what_does_not_fit_is_refused) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmImpedance law = law_of(robot, ImpedanceMode::force_tracking);
  LawParameters p;
  p.set("object", "object");
  p.set("fractions", std::vector<double>{0.35, 0.65});
  p.set("point", std::vector<double>{0.05, -0.15, 0});
  p.set("axes", "xy");
  p.set("angles", "planar");
  p.set("W", std::vector<double>{1, 2});
  p.set("Md", std::vector<double>{2});
  p.set("Bd", std::vector<double>{60});
  p.set("Kd", std::vector<double>{200});
  p.set("mode", "force_tracking");
  const std::unique_ptr<ControlLaw> made_made = make_law("multi_arm_impedance", robot, p);
  ControlLaw& made = *made_made;
  const std::vector<double> q = wall_run(0).q0, qd{0.1, -0.2, 0.3, 0.1, 0.2, -0.3};
  ReferencePoint point;
  into_wall(0, point);
  std::vector<double> a(6), b(6);
  law.torque({0, {.q = q, .qd = qd}, {}, point.view()}, a);
  made.torque({0, {.q = q, .qd = qd}, {}, point.view()}, b);
  EXPECT_EQ(a, b);
  EXPECT_NO_THROW(law.check_reference(point.view()));
  point.f_on_environment.resize(9);  // and the internal wrench of arm 2
  EXPECT_NO_THROW(law.check_reference(point.view()));
  point.f_on_environment.resize(5);
  EXPECT_THROW(law.check_reference(point.view()), Error);
  EXPECT_THROW(law.check_reference({}), Error);
  EXPECT_THROW(MultiArmImpedance(robot, at_contact(), {}, book_gains(2)), Error);
  p.set("constraint", "plane");
  EXPECT_THROW((void)make_law("multi_arm_impedance", robot, p), Error);
}

TEST(MultiArmImpedance, conditions_catch_gains_that_do_not_come_to_rest) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  const auto kept = [&](ImpedanceGains gains) {
    return all_satisfied(testing::conditions_from(
        MultiArmImpedance(robot, at_contact(), {}, std::move(gains)), golden_run().q0));
  };
  EXPECT_TRUE(kept(book_gains(3)));
  ImpedanceGains bad = book_gains(3);
  bad.Bd = Gain({60, 60, -1});
  EXPECT_FALSE(kept(bad));
  bad = book_gains(3);
  bad.Kd = Gain({200, -1, 200});
  EXPECT_FALSE(kept(bad));
  bad = book_gains(3);
  bad.Md = Gain({2, 2, -2});
  EXPECT_FALSE(kept(bad));
}

TEST(MultiArmImpedance, calls_allocate_nothing) {
  const ArmsWithBox cell = spatial_arms("ur5");
  MultiArmImpedance law(cell.robot, spatial_cooperation(), {}, book_gains(6));
  const std::vector<double> qd(12, 0.1), x(6, 0.1), f(12, 3);
  const std::vector<Wrench<double>> F(static_cast<std::size_t>(cell.robot.n_bodies()));
  std::vector<double> tau(12), e(6);
  const ControlReference reference{.x = x, .xd = x, .xdd = x, .f_on_environment = f};
  const ControlState state{.q = cell.q, .qd = qd, .F_contact = F};
  const AllocationCounter counter;
  law.torque({0, state, {}, reference}, tau);
  (void)law.lyapunov({0, state, {}, reference}, cell.robot);
  law.task_error({0, state, {}, reference}, e);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
