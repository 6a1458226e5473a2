/// Events: the switching systems of Huo 2005, sec. 3.10 and a bouncing ball, by closed forms.
#include "torsor/sim/events.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace torsor {
namespace {

template <class Pair>
class Events : public ::testing::Test {};
using Pairs = ::testing::Types<DormandPrince5, DormandPrince8>;
TYPED_TEST_SUITE(Events, Pairs);

TYPED_TEST(Events, a_ball_bounces_at_the_times_of_its_parabolas) {
  const double g = 9.81, restitution = 0.8;
  const auto rates = [&](double, View<const double> y, View<double> dy) {
    dy[0] = y[1], dy[1] = -g;
  };
  const FlatSpace space{2};
  PairWorkspace<TypeParam, double> ws(space);
  std::vector<double> y{1, 0}, times;
  double t = 0;
  const auto result = integrate_with_events(
      space, ws, {}, rates, [](double, View<const double> x) { return x[0] < 0; },
      [&](double when, View<double> x) {
        times.push_back(when);
        x[0] = 0, x[1] = -restitution * x[1];
        return times.size() < 6;
      },
      t, 100.0, y);
  EXPECT_TRUE(result);
  ASSERT_EQ(times.size(), 6u);
  const double fall = std::sqrt(2 / g);
  double expected = fall, flight = 2 * fall;
  for (const double time : times) {
    EXPECT_NEAR(time, expected, 1e-10);
    flight *= restitution;
    expected += flight;
  }
}

/// (3-91): x1' = x2, x2' = -a x1 - b u, u = x1 where x1 x2 > 0, else 0; a = 0.5, b = 1.5.
/// Amplitudes at rest shrink by sqrt(a / (a + b)) each half turn, grow by its inverse with the
/// logic reversed.
TYPED_TEST(Events, S_3_10_system_3_91_switching_between_two_unstable_springs_halves_the_amplitude) {
  for (const bool reversed : {false, true}) {
    double sign = -1;  // of x1 x2 in the present structure; from (1, 0) it becomes negative
    const auto rates = [&](double, View<const double> y, View<double> dy) {
      const bool stiff = (sign > 0) != reversed;
      dy[0] = y[1], dy[1] = -(stiff ? 2.0 : 0.5) * y[0];
    };
    const FlatSpace space{2};
    PairWorkspace<TypeParam, double> ws(space);
    std::vector<double> y{1, 0}, amplitudes;
    double t = 0;
    const auto result = integrate_with_events(
        space, ws, {}, rates, [&](double, View<const double> x) { return x[0] * x[1] * sign < 0; },
        [&](double, View<double> x) {
          if (sign > 0) amplitudes.push_back(std::abs(x[0]));  // the velocity passes zero
          sign = -sign;
          return amplitudes.size() < 4;
        },
        t, 100.0, y);
    EXPECT_TRUE(result);
    ASSERT_EQ(amplitudes.size(), 4u);
    double expected = 1;
    for (const double a : amplitudes) {
      expected *= reversed ? 2 : 0.5;
      EXPECT_NEAR(a, expected, 1e-9 * expected) << reversed;
    }
  }
}

/// (3-92), (3-93): x'' - x' + x u = 0, u = sgn(x (x' + c x)): slides along x' = -c x from (1, 1)
/// for 0 < c < (sqrt(5) - 1) / 2 alone.
TEST(Sliding, S_3_10_system_3_92_slides_below_the_golden_ratio_and_diverges_above) {
  for (const double c : {0.3, 0.5, 0.6, 0.65, 1.0, 2.0}) {
    const auto rates = [&](double, View<const double> y, View<double> dy) {
      const double s = y[0] * (y[1] + c * y[0]);
      dy[0] = y[1], dy[1] = y[1] - y[0] * (s > 0 ? 1 : s < 0 ? -1 : 0);
    };
    const FlatSpace space{2};
    RungeKuttaWorkspace<double> ws(space);
    std::vector<double> y{1, 1};
    const double h = 1e-3;
    for (int k = 0; k < 30000 && std::abs(y[0]) < 100; ++k) rk4_step(space, ws, rates, k * h, h, y);
    if (c < (std::sqrt(5.0) - 1) / 2) {
      EXPECT_LT(std::abs(y[0]), 0.01) << c;
      EXPECT_NEAR(y[1], -c * y[0], 0.01) << c;
    } else {
      EXPECT_GE(std::abs(y[0]), 100) << c;
    }
  }
}

/// The same by events: u keeps its sign until x s passes zero. Where both sides point to s = 0, that
/// is c (1 + c) < 1, the line is followed. Until the first hit x'' - x' + x = 0 in closed form.
TYPED_TEST(Events, S_3_10_system_3_92_slides_where_both_sides_point_to_the_line) {
  for (const double c : {0.3, 0.5, 0.6, 0.65, 1.0, 2.0}) {
    double u = 1, hit = -1, at_hit = 0;
    bool slides = false;
    const auto rates = [&](double, View<const double> y, View<double> dy) {
      dy[0] = slides ? -c * y[0] : y[1];
      dy[1] = slides ? -c * y[1] : y[1] - u * y[0];
    };
    const auto s = [&](View<const double> y) { return y[1] + c * y[0]; };
    const FlatSpace space{2};
    PairWorkspace<TypeParam, double> ws(space);
    std::vector<double> y{1, 1};
    double t = 0;
    const auto result = integrate_with_events(
        space, ws, {.largest_step = 0.05}, rates,
        [&](double, View<const double> x) {
          return !slides && (x[0] * s(x) * u < 0 || std::abs(x[0]) > 100);
        },
        [&](double when, View<double> x) {
          if (std::abs(x[0]) > 100) return false;
          const bool on_line = std::abs(s(x)) < 1e-9;  // else x itself changes its sign
          u = -u;
          slides = on_line && c * (1 + c) < 1;
          if (slides) hit = when, at_hit = x[0];
          return true;
        },
        t, 40.0, y);
    EXPECT_TRUE(result);
    EXPECT_EQ(slides, c < (std::sqrt(5.0) - 1) / 2) << c;
    if (slides) {
      const double w = std::sqrt(0.75), root = std::sqrt(3.0);
      EXPECT_NEAR(hit, std::atan((1 + c) / (w - (0.5 + c) / root)) / w, 1e-9) << c;
      EXPECT_NEAR(at_hit, std::exp(hit / 2) * (std::cos(w * hit) + std::sin(w * hit) / root), 1e-9);
      EXPECT_NEAR(y[0], at_hit * std::exp(-c * (t - hit)), 1e-9) << c;
    } else {
      EXPECT_GT(std::abs(y[0]), 100) << c;
    }
  }
}

}  // namespace
}  // namespace torsor
