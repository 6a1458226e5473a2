#include "torsor/math/rotation.hpp"

#include "support/dense_reference.hpp"
#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

using testing::angle_battery;
using testing::Draw;
constexpr double pi = std::numbers::pi;

template <class Real>
class RotationLaws : public ::testing::Test {};
TYPED_TEST_SUITE(RotationLaws, testing::Scalars, testing::ScalarNames);

TYPED_TEST(RotationLaws, K_1_1_1_direction_cosines_come_from_axes_or_from_two_bases) {
  using Real = TypeParam;
  Draw<Real> draw(1);
  for (int n = 0; n < 50; ++n) {
    const auto A = draw.rotation(), B = draw.rotation();
    const auto R = direction_cosine_matrix(B.c0, B.c1, B.c2);
    EXPECT_CLOSE(R, B, 0);
    const auto C = direction_cosine_matrix(A, B);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) EXPECT_CLOSE(C(r, c), dot(A[r], B[c]), 4);
    EXPECT_CLOSE(A * C, B, 60);
  }
}

TYPED_TEST(RotationLaws, K_1_1_2_is_rotation_accepts_rotations_and_nothing_else) {
  using Real = TypeParam;
  using Value = testing::ValueOf<Real>;
  Draw<Real> draw(2);
  const Value tol = Value(100 * testing::eps<Real>);
  for (int n = 0; n < 50; ++n) {
    const auto R = draw.rotation();
    EXPECT_TRUE(all(is_rotation(R, tol)));
    EXPECT_FALSE(any(is_rotation(-R, tol)));                            // det -1
    EXPECT_FALSE(any(is_rotation(Mat3<Real>{R.c1, R.c0, R.c2}, tol)));  // left-handed
    EXPECT_FALSE(any(is_rotation(R * Value(1.001), tol)));              // too long
    EXPECT_FALSE(any(is_rotation(Mat3<Real>{R.c0, R.c1, R.c2 * Value(0.999)}, tol)));
    EXPECT_TRUE(all(is_rotation(R * Value(1.001), Value(0.01))));
  }
  auto broken = Mat3<Real>::identity();
  broken.c1.x = Real(std::numeric_limits<Value>::quiet_NaN());
  EXPECT_FALSE(any(is_rotation(broken, tol)));
}

// Exercise 1-1 and 1-2: R^T R = 1, det R = +1 for right-handed axes n, o, a = n x o.
TYPED_TEST(RotationLaws,
           X_1_1_X_1_2_right_handed_axes_make_an_orthogonal_matrix_of_determinant_one) {
  using Real = TypeParam;
  Draw<Real> draw(3);
  for (int n = 0; n < 50; ++n) {
    const auto x = draw.unit(), helper = draw.unit();
    const auto z = normalised(cross(x, helper)), y = cross(z, x);
    const auto R = direction_cosine_matrix(x, y, z);
    EXPECT_CLOSE(transpose(R) * R, Mat3<Real>::identity(), 100);
    EXPECT_CLOSE(determinant(R), Real(1), 100);
  }
}

TYPED_TEST(RotationLaws, K_1_1_3_one_matrix_changes_coordinates_and_turns_vectors) {
  using Real = TypeParam;
  Draw<Real> draw(4);
  const auto R = draw.rotation();
  const auto b = draw.vec();
  EXPECT_CLOSE(to_parent(R, b), R.c0 * b.x + R.c1 * b.y + R.c2 * b.z, 10);  // b along n, o, a
  EXPECT_CLOSE(rotate(R, Vec3<Real>::unit_x()), R.c0, 0);                   // frame 0 onto frame 1
  EXPECT_CLOSE(to_parent(transpose(R), to_parent(R, b)), b, 8);
}

// Exercise 1-3: R_k b = b cos + (k x b) sin + k (k.b) (1 - cos).
TYPED_TEST(RotationLaws, K_1_1_5_X_1_3_rodrigues_formula_turns_a_vector_about_an_axis) {
  using Real = TypeParam;
  Draw<Real> draw(5);
  for (int n = 0; n < 100; ++n) {
    const auto k = draw.unit(), b = draw.vec();
    const Real theta = draw(-7, 7);
    const Real s = sin(theta), c = cos(theta);
    EXPECT_CLOSE(rotation_axis_angle(k, theta) * b,
                 b * c + cross(k, b) * s + k * (dot(k, b) * (Real(1) - c)), 20);
  }
}

// Exercise 1-5.
TYPED_TEST(RotationLaws, X_1_5_rotations_preserve_cross_products) {
  using Real = TypeParam;
  Draw<Real> draw(6);
  for (int n = 0; n < 100; ++n) {
    const auto R = draw.rotation();
    const auto a = draw.vec(), b = draw.vec();
    EXPECT_CLOSE(R * cross(a, b), cross(R * a, R * b), 30);
    EXPECT_CLOSE(R * skew(a) * transpose(R), skew(R * a), 30);
  }
}

TYPED_TEST(RotationLaws, K_1_1_6_X_1_8_axis_and_angle_come_back_from_the_matrix) {
  using Real = TypeParam;
  Draw<Real> draw(7);
  for (const auto angle : angle_battery<Real>()) {
    SCOPED_TRACE(::testing::Message() << "angle " << angle);
    const auto k = draw.unit();
    const auto got = axis_angle(rotation_axis_angle(k, Real(angle)));
    EXPECT_LE(testing::distance(value_of(got.angle), value_of(Real(angle))),
              8 * testing::eps<Real>);
    const bool zero = double(angle) < 4 * testing::eps<Real>;
    const bool half = pi - double(angle) < 4 * testing::eps<Real>;
    EXPECT_EQ(all(got.any_axis), zero);
    EXPECT_EQ(any(got.any_axis), zero);
    EXPECT_EQ(all(got.sign_free), half);
    EXPECT_EQ(any(got.sign_free), half);
    if (zero) continue;
    if (!half) {
      EXPECT_CLOSE(got.axis, k,
                   20 * std::max(1.0, 1 / double(angle)));  // derivatives: d(v/|v|) ~ 1/angle
      EXPECT_CLOSE(got.angle, Real(angle), 60 * std::max(1.0, 1 / double(angle)));
    }
    EXPECT_CLOSE(outer(got.axis, got.axis), outer(k, k), 60 * std::max(1.0, 1 / double(angle)));
  }
}

TYPED_TEST(RotationLaws, K_1_1_6_identity_has_any_axis_and_a_half_turn_a_free_sign) {
  using Real = TypeParam;
  const auto none = axis_angle(Mat3<Real>::identity());
  EXPECT_TRUE(all(none.any_axis));
  EXPECT_CLOSE(none.angle, Real(0), 0);
  EXPECT_CLOSE(none.axis, Vec3<Real>::unit_z(), 0);
  // R_k(pi) of k = (2, -1, 2)/3 is rational: R = 2 k k^T - 1.
  const auto ninth = [](int x) { return Real(x) / Real(9); };
  const Mat3<Real> R =
      Mat3<Real>::rows({ninth(-1), ninth(-4), ninth(8)}, {ninth(-4), ninth(-7), ninth(-4)},
                       {ninth(8), ninth(-4), ninth(-1)});
  const auto half = axis_angle(R);
  EXPECT_TRUE(all(half.sign_free));
  EXPECT_LE(testing::distance(value_of(half.angle), value_of(Real(testing::ValueOf<Real>(pi)))),
            8 * testing::eps<Real>);
  EXPECT_CLOSE(outer(half.axis, half.axis),
               (R + Mat3<Real>::identity()) * testing::ValueOf<Real>(0.5), 20);
}

TYPED_TEST(RotationLaws, K_1_1_7_basic_rotations_are_the_printed_matrices) {
  using Real = TypeParam;
  Draw<Real> draw(8);
  const Real a = draw(-3, 3), s = sin(a), c = cos(a), o(0), i(1);
  EXPECT_CLOSE(rotation_x(a), Mat3<Real>::rows({i, o, o}, {o, c, -s}, {o, s, c}), 2);
  EXPECT_CLOSE(rotation_y(a), Mat3<Real>::rows({c, o, s}, {o, i, o}, {-s, o, c}), 2);
  EXPECT_CLOSE(rotation_z(a), Mat3<Real>::rows({c, -s, o}, {s, c, o}, {o, o, i}), 2);
}

// Exercise 1-9: about fixed axes the later rotation stands on the left.
TYPED_TEST(RotationLaws, K_1_1_8_X_1_9_relative_motions_multiply_right_and_absolute_ones_left) {
  using Real = TypeParam;
  Draw<Real> draw(9);
  const auto A = draw.rotation(), B = draw.rotation(), C = draw.rotation();
  const auto b = draw.vec();
  EXPECT_CLOSE(compose_relative(A, B, C), A * B * C, 8);
  EXPECT_CLOSE(compose_absolute(A, B, C), C * B * A, 100);
  EXPECT_CLOSE(compose_absolute(A, B) * b, rotate(B, rotate(A, b)), 4);
  // A relative motion about the turned axis is B about its old axis, carried along by A.
  EXPECT_CLOSE(compose_relative(A, B), compose_absolute(A, A * B * transpose(A)), 8);
}

// Huo 2005, (1-33): d R_k / d theta = S(k) R_k, the derivative taken by a dual number.
TEST(Rotation, X_1_27_derivative_by_the_angle_is_the_skew_axis_times_the_rotation) {
  using D = Dual<double, 1>;
  Draw<double> draw(10);
  for (int n = 0; n < 50; ++n) {
    const auto k = draw.unit();
    const double theta = draw(-6, 6);
    const auto R = rotation_axis_angle(k, D::variable(theta, 0));
    const auto truth = skew(k) * rotation_axis_angle(k, theta);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(R(r, c).d[0], truth(r, c), 1e-15);
  }
}

TEST(Rotation, TV_01_rodrigues_axis_angle_and_non_commutation) {
  const Vec3<double> k{2.0 / 3, -1.0 / 3, 2.0 / 3};
  const auto a =
      Mat3<double>::rows({0.8315037274150919, -0.54563590296697841, -0.10432167889858111},
                         {0.41083888489905193, 0.73040596386414704, -0.54563590296697841},
                         {0.37391571503443407, 0.41083888489905193, 0.8315037274150919});
  const auto b =
      Mat3<double>::rows({-0.10555138700024748, -0.53630056017334381, 0.83740110691357557},
                         {-0.34814054942685418, -0.76888221920039596, -0.53630056017334381},
                         {0.93148111228682039, -0.34814054942685418, -0.10555138700024748});
  EXPECT_CLOSE(rotation_axis_angle(k, 0.8), a, 2);
  EXPECT_CLOSE(rotation_axis_angle(k, 3.0), b, 2);
  EXPECT_CLOSE(exp(k * 0.8), a, 2);
  EXPECT_CLOSE(log(b), k * 3.0, 8);
  EXPECT_CLOSE(axis_angle(a).axis, k, 4);
  EXPECT_CLOSE(axis_angle(a).angle, 0.8, 2);
  EXPECT_CLOSE(axis_angle(b).axis, k, 4);
  EXPECT_CLOSE(axis_angle(b).angle, 3.0, 4);

  const double r = 1 / std::sqrt(3.0);
  const auto cycle = Mat3<double>::rows({0, 0, 1}, {1, 0, 0}, {0, 1, 0});
  EXPECT_CLOSE(rotation_axis_angle(Vec3<double>{r, r, r}, 2 * pi / 3), cycle, 2);
  const auto x = rotation_x(pi / 2), z = rotation_z(pi / 2);
  EXPECT_CLOSE(z * x, cycle, 1);
  EXPECT_CLOSE(x * z, Mat3<double>::rows({0, -1, 0}, {0, 0, -1}, {1, 0, 0}), 1);
}

// Erratum E-30: with a moving axis w = theta' k + sin(theta) k' + (1 - cos(theta)) k x k', and not
// theta' k.
TEST(Rotation, TV_29_angular_velocity_of_a_rotation_about_a_moving_axis) {
  using D = Dual<double, 1>;
  const D t = D::variable(0, 0), u = 0.9 + 0.5 * t, v = 0.4 - 0.3 * t, theta = 1.1 + 0.2 * t;
  const Vec3<D> k{sin(u) * cos(v), sin(u) * sin(v), cos(u)};
  const auto R = rotation_axis_angle(k, theta);
  Mat3<double> at, rate;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) at(r, c) = R(r, c).value, rate(r, c) = R(r, c).d[0];
  const Vec3<double> k0{k.x.value, k.y.value, k.z.value}, kdot{k.x.d[0], k.y.d[0], k.z.d[0]};
  EXPECT_CLOSE(k0, Vec3<double>({0.72149186201069798, 0.30504186663289265, 0.62160996827066446}),
               2);
  EXPECT_CLOSE(kdot,
               Vec3<double>({0.37778290761860783, -0.095414396899961904, -0.39166345481374169}), 2);
  EXPECT_CLOSE(at,
               Mat3<double>::rows({0.73802693741566295, -0.43372795860960137, 0.51691033803668992},
                                  {0.67423879901114154, 0.50443929760297113, -0.53939135786721185},
                                  {-0.02680077530353549, 0.74660635742951523, 0.66472600783252069}),
               2);
  const Vec3<double> w{0.44810786827449095, 0.2586922602512497, -0.32531355759320691};
  EXPECT_CLOSE(vee(rate * transpose(at)), w, 2);
  EXPECT_CLOSE(k0 * 0.2 + kdot * sin(1.1) + cross(k0, kdot) * (1 - cos(1.1)), w, 4);
  EXPECT_GT(testing::distance(k0 * 0.2, w), 0.1);
}

// Exercises 1-6 and 1-7: the matrix exponential series of a skew matrix is the rotation, and every
// rotation has a skew logarithm.
TEST(Rotation, X_1_6_X_1_7_rotations_are_exponentials_of_skew_matrices) {
  Draw<double> draw(11);
  for (int n = 0; n < 50; ++n) {
    const auto k = draw.unit();
    const double theta = draw(-pi, pi);
    const auto series = testing::exponential_series(testing::dense(skew(k * theta)));
    EXPECT_LE(distance(testing::dense(rotation_axis_angle(k, theta)), series), 1e-15);
    EXPECT_LE(distance(transpose(series) * series, testing::Dense<3>::identity()), 1e-17);
    const auto w = log(rotation_axis_angle(k, theta));
    EXPECT_LE(distance(testing::exponential_series(testing::dense(skew(w))), series), 2e-15);
  }
}

// Exercise 1-26: angles do not add like vectors; infinitesimal ones do (to first order).
TEST(Rotation, X_1_26_finite_rotations_do_not_commute_and_infinitesimal_ones_do) {
  const double small = 1e-5;
  const auto x = rotation_x(1.0), z = rotation_z(1.0);
  EXPECT_GT(testing::distance(x * z, z * x), 0.5);
  const auto dx = rotation_x(small), dz = rotation_z(small);
  EXPECT_LE(testing::distance(dx * dz, dz * dx), 2 * small * small);
  EXPECT_LE(
      testing::distance(dx * dz, Mat3<double>::identity() + skew(Vec3<double>{small, 0, small})),
      2 * small * small);
}

TEST(Rotation, nearest_rotation_of_a_rotation_is_itself) {
  Draw<double> draw(12);
  for (int n = 0; n < 100; ++n) {
    const auto R = draw.rotation(pi);
    const auto got = nearest_rotation(R);
    EXPECT_CLOSE(got.R, R, 12);
    EXPECT_LE(got.distance, 20 * testing::eps<double>);
    EXPECT_TRUE(got.unique);
  }
}

TEST(Rotation, nearest_rotation_is_the_rotation_factor_of_a_stretched_matrix) {
  Draw<double> draw(13);
  for (int n = 0; n < 100; ++n) {
    const auto R = draw.rotation(pi), U = draw.rotation(pi);
    // M = R P with P symmetric positive definite: the polar decomposition is known by construction.
    const auto P =
        rotated(U, Sym3<double>::diagonal(draw(0.5, 1.5), draw(0.5, 1.5), draw(0.5, 1.5)));
    const auto got = nearest_rotation(R * P.matrix());
    EXPECT_CLOSE(got.R, R, 20);
    EXPECT_CLOSE(
        got.distance,
        [&] {
          const auto d = P.matrix() - Mat3<double>::identity();
          return std::sqrt(squared_norm(d.c0) + squared_norm(d.c1) + squared_norm(d.c2));
        }(),
        30);
  }
}

TEST(Rotation, nearest_rotation_beats_every_neighbour_even_from_a_left_handed_matrix) {
  Draw<double> draw(14);
  const auto frobenius = [](const Mat3<double>& d) {
    return std::sqrt(squared_norm(d.c0) + squared_norm(d.c1) + squared_norm(d.c2));
  };
  for (int n = 0; n < 100; ++n) {
    auto M = draw.mat();
    if (determinant(M) > 0) M = -M;
    const auto got = nearest_rotation(M);
    EXPECT_TRUE(is_rotation(got.R, 1e-14));
    for (int k = 0; k < 20; ++k) {
      EXPECT_LE(got.distance, frobenius(M - got.R * exp(draw.vec(0.1))) + 1e-14);
      EXPECT_LE(got.distance, frobenius(M - draw.rotation(pi)) + 1e-14);
    }
  }
  EXPECT_FALSE(nearest_rotation(Mat3<double>{}).unique);
  EXPECT_FALSE(nearest_rotation(-Mat3<double>::identity()).unique);
}

}  // namespace
}  // namespace torsor
