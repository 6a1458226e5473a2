#include "torsor/dynamics/two_velocity.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;

template <class Real>
class TwoVelocity : public ::testing::Test {};
TYPED_TEST_SUITE(TwoVelocity, testing::Scalars, testing::ScalarNames);

TYPED_TEST(TwoVelocity, is_M_a_plus_C_v_plus_g_with_the_one_coriolis_matrix) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    const State<Real> s(model, seed);
    const int n = model.n_v();
    const std::vector<Real>&a = s.qdd, &v = s.tau;
    Square<Real> M(n), C(n);
    CrbaWorkspace<Real> crba(model);
    CoriolisWorkspace<Real> coriolis(model);
    RneaWorkspace<Real> rnea(model);
    TwoVelocityWorkspace<Real> ws(model);
    std::vector<Real> expected(v.size()), tau(v.size());
    mass_matrix(model, crba, s.q, M.view());
    coriolis_matrix(model, coriolis, s.q, s.qd, C.view());
    gravity_torque(model, rnea, s.q, expected);
    two_velocity_inverse_dynamics(model, ws, s.q, s.qd, v, a, tau);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c)
        expected[static_cast<std::size_t>(r)] +=
            M(r, c) * a[static_cast<std::size_t>(c)] + C(r, c) * v[static_cast<std::size_t>(c)];
    const double scale = std::max(
        {testing::scale_of(expected), testing::scale_of(C.data), testing::scale_of(M.data)});
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(tau[k], expected[k], 100 * scale) << "seed " << seed;
  }
}

TYPED_TEST(TwoVelocity, with_equal_velocities_is_inverse_dynamics) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    const State<Real> s(model, seed);
    RneaWorkspace<Real> rnea(model);
    TwoVelocityWorkspace<Real> ws(model);
    std::vector<Real> expected(s.qd.size()), tau(s.qd.size());
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, {}, expected);
    two_velocity_inverse_dynamics(model, ws, s.q, s.qd, s.qd, s.qdd, tau);
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(tau[k], expected[k], 50 * testing::scale_of(expected)) << "seed " << seed;
  }
}

TYPED_TEST(TwoVelocity, in_both_orders_adds_up_to_the_bias_of_the_sum) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    const State<Real> s(model, seed);
    const std::vector<Real>&v = s.qd, &w = s.qdd, zero(s.qd.size());
    std::vector<Real> both(v), vw(v.size()), wv(v.size()), a(v.size()), b(v.size()), ab(v.size());
    for (std::size_t k = 0; k < both.size(); ++k) both[k] = v[k] + w[k];
    RneaWorkspace<Real> rnea(model);
    TwoVelocityWorkspace<Real> ws(model);
    two_velocity_inverse_dynamics(model, ws, s.q, v, w, zero, vw);
    two_velocity_inverse_dynamics(model, ws, s.q, w, v, zero, wv);
    bias_torque(model, rnea, s.q, v, a);
    bias_torque(model, rnea, s.q, w, b);
    bias_torque(model, rnea, s.q, both, ab);
    std::vector<Real> g(v.size());
    gravity_torque(model, rnea, s.q, g);
    // C(v) w + C(w) v = B(v + w) - B(v) - B(w) with B(v) = C(v) v: g is in all five.
    for (std::size_t k = 0; k < both.size(); ++k)
      EXPECT_CLOSE(vw[k] + wv[k] - g[k] - g[k], ab[k] - a[k] - b[k] + g[k],
                   100 * testing::scale_of(ab))
          << "seed " << seed;
  }
}

TEST(TwoVelocityInverseDynamics, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 30, testing::everything()));
  State<double> s(model, 3);
  TwoVelocityWorkspace<double> ws(model);
  const std::vector<double> v(s.qdd);
  const testing::AllocationCounter counter;
  two_velocity_inverse_dynamics(model, ws, s.q, s.qd, v, s.qdd, s.tau);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
