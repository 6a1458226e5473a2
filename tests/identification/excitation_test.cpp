#include "torsor/identification/excitation.hpp"

#include "identification/excited.hpp"
#include "support/refusal.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/trajectory/configuration_path.hpp"

namespace torsor {
namespace {

using testing::bounded;
using testing::expect_gradient;
using testing::odd_robot;
using testing::quick;
using testing::refusal;

TEST(Excitation, gradient_is_that_of_differences_for_every_criterion_and_limit) {
  const Model<double> model = odd_robot();
  ExcitationOptions o = quick(model);
  o.limits = {};  // the robot's own: torques and jerks, too
  o.trajectories = 2;
  o.boxes = {{"d", {-3, -infinity, -2}, {3, 2, infinity}}};
  o.floor = -3;
  o.torque_noise = {1, 2, 0.5, 3};
  for (const int power : {0, 2, 8, 32}) expect_gradient(model, o, power);
  o.motion = ExcitationMotion::spline;
  o.points = 7;
  o.start = {0.1, 0, -0.2, 0.3};
  expect_gradient(model, o, 4);
  o.motion = ExcitationMotion::fourier;
  expect_gradient(model, o, 4);
}

/// The condition number by singular values of columns that are put together here.
double condition_of(const Model<double>& model, const Excitation& found, int samples) {
  const BaseParameters base = base_parameters(model, {.rotors = true});
  const int n = model.n_v(), rigid = 10 * (model.n_bodies() - 1), p = base.size() + 3 * n;
  Matrix W(samples * n * found.size(), p);
  RegressorWorkspace<double> ws(model);
  Array<double> q(n), qd(n), qdd(n), Y(n * rigid);
  for (int r = 0; r < found.size(); ++r)
    for (int k = 0; k < samples; ++k) {
      found.sample(r, found.duration() * k / samples, q, qd, qdd);
      torque_regressor(model, ws, q, qd, qdd, column_major(Y.data(), n, rigid));
      for (int j = 0; j < n; ++j) {
        const int row = (r * samples + k) * n + j;
        for (int c = 0; c < base.size(); ++c)
          W(row, c) = base.kept[c] < rigid        ? Y[base.kept[c] * n + j]
                      : base.kept[c] - rigid == j ? qdd[j]
                                                  : 0;
        W(row, base.size() + j) = qd[j];
        W(row, base.size() + n + j) = qd[j] > 0 ? 1 : qd[j] < 0 ? -1 : 0;
        W(row, base.size() + 2 * n + j) = 1;
      }
    }
  for (int c = 0; c < p; ++c) {
    double norm = 0;
    for (int r = 0; r < W.rows(); ++r) norm = std::hypot(norm, W(r, c));
    for (int r = 0; r < W.rows(); ++r) W(r, c) /= norm;
  }
  Svd svd(W.rows(), p);
  svd.factorise(W);
  return svd.largest() / svd.smallest();
}

TEST(Excitation, condition_is_that_of_singular_values_of_columns_of_length_one) {
  const Model<double> model = load_robot("puma560");
  ExcitationOptions o = quick(model);
  const Excitation found = design_excitation(model, o);
  EXPECT_EQ(found.unknowns.size(), 58u);  // 40 with rotors, and three for each joint
  const double truth = condition_of(model, found, 500);
  EXPECT_NEAR(found.condition, truth, 0.01 * truth);  // other samples
  EXPECT_LT(found.condition, found.start_condition);
}

TEST(Excitation, of_a_puma_reaches_a_condition_of_a_hundred_within_a_few_steps) {
  const Model<double> model = load_robot("puma560");
  ExcitationOptions o = quick(model);
  o.harmonics = 5;
  o.iterations = 15;
  EXPECT_LT(design_excitation(model, o).condition, 100);
}

/// All limits at many times between those that were looked at.
void expect_within_limits(const Model<double>& model, const Excitation& found,
                          const ExcitationOptions& o, double room = 1e-9) {
  const int n = model.n_v();
  Array<double> q(n), qd(n), qdd(n), before(n), tau(n);
  DynamicsWorkspace<double> dynamics(model);
  KinematicsWorkspace<double> kinematics(model);
  const double step = found.duration() / 3001;
  for (int r = 0; r < found.size(); ++r)
    for (int k = 0; k <= 3001; ++k) {
      before = qdd;
      found.sample(r, std::min(k * step, found.duration()), q, qd, qdd);
      ASSERT_TRUE(inverse_dynamics(model, dynamics, q, qd, qdd, {}, tau));
      for (int i = 0; i < n; ++i) {
        const Limits& l = o.limits[static_cast<std::size_t>(i)];
        ASSERT_GE(q[i], l.lower - room) << k;
        ASSERT_LE(q[i], l.upper + room) << k;
        ASSERT_LE(std::abs(qd[i]), l.velocity + room) << k;
        ASSERT_LE(std::abs(qdd[i]), l.acceleration + room) << k;
        ASSERT_LE(std::abs(tau[i]), l.effort * 1.001) << k;  // sampled
        if (k > 0) {
          ASSERT_LE(std::abs(qdd[i] - before[i]), l.jerk * step + room) << k;
        }
      }
      forward_kinematics(model, kinematics, q);
      for (const WorkspaceBox& box : o.boxes) {
        const Vec3<double> p = frame_pose(kinematics, model.frame(box.frame)).p;
        for (int axis = 0; axis < 3; ++axis) {
          ASSERT_GE(p[axis], box.lower[axis] - 1e-4) << k;
          ASSERT_LE(p[axis], box.upper[axis] + 1e-4) << k;
        }
      }
    }
}
void expect_rest_at_the_ends(const Model<double>& model, const Excitation& found) {
  Array<double> q(model.n_v()), qd(model.n_v()), qdd(model.n_v()), first(model.n_v());
  for (int r = 0; r < found.size(); ++r)
    for (const double t : {0.0, found.duration()}) {
      found.sample(r, t, q, qd, qdd);
      if (t == 0) first = q;
      for (int i = 0; i < model.n_v(); ++i) {
        EXPECT_NEAR(q[i], first[i], 1e-9);
        EXPECT_NEAR(qd[i], 0, 1e-9);
        EXPECT_NEAR(qdd[i], 0, 1e-9);
      }
    }
}

TEST(Excitation, keeps_every_limit_between_its_samples_and_rests_at_its_ends) {
  const Model<double> model = load_robot("panda");
  for (const auto motion : {ExcitationMotion::fourier, ExcitationMotion::spline}) {
    ExcitationOptions o = quick(model);
    o.motion = motion;
    o.iterations = 5;
    o.trajectories = 2;
    for (Limits& l : o.limits) l.jerk = 40;
    for (int i = 1; i < 4; i += 2) o.limits[static_cast<std::size_t>(i)].effort = 45;
    o.boxes = {{"link_7", {-0.7, -0.6, 0.1}, {0.7, 0.6, infinity}}};
    const Excitation found = design_excitation(model, o);
    EXPECT_EQ(found.size(), 2);
    EXPECT_TRUE(found.keeps_limits());
    expect_within_limits(model, found, o);
    expect_rest_at_the_ends(model, found);
    double most = 0;
    for (const LimitUse& use : found.use)
      if (!std::isnan(use.share)) most = std::max(most, use.share);
    EXPECT_GT(most, 0.8);  // limits are used
  }
}

TEST(Excitation, use_of_limits_is_what_is_attained) {
  const Model<double> model = load_robot("planar2r");
  ExcitationOptions o = quick(model);
  o.floor = -3;
  const Excitation found = design_excitation(model, o);
  Array<double> q(2), qd(2);
  double speed = 0, low = infinity;
  KinematicsWorkspace<double> ws(model);
  const Frame& last = model.frames().back();
  for (int k = 0; k <= 20000; ++k) {
    found.sample(0, found.duration() * k / 20000, q, qd);
    speed = std::max(speed, std::abs(qd[1]));
    forward_kinematics(model, ws, q);
    low = std::min(low, frame_pose(ws, last).p.z);
  }
  bool seen = false;
  for (const LimitUse& use : found.use)
    if (use.what == "velocity" && use.limit == o.limits[1].velocity &&
        std::abs(use.attained - speed) < 1e-5) {
      EXPECT_NEAR(use.share, speed / use.limit, 1e-5);
      seen = true;
    }
  EXPECT_TRUE(seen);
}

TEST(Excitation, d_optimal_has_more_information_than_its_start) {
  const Model<double> model = load_robot("scara");
  ExcitationOptions o = quick(model);
  o.iterations = 25;
  o.criterion = ExcitationCriterion::d_optimal;
  const Excitation d = design_excitation(model, o);
  EXPECT_GT(d.log_det, d.start_log_det + 5);
  o.criterion = ExcitationCriterion::condition;
  const Excitation c = design_excitation(model, o);
  EXPECT_GT(d.log_det, c.log_det);
  EXPECT_LT(c.condition, d.condition);
  EXPECT_LT(c.condition, 0.5 * c.start_condition);
}

TEST(Excitation, of_the_best_condition_is_larger_with_a_weight_on_information) {
  const Model<double> model = load_robot("planar3r");
  ExcitationOptions o = quick(model);
  o.iterations = 25;
  const Excitation with = design_excitation(model, o);
  o.information = 0;
  const Excitation without = design_excitation(model, o);
  EXPECT_GT(with.log_det, without.log_det);
}

TEST(Excitation, of_one_seed_is_the_same_on_any_number_of_threads) {
  const Model<double> model = load_robot("planar3r");
  ExcitationOptions o = quick(model);
  o.starts = 5;
  const Excitation one = design_excitation(model, o);
  o.threads = 2;
  const Excitation two = design_excitation(model, o);
  EXPECT_EQ(one.condition, two.condition);
  EXPECT_EQ(one.series[0].parameters(), two.series[0].parameters());
  EXPECT_EQ(one.evaluations, two.evaluations);
  o.seed = 2;
  EXPECT_NE(design_excitation(model, o).series[0].parameters(), one.series[0].parameters());
}

TEST(Excitation, stopped_keeps_the_best_motion_so_far) {
  const Model<double> model = load_robot("planar3r");
  ExcitationOptions o = quick(model);
  o.iterations = 1000;
  long long steps = 0;
  const Excitation found = design_excitation(
      model, o, [&](const ExcitationProgress& p) { return (steps = p.evaluations) < 12; });
  EXPECT_EQ(steps, 12);
  EXPECT_TRUE(found.stopped);
  EXPECT_TRUE(found.keeps_limits());
  EXPECT_LT(found.condition, found.start_condition);
  o.seconds = 0;
  const Excitation at_once = design_excitation(model, o);
  EXPECT_TRUE(at_once.stopped);
  EXPECT_TRUE(at_once.keeps_limits());
  EXPECT_TRUE(std::isfinite(at_once.condition));
}

TEST(Excitation, begins_and_ends_where_it_is_told_to) {
  const Model<double> model = load_robot("planar3r");
  for (const auto motion : {ExcitationMotion::fourier, ExcitationMotion::spline}) {
    ExcitationOptions o = quick(model);
    o.motion = motion;
    o.start = {0.3, -0.4, 0.5};
    const Excitation found = design_excitation(model, o);
    Array<double> q(3);
    for (const double t : {0.0, found.duration()}) {
      found.sample(0, t, q);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(q[i], o.start[i], 1e-9);
    }
    expect_rest_at_the_ends(model, found);
  }
}

TEST(Excitation, unknowns_are_those_that_were_asked_for) {
  const Model<double> model = load_robot("puma560");
  ExcitationOptions o = quick(model);
  o.iterations = 1;
  o.viscous = o.coulomb = o.offset = o.rotors = false;
  EXPECT_EQ(design_excitation(model, o).unknowns.size(), 36u);
  o.viscous = true;
  EXPECT_EQ(design_excitation(model, o).unknowns.back(), "flange_roll.viscous");
}

TEST(Excitation, leaves_out_what_no_motion_tells_from_the_weight) {
  const Model<double> model = load_robot("scara");
  const ExcitationOptions o = quick(model);
  const Excitation found = design_excitation(model, o);
  ASSERT_EQ(found.dependent.size(), 1u);
  int slide = 0;
  while (model.body(slide + 1).kind != JointKind::prismatic) ++slide;
  EXPECT_EQ(found.dependent[0], model.dof_name(slide) + ".offset");
  EXPECT_LT(found.condition, 1e3);
}

TEST(Excitation, says_what_no_motion_can_meet) {
  const Model<double> model = load_robot("puma560");
  const auto says = [&](const Model<double>& robot, const ExcitationOptions& o) {
    return refusal([&] { (void)design_excitation(robot, o); });
  };
  const auto with = [&](auto change) {
    ExcitationOptions o = quick(model);
    change(o);
    return says(model, o);
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(says(model, {}), "\"waist\" has no velocity limit");
  expect(with([](auto& o) { o.limits[1].upper = infinity; }),
         "\"shoulder\" has no position limits");
  expect(with([](auto& o) { o.limits[2].lower = 9; }), "\"elbow\" has no room");
  expect(with([](auto& o) { o.limits[0].jerk = 0; }), "jerk limit 0");
  expect(with([](auto& o) { o.limits.pop_back(); }), "limits");
  expect(with([](auto& o) { o.harmonics = 0; }), "0 harmonics");
  expect(with([](auto& o) { o.harmonics = 1; }), "1 harmonics");
  expect(with([](auto& o) { o.motion = ExcitationMotion::spline, o.points = 1; }), "1 points");
  expect(with([](auto& o) { o.period = -1; }), "period is -1");
  expect(with([](auto& o) { o.trajectories = 0; }), "trajectories");
  expect(with([](auto& o) { o.starts = 0; }), "starts");
  expect(with([](auto& o) { o.start = {1, 2}; }), "start");
  expect(with([](auto& o) { o.torque_noise = {1, 1, 1, 1, 1, 0}; }), "torque_noise");
  expect(with([](auto& o) { o.start = Array<double>(6, 9.0); }), "no posture");
  expect(with([](auto& o) { o.boxes = {{"tool", {5, 5, 5}, {6, 6, 6}}}; }), "no posture");
  expect(with([](auto& o) {
           o.boxes = {{"tool", {1, 0, 0}, {0, 1, 1}}};
         }),
         "is empty: x from 1 to 0");
  expect(with([](auto& o) { o.boxes = {{"tol", {0, 0, 0}, {1, 1, 1}}}; }), "tool");
  expect(with([](auto& o) { o.limits[1].effort = 1e-3; }), "no posture");
  expect(says(load_robot("humanoid38"), {}), "joint");
}

}  // namespace
}  // namespace torsor
