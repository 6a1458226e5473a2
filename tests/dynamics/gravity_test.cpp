#include "torsor/dynamics/gravity.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/energy.hpp"

namespace torsor {
namespace {

using testing::State;

template <class Real>
class Gravity : public ::testing::Test {};
TYPED_TEST_SUITE(Gravity, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Gravity, torque_is_inverse_dynamics_at_rest) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 14)));
    const State<Real> s(model, seed);
    RneaWorkspace<Real> ws(model);
    const std::vector<Real> zero(s.qd.size());
    std::vector<Real> expected(zero), tau(zero);
    rigid_inverse_dynamics(model, ws, s.q, zero, zero, {}, expected);
    gravity_torque(model, ws, s.q, tau);
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(tau[k], expected[k], 10 * testing::scale_of(expected)) << "seed " << seed;
  }
}

TYPED_TEST(Gravity, D_14_bias_is_inverse_dynamics_without_acceleration) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 14)));
    const State<Real> s(model, seed);
    RneaWorkspace<Real> ws(model);
    const std::vector<Real> zero(s.qd.size());
    std::vector<Real> expected(zero), tau(zero);
    rigid_inverse_dynamics(model, ws, s.q, s.qd, zero, {}, expected);
    bias_torque(model, ws, s.q, s.qd, tau);
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(tau[k], expected[k], 10 * testing::scale_of(expected)) << "seed " << seed;
  }
}

TEST(GravityTorque, D_06_is_the_gradient_of_the_potential_energy) {
  using Tangent = Dual<double, 1>;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 8));
    const State<double> s(model, seed);
    RneaWorkspace<double> ws(model);
    std::vector<double> tau(s.qd.size());
    gravity_torque(model, ws, s.q, tau);
    KinematicsWorkspace<Tangent> kinematics(model);
    const std::vector<Tangent> q0(s.q.begin(), s.q.end());
    for (std::size_t k = 0; k < tau.size(); ++k) {
      std::vector<Tangent> step(tau.size()), q(q0.size());
      step[k].d[0] = 1;
      integrate(model, q0, step, q);
      forward_kinematics(model, kinematics, q);
      EXPECT_CLOSE(tau[k], potential_energy(model, kinematics).d[0], 100 * testing::scale_of(tau))
          << "seed " << seed;
    }
  }
}

TEST(GravityTorque, and_the_bias_allocate_nothing) {
  const Model<double> model(testing::random_tree(7, 30));
  State<double> s(model, 3);
  RneaWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  gravity_torque(model, ws, s.q, s.tau);
  bias_torque(model, ws, s.q, s.qd, s.tau);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
