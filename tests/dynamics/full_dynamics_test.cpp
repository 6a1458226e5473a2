#include "torsor/dynamics/full_dynamics.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using testing::State;

/// Friction, rotors, joint springs, disturbances, and springs between links.
RobotDescription everything(unsigned seed, int joints = 12) {
  RobotDescription robot = testing::random_tree(seed, joints, testing::everything());
  testing::Draw<double> draw(seed + 5);
  for (Joint& j : robot.joints) {
    const bool rates = j.kind == JointKind::revolute || j.kind == JointKind::prismatic ||
                       j.kind == JointKind::universal || j.kind == JointKind::helical;
    if (rates) j.spring.resize(static_cast<std::size_t>(n_v(j)), {draw(1, 20), draw()});
    for (Actuator& a : j.actuator) a.disturbance = draw();
  }
  SpringDamper s;
  s.name = "tie";
  s.link_a = "link_2", s.link_b = "link_9";
  s.point_a = draw.vec(0.3), s.point_b = draw.vec(0.3);
  s.stiffness = 30, s.damping = 2, s.rest_length = 0.2, s.preload = 4;
  if (joints >= 9) robot.springs.push_back(s);
  return robot;
}
std::vector<char> every_other(const Model<double>& model) {
  std::vector<char> prescribed(static_cast<std::size_t>(model.n_bodies()));
  for (std::size_t i = 1; i < prescribed.size(); i += 2) prescribed[i] = 1;
  return prescribed;
}

template <class Real>
class Extended : public ::testing::Test {};
TYPED_TEST_SUITE(Extended, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Extended, D_33_forward_and_hybrid_dynamics_undo_inverse_dynamics) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> robot(everything(seed));
    const auto model = testing::model_for<Real>(robot);
    const State<Real> s(model, seed);
    DynamicsWorkspace<Real> ws(model);
    std::vector<Real> tau(s.tau.size()), qdd(s.tau.size()), back(s.tau.size());
    EXPECT_TRUE(forward_dynamics(model, ws, s.q, s.qd, s.tau, s.F_ext, qdd));
    EXPECT_TRUE(inverse_dynamics(model, ws, s.q, s.qd, qdd, s.F_ext, tau));
    // Accelerations of light ends are large, and tau is a small difference of what they cost.
    const double scale = 2e3 * testing::scale_of(qdd);
    for (std::size_t k = 0; k < tau.size(); ++k) EXPECT_CLOSE(tau[k], s.tau[k], scale);
    const std::vector<char> prescribed = every_other(robot);
    std::vector<Real> mixed_qdd(qdd.size(), Real(0)), mixed_tau(tau.size(), Real(0));
    for (int i = 1; i < model.n_bodies(); ++i)
      for (int j = 0; j < model.body(i).v.count; ++j) {
        const auto k = static_cast<std::size_t>(model.body(i).v.first + j);
        (prescribed[static_cast<std::size_t>(i)] ? mixed_qdd : mixed_tau)[k] =
            (prescribed[static_cast<std::size_t>(i)] ? qdd : s.tau)[k];
      }
    EXPECT_TRUE(hybrid_dynamics(model, ws, prescribed, s.q, s.qd, mixed_qdd, mixed_tau, s.F_ext));
    for (std::size_t k = 0; k < tau.size(); ++k) {
      EXPECT_CLOSE(mixed_tau[k], s.tau[k], scale) << "seed " << seed;
      EXPECT_CLOSE(mixed_qdd[k], qdd[k], scale) << "seed " << seed;
    }
  }
}

TEST(ExtendedDynamics, D_33_terms_left_out_are_those_of_the_joints) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RobotDescription description = everything(seed);
    description.springs.clear();
    const Model<double> model(description);
    const State<double> s(model, seed);
    DynamicsWorkspace<double> ws(model);
    RneaWorkspace<double> rnea(model);
    std::vector<double> all(s.tau.size()), rigid(all), friction(all), spring(all), none(all);
    EXPECT_TRUE(inverse_dynamics(model, ws, s.q, s.qd, s.qdd, s.F_ext, all));
    EXPECT_TRUE(inverse_dynamics(model, ws, s.q, s.qd, s.qdd, s.F_ext, none, Effects::none()));
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, s.F_ext, rigid);
    friction_torque(model, s.q, s.qd, friction);
    joint_spring_torque(model, s.q, spring);
    // what load takes of the transmitted torque
    for (std::size_t k = 0; k < friction.size(); ++k)
      if (const DofConstants<double>& dof = model.dof(static_cast<int>(k)); dof.load > 0)
        friction[k] += dof.load * std::tanh(s.qd[k] / dof.width) * std::abs(rigid[k]);
    for (int k = 0; k < model.n_v(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      double rotor = model.dof(k).armature * s.qdd[at];
      for (const Motor& motor : description.motors)
        for (const Coupling::Term& a : motor.ratios)
          for (const Coupling::Term& b : motor.ratios)
            if (model.body(model.joint_index(a.joint)).v.first == k)
              rotor +=
                  motor.rotor_inertia * a.factor * b.factor *
                  s.qdd[static_cast<std::size_t>(model.body(model.joint_index(b.joint)).v.first)];
      const double scale = 20 * testing::scale_of(all);
      EXPECT_CLOSE(none[at] + rotor, rigid[at], scale);
      EXPECT_CLOSE(all[at], rigid[at] + friction[at] + spring[at] - model.dof(k).disturbance,
                   scale);
    }
  }
}

TEST(ExtendedDynamics, C_08_friction_of_the_user_is_added_and_taken_away) {
  const Model<double> model(everything(4));
  const State<double> s(model, 4);
  DynamicsWorkspace<double> ws(model);
  const auto wavy = [](int k, In<double> q, In<double> qd) {
    return 0.3 * std::sin(q[0]) * qd[k];  // depends on position and velocity
  };
  std::vector<double> with(s.tau.size()), without(with), qdd(with);
  EXPECT_TRUE(inverse_dynamics(model, ws, s.q, s.qd, s.qdd, {}, with, {}, wavy));
  EXPECT_TRUE(inverse_dynamics(model, ws, s.q, s.qd, s.qdd, {}, without));
  for (std::size_t k = 0; k < with.size(); ++k)
    EXPECT_NEAR(with[k] - without[k], 0.3 * std::sin(s.q[0]) * s.qd[k], 1e-12);
  EXPECT_TRUE(forward_dynamics(model, ws, s.q, s.qd, with, {}, qdd, {}, wavy));
  for (std::size_t k = 0; k < qdd.size(); ++k)
    EXPECT_CLOSE(qdd[k], s.qdd[k], 1e4 * testing::scale_of(with));
}

TEST(ExtendedDynamics, a_robot_without_friction_has_neither_friction_nor_rotors) {
  const Model<double> model(testing::random_tree(3, 12, testing::everything())),
      rigid = without_friction(model);
  const State<double> s(model, 3);
  DynamicsWorkspace<double> ws(rigid);
  RneaWorkspace<double> rnea(model);
  rnea.rotors = false;
  std::vector<double> tau(s.tau.size()), expected(tau);
  EXPECT_TRUE(inverse_dynamics(rigid, ws, s.q, s.qd, s.qdd, s.F_ext, tau));
  rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, s.F_ext, expected);
  for (std::size_t k = 0; k < tau.size(); ++k) EXPECT_EQ(tau[k], expected[k]);
  EXPECT_EQ(rigid.joint_name(5), model.joint_name(5));
}

/// Whatever is left out, by a call or of the model, the verbs undo each other.
TEST(ExtendedDynamics, effects_of_a_call_are_those_of_a_model_without_them) {
  const Model<double> model(everything(5));
  const State<double> s(model, 5);
  DynamicsWorkspace<double> ws(model);
  std::vector<double> tau(s.tau.size()), qdd(tau), other(tau);
  for (const Effects& effects :
       {Effects{.rotors = false}, Effects{.friction = false}, Effects{.springs = false},
        Effects{.disturbance = false}, Effects::none()}) {
    EXPECT_TRUE(inverse_dynamics(model, ws, s.q, s.qd, s.qdd, s.F_ext, tau, effects));
    const Model<double> reduced = with_effects(model, effects);
    DynamicsWorkspace<double> of_reduced(reduced);
    EXPECT_TRUE(inverse_dynamics(reduced, of_reduced, s.q, s.qd, s.qdd, s.F_ext, other));
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(tau[k], other[k], 20 * testing::scale_of(tau));
    const auto result = forward_dynamics(model, ws, s.q, s.qd, tau, s.F_ext, qdd, effects);
    if (!result) continue;  // parts of a composite joint that move alike need rotors
    for (std::size_t k = 0; k < qdd.size(); ++k)
      EXPECT_CLOSE(qdd[k], s.qdd[k], 1e3 * testing::scale_of(tau) / result.pivot_ratio);
  }
}

TEST(ExtendedDynamics, other_scalars_refuse_a_robot_with_loops_unless_the_tree_is_asked_for) {
  RobotDescription robot = testing::random_tree(2, 6, {.kinds = testing::one_dof_kinds()});
  robot.couplings.push_back({"gear", {{robot.joints[1].name, 1}, {robot.joints[2].name, 2}}, 0});
  const Model<double> model(robot);
  using Tangent = Dual<double, 1>;
  EXPECT_THROW(DynamicsWorkspace<Tangent>{model}, Error);
  const DynamicsWorkspace<Tangent> tree(model, Effects::tree());
  EXPECT_FALSE(tree.loops);
  EXPECT_TRUE(DynamicsWorkspace<double>(model).loops);
}

TEST(ExtendedDynamics, calls_allocate_nothing) {
  const Model<double> model(everything(7, 30));
  const State<double> s(model, 3);
  const std::vector<char> prescribed = every_other(model);
  DynamicsWorkspace<double> ws(model);
  std::vector<double> tau(s.tau), qdd(s.qdd);
  const testing::AllocationCounter counter;
  const auto inverse = inverse_dynamics(model, ws, s.q, s.qd, s.qdd, s.F_ext, tau);
  const auto forward = forward_dynamics(model, ws, s.q, s.qd, s.tau, s.F_ext, qdd);
  const auto hybrid = hybrid_dynamics(model, ws, prescribed, s.q, s.qd, qdd, tau, s.F_ext);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(inverse && forward && hybrid);
}

}  // namespace
}  // namespace torsor
