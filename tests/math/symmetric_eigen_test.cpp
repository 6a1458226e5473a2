#include "torsor/math/internal/symmetric_eigen.hpp"

#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

using testing::Draw;

template <class Size>
class SymmetricEigenLaws : public ::testing::Test {};
using Sizes = ::testing::Types<std::integral_constant<int, 1>, std::integral_constant<int, 2>,
                               std::integral_constant<int, 3>, std::integral_constant<int, 4>,
                               std::integral_constant<int, 6>>;
TYPED_TEST_SUITE(SymmetricEigenLaws, Sizes);

TYPED_TEST(SymmetricEigenLaws,
           vectors_are_orthonormal_and_reproduce_the_matrix_in_ascending_order) {
  constexpr std::size_t N = TypeParam::value;
  Draw<double> draw(1);
  for (int n = 0; n < 100; ++n) {
    internal::SquareMatrix<double, N> a{};
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = i; j < N; ++j) a[i][j] = draw();
    const auto e = internal::symmetric_eigen(a);
    for (std::size_t i = 0; i < N; ++i) {
      EXPECT_LE(e.values[i == 0 ? 0 : i - 1], e.values[i]);
      for (std::size_t j = i; j < N; ++j) {
        double product = 0, entry = 0;
        for (std::size_t k = 0; k < N; ++k) {
          product += e.vectors[i][k] * e.vectors[j][k];
          entry += e.values[k] * e.vectors[k][i] * e.vectors[k][j];
        }
        EXPECT_NEAR(product, i == j ? 1 : 0, 4e-15);
        EXPECT_NEAR(entry, a[i][j], 1e-14);
      }
    }
  }
}

TEST(SymmetricEigen, of_a_matrix_with_known_values) {
  // [[2, 1], [1, 2]]: 1 along (1, -1), 3 along (1, 1).
  const auto e = internal::symmetric_eigen(internal::SquareMatrix<double, 2>{{{2, 1}, {0, 2}}});
  EXPECT_NEAR(e.values[0], 1, 4e-16);
  EXPECT_NEAR(e.values[1], 3, 8e-16);
  EXPECT_NEAR(e.vectors[0][0] + e.vectors[0][1], 0, 4e-16);
  EXPECT_NEAR(e.vectors[1][0] - e.vectors[1][1], 0, 4e-16);
}

TEST(SymmetricEigen, ends_on_nan_and_on_zero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  (void)internal::symmetric_eigen(
      internal::SquareMatrix<double, 3>{{{nan, 1, 2}, {0, 1, nan}, {0, 0, 1}}});
  EXPECT_EQ(internal::symmetric_eigen(internal::SquareMatrix<double, 3>{}).values[2], 0);
}

}  // namespace
}  // namespace torsor
