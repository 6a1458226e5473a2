// Robot: derivatives beside central differences of its own verbs, with everything a robot has; and
// robots with loops, whose open states every verb of the dynamics refuses.
#include <functional>

#include "support/dynamics_state.hpp"
#include "support/refusal.hpp"
#include "support/sprung_tree.hpp"
#include "torsor/dynamics/derivatives/full_derivatives.hpp"
#include "torsor/dynamics/internal/state_derivatives.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/robot.hpp"

namespace torsor {
namespace {

using testing::refusal;
using Vector = Robot::Vector;
using Matrix = Robot::Matrix;

/// Columns (f(+h) - f(-h)) / 2h of a function of n numbers.
Matrix differences(int n, const std::function<Vector(const Vector&)>& f) {
  const double h = 1e-6;
  Matrix out;
  for (int k = 0; k < n; ++k) {
    const Vector step = h * Vector::Unit(n, k);
    const Vector column = (f(step) - f(-step)) / (2 * h);
    if (k == 0) out.resize(column.size(), n);
    out.col(k) = column;
  }
  return out;
}
void expect_near(const Matrix& found, const Matrix& expected, const char* what) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  EXPECT_LT((found - expected).norm(), 2e-7 * (1 + expected.norm())) << what;
}

/// A tree with every kind of joint, friction, springs and rotors.
struct Tree {
  Robot robot{Model<double>(testing::random_tree(5, 8))};
  Vector q, qd, qdd, tau;
  int n = robot.n_v();
  Robot::Wrenches external{{"link_3", Robot::Vector6::Ones()}};

  Tree() {
    const testing::State<double> s(robot.model(), 5);
    const auto eigen = [](const std::vector<double>& x) {
      return Vector(Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    q = eigen(s.q), qd = eigen(s.qd), qdd = eigen(s.qdd), tau = eigen(s.tau);
  }
  Vector at(const Vector& step) const { return robot.integrate(q, step); }
};

TEST(RobotDerivatives, of_inverse_dynamics_are_slopes_of_the_verb) {
  Tree t;
  const auto d = t.robot.inverse_dynamics_derivatives(t.q, t.qd, t.qdd, t.external);
  const auto tau = [&](const Vector& q, const Vector& qd, const Vector& qdd) {
    return t.robot.inverse_dynamics(q, qd, qdd, t.external);
  };
  expect_near(d.tau, tau(t.q, t.qd, t.qdd), "tau");
  expect_near(d.dtau_dq, differences(t.n, [&](auto& x) { return tau(t.at(x), t.qd, t.qdd); }), "q");
  expect_near(d.dtau_dqd, differences(t.n, [&](auto& x) { return tau(t.q, t.qd + x, t.qdd); }),
              "qd");
  expect_near(d.dtau_dqdd, t.robot.mass_matrix(t.q), "qdd");
  EXPECT_EQ(d.lambda.size(), 0);
}

TEST(RobotDerivatives, of_forward_dynamics_are_slopes_of_the_verb) {
  Tree t;
  const auto d = t.robot.forward_dynamics_derivatives(t.q, t.qd, t.tau, t.external);
  ASSERT_TRUE(d);
  const auto qdd = [&](const Vector& q, const Vector& qd, const Vector& tau) {
    return t.robot.forward_dynamics(q, qd, tau, t.external).qdd;
  };
  expect_near(d.qdd, qdd(t.q, t.qd, t.tau), "qdd");
  expect_near(d.dqdd_dq, differences(t.n, [&](auto& x) { return qdd(t.at(x), t.qd, t.tau); }), "q");
  expect_near(d.dqdd_dqd, differences(t.n, [&](auto& x) { return qdd(t.q, t.qd + x, t.tau); }),
              "qd");
  expect_near(d.dqdd_dtau, t.robot.mass_matrix_inverse(t.q).matrix, "tau");
}

/// The state's derivatives beside those by the parameters q, qd and qdd or tau, which take another
/// way: a pass for each parameter.
void expect_both_ways_agree(Robot& robot, const Robot::Wrenches& external) {
  const int n = robot.n_v();
  Vector q = robot.random_configuration(3), qd = Vector::LinSpaced(n, -1, 1.2),
         qdd = Vector::LinSpaced(n, 2, -1.5);
  if (robot.n_constraints() > 0) {
    const auto closed = robot.assemble(q);
    ASSERT_TRUE(closed) << robot.name();
    q = closed.q, qd = robot.project_velocity(q, qd).rates;
    qdd = robot.project_acceleration(q, qd, qdd).rates;
  }
  const auto named = [&](const char* third) {
    return robot.parse_parameters(std::string("q,qd,") + third);
  };
  const auto expect_same = [&](const Matrix& found, const Matrix& expected, const char* what) {
    ASSERT_EQ(found.rows(), expected.rows()) << robot.name() << " " << what;
    EXPECT_LT((found - expected).norm(), 1e-9 * (1 + expected.norm()))
        << robot.name() << " " << what;
  };
  const auto inverse = robot.inverse_dynamics_derivatives(q, qd, qdd, external);
  const auto columns = robot.inverse_dynamics_derivatives(named("qdd"), q, qd, qdd, external);
  expect_same(inverse.tau, columns.tau, "tau");
  expect_same(inverse.dtau_dq, columns.dtau.leftCols(n), "dtau_dq");
  expect_same(inverse.dtau_dqd, columns.dtau.middleCols(n, n), "dtau_dqd");
  expect_same(inverse.dtau_dqdd, columns.dtau.rightCols(n), "dtau_dqdd");
  expect_same(inverse.dlambda_dq, columns.dlambda.leftCols(n), "dlambda_dq");

  const auto forward = robot.forward_dynamics_derivatives(q, qd, inverse.tau, external);
  const auto by = robot.forward_dynamics_derivatives(named("tau"), q, qd, inverse.tau, external);
  EXPECT_EQ(forward.regular, by.regular) << robot.name();
  if (!by) return;
  const double scale = by.dqdd.rightCols(n).norm();  // errors of solving grow with it
  const auto expect_solved = [&](const Matrix& found, const Matrix& expected, const char* what) {
    ASSERT_EQ(found.cols(), expected.cols()) << robot.name() << " " << what;
    EXPECT_LT((found - expected).norm(), 1e-11 * (1 + scale) * (1 + expected.norm()))
        << robot.name() << " " << what;
  };
  expect_solved(forward.qdd, by.qdd, "qdd");
  expect_solved(forward.dqdd_dq, by.dqdd.leftCols(n), "dqdd_dq");
  expect_solved(forward.dqdd_dqd, by.dqdd.middleCols(n, n), "dqdd_dqd");
  expect_solved(forward.dqdd_dtau, by.dqdd.rightCols(n), "dqdd_dtau");

  std::vector<JointHandle> every_third;
  for (std::size_t k = 0; k < robot.joints().size(); k += 3)
    every_third.push_back(robot.joints()[k]);
  for (const JointSet& led : {JointSet(), JointSet(every_third), JointSet(robot.joints())}) {
    const auto hybrid = robot.hybrid_dynamics_derivatives(led, q, qd, qdd, inverse.tau, external);
    const auto parts = robot.hybrid_dynamics_derivatives(robot.parse_parameters("q,qd,qdd,tau"),
                                                         led, q, qd, qdd, inverse.tau, external);
    EXPECT_EQ(hybrid.regular, parts.regular) << robot.name();
    if (!parts) continue;
    const Matrix* const dqdd[] = {&hybrid.dqdd_dq, &hybrid.dqdd_dqd, &hybrid.dqdd_dqdd,
                                  &hybrid.dqdd_dtau};
    const Matrix* const dtau[] = {&hybrid.dtau_dq, &hybrid.dtau_dqd, &hybrid.dtau_dqdd,
                                  &hybrid.dtau_dtau};
    const auto defined = [&](Matrix group, int k) {  // loops may lose rank with what is given
      for (int c = 0; c < n; ++c)
        if (!parts.defined[static_cast<std::size_t>(k * n + c)]) group.col(c).setZero();
      return group;
    };
    for (int k = 0; k < 4; ++k) {
      expect_solved(defined(*dqdd[k], k), defined(parts.dqdd.middleCols(k * n, n), k),
                    "dqdd of hybrid dynamics");
      expect_solved(defined(*dtau[k], k), defined(parts.dtau.middleCols(k * n, n), k),
                    "dtau of hybrid dynamics");
    }
    expect_solved(hybrid.qdd, parts.qdd, "qdd of hybrid dynamics");
    expect_solved(hybrid.tau, parts.tau, "tau of hybrid dynamics");
  }
}

TEST(RobotDerivatives, by_the_state_are_those_by_its_parameters_for_every_built_in_robot) {
  for (const BuiltinRobot& entry : builtin_robots()) {
    if (entry.name.find(':') != std::string::npos) continue;
    Robot robot(entry.name);
    Robot::Wrenches external;
    if (robot.n_constraints() == 0)
      external = {{robot.model().description().links.back().name, Robot::Vector6::Ones()}};
    expect_both_ways_agree(robot, external);
  }
}

TEST(RobotDerivatives, by_the_state_are_those_by_its_parameters_with_everything_joints_have) {
  bool loaded = false, coupled = false;
  for (unsigned seed = 1; seed < 40; ++seed) {
    RobotDescription description = testing::sprung_tree(seed, 6);
    description.springs.clear();  // of links
    Robot robot{Model<double>(description)};
    EXPECT_TRUE(internal::StateDerivativesWorkspace(robot.model()).covers);
    loaded = loaded || internal::has_load_friction(robot.model());
    coupled = coupled || !robot.model().motors().empty();
    expect_both_ways_agree(robot, {{"link_3", Robot::Vector6::Ones()}});
  }
  EXPECT_TRUE(loaded && coupled);
}

TEST(RobotDerivatives, of_hybrid_dynamics_are_slopes_of_the_verb) {
  Tree t;
  const JointSet led{"joint_2", "joint_5"};
  const auto d = t.robot.hybrid_dynamics_derivatives(led, t.q, t.qd, t.qdd, t.tau, t.external);
  ASSERT_TRUE(d);
  const auto both = [&](const Vector& q, const Vector& qd, const Vector& qdd, const Vector& tau) {
    const auto found = t.robot.hybrid_dynamics(led, q, qd, qdd, tau, t.external);
    EXPECT_TRUE(found);
    Vector out(2 * t.n);
    out << found.qdd, found.tau;
    return out;
  };
  const auto stacked = [&](const Matrix& a, const Matrix& b) {
    Matrix out(2 * t.n, t.n);
    out << a, b;
    return out;
  };
  expect_near(stacked(d.dqdd_dq, d.dtau_dq),
              differences(t.n, [&](auto& x) { return both(t.at(x), t.qd, t.qdd, t.tau); }), "q");
  expect_near(stacked(d.dqdd_dqd, d.dtau_dqd),
              differences(t.n, [&](auto& x) { return both(t.q, t.qd + x, t.qdd, t.tau); }), "qd");
  // A joint that is not led has no given acceleration, a led one no given torque.
  Matrix given = Matrix::Zero(t.n, t.n);
  for (const char* name : {"joint_2", "joint_5"}) {
    const Dofs v = t.robot.joint(name).v();
    given.diagonal().segment(v.first, v.count).setOnes();
  }
  const Matrix rest = Matrix::Identity(t.n, t.n) - given;
  expect_near(stacked(d.dqdd_dqdd, d.dtau_dqdd) * given,
              differences(t.n, [&](auto& x) { return both(t.q, t.qd, t.qdd + given * x, t.tau); }),
              "qdd");
  expect_near(stacked(d.dqdd_dtau, d.dtau_dtau) * rest,
              differences(t.n, [&](auto& x) { return both(t.q, t.qd, t.qdd, t.tau + rest * x); }),
              "tau");
}

TEST(RobotDerivatives, by_named_parameters_are_slopes_of_changed_robots) {
  Robot robot("puma560");
  const Vector q = robot.random_configuration(1), qd = Vector::LinSpaced(6, -1, 1), qdd = 2 * qd,
               tau = 10 * qd;
  const auto parameters = robot.parse_parameters("gravity,q.elbow");
  ASSERT_EQ(parameters.size(), 4u);
  const auto pulled = [&](const Vector& x) {
    return robot.with_gravity(Eigen::Vector3d(0, 0, -9.81) + x);
  };
  const auto inverse = robot.inverse_dynamics_derivatives(parameters, q, qd, qdd);
  expect_near(inverse.dtau.leftCols(3),
              differences(3, [&](auto& x) { return pulled(x).inverse_dynamics(q, qd, qdd); }),
              "inverse");
  expect_near(inverse.dtau.col(3), robot.inverse_dynamics_derivatives(q, qd, qdd).dtau_dq.col(2),
              "q.elbow");
  const auto forward = robot.forward_dynamics_derivatives(parameters, q, qd, tau);
  expect_near(forward.dqdd.leftCols(3),
              differences(3, [&](auto& x) { return pulled(x).forward_dynamics(q, qd, tau).qdd; }),
              "forward");
  const auto hybrid = robot.hybrid_dynamics_derivatives(parameters, {"elbow"}, q, qd, qdd, tau);
  expect_near(
      hybrid.dqdd.leftCols(3),
      differences(
          3, [&](auto& x) { return pulled(x).hybrid_dynamics({"elbow"}, q, qd, qdd, tau).qdd; }),
      "hybrid");
  EXPECT_EQ(hybrid.defined, std::vector<bool>(4, true));
  const auto carrying = [&](double mass) {
    return robot.attach_payload("link_6", mass, {0.1, 0, 0.2});
  };
  Robot loaded = carrying(2);
  expect_near(
      loaded.inverse_dynamics_derivatives(loaded.parse_parameters("payload.mass"), q, qd, qdd).dtau,
      differences(1, [&](auto& x) { return carrying(2 + x[0]).inverse_dynamics(q, qd, qdd); }),
      "payload.mass");
  EXPECT_NE(refusal([&] { (void)robot.parse_parameters("elbov.mass"); }), "accepted");
}

TEST(RobotDerivatives, of_gravity_bias_and_energies_are_slopes_of_the_verbs) {
  Tree t;
  expect_near(t.robot.gravity_torque_derivatives(t.q),
              differences(t.n, [&](auto& x) { return t.robot.gravity_torque(t.at(x)); }), "g");
  const auto bias = t.robot.bias_torque_derivatives(t.q, t.qd);
  expect_near(bias.dbias_dq,
              differences(t.n, [&](auto& x) { return t.robot.bias_torque(t.at(x), t.qd); }), "q");
  expect_near(bias.dbias_dqd,
              differences(t.n, [&](auto& x) { return t.robot.bias_torque(t.q, t.qd + x); }), "qd");
  const auto energy = t.robot.energy_derivatives(t.q, t.qd);
  const auto one = [](double x) { return Vector::Constant(1, x); };
  expect_near(energy.dkinetic_dq.transpose(),
              differences(t.n, [&](auto& x) { return one(t.robot.kinetic_energy(t.at(x), t.qd)); }),
              "K q");
  expect_near(energy.dkinetic_dqd.transpose(),
              differences(t.n, [&](auto& x) { return one(t.robot.kinetic_energy(t.q, t.qd + x)); }),
              "K qd");
  expect_near(energy.dpotential_dq, t.robot.gravity_torque(t.q), "U q");
  expect_near(energy.dmomentum_dq,
              differences(t.n, [&](auto& x) { return Vector(t.robot.momentum(t.at(x), t.qd)); }),
              "h q");
  expect_near(energy.dmomentum_dqd,
              differences(t.n, [&](auto& x) { return Vector(t.robot.momentum(t.q, t.qd + x)); }),
              "h qd");
  expect_near(energy.dcom_dq, t.robot.com_jacobian(t.q), "com");
}

/// A four-bar that moves, closed.
struct FourBar {
  Robot robot{"four_bar"};
  Vector q, qd, qdd, tau;
  FourBar() {
    const int n = robot.n_v();
    const auto closed = robot.assemble(robot.random_configuration(2));
    EXPECT_TRUE(closed) << closed.message;
    q = closed.q;
    qd = robot.project_velocity(q, Vector::Ones(n)).rates;
    qdd = robot.project_acceleration(q, qd, Vector::Ones(n)).rates;
    tau = robot.inverse_dynamics(q, qd, qdd);
  }
};

TEST(RobotWithLoops, has_dynamics_that_are_inverse_to_each_other_and_their_derivatives) {
  FourBar f;
  const int n = f.robot.n_v(), rows = f.robot.n_constraints();
  const auto forward = f.robot.forward_dynamics(f.q, f.qd, f.tau);
  ASSERT_TRUE(forward);
  EXPECT_EQ(forward.lambda.size(), rows);
  expect_near(forward.qdd, f.qdd, "qdd");
  const auto rigid = f.robot.with_effects(Effects::none());
  EXPECT_EQ(rigid.n_constraints(), 0);
  // Along what the loop allows, the derivatives are slopes.
  const auto d = f.robot.forward_dynamics_derivatives(f.q, f.qd, f.tau);
  ASSERT_TRUE(d);
  EXPECT_EQ(d.dlambda_dq.rows(), rows);
  expect_near(
      d.dqdd_dtau,
      differences(n, [&](auto& x) { return f.robot.forward_dynamics(f.q, f.qd, f.tau + x).qdd; }),
      "tau");
  const double h = 1e-6;
  const auto along = [&](double step) {
    Vector q = f.q + step * f.qd, qd = f.qd;
    const auto closed = f.robot.assemble(q);
    EXPECT_TRUE(closed);
    const Vector v = f.robot.project_velocity(closed.q, qd).rates;
    return std::make_tuple(closed.q, v, f.robot.forward_dynamics(closed.q, v, f.tau).qdd);
  };
  const auto [q1, v1, a1] = along(h);
  const auto [q0, v0, a0] = along(-h);
  const Vector slope = d.dqdd_dq * (q1 - q0) + d.dqdd_dqd * (v1 - v0);
  expect_near(slope / (2 * h), (a1 - a0) / (2 * h), "along the motion");
  const auto inverse = f.robot.inverse_dynamics_derivatives(f.q, f.qd, f.qdd);
  EXPECT_LT((inverse.tau - f.tau).norm(), 1e-10 * (1 + f.tau.norm()));
  EXPECT_EQ(inverse.dlambda_dqdd.rows(), rows);
  EXPECT_TRUE(inverse.dtau_dq.allFinite());
}

TEST(RobotWithLoops, refuses_an_open_state_in_every_verb_of_the_dynamics) {
  FourBar f;
  const Vector q = f.robot.neutral() + Vector::LinSpaced(f.robot.n_q(), 0.1, 0.9), v = f.qd;
  Robot& r = f.robot;
  const std::pair<const char*, std::function<void()>> verbs[] = {
      {"inverse_dynamics", [&] { r.inverse_dynamics(q, v, v); }},
      {"forward_dynamics", [&] { (void)r.forward_dynamics(q, v, v); }},
      {"hybrid_dynamics", [&] { (void)r.hybrid_dynamics({}, q, v, v, v); }},
      {"constrained_forward_dynamics", [&] { (void)r.constrained_forward_dynamics(q, v, v); }},
      {"constrained_inverse_dynamics",
       [&] { (void)r.constrained_inverse_dynamics({}, q, v, v, v); }},
      {"mass_matrix", [&] { r.mass_matrix(q); }},
      {"mass_matrix_inverse", [&] { (void)r.mass_matrix_inverse(q); }},
      {"coriolis_matrix", [&] { r.coriolis_matrix(q, v); }},
      {"gravity_torque", [&] { r.gravity_torque(q); }},
      {"bias_torque", [&] { r.bias_torque(q, v); }},
      {"two_velocity_inverse_dynamics", [&] { r.two_velocity_inverse_dynamics(q, v, v, v); }},
      {"joint_wrenches", [&] { r.joint_wrenches(q, v, v); }},
      {"state_space_form", [&] { r.state_space_form(q, v); }},
      {"kinetic_energy", [&] { r.kinetic_energy(q, v); }},
      {"potential_energy", [&] { r.potential_energy(q); }},
      {"momentum", [&] { r.momentum(q, v); }},
      {"torque_regressor", [&] { r.torque_regressor(q, v, v); }},
      {"energy_regressor", [&] { r.energy_regressor(q, v); }},
      {"inverse_dynamics_derivatives", [&] { r.inverse_dynamics_derivatives(q, v, v); }},
      {"forward_dynamics_derivatives", [&] { (void)r.forward_dynamics_derivatives(q, v, v); }},
      {"hybrid_dynamics_derivatives", [&] { (void)r.hybrid_dynamics_derivatives({}, q, v, v, v); }},
      {"gravity_torque_derivatives", [&] { r.gravity_torque_derivatives(q); }},
      {"bias_torque_derivatives", [&] { r.bias_torque_derivatives(q, v); }},
      {"energy_derivatives", [&] { r.energy_derivatives(q, v); }},
      {"mobility", [&] { r.mobility(q); }},
  };
  for (const auto& [name, verb] : verbs) {
    const std::string message = refusal(verb);
    EXPECT_NE(message.find("open"), std::string::npos) << name << ": " << message;
  }
  ConstrainedOptions pulls;
  pulls.stabilisation = {10, 10};
  EXPECT_EQ(refusal([&] { (void)r.constrained_forward_dynamics(q, v, v, {}, pulls); }), "accepted");
  EXPECT_EQ(refusal([&] { r.inverse_dynamics(q, v, v, {}, Effects::tree()); }), "accepted");
  EXPECT_NE(refusal([&] { r.inverse_dynamics(BaseMotion<double>{}, f.q, f.qd, f.qdd); }),
            "accepted");
}

}  // namespace
}  // namespace torsor
