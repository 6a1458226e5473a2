/// Several arms with one object and masses that are not known: Huo 2005, exercise 3-25.
#include "torsor/control/arms/multi_arm_adaptive.hpp"

#include <gtest/gtest.h>

#include "multi_arm_runs.hpp"
#include "reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/arms/multi_arm_hybrid.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {
namespace {

using namespace testing;  // the runs

/// Lambda = 8, Ks = 30, Gamma = 0.5 as in exercise 3-22; every estimate starts at `start` of its
/// value.
MultiArmAdaptive golden_law(const Model<double>& robot, double start, Gain KF = {}) {
  CooperatingArms arms(robot, planar_cooperation({0.35, 0.65}));
  const ObjectTaskOptions task = on_table(arms);
  AdaptationOptions adaptation;
  adaptation.p0 = parameters(arms.forest());
  for (double& p : adaptation.p0) p *= start;
  adaptation.rate = Gain::uniform(static_cast<int>(adaptation.p0.size()), 2);
  return MultiArmAdaptive(std::move(arms), task,
                          {Gain::uniform(2, 8), Gain::uniform(2, 30), std::move(KF)}, adaptation);
}

TEST(MultiArmAdaptive, X_3_25_v_falls_as_predicted_and_the_error_goes_to_zero) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  double force_error[2];
  for (const bool measured : {false, true}) {
    MultiArmAdaptive law = golden_law(robot, 0.5, measured ? Gain::uniform(1, 20) : Gain());
    SimulateOptions o = golden_run();
    o.duration = 12;
    o.control = {.relative = 1e-9, .absolute = 1e-11};
    const Recording r = simulate(on_surface(robot), law, golden_reference, o);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_TRUE(all_satisfied(r.conditions));
    EXPECT_LT(r.lyapunov_increase(), 1e-9);
    EXPECT_LT(r.lyapunov_balance(), 1e-8);
    ASSERT_EQ(r.predictions.size(), 1u);
    EXPECT_TRUE(compare_predictions(r)[0].kept);
    EXPECT_LT(r.lyapunov(r.size() - 1, 0), r.lyapunov(0, 0) - 0.02);
    EXPECT_LT(r.energy_balance(), 1e-6);
    double worst = 0, force = 0, first = 0;
    for (int row = 0; row < r.size(); ++row)
      for (int k = 0; k < 2; ++k) {
        double& most = r.t[static_cast<std::size_t>(row)] < 2 ? first : worst;
        if (r.t[static_cast<std::size_t>(row)] > 10 || &most == &first)
          most = std::max(most, std::abs(r.task_e(row, k)));
        if (r.t[static_cast<std::size_t>(row)] > 10)
          force = std::max(force, std::abs(r.task_e(row, 2)));
      }
    EXPECT_LT(worst, 0.05 * first);
    EXPECT_LT(worst, 2e-3);
    force_error[measured] = force;
  }
  EXPECT_LT(force_error[1], 0.1 * force_error[0]);
}

TEST(MultiArmAdaptive, X_3_25_with_the_true_parameters_the_force_is_the_command) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmAdaptive law = golden_law(robot, 1);
  SimulateOptions o = golden_run();
  o.q0 = planar_arms_at(two_planar_grasps(), 0.02, origin_on_surface(0.1), 0.1);
  const ReferenceFunction stay = [](double, ReferencePoint& r) {
    r.x = {0.02, 0.05};
    r.f_on_environment = {-10};
  };
  const Recording r = simulate(on_surface(robot), law, stay, o);
  for (int row = 0; row < r.size(); ++row) {
    EXPECT_NEAR(contact_force(r, row), -10, 1e-7);
    EXPECT_NEAR(r.task_e(row, 0), 0, 1e-9);
    EXPECT_LT(r.lyapunov(row, 0), 1e-15);
  }
}

/// tau = H qdd_r + C qd_r + G + ...: for true parameters, Ks = 0 and qd_r = qd the law is the hybrid
/// one without its gains.
TEST(MultiArmAdaptive, on_the_path_it_is_the_hybrid_law) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmAdaptive adaptive = golden_law(robot, 1);
  CooperatingArms arms(robot, planar_cooperation({0.35, 0.65}));
  const ObjectTaskOptions task = on_table(arms);
  MultiArmHybrid hybrid(std::move(arms), task, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
  // A moving state of the path: x_p_d' = x_p' and e_p = 0.
  const std::vector<double> q = golden_run().q0;
  std::vector<double> qd(6), x_c(static_cast<std::size_t>(adaptive.n_states())), a(6), b(6);
  CooperatingArms measure(robot, planar_cooperation({0.35, 0.65}));
  ObjectTask along("test", measure, on_table(measure));
  along.evaluate(measure, {.q = q, .qd = qd}, std::vector<double>{0, 0}, {});
  const std::vector<double> xd_c{0.3, -0.2, 0}, xd{0.3, -0.2}, xdd{1, 0.5}, x{0.02, 0.05}, f{-10};
  std::vector<double> Xd(3);
  along.velocity(xd_c, Xd);
  measure.joint_velocity(Xd, qd);
  adaptive.reset(x_c);
  const ControlReference reference{.x = x, .xd = xd, .xdd = xdd, .f_on_environment = f};
  adaptive.torque({0, {.q = q, .qd = qd}, x_c, reference}, a);
  hybrid.torque({0, {.q = q, .qd = qd}, x, reference}, b);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(a[k], b[k], 1e-10);
}

/// An unknown box, known arms; 1 kHz.
TEST(MultiArmAdaptive, learns_a_box_at_1_khz_with_arms_of_six_joints) {
  for (const char* name : {"ur5", "puma560"}) {
    const ArmsWithBox cell = spatial_arms(name);
    const Model<double> believed = with_inertia_times(frictionless(cell.robot), 0.8);
    AdaptationOptions adaptation;
    const HeldObject object(believed, "box");
    for (const Grasp& g : object.grasps)
      for (const char* word : {".m", ".mx", ".my", ".mz"})
        adaptation.parameters.push_back(g.hand + word);
    for (const char* prefix : {"", "right_"})
      for (int i = 2; i < 6; ++i)
        for (const char* word : {".mx", ".my", ".mz"})
          adaptation.parameters.push_back(prefix + cell.robot.body_name(i) + word);
    adaptation.rate = Gain::uniform(static_cast<int>(adaptation.parameters.size()), 2);
    const auto run = [&](double rate) {
      AdaptationOptions own = adaptation;
      own.rate = own.rate.scaled(rate);
      MultiArmAdaptive law(believed, spatial_cooperation(), {},
                           {Gain::uniform(6, 10), Gain({300, 300, 300, 15, 15, 15})}, own);
      Plant plant(cell.robot);
      plant.friction = false;
      SimulateOptions o;
      o.q0 = cell.q;
      o.duration = 4;
      o.record_every = 0.05;
      o.period = 1e-3;
      o.integrator = Integrator::rk4;
      o.certificate = false;
      const Recording r = simulate(plant, law, spatial_path(cell.T_world_box), o);
      EXPECT_EQ(r.stop, StopReason::finished) << name << r.message;
      double worst = 0;
      for (int row = r.at(3); row < r.size(); ++row)
        for (int k = 0; k < 3; ++k) worst = std::max(worst, std::abs(r.task_e(row, k)));
      return worst;
    };
    const double still = run(0), learned = run(1);
    EXPECT_LT(learned, 0.25 * still) << name;
    EXPECT_LT(learned, 5e-3) << name;
  }
}

TEST(MultiArmAdaptive, from_a_file_it_is_the_same_law) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmAdaptive law = golden_law(robot, 0.5);
  LawParameters p;
  p.set("object", "object");
  p.set("fractions", std::vector<double>{0.35, 0.65});
  p.set("axes", "xy");
  p.set("angles", "planar");
  p.set("constraint", "plane");
  p.set("contact", std::vector<double>{0.05, -0.15, 0});
  p.set("origin", std::vector<double>{0, 0.5, 0});
  p.set("normal", std::vector<double>{0, 1, 0});
  p.set("tangent", std::vector<double>{1, 0, 0});
  p.set("start", std::vector<double>{0.02, 0.05});
  p.set("W", std::vector<double>{1, 2});
  p.set("Lambda", std::vector<double>{8});
  p.set("Ks", std::vector<double>{30});
  p.set("parameters", "all");
  p.set("adaptation", std::vector<double>{2});
  p.set("p0",
        std::vector<double>(law.adaptation().start().begin(), law.adaptation().start().end()));
  const std::unique_ptr<ControlLaw> made_made = make_law("multi_arm_adaptive", robot, p);
  ControlLaw& made = *made_made;
  ASSERT_EQ(made.n_states(), law.n_states());
  const std::vector<double> q = golden_run().q0, qd{0.1, -0.2, 0.3, 0.1, 0.2, -0.3};
  ReferencePoint point;
  golden_reference(0.4, point);
  std::vector<double> x(static_cast<std::size_t>(law.n_states())), y(x.size()), a(6), b(6);
  law.reset(x);
  made.reset(y);
  EXPECT_EQ(x, y);
  law.torque({0, {.q = q, .qd = qd}, x, point.view()}, a);
  made.torque({0, {.q = q, .qd = qd}, x, point.view()}, b);
  EXPECT_EQ(a, b);
}

TEST(MultiArmAdaptive, conditions_catch_gains_that_break_the_proof) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  const auto kept = [&](Gain Lambda, Gain Ks, double rate) {
    CooperatingArms arms(robot, planar_cooperation({0.35, 0.65}));
    const ObjectTaskOptions task = on_table(arms);
    AdaptationOptions adaptation;
    adaptation.rate = Gain::uniform(60, rate);
    return all_satisfied(testing::conditions_from(
        MultiArmAdaptive(std::move(arms), task, {std::move(Lambda), std::move(Ks)}, adaptation),
        golden_run().q0));
  };
  EXPECT_TRUE(kept(Gain::uniform(2, 8), Gain::uniform(2, 30), 2));
  EXPECT_FALSE(kept(Gain({8, -1}), Gain::uniform(2, 30), 2));
  EXPECT_FALSE(kept(Gain::uniform(2, 8), Gain({30, -1}), 2));
  EXPECT_FALSE(kept(Gain::uniform(2, 8), Gain::uniform(2, 30), -2));
}

TEST(MultiArmAdaptive, calls_allocate_nothing) {
  const ArmsWithBox cell = spatial_arms("ur5");
  AdaptationOptions adaptation;
  adaptation.rate = Gain::uniform(120, 1);
  MultiArmAdaptive law(cell.robot, spatial_cooperation(), {},
                       {Gain::uniform(6, 8), Gain::uniform(6, 30)}, adaptation);
  const std::vector<double> qd(12, 0.1), x(6, 0.1);
  std::vector<double> tau(12), x_c(static_cast<std::size_t>(law.n_states())), rate(x_c.size()),
      e(6);
  law.reset(x_c);
  const ControlReference reference{.x = x, .xd = x, .xdd = x};
  const ControlState state{.q = cell.q, .qd = qd};
  (void)law.lyapunov({0, state, x_c, reference}, cell.robot);  // finds the plant's p
  const AllocationCounter counter;
  law.torque({0, state, x_c, reference}, tau);
  law.state_derivative({0, state, x_c, reference}, rate);
  (void)law.lyapunov({0, state, x_c, reference}, cell.robot);
  law.task_error({0, state, x_c, reference}, e);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
