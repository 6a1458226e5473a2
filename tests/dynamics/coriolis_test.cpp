#include "torsor/dynamics/coriolis.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/rnea.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;

template <class Real>
class Coriolis : public ::testing::Test {};
TYPED_TEST_SUITE(Coriolis, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Coriolis, times_the_velocity_is_the_bias_without_gravity) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 15; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 14)));
    const State<Real> s(model, seed);
    const int n = model.n_v();
    Square<Real> C(n);
    CoriolisWorkspace<Real> ws(model);
    coriolis_matrix(model, ws, s.q, s.qd, C.view());
    RneaWorkspace<Real> rnea(model);
    const std::vector<Real> zero(s.qd.size());
    std::vector<Real> bias(zero), gravity(zero);
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, zero, {}, bias);
    rigid_inverse_dynamics(model, rnea, s.q, zero, zero, {}, gravity);
    const double scale = std::max(testing::scale_of(bias), testing::scale_of(C.data));
    for (int r = 0; r < n; ++r) {
      Real sum = gravity[static_cast<std::size_t>(r)];
      for (int c = 0; c < n; ++c) sum = sum + C(r, c) * s.qd[static_cast<std::size_t>(c)];
      EXPECT_CLOSE(sum, bias[static_cast<std::size_t>(r)], 100 * scale) << "seed " << seed;
    }
  }
}

/// d/dt M along qd, by dual numbers through the step on the manifold.
Square<double> mass_matrix_rate(const Model<double>& model, const State<double>& s) {
  using Tangent = Dual<double, 1>;
  std::vector<Tangent> q0(s.q.begin(), s.q.end()), step(s.qd.size()), q(q0.size());
  for (std::size_t k = 0; k < step.size(); ++k) step[k].d[0] = s.qd[k];
  integrate(model, q0, step, q);
  Square<Tangent> M(model.n_v());
  CrbaWorkspace<Tangent> ws(model);
  mass_matrix(model, ws, q, M.view());
  Square<double> rate(model.n_v());
  for (std::size_t k = 0; k < rate.data.size(); ++k) rate.data[k] = M.data[k].d[0];
  return rate;
}

TEST(CoriolisMatrix, Mdot_less_2C_is_skew) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14));
    const State<double> s(model, seed);
    Square<double> C(model.n_v()), rate = mass_matrix_rate(model, s);
    CoriolisWorkspace<double> ws(model);
    coriolis_matrix(model, ws, s.q, s.qd, C.view());
    for (int r = 0; r < C.n; ++r)
      for (int c = 0; c < C.n; ++c)
        EXPECT_CLOSE(C(r, c) + C(c, r), rate(r, c), 100 * testing::scale_of(C.data))
            << "seed " << seed;
  }
}

TEST(CoriolisMatrix, is_the_christoffel_matrix_where_velocities_are_rates) {
  using Tangent = Dual<double, 1>;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(
        seed, 8,
        {.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::helical,
                   JointKind::cylindrical, JointKind::universal, JointKind::spherical_euler}}));
    const State<double> s(model, seed);
    const int n = model.n_v();
    std::vector<Square<double>> dM;  // dM / dq_k
    CrbaWorkspace<Tangent> crba(model);
    for (int k = 0; k < n; ++k) {
      std::vector<Tangent> q(s.q.begin(), s.q.end());
      q[static_cast<std::size_t>(k)].d[0] = 1;
      Square<Tangent> M(n);
      mass_matrix(model, crba, q, M.view());
      dM.emplace_back(n);
      for (std::size_t e = 0; e < M.data.size(); ++e) dM.back().data[e] = M.data[e].d[0];
    }
    Square<double> C(n);
    CoriolisWorkspace<double> ws(model);
    coriolis_matrix(model, ws, s.q, s.qd, C.view());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double christoffel = 0;
        for (int k = 0; k < n; ++k) {
          const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j),
                     c = static_cast<std::size_t>(k);
          christoffel += 0.5 * (dM[c](i, j) + dM[b](i, k) - dM[a](j, k)) * s.qd[c];
        }
        EXPECT_CLOSE(C(i, j), christoffel, 200 * testing::scale_of(C.data)) << "seed " << seed;
      }
  }
}

TEST(CoriolisMatrix, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 30));
  const State<double> s(model, 3);
  Square<double> C(model.n_v());
  CoriolisWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  coriolis_matrix(model, ws, s.q, s.qd, C.view());
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
