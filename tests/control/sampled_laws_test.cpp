/// Every law, sampled at 1 kHz on a PUMA 560 and a UR5 that are 20 % heavier than it believes: the
/// robot comes to rest where the law's own statics say, with q_d, e and the believed H and G.
#include <gtest/gtest.h>

#include <cmath>

#include "reference_runs.hpp"
#include "torsor/control/beside/gravity_float.hpp"
#include "torsor/control/beside/joint_limit_avoidance.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

using Vector = std::vector<double>;
const Vector goal{0.3, 0.4, -0.6, 0.2, 0.5, -0.1};

struct Robots {
  Model<double> believed, truth;
  Vector h;  ///< diagonal of H: what loops of the same speed are measured in

  explicit Robots(const char* name)
      : believed(testing::frictionless(load_robot(name))),
        truth(testing::with_inertia_times(believed, 1.2)),
        h(testing::damping(believed, 1)) {}

  Vector gravity(const Model<double>& model, View<const double> q) const {
    RneaWorkspace<double> ws(model);
    Vector G(6);
    gravity_torque(model, ws, q, G);
    return G;
  }
  /// Hhat(q) times a vector.
  Vector inertia_times(View<const double> q, const Vector& x) const {
    CrbaWorkspace<double> ws(believed);
    Vector H(36), y(6);
    mass_matrix(believed, ws, q, column_major(H.data(), 6, 6));
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) y[i] += H[i + 6 * j] * x[j];
    return y;
  }
  Vector times_h(double factor) const {
    Vector x = h;
    for (double& value : x) value *= factor;
    return x;
  }
};

Recording run(const Robots& robots, ControlLaw& law, double duration,
              const Vector& start = {0.1, -0.2, 0.3, 0, 0.2, 0}) {
  SimulateOptions o;
  o.q0 = start;
  o.duration = duration;
  o.period = 1e-3;
  o.integrator = Integrator::rk4;
  o.record_every = 0.1;
  return simulate(Plant(robots.truth), law, hold(goal, 6), o);
}

/// What the law gives at rest, less the believed weight: as a function of the last row.
struct Statics {
  enum Weight { none, here, at_goal };
  Weight weight = none;
  bool through_inertia = false;  ///< the gains multiply Hhat
  double kp = 0, kp_h = 0;       ///< of e, alone and times h
  double ki_h = 0;               ///< of the integral
};
struct Law {
  const char* name;
  Statics statics;
  double duration;
  std::function<void(LawParameters&, const Robots&)> set;
};

const Law laws[] = {
    {"independent_pd",
     {.kp_h = 400},
     4,
     [](LawParameters& p, const Robots& r) {
       p.set("Kp", r.times_h(400)), p.set("Kd", r.times_h(40));
     }},
    {"independent_pid",
     {.kp_h = 1200, .ki_h = 4000},
     6,
     [](LawParameters& p, const Robots& r) {
       p.set("Kp", r.times_h(1200)), p.set("Kd", r.times_h(60)), p.set("Ki", r.times_h(4000));
     }},
    {"pd_gravity",
     {.weight = Statics::here, .kp_h = 400},
     4,
     [](LawParameters& p, const Robots& r) {
       p.set("Kp", r.times_h(400)), p.set("Kd", r.times_h(40));
     }},
    {"pd_gravity",
     {.weight = Statics::here, .kp_h = 1200, .ki_h = 4000},
     6,
     [](LawParameters& p, const Robots& r) {
       p.set("Kp", r.times_h(1200)), p.set("Kd", r.times_h(60)), p.set("Ki", r.times_h(4000));
     }},
    {"pd_fixed_gravity",
     {.weight = Statics::at_goal, .kp_h = 400},
     4,
     [](LawParameters& p, const Robots& r) {
       p.set("Kp", r.times_h(400)), p.set("Kd", r.times_h(40));
     }},
    {"feedforward",
     {.weight = Statics::at_goal, .kp_h = 400},
     4,
     [](LawParameters& p, const Robots& r) {
       p.set("Kp", r.times_h(400)), p.set("Kd", r.times_h(40));
     }},
    {"computed_torque",
     {.weight = Statics::here, .through_inertia = true, .kp = 400},
     3,
     [](LawParameters& p, const Robots&) { p.set("Kp", {400}), p.set("Kd", {40}); }},
    {"nonlinear_decoupling",
     {.weight = Statics::here, .through_inertia = true, .kp = 100},
     6,
     [](LawParameters& p, const Robots&) { p.set("poles", {-10}); }},
    {"optimal_computed_torque",
     {.weight = Statics::here, .through_inertia = true, .kp = 100},
     6,
     [](LawParameters& p, const Robots&) {
       Vector Q(12);
       for (std::size_t k = 0; k < 6; ++k) Q[k] = 1e4;  // kp = 100, kd = 14.1
       p.set("Q", Q), p.set("R0", {1});
     }},
    {"passivity_tracking",
     {.weight = Statics::here, .kp_h = 400},
     6,
     [](LawParameters& p, const Robots& r) { p.set("Lambda", {8}), p.set("Kd", r.times_h(50)); }},
};

class SampledLaw : public ::testing::TestWithParam<const char*> {};

TEST_P(SampledLaw, comes_to_rest_where_its_statics_say) {
  const Robots robots(GetParam());
  for (const Law& law : laws) {
    LawParameters p;
    law.set(p, robots);
    const std::unique_ptr<ControlLaw> controller_made = make_law(law.name, robots.believed, p);
    ControlLaw& controller = *controller_made;
    const Recording r = run(robots, controller, law.duration);
    ASSERT_EQ(r.stop, StopReason::finished) << law.name << r.message;
    const int last = r.size() - 1;
    const View<const double> q = r.q.row(last);
    const Vector G = robots.gravity(robots.truth, q);
    const Statics& s = law.statics;
    Vector given = s.weight == Statics::none   ? Vector(6)
                   : s.weight == Statics::here ? robots.gravity(robots.believed, q)
                                               : robots.gravity(robots.believed, goal);
    Vector e(6);
    for (int k = 0; k < 6; ++k) e[static_cast<std::size_t>(k)] = s.kp * r.e(last, k);
    const Vector through = robots.inertia_times(q, e);
    double carried = 0;
    for (int k = 0; k < 6; ++k) {
      const auto i = static_cast<std::size_t>(k);
      given[i] += (s.through_inertia ? through[i] : e[i]) + s.kp_h * robots.h[i] * r.e(last, k);
      if (s.ki_h > 0) {
        given[i] += s.ki_h * robots.h[i] * r.x_c(last, k);
        EXPECT_NEAR(r.e(last, k), 0, 1e-4) << law.name << k;
      }
      EXPECT_NEAR(given[i], G[i], 2e-3) << law.name << k;
      EXPECT_NEAR(r.qd(last, k), 0, 1e-3) << law.name << k;
      carried = std::max(carried, std::abs(G[i]));
    }
    EXPECT_GT(carried, 5) << law.name;
  }
}

TEST_P(SampledLaw, regulator_around_a_point_gives_the_weight_beside_it) {
  const Robots robots(GetParam());
  LawParameters p;
  Vector Q(12, 10);
  for (std::size_t k = 0; k < 6; ++k) Q[k] = 1000;  // so that it settles within the run
  Vector R;
  for (const double h : robots.h) R.push_back(1e-3 / (h * h));  // light links, small torques
  p.set("point", goal), p.set("Q", Q), p.set("R", R);
  const std::unique_ptr<ControlLaw> law_made = make_law("point_lqr", robots.believed, p);
  ControlLaw& law = *law_made;
  const Recording r = run(robots, law, 8, goal);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const int last = r.size() - 1;
  const Vector G = robots.gravity(robots.truth, r.q.row(last)), still(6);
  Vector tau(6);
  law.torque({0, {.q = r.q.row(last), .qd = still}, {}, {}}, tau);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(tau[k], G[k], 1e-3) << k;
  EXPECT_GT(std::abs(r.e(last, 1)), 1e-4);
}

/// A sixth of the true weight is not carried: it is all that moves the robot.
TEST_P(SampledLaw, gravity_float_sinks_with_the_energy_of_the_weight_it_lacks) {
  const Robots robots(GetParam());
  LawParameters p;
  p.set("Kd", robots.times_h(8));
  const std::unique_ptr<ControlLaw> law_made = make_law("gravity_float", robots.believed, p);
  ControlLaw& law = *law_made;
  const Recording r = run(robots, law, 2, goal);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const int last = r.size() - 1;
  EXPECT_LT(r.energy(last, 1), r.energy(0, 1) - 1);  // it sank
  // V falls from row to row; within a sample the torque that is held may lift it a little.
  const double fall = r.lyapunov(0, 0) - r.lyapunov(last, 0);
  for (int k = 0; k < last; ++k) EXPECT_LE(r.lyapunov(k + 1, 0), r.lyapunov(k, 0)) << k;
  EXPECT_LT(r.lyapunov_increase(), 1e-9 * fall);
  EXPECT_LT(r.lyapunov_balance(), 2e-3 * fall);
  EXPECT_NEAR(r.lyapunov(last, 0), r.energy(last, 0) + r.energy(last, 1) / 6, 1e-9);
}

TEST_P(SampledLaw, limits_are_kept_though_the_goal_is_beyond_one) {
  RobotDescription description = testing::frictionless(load_robot(GetParam())).description();
  for (Joint& joint : description.joints) {
    if (joint.limits.empty()) continue;
    joint.limits[0].lower = -1, joint.limits[0].upper = 1;
  }
  Robots robots(GetParam());
  robots.believed = Model<double>(description);
  robots.truth = testing::with_inertia_times(robots.believed, 1.2);
  LawParameters p;
  p.set("Kp", robots.times_h(400)), p.set("Kd", robots.times_h(40));
  p.set("limit_stiffness", robots.times_h(100)), p.set("limit_margin", {0.3});
  const std::unique_ptr<ControlLaw> law_made =
      make_law("joint_limit_avoidance", robots.believed, p);
  ControlLaw& law = *law_made;
  SimulateOptions o;
  o.duration = 4;
  o.period = 1e-3;
  o.integrator = Integrator::rk4;
  const Recording r =
      simulate(Plant(robots.truth), law, hold({1.2, 0.4, -1.3, 0.2, 0.9, -0.1}, 6), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  for (int row = 0; row < r.size(); ++row)
    for (int k = 0; k < 6; ++k) EXPECT_LT(std::abs(r.q(row, k)), 1) << row << k;
  const int last = r.size() - 1;
  EXPECT_GT(r.q(last, 0), 0.7);  // inside the margin, where the barrier is half the answer
  const Vector G = robots.gravity(robots.truth, r.q.row(last)), still(6),
               q_d{1.2, 0.4, -1.3, 0.2, 0.9, -0.1};
  Vector tau(6);
  law.torque({0, {.q = r.q.row(last), .qd = still}, {}, {.q = q_d}}, tau);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(tau[k], G[k], 2e-3) << k;
}

TEST_P(SampledLaw, momentum_observer_shows_the_weight_that_the_model_lacks) {
  const Robots robots(GetParam());
  LawParameters p;
  p.set("Kp", robots.times_h(400)), p.set("Kd", robots.times_h(40)), p.set("observer", {25});
  const std::unique_ptr<ControlLaw> law_made = make_law("momentum_observer", robots.believed, p);
  ControlLaw& law = *law_made;
  const Recording r = run(robots, law, 4);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const int last = r.size() - 1;
  const Vector G = robots.gravity(robots.truth, r.q.row(last));
  for (int k = 0; k < 6; ++k)
    EXPECT_NEAR(r.estimate(last, k), -G[static_cast<std::size_t>(k)] / 6, 2e-3) << k;
}

INSTANTIATE_TEST_SUITE_P(at_1_khz_with_20_percent_parameter_error, SampledLaw,
                         ::testing::Values("puma560", "ur5"),
                         [](const auto& robot) { return std::string(robot.param); });

}  // namespace
}  // namespace torsor
