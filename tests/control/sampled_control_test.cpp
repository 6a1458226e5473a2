/// The condition on the period: borders in closed form, and runs on either side of them.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "reference_runs.hpp"
#include "torsor/control/beside/momentum_observer.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/joint/independent_pd.hpp"
#include "torsor/control/joint/pd_gravity.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/control/task/hybrid_position_force.hpp"
#include "torsor/control/task/impedance.hpp"
#include "torsor/control/uncertain/sliding_passivity.hpp"
#include "torsor/control/uncertain/slotine_li.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/jacobian.hpp"
#include "torsor/linear/lu.hpp"
#include "torsor/linear/matrix.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

Condition sampled_row(ControlLaw& law, const Run& run) {
  for (const Condition& c : certificate(law, run))
    if (c.name == "the sampled loop is stable") return c;
  ADD_FAILURE() << "no row about the period";
  return {};
}
Run hold_at(const Model<double>& model, Array<double> q, double period, double delay = 0) {
  auto run = ideal_run(model);
  run.q0 = q;
  run.reference = hold(q, model.n_v());
  run.duration = 5;
  run.period = period;
  run.delay = delay;
  return run;
}
Model<double> weightless(const Model<double>& model) {
  RobotDescription robot = model.description();
  robot.gravity = {};
  return Model<double>(std::move(robot));
}

AdaptationOptions mass_of(const std::string& link) {
  AdaptationOptions o;
  o.parameters = {link + ".m"};
  o.rate = Gain({1});
  return o;
}

/// e'' = u, u held over T: (e, v) moves by [1 - kp T^2/2, T - kd T^2/2; -kp T, 1 - kd T].
double double_integrator_radius(double kp, double kd, double T) {
  const double trace = 2 - kp * T * T / 2 - kd * T, det = 1 - kd * T + kp * T * T / 2;
  const std::complex<double> root = std::sqrt(std::complex<double>(trace * trace / 4 - det));
  return std::max(std::abs(trace / 2 + root), std::abs(trace / 2 - root));
}

TEST(SampledControl, of_computed_torque_is_the_double_integrator_with_its_exact_border) {
  const Model<double> arm = weightless(load_robot("planar2r"));
  const double kp = 100, kd = 20;  // kd T < 2 is what counts: 1 + trace + det = 4 - 2 kd T
  ComputedTorque law(arm, {Gain::uniform(2, kp), Gain::uniform(2, kd)});
  for (const double T : {1e-3, 0.01, 0.05, 0.0999, 0.1001, 0.15, 0.3}) {
    const Condition c = sampled_row(law, hold_at(arm, {0.5, 0.5}, T));
    EXPECT_NEAR(c.value, double_integrator_radius(kp, kd, T), 1e-6) << T;
    EXPECT_EQ(c.verdict, T < 2 / kd ? Verdict::holds : Verdict::violated) << T << " " << c.text();
  }
}

/// With a delay of one period and a half the torque of sample k acts from (k + 1.5) T on.
TEST(SampledControl, a_delay_is_that_of_the_recursion_written_out) {
  const Model<double> arm = weightless(load_robot("planar2r"));
  const double kp = 40, kd = 12, T = 0.02, delay = 0.03;
  ComputedTorque law(arm, {Gain::uniform(2, kp), Gain::uniform(2, kd)});
  Matrix step(4, 4);                 // e, v, u(k - 1), u(k - 2)
  const double a = 0.01, b = T - a;  // u(k - 2) acts for a, then u(k - 1) for b
  const double rows[16] = {1, T, b * b / 2, a * a / 2 + a * b, 0, 1, b, a, -kp, -kd, 0, 0, 0,
                           0, 1, 0};
  std::copy(rows, rows + 16, step.data());
  const Condition c = sampled_row(law, hold_at(arm, {0.5, 0.5}, T, delay));
  EXPECT_NEAR(c.value, internal::spectral_radius(step), 1e-6) << c.text();
}

TEST(SampledControl, tells_apart_runs_that_blow_up_from_runs_that_do_not) {
  const Model<double> arm = load_robot("planar2r");
  const PdiGains gains{Gain::uniform(2, 100), Gain::uniform(2, 20)};
  SimulateOptions o;
  o.q0 = {0.3, 0.3};
  o.duration = 5;
  o.record_every = 0.1;
  const auto judge = [&](ControlLaw& law, double period, double delay, bool good) {
    o.period = period;
    o.delay = delay;
    const Recording r = simulate(Plant(arm), law, hold({0.5, 0.5}, 2), o);
    EXPECT_EQ(r.stop == StopReason::finished, good) << law.name() << r.message;
    int rows = 0;
    for (const Condition& c : r.conditions)
      if (c.name == "the sampled loop is stable") {
        ++rows;
        EXPECT_EQ(c.verdict, good ? Verdict::holds : Verdict::violated) << law.name() << c.text();
        EXPECT_NE(c.note.find("not proven"), std::string::npos) << c.note;
      }
    EXPECT_EQ(rows, 1);
  };
  ComputedTorque computed(arm, gains);
  judge(computed, 0.15, 0, false);
  judge(computed, 0.01, 0, true);
  PdGravity pd(arm, gains);
  judge(pd, 0.01, 0.1, false);
  judge(pd, 0.005, 0.001, true);  // 0.01: unstable at the start, stable at the goal
  SlotineLiAdaptive adaptive(arm, {Gain::uniform(2, 5), Gain::uniform(2, 20)}, mass_of("link_2"));
  judge(adaptive, 0.1, 0, false);
  judge(adaptive, 0.002, 0, true);
}

/// A gain of adaptation that 1 ms bears, and one that blows the run up; the loop with estimates held
/// is stable with both.
TEST(SampledControl, estimates_that_adapt_too_fast_for_the_period_are_told) {
  const Model<double> arm = load_robot("planar2r");
  for (const double gain : {10.0, 1000.0}) {
    AdaptationOptions adaptation;
    adaptation.parameters = {"link_2"};
    adaptation.rate = Gain::uniform(10, gain);
    SlotineLiAdaptive law(arm, {Gain::uniform(2, 5), Gain({20, 10})}, adaptation);
    SimulateOptions o;
    o.q0 = {0.1, 1};
    o.duration = 1;
    o.period = 1e-3;
    const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
    const bool good = gain < 100;
    EXPECT_EQ(r.stop == StopReason::finished, good) << r.message;
    for (const Condition& c : r.conditions) {
      if (c.name == "the sampled loop is stable") {
        EXPECT_TRUE(c.satisfied()) << c.text();
      }
      if (c.name == "the sampled estimates are stable") {
        EXPECT_EQ(c.verdict, good ? Verdict::holds : Verdict::violated) << c.text();
      }
    }
  }
}

/// One joint of inertia J at rest under its weight, of which the first moment mx is adapted, at
/// cos q = c: (e, v, p~) moves by an exact double integrator and Euler's step of the estimate.
TEST(SampledControl, the_loop_of_estimates_is_that_of_one_joint_written_out) {
  ModelBuilder b("rod");
  b.gravity({0, -9.81, 0});
  b.revolute("joint", "base", "link");
  b.inertia("link", 1, {0.5, 0, 0}, {0.1, 0, 0.1, 0, 0, 0.1});
  const Model<double> rod = b.build();
  AdaptationOptions adaptation;
  adaptation.parameters = {"link.mx"};
  const double gain = 40, Kd = 3, lambda = 4, T = 0.01, J = 0.35, q = 0.3;
  adaptation.rate = Gain({gain});
  SlotineLiAdaptive law(rod, {Gain({lambda}), Gain({Kd})}, adaptation);
  const double y = 9.81 * std::cos(q), slope = 0.5 * 9.81 * std::sin(q);  // of the weight: -slope
  // u = J lambda edot + y(q) mx^ + Kd (edot + lambda e) about the goal, e = -x, edot = -v
  const double by_x = -Kd * lambda - slope, by_v = -J * lambda - Kd;
  Matrix A(3, 3), next(3, 3);  // of x, v and the torque, times T
  A(0, 1) = T, A(1, 0) = T * slope / J, A(1, 2) = T / J;
  const Matrix all = matrix_exponential(A);
  const double K[3] = {by_x, by_v, y};
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 3; ++c) next(r, c) = (c < 2 ? all(r, c) : 0) + all(r, 2) * K[c];
  next(2, 0) = -T * gain * y * lambda, next(2, 1) = -T * gain * y, next(2, 2) = 1;
  for (const Condition& c : certificate(law, hold_at(rod, {q}, T)))
    if (c.name == "the sampled estimates are stable") {
      EXPECT_NEAR(c.value, internal::spectral_radius(next), 1e-6) << c.text();
    }
}

TEST(SampledControl, warns_of_a_light_wrist_at_one_kilohertz_and_not_at_ten) {
  const Model<double> ur5 = testing::frictionless(load_robot("ur5"));
  const Array<double> q{0.3, -1.2, 1.4, -0.9, -1.4, 0.2};
  const auto last_inertia = [&](const Model<double>& model) {
    CrbaWorkspace<double> ws(model);
    Array<double> H(36);
    mass_matrix(model, ws, q, column_major(H.data(), 6, 6));
    return H[35];
  };
  std::vector<double> p = parameters(ur5);
  for (std::size_t k = p.size() - 10; k < p.size(); ++k) p[k] *= 0.0009 / last_inertia(ur5);
  const Model<double> light = with_parameters(ur5, p);
  ASSERT_NEAR(last_inertia(light), 0.0009, 1e-12);
  SlotineLiAdaptive law(light, {Gain::uniform(6, 5), Gain::uniform(6, 10)}, mass_of("link_6"));
  EXPECT_EQ(sampled_row(law, hold_at(light, q, 1e-3)).verdict, Verdict::violated);
  EXPECT_EQ(sampled_row(law, hold_at(light, q, 1e-4)).verdict, Verdict::holds);
}

TEST(SampledControl, an_observer_has_its_border_at_two_over_the_period) {
  const Model<double> arm = load_robot("planar2r");
  for (const double K : {1900.0, 2100.0}) {
    MomentumObserver law(
        arm, std::make_unique<PdGravity>(arm, PdiGains{Gain::uniform(2, 50), Gain::uniform(2, 15)}),
        {{K, K}});
    const Condition c = sampled_row(law, hold_at(arm, {0.5, 0.5}, 1e-3));
    EXPECT_EQ(c.verdict, K < 2000 ? Verdict::holds : Verdict::violated) << c.text();
    if (K > 2000) {
      EXPECT_NEAR(c.value, std::abs(1 - K * 1e-3), 1e-5);
    }
  }
}

/// The tip of the planar arm on a wall at x = 1.1.
struct Wall {
  Model<double> arm = load_robot("planar2r");
  RunSurface surface{.name = "wall",
                     .frame = "tip",
                     .origin = {1.1, 0, 0},
                     .normal = {-1, 0, 0},
                     .stiffness = infinity,
                     .bilateral = true};
  Array<double> q;
  Wall() {
    const double x = 1.1, y = 0.3, r2 = x * x + y * y, q2 = std::acos(r2 / 2 - 1);
    q = {std::atan2(y, x) - q2 / 2, q2};
  }
  Run run(Array<double> x, Array<double> f) const {
    Run r = hold_at(arm, q, 1e-3);
    r.surfaces = {surface};
    r.reference = [=](double, ReferencePoint& p) {
      p.x = x;
      p.f_on_environment = f;
    };
    return r;
  }
  /// What a push on the wall moves: 1 / (n^T J M^-1 J^T n).
  double mass() const {
    CrbaWorkspace<double> crba(arm);
    KinematicsWorkspace<double> kinematics(arm);
    Array<double> H(4), column(2);
    Matrix J(3, 2);
    mass_matrix(arm, crba, q, column_major(H.data(), 2, 2));
    point_jacobian<double, double>(arm, kinematics, q, arm.frame("tip"), {}, J);
    Lu factors(2);
    EXPECT_TRUE(factors.factorise(column_major<const double>(H.data(), 2, 2)));
    column = {J(0, 0), J(0, 1)};
    factors.solve(column);
    return 1 / (J(0, 0) * column[0] + J(0, 1) * column[1]);
  }
};

/// x(k + 1) = x(k) - KF T x(k - 1): the force that is measured is one sample old. Along the wall the
/// law integrates its position by Euler's steps: (e, v) moves by [1, T; -kp T, 1 - kd T], whose
/// double eigenvalue is 1 - kd T / 2.
TEST(SampledControl, a_force_integral_has_its_border_at_one_over_the_period) {
  const Wall wall;
  for (const double KF : {900.0, 1100.0}) {
    HybridPositionForce law(wall.arm,
                            {.coordinates = {.frame = "tip", .axes = "xy"},
                             .constraint = Constraint::plane({1.1, 0, 0}, {1, 0, 0}, {0, 1, 0}),
                             .start = {0.3}},
                            {Gain({100}), Gain({20}), Gain({KF})});
    const Condition c = sampled_row(law, wall.run({0.3}, {5}));
    EXPECT_NEAR(c.value, std::max(std::sqrt(KF * 1e-3), 0.99), 1e-4) << c.text();
    EXPECT_EQ(c.verdict, KF < 1000 ? Verdict::holds : Verdict::violated) << c.text();
  }
}

TEST(SampledControl, a_light_virtual_mass_bounces_on_a_rigid_wall) {
  const Wall wall;
  const double m = wall.mass();
  for (const double ratio : {1.9, 2.1, 8.0}) {
    ImpedanceControl law(
        wall.arm, {.frame = "tip", .axes = "xy"},
        {Gain::uniform(2, m / ratio), Gain::uniform(2, 12.6), Gain::uniform(2, 200)});
    const Condition c = sampled_row(law, wall.run({1.15, 0.3}, {}));
    EXPECT_EQ(c.verdict, ratio < 2 ? Verdict::holds : Verdict::violated) << ratio << c.text();
    if (ratio > 2) {
      EXPECT_NEAR(c.value, ratio - 1, 1e-3) << c.text();
    }
  }
}

/// Upright the weight pulls away with 21.1 N m / rad: more than Kp, with or without samples.
TEST(SampledControl, growth_that_the_continuous_loop_has_is_no_matter_of_the_period) {
  const Model<double> arm = load_robot("planar2r");
  IndependentPd law(arm, {Gain::uniform(2, 15), Gain::uniform(2, 5)});
  const Condition slow = sampled_row(law, hold_at(arm, {std::numbers::pi / 2, 0}, 1e-3));
  EXPECT_EQ(slow.verdict, Verdict::not_covered);
  EXPECT_GT(slow.value, 1);
  EXPECT_NE(slow.note.find("at any period"), std::string::npos) << slow.note;
  EXPECT_EQ(sampled_row(law, hold_at(arm, {-std::numbers::pi / 2, 0}, 1e-3)).verdict,
            Verdict::holds);
  EXPECT_EQ(sampled_row(law, hold_at(arm, {-std::numbers::pi / 2, 0}, 0.2)).verdict,
            Verdict::violated);
}

/// Effective inertia of joint_1 (joint_2 free): 1.33 kg m^2 with the elbow bent by a quarter turn,
/// 0.583 stretched. Kd T = 1.8 lies between twice the one and twice the other.
TEST(SampledControl, a_start_where_the_robot_is_lighter_than_at_its_goal_counts) {
  const Model<double> arm = load_robot("planar2r");
  PdGravity law(arm, {Gain({300, 2}), Gain({180, 6})});
  auto run = hold_at(arm, {0.5, std::numbers::pi / 2}, 0.01);
  EXPECT_EQ(sampled_row(law, run).verdict, Verdict::holds);
  run.q0 = {0.2, 0};
  const Condition stretched = sampled_row(law, run);
  EXPECT_EQ(stretched.verdict, Verdict::violated);
  EXPECT_NE(stretched.note.find("the start"), std::string::npos) << stretched.note;
  EXPECT_NEAR(stretched.value, sampled_row(law, hold_at(arm, {0.2, 0}, 0.01)).value,
              1e-6 * stretched.value);
  run.period = 1e-3;
  EXPECT_EQ(sampled_row(law, run).verdict, Verdict::holds);
}

TEST(SampledControl, ideal_switching_is_not_covered_and_a_layer_is_a_slope) {
  const Model<double> arm = load_robot("planar2r");
  const auto with_layer = [&](std::vector<double> layer) {
    return SlidingPassivity(arm,
                            {.Lambda = Gain::uniform(2, 5),
                             .Kd = Gain::uniform(2, 1),
                             .eta = {1, 1},
                             .switching = layer.empty() ? Switching() : Switching(layer)},
                            RegressorBound(arm, {"link_2.m"}), {0.1});
  };
  SlidingPassivity ideal = with_layer({}), thick = with_layer({0.1, 0.1}),
                   thin = with_layer({1e-4, 1e-4});
  int seen = 0;
  for (const Condition& c : certificate(ideal, hold_at(arm, {0.5, 0.5}, 1e-3)))
    if (c.name == "continuous control") {
      ++seen;
      EXPECT_EQ(c.verdict, Verdict::not_covered);
    }
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(sampled_row(thick, hold_at(arm, {0.5, 0.5}, 1e-3)).verdict, Verdict::holds);
  EXPECT_EQ(sampled_row(thin, hold_at(arm, {0.5, 0.5}, 1e-3)).verdict, Verdict::violated);
}

}  // namespace
}  // namespace torsor
