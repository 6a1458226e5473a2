#include "torsor/dynamics/constrained/constrained.hpp"

#include <Eigen/Dense>

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "support/random_loops.hpp"
#include "torsor/dynamics/constrained/constrained_inverse.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/kinematics/assemble.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// M, b, A, A' qd formed densely, and the KKT system solved by Eigen's decomposition.
struct Dense {
  MatrixXd M, A;
  VectorXd b, bias;

  Dense(const Model<double>& model, const ConstraintSet& set, const std::vector<double>& q,
        const std::vector<double>& qd, const std::vector<Wrench<double>>& F_ext)
      : M(model.n_v(), model.n_v()),
        A(set.n_rows(), model.n_v()),
        b(model.n_v()),
        bias(set.n_rows()) {
    CrbaWorkspace<double> crba(model);
    mass_matrix(model, crba, q, M);
    RneaWorkspace<double> rnea(model);
    const std::vector<double> zero(qd.size());
    rigid_inverse_dynamics(model, rnea, q, qd, zero, F_ext, b);
    ConstraintWorkspace<double> ws(model);
    constraint_rows(model, set, ws, q, qd, {}, A, bias);
  }
  /// (qdd, -lambda), the shortest.
  VectorXd solve(const VectorXd& tau) const {
    const auto n = M.rows(), m = A.rows();
    MatrixXd K = MatrixXd::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = M;
    K.topRightCorner(n, m) = A.transpose();
    K.bottomLeftCorner(m, n) = A;
    VectorXd right(n + m);
    right << tau - b, -bias;
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod(K);
    return cod.solve(right);
  }
};

struct Case {
  LoopedRobot robot;
  ConstraintSet set{robot.model};
  ConstrainedWorkspace ws{robot.model, set};
  State<double> s{robot.model, 7};
  VectorXd qdd = VectorXd::Zero(robot.model.n_v()), lambda = VectorXd::Zero(set.n_rows());

  explicit Case(LoopedRobot r) : robot(std::move(r)) { s.q = robot.q; }
  VectorXd tau() const { return Eigen::Map<const VectorXd>(s.tau.data(), robot.model.n_v()); }
  ConstrainedResult forward() {
    return constrained_forward_dynamics(robot.model, ws, s.q, s.qd, s.tau, s.F_ext, qdd, lambda);
  }
};

void expect_dense(Case& c, const char* what, unsigned seed) {
  const Dense dense(c.robot.model, c.set, c.s.q, c.s.qd, c.s.F_ext);
  const VectorXd x = dense.solve(c.tau());
  const VectorXd qdd = x.head(c.qdd.size()), lambda = -x.tail(c.lambda.size());
  EXPECT_LT((c.qdd - qdd).norm(), 2e-9 * (1 + qdd.norm())) << what << " " << seed;
  EXPECT_LT((c.lambda - lambda).norm(), 2e-9 * (1 + lambda.norm())) << what << " " << seed;
  // the equations themselves, each against its own terms
  const VectorXd motion = dense.M * c.qdd + dense.b - c.tau() - dense.A.transpose() * c.lambda;
  EXPECT_LT(motion.norm(), 1e-10 * (1 + (dense.A.transpose() * c.lambda).norm() + dense.b.norm()))
      << what << " " << seed;
  EXPECT_LT((dense.A * c.qdd + dense.bias).norm(), 1e-9 * (1 + dense.bias.norm() + c.qdd.norm()))
      << what << " " << seed;
}

class EveryLoopKind : public ::testing::TestWithParam<LoopJoint::Kind> {};

TEST_P(EveryLoopKind, L_07_forward_dynamics_solves_the_dense_equations) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Case c(random_loops(seed, 14, {GetParam()}, {.motors = seed % 2 == 0}));
    const ConstrainedResult result = c.forward();
    EXPECT_TRUE(result) << seed;
    expect_dense(c, name_of(GetParam()), seed);
  }
}
INSTANTIATE_TEST_SUITE_P(Constrained, EveryLoopKind, ::testing::ValuesIn(every_loop_kind()),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST(Constrained, L_07_many_loops_couplings_and_contacts_at_once) {
  int independent = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    LoopedRobot robot = random_loops(seed, 45, every_loop_kind(), {.motors = seed % 2 == 0});
    RobotDescription d = robot.model.description();
    std::vector<std::string> single;
    for (const Joint& j : d.joints)
      if (n_q(j) == 1) single.push_back(j.name);
    d.couplings.push_back({"gear", {{single[0], 1}, {single[1], -3}}, 0, {}});
    d.couplings.push_back(
        {"differential", {{single[0], 1}, {single[2], 1}, {single[3], 2}}, 0, {}});
    Case c({Model<double>(d), robot.q});
    const Dense dense(c.robot.model, c.set, c.s.q, c.s.qd, c.s.F_ext);
    if (dense.A.fullPivLu().rank() < c.set.n_rows()) continue;  // drawn rows may contradict
    ++independent;
    EXPECT_TRUE(c.forward());
    expect_dense(c, "all", seed);
  }
  EXPECT_GE(independent, 6);
}

TEST(Constrained, user_rows_act_like_the_couplings_and_loops_they_restate) {
  const LoopedRobot robot = random_loops(4, 12, {LoopJoint::Kind::spherical});
  const ConstraintSet own(robot.model);
  ConstraintWorkspace<double> rows(robot.model);
  ConstraintSet user = ConstraintSet::none(robot.model);
  user.add_user("restated", own.n_rows(),
                [&](View<const double> q, View<const double> qd, double* phi, MatrixView<double> A,
                    double* bias) {
                  const int m = own.n_rows();
                  constraint_rows(robot.model, own, rows, q, qd, Out<double>{phi, phi ? m : 0}, A,
                                  Out<double>{bias, bias ? m : 0});
                });
  ConstrainedWorkspace a(robot.model, own), b(robot.model, user);
  State<double> s(robot.model, 3);
  VectorXd qdd_a(robot.model.n_v()), qdd_b = qdd_a, l_a(3), l_b(3);
  const ConstrainedOptions options{{3, 4}};
  EXPECT_TRUE(
      constrained_forward_dynamics(robot.model, a, s.q, s.qd, s.tau, {}, qdd_a, l_a, options));
  EXPECT_TRUE(
      constrained_forward_dynamics(robot.model, b, s.q, s.qd, s.tau, {}, qdd_b, l_b, options));
  EXPECT_LT((qdd_a - qdd_b).norm(), 1e-10 * qdd_a.norm());
  EXPECT_LT((l_a - l_b).norm(), 1e-10 * l_a.norm());
}

TEST(Constrained, redundant_rows_share_the_shortest_multipliers_and_are_reported) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    LoopedRobot robot =
        random_loops(seed, 14, {LoopJoint::Kind::revolute, LoopJoint::Kind::spherical},
                     {.motors = seed % 2 == 0});
    RobotDescription d = robot.model.description();
    d.loops.push_back(d.loops[0]);
    d.loops.back().name = "again";
    Case once(robot), twice({Model<double>(d), robot.q});
    ASSERT_TRUE(once.forward());
    const ConstrainedResult result = twice.forward();
    EXPECT_TRUE(result) << message(twice.set, result);
    EXPECT_EQ(result.rank, once.set.n_rows());
    EXPECT_FALSE(result.unique());
    EXPECT_NE(message(twice.set, result).find("5 of 13 rows are redundant"), std::string::npos);
    EXPECT_LT((once.qdd - twice.qdd).norm(), 1e-9 * (1 + once.qdd.norm()));
    EXPECT_LT((twice.lambda.head(5) - once.lambda.head(5) / 2).norm(),
              1e-8 * (1 + once.lambda.norm()));
    EXPECT_LT((twice.lambda.tail(5) - once.lambda.head(5) / 2).norm(),
              1e-8 * (1 + once.lambda.norm()));
  }
}

TEST(Constrained, constraint_forces_do_no_work) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Case c(random_loops(seed, 18, {LoopJoint::Kind::revolute, LoopJoint::Kind::universal}));
    AssemblyWorkspace assembly(c.robot.model, c.set);
    EXPECT_LT(project_velocity(c.robot.model, c.set, assembly, c.s.q, c.s.qd), 1e-12);
    ASSERT_TRUE(c.forward());
    const Dense dense(c.robot.model, c.set, c.s.q, c.s.qd, c.s.F_ext);
    const VectorXd force = dense.A.transpose() * c.lambda;
    const double power = force.dot(Eigen::Map<const VectorXd>(c.s.qd.data(), c.qdd.size()));
    EXPECT_LT(std::abs(power), 1e-11 * (1 + force.norm()));
  }
}

TEST(Constrained, baumgarte_gives_the_residual_its_poles) {
  Case c(random_loops(9, 16, {LoopJoint::Kind::cylindrical, LoopJoint::Kind::distance}));
  std::vector<double> step(c.s.qd.size(), 1e-3), q = c.s.q;
  integrate(c.robot.model, q, step, c.s.q);  // loops open a little
  const double p1 = 5, p2 = 20;
  ASSERT_TRUE(constrained_forward_dynamics(c.robot.model, c.ws, c.s.q, c.s.qd, c.s.tau, c.s.F_ext,
                                           c.qdd, c.lambda, {{p1, p2}}));
  const Dense dense(c.robot.model, c.set, c.s.q, c.s.qd, c.s.F_ext);
  ConstraintWorkspace<double> rows(c.robot.model);
  VectorXd phi(c.set.n_rows());
  constraint_residual(c.robot.model, c.set, rows, c.s.q, phi);
  const VectorXd qd = Eigen::Map<const VectorXd>(c.s.qd.data(), c.qdd.size());
  const VectorXd left = dense.A * c.qdd + dense.bias + (p1 + p2) * dense.A * qd + p1 * p2 * phi;
  EXPECT_GT(phi.norm(), 1e-4);
  EXPECT_LT(left.norm(), 1e-9 * (1 + (dense.A * c.qdd).norm()));
}

TEST(Constrained, L_08_hybrid_dynamics_agrees_with_forward_and_inverse_dynamics) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Case c(random_loops(seed, 14, {LoopJoint::Kind::spherical, LoopJoint::Kind::distance},
                        {.motors = seed % 2 == 0}));
    ASSERT_TRUE(c.forward());
    std::vector<char> prescribed(static_cast<std::size_t>(c.robot.model.n_bodies()), 0);
    for (std::size_t i = 1; i < prescribed.size(); i += 3) prescribed[i] = 1;
    VectorXd qdd = VectorXd::Zero(c.qdd.size()), tau = c.tau(), lambda = c.lambda * 0;
    for (int i = 1; i < c.robot.model.n_bodies(); ++i)
      for (int k = 0; prescribed[static_cast<std::size_t>(i)] && k < c.robot.model.body(i).v.count;
           ++k) {
        const int at = c.robot.model.body(i).v.first + k;
        qdd[at] = c.qdd[at], tau[at] = 0;
      }
    const ConstrainedResult result = constrained_hybrid_dynamics(
        c.robot.model, c.ws, prescribed, c.s.q, c.s.qd, qdd, tau, c.s.F_ext, lambda);
    EXPECT_TRUE(result) << message(c.set, result);
    EXPECT_LT((qdd - c.qdd).norm(), 1e-8 * (1 + c.qdd.norm())) << seed;
    if (result.unique()) {
      EXPECT_LT((tau - c.tau()).norm(), 1e-8 * (1 + c.lambda.norm())) << seed;
    }
    // all joints prescribed: every torque is found, with any multipliers
    std::fill(prescribed.begin(), prescribed.end(), char{1});
    VectorXd all = VectorXd::Zero(c.qdd.size());
    const ConstrainedResult held = constrained_hybrid_dynamics(
        c.robot.model, c.ws, prescribed, c.s.q, c.s.qd, c.qdd, all, c.s.F_ext, lambda);
    EXPECT_TRUE(held);
    EXPECT_EQ(held.rank, 0);
    const Dense dense(c.robot.model, c.set, c.s.q, c.s.qd, c.s.F_ext);
    EXPECT_LT((dense.M * c.qdd + dense.b - all - dense.A.transpose() * lambda).norm(),
              1e-9 * (1 + all.norm()));
  }
}

TEST(Constrained, L_08_prescribed_accelerations_that_open_a_loop_are_reported) {
  Case c(random_loops(2, 14, {LoopJoint::Kind::weld}));
  std::vector<char> prescribed(static_cast<std::size_t>(c.robot.model.n_bodies()), 1);
  VectorXd qdd = VectorXd::Ones(c.qdd.size()), tau = qdd, lambda = c.lambda;
  const ConstrainedResult result = constrained_hybrid_dynamics(c.robot.model, c.ws, prescribed,
                                                               c.s.q, c.s.qd, qdd, tau, {}, lambda);
  EXPECT_FALSE(result);
  EXPECT_FALSE(result.consistent);
  EXPECT_NE(message(c.set, result).find("contradict"), std::string::npos);
}

TEST(Constrained, wrenches_of_loops_and_joints_balance_every_link) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Case c(random_loops(seed, 30, {LoopJoint::Kind::weld, LoopJoint::Kind::prismatic}));
    ASSERT_TRUE(c.forward());
    ConstraintWorkspace<double> rows(c.robot.model);
    std::vector<Wrench<double>> F = c.s.F_ext;
    add_constraint_wrenches(c.robot.model, c.set, rows, c.s.q, c.lambda, F);
    JointWrenchWorkspace<double> wrenches(c.robot.model);
    VectorXd tau(c.qdd.size());
    joint_wrenches(c.robot.model, wrenches, c.s.q, c.s.qd, c.qdd, F, tau);
    for (int k = 0; k < tau.size(); ++k) tau[k] += c.robot.model.dof(k).armature * c.qdd[k];
    EXPECT_LT((tau - c.tau()).norm(), 1e-9 * (1 + c.lambda.norm())) << seed;
  }
}

TEST(Constrained, a_geared_rotor_as_a_body_acts_like_reflected_inertia_and_has_gyroscopic_torque) {
  constexpr double ratio = 30, spin = 2e-4;
  const auto arm = [](ModelBuilder& b) {
    b.revolute("hinge", "base", "link", {}, {0, 0, 1});
    b.revolute("tilt", "link", "tip", {.p = {0.4, 0, 0}}, {1, 0, 0});
    b.inertia("link", 2, {0.2, 0, 0}, {0.01, 0, 0.1, 0, 0, 0.1});
    b.inertia("tip", 1, {0.1, 0, 0.05}, {0.02, 0, 0.02, 0, 0, 0.02});
  };
  // the hinge's motor on the base: its rotor turns ratio times as fast about a parallel axis
  ModelBuilder with_body("rotor"), reflected("reflected");
  arm(with_body);
  with_body.revolute("motor", "base", "rotor", {.p = {0, 0, -0.1}}, {0, 0, 1});
  with_body.inertia("rotor", 0.3, {}, {spin / 2, 0, spin / 2, 0, 0, spin});
  with_body.mimic("motor", "hinge", ratio);
  arm(reflected);
  RobotDescription d = reflected.description();
  d.joints[0].actuator = {{spin, ratio, 0, 0, 0}};
  const Model<double> geared = with_body.build(), plain(d);
  const ConstraintSet set(geared);
  ConstrainedWorkspace ws(geared, set);
  AbaWorkspace<double> aba(plain);
  const std::vector<double> q{0.3, 0.8, 0.3 * ratio}, qd{1.2, -2, 1.2 * ratio}, tau{0.5, 0.2, 0};
  std::vector<double> qdd(3), expected(2), lambda(1);
  ASSERT_TRUE(constrained_forward_dynamics(geared, ws, q, qd, tau, {}, qdd, lambda));
  ASSERT_TRUE(rigid_forward_dynamics(plain, aba, std::vector<double>{0.3, 0.8},
                                     std::vector<double>{1.2, -2}, std::vector<double>{0.5, 0.2},
                                     {}, expected));
  EXPECT_NEAR(qdd[0], expected[0], 1e-12);
  EXPECT_NEAR(qdd[1], expected[1], 1e-12);
  EXPECT_NEAR(qdd[2], ratio * qdd[0], 1e-11);

  // a flywheel about z on the tip that tilts about x: its momentum h = spin w turns with the link,
  // and the torque w_z x h about y of the tip is borne by the tilt's bearing
  ModelBuilder fly("flywheel");
  fly.revolute("tilt", "base", "tip", {}, {1, 0, 0});
  fly.revolute("wheel", "tip", "disc", {}, {0, 0, 1});
  fly.inertia("tip", 1, {0, 0, 0}, {0.02, 0, 0.02, 0, 0, 0.02});
  fly.inertia("disc", 0.5, {}, {spin / 2, 0, spin / 2, 0, 0, spin});
  fly.gravity({0, 0, 0});
  const Model<double> wheel = fly.build();
  JointWrenchWorkspace<double> wrench(wheel);
  const std::vector<double> none(2), spinning{2, 500};
  std::vector<double> torque(2);
  joint_wrenches(wheel, wrench, none, spinning, none, {}, torque);
  EXPECT_NEAR(std::abs(wrench.F[1].m.y), 2 * 500 * spin, 1e-12);
}

TEST(Constrained, calls_do_not_allocate_with_and_without_redundant_rows) {
  for (const bool redundant : {false, true}) {
    LoopedRobot robot = random_loops(5, 14, {LoopJoint::Kind::weld, LoopJoint::Kind::distance});
    RobotDescription d = robot.model.description();
    if (redundant) d.loops.push_back(d.loops[0]), d.loops.back().name = "again";
    Case c({Model<double>(d), robot.q});
    ConstrainedInverseWorkspace inverse(c.robot.model, c.set);
    const std::vector<char> actuated(c.s.qd.size(), 1);
    VectorXd tau(c.qdd.size());
    AllocationCounter counter;
    const ConstrainedResult result = c.forward();
    (void)constrained_inverse_dynamics(c.robot.model, c.set, inverse, actuated, c.s.q, c.s.qd,
                                       c.s.qdd, c.s.F_ext, tau, c.lambda);
    EXPECT_EQ(counter.count(), 0u);
    EXPECT_EQ(result.unique(), !redundant);
  }
}

}  // namespace
}  // namespace torsor::testing
