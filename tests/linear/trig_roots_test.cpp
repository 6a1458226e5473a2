#include "torsor/linear/trig_roots.hpp"

#include "support/typed_scalars.hpp"
#include "torsor/linear/internal/real_roots.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

using testing::Draw;
constexpr double pi = std::numbers::pi;

double turn_distance(double a, double b) { return std::abs(internal::wrapped_angle(a - b)); }

TEST(Polynomial, K_1_3_2_X_1_21_atan2_identities_hold_modulo_a_turn) {
  Draw<double> draw(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const double a = draw(-2, 2), b = draw(-2, 2), k = draw(0.01, 5), theta = draw(-3, 3);
    EXPECT_LT(turn_distance(atan2(k * sin(theta), k * cos(theta)), theta), 4e-15);  // (1-17)
    EXPECT_LT(turn_distance(atan2(-a, b), -atan2(a, b)), 4e-15);                    // (1-18)
    EXPECT_LT(turn_distance(atan2(a, b), pi / 2 - atan2(b, a)), 4e-15);             // (1-19)
    EXPECT_LT(turn_distance(atan2(a, -b), pi / 2 + atan2(b, a)), 4e-15);
    EXPECT_LT(turn_distance(atan2(-a, -b), pi + atan2(a, b)), 4e-15);  // (1-20), corrected
    EXPECT_LT(turn_distance(-atan2(-a, -b), pi - atan2(a, b)), 4e-15);
  }
}
TEST(Polynomial, E_21_the_printed_form_of_1_20_is_false) {
  EXPECT_GT(turn_distance(atan2(-1.0, 2.0), pi + atan2(1.0, 2.0)), 1);
}

TEST(Polynomial, TV_04_roots_of_2_sin_plus_3_cos) {
  const TrigRoots two = solve_trig(2, 3, 1.5);
  ASSERT_EQ(two.n, 2);
  EXPECT_NEAR(two.theta(0), 1.7297290809541293, 1e-15);
  EXPECT_NEAR(two.theta(1), -0.55372387385899423, 1e-15);
  EXPECT_EQ(solve_trig(2, 3, 4).n, 0);
  const TrigRoots one = solve_trig(2, 3, std::sqrt(13.0));
  ASSERT_EQ(one.n, 1);
  EXPECT_NEAR(one.theta(0), std::atan2(2, 3), 1e-15);
}

TEST(Polynomial, K_1_3_3_X_1_22_roots_satisfy_the_equation_and_are_those_of_1_22) {
  Draw<double> draw(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const double k1 = draw(-2, 2), k2 = draw(-2, 2), rho = std::sqrt(k1 * k1 + k2 * k2);
    const double k3 = draw(-1.2, 1.2) * rho;
    const TrigRoots roots = solve_trig(k1, k2, k3);
    EXPECT_EQ(roots.n, std::abs(k3) < rho ? 2 : 0);
    for (int i = 0; i < roots.n; ++i) {
      const double theta = roots.theta(i), sign = i == 0 ? 1 : -1;
      EXPECT_NEAR(k1 * std::sin(theta) + k2 * std::cos(theta), k3, 4e-15 * rho);
      const double w = std::sqrt((rho - k3) * (rho + k3));
      EXPECT_LT(turn_distance(theta, std::atan2(k1, k2) + sign * std::atan2(w, k3)), 1e-14);
    }
  }
}
TEST(Polynomial, K_1_3_3_no_sine_and_no_cosine_is_an_identity_not_a_root) {
  const TrigRoots none = solve_trig(0, 0, 0);
  EXPECT_TRUE(none.identity);
  EXPECT_EQ(none.n, 0);
  EXPECT_TRUE(solve_trig(0, 0, 1).identity);
}

TEST(Polynomial, quartic_roots_are_those_it_was_built_from) {
  Draw<double> draw(5);
  for (int trial = 0; trial < 2000; ++trial) {
    const double a = draw(-3, 3), b = draw(-3, 3), s = draw(-2, 2), p = s * s / 4 + draw(0.1, 2);
    // (t - a)(t - b)(t^2 - s t + p): two real roots
    const double q0 = a * b, q1 = -(a + b);
    const internal::FixedArray<double, 5> c = {q0 * p, q1 * p - q0 * s, p - q1 * s + q0, q1 - s, 1};
    const auto roots = internal::real_roots<4>(c);
    if (std::abs(a - b) < 1e-3) continue;
    ASSERT_EQ(roots.n, 2) << a << " " << b;
    for (const double root : {a, b}) {
      double least = 1;
      for (int i = 0; i < roots.n; ++i) {
        const auto [y, x] = roots.root[static_cast<std::size_t>(i)];
        least = std::min(least, std::abs(y - root * x) / std::hypot(x, y) / std::hypot(1, root));
      }
      EXPECT_LT(least, 1e-11 / std::abs(a - b));
    }
  }
}
TEST(Polynomial, a_root_at_infinity_and_a_double_root_are_found) {
  // (t - 0.5)^2 (t + 2) and no fourth power: infinity is the fourth root.
  const internal::FixedArray<double, 5> c = {0.5, -1.75, 1, 1, 0};
  const auto roots = internal::real_roots<4>(c);
  bool infinite = false, half = false, minus_two = false;
  for (int i = 0; i < roots.n; ++i) {
    const auto [y, x] = roots.root[static_cast<std::size_t>(i)];
    infinite |= std::abs(x) < 1e-12;
    half |= std::abs(y - 0.5 * x) < 1e-6;
    minus_two |= std::abs(y + 2 * x) < 1e-12;
  }
  EXPECT_TRUE(infinite && half && minus_two);
}

}  // namespace
}  // namespace torsor
