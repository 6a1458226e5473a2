#include "torsor/math/euler.hpp"

#include "support/typed_scalars.hpp"
#include "torsor/math/homogeneous.hpp"

namespace torsor {
namespace {

using testing::Draw;
using Sequence = EulerSequence;
constexpr double pi = std::numbers::pi;

constexpr std::array<const char*, internal::n_euler_sequences> names = {
    "xyx", "xzx", "yxy", "yzy", "zxz", "zyz", "xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};

template <class Check>
void over_sequences(Check check) {
  for (int s = 0; s < internal::n_euler_sequences; ++s) {
    SCOPED_TRACE(names[static_cast<std::size_t>(s)]);
    check(static_cast<Sequence>(s));
  }
}
bool repeats(Sequence s) { return internal::EulerAxes(s).repeats(); }
double modulo_turn(double a, double b) { return std::abs(std::remainder(a - b, 2 * pi)); }
double distance(const EulerAngles<double>& a, const EulerAngles<double>& b) {
  return std::max(
      {modulo_turn(a.phi, b.phi), modulo_turn(a.theta, b.theta), modulo_turn(a.psi, b.psi)});
}
template <class Real>
EulerAngles<Real> drawn(Draw<Real>& draw, Sequence s) {
  // Away from the degenerate theta by at least 0.2.
  return {draw(-3, 3), repeats(s) ? draw(0.2, pi - 0.2) : draw(-pi / 2 + 0.2, pi / 2 - 0.2),
          draw(-3, 3)};
}

template <class Real>
class EulerLaws : public ::testing::Test {};
TYPED_TEST_SUITE(EulerLaws, testing::Scalars, testing::ScalarNames);

TYPED_TEST(EulerLaws, K_1_1_9_angles_come_back_and_the_second_triple_is_the_same_rotation) {
  using Real = TypeParam;
  Draw<Real> draw(1);
  over_sequences([&](Sequence s) {
    for (int n = 0; n < 30; ++n) {
      const auto angles = drawn(draw, s);
      const auto R = rotation(s, angles);
      const auto got = euler_angles(s, R);
      EXPECT_FALSE(any(got.degenerate));
      EXPECT_CLOSE(got.first.phi, angles.phi, 8);
      EXPECT_CLOSE(got.first.theta, angles.theta, 8);
      EXPECT_CLOSE(got.first.psi, angles.psi, 12);
      EXPECT_CLOSE(rotation(s, got.second), R, 12);
      EXPECT_TRUE(all(abs(got.second.theta - got.first.theta) > Real(0.3)));
    }
  });
}

TYPED_TEST(EulerLaws, K_1_1_10_rate_matrix_gives_the_angular_velocity_in_both_frames) {
  using Real = TypeParam;
  using D = Dual<Real, 1>;
  Draw<Real> draw(2);
  over_sequences([&](Sequence s) {
    for (int n = 0; n < 10; ++n) {
      const auto angles = drawn(draw, s);
      const auto rates = draw.vec();
      EulerAngles<D> path;
      path.phi.value = angles.phi, path.phi.d[0] = rates.x;
      path.theta.value = angles.theta, path.theta.d[0] = rates.y;
      path.psi.value = angles.psi, path.psi.d[0] = rates.z;
      const Mat3<D> moving = rotation(s, path);
      Mat3<Real> R, dR;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) R(r, c) = moving(r, c).value, dR(r, c) = moving(r, c).d[0];
      EXPECT_CLOSE(euler_rate_matrix(s, angles) * rates, vee(dR * transpose(R)), 12);
      EXPECT_CLOSE(euler_rate_matrix_body(s, angles) * rates, vee(transpose_times(R, dR)), 12);
      const auto B = euler_rate_inverse(s, angles), b = euler_rate_inverse_body(s, angles);
      EXPECT_FALSE(any(B.singular) || any(b.singular));
      EXPECT_CLOSE(B.B * euler_rate_matrix(s, angles), Mat3<Real>::identity(), 20);
      EXPECT_CLOSE(b.B * euler_rate_matrix_body(s, angles), Mat3<Real>::identity(), 40);
      const auto [sn, cs] = sincos(angles.theta);
      const Real det = repeats(s) ? -sn : cs * Real(internal::EulerAxes(s).e);
      EXPECT_CLOSE(B.determinant, det, 4);
      EXPECT_CLOSE(b.determinant, det, 8);
    }
  });
}

// Erratum E-04: (1-3) as corrected, and the matrices of exercise 1-11, entry by entry.
TYPED_TEST(EulerLaws, X_1_10_X_1_11_matrices_of_zyz_zxz_zyx) {
  using Real = TypeParam;
  Draw<Real> draw(3);
  const EulerAngles<Real> a{draw(-3, 3), draw(-3, 3), draw(-3, 3)};
  const auto [sf, cf] = sincos(a.phi);
  const auto [st, ct] = sincos(a.theta);
  const auto [sp, cp] = sincos(a.psi);
  EXPECT_CLOSE(rotation(Sequence::zyz, a),
               Mat3<Real>::rows({cf * ct * cp - sf * sp, -cf * ct * sp - sf * cp, cf * st},
                                {sf * ct * cp + cf * sp, -sf * ct * sp + cf * cp, sf * st},
                                {-st * cp, st * sp, ct}),
               20);
  EXPECT_CLOSE(rotation(Sequence::zxz, a),
               Mat3<Real>::rows({cf * cp - sf * ct * sp, -cf * sp - sf * ct * cp, sf * st},
                                {sf * cp + cf * ct * sp, -sf * sp + cf * ct * cp, -cf * st},
                                {st * sp, st * cp, ct}),
               20);
  EXPECT_CLOSE(rotation(Sequence::zyx, a),
               Mat3<Real>::rows({cf * ct, cf * st * sp - sf * cp, cf * st * cp + sf * sp},
                                {sf * ct, sf * st * sp + cf * cp, sf * st * cp - cf * sp},
                                {-st, ct * sp, ct * cp}),
               20);
}

// Exercise 1-13: the printed E and B of the three sequences.
TYPED_TEST(EulerLaws, X_1_13_rate_matrices_and_inverses_of_zyz_zxz_zyx) {
  using Real = TypeParam;
  Draw<Real> draw(4);
  const EulerAngles<Real> a{draw(-3, 3), draw(0.3, 1.2), draw(-3, 3)};
  const auto [sf, cf] = sincos(a.phi);
  const auto [st, ct] = sincos(a.theta);
  const Real o(0), i(1), cot = ct / st, tan = st / ct;
  using M = Mat3<Real>;
  EXPECT_CLOSE(euler_rate_matrix(Sequence::zyz, a),
               M::rows({o, -sf, cf * st}, {o, cf, sf * st}, {i, o, ct}), 4);
  EXPECT_CLOSE(euler_rate_matrix(Sequence::zxz, a),
               M::rows({o, cf, sf * st}, {o, sf, -cf * st}, {i, o, ct}), 4);
  EXPECT_CLOSE(euler_rate_matrix(Sequence::zyx, a),
               M::rows({o, -sf, cf * ct}, {o, cf, sf * ct}, {i, o, -st}), 4);
  EXPECT_CLOSE(euler_rate_inverse(Sequence::zyz, a).B,
               M::rows({-cf * cot, -sf * cot, i}, {-sf, cf, o}, {cf / st, sf / st, o}), 20);
  EXPECT_CLOSE(euler_rate_inverse(Sequence::zxz, a).B,
               M::rows({-sf * cot, cf * cot, i}, {cf, sf, o}, {sf / st, -cf / st, o}), 20);
  EXPECT_CLOSE(euler_rate_inverse(Sequence::zyx, a).B,
               M::rows({cf * tan, sf * tan, i}, {-sf, cf, o}, {cf / ct, sf / ct, o}), 4);
}

TEST(Euler, sequences_are_three_axes_no_two_neighbours_equal) {
  over_sequences([](Sequence s) {
    const internal::EulerAxes a(s);
    const char* name = names[static_cast<std::size_t>(s)];
    EXPECT_EQ("xyz"[a.i], name[0]);
    EXPECT_EQ("xyz"[a.j], name[1]);
    EXPECT_EQ("xyz"[a.k], name[2]);
    const auto one = Mat3<double>::identity();
    EXPECT_EQ(dot(cross(one[a.i], one[a.j]), one[a.l]), a.e);
  });
}

TEST(Euler, TV_02_sequences_at_given_angles_and_their_second_triples) {
  const EulerAngles<double> a{0.3, 0.8, -1.2};
  struct Row {
    Sequence sequence;
    Mat3<double> R;
    EulerAngles<double> second;
  };
  using M = Mat3<double>;
  const Row rows[] = {{Sequence::zyz,
                       M::rows({0.5166178425482721, 0.51327124314014148, 0.68531644933281917},
                               {-0.81580478003699029, 0.5380719612136429, 0.21199322023239766},
                               {-0.2599395422585156, -0.66860391527501373, 0.69670670934716542}),
                       {-2.8415926535897932, -0.8, 1.9415926535897932}},
                      {Sequence::zxz,
                       M::rows({0.5380719612136429, 0.81580478003699029, 0.21199322023239766},
                               {-0.51327124314014148, 0.5166178425482721, -0.68531644933281917},
                               {-0.66860391527501373, 0.2599395422585156, 0.69670670934716542}),
                       {-2.8415926535897932, -0.8, 1.9415926535897932}},
                      {Sequence::zyx,
                       M::rows({0.66558934165797505, -0.74582575552275129, -0.027106653615313377},
                               {0.20589091072861617, 0.14858761775253085, 0.96722833536345945},
                               {-0.71735609089952276, -0.64935788456716609, 0.25245707872787135}),
                       {-2.8415926535897932, 2.3415926535897932, 1.9415926535897932}}};
  for (const auto& row : rows) {
    EXPECT_CLOSE(rotation(row.sequence, a), row.R, 2);
    const auto got = euler_angles(row.sequence, row.R);
    EXPECT_LE(distance(got.first, a), 1e-15);
    EXPECT_LE(distance(got.second, row.second), 1e-15);
  }
}

TEST(Euler, TV_03_angular_velocity_from_rates) {
  const EulerAngles<double> a{0.3, 0.8, -1.2};
  const Vec3<double> rates{0.5, -0.7, 0.9};
  EXPECT_CLOSE(euler_rate_matrix(Sequence::zyz, a) * rates,
               Vec3<double>({0.82364894906247496, -0.47794164417876632, 1.1270360384124489}), 4);
  EXPECT_CLOSE(euler_rate_matrix(Sequence::zxz, a) * rates,
               Vec3<double>({-0.47794164417876632, -0.82364894906247496, 1.1270360384124489}), 4);
  EXPECT_CLOSE(euler_rate_matrix(Sequence::zyx, a) * rates,
               Vec3<double>({0.80589455215511525, -0.48343372273216966, -0.14562048180957049}), 2);
}

// Both triples move with the angles at every multiple of a quarter turn, where a result may be
// -pi written as pi: the second is (phi + pi, -theta or pi - theta, psi + pi).
TEST(Euler, K_1_1_9_both_triples_keep_their_derivatives_where_an_angle_is_pi) {
  using Tangent = Dual<double, 3>;
  over_sequences([](Sequence s) {
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j) {
        const EulerAngles<Tangent> a{Tangent::variable(i * pi / 2, 0), Tangent::variable(0.5, 1),
                                     Tangent::variable(j * pi / 2, 2)};
        const auto got = euler_angles(s, rotation(s, a));
        const auto slopes = [](const Tangent& x) { return Vec3<double>{x.d[0], x.d[1], x.d[2]}; };
        const double back[] = {1, -1};
        for (int k = 0; k < 2; ++k) {
          const EulerAngles<Tangent>& x = k == 0 ? got.first : got.second;
          EXPECT_CLOSE(slopes(x.phi), (Vec3<double>{1, 0, 0}), 16);
          EXPECT_CLOSE(slopes(x.theta), (Vec3<double>{0, back[k], 0}), 16);
          EXPECT_CLOSE(slopes(x.psi), (Vec3<double>{0, 0, 1}), 16);
        }
      }
  });
}

// Near a degenerate theta acos and asin would lose half of the digits; atan2 loses none.
TEST(Euler, K_1_1_9_angles_are_exact_next_to_the_degenerate_ones) {
  Draw<double> draw(5);
  over_sequences([&](Sequence s) {
    for (const double small : {1e-6, 1e-9, 1e-12}) {
      for (int n = 0; n < 20; ++n) {
        const double theta = repeats(s) ? small : pi / 2 - small;
        const EulerAngles<double> a{draw(-3, 3), theta, draw(-3, 3)};
        const auto got = euler_angles(s, rotation(s, a));
        EXPECT_FALSE(got.degenerate);
        EXPECT_LE(distance(got.first, a), 1e-14);
      }
    }
  });
}

// From a rotation that is right to rounding only, phi and psi are uncertain near a degenerate
// theta, but the three angles together still give R.
TEST(Euler, angles_of_a_rounded_rotation_reproduce_it_at_every_theta) {
  Draw<double> draw(6);
  over_sequences([&](Sequence s) {
    for (const double small : {0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-8, 1e-4, 0.1, 1.0}) {
      for (const double base : repeats(s) ? std::array{0.0, pi} : std::array{pi / 2, -pi / 2}) {
        const EulerAngles<double> a{draw(-3, 3), base + small, draw(-3, 3)};
        const auto U = draw.rotation();
        const auto R = U * (transpose(U) * rotation(s, a));  // rounded twice
        const auto got = euler_angles(s, R);
        EXPECT_CLOSE(rotation(s, got.first), R, 24);
        EXPECT_CLOSE(rotation(s, got.second), R, 24);
      }
    }
  });
}

TEST(Euler, K_1_1_9_degenerate_rotations_determine_one_combination) {
  Draw<double> draw(7);
  over_sequences([&](Sequence s) {
    for (const bool upper : {true, false}) {
      const double theta = repeats(s) ? (upper ? 0 : pi) : (upper ? pi / 2 : -pi / 2);
      const EulerAngles<double> a{draw(-3, 3), theta, draw(-3, 3)};
      const auto R = rotation(s, a);
      const auto got = euler_angles(s, R);
      EXPECT_TRUE(got.degenerate);
      EXPECT_LE(modulo_turn(got.combination, a.phi + got.sign * a.psi), 2e-15);
      EXPECT_CLOSE(rotation(s, got.first), R, 8);
      EXPECT_CLOSE(rotation(s, got.second), R, 8);
      // Every triple with that combination is the same rotation.
      EXPECT_CLOSE(rotation(s, EulerAngles<double>{a.phi + 0.7, theta, a.psi - got.sign * 0.7}), R,
                   8);
    }
  });
}

// The formulas of the textbook's three sequences (r_21 is R(1, 0), ...).
TEST(Euler, K_1_1_9_degenerate_combinations_of_zyz_zxz_zyx) {
  const double phi = 0.9, psi = -2.1;
  const auto solve = [&](Sequence s, double theta) {
    return std::pair(euler_angles(s, rotation(s, EulerAngles<double>{phi, theta, psi})),
                     rotation(s, EulerAngles<double>{phi, theta, psi}));
  };
  for (const Sequence s : {Sequence::zyz, Sequence::zxz}) {
    const auto [zero, R0] = solve(s, 0);
    EXPECT_EQ(zero.sign, 1);
    EXPECT_LE(modulo_turn(zero.combination, std::atan2(R0(1, 0), R0(0, 0))), 2e-15);
    const auto [half, R1] = solve(s, pi);
    EXPECT_EQ(half.sign, -1);
    const double sign = s == Sequence::zyz ? -1 : 1;
    EXPECT_LE(modulo_turn(half.combination, std::atan2(sign * R1(1, 0), sign * R1(0, 0))), 2e-15);
  }
  const auto [up, R2] = solve(Sequence::zyx, pi / 2);  // psi - phi
  EXPECT_EQ(up.sign, -1);
  EXPECT_LE(modulo_turn(-up.combination, std::atan2(-R2(1, 2), R2(1, 1))), 2e-15);
  const auto [down, R3] = solve(Sequence::zyx, -pi / 2);  // psi + phi
  EXPECT_EQ(down.sign, 1);
  EXPECT_LE(modulo_turn(down.combination, std::atan2(-R3(1, 2), R3(1, 1))), 2e-15);
}

TEST(Euler, K_1_1_9_the_two_triples_differ_as_the_textbook_says) {
  Draw<double> draw(8);
  over_sequences([&](Sequence s) {
    const auto got = euler_angles(s, draw.rotation());
    const auto& a = got.first;
    const EulerAngles<double> other{a.phi + pi, repeats(s) ? -a.theta : pi - a.theta, a.psi + pi};
    EXPECT_LE(distance(got.second, other), 2e-15);
    for (const auto& x : {got.first, got.second})
      for (const double angle : {x.phi, x.theta, x.psi}) EXPECT_TRUE(angle > -pi && angle <= pi);
  });
}

TEST(Euler, K_1_1_10_singular_rates_are_reported_with_their_determinant) {
  over_sequences([](Sequence s) {
    for (const double theta : repeats(s) ? std::array{0.0, pi} : std::array{pi / 2, -pi / 2}) {
      const EulerAngles<double> a{0.4, theta, -0.3};
      for (const auto& B : {euler_rate_inverse(s, a), euler_rate_inverse_body(s, a)}) {
        EXPECT_TRUE(B.singular);
        EXPECT_NEAR(B.determinant, 0, 2e-16);
        EXPECT_EQ(testing::distance(B.B, Mat3<double>{}), 0);
      }
    }
    const EulerAngles<double> near{0.4, repeats(s) ? 1e-6 : pi / 2 - 1e-6, -0.3};
    const auto B = euler_rate_inverse(s, near);
    EXPECT_FALSE(B.singular);
    EXPECT_NEAR(std::abs(B.determinant), 1e-6, 1e-16);
  });
}

// Roll about Z, pitch about Y, yaw about X are fixed-axis rotations X, Y, Z in that order.
TEST(Euler, X_1_12_roll_pitch_yaw_are_the_zyx_angles) {
  const double roll = 0.4, pitch = -0.3, yaw = 1.1;
  EXPECT_CLOSE(compose_absolute(rotation_x(yaw), rotation_y(pitch), rotation_z(roll)),
               rotation(Sequence::zyx, EulerAngles<double>{roll, pitch, yaw}), 4);
}

// Erratum E-07: {-90, 90, 90} of example 1-1 are its ZYZ angles; ZXZ is {0, 90, 0}, ZYX {0, 0, 90}.
TEST(Euler, G_1_1_X_1_15_example_1_1_in_three_sequences) {
  const double d = pi / 180;
  const auto R = Mat3<double>::rows({1, 0, 0}, {0, 0, -1}, {0, 1, 0});
  const auto both = [&](Sequence s, EulerAngles<double> a, EulerAngles<double> b) {
    EXPECT_CLOSE(rotation(s, a), R, 1);
    EXPECT_CLOSE(rotation(s, b), R, 2);
    const auto got = euler_angles(s, R);
    EXPECT_FALSE(got.degenerate);
    EXPECT_LE(std::min(distance(got.first, a) + distance(got.second, b),
                       distance(got.first, b) + distance(got.second, a)),
              1e-15);
  };
  both(Sequence::zyz, {-90 * d, 90 * d, 90 * d}, {90 * d, -90 * d, 270 * d});
  both(Sequence::zxz, {0, 90 * d, 0}, {180 * d, -90 * d, 180 * d});
  both(Sequence::zyx, {0, 0, 90 * d}, {180 * d, 180 * d, -90 * d});
  EXPECT_GT(
      testing::distance(rotation(Sequence::zxz, EulerAngles<double>{-90 * d, 90 * d, 90 * d}), R),
      0.5);
}

}  // namespace
}  // namespace torsor
