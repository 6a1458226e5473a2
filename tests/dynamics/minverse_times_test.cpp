#include "torsor/dynamics/minverse_times.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/crba.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;

template <class Real>
class MinverseTimes : public ::testing::Test {};
TYPED_TEST_SUITE(MinverseTimes, testing::Scalars, testing::ScalarNames);

TYPED_TEST(MinverseTimes, L_11_undoes_the_mass_matrix) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 8, testing::everything())));
    const State<Real> s(model, seed);
    const int n = model.n_v(), columns = 3;
    Square<Real> M(n);
    CrbaWorkspace<Real> crba(model);
    mass_matrix(model, crba, s.q, M.view());
    testing::Draw<Real> draw(seed);
    std::vector<Real> x(static_cast<std::size_t>(n * columns)), y(x.size());
    for (Real& e : x) e = draw();
    for (int c = 0; c < columns; ++c)
      for (int r = 0; r < n; ++r)
        for (int k = 0; k < n; ++k)
          y[static_cast<std::size_t>(c * n + r)] +=
              M(r, k) * x[static_cast<std::size_t>(c * n + k)];
    const double scale = testing::scale_of(y);
    MinverseTimesWorkspace<Real> ws(model);
    const auto result = mass_matrix_inverse_times(
        model, ws, s.q, column_major(static_cast<const Real*>(y.data()), n, columns),
        column_major(y.data(), n, columns));  // in place
    EXPECT_TRUE(result);
    const double condition = 1 / testing::distance(Real(result.pivot_ratio), Real(0));
    for (std::size_t k = 0; k < x.size(); ++k)
      EXPECT_CLOSE(y[k], x[k], 50 * scale * std::max(1.0, condition)) << "seed " << seed;
  }
}

TEST(MassMatrixInverseTimes, the_unit_matrix_is_the_inverse) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    Square<double> unit(model.n_v()), out(model.n_v()), expected(model.n_v());
    for (int k = 0; k < unit.n; ++k) unit(k, k) = 1;
    MinverseTimesWorkspace<double> ws(model);
    MinverseWorkspace<double> minverse(model);
    const testing::AllocationCounter counter;
    const auto result = mass_matrix_inverse_times(
        model, ws, s.q, column_major(static_cast<const double*>(unit.data.data()), unit.n, unit.n),
        out.view());
    EXPECT_EQ(counter.count(), 0u);
    EXPECT_TRUE(result);
    EXPECT_TRUE(mass_matrix_inverse(model, minverse, s.q, expected.view()));
    // Both are off by rounding times the condition, of which the pivots tell.
    const double condition = std::max(1.0, 1 / result.pivot_ratio);
    for (std::size_t k = 0; k < out.data.size(); ++k)
      EXPECT_CLOSE(out.data[k], expected.data[k],
                   50 * condition * testing::scale_of(expected.data));
  }
}

TEST(MassMatrixInverseTimes, a_massless_end_is_reported_and_nothing_is_infinite) {
  RobotDescription d = testing::random_tree(3, 4,
                                            {.kinds = testing::one_dof_kinds(),
                                             .chain = true,
                                             .fixed_links = false,
                                             .dissipation = false,
                                             .rotors = false});
  d.links.back().inertial = {};
  const Model<double> model(d);
  const State<double> s(model, 1);
  MinverseTimesWorkspace<double> ws(model);
  std::vector<double> y(s.tau);
  EXPECT_FALSE(mass_matrix_inverse_times(model, ws, s.q, column_major(s.tau.data(), model.n_v(), 1),
                                         column_major(y.data(), model.n_v(), 1)));
  for (const double x : y) EXPECT_TRUE(std::isfinite(x));
}

}  // namespace
}  // namespace torsor
