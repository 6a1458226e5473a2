#include "torsor/math/vec3.hpp"

#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

using testing::Draw;

template <class Real>
class Vec3Laws : public ::testing::Test {};
TYPED_TEST_SUITE(Vec3Laws, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Vec3Laws, scalar_triple_product_is_the_determinant) {
  Draw<TypeParam> draw(1);
  for (int n = 0; n < 50; ++n) {
    const auto a = draw.vec(), b = draw.vec(), c = draw.vec();
    const Mat3<TypeParam> m{a, b, c};
    // Sarrus, term by term.
    const TypeParam det = a.x * b.y * c.z + b.x * c.y * a.z + c.x * a.y * b.z - c.x * b.y * a.z -
                          b.x * a.y * c.z - a.x * c.y * b.z;
    EXPECT_CLOSE(determinant(m), det, 8);
    EXPECT_CLOSE(dot(a, cross(b, c)), dot(cross(a, b), c), 8);
  }
}

// Craig 2005, ch. 6 prints (a x b) x c = (a.c) b - (a.b) c, the right side of the first identity again.
TYPED_TEST(Vec3Laws, craig_erratum_second_vector_triple_product) {
  Draw<TypeParam> draw(2);
  for (int n = 0; n < 50; ++n) {
    const auto a = draw.vec(), b = draw.vec(), c = draw.vec();
    EXPECT_CLOSE(cross(a, cross(b, c)), b * dot(a, c) - c * dot(a, b), 8);
    EXPECT_CLOSE(cross(cross(a, b), c), b * dot(a, c) - a * dot(b, c), 12);
    EXPECT_GT(testing::distance(cross(cross(a, b), c), b * dot(a, c) - c * dot(a, b)), 1e-3);
  }
}

TYPED_TEST(Vec3Laws, products_are_associative_and_transpose_reverses_them) {
  Draw<TypeParam> draw(3);
  for (int n = 0; n < 50; ++n) {
    const auto a = draw.mat(), b = draw.mat();
    const auto u = draw.vec();
    EXPECT_CLOSE((a * b) * u, a * (b * u), 20);
    EXPECT_CLOSE(transpose(a * b), transpose(b) * transpose(a), 20);
    EXPECT_CLOSE(transpose_times(a, u), transpose(a) * u, 10);
    EXPECT_CLOSE(transpose_times(a, b), transpose(a) * b, 10);
    EXPECT_CLOSE(determinant(a * b), determinant(a) * determinant(b), 20);
    EXPECT_CLOSE(trace(a * b), trace(b * a), 20);
    EXPECT_CLOSE((a + b) * u - a * u, b * u, 12);
    EXPECT_CLOSE((a - b) * u, a * u + (-b) * u, 8);
  }
}

TYPED_TEST(Vec3Laws, a_number_scales_from_the_left_as_from_the_right) {
  Draw<TypeParam> draw(5);
  for (int n = 0; n < 50; ++n) {
    const auto a = draw.vec();
    const auto m = draw.mat();
    const auto S = Sym3<TypeParam>::of(m);
    const TypeParam s = a.x + 3;
    EXPECT_CLOSE(s * a, (Vec3<TypeParam>{s * a.x, s * a.y, s * a.z}), 1);
    EXPECT_CLOSE(a * s, s * a, 1);
    EXPECT_CLOSE((s * a) / s, a, 4);
    EXPECT_CLOSE(TypeParam(2) * a, a + a, 1);
    EXPECT_CLOSE((s * m) * a, s * (m * a), 12);
    EXPECT_CLOSE((s * S) * a, s * (S * a), 12);
  }
}

TEST(Vec3Numbers, an_integer_scales_a_vector_of_doubles) {
  const Vec3<double> a{1, -3, 5};
  EXPECT_CLOSE(2 * a, a + a, 0);
  EXPECT_CLOSE(a / 2, (Vec3<double>{0.5, -1.5, 2.5}), 0);
}

TYPED_TEST(Vec3Laws, matrix_times_its_inverse_is_the_identity) {
  Draw<TypeParam> draw(4);
  for (int n = 0; n < 50; ++n) {
    // Diagonally dominant: the condition number is below 10.
    const auto a = draw.mat() * TypeParam(0.25) + Mat3<TypeParam>::identity();
    EXPECT_CLOSE(a * inverse(a), Mat3<TypeParam>::identity(), 12);
    EXPECT_CLOSE(inverse(a) * a, Mat3<TypeParam>::identity(), 12);
  }
}

TYPED_TEST(Vec3Laws, entries_columns_and_rows_name_the_same_numbers) {
  Draw<TypeParam> draw(5);
  const auto a = draw.vec(), b = draw.vec(), c = draw.vec();
  const auto m = Mat3<TypeParam>::rows(a, b, c);
  for (int k = 0; k < 3; ++k) {
    EXPECT_CLOSE(m(0, k), a[k], 0);
    EXPECT_CLOSE(m(1, k), b[k], 0);
    EXPECT_CLOSE(m(2, k), c[k], 0);
    EXPECT_CLOSE(m[k].x, a[k], 0);
  }
  EXPECT_CLOSE(outer(a, b) * c, a * dot(b, c), 4);
  auto writable = m;
  writable(1, 2) = TypeParam(7);
  EXPECT_CLOSE(writable.c2.y, TypeParam(7), 0);
}

TYPED_TEST(Vec3Laws, normalized_has_length_one_and_the_same_direction) {
  Draw<TypeParam> draw(6);
  for (int n = 0; n < 50; ++n) {
    const auto a = draw.unit() * draw(1, 5);
    const auto u = normalised(a);
    EXPECT_CLOSE(squared_norm(u), TypeParam(1), 10);
    EXPECT_CLOSE(u * norm(a), a, 20);
  }
}

TYPED_TEST(Vec3Laws, symmetric_matrix_acts_like_its_full_matrix) {
  Draw<TypeParam> draw(7);
  for (int n = 0; n < 50; ++n) {
    const auto s = draw.sym(), t = draw.sym();
    const auto u = draw.vec();
    const auto R = draw.rotation();
    EXPECT_CLOSE(s * u, s.matrix() * u, 10);
    EXPECT_CLOSE((s + t).matrix(), s.matrix() + t.matrix(), 5);
    EXPECT_CLOSE((s - t).matrix(), s.matrix() - t.matrix(), 5);
    EXPECT_CLOSE(Sym3<TypeParam>::of(s.matrix()), s, 0);
    EXPECT_CLOSE(rotated(R, s).matrix(), R * s.matrix() * transpose(R), 20);
    EXPECT_CLOSE(trace(s), trace(s.matrix()), 5);
  }
}

// Exercise 1-4 of the textbook.
TYPED_TEST(Vec3Laws, X_1_4_cube_of_a_unit_skew_matrix_is_minus_itself) {
  Draw<TypeParam> draw(8);
  for (int n = 0; n < 50; ++n) {
    const auto k = draw.unit();
    const auto S = skew(k), one = Mat3<TypeParam>::identity();
    EXPECT_CLOSE(S * S * S, -S, 40);
    EXPECT_CLOSE(S * S, outer(k, k) - one, 60);
  }
}

TYPED_TEST(Vec3Laws, K_1_1_4_skew_and_vee_are_inverse_and_skew_is_the_cross_product) {
  Draw<TypeParam> draw(9);
  for (int n = 0; n < 50; ++n) {
    const auto k = draw.vec(), b = draw.vec();
    EXPECT_CLOSE(vee(skew(k)), k, 0);
    EXPECT_CLOSE(skew(k) * b, cross(k, b), 4);
    EXPECT_CLOSE(skew(k) + transpose(skew(k)), Mat3<TypeParam>{}, 0);
    EXPECT_CLOSE(vee(skew(k) + draw.sym().matrix()), k, 2);  // the symmetric part has no vector
  }
}

TEST(Vec3, parameters_and_state_of_different_scalars_mix) {
  using D = Dual<double, 2>;
  using P = Pack<double, 4>;
  const Vec3<double> a{1, 2, 3};
  const Vec3<D> d{D::variable(4, 0), D::variable(5, 1), D(6)};
  const Vec3<P> p{P(4), P(5), P(6)};
  EXPECT_EQ(dot(a, d).value, 32);
  EXPECT_EQ(dot(a, d).d[1], 2);
  EXPECT_EQ(dot(d, a).d[0], 1);
  EXPECT_EQ(dot(a, p)[3], 32);
  EXPECT_EQ((outer(a, p) * a).z[0], 3 * 32);
  EXPECT_EQ(a.cast<float>().y, 2.0f);
}

}  // namespace
}  // namespace torsor
