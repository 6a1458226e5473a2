#include "torsor/dynamics/derivatives/aba_derivatives.hpp"

#include "support/allocation_counter.hpp"
#include "support/tangent_truth.hpp"
#include "torsor/dynamics/minverse.hpp"

namespace torsor {
namespace {

using testing::expect_close;
using testing::Slopes;
using testing::Square;
using testing::State;

template <class Real>
struct Derivatives {
  std::vector<Real> qdd;
  Square<Real> by_q, by_qd, by_tau;
  double condition = 1;

  template <class Param>
  Derivatives(const Model<Param>& model, const State<Real>& s)
      : qdd(s.qd.size()), by_q(model.n_v()), by_qd(model.n_v()), by_tau(model.n_v()) {
    ForwardDynamicsDerivativesWorkspace<Real> ws(model);
    const auto result = rigid_forward_dynamics_derivatives(
        model, ws, s.q, s.qd, s.tau, s.F_ext, qdd, by_q.view(), by_qd.view(), by_tau.view());
    EXPECT_TRUE(result);
    condition = std::max(1.0, 1 / testing::distance(Real(result.pivot_ratio), Real(0)));
  }
};

/// qdd of any scalar, with the wrenches of s.
template <class Param, class Real>
auto acceleration(const Model<Param>& model, const State<Real>& s) {
  return [&](const auto& q, const auto& qd, const auto& tau) {
    using Number = typename std::decay_t<decltype(qd)>::value_type;
    AbaWorkspace<Number> ws(model);
    std::vector<Number> qdd(qd.size());
    EXPECT_TRUE(rigid_forward_dynamics(model, ws, q, qd, tau,
                                       testing::constant_wrenches<Number>(s.F_ext), qdd));
    return qdd;
  };
}

template <class Real>
class ForwardDynamicsDerivatives : public ::testing::Test {};
TYPED_TEST_SUITE(ForwardDynamicsDerivatives, testing::Scalars, testing::ScalarNames);

TYPED_TEST(ForwardDynamicsDerivatives, are_those_of_dual_numbers_on_trees_of_every_joint) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    const State<Real> s(model, seed);
    const Derivatives<Real> d(model, s);
    const auto f = acceleration(model, s);
    const Slopes<Real> truth = testing::slopes_by_duals(model, s.q, s.qd, s.tau, f);
    const std::string what = "seed " + std::to_string(seed);
    expect_close(d.qdd, f(s.q, s.qd, s.tau), 20 * d.condition, what);
    expect_close(d.by_q.data, truth.by_q, 20 * d.condition, what + ", by q");
    expect_close(d.by_qd.data, truth.by_qd, 20 * d.condition, what + ", by qd");
    expect_close(d.by_tau.data, truth.by_third, 20 * d.condition, what + ", by tau");
  }
}

TEST(ForwardDynamicsDerivativesOf, every_joint_kind_alone_and_in_chains_are_those_of_dual_numbers) {
  unsigned seed = 0;
  for (const JointKind kind : testing::every_moving_kind())
    for (const int joints : {1, 4}) {
      const Model<double> model(
          testing::random_tree(++seed, joints, {.kinds = {kind}, .chain = true}));
      const State<double> s(model, seed);
      const Derivatives<double> d(model, s);
      const auto truth = testing::slopes_by_duals(model, s.q, s.qd, s.tau, acceleration(model, s));
      const std::string what = "kind " + std::to_string(static_cast<int>(kind));
      expect_close(d.by_q.data, truth.by_q, 20 * d.condition, what + ", by q");
      expect_close(d.by_qd.data, truth.by_qd, 20 * d.condition, what + ", by qd");
      expect_close(d.by_tau.data, truth.by_third, 20 * d.condition, what + ", by tau");
    }
}

TEST(ForwardDynamicsDerivativesOf, random_trees_are_those_of_central_differences) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    const Derivatives<double> d(model, s);
    const auto truth =
        testing::slopes_by_differences(model, s.q, s.qd, s.tau, acceleration(model, s));
    const double difference_error = 1e-6 / std::numeric_limits<double>::epsilon();
    expect_close(d.by_q.data, truth.by_q, difference_error, "by q");
    expect_close(d.by_qd.data, truth.by_qd, difference_error, "by qd");
    expect_close(d.by_tau.data, truth.by_third, difference_error, "by tau");
  }
}

/// Zero velocities and torques at the neutral configuration, where axes of Euler joints align.
TEST(ForwardDynamicsDerivativesOf, a_robot_at_rest_with_aligned_axes_are_those_of_dual_numbers) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    State<double> s(model, seed);
    neutral(model, s.q);
    for (auto* x : {&s.qd, &s.tau})
      for (double& e : *x) e = 0;
    const Derivatives<double> d(model, s);
    const auto truth = testing::slopes_by_duals(model, s.q, s.qd, s.tau, acceleration(model, s));
    expect_close(d.by_q.data, truth.by_q, 20 * d.condition, "by q");
    expect_close(d.by_qd.data, truth.by_qd, 20 * d.condition, "by qd");
  }
}

TEST(ForwardDynamicsDerivativesOf, the_torque_are_the_inverse_of_the_mass_matrix) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 20, testing::everything()));
    const State<double> s(model, seed);
    const Derivatives<double> d(model, s);
    Square<double> inverse(model.n_v());
    MinverseWorkspace<double> ws(model);
    EXPECT_TRUE(mass_matrix_inverse(model, ws, s.q, inverse.view()));
    expect_close(d.by_tau.data, inverse.data, 20 * d.condition, "seed " + std::to_string(seed));
  }
}

TEST(ForwardDynamicsDerivativesOf,
     the_state_are_those_of_the_torque_times_less_the_inverse_mass_matrix) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    const Derivatives<double> d(model, s);
    const int n = model.n_v();
    Square<double> by_q(n), by_qd(n), inverse(n);
    InverseDynamicsDerivativesWorkspace<double> ws(model);
    rigid_inverse_dynamics_derivatives(model, ws, s.q, s.qd, d.qdd, s.F_ext, by_q.view(),
                                       by_qd.view());
    MinverseWorkspace<double> minverse(model);
    EXPECT_TRUE(mass_matrix_inverse(model, minverse, s.q, inverse.view()));
    const auto times_less_inverse = [&](Square<double>& x) {
      Square<double> y(n);
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
          for (int k = 0; k < n; ++k) y(r, c) -= inverse(r, k) * x(k, c);
      return y.data;
    };
    expect_close(d.by_q.data, times_less_inverse(by_q), 20 * d.condition, "by q");
    expect_close(d.by_qd.data, times_less_inverse(by_qd), 20 * d.condition, "by qd");
  }
}

TEST(ForwardDynamicsDerivativesOf, a_massless_end_tell_that_it_cannot_be_moved) {
  RobotDescription robot = testing::random_tree(
      3, 4,
      {.kinds = testing::one_dof_kinds(), .chain = true, .fixed_links = false, .rotors = false});
  robot.links.back().inertial = {};
  const Model<double> model(robot);
  const State<double> s(model, 1);
  ForwardDynamicsDerivativesWorkspace<double> ws(model);
  Square<double> d(model.n_v());
  EXPECT_FALSE(
      rigid_forward_dynamics_derivatives(model, ws, s.q, s.qd, s.tau, {}, {}, d.view(), {}, {}));
  for (const double x : d.data) EXPECT_TRUE(std::isfinite(x));
}

TEST(ForwardDynamicsDerivativesOf, a_robot_allocate_nothing) {
  const Model<double> model(testing::random_tree(7, 30, testing::everything()));
  const State<double> s(model, 3);
  std::vector<double> qdd(s.qd.size());
  Square<double> by_q(model.n_v()), by_qd(model.n_v()), by_tau(model.n_v());
  ForwardDynamicsDerivativesWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  const auto result = rigid_forward_dynamics_derivatives(model, ws, s.q, s.qd, s.tau, s.F_ext, qdd,
                                                         by_q.view(), by_qd.view(), by_tau.view());
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(result);
}

}  // namespace
}  // namespace torsor
