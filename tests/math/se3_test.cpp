#include "torsor/math/se3.hpp"

#include "support/dense_reference.hpp"
#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

using testing::Draw;

template <class Real>
class SE3Laws : public ::testing::Test {};
TYPED_TEST_SUITE(SE3Laws, testing::Scalars, testing::ScalarNames);

TYPED_TEST(SE3Laws, is_a_group_that_acts_on_points) {
  using Real = TypeParam;
  Draw<Real> draw(1);
  for (int n = 0; n < 100; ++n) {
    const auto A = draw.pose(), B = draw.pose(), C = draw.pose();
    const auto x = draw.vec();
    EXPECT_CLOSE((A * B) * C, A * (B * C), 40);
    EXPECT_CLOSE((A * B) * x, A * (B * x), 60);
    EXPECT_CLOSE(A * inverse(A), SE3<Real>{}, 40);
    EXPECT_CLOSE(inverse(A) * A, SE3<Real>{}, 40);
    EXPECT_CLOSE(inverse(A * B), inverse(B) * inverse(A), 60);
    EXPECT_CLOSE(inverse_times(A, B), inverse(A) * B, 20);
    EXPECT_CLOSE(A * SE3<Real>{}, A, 0);
  }
}

// Huo 2005, (1-4), (1-5), and the translation column [-n.p, -o.p, -a.p] of the inverse.
TYPED_TEST(SE3Laws, K_1_1_12_point_map_composition_and_inverse) {
  using Real = TypeParam;
  Draw<Real> draw(2);
  for (int n = 0; n < 100; ++n) {
    const auto A = draw.pose(), B = draw.pose();
    const auto r = draw.vec();
    EXPECT_CLOSE(A * r, A.p + A.R * r, 10);
    EXPECT_CLOSE((A * B) * r, A.p + A.R * B.p + A.R * (B.R * r), 40);
    const Vec3<Real> column{-dot(A.R.c0, A.p), -dot(A.R.c1, A.p), -dot(A.R.c2, A.p)};
    EXPECT_CLOSE(inverse(A).p, column, 10);
    EXPECT_CLOSE(inverse(A).R, transpose(A.R), 0);
  }
}

TEST(SE3, product_is_the_product_of_4x4_matrices) {
  Draw<double> draw(3);
  for (int n = 0; n < 100; ++n) {
    const auto A = draw.pose(), B = draw.pose();
    EXPECT_LE(distance(testing::dense(A * B), testing::dense(A) * testing::dense(B)), 2e-15);
    EXPECT_LE(
        distance(testing::dense(A) * testing::dense(inverse(A)), testing::Dense<4>::identity()),
        2e-15);
  }
}

TEST(SE3, a_double_placement_moves_a_state_of_any_scalar) {
  using P = Pack<double, 4>;
  Draw<double> draw(4);
  Draw<P> lanes(5);
  const SE3<double> T = draw.pose();
  const SE3<P> U = lanes.pose();
  EXPECT_CLOSE(T * U, T.cast<P>() * U, 0);
  EXPECT_CLOSE(U * T, U * T.cast<P>(), 0);
}

}  // namespace
}  // namespace torsor
