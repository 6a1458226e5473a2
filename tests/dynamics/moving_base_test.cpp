#include "torsor/dynamics/moving_base.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using testing::Draw;
using testing::State;

template <class Real>
class MovingBase : public ::testing::Test {};
TYPED_TEST_SUITE(MovingBase, testing::Scalars, testing::ScalarNames);

/// The same robot with a free joint under its root is another way: its base is then a body.
TYPED_TEST(MovingBase, L_03_torques_are_those_of_a_floating_robot_whose_base_moves_so) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    RobotDescription description = testing::random_tree(seed, 9, {.rotors = false});
    description.base = {};
    const Model<double> fixed(description), floating = with_base(fixed, JointKind::free);
    const auto model = testing::model_for<Real>(fixed),
               carried = testing::model_for<Real>(floating);
    const State<Real> s(carried, seed);
    const auto tail = [](const auto& x, std::size_t n) {
      return std::vector<Real>(x.begin() + static_cast<std::ptrdiff_t>(n), x.end());
    };
    const std::vector<Real> q = tail(s.q, 7), qd = tail(s.qd, 6), qdd = tail(s.qdd, 6);
    const BaseMotion<Real> base{joint_pose(carried, 1, s.q),
                                {{s.qd[0], s.qd[1], s.qd[2]}, {s.qd[3], s.qd[4], s.qd[5]}},
                                {{s.qdd[0], s.qdd[1], s.qdd[2]}, {s.qdd[3], s.qdd[4], s.qdd[5]}}};
    const std::vector<Wrench<Real>> F(s.F_ext.begin() + 1, s.F_ext.end());
    std::vector<Real> expected(s.tau.size()), tau(qd.size()), back(qd.size());
    RneaWorkspace<Real> rnea(carried);
    rigid_inverse_dynamics(carried, rnea, s.q, s.qd, s.qdd, s.F_ext, expected);
    MovingBaseWorkspace<Real> ws(model);
    rigid_inverse_dynamics(model, ws, base, q, qd, qdd, F, tau);
    const double scale = 500 * testing::scale_of(expected);
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(tau[k], expected[k + 6], scale) << "seed " << seed;
  }
}

TYPED_TEST(MovingBase, L_04_L_05_forward_and_hybrid_dynamics_undo_inverse_dynamics) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 6, {.kinds = testing::one_dof_kinds()})));
    const State<Real> s(model, seed);
    Draw<Real> draw(seed);
    const BaseMotion<Real> base{draw.pose(), draw.twist(), draw.twist(5)};
    MovingBaseWorkspace<Real> ws(model);
    std::vector<Real> tau(s.tau.size()), qdd(tau);
    rigid_inverse_dynamics(model, ws, base, s.q, s.qd, s.qdd, s.F_ext, tau);
    EXPECT_TRUE(rigid_forward_dynamics(model, ws, base, s.q, s.qd, tau, s.F_ext, qdd));
    const double scale = 1e3 * testing::scale_of(tau);
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(qdd[k], s.qdd[k], scale) << "seed " << seed;
    std::vector<char> prescribed{0, 1, 0, 0, 1, 0, 1};
    std::vector<Real> mixed_qdd(s.qdd), mixed_tau(tau);
    for (std::size_t k = 0; k < tau.size(); ++k)
      (prescribed[k + 1] ? mixed_tau : mixed_qdd)[k] = Real(0);
    EXPECT_TRUE(rigid_hybrid_dynamics(model, ws, base, prescribed, s.q, s.qd, mixed_qdd, mixed_tau,
                                      s.F_ext));
    for (std::size_t k = 0; k < tau.size(); ++k) {
      EXPECT_CLOSE(mixed_qdd[k], s.qdd[k], scale) << "seed " << seed;
      EXPECT_CLOSE(mixed_tau[k], tau[k], scale) << "seed " << seed;
    }
  }
}

TEST(MovingBaseOfAnArm, in_a_lift_weighs_more_and_upside_down_hangs_the_other_way) {
  ModelBuilder b("pendulum");
  b.revolute("joint", "base", "rod", {}, {0, 1, 0});
  b.inertia("rod", 3, {0, 0, -0.5}, {0.1, 0, 0.1, 0, 0, 0.1});
  const Model<double> model = b.build();
  MovingBaseWorkspace<double> ws(model);
  const std::vector<double> q{0.4}, zero{0};
  std::vector<double> tau(1);
  BaseMotion<double> lift;
  lift.Vdot.v.z = 2;
  rigid_inverse_dynamics(model, ws, lift, q, zero, zero, {}, tau);
  EXPECT_NEAR(tau[0], 3 * (9.81 + 2) * 0.5 * std::sin(0.4), 1e-13);
  BaseMotion<double> turned;
  turned.T_world_base.R = internal::rotation_about(Vec3<double>{1, 0, 0}, sincos(std::numbers::pi));
  rigid_inverse_dynamics(model, ws, turned, q, zero, zero, {}, tau);
  EXPECT_NEAR(tau[0], -3 * 9.81 * 0.5 * std::sin(0.4), 1e-13);
}

TEST(MovingBaseOfAnArm, calls_allocate_nothing) {
  const Model<double> model(testing::random_tree(7, 30));
  const State<double> s(model, 3);
  MovingBaseWorkspace<double> ws(model);
  const BaseMotion<double> base{{}, {{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}};
  const std::vector<char> prescribed(static_cast<std::size_t>(model.n_bodies()), 1);
  std::vector<double> tau(s.tau), qdd(s.qdd);
  const testing::AllocationCounter counter;
  rigid_inverse_dynamics(model, ws, base, s.q, s.qd, s.qdd, s.F_ext, tau);
  const auto forward = rigid_forward_dynamics(model, ws, base, s.q, s.qd, s.tau, s.F_ext, qdd);
  const auto hybrid =
      rigid_hybrid_dynamics(model, ws, base, prescribed, s.q, s.qd, qdd, tau, s.F_ext);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(forward && hybrid);
}

}  // namespace
}  // namespace torsor
