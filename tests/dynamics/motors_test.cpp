// Motors that turn with several joints: M = M_0 + N^T I N in every verb.
#include <gtest/gtest.h>

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/constrained/constrained.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/derivatives/energy_derivatives.hpp"
#include "torsor/dynamics/derivatives/hybrid_derivatives.hpp"
#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/dynamics/minverse_times.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/parameter_name.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;
using Numbers = std::vector<double>;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

RobotDescription tree(unsigned seed, int joints = 10) {
  return testing::random_tree(seed, joints, testing::everything());
}
void expect_same(const Numbers& a, const Numbers& b, double tolerance, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  double size = 1;
  for (const double x : b) size = std::max(size, std::abs(x));
  for (std::size_t k = 0; k < a.size(); ++k)
    EXPECT_NEAR(a[k], b[k], tolerance * size) << what << " " << k;
}

TEST(Motors, mass_matrix_is_that_of_the_tree_and_a_rank_one_term_for_each) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const RobotDescription with = tree(seed);
    RobotDescription without = with;
    without.motors.clear();
    const Model<double> model(with), bare(without);
    ASSERT_EQ(model.motors().size(), 2);
    const State<double> s(model, seed);
    CrbaWorkspace<double> ws(model), bare_ws(bare);
    Square<double> M(model.n_v()), M0(model.n_v());
    mass_matrix(model, ws, s.q, M.view());
    mass_matrix(bare, bare_ws, s.q, M0.view());
    for (const Motor& motor : with.motors)
      for (const Coupling::Term& a : motor.ratios)
        for (const Coupling::Term& b : motor.ratios)
          M0(model.body(model.joint_index(a.joint)).v.first,
             model.body(model.joint_index(b.joint)).v.first) +=
              motor.rotor_inertia * a.factor * b.factor;
    expect_same(M.data, M0.data, 1e-14, "M");
  }
}

/// The motor of a single joint is its actuator: another way through every verb.
struct Pair {
  RobotDescription coupled, geared;
  explicit Pair(unsigned seed) {
    geared = testing::random_tree(seed, 8, {.dissipation = false, .rotors = false});
    coupled = geared;
    testing::Draw<double> draw(seed + 3);
    for (std::size_t j = 0; j < geared.joints.size(); ++j) {
      Joint& joint = geared.joints[j];
      if (n_q(joint) != 1) continue;
      const double ratio = draw(1, 4) * (draw() < 0 ? -1 : 1), size = std::abs(ratio);
      const double sign = ratio < 0 ? -1 : 1;
      Motor motor;
      motor.name = "motor of " + joint.name;
      motor.ratios = {{joint.name, ratio}};
      motor.rotor_inertia = draw(0.001, 0.02);
      motor.friction = {0.02, 0, 0.1, 0.2, 0.5, 0.3, 0.05, 0.01, 0.03};
      coupled.motors.push_back(motor);
      const Friction& f = motor.friction;
      joint.actuator = {{motor.rotor_inertia, ratio, f.viscous, 0, 0}};
      // tau = ratio friction(ratio v), term by term
      joint.friction = {{0, 0, size * f.coulomb, size * f.stiction, f.stribeck / size,
                         f.width / size, ratio * f.offset,
                         sign * ratio * ratio * f.viscous_asymmetry, ratio * f.coulomb_asymmetry}};
    }
  }
};

TEST(Motors, of_a_single_joint_are_its_actuator_in_every_verb) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Pair pair(seed);
    const Model<double> a(pair.coupled), b(pair.geared);
    ASSERT_FALSE(a.motors().empty());
    const State<double> s(a, seed);
    const int n = a.n_v();
    DynamicsWorkspace<double> wa(a), wb(b);
    Numbers x(s.tau), y(s.tau);
    EXPECT_TRUE(inverse_dynamics(a, wa, s.q, s.qd, s.qdd, s.F_ext, x));
    EXPECT_TRUE(inverse_dynamics(b, wb, s.q, s.qd, s.qdd, s.F_ext, y));
    expect_same(x, y, 1e-12, "inverse");
    EXPECT_TRUE(forward_dynamics(a, wa, s.q, s.qd, s.tau, s.F_ext, x));
    EXPECT_TRUE(forward_dynamics(b, wb, s.q, s.qd, s.tau, s.F_ext, y));
    expect_same(x, y, 1e-10, "forward");
    std::vector<char> prescribed(at(a.n_bodies()));
    for (int i = 1; i < a.n_bodies(); ++i)
      prescribed[at(i)] = (i + static_cast<int>(seed)) % 3 == 0;
    Numbers qdd_a = s.qdd, qdd_b = s.qdd, tau_a = s.tau, tau_b = s.tau;
    EXPECT_TRUE(hybrid_dynamics(a, wa, prescribed, s.q, s.qd, qdd_a, tau_a, s.F_ext));
    EXPECT_TRUE(hybrid_dynamics(b, wb, prescribed, s.q, s.qd, qdd_b, tau_b, s.F_ext));
    expect_same(qdd_a, qdd_b, 1e-10, "hybrid qdd");
    expect_same(tau_a, tau_b, 1e-10, "hybrid tau");

    MomentumWorkspace<double> ma(a), mb(b);
    EXPECT_NEAR(kinetic_energy(a, ma, s.q, s.qd), kinetic_energy(b, mb, s.q, s.qd), 1e-12);
    Square<double> A(n), B(n), A2(n), B2(n), A3(n), B3(n);
    MinverseWorkspace<double> ia(a), ib(b);
    EXPECT_TRUE(mass_matrix_inverse(a, ia, s.q, A.view()));
    EXPECT_TRUE(mass_matrix_inverse(b, ib, s.q, B.view()));
    expect_same(A.data, B.data, 1e-10, "inverse of M");
    ForwardDynamicsDerivativesWorkspace<double> da(a), db(b);
    qdd_a = qdd_b = s.qdd, tau_a = tau_b = s.tau;
    EXPECT_TRUE(rigid_hybrid_dynamics_derivatives(a, da, prescribed, s.q, s.qd, qdd_a, tau_a,
                                                  s.F_ext, A.view(), A2.view(), A3.view()));
    EXPECT_TRUE(rigid_hybrid_dynamics_derivatives(b, db, prescribed, s.q, s.qd, qdd_b, tau_b,
                                                  s.F_ext, B.view(), B2.view(), B3.view()));
    expect_same(qdd_a, qdd_b, 1e-10, "hybrid derivatives: qdd");
    expect_same(tau_a, tau_b, 1e-10, "hybrid derivatives: tau");
    expect_same(A.data, B.data, 1e-9, "by q");
    expect_same(A2.data, B2.data, 1e-9, "by qd");
    expect_same(A3.data, B3.data, 1e-9, "by what is given");
  }
}

TEST(Motors, d_energy_is_power_less_what_friction_takes) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    using Tangent = Dual<double, 1>;
    const Model<double> model(tree(seed));
    const State<double> s(model, seed);
    RneaWorkspace<double> ws(model);
    Numbers tau(s.tau.size()), friction(s.tau.size()), gravity(s.tau.size());
    rigid_inverse_dynamics(model, ws, s.q, s.qd, s.qdd, {}, tau);
    gravity_torque(model, ws, s.q, gravity);
    std::vector<Tangent> q0(s.q.begin(), s.q.end()), q(q0), qd, step;
    for (std::size_t k = 0; k < s.qd.size(); ++k) {
      qd.push_back(Tangent(s.qd[k]));
      qd[k].d[0] = s.qdd[k];
      step.push_back(Tangent(0));
      step[k].d[0] = s.qd[k];
    }
    integrate(model, q0, step, q);
    MomentumWorkspace<Tangent> energy(model);
    double power = 0, size = 1;
    for (std::size_t k = 0; k < s.qd.size(); ++k) {
      power += (tau[k] - gravity[k]) * s.qd[k];
      size += std::abs(tau[k] * s.qd[k]);
    }
    EXPECT_NEAR(kinetic_energy(model, energy, q, qd).d[0], power, 1e-12 * size);
  }
}

TEST(Motors, differential_wrist_in_closed_form) {
  // Two massive hinges about one axis would hide the coupling: two parallel sliders show it.
  ModelBuilder b("sliders");
  b.prismatic("x", "base", "car", {}, {1, 0, 0});
  b.prismatic("y", "base", "cart", {}, {1, 0, 0});
  b.inertia("car", 2, {}).inertia("cart", 3, {});
  Motor sum{"sum", {{"x", 1}, {"y", 1}}, 0.5, {.viscous = 0.1, .offset = 0.2}, {}};
  Motor difference{"difference", {{"x", 2}, {"y", -2}}, 0.25, {.coulomb = 0.3}, {}};
  b.motor(sum).motor(difference);
  const Model<double> model = b.build();
  // M = diag(2, 3) + 0.5 (1, 1)(1, 1)^T + 0.25 (2, -2)(2, -2)^T = (3.5, -0.5; -0.5, 4.5)
  DynamicsWorkspace<double> ws(model);
  Numbers tau(2), qdd(2);
  EXPECT_TRUE(inverse_dynamics(model, ws, Numbers{0, 0}, Numbers{3, 1}, Numbers{1, 2}, {}, tau));
  const double f_sum = 0.1 * 4 + 0.2, f_difference = 0.3;  // at the motors: 4 and 4 m/s
  EXPECT_NEAR(tau[0], 3.5 * 1 - 0.5 * 2 + f_sum + 2 * f_difference, 1e-14);
  EXPECT_NEAR(tau[1], -0.5 * 1 + 4.5 * 2 + f_sum - 2 * f_difference, 1e-14);
  EXPECT_TRUE(forward_dynamics(model, ws, Numbers{0, 0}, Numbers{3, 1}, tau, {}, qdd));
  EXPECT_NEAR(qdd[0], 1, 1e-14);
  EXPECT_NEAR(qdd[1], 2, 1e-14);
  MomentumWorkspace<double> momentum(model);
  EXPECT_NEAR(kinetic_energy(model, momentum, Numbers{0, 0}, Numbers{3, 1}),
              0.5 * (2 * 9 + 3 * 1 + 0.5 * 16 + 0.25 * 16), 1e-14);
  EXPECT_TRUE(inverse_dynamics(model, ws, Numbers{0, 0}, Numbers{3, 1}, Numbers{1, 2}, {}, tau,
                               Effects::none()));
  EXPECT_NEAR(tau[0], 2, 1e-14);
  EXPECT_TRUE(forward_dynamics(model, ws, Numbers{0, 0}, Numbers{3, 1}, Numbers{2, 6}, {}, qdd,
                               Effects::none()));
  EXPECT_NEAR(qdd[0], 1, 1e-14);
  EXPECT_NEAR(qdd[1], 2, 1e-14);
}

TEST(Motors, verbs_allocate_nothing) {
  const Model<double> model(tree(7, 12));
  State<double> s(model, 7);
  const int n = model.n_v();
  DynamicsWorkspace<double> ws(model);
  ForwardDynamicsDerivativesWorkspace<double> derivatives(model);
  MinverseTimesWorkspace<double> times(model);
  ParameterWorkspace<double> parameter(model);
  const std::vector<Parameter> list = parse_parameters(model, "motor.motor_1.rotor,qd");
  Square<double> A(n), B(n), C(n);
  Numbers columns(at(n) * list.size());
  const std::vector<char> prescribed(at(model.n_bodies()), 1);
  const testing::AllocationCounter counter;
  EXPECT_TRUE(inverse_dynamics(model, ws, s.q, s.qd, s.qdd, s.F_ext, s.tau));
  EXPECT_TRUE(forward_dynamics(model, ws, s.q, s.qd, s.tau, s.F_ext, s.qdd));
  EXPECT_TRUE(hybrid_dynamics(model, ws, prescribed, s.q, s.qd, s.qdd, s.tau, s.F_ext));
  EXPECT_TRUE(rigid_forward_dynamics_derivatives(model, derivatives, s.q, s.qd, s.tau, s.F_ext,
                                                 s.qdd, A.view(), B.view(), C.view()));
  EXPECT_TRUE(mass_matrix_inverse_times(model, times, s.q, A.view(), B.view()));
  EXPECT_TRUE(tree_forward_dynamics_derivatives<double>(
      model, parameter, list, s.q, s.qd, s.tau, s.F_ext, s.qdd,
      column_major(columns.data(), n, static_cast<int>(list.size()))));
  EXPECT_EQ(counter.count(), 0u);
}

std::string refusal(const RobotDescription& robot) {
  try {
    (void)Model<double>(robot);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Motors, what_is_refused_is_said_with_the_motor_and_the_joint) {
  const RobotDescription good = testing::random_tree(
      3, 4,
      {.kinds = {JointKind::revolute, JointKind::spherical}, .fixed_links = false, .motors = true});
  EXPECT_EQ(refusal(good), "");
  const auto expect = [&](const auto& change, const char* words) {
    RobotDescription bad = good;
    change(bad);
    const std::string message = refusal(bad);
    EXPECT_NE(message.find("motor \"motor_1\""), std::string::npos) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  expect([](RobotDescription& r) { r.motors[1].name = "motor_1"; }, "appears twice");
  expect([](RobotDescription& r) { r.motors[0].ratios.clear(); }, "no joint");
  expect([](RobotDescription& r) { r.motors[0].ratios[0].joint = "joint_9"; }, "joint_9");
  expect([](RobotDescription& r) { r.motors[0].ratios[0].factor = 0; }, "ratio");
  expect([](RobotDescription& r) { r.motors[0].rotor_inertia = -1; }, "rotor inertia is -1");
  expect([](RobotDescription& r) { r.motors[0].friction.viscous = -1; }, "-1");
  expect(
      [](RobotDescription& r) {
        for (const Joint& j : r.joints)
          if (j.kind == JointKind::spherical) r.motors[0].ratios[0].joint = j.name;
      },
      "4 coordinates");
}

/// Two joints whose motors are crossed, tied together: one inertia, (n_1 + n_2)^2 of the rotor.
TEST(Motors, a_coupling_makes_one_joint_of_two_and_its_motor_turns_with_both) {
  ModelBuilder b("tied");
  b.revolute("a", "base", "one", {}, {0, 0, 1});
  b.revolute("b", "base", "two", {.p = {1, 0, 0}}, {0, 0, 1});
  b.inertia("one", 1, {}, {0.1, 0, 0.1, 0, 0, 0.3});
  b.inertia("two", 1, {}, {0.1, 0, 0.1, 0, 0, 0.2});
  b.mimic("b", "a", 2);
  b.motor({"m", {{"a", 5}, {"b", -1}}, 0.01, {.viscous = 0.02}, {}});
  const Model<double> model = b.build();
  DynamicsWorkspace<double> ws(model);
  const Numbers q{0.3, 0.6}, qd{1, 2}, tau{7, 0};
  Numbers qdd(2), back(2);
  // qd_b = 2 qd_a: inertia 0.3 + 4 * 0.2, the motor turns 5 - 2 = 3 times
  const double expected = (7 - 9 * 0.02) / (0.3 + 4 * 0.2 + 9 * 0.01);
  ASSERT_TRUE(forward_dynamics(model, ws, q, qd, tau, {}, qdd));
  EXPECT_NEAR(qdd[0], expected, 1e-12);
  EXPECT_NEAR(qdd[1], 2 * expected, 1e-12);
  ASSERT_TRUE(inverse_dynamics(model, ws, q, qd, qdd, {}, back));
  EXPECT_NEAR(back[0] + 2 * back[1], 7, 1e-12);
}

TEST(Motors, surgery_keeps_reduces_or_refuses_them) {
  ModelBuilder b("arm");
  b.revolute("a", "base", "one");
  b.revolute("b", "one", "two", {.p = {1, 0, 0}});
  b.revolute("c", "two", "three", {.p = {1, 0, 0}});
  for (const char* link : {"one", "two", "three"})
    b.inertia(link, 1, {0.5, 0, 0}, {0.1, 0, 0.1, 0, 0, 0.1});
  b.motor({"m", {{"b", 3}, {"c", 2}}, 0.1, {.viscous = 0.1}, {}});
  const Model<double> model = b.build();

  const Model<double> locked = lock_joints(model, {"b"}, Numbers{0, 0.3, 0});
  ASSERT_EQ(locked.motors().size(), 1);
  EXPECT_EQ(locked.description().motors[0].ratios.size(), 1u);
  EXPECT_EQ(locked.motors()[0].terms[0].ratio, 2);
  EXPECT_TRUE(lock_joints(model, {"b", "c"}, Numbers{0, 0, 0}).motors().empty());
  EXPECT_EQ(extract(model, "one", "three").motors().size(), 1);
  EXPECT_TRUE(extract(model, "base", "one").motors().empty());
  EXPECT_THROW((void)extract(model, "base", "two"), Error);
  const Model<double> two = append(model, model, "three", {}, "arm_");
  ASSERT_EQ(two.motors().size(), 2);
  EXPECT_EQ(two.description().motors[1].name, "arm_m");
  EXPECT_EQ(two.motors()[1].terms[0].v, 4);
  EXPECT_EQ(with_base(model, JointKind::free, "base_joint").motors()[0].terms[0].v, 7);
  EXPECT_EQ(with_effects(model, {.rotors = false}).motors()[0].constants.armature, 0);
  EXPECT_TRUE(with_effects(model, Effects::none()).motors().empty());
  EXPECT_EQ(model.cast<float>().motors()[0].terms[1].ratio, 2.0f);
}

TEST(Motors, parameters_have_names) {
  const Model<double> model(tree(5));
  EXPECT_EQ(parse_parameter(model, "motor.motor_1.coulomb")[0].name, "motor.motor_1.coulomb");
  EXPECT_EQ(parse_parameter(model, "motor.motor_1").size(), 10u);
  for (const char* wrong : {"motor.motor_9.rotor", "motor.motor_1.gear", "motor"})
    EXPECT_THROW((void)parse_parameter(model, wrong), Error) << wrong;
}

}  // namespace
}  // namespace torsor
