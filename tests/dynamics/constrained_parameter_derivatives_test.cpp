#include "torsor/dynamics/derivatives/constrained_parameter_derivatives.hpp"

#include "dynamics/parameter_cases.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_loops.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/assemble.hpp"

namespace torsor::testing {
namespace {

/// What the truth finds: qdd, tau and lambda one after the other, and the rank of the rows; -1 where
/// they contradict each other.
struct Found {
  Numbers all;
  int rank = 0;
};
Numbers joined(const Numbers& a, const Numbers& b, const Numbers& c) {
  Numbers x = a;
  x.insert(x.end(), b.begin(), b.end());
  x.insert(x.end(), c.begin(), c.end());
  return x;
}

/// The robot built again; friction and springs go around the dynamics, not through it.
Found constrained_of(const Setting& s, const std::vector<char>& prescribed) {
  const Model<double> model(s.robot);
  const ConstraintSet set(model);
  ConstrainedWorkspace ws(model, set);
  Numbers taken(s.qd.size()), qdd(s.qdd), lambda(at(set.n_rows()));
  add_joint_torques(model, s.q, s.qd, taken);
  const Numbers share = testing::load_shares(model, s.qd);
  Numbers tau = testing::transmitted(s.tau, taken, share);
  const ConstrainedResult result = constrained_hybrid_dynamics(
      model, ws, prescribed, s.q, s.qd, qdd, tau, all_wrenches(model, s), lambda);
  tau = testing::supplied(tau, taken, share);
  return {joined(qdd, tau, lambda), result ? result.rank : -1};
}
Numbers inverse_of(const Setting& s, const std::vector<char>& actuated,
                   const ActuationOptions& options) {
  const Model<double> model(s.robot);
  const ConstraintSet set(model);
  ConstrainedInverseWorkspace ws(model, set);
  Numbers taken(s.qd.size()), lambda(at(set.n_rows()));
  add_joint_torques(model, s.q, s.qd, taken);
  const Numbers share = testing::load_shares(model, s.qd);
  Numbers tau = testing::transmitted(s.tau, taken, share);
  (void)constrained_inverse_dynamics(model, set, ws, actuated, s.q, s.qd, s.qdd,
                                     all_wrenches(model, s), tau, lambda, options);
  tau = testing::supplied(tau, taken, share);
  return joined(s.qdd, tau, lambda);
}

Numbers column_of(const ConstrainedParameterDerivatives& d, int c) {
  const auto column = [&](const StoredMatrix<double>& x) {
    return Numbers(x.data.begin() + c * x.rows, x.data.begin() + (c + 1) * x.rows);
  };
  return joined(column(d.dqdd), column(d.dtau), column(d.dlambda));
}

/// Friction that is smooth, motors and a spring-damper to the ground.
Setting decorated(RobotDescription robot, const Numbers& q, unsigned seed) {
  Setting s;
  for (Joint& j : robot.joints) {
    if (j.kind != JointKind::fixed) {
      j.friction.resize(at(n_v(j)));
      j.actuator.resize(at(n_v(j)));
    }
    for (Friction& f : j.friction)
      f = {.viscous = f.viscous + 0.1,
           .damping = f.damping + 0.1,
           .coulomb = f.coulomb + 0.3,
           .stiction = 2 * f.coulomb + 0.5,
           .stribeck = 0.8,
           .width = 0.5,
           .load = n_v(j) == 1 ? 0.2 : 0};
    for (Actuator& a : j.actuator) a = {0.05, 2, 0.05, 0, 0.3};
  }
  for (Link& link : robot.links) {  // so that every number of it can grow and shrink
    link.inertial.mass += 0.5;
    link.inertial.about_com = link.inertial.about_com + Sym3<double>::diagonal(0.05, 0.06, 0.07);
    link.has_inertial = true;
  }
  const std::string last = robot.links.back().name;
  robot.springs.push_back({"spring", "", last, {0.3, 0.1, -0.2}, {0, 0.1, 0}, 20, 0.1, 2, {}});
  s.robot = robot;
  const Model<double> model(robot);
  const State<double> state(model, seed);
  s.q = q, s.qd = state.qd, s.qdd = state.qdd, s.tau = state.tau, s.F_ext = state.F_ext;
  s.F_ext[0] = {};
  return s;
}
Setting mechanism(const std::string& name, unsigned seed) {
  const Model<double> model(load_robot(name));
  const ConstraintSet set(model);
  State<double> state(model, seed);
  AssemblyWorkspace ws(model, set);
  neutral(model, state.q);
  for (double& x : state.qd) x *= 0.1;
  integrate(model, Numbers(state.q), state.qd, state.q);
  EXPECT_TRUE(assemble(model, set, ws, state.q)) << name;
  Setting s = decorated(model.description(), state.q, seed);
  EXPECT_LT(project_velocity(model, set, ws, s.q, s.qd), 1e-10);
  EXPECT_LT(project_acceleration(model, set, ws, s.q, s.qd, s.qdd), 1e-10);
  return s;
}
std::vector<Case> every(const std::vector<Case>& cases, std::size_t stride) {
  std::vector<Case> some;
  for (std::size_t k = 0; k < cases.size(); k += stride) some.push_back(cases[k]);
  return some;
}

/// Hybrid dynamics against the robot built again; none prescribed: forward dynamics. Where the rank
/// of the rows changes with the parameter there is no derivative, and the answer says so.
int check_hybrid(const Setting& s, const std::vector<Case>& cases,
                 const std::vector<char>& prescribed, const std::string& what) {
  const Model<double> model(s.robot);
  const ConstraintSet set(model);
  const std::vector<Parameter> list = parameters_of(cases);
  ConstrainedParameterWorkspace ws(model, set);
  ConstrainedParameterDerivatives out(model, set, static_cast<int>(list.size()));
  Numbers qdd = s.qdd, tau = s.tau, lambda(at(set.n_rows()));
  EXPECT_TRUE(constrained_hybrid_dynamics_derivatives(model, ws, list, prescribed, s.q, s.qd, qdd,
                                                      tau, s.F_ext, lambda, out))
      << what;
  const Found here = constrained_of(s, prescribed);
  expect_near(joined(qdd, tau, lambda), here.all, 1e-9 * size_of(here.all), what);
  int compared = 0;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const std::string name = what + " " + list[c].name;
    Setting there = s;
    cases[c].edit(there, cases[c].step);
    EXPECT_EQ(out.defined.data()[c] != 0, constrained_of(there, prescribed).rank == here.rank)
        << name;
    if (!out.defined.data()[c]) continue;
    const Numbers want = difference_of(
        s, cases[c].edit, [&](const Setting& x) { return constrained_of(x, prescribed).all; },
        cases[c].step / 4);
    Numbers got = column_of(out, static_cast<int>(c));
    for (int i = 1; i < model.n_bodies(); ++i)  // the truth changes what is not read as well
      for (int k = model.body(i).v.first; k < model.body(i).v.first + model.body(i).v.count; ++k) {
        const std::size_t given = at(prescribed[at(i)] ? k : model.n_v() + k);
        got[given] = want[given];
      }
    expect_near(got, want, 1e-6 * size_of(want), name);
    ++compared;
  }
  return compared;
}
void check_inverse(const Setting& s, const std::vector<Case>& cases,
                   const std::vector<char>& actuated, const ActuationOptions& options,
                   const std::string& what) {
  const Model<double> model(s.robot);
  const ConstraintSet set(model);
  const std::vector<Parameter> list = parameters_of(cases);
  ConstrainedParameterWorkspace ws(model, set);
  ConstrainedParameterDerivatives out(model, set, static_cast<int>(list.size()));
  Numbers tau = s.tau, lambda(at(set.n_rows()));
  ASSERT_TRUE(constrained_inverse_dynamics_derivatives(model, ws, list, actuated, s.q, s.qd, s.qdd,
                                                       s.F_ext, tau, lambda, out, options))
      << what;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    if (!out.defined.data()[c]) continue;
    const Numbers want = difference_of(
        s, cases[c].edit, [&](const Setting& x) { return inverse_of(x, actuated, options); },
        cases[c].step / 4);
    Numbers got = column_of(out, static_cast<int>(c));
    for (int k = 0; k < model.n_v(); ++k) {
      got[at(k)] = want[at(k)];
      if (actuated[at(k)] && list[c].name.rfind("tau:", 0) == 0)
        got[at(model.n_v() + k)] = want[at(model.n_v() + k)];
    }
    expect_near(got, want, 1e-6 * size_of(want), what + " " + list[c].name);
  }
}

TEST(ConstrainedParameterDerivatives, L_10_every_loop_kind_agrees_with_the_robot_built_again) {
  for (const LoopJoint::Kind kind : every_loop_kind()) {
    const LoopedRobot robot = random_loops(3, 12, {kind}, {.motors = true});
    const Setting s = decorated(robot.model.description(), robot.q, 5);
    const std::vector<Case> cases = every(every_case(Model<double>(s.robot)), 5);
    const std::vector<char> none(at(robot.model.n_bodies()));
    std::vector<char> some = none;
    for (std::size_t i = 2; i < some.size(); i += 7) some[i] = 1;
    const std::string name = name_of(kind);
    EXPECT_GT(check_hybrid(s, cases, none, name + " fd"), 50);
    EXPECT_GT(check_hybrid(s, cases, some, name + " hd"), 50);
    check_inverse(s, cases, std::vector<char>(s.qd.size(), 1), {}, name + " id");
  }
}

TEST(ConstrainedParameterDerivatives, L_10_planar_mechanisms_agree_or_say_that_the_rank_changes) {
  for (const char* name : {"four_bar", "five_bar", "slider_crank"}) {
    const Setting s = mechanism(name, 11);
    const Model<double> model(s.robot);
    const std::vector<Case> cases = every_case(model);
    std::vector<char> mask(at(model.n_bodies()));
    EXPECT_GT(check_hybrid(s, cases, mask, std::string(name) + " fd"), 100);
    mask[1] = 1;
    EXPECT_GT(check_hybrid(s, cases, mask, std::string(name) + " hd"), 100);
  }
}

TEST(ConstrainedParameterDerivatives, L_10_inverse_dynamics_of_a_five_bar_with_two_to_five_motors) {
  const Setting s = mechanism("five_bar", 11);
  const Numbers weights{1, 3, 0.5, 2, 1};
  for (const int motors : {2, 3, 5})
    for (const auto choice :
         {ActuationOptions::Choice::least_force, ActuationOptions::Choice::least_torque})
      check_inverse(s, every_case(Model<double>(s.robot)),
                    {1, char(motors > 2), 1, char(motors > 3), char(motors > 3)}, {choice, weights},
                    std::to_string(motors) + " motors");
}

/// Links on fixed joints that carry the ends of a loop: the loop's frames move with them.
TEST(ConstrainedParameterDerivatives, placement_of_a_fixed_joint_carries_the_end_of_a_loop) {
  RobotDescription robot = random_tree(4, 7, {.kinds = one_dof_kinds()});
  robot.links.emplace_back();
  robot.links.back().name = "foot";
  Joint fixed;
  fixed.name = "ankle", fixed.kind = JointKind::fixed;
  fixed.parent = "link_7", fixed.child = "foot";
  fixed.placement = exp(Twist<double>{{0.3, -0.2, 0.5}, {0.1, 0.2, 0.3}});
  robot.joints.push_back(fixed);
  LoopJoint loop;
  loop.name = "ground", loop.kind = LoopJoint::Kind::distance, loop.distance = 0.7;
  loop.link_a = "base", loop.link_b = "foot";
  loop.placement_b = exp(Twist<double>{{0.1, 0.2, 0.5}, {-0.1, 0.2, 0.1}});
  robot.loops.push_back(loop);
  const Setting s = decorated(robot, random_q(Model<double>(robot), 3), 4);
  std::vector<Case> cases;
  for (const Case& c : every_case(Model<double>(s.robot)))
    if (c.parameter.name.rfind("placement.ankle", 0) == 0) cases.push_back(c);
  ASSERT_EQ(cases.size(), 6u);
  EXPECT_EQ(check_hybrid(s, cases, std::vector<char>(8), "foot"), 6);
}

TEST(ConstrainedParameterDerivatives, columns_of_the_state_are_those_of_constrained_derivatives) {
  const LoopedRobot robot =
      random_loops(6, 14, {LoopJoint::Kind::revolute}, {.rotors = false, .motors = true});
  RobotDescription rigid = robot.model.description();
  for (Joint& j : rigid.joints) j.friction.clear(), j.actuator.clear(), j.spring.clear();
  for (Motor& motor : rigid.motors) motor.friction = {};
  const Model<double> model(rigid);
  const ConstraintSet set(model);
  const State<double> s(model, 2);
  const ConstrainedOptions options{{3, 7}};
  const int n = model.n_v();
  std::vector<Parameter> list;
  for (int k = 0; k < n; ++k) list.push_back(Parameter::coordinate(model, k));
  for (int k = 0; k < n; ++k) list.push_back(Parameter::velocity(model, k));
  for (int k = 0; k < n; ++k) list.push_back(Parameter::torque(model, k));
  ConstrainedParameterWorkspace ws(model, set);
  ConstrainedParameterDerivatives got(model, set, 3 * n);
  ConstrainedDerivatives want(model, set);
  Numbers qdd(s.qd.size()), lambda(at(set.n_rows()));
  {
    AllocationCounter counter;
    (void)constrained_forward_dynamics_derivatives(model, ws, list, robot.q, s.qd, s.tau, s.F_ext,
                                                   qdd, lambda, got, options);
    EXPECT_EQ(counter.count(), 0u);
  }
  ASSERT_TRUE(constrained_forward_dynamics_derivatives(model, ws.constrained, robot.q, s.qd, s.tau,
                                                       s.F_ext, want, options));
  Numbers dqdd, dlambda;
  for (const auto* x : {&want.dqdd_dq, &want.dqdd_dqd, &want.dqdd_dtau})
    dqdd.insert(dqdd.end(), x->data.begin(), x->data.end());
  for (const auto* x : {&want.dlambda_dq, &want.dlambda_dqd, &want.dlambda_dtau})
    dlambda.insert(dlambda.end(), x->data.begin(), x->data.end());
  expect_near(got.dqdd.data, dqdd, 1e-10 * size_of(dqdd), "qdd");
  expect_near(got.dlambda.data, dlambda, 1e-10 * size_of(dlambda), "lambda");
}

}  // namespace
}  // namespace torsor::testing
