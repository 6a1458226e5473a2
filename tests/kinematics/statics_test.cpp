#include "torsor/kinematics/statics.hpp"

#include "kinematics/textbook_arms.hpp"
#include "support/allocation_counter.hpp"
#include "support/model_for.hpp"
#include "support/random_model.hpp"

namespace torsor {
namespace {

using testing::Draw;

constexpr Reference every_reference[] = {Reference::body, Reference::world,
                                         Reference::world_aligned};

template <class Real>
class Statics : public ::testing::Test {};
TYPED_TEST_SUITE(Statics, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Statics, work_of_the_torques_is_the_work_of_the_wrench) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> robot(testing::random_tree(seed, 12));
    const auto model = testing::model_for<Real>(robot);
    const std::vector<double> start = testing::random_q(robot, seed);
    const std::vector<Real> q(start.begin(), start.end());
    Draw<Real> draw(seed);
    std::vector<Real> qd(static_cast<std::size_t>(model.n_v())), tau(qd.size());
    for (Real& x : qd) x = draw();
    const Wrench<Real> F{draw.vec(), draw.vec()};
    KinematicsWorkspace<Real> ws(model);
    VelocityWorkspace<Real> velocity(model);
    forward_velocity(model, velocity, q, qd);
    for (const Frame& frame : model.frames())
      for (const Reference reference : every_reference) {
        statics(model, ws, q, frame, reference, F, tau);
        Real power(0);
        for (std::size_t k = 0; k < tau.size(); ++k) power = power + tau[k] * qd[k];
        EXPECT_CLOSE(power, dot(frame_velocity(velocity, frame, reference), F), 400);
      }
  }
}

/// A wrench handed down from joint to joint: the textbook's recursion of forces, without gravity.
TEST(StaticsOfATree, torques_are_the_axis_components_of_the_wrench_handed_down) {
  const Model<double> model(testing::random_tree(3, 12));
  const std::vector<double> q = testing::random_q(model, 3);
  Draw<double> draw(4);
  const Wrench<double> F{draw.vec(), draw.vec()};
  KinematicsWorkspace<double> ws(model);
  std::vector<double> tau(static_cast<std::size_t>(model.n_v()));
  for (const Frame& frame : model.frames()) {
    statics(model, ws, q, frame, Reference::body, F, tau);
    std::vector<double> expected(tau.size());
    Wrench<double> carried = Ad_dual_inv(frame.placement, F);
    for (int i = frame.body; i > 0; i = model.body(i).parent) {
      const auto S = joint_subspace(model, i, q);
      for (int c = 0; c < model.body(i).v.count; ++c)
        expected[static_cast<std::size_t>(model.body(i).v.first + c)] =
            dot(S[static_cast<std::size_t>(c)], carried);
      carried = Ad_dual_inv(joint_pose(model, i, q), carried);
    }
    for (std::size_t k = 0; k < tau.size(); ++k) EXPECT_CLOSE(tau[k], expected[k], 200);
  }
}

/// Two links of 1 m, elbow bent by a right angle: the tip at (1, 1).
TEST(StaticsOfATree, planar_arm_by_hand) {
  const Model<double> model(from_dh(testing::planar({1, 1})));
  KinematicsWorkspace<double> ws(model);
  const double q[] = {0, testing::quarter_turn};
  double tau[2];
  statics(model, ws, q, model.frame("tool"), Reference::world_aligned, {{}, {10, 0, 0}}, tau);
  EXPECT_NEAR(tau[0], -10, 1e-14);
  EXPECT_NEAR(tau[1], -10, 1e-14);
  statics(model, ws, q, model.frame("tool"), Reference::world_aligned, {{}, {0, 10, 0}}, tau);
  EXPECT_NEAR(tau[0], 10, 1e-14);
  EXPECT_NEAR(tau[1], 0, 1e-14);
}

TEST(StaticsOfATree, wrench_comes_back_from_the_torques_of_a_regular_arm) {
  const Model<double> model(from_dh(testing::stanford_with_tool()));
  SingularityWorkspace ws(model);
  const Wrench<double> F{{1, -2, 3}, {4, 5, -6}};
  std::vector<double> tau(6);
  for (const Reference reference : every_reference) {
    statics(model, ws.kinematics, testing::q_stanford, model.frame("tool"), reference, F, tau);
    const StaticWrench found =
        wrench_from_torques(model, ws, testing::q_stanford, model.frame("tool"), reference, tau);
    EXPECT_EQ(found.rank, 6);
    EXPECT_CLOSE(found.F, F, 300);
    EXPECT_LE(found.residual, 1e-13);
  }
}

TEST(StaticsOfATree, at_a_singularity_the_structure_carries_the_blocked_wrench_without_torque) {
  const Model<double> model(from_dh(testing::stanford_wrist()));
  SingularityWorkspace ws(model);
  std::vector<double> q = testing::q_stanford, tau(6);
  q[1] = 0;
  const Twist<double> blocked = singularities(model, ws, q, model.frame("tool")).blocked;
  const Wrench<double> F{blocked.w, blocked.v};
  statics(model, ws.kinematics, q, model.frame("tool"), Reference::world_aligned, F, tau);
  for (const double x : tau) EXPECT_NEAR(x, 0, 1e-14);
  EXPECT_EQ(
      wrench_from_torques(model, ws, q, model.frame("tool"), Reference::world_aligned, tau).rank,
      5);
}

TEST(StaticsOfATree, torques_that_no_wrench_explains_are_left_over) {
  const Model<double> model(from_dh(testing::seven_revolute()));
  SingularityWorkspace ws(model);
  const std::vector<double> q{0.1, -0.6, 0.3, 1.2, -0.4, 0.8, 0.5}, tau{1, 0, 0, 0, 0, 0, 0};
  const StaticWrench found =
      wrench_from_torques(model, ws, q, model.frame("tool"), Reference::body, tau);
  EXPECT_EQ(found.rank, 6);
  EXPECT_GT(found.residual, 0.01);
  std::vector<double> back(7);
  statics(model, ws.kinematics, q, model.frame("tool"), Reference::body, found.F, back);
  double along = 0, rest = 0;  // the rest is orthogonal to what a wrench explains
  for (std::size_t k = 0; k < 7; ++k) {
    along += (tau[k] - back[k]) * back[k];
    rest += (tau[k] - back[k]) * (tau[k] - back[k]);
  }
  EXPECT_NEAR(along, 0, 1e-13);
  EXPECT_NEAR(std::sqrt(rest), found.residual, 1e-14);
}

TEST(StaticsOfATree, calls_allocate_nothing) {
  const Model<double> model(from_dh(testing::puma()));
  SingularityWorkspace ws(model);
  std::vector<double> tau(6);
  const Frame& tool = model.frame("tool");
  const testing::AllocationCounter counter;
  statics(model, ws.kinematics, testing::q_puma, tool, Reference::body, {{1, 2, 3}, {4, 5, 6}},
          tau);
  const StaticWrench found =
      wrench_from_torques(model, ws, testing::q_puma, tool, Reference::body, tau);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_EQ(found.rank, 6);
}

}  // namespace
}  // namespace torsor
