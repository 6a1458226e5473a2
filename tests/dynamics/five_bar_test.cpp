// The planar five-bar of Kim 2012, section 3, with one, two, three and five motors.
#include <Eigen/Dense>

#include "dynamics/mechanism.hpp"
#include "torsor/dynamics/constrained/constrained_inverse.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/kinematics/mobility.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Velocities in order: left shoulder, left elbow, tip, right shoulder, right elbow.
/// The three rows of the planar loop that are not always satisfied, as Kim 2012 counts them.
struct PlanarFiveBar : Mechanism {
  ConstraintWorkspace<double> rows{model};
  ConstraintSet planar = ConstraintSet::none(model);
  VectorXd tau_r = VectorXd::Zero(5), forces = VectorXd::Zero(3), torque = VectorXd::Zero(5);
  MatrixXd A = MatrixXd::Zero(3, 5);
  ConstrainedInverseWorkspace inverse;

  PlanarFiveBar() : Mechanism("five_bar"), inverse(model, with_rows()) {
    q[at(v("left_shoulder"))] = 0.2, q[at(v("right_shoulder"))] = 0.1;
    EXPECT_TRUE(close({"left_shoulder", "right_shoulder"}));
    qd = {1, 0.5, -0.7, 0.2, 0.1};
    move({"left_shoulder", "right_shoulder"});
    qdd = {2, 1, -3, 1, 1};
    std::vector<char> moving(5, 1);
    moving[at(v("left_shoulder"))] = moving[at(v("right_shoulder"))] = 0;
    EXPECT_LT(project_acceleration(model, set, assembly, q, qd, qdd, moving), 1e-11);
    RneaWorkspace<double> rnea(model);
    rigid_inverse_dynamics(model, rnea, q, qd, qdd, {}, tau_r);
    constraint_jacobian(model, planar, rows, q, A);
  }
  const ConstraintSet& with_rows() {
    planar.add_user("loop", 3,
                    [this](View<const double> x, View<const double> v, double* phi,
                           MatrixView<double> out, double* bias) {
                      Eigen::Matrix<double, 6, 1> p, b;
                      Eigen::Matrix<double, 6, 5> full;
                      constraint_rows(model, set, rows, x, v, p, full, b);
                      for (int r = 0; r < 3; ++r) {  // turn about z, x, y
                        if (phi) phi[r] = p[2 + r];
                        if (bias) bias[r] = b[2 + r];
                        for (int c = 0; out.data && c < 5; ++c) out(r, c) = full(2 + r, c);
                      }
                    });
    return planar;
  }
  ConstrainedInverseResult solve(const std::vector<char>& actuated, ActuationOptions options = {}) {
    torque.setZero();
    return constrained_inverse_dynamics(model, planar, inverse, actuated, q, qd, qdd, {}, torque,
                                        forces, options);
  }
  /// Columns of A^T, and parts of vectors, for passive or actuated velocities.
  MatrixXd transposed(const std::vector<char>& chosen, char value) const {
    MatrixXd out(std::count(chosen.begin(), chosen.end(), value), 3);
    for (int k = 0, row = 0; k < 5; ++k)
      if (chosen[at(k)] == value) out.row(row++) = A.col(k).transpose();
    return out;
  }
  static VectorXd part(const VectorXd& x, const std::vector<char>& chosen, char value) {
    VectorXd out(std::count(chosen.begin(), chosen.end(), value));
    for (int k = 0, row = 0; k < 5; ++k)
      if (chosen[at(k)] == value) out[row++] = x[k];
    return out;
  }
};
using Choice = ActuationOptions::Choice;

TEST(FiveBar, L_06_two_motors_have_one_solution_58) {
  PlanarFiveBar m;
  const std::vector<char> a{1, 0, 0, 1, 0};
  const ConstrainedInverseResult result = m.solve(a);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.unique_torque());
  EXPECT_TRUE(result.unique_force);
  const MatrixXd A_a = m.transposed(a, 1), A_p = m.transposed(a, 0);
  const VectorXd expected =
      m.part(m.tau_r, a, 1) - A_a * A_p.partialPivLu().solve(m.part(m.tau_r, a, 0));
  EXPECT_LT((m.part(m.torque, a, 1) - expected).norm(), 1e-12);
  // and forward dynamics of these torques is the motion again
  const std::vector<double> wanted = m.qdd;
  for (int k = 0; k < 5; ++k) m.tau[at(k)] = m.torque[k];
  ASSERT_TRUE(m.forward());
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(m.qdd[at(k)], wanted[at(k)], 1e-10);
}

TEST(FiveBar, L_06_three_motors_least_constraint_force_59) {
  PlanarFiveBar m;
  const std::vector<char> a{1, 1, 0, 1, 0};
  const ConstrainedInverseResult result = m.solve(a, {Choice::least_force});
  ASSERT_TRUE(result);
  EXPECT_EQ(result.preloads, 1);
  const MatrixXd A_a = m.transposed(a, 1), A_p = m.transposed(a, 0);
  const VectorXd expected =
      A_p.completeOrthogonalDecomposition().pseudoInverse() * m.part(m.tau_r, a, 0);
  EXPECT_LT((m.forces - expected).norm(), 1e-11);
  EXPECT_LT((m.part(m.torque, a, 1) - (m.part(m.tau_r, a, 1) - A_a * expected)).norm(), 1e-11);
}

TEST(FiveBar, L_06_three_motors_least_torque_62_to_64) {
  PlanarFiveBar m;
  const std::vector<char> a{1, 1, 0, 1, 0};
  ASSERT_TRUE(m.solve(a));
  const MatrixXd A_a = m.transposed(a, 1), A_p = m.transposed(a, 0);
  const VectorXd lambda0 =
      A_p.completeOrthogonalDecomposition().pseudoInverse() * m.part(m.tau_r, a, 0);
  const VectorXd N = Eigen::JacobiSVD<MatrixXd>(A_p, Eigen::ComputeFullV).matrixV().col(2);
  const VectorXd free = m.part(m.tau_r, a, 1) - A_a * lambda0, B = A_a * N;
  const VectorXd expected = free - B * (B.dot(free) / B.squaredNorm());
  EXPECT_LT((m.part(m.torque, a, 1) - expected).norm(), 1e-11);
  const double least = m.part(m.torque, a, 1).norm();
  EXPECT_LT(least, free.norm());
  // a weight makes its motor work less
  const double before = std::abs(m.torque[0]);
  const std::vector<double> weights{10, 1, 1, 1, 1};
  ASSERT_TRUE(m.solve(a, {Choice::least_torque, weights}));
  EXPECT_LT(std::abs(m.torque[0]), before);
  EXPECT_GT(m.part(m.torque, a, 1).norm(), least);
}

TEST(FiveBar, L_06_all_joints_driven_65_and_66) {
  PlanarFiveBar m;
  const std::vector<char> all(5, 1);
  ASSERT_TRUE(m.solve(all));
  const VectorXd lambda = (m.A * m.A.transpose()).ldlt().solve(m.A * m.tau_r);
  EXPECT_LT((m.forces - lambda).norm(), 1e-11);
  EXPECT_LT((m.torque - (m.tau_r - m.A.transpose() * lambda)).norm(), 1e-11);
  ASSERT_TRUE(m.solve(all, {Choice::least_force}));  // the open chain: no constraint force at all
  EXPECT_LT(m.forces.norm(), 1e-12);
  EXPECT_LT((m.torque - m.tau_r).norm(), 1e-12);
}

TEST(FiveBar, L_06_one_motor_is_refused_with_the_hint_to_use_hybrid_dynamics) {
  PlanarFiveBar m;
  try {
    (void)m.solve({1, 0, 0, 0, 0});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("4 passive joints and 3 constraint rows"),
              std::string::npos);
    EXPECT_NE(std::string(error.what()).find("hybrid"), std::string::npos);
  }
}

TEST(FiveBar, L_06_a_structure_that_cannot_move_needs_no_torque) {
  // two joints and a tip welded to the world: n < m
  ModelBuilder b("structure");
  b.revolute("a", "base", "one", {}, {0, 0, 1});
  b.revolute("b", "one", "two", {.p = {0.5, 0.1, 0}}, {0, 1, 0});
  b.inertia("one", 1, {0.2, 0, 0.1}, {0.1, 0, 0.1, 0, 0, 0.1});
  b.inertia("two", 1, {0.2, 0, 0.1}, {0.1, 0, 0.1, 0, 0, 0.1});
  LoopJoint weld;
  weld.name = "clamp", weld.link_a = "base", weld.link_b = "two",
  weld.placement_a.p = {0.5, 0.1, 0};
  b.loop(weld);
  Mechanism m(b.build());
  ConstrainedInverseWorkspace ws(m.model, m.set);
  const std::vector<char> all(2, 1);
  ASSERT_TRUE(
      constrained_inverse_dynamics(m.model, m.set, ws, all, m.q, m.qd, m.qdd, {}, m.tau, m.lambda));
  EXPECT_NEAR(m.tau[0], 0, 1e-12);
  EXPECT_NEAR(m.tau[1], 0, 1e-12);
  EXPECT_GT(Eigen::Map<const VectorXd>(m.lambda.data(), 6).norm(),
            1);  // the clamp bears the weight
  EXPECT_EQ(mobility(m.model, m.set, m.q).degrees_of_freedom, 0);
}

TEST(FiveBar, L_08_one_motor_prescribed_and_the_rest_passive) {
  PlanarFiveBar m;
  std::vector<char> prescribed(at(m.model.n_bodies()), 0);
  prescribed[at(m.model.joint_index("left_shoulder"))] = 1;
  m.tau.assign(5, 0);
  m.qdd.assign(5, 0);
  m.qdd[0] = 2.5;
  ASSERT_TRUE(constrained_hybrid_dynamics(m.model, m.dynamics, prescribed, m.q, m.qd, m.qdd, m.tau,
                                          {}, m.lambda));
  EXPECT_DOUBLE_EQ(m.qdd[0], 2.5);
  EXPECT_LT(constraint_errors(m.model, m.set, m.assembly, m.q, m.qd, m.qdd).acceleration, 1e-10);
  const std::vector<double> found = m.qdd;
  for (int k = 1; k < 5; ++k) EXPECT_EQ(m.tau[at(k)], 0);
  ASSERT_TRUE(m.forward());
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(m.qdd[at(k)], found[at(k)], 1e-9);
}

TEST(FiveBar, L_08_more_rows_than_free_joints_leaves_a_choice_of_torques) {
  PlanarFiveBar m;
  const std::vector<double> wanted = m.qdd;
  std::vector<char> prescribed(at(m.model.n_bodies()), 0);
  for (const char* joint : {"left_shoulder", "left_elbow", "right_shoulder"})
    prescribed[at(m.model.joint_index(joint))] = 1;
  ConstrainedWorkspace planar(m.model, m.planar);
  m.tau.assign(5, 0);
  const ConstrainedResult result = constrained_hybrid_dynamics(m.model, planar, prescribed, m.q,
                                                               m.qd, m.qdd, m.tau, {}, m.forces);
  ASSERT_TRUE(result);
  EXPECT_EQ(result.rank, 2);
  EXPECT_FALSE(result.unique());
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(m.qdd[at(k)], wanted[at(k)], 1e-9);
  const VectorXd least_force = m.forces;
  // the same as (61) with u for a and v for p
  std::vector<char> a(5, 0);
  for (const char* joint : {"left_shoulder", "left_elbow", "right_shoulder"}) a[at(m.v(joint))] = 1;
  ASSERT_TRUE(m.solve(a, {Choice::least_force}));
  EXPECT_LT((least_force - m.forces).norm(), 1e-9);
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(m.torque[k], m.tau[at(k)], 1e-9);
  // accelerations that do not fit are told
  m.qdd[0] += 1;
  EXPECT_FALSE(constrained_hybrid_dynamics(m.model, planar, prescribed, m.q, m.qd, m.qdd, m.tau, {},
                                           m.forces));
}

}  // namespace
}  // namespace torsor::testing
