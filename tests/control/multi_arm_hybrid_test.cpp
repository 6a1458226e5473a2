/// Several arms with one object: Huo 2005, sec. 3.13, with the closed chain as plant.
#include "torsor/control/arms/multi_arm_hybrid.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "multi_arm_runs.hpp"
#include "support/certificate.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor {
namespace {

using namespace testing;  // the runs

MultiArmHybrid golden_law(const Model<double>& robot, std::vector<double> fractions) {
  CooperatingArms arms(robot, planar_cooperation(std::move(fractions)));
  const ObjectTaskOptions task = on_table(arms);
  return MultiArmHybrid(std::move(arms), task, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
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
  for (int row = 0; row < r.size(); ++row) EXPECT_NEAR(r.task_e(row, 2), 0, 1e-7);
  ASSERT_EQ(r.predictions.size(), 2u);
  for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.prediction.name;
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  EXPECT_LT(r.energy_balance(), 1e-8);
}

/// What the object needs for its motion and weight, as a wrench in its frame.
Wrench<double> object_wrench(const Model<double>& robot, const HeldObject& object,
                             const Recording& r, int row) {
  VelocityWorkspace<double> motion(robot);
  forward_acceleration(robot, motion, r.q.row(row), r.qd.row(row), r.qdd.row(row));
  const SE3<double> T = frame_pose(motion, object.frame);
  const Twist<double> V = frame_velocity(motion, object.frame);
  Twist<double> A = frame_acceleration(motion, object.frame);
  A.v = A.v - transpose_times(T.R, robot.gravity());
  return object.inertia * A - ad_dual(V, object.inertia * V);
}
/// What hand k > 1 gives the object, in the object's frame: the multipliers of its weld.
Wrench<double> grasp_wrench(const Model<double>& robot, const HeldObject& object, int arm,
                            const Recording& r, int row) {
  const Grasp& g = object.grasps[arm];
  const View<const double> l(r.loop.row(row).data + g.loop, 6);
  const ConstraintSet set(robot);
  for (const LoopConstraint& loop : set.loops())
    if (loop.first_row == g.loop)
      return Ad_dual(object.frame.placement,
                     Ad_dual_inv(loop.T_b, Wrench<double>{{l[0], l[1], l[2]}, {l[3], l[4], l[5]}}));
  return {};
}
/// f_x = f E_f, as a wrench in the object's frame.
Wrench<double> planar_force(double f, double angle) {
  const double b = 0.05 * std::cos(angle) + 0.15 * std::sin(angle), n = std::sqrt(1 + b * b);
  return {{0, 0, f * b / n},
          transpose_times(planar_pose(0, 0, angle).R, Vec3<double>{0, f / n, 0})};
}
double distance(const Wrench<double>& a, const Wrench<double>& b) {
  return norm(a.m - b.m) + norm(a.f - b.f);
}

TEST(MultiArmHybrid, G_3_13_each_arm_gives_its_fraction_of_the_object_and_its_share_of_the_force) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmHybrid law = golden_law(robot, {0.35, 0.65});
  const Recording r = simulate(on_surface(robot), law, golden_reference, golden_run());
  const HeldObject& object = law.arms().object();
  for (int row = 0; row < r.size(); ++row) {
    const Wrench<double> W = object_wrench(robot, object, r, row);
    const Wrench<double> second = grasp_wrench(robot, object, 1, r, row);
    const double a = angle_of(r, row);
    EXPECT_LT(distance(second, W * 0.65 + planar_force(-10.0 / 3, a)), 1e-7);
    // Newton: the first hand gives what is left beside the second and the table.
    const Wrench<double> first = W + planar_force(contact_force(r, row), a) - second;
    EXPECT_LT(distance(first, W * 0.35 + planar_force(-20.0 / 3, a)), 1e-7);
  }
}

TEST(MultiArmHybrid, G_3_13_equal_fractions_change_the_torques_and_nothing_else) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmHybrid one = golden_law(robot, {0.35, 0.65}), half = golden_law(robot, {0.5, 0.5});
  SimulateOptions o = golden_run();
  o.record_every = 0.5;
  const Recording a = simulate(on_surface(robot), one, golden_reference, o);
  const Recording b = simulate(on_surface(robot), half, golden_reference, o);
  const double tau[3] = {20.67219504, -2.13197212, 3.97350284};
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(b.tau(0, k), tau[k], 1e-7);
  for (int row = 0; row < a.size(); ++row) {
    EXPECT_NEAR(contact_force(b, row), -10, 1e-7);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(a.q(row, k), b.q(row, k), 1e-9);
  }
}

/// The law with other weights of the object's parts: arm i counts `kilograms[i]`.
class OtherWeights final : public ControlLaw {
 public:
  OtherWeights(const Model<double>& robot, MultiArmHybrid law, std::vector<double> kilograms)
      : ControlLaw("other_weights", robot),
        law_(std::move(law)),
        empty_(robot),
        ws_(robot),
        factor_(6),
        with_(6),
        without_(6) {
    HeldObject all = law_.arms().object();
    for (Grasp& g : all.grasps) {
      for (const int dof : g.dofs)
        factor_[static_cast<std::size_t>(dof)] =
            1 - kilograms[static_cast<std::size_t>(&g - all.grasps.data())] / (3 * g.fraction);
      g.fraction = 0;
    }
    empty_ = all.partitioned(robot);
  }
  int n_states() const override { return law_.n_states(); }
  void reset(Out<double> x) override { law_.reset(x); }
  void check_reference(const ControlReference& r) const override { law_.check_reference(r); }
  void torque(const ControlInput& input, Out<double> tau) override {
    law_.torque(input, tau);
    gravity_torque(law_.arms().forest(), ws_, input.state.q, with_);
    gravity_torque(empty_, ws_, input.state.q, without_);
    for (int k = 0; k < tau.size; ++k) {
      const auto i = static_cast<std::size_t>(k);
      tau[k] -= factor_[i] * (with_[i] - without_[i]);
    }
  }
  void state_derivative(const ControlInput& input, Out<double> rate) override {
    law_.state_derivative(input, rate);
  }
  Hypotheses hypotheses() const override { return {}; }
  std::vector<Condition> conditions(const Run&) override { return {}; }

 private:
  MultiArmHybrid law_;
  Model<double> empty_;
  RneaWorkspace<double> ws_;
  std::vector<double> factor_, with_, without_;
};

/// (3-153) is printed with M_i / M where M_i belongs. The published error, -23.647 N, is that of the
/// factor applied to parts that have their fraction already (f_i^2 kg in all 0.545 kg); read to the
/// letter it is f_i kg, 1 kg in all, and the error is in proportion to the weight that is missing.
TEST(MultiArmHybrid, G_3_13_weights_as_printed_miss_the_force_and_the_motion) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  const std::vector<double> f{0.35, 0.65};
  OtherWeights law(robot, golden_law(robot, f), {f[0] * f[0], f[1] * f[1]});
  const Recording r = simulate(on_surface(robot), law, golden_reference, golden_run());
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(contact_force(r, 0) + 10, -23.647, 1e-3);
  const HeldObject object(robot, "object", f);
  const Wrench<double> wanted =
      object_wrench(robot, object, r, 0) * 0.65 + planar_force(-10.0 / 3, angle_of(r, 0));
  const Wrench<double> off = grasp_wrench(robot, object, 1, r, 0) - wanted;
  EXPECT_NEAR(norm(off.f), 15.7, 0.1);  // of which norm, and when, is not said
  const int last = r.size() - 1;
  EXPECT_GT(std::abs(0.2 * std::sin(3.0) - r.x_c(last, 1)), 1e-3);

  OtherWeights letter(robot, golden_law(robot, f), f);
  SimulateOptions o = golden_run();
  o.duration = 0.1;
  const Recording l = simulate(on_surface(robot), letter, golden_reference, o);
  EXPECT_NEAR(contact_force(l, 0) + 10, -23.647 * (3 - 1) / (3 - 0.545), 1e-3);
}

/// With a wrong model the measured force brings the contact back; it is read from the plant.
TEST(MultiArmHybrid, integral_of_the_measured_force_removes_the_error_of_a_wrong_model) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  Inertial heavy = planar_object();
  heavy.mass = 3.5;
  const Model<double> loaded = planar_arms(two_planar_grasps(), heavy);
  double error[2];
  for (const double KF : {0.0, 20.0}) {
    CooperatingArms arms(robot, planar_cooperation({0.35, 0.65}));
    const ObjectTaskOptions task = on_table(arms);
    MultiArmHybrid law(std::move(arms), task,
                       {Gain::uniform(2, 100), Gain::uniform(2, 20), Gain::uniform(1, KF)});
    const Recording r = simulate(on_surface(loaded), law, golden_reference, golden_run());
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    const int last = r.size() - 1;
    EXPECT_NEAR(r.task_e(last, 2), -10 - contact_force(r, last), 1e-9);
    EXPECT_FALSE(compare_predictions(r)[1].kept);
    error[KF > 0] = std::abs(r.task_e(last, 2));
  }
  EXPECT_GT(error[0], 4);
  EXPECT_LT(error[1], 0.1);
}

TEST(MultiArmHybrid, internal_force_follows_its_command_and_moves_nothing) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmHybrid law = golden_law(robot, {0.35, 0.65});
  const auto squeeze = [](double t) {
    return Wrench<double>{{0, 0, 0.5 * std::sin(t)},
                          {-20 - 5 * std::sin(2 * t), 3 * std::cos(t), 0}};
  };
  const ReferenceFunction reference = [&](double t, ReferencePoint& r) {
    golden_reference(t, r);
    const Wrench<double> F = squeeze(t);
    for (int k = 0; k < 3; ++k) r.f_on_environment.push_back(F.m[k]);
    for (int k = 0; k < 3; ++k) r.f_on_environment.push_back(F.f[k]);
  };
  const Recording r = simulate(on_surface(robot), law, reference, golden_run());
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const HeldObject& object = law.arms().object();
  for (int row = 0; row < r.size(); ++row) {
    const Wrench<double> base =
        object_wrench(robot, object, r, row) * 0.65 + planar_force(-10.0 / 3, angle_of(r, row));
    const Wrench<double> internal = grasp_wrench(robot, object, 1, r, row) - base;
    EXPECT_LT(distance(internal, squeeze(r.t[static_cast<std::size_t>(row)])), 1e-7);
    EXPECT_NEAR(contact_force(r, row), -10, 1e-7);
  }
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

/// An object with a joint of its own: the same motion and contact, and the first hand's wrench is
/// recorded like the others'. The measured force is found on the object's body.
TEST(MultiArmHybrid, an_object_with_a_joint_of_its_own_shows_the_wrenches_of_all_hands) {
  const auto grasps = two_planar_grasps();
  const Model<double> robot = with_free_object(planar_arms(grasps), grasps[0]);
  MultiArmHybrid law = golden_law(robot, {0.35, 0.65});
  SimulateOptions o = golden_run();
  const int motion = robot.body(robot.joint_index("object_motion")).q.first;
  const double pose[3] = {0.02, origin_on_surface(0.1), 0.1};
  o.q0.insert(o.q0.begin() + motion, pose, pose + 3);
  const Recording r = simulate(on_surface(robot), law, golden_reference, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(r.tau(0, 0), 17.23436095, 1e-7);
  const HeldObject& object = law.arms().object();
  for (int row = 0; row < r.size(); ++row) {
    const double a = r.q(row, motion + 2);
    EXPECT_NEAR(r.task_e(row, 2), 0, 1e-7);
    const Wrench<double> W = object_wrench(robot, object, r, row);
    EXPECT_LT(
        distance(grasp_wrench(robot, object, 0, r, row), W * 0.35 + planar_force(-20.0 / 3, a)),
        1e-6);
    EXPECT_LT(
        distance(grasp_wrench(robot, object, 1, r, row), W * 0.65 + planar_force(-10.0 / 3, a)),
        1e-6);
  }
  EXPECT_LT(r.energy_balance(), 1e-8);
}

TEST(MultiArmHybrid, three_arms_share_one_object) {
  const auto grasps = three_planar_grasps();
  const Model<double> robot = planar_arms(grasps);
  CooperatingArms arms(robot, planar_cooperation({0.2, 0.3, 0.5}));
  ObjectTaskOptions task = on_table(arms);
  task.weights = {Gain::uniform(3, 1), Gain::uniform(3, 2), Gain::uniform(3, 4)};
  task.internal = {0, 0, 0.2, -5, 0, 0, 0, 0, -0.1, 0, 4, 0};
  MultiArmHybrid law(std::move(arms), task, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
  SimulateOptions o = golden_run();
  o.q0 = planar_arms_at(grasps, 0.02, origin_on_surface(0.1), 0.1);
  const Recording r = simulate(on_surface(robot), law, golden_reference, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const HeldObject& object = law.arms().object();
  for (int row = 0; row < r.size(); ++row) {
    EXPECT_NEAR(contact_force(r, row), -10, 1e-7);
    const Wrench<double> W = object_wrench(robot, object, r, row);
    const double a = angle_of(r, row), share[3] = {4.0 / 7, 2.0 / 7, 1.0 / 7};
    const Wrench<double> squeeze[2] = {{{0, 0, 0.2}, {-5, 0, 0}}, {{0, 0, -0.1}, {0, 4, 0}}};
    EXPECT_LT(distance(grasp_wrench(robot, object, 1, r, row),
                       W * 0.3 + planar_force(-10 * share[1], a) + squeeze[0]),
              1e-7);
    EXPECT_LT(distance(grasp_wrench(robot, object, 2, r, row),
                       W * 0.5 + planar_force(-10 * share[2], a) + squeeze[1]),
              1e-7);
  }
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  EXPECT_LT(r.energy_balance(), 1e-8);
}

/// A table that cannot pull: the command to lift ends the contact at once, and the run goes on.
TEST(MultiArmHybrid, contact_is_lost_cleanly_where_the_command_pulls) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmHybrid law = golden_law(robot, {0.35, 0.65});
  Plant plant = on_surface(robot);
  plant.surfaces[0].bilateral = false;
  const ReferenceFunction lift = [](double t, ReferencePoint& r) {
    golden_reference(t, r);
    r.f_on_environment = {t < 0.5 ? -10.0 : 5.0};
  };
  SimulateOptions o = golden_run();
  o.duration = 0.7;
  o.step = 1e-3;
  o.integrator = Integrator::rk4;
  const Recording r = simulate(plant, law, lift, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(contact_force(r, r.at(0.45)), -10, 1e-6);
  EXPECT_GE(r.events, 1);
  EXPECT_EQ(r.contact(r.size() - 1, 0), 0);
  EXPECT_LT(r.energy_balance(), 1e-6);
}

TEST(MultiArmHybrid, from_a_file_or_in_code_it_is_the_same_law) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  MultiArmHybrid law = golden_law(robot, {0.35, 0.65});
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
  p.set("position_error", "integral");
  p.set("start", std::vector<double>{0.02, 0.05});
  p.set("W", std::vector<double>{1, 2});
  p.set("Kp", std::vector<double>{100});
  p.set("Kd", std::vector<double>{20});
  const std::unique_ptr<ControlLaw> made_made = make_law("multi_arm_hybrid", robot, p);
  ControlLaw& made = *made_made;
  const std::vector<double> q = golden_run().q0, qd{0.1, -0.2, 0.3, 0.1, 0.2, -0.3},
                            x_c{0.03, 0.01};
  ReferencePoint point;
  golden_reference(0.4, point);
  std::vector<double> a(6), b(6), s(2);
  law.torque({0, {.q = q, .qd = qd}, x_c, point.view()}, a);
  made.torque({0, {.q = q, .qd = qd}, x_c, point.view()}, b);
  EXPECT_EQ(a, b);
  made.reset(s);
  EXPECT_EQ(s, (std::vector<double>{0.02, 0.05}));
  EXPECT_EQ(made.n_task_errors(), 3);
  p.set("frame", "object");
  EXPECT_THROW((void)make_law("multi_arm_hybrid", robot, p), Error);
}

TEST(MultiArmHybrid, conditions_catch_gains_fractions_and_arms_that_break_the_claim) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  const auto conditions = [&](std::vector<double> fractions, Gain Kp, Gain Kd) {
    CooperatingArms arms(robot, planar_cooperation(std::move(fractions)));
    const ObjectTaskOptions task = on_table(arms);
    return testing::conditions_from(
        MultiArmHybrid(std::move(arms), task, {std::move(Kp), std::move(Kd)}), golden_run().q0);
  };
  const Gain Kp = Gain::uniform(2, 100), Kd = Gain::uniform(2, 20);
  EXPECT_TRUE(all_satisfied(conditions({0.35, 0.65}, Kp, Kd)));
  EXPECT_FALSE(all_satisfied(conditions({0.35, 0.65}, Gain({100, -1}), Kd)));
  EXPECT_FALSE(all_satisfied(conditions({0.35, 0.65}, Gain::full(2, {100, 5, 0, 100}), Kd)));
  EXPECT_FALSE(all_satisfied(conditions({0.35, 0.65}, Kp, Gain({20, -0.1}))));
  EXPECT_FALSE(all_satisfied(conditions({-0.1, 1.1}, Kp, Kd)));
  // The claim falls with them: a negative gain lets the error grow.
  CooperatingArms arms(robot, planar_cooperation({0.35, 0.65}));
  const ObjectTaskOptions task = on_table(arms);
  MultiArmHybrid wild(std::move(arms), task, {Gain({100, -1}), Kd});
  SimulateOptions o = golden_run();
  o.duration = 1;
  const Recording r = simulate(on_surface(robot), wild, golden_reference, o);
  EXPECT_GT(std::abs(0.2 * std::sin(1.0) - r.x_c(r.size() - 1, 1)),
            std::abs(0.2 * std::sin(0.5) - r.x_c(r.at(0.5), 1)));
}

TEST(MultiArmHybrid, what_does_not_fit_is_refused) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  const MultiArmHybridGains gains{Gain::uniform(3, 100), Gain::uniform(3, 20)};
  const auto make = [&](const CooperationOptions& arms, const ObjectTaskOptions& task) {
    return MultiArmHybrid(robot, arms, task, gains);
  };
  EXPECT_NO_THROW((void)make(planar_cooperation({}), {}));
  EXPECT_THROW((void)make(planar_cooperation({0.5, 0.6}), {}), Error);
  EXPECT_THROW((void)make(planar_cooperation({0.5, 0.3, 0.2}), {}), Error);
  EXPECT_THROW((void)make({.object = "arm_1_link_3"}, {}), Error);
  EXPECT_THROW((void)make(planar_cooperation({}), {.weights = {Gain::uniform(3, 1)}}), Error);
  EXPECT_THROW((void)make(planar_cooperation({}), {.internal = {1, 2, 3}}), Error);
  CooperationOptions spatial = planar_cooperation({});
  spatial.task.axes = "xyz";  // six coordinates, three joints
  spatial.task.angles = TaskAngles::rotation;
  EXPECT_THROW((void)make(spatial, {}), Error);
}

}  // namespace
}  // namespace torsor
