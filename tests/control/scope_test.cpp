/// A certificate knows its scope: what a theorem assumes beside what a run has.
#include "torsor/control/scope.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference_runs.hpp"
#include "support/certificate.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/joint/independent_pid.hpp"
#include "torsor/control/joint/pd_gravity.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/control/task/hybrid_position_force.hpp"
#include "torsor/control/task/operational_space.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using Names = std::vector<std::string>;
using testing::not_covered;

Condition row(const std::vector<Condition>& rows, const std::string& name) {
  for (const Condition& c : rows)
    if (c.name == name) return c;
  ADD_FAILURE() << "no row " << name;
  return {};
}

class PlanarArm : public ::testing::Test {
 protected:
  const Model<double> arm = load_robot("planar2r");
  PdGravity pd{arm, {Gain({100, 60}), Gain({30, 15})}};
  ComputedTorque computed{arm, {Gain::uniform(2, 100), Gain::uniform(2, 20)}};

  torsor::Run run(ReferenceFunction reference = hold({0.5, 0.5}, 2)) const {
    torsor::Run r = ideal_run(arm);
    r.q0 = {-0.5, 1};
    r.reference = std::move(reference);
    r.duration = 5;
    return r;
  }
};

TEST_F(PlanarArm, the_run_of_the_theorem_is_covered) {
  EXPECT_TRUE(all_satisfied(certificate(pd, run())));
  EXPECT_TRUE(all_satisfied(certificate(computed, run())));
  EXPECT_TRUE(all_satisfied(certificate(computed, run(testing::trajectory_a()))));
}

TEST_F(PlanarArm, a_set_point_law_is_not_covered_on_a_moving_reference) {
  const auto rows = certificate(pd, run(testing::trajectory_a()));
  EXPECT_EQ(not_covered(rows), Names{"constant q_d"});
  const Condition c = row(rows, "constant q_d");
  EXPECT_NEAR(c.value, 1, 1e-4);  // 0.5 rad at 2 rad/s
  EXPECT_NE(c.text().find("512 instants"), std::string::npos) << c.text();
  // A reference without velocities moves all the same.
  const auto silent = [](double t, ReferencePoint& r) { r.q.assign({0.5 * std::sin(2 * t), 1}); };
  EXPECT_EQ(not_covered(certificate(pd, run(silent))), Names{"constant q_d"});
  EXPECT_EQ(not_covered(certificate(computed, run(silent))), Names{"smooth reference"});
  const auto jumps = [](double t, ReferencePoint& r) {
    r.q.assign({t < 2 ? 0.5 : 0.6, 0.5});
    r.qd.assign({0, 0});
    r.qdd.assign({0, 0});
  };
  const auto of_jump = certificate(computed, run(jumps));
  EXPECT_EQ(not_covered(of_jump), Names{"smooth reference"});
  EXPECT_NE(row(of_jump, "smooth reference").note.find("at t = 2"), std::string::npos);
}

TEST_F(PlanarArm, another_robot_than_the_believed_one_is_not_covered) {
  const Model<double> heavy = testing::with_inertia_times(arm, 1.2);
  torsor::Run r = run();
  r.plant = &heavy;
  EXPECT_EQ(not_covered(certificate(computed, r)), Names{"exact model"});
  const auto rows = certificate(pd, r);
  EXPECT_EQ(not_covered(rows), Names{"the weight is known"});
  // the worst of start and set point: 0.2 of the weight there
  RneaWorkspace<double> ws(arm);
  double most = 0;
  for (const Array<double>& q : {Array<double>{-0.5, 1}, Array<double>{0.5, 0.5}}) {
    Array<double> G(2);
    gravity_torque(arm, ws, In<double>(q), Out<double>(G));
    for (const double x : G) most = std::max(most, 0.2 * std::abs(x));
  }
  EXPECT_NEAR(row(rows, "the weight is known").value, most, 1e-9);
  // Masses that carry no weight still move: only the exact model sees them.
  const Model<double> here = with_gravity(arm, {}), there = with_gravity(heavy, {});
  ComputedTorque floating(here, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
  PdGravity simple(here, {Gain({100, 60}), Gain({30, 15})});
  r.model = &here;
  r.plant = &there;
  EXPECT_EQ(not_covered(certificate(floating, r)), Names{"exact model"});
  EXPECT_TRUE(not_covered(certificate(simple, r)).empty());
}

/// Differences count beside the torques that are compared: a hundred millionth of a tiny robot's is
/// one, and a large robot's rounding is none.
TEST_F(PlanarArm, another_robot_is_told_whatever_its_size) {
  for (const double size : {1e-12, 1.0, 1e12}) {
    const Model<double> small = testing::with_inertia_times(arm, size),
                        other = testing::with_inertia_times(small, 1 + 1e-6);
    ComputedTorque law(small, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
    torsor::Run r = run();
    r.model = &small;
    r.plant = &other;
    EXPECT_EQ(not_covered(certificate(law, r)), Names{"exact model"}) << size;
    const Model<double> rounded =
        testing::with_inertia_times(testing::with_inertia_times(small, 3), 1.0 / 3);
    r.plant = &rounded;
    EXPECT_TRUE(not_covered(certificate(law, r)).empty()) << size;
  }
}

/// A circle of radius a at the rate w needs the acceleration a w^2 of the tip, whose torques the arm's
/// own inverse dynamics gives at joint motions by differences of the closed-form inverse.
TEST_F(PlanarArm, torques_of_a_task_are_those_of_its_motion) {
  OperationalSpaceOptions o;
  o.task.frame = "tip";
  o.task.axes = "xy";
  o.Kp = Gain::uniform(2, 100);
  o.Kd = Gain::uniform(2, 20);
  OperationalSpace law(arm, o);
  const double a = 0.3, w = 7;
  const auto circle = [&](double t, ReferencePoint& p) {
    p.x.assign({1 + a * std::cos(w * t), 0.3 + a * std::sin(w * t)});
    p.xd.assign({-a * w * std::sin(w * t), a * w * std::cos(w * t)});
    p.xdd.assign({-a * w * w * std::cos(w * t), -a * w * w * std::sin(w * t)});
  };
  const auto joints = [&](double t) {  // elbow below
    const double x = 1 + a * std::cos(w * t), y = 0.3 + a * std::sin(w * t);
    const double q2 = std::acos((x * x + y * y - 2) / 2);
    return Array<double>{std::atan2(y, x) - q2 / 2, q2};
  };
  torsor::Run r = ideal_run(arm);
  r.q0 = joints(0);
  r.reference = circle;
  r.duration = 3;
  r.torque_limit = {100, 100};
  DynamicsWorkspace<double> ws(arm);
  double most = 0;
  const double h = 1e-4;
  for (int k = 0; k <= 3000; ++k) {
    const double t = 1e-3 * k;
    const Array<double> before = joints(t - h), q = joints(t), after = joints(t + h);
    Array<double> qd(2), qdd(2), tau(2);
    for (int i = 0; i < 2; ++i) {
      qd[i] = (after[i] - before[i]) / (2 * h);
      qdd[i] = (after[i] - 2 * q[i] + before[i]) / (h * h);
    }
    (void)inverse_dynamics(arm, ws, q, qd, qdd, {}, tau);
    for (const double x : tau) most = std::max(most, std::abs(x) / 100);
  }
  const Condition c = row(certificate(law, r), "torques of the reference within their limits");
  EXPECT_NEAR(c.value, most, 0.05 * most);  // of 24 instants
  EXPECT_LE(c.value, most * (1 + 1e-4));
  RneaWorkspace<double> rnea(arm);
  Array<double> G(2);
  gravity_torque(arm, rnea, In<double>(joints(0)), Out<double>(G));
  EXPECT_GT(c.value, 1.5 * G[0] / 100);  // more than at rest
}

TEST_F(PlanarArm, torque_limits_are_held_against_what_the_reference_needs) {
  IndependentPid pid(arm, {Gain::uniform(2, 100), Gain::uniform(2, 20), Gain::uniform(2, 30)});
  torsor::Run r = run(hold({0.2, 0.2}, 2));
  r.q0 = {0.2, 0.2};
  r.torque_limit = {8, 4};
  RneaWorkspace<double> ws(arm);
  Array<double> G(2);
  gravity_torque(arm, ws, In<double>(r.q0), Out<double>(G));
  const Condition c = row(certificate(pid, r), "torques of the reference within their limits");
  EXPECT_EQ(c.verdict, Verdict::not_covered);
  EXPECT_NEAR(c.value, std::max(G[0] / 8, G[1] / 4), 1e-9);
  r.torque_limit = {2 * G[0], 2 * G[1]};
  EXPECT_EQ(row(certificate(pid, r), "torques of the reference within their limits").value, 0.5);
  // The first torque of a far start: Kp e.
  torsor::Run far = run();
  far.torque_limit = {50, 100};
  const Condition first = row(certificate(pd, far), "torques of the start within their limits");
  EXPECT_EQ(first.verdict, Verdict::not_covered);
  gravity_torque(arm, ws, In<double>(far.q0), Out<double>(G));
  EXPECT_NEAR(first.value, (100 * 1.0 + G[0]) / 50, 1e-9);
}

TEST_F(PlanarArm, what_stands_between_law_and_robot_is_told) {
  torsor::Run r = run();
  r.rate_limit = {1000, 1000};
  r.exact_measurement = false;
  r.disturbance = true;
  EXPECT_EQ(not_covered(certificate(pd, r)),
            (Names{"torques may jump", "exact measurement", "nothing disturbs"}));
}

/// One link on a joint with friction, a spring and limits.
Model<double> rod(Friction friction, double stiffness = 0) {
  ModelBuilder b("rod");
  b.gravity({});
  auto joint = b.revolute("joint", "base", "link");
  joint.friction(friction).limits(-1, 1);
  if (stiffness > 0) joint.spring(stiffness, 0.2);
  b.inertia("link", 1, {}, {1, 0, 1, 0, 0, 1});
  return b.build();
}
Run at_rest(const Model<double>& model) {
  torsor::Run r = ideal_run(model);
  r.reference = hold({0.5}, 1);
  return r;
}

TEST(Scope, friction_and_springs_are_in_or_out) {
  const PdiGains gains{Gain({10}), Gain({1})};
  const auto of_pd = [&](const Model<double>& model) {
    PdGravity law(model, gains);
    return not_covered(certificate(law, at_rest(model)));
  };
  EXPECT_TRUE(of_pd(rod({})).empty());
  EXPECT_TRUE(of_pd(rod({.viscous = 2})).empty());  // it damps
  EXPECT_EQ(of_pd(rod({.coulomb = 2})), Names{"no dry friction"});
  EXPECT_EQ(of_pd(rod({}, 5)), Names{"no springs"});
  const Model<double> real = rod({.viscous = 2}), believed = rod({.viscous = 1.5});
  ComputedTorque law(believed, gains);
  torsor::Run r = at_rest(believed);
  EXPECT_TRUE(not_covered(certificate(law, r)).empty());
  r.plant = &real;
  EXPECT_EQ(not_covered(certificate(law, r)), Names{"friction is known"});
  EXPECT_NEAR(row(certificate(law, r), "friction is known").value, 0.5, 1e-12);  // at 1 rad/s
  r.friction = false;
  EXPECT_EQ(not_covered(certificate(law, r)), Names{"friction is known"});
}

/// What a law states as unknown it need not know: friction among the parameters is theirs to say.
TEST(Scope, friction_that_is_a_stated_unknown_is_covered_and_other_friction_is_not) {
  const Model<double> believed = load_robot("planar2r");
  const auto with_friction = [&](const Friction& friction) {
    RobotDescription d = believed.description();
    d.joints[1].friction = {friction};
    return Model<double>(std::move(d));
  };
  const Model<double> damped = with_friction({.viscous = 3});
  const Model<double> sticky = with_friction({.viscous = 3, .coulomb = 1, .width = 1e-4});
  const Names other{"the plant differs in the stated parameters alone"};
  const std::vector<std::string> unknown{"joint_2.viscous"};
  for (const char* name : {"slotine_li", "sliding_passivity", "sliding_regressor_bound",
                           "adaptive_computed_torque", "robust_computed_torque"}) {
    LawParameters p;
    p.set("parameters", unknown);
    const auto set = [&](const char* gain, double x) { p.set(gain, std::vector<double>{x}); };
    const std::string law_name = name;
    if (law_name == "slotine_li") set("Lambda", 5), set("Kd", 20), set("adaptation", 2);
    if (law_name == "sliding_passivity") set("Lambda", 5), set("half_width", 4), set("layer", 0.1);
    if (law_name == "sliding_regressor_bound") set("Lambda", 5), set("p_bar", 4), set("layer", 0.1);
    if (law_name == "adaptive_computed_torque") set("Kp", 100), set("Kd", 20), set("adaptation", 2);
    if (law_name == "robust_computed_torque")
      set("Kp", 100), set("Kd", 20), set("half_width", 4), set("epsilon", 0.1), set("Q", 1);
    const std::unique_ptr<ControlLaw> law = make_law(name, believed, p);
    torsor::Run r = ideal_run(believed);
    r.q0 = {-0.5, 1};
    r.reference = testing::trajectory_a();
    r.measures_acceleration = true;
    r.plant = &damped;
    EXPECT_TRUE(not_covered(certificate(*law, r)).empty()) << name;
    r.plant = &sticky;
    const Names missed = not_covered(certificate(*law, r));
    EXPECT_EQ(Names(missed.begin(), missed.begin() + (missed.empty() ? 0 : 1)), other) << name;
  }
}

TEST(Scope, stops_count_where_the_plant_has_them) {
  const Model<double> model = rod({});
  PdGravity law(model, {Gain({10}), Gain({1})});
  torsor::Run r = at_rest(model);
  r.reference = hold({1.2}, 1);
  EXPECT_TRUE(not_covered(certificate(law, r)).empty());
  r.stops = true;
  EXPECT_EQ(not_covered(certificate(law, r)), Names{"no stop is touched"});
  EXPECT_NEAR(row(certificate(law, r), "no stop is touched").value, -0.2, 1e-12);
}

TEST(Scope, unlike_gains_of_a_rotation_are_not_covered) {
  ModelBuilder b("ball");
  b.gravity({});
  b.spherical("joint", "base", "ball");
  b.inertia("ball", 1, {}, {0.1, 0, 0.1, 0, 0, 0.1});
  const Model<double> ball = b.build();
  const auto of = [&](Gain Kp) {
    PdGravity law(ball, {std::move(Kp), Gain::uniform(3, 1e-3)});
    return not_covered(certificate(law, ideal_run(ball)));
  };
  EXPECT_TRUE(of(Gain::uniform(3, 10)).empty());
  EXPECT_EQ(of(Gain({10, 4, 1})), Names{"Kp of rotations is k I"});
  ComputedTorque tracking(ball, {Gain::uniform(3, 10), Gain::uniform(3, 1)});
  EXPECT_EQ(not_covered(certificate(tracking, ideal_run(ball))),
            Names{"velocities are rates of coordinates"});

  const Model<double> puma = testing::frictionless(load_robot("puma560"));
  const auto of_task = [&](Gain Kp) {
    OperationalSpaceOptions o;
    o.task.frame = "tool";
    o.task.angles = TaskAngles::rotation;
    o.Kp = std::move(Kp);
    o.Kd = Gain::uniform(6, 10);
    OperationalSpace law(puma, o);
    torsor::Run r = ideal_run(puma);
    r.q0 = {0.3, -1, 0.5, 0.4, 0.7, 0.2};
    r.reference = [&](double, ReferencePoint& p) {
      KinematicsWorkspace<double> ws(puma);
      forward_kinematics(puma, ws, In<double>(r.q0));
      p.pose = {frame_pose(ws, puma.frame("tool"))};
      p.has_pose = true;
    };
    return not_covered(certificate(law, r));
  };
  EXPECT_TRUE(of_task(Gain({50, 50, 50, 30, 30, 30})).empty());
  EXPECT_EQ(of_task(Gain({50, 50, 50, 90, 30, 4})), Names{"Kp of rotations is k I"});
}

TEST(Scope, robots_with_loops_are_not_trees) {
  const Model<double> bars = load_robot("four_bar");
  ComputedTorque law(bars, {Gain::uniform(bars.n_v(), 100), Gain::uniform(bars.n_v(), 20)});
  const auto names = not_covered(certificate(law, ideal_run(bars)));
  EXPECT_NE(std::find(names.begin(), names.end(), "no loops"), names.end());
}

class Touching : public ::testing::Test {
 protected:
  const Model<double> arm = load_robot("planar2r");
  HybridPositionForce law{arm,
                          {.coordinates = {.frame = "tip", .axes = "xy"},
                           .constraint = Constraint::plane({1.1, 0, 0}, {1, 0, 0}, {0, 1, 0}),
                           .start = {0.3}},
                          {Gain({100}), Gain({20}), Gain({1})}};
  RunSurface wall{.name = "wall",
                  .frame = "tip",
                  .origin = {1.1, 0, 0},
                  .normal = {-1, 0, 0},
                  .stiffness = infinity,
                  .bilateral = true};
  torsor::Run run(Array<RunSurface> surfaces) const {
    torsor::Run r = ideal_run(arm);
    const double x = 1.1, y = 0.3, q2 = std::acos((x * x + y * y) / 2 - 1);
    r.q0 = {std::atan2(y, x) - q2 / 2, q2};
    r.reference = [](double, ReferencePoint& p) {
      p.x.assign({0.3});
      p.f_on_environment.assign({5});
    };
    r.surfaces = std::move(surfaces);
    return r;
  }
};

TEST_F(Touching, force_laws_look_at_the_wall) {
  const std::vector<Condition> rows = certificate(law, run({wall}));
  EXPECT_TRUE(not_covered(rows).empty());
  for (const Condition& c : rows)
    EXPECT_EQ(c.text().find(" inf,"), std::string::npos) << c.name << ": " << c.text();
  EXPECT_EQ(not_covered(certificate(law, run({}))), Names{"a surface to press on"});
  wall.stiffness = 2000;
  EXPECT_EQ(not_covered(certificate(law, run({wall}))), Names{"the surface is rigid"});
  wall.friction = 0.1;
  EXPECT_EQ(not_covered(certificate(law, run({wall}))),
            (Names{"the surface is rigid", "the surface is smooth"}));
}

TEST_F(Touching, free_motion_is_covered_as_long_as_nothing_is_near) {
  ComputedTorque computed(arm, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
  torsor::Run r = run({wall});
  r.reference = hold(r.q0, 2);
  EXPECT_EQ(not_covered(certificate(computed, r)), Names{"nothing is touched"});
  r.surfaces[0].origin[0] = 1.4;
  const auto rows = certificate(computed, r);
  EXPECT_NEAR(row(rows, "nothing is touched").value, 0.3, 1e-9);
  EXPECT_TRUE(not_covered(rows).empty());
}

TEST(RunRange, postures_of_a_task_are_those_that_do_it) {
  const Model<double> arm = load_robot("planar2r");
  OperationalSpaceOptions o;
  o.task.frame = "tip";
  o.task.axes = "xy";
  o.Kp = Gain::uniform(2, 100);
  o.Kd = Gain::uniform(2, 20);
  OperationalSpace law(arm, o);
  torsor::Run r = ideal_run(arm);
  r.q0 = {-0.4, 1.2};
  const auto circle = [](double far) {
    return [far](double t, ReferencePoint& p) {
      p.x.assign({far + 0.2 * std::cos(t), 0.2 * std::sin(t)});
      p.xd.assign({-0.2 * std::sin(t), 0.2 * std::cos(t)});
      p.xdd.assign({-0.2 * std::cos(t), -0.2 * std::sin(t)});
    };
  };
  r.reference = circle(1.2);
  r.duration = 6;
  const RunRange range = run_range(law, r);
  ASSERT_EQ(range.instants.size(), 25);  // and the start
  KinematicsWorkspace<double> ws(arm);
  for (int k = 1; k < range.instants.size(); ++k) {
    const RunInstant& i = range.instants[k];
    EXPECT_TRUE(i.reached);
    forward_kinematics(arm, ws, In<double>(i.q));
    const Vec3<double> x = frame_pose(ws, arm.frame("tip")).p;
    EXPECT_NEAR(x[0], 1.2 + 0.2 * std::cos(i.t), 1e-6);
    EXPECT_NEAR(x[1], 0.2 * std::sin(i.t), 1e-6);
  }
  EXPECT_NEAR(range.reference_speed, 0.2, 1e-4);
  EXPECT_TRUE(not_covered(certificate(law, r)).empty());
  r.reference = circle(2.2);  // the arm is 2 m long
  EXPECT_EQ(not_covered(certificate(law, r)), Names{"targets within reach"});
}

TEST(RunRange, of_a_law_is_found_once) {
  const Model<double> arm = load_robot("planar2r");
  ComputedTorque law(arm, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
  int asked = 0;
  torsor::Run r = ideal_run(arm);
  r.reference = [&asked](double, ReferencePoint& p) {
    ++asked;
    p.q.assign({0.5, 0.5}), p.qd.assign({0, 0}), p.qdd.assign({0, 0});
  };
  r.range = std::make_shared<const RunRange>(run_range(law, r));
  const int once = asked;
  EXPECT_GT(once, 500);
  (void)certificate(law, r);
  EXPECT_LT(asked, once + 10);
  ComputedTorque another(arm, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
  EXPECT_EQ(run_range(another, r).law, &another);
}

TEST(RunRange, speeds_and_accelerations_are_those_of_reference_and_start) {
  const Model<double> arm = load_robot("planar2r");
  ComputedTorque law(arm, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
  torsor::Run r = ideal_run(arm);
  r.reference = follow(Sinusoid{{0, 1}, {1.5, 0.5}, {6, 2}, {0, 0}});
  r.v0 = {0, 7};
  r.duration = 4;
  const RunRange range = run_range(law, r);
  EXPECT_NEAR(range.speed[0], 9, 1e-2);
  EXPECT_EQ(range.speed[1], 7);
  EXPECT_NEAR(range.acceleration[0], 54, 0.1);
  EXPECT_FALSE(range.constant());
}

TEST(Condition, a_number_that_is_not_known_is_said_to_be_so) {
  EXPECT_EQ(hypothesis("h", "radius", NAN, Relation::less, 1, "too long").text(),
            "radius is not known, needed < 1 (too long)");
}

TEST(Condition, a_hypothesis_that_is_missed_is_not_covered) {
  EXPECT_EQ(hypothesis("h", "x", 0, Relation::equal, 0).verdict, Verdict::holds);
  EXPECT_EQ(hypothesis("h", "x", 1, Relation::equal, 0).verdict, Verdict::not_covered);
  EXPECT_EQ(hypothesis("h", "x", infinity, Relation::equal, infinity).verdict, Verdict::holds);
  EXPECT_EQ(condition("c", "x", 1, Relation::equal, 0).verdict, Verdict::violated);
  EXPECT_STREQ(name_of(Verdict::not_covered), "not covered");
}

}  // namespace
}  // namespace torsor
