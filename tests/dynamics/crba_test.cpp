#include "torsor/dynamics/crba.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/minverse.hpp"
#include "torsor/dynamics/rnea.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;

template <class Real>
class MassMatrix : public ::testing::Test {};
TYPED_TEST_SUITE(MassMatrix, testing::Scalars, testing::ScalarNames);

TYPED_TEST(MassMatrix, mass_matrix_column_is_inverse_dynamics_of_unit_acceleration) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 15; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    const State<Real> s(model, seed);
    const int n = model.n_v();
    Square<Real> M(n);
    CrbaWorkspace<Real> ws(model);
    mass_matrix(model, ws, s.q, M.view());
    RneaWorkspace<Real> rnea(model);
    const std::vector<Real> zero(s.qd.size());
    std::vector<Real> gravity(zero), column(zero);
    rigid_inverse_dynamics(model, rnea, s.q, zero, zero, {}, gravity);
    const double scale = std::max(testing::scale_of(M.data), testing::scale_of(gravity));
    for (int c = 0; c < n; ++c) {
      std::vector<Real> unit(zero);
      unit[static_cast<std::size_t>(c)] = Real(1);
      rigid_inverse_dynamics(model, rnea, s.q, zero, unit, {}, column);
      for (int r = 0; r < n; ++r) {
        const auto k = static_cast<std::size_t>(r);
        const Real expected = column[k] - gravity[k];
        EXPECT_CLOSE(M(r, c), expected, 100 * scale) << "seed " << seed;
        EXPECT_CLOSE(M(r, c), M(c, r), 0);
      }
    }
  }
}

TYPED_TEST(MassMatrix, the_inverse_times_the_matrix_is_one) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 15; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 10, testing::everything())));
    const State<Real> s(model, seed);
    const int n = model.n_v();
    Square<Real> M(n), X(n);
    CrbaWorkspace<Real> crba(model);
    MinverseWorkspace<Real> ws(model);
    mass_matrix(model, crba, s.q, M.view());
    const auto result = mass_matrix_inverse(model, ws, s.q, X.view());
    EXPECT_TRUE(result);
    const double scale = testing::scale_of(M.data) * testing::scale_of(X.data);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        Real sum(0);
        for (int k = 0; k < n; ++k) sum = sum + M(r, k) * X(k, c);
        EXPECT_CLOSE(sum, Real(r == c ? 1 : 0), 100 * scale) << "seed " << seed;
        EXPECT_CLOSE(X(r, c), X(c, r), 0);
      }
  }
}

TEST(MassMatrixCall, far_from_the_world_origin_no_digits_are_lost) {
  RobotDescription near = testing::random_tree(5, 8, {.base = false}), far = near;
  far.base.p = {1e6, -2e6, 3e6};
  const Model<double> a(near), b(far);
  const State<double> s(a, 2);
  Square<double> M(a.n_v()), N(a.n_v());
  CrbaWorkspace<double> ws_a(a), ws_b(b);
  mass_matrix(a, ws_a, s.q, M.view());
  mass_matrix(b, ws_b, s.q, N.view());
  for (std::size_t k = 0; k < M.data.size(); ++k) EXPECT_EQ(M.data[k], N.data[k]);
}

TEST(MassMatrixCall, rows_and_columns_of_any_stride_are_filled) {
  const Model<double> model(testing::random_tree(5, 8, testing::everything()));
  const State<double> s(model, 2);
  const int n = model.n_v();
  Square<double> M(n), N(n);
  CrbaWorkspace<double> ws(model);
  mass_matrix(model, ws, s.q, M.view());
  mass_matrix(model, ws, s.q, MatrixView<double>(N.data.data(), n, n, n, 1));
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) EXPECT_EQ(M(r, c), N(c, r));
}

TEST(MassMatrixCall, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 30, testing::everything()));
  const State<double> s(model, 3);
  Square<double> M(model.n_v());
  CrbaWorkspace<double> crba(model);
  MinverseWorkspace<double> inverse(model);
  const testing::AllocationCounter counter;
  mass_matrix(model, crba, s.q, M.view());
  const auto result = mass_matrix_inverse(model, inverse, s.q, M.view());
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(result);
}

}  // namespace
}  // namespace torsor
