#include "torsor/kinematics/constraint_rows.hpp"

#include <Eigen/Dense>

#include "support/allocation_counter.hpp"
#include "support/random_loops.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::testing {
namespace {

using Tangent = Dual<double, 1>;

/// q and its rate along v.
std::vector<Tangent> along(const Model<double>& model, const std::vector<double>& q,
                           const std::vector<double>& v) {
  std::vector<double> rates(q.size());
  configuration_rates(model, q, v, rates);
  std::vector<Tangent> x(q.size());
  for (std::size_t k = 0; k < q.size(); ++k) x[k].value = q[k], x[k].d[0] = rates[k];
  return x;
}

struct Rows {
  const Model<double>& model;
  ConstraintSet set{model};
  ConstraintWorkspace<double> ws{model};
  Eigen::VectorXd phi = Eigen::VectorXd::Zero(set.n_rows()), bias = phi;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(set.n_rows(), model.n_v());

  Rows(const Model<double>& m, const std::vector<double>& q, const std::vector<double>& qd)
      : model(m) {
    constraint_rows(model, set, ws, q, qd, phi, A, bias);
  }
};

class EveryLoopKind : public ::testing::TestWithParam<LoopJoint::Kind> {};

TEST_P(EveryLoopKind, residual_is_zero_where_the_loop_is_closed_and_A_is_its_derivative) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const LoopedRobot robot = random_loops(seed, 14, {GetParam()});
    const std::vector<double> v = random_velocity(robot.model, seed);
    const Rows rows(robot.model, robot.q, v);
    ASSERT_EQ(rows.set.n_rows(), n_rows(GetParam()));
    EXPECT_LT(rows.phi.norm(), 2e-14);
    ConstraintWorkspace<Tangent> ws(robot.model);
    std::vector<Tangent> phi(static_cast<std::size_t>(rows.set.n_rows()));
    constraint_residual(robot.model, rows.set, ws, along(robot.model, robot.q, v), phi);
    const Eigen::VectorXd expected =
        rows.A * Eigen::Map<const Eigen::VectorXd>(v.data(), robot.model.n_v());
    for (int r = 0; r < rows.set.n_rows(); ++r)
      EXPECT_NEAR(phi[static_cast<std::size_t>(r)].d[0], expected[r], 1e-12) << seed;
  }
}

TEST_P(EveryLoopKind, bias_is_the_rate_of_A_times_velocity_at_any_configuration) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const LoopedRobot robot = random_loops(seed, 14, {GetParam()});
    const std::vector<double> q = random_q(robot.model, 100 + seed);  // open loops as well
    const std::vector<double> v = random_velocity(robot.model, seed);
    const Rows rows(robot.model, q, v);
    ConstraintWorkspace<Tangent> ws(robot.model);
    std::vector<Tangent> A(static_cast<std::size_t>(rows.set.n_rows() * robot.model.n_v()));
    const auto view = column_major(A.data(), rows.set.n_rows(), robot.model.n_v());
    constraint_jacobian(robot.model, rows.set, ws, along(robot.model, q, v), view);
    for (int r = 0; r < rows.set.n_rows(); ++r) {
      double rate = 0;
      for (int k = 0; k < robot.model.n_v(); ++k)
        rate += view(r, k).d[0] * v[static_cast<std::size_t>(k)];
      EXPECT_NEAR(rows.bias[r], rate, 2e-12 * (1 + std::abs(rate))) << seed;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Constraints, EveryLoopKind, ::testing::ValuesIn(every_loop_kind()),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST(Constraints, couplings_and_user_rows_follow_the_loops) {
  ModelBuilder b("geared");
  b.revolute("a", "base", "first").limits(-3, 3);
  b.revolute("b", "first", "second", {.p = {1, 0, 0}});
  b.revolute("c", "second", "third", {.p = {1, 0, 0}});
  b.mimic("c", "a", 2, 0.5).coupling("differential", {{"a", 1}, {"b", 1}, {"c", -2}}, 0.25);
  const Model<double> model = b.build();
  ConstraintSet set(model);
  set.add_user("product", 1,
               [](View<const double> q, View<const double> qd, double* phi, MatrixView<double> A,
                  double* bias) {
                 if (phi) phi[0] = q[0] * q[1] - 1;
                 if (A.data) A(0, 0) = q[1], A(0, 1) = q[0], A(0, 2) = 0;
                 if (bias) bias[0] = 2 * qd[0] * qd[1];
               });
  ASSERT_EQ(set.n_rows(), 3);
  EXPECT_EQ(set.row_name(0), "c_mimic");
  EXPECT_EQ(set.row_name(2), "product");
  const std::vector<double> q{0.3, -0.4, 0.7}, qd{1, 2, 3};
  ConstraintWorkspace<double> ws(model);
  Eigen::Vector3d phi, bias;
  Eigen::Matrix3d A;
  constraint_rows(model, set, ws, q, qd, phi, A, bias);
  EXPECT_DOUBLE_EQ(phi[0], 0.7 - 2 * 0.3 - 0.5);
  EXPECT_DOUBLE_EQ(phi[1], 0.3 - 0.4 - 2 * 0.7 - 0.25);
  EXPECT_DOUBLE_EQ(phi[2], -0.3 * 0.4 - 1);
  EXPECT_EQ(A.row(0), Eigen::RowVector3d(-2, 0, 1));
  EXPECT_EQ(A.row(1), Eigen::RowVector3d(1, 1, -2));
  EXPECT_EQ(bias, Eigen::Vector3d(0, 0, 4));
}

TEST(Constraints, points_and_frames_against_the_world_have_rows_in_world_axes) {
  const Model<double> model(random_tree(5, 10));
  const std::vector<double> q = random_q(model, 6), zero(static_cast<std::size_t>(model.n_v()));
  const Frame& frame = model.frame("link_7");
  KinematicsWorkspace<double> kinematics(model);
  forward_kinematics(model, kinematics, q);
  const SE3<double> T = frame_pose(kinematics, frame);
  ConstraintSet set = ConstraintSet::none(model);
  set.add_point("foot", frame, T.p).add_frame("hand", frame, {SO3<double>::identity(), T.p});
  ConstraintWorkspace<double> ws(model);
  Eigen::MatrixXd A(9, model.n_v()), J(6, model.n_v());
  constraint_jacobian(model, set, ws, q, A);
  jacobian(model, kinematics, q, frame, Reference::world_aligned, J);
  EXPECT_LT((A.topRows(3) - J.bottomRows(3)).norm(), 1e-13);
  EXPECT_LT((A.bottomRows(6) - J).norm(), 1e-13);
}

TEST(Constraints, evaluation_does_not_allocate) {
  const LoopedRobot robot = random_loops(3, 14, every_loop_kind());
  const std::vector<double> v = random_velocity(robot.model, 1);
  Rows rows(robot.model, robot.q, v);
  AllocationCounter counter;
  constraint_rows(robot.model, rows.set, rows.ws, robot.q, v, rows.phi, rows.A, rows.bias);
  EXPECT_EQ(counter.count(), 0u);
}

TEST(Constraints, ends_on_one_body_and_a_zero_distance_are_refused) {
  const Model<double> model(random_tree(5, 4));
  ConstraintSet set = ConstraintSet::none(model);
  EXPECT_THROW(set.add_frame("x", Frame{"base", 0, {}}, {}), Error);
  EXPECT_THROW(
      set.add("d", LoopJoint::Kind::distance, model.frame("link_1"), model.frame("link_2"), 0),
      Error);
}

}  // namespace
}  // namespace torsor::testing
