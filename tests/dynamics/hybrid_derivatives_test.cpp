#include "torsor/dynamics/derivatives/hybrid_derivatives.hpp"

#include "support/allocation_counter.hpp"
#include "support/tangent_truth.hpp"
#include "torsor/dynamics/hybrid.hpp"

namespace torsor {
namespace {

using testing::expect_close;
using testing::Slopes;
using testing::Square;
using testing::State;

/// Which joints are prescribed: a drawn subset.
std::vector<char> subset(int n_bodies, unsigned seed) {
  testing::Draw<double> draw(seed + 1000);
  std::vector<char> mask(static_cast<std::size_t>(n_bodies));
  for (char& m : mask) m = draw() > 0 ? 1 : 0;
  return mask;
}
/// The same for each velocity.
template <class Param>
std::vector<char> by_velocity(const Model<Param>& model, const std::vector<char>& mask) {
  std::vector<char> out;
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; k < model.canonical(i).n_v; ++k)
      out.push_back(mask[static_cast<std::size_t>(i)]);
  return out;
}

template <class Real>
struct Derivatives {
  std::vector<Real> qdd, tau;
  Square<Real> by_q, by_qd, by_given;
  double condition = 1;

  template <class Param>
  Derivatives(const Model<Param>& model, const State<Real>& s, const std::vector<char>& mask)
      : qdd(s.qdd), tau(s.tau), by_q(model.n_v()), by_qd(model.n_v()), by_given(model.n_v()) {
    ForwardDynamicsDerivativesWorkspace<Real> ws(model);
    const auto result = rigid_hybrid_dynamics_derivatives(
        model, ws, mask, s.q, s.qd, qdd, tau, s.F_ext, by_q.view(), by_qd.view(), by_given.view());
    EXPECT_TRUE(result);
    condition = std::max(1.0, 1 / testing::distance(Real(result.pivot_ratio), Real(0)));
  }
};

/// What each velocity answers with, of what is given for it.
template <class Param, class Real>
auto answer(const Model<Param>& model, const State<Real>& s, const std::vector<char>& mask) {
  return [&](const auto& q, const auto& qd, const auto& given) {
    using Number = typename std::decay_t<decltype(qd)>::value_type;
    const std::vector<char> prescribed = by_velocity(model, mask);
    AbaWorkspace<Number> ws(model);
    std::vector<Number> qdd(given), tau(given), out;
    EXPECT_TRUE(rigid_hybrid_dynamics(model, ws, mask, q, qd, qdd, tau,
                                      testing::constant_wrenches<Number>(s.F_ext)));
    for (std::size_t k = 0; k < given.size(); ++k) out.push_back(prescribed[k] ? tau[k] : qdd[k]);
    return out;
  };
}
template <class Param, class Real>
std::vector<Real> given_of(const Model<Param>& model, const State<Real>& s,
                           const std::vector<char>& mask) {
  const std::vector<char> prescribed = by_velocity(model, mask);
  std::vector<Real> given;
  for (std::size_t k = 0; k < prescribed.size(); ++k)
    given.push_back(prescribed[k] ? s.qdd[k] : s.tau[k]);
  return given;
}

template <class Real>
class HybridDynamicsDerivatives : public ::testing::Test {};
TYPED_TEST_SUITE(HybridDynamicsDerivatives, testing::Scalars, testing::ScalarNames);

TYPED_TEST(HybridDynamicsDerivatives, of_any_subset_are_those_of_dual_numbers) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    const State<Real> s(model, seed);
    const std::vector<char> mask = subset(model.n_bodies(), seed);
    const std::vector<Real> given = given_of(model, s, mask);
    const Derivatives<Real> d(model, s, mask);
    const auto f = answer(model, s, mask);
    const Slopes<Real> truth = testing::slopes_by_duals(model, s.q, s.qd, given, f);
    const std::vector<char> prescribed = by_velocity(model, mask);
    std::vector<Real> found;
    for (std::size_t k = 0; k < given.size(); ++k)
      found.push_back(prescribed[k] ? d.tau[k] : d.qdd[k]);
    const std::string what = "seed " + std::to_string(seed);
    expect_close(found, f(s.q, s.qd, given), 20 * d.condition, what);
    expect_close(d.by_q.data, truth.by_q, 20 * d.condition, what + ", by q");
    expect_close(d.by_qd.data, truth.by_qd, 20 * d.condition, what + ", by qd");
    expect_close(d.by_given.data, truth.by_third, 20 * d.condition, what + ", by what is given");
  }
}

TEST(HybridDynamicsDerivativesOf, any_subset_are_those_of_central_differences) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    const std::vector<char> mask = subset(model.n_bodies(), seed);
    const Derivatives<double> d(model, s, mask);
    const auto truth = testing::slopes_by_differences(model, s.q, s.qd, given_of(model, s, mask),
                                                      answer(model, s, mask));
    const double difference_error = 1e-6 / std::numeric_limits<double>::epsilon();
    expect_close(d.by_q.data, truth.by_q, difference_error, "by q");
    expect_close(d.by_qd.data, truth.by_qd, difference_error, "by qd");
    expect_close(d.by_given.data, truth.by_third, difference_error, "by what is given");
  }
}

TEST(HybridDynamicsDerivativesOf, a_robot_at_rest_with_aligned_axes_are_those_of_dual_numbers) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    State<double> s(model, seed);
    neutral(model, s.q);
    for (auto* x : {&s.qd, &s.qdd, &s.tau})
      for (double& e : *x) e = 0;
    const std::vector<char> mask = subset(model.n_bodies(), seed);
    const Derivatives<double> d(model, s, mask);
    const auto truth = testing::slopes_by_duals(model, s.q, s.qd, given_of(model, s, mask),
                                                answer(model, s, mask));
    expect_close(d.by_q.data, truth.by_q, 20 * d.condition, "by q");
    expect_close(d.by_qd.data, truth.by_qd, 20 * d.condition, "by qd");
    expect_close(d.by_given.data, truth.by_third, 20 * d.condition, "by what is given");
  }
}

TEST(HybridDynamicsDerivativesOf, all_prescribed_are_those_of_inverse_dynamics) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    const int n = model.n_v();
    const Derivatives<double> d(model, s,
                                std::vector<char>(static_cast<std::size_t>(model.n_bodies()), 1));
    Square<double> by_q(n), by_qd(n), M(n);
    InverseDynamicsDerivativesWorkspace<double> ws(model);
    rigid_inverse_dynamics_derivatives(model, ws, s.q, s.qd, s.qdd, s.F_ext, by_q.view(),
                                       by_qd.view(), M.view());
    expect_close(d.by_q.data, by_q.data, 50, "by q");
    expect_close(d.by_qd.data, by_qd.data, 50, "by qd");
    expect_close(d.by_given.data, M.data, 50, "by qdd");
  }
}

TEST(HybridDynamicsDerivativesOf, none_prescribed_are_those_of_forward_dynamics) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    const int n = model.n_v();
    const Derivatives<double> d(model, s,
                                std::vector<char>(static_cast<std::size_t>(model.n_bodies()), 0));
    Square<double> by_q(n), by_qd(n), by_tau(n);
    ForwardDynamicsDerivativesWorkspace<double> ws(model);
    EXPECT_TRUE(rigid_forward_dynamics_derivatives(model, ws, s.q, s.qd, s.tau, s.F_ext, {},
                                                   by_q.view(), by_qd.view(), by_tau.view()));
    expect_close(d.by_q.data, by_q.data, 10, "by q");
    expect_close(d.by_qd.data, by_qd.data, 10, "by qd");
    expect_close(d.by_given.data, by_tau.data, 10, "by tau");
  }
}

TEST(HybridDynamicsDerivativesOf, a_robot_allocate_nothing) {
  const Model<double> model(testing::random_tree(7, 30, testing::everything()));
  State<double> s(model, 3);
  const std::vector<char> mask = subset(model.n_bodies(), 5);
  Square<double> by_q(model.n_v()), by_qd(model.n_v()), by_given(model.n_v());
  ForwardDynamicsDerivativesWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  const auto result =
      rigid_hybrid_dynamics_derivatives(model, ws, mask, s.q, s.qd, s.qdd, s.tau, s.F_ext,
                                        by_q.view(), by_qd.view(), by_given.view());
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(result);
}

}  // namespace
}  // namespace torsor
