#include "torsor/trajectory/trapezoid.hpp"

#include <random>

#include "support/allocation_counter.hpp"
#include "torsor/trajectory/limits.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::expect_derivatives_consistent;
using testing::refusal;
using testing::sampled;

Limits limits(double velocity, double acceleration, double jerk = infinity) {
  Limits l;
  l.velocity = velocity, l.acceleration = acceleration, l.jerk = jerk;
  return l;
}

/// Ends met, velocity (and acceleration) continuous, limits kept at every extreme.
void expect_valid(const PiecewisePolynomial<double>& p, double q0, double q1, const Limits& l,
                  double v0 = 0, double v1 = 0) {
  const double scale = 1 + std::abs(q0) + std::abs(q1) + p.duration() * (std::abs(v0) + l.velocity);
  const auto start = sampled(p, 0), end = sampled(p, p.duration());
  EXPECT_NEAR(start.q[0], q0, 1e-15 * scale);
  EXPECT_NEAR(end.q[0], q1, 2e-14 * scale);
  if (p.duration() == 0) return;
  EXPECT_NEAR(start.qd[0], v0, 1e-13 * scale);
  EXPECT_NEAR(end.qd[0], v1, 1e-13 * scale);
  const Limits reached = attained(p)[0];
  EXPECT_LE(reached.velocity, l.velocity * (1 + 1e-12));
  EXPECT_LE(reached.acceleration, l.acceleration * (1 + 1e-12));
  if (p.degree() == 3) {
    EXPECT_LE(reached.jerk, l.jerk * (1 + 1e-12)) << "and the acceleration has no jump";
    EXPECT_NEAR(start.qdd[0], 0, 1e-13);
    EXPECT_NEAR(end.qdd[0], 0, 1e-9 * l.acceleration);
  }
  for (int s = 1; s < p.segments(); ++s) {
    const double t = p.knots()[static_cast<std::size_t>(s)], step = 1e-9 * p.duration();
    const double jump = sampled(p, t + step).q[0] - sampled(p, t - step).q[0];
    EXPECT_LE(std::abs(jump), 2 * step * l.velocity * (1 + 1e-6) + 1e-14 * scale);
  }
}

TEST(Trapezoid, from_rest_takes_the_time_of_the_closed_form) {
  // h = 2, V = 0.5, A = 1: ramps of 0.5 s, T = h/V + V/A = 4.5 s.
  const auto p = trapezoid(1, 3, limits(0.5, 1));
  EXPECT_NEAR(p.duration(), 4.5, 1e-14);
  EXPECT_EQ(p.segments(), 3);
  EXPECT_NEAR(sampled(p, 2.25).q[0], 2, 1e-14);
  EXPECT_NEAR(sampled(p, 2.25).qd[0], 0.5, 1e-15);
  EXPECT_NEAR(sampled(p, 0.25).qdd[0], 1, 1e-15);
  expect_valid(p, 1, 3, limits(0.5, 1));
}

TEST(Trapezoid, a_short_way_is_a_triangle) {
  // h = 0.09, A = 1: T = 2 sqrt(h/A) = 0.6 s and the peak is 0.3.
  const auto p = trapezoid(0, -0.09, limits(0.5, 1));
  EXPECT_NEAR(p.duration(), 0.6, 1e-14);
  EXPECT_EQ(p.segments(), 2);
  EXPECT_NEAR(attained(p)[0].velocity, 0.3, 1e-14);
  expect_valid(p, 0, -0.09, limits(0.5, 1));
  EXPECT_NEAR(trapezoid(0, 0.09, limits(infinity, 1)).duration(), 0.6, 1e-14);
}

/// The least time by closed forms: both switching orders, with and without cruise.
double least_time(double h, double v0, double v1, double V, double A) {
  double best = infinity;
  for (const double sign : {1.0, -1.0}) {
    const double x = sign * h, a = sign * v0, b = sign * v1;
    const double square = A * x + (a * a + b * b) / 2;
    if (square >= 0) {
      for (const double peak : {std::sqrt(square), -std::sqrt(square)})
        if (peak >= a - 1e-12 && peak >= b - 1e-12 && std::abs(peak) <= V)
          best = std::min(best, (2 * peak - a - b) / A);
    }
    const double ramps = (2 * V * V - a * a - b * b) / (2 * A);
    if (ramps <= x) best = std::min(best, (2 * V - a - b) / A + (x - ramps) / V);
  }
  return best;
}

TEST(Trapezoid, with_end_velocities_is_valid_and_takes_the_least_time) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int k = 0; k < 2000; ++k) {
    const double V = 0.2 + std::abs(u(engine)), A = 0.2 + 3 * std::abs(u(engine));
    const double v0 = V * u(engine), v1 = V * u(engine), q0 = u(engine), q1 = q0 + 2 * u(engine);
    const auto p = trapezoid(q0, q1, limits(V, A), v0, v1);
    expect_valid(p, q0, q1, limits(V, A), v0, v1);
    EXPECT_NEAR(p.duration(), least_time(q1 - q0, v0, v1, V, A), 1e-9) << k;
  }
}

TEST(DoubleS, from_rest_takes_the_time_of_the_closed_forms) {
  // All limits reached: T = h/V + V/A + A/J = 2/0.5 + 0.5/1 + 1/4.
  const auto full = double_s(0, 2, limits(0.5, 1, 4));
  EXPECT_NEAR(full.duration(), 4.75, 1e-13);
  EXPECT_EQ(full.segments(), 7);
  // No limit but jerk: T = 4 (h / (2 J))^(1/3), h = 1/4, J = 1: T = 2.
  const auto pure = double_s(0, 0.25, limits(10, 10, 1));
  EXPECT_NEAR(pure.duration(), 2, 1e-13);
  EXPECT_EQ(pure.segments(), 4);
  // Acceleration reached, velocity not: T = A/J + sqrt((A/J)^2 + 4 h/A), h = 3, A = 1, J = 2.
  const auto middle = double_s(0, 3, limits(10, 1, 2));
  EXPECT_NEAR(middle.duration(), 0.5 + std::sqrt(0.25 + 12), 1e-13);
  // Velocity reached, acceleration not: T = h/V + 2 sqrt(V/J), V = 0.25, J = 1.
  EXPECT_NEAR(double_s(0, 1, limits(0.25, 10, 1)).duration(), 4 + 1, 1e-13);
  expect_valid(full, 0, 2, limits(0.5, 1, 4));
  expect_valid(pure, 0, 0.25, limits(10, 10, 1));
  expect_valid(middle, 0, 3, limits(10, 1, 2));
  expect_derivatives_consistent(full);
}

TEST(DoubleS, with_end_velocities_is_valid_and_no_faster_than_the_trapezoid) {
  std::mt19937 engine(8);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int k = 0; k < 1000; ++k) {
    const double V = 0.2 + std::abs(u(engine)), A = 0.2 + 3 * std::abs(u(engine));
    const double J = 0.5 + 20 * std::abs(u(engine));
    const bool rest = k % 4 == 0;
    const double v0 = rest ? 0 : V * u(engine), v1 = rest ? 0 : V * u(engine);
    const double q0 = u(engine), q1 = q0 + 2 * u(engine);
    const auto p = double_s(q0, q1, limits(V, A, J), v0, v1);
    expect_valid(p, q0, q1, limits(V, A, J), v0, v1);
    EXPECT_GE(p.duration(), trapezoid(q0, q1, limits(V, A), v0, v1).duration() - 1e-9);
  }
}

TEST(DoubleS, tends_to_the_trapezoid_as_the_jerk_limit_grows) {
  const double exact = trapezoid(0, 2, limits(0.5, 1)).duration();
  for (const double J : {1e2, 1e4, 1e6})
    EXPECT_NEAR(double_s(0, 2, limits(0.5, 1, J)).duration() - exact, 1 / J, 1e-12);
}

class Several : public ::testing::Test {
 protected:
  const std::vector<double> q0{0, 1, -1, 2}, q1{1, 0.5, -1, 2.3};
  const std::vector<Limits> l{limits(1, 2, 8), limits(0.2, 1, 5), limits(1, 1, 1), limits(3, 3, 9)};

  void expect_within(const PiecewisePolynomial<double>& p, bool jerk) {
    const auto reached = attained(p), dense = testing_samples(p);
    for (std::size_t i = 0; i < q0.size(); ++i) {
      EXPECT_NEAR(sampled(p, 0).q[i], q0[i], 1e-14);
      EXPECT_NEAR(sampled(p, p.duration()).q[i], q1[i], 1e-13);
      EXPECT_NEAR(sampled(p, p.duration()).qd[i], 0, 1e-13);
      EXPECT_LE(reached[i].velocity, l[i].velocity * (1 + 1e-12));
      EXPECT_LE(reached[i].acceleration, l[i].acceleration * (1 + 1e-12));
      if (jerk) {
        EXPECT_LE(reached[i].jerk, l[i].jerk * (1 + 1e-12));
      }
      EXPECT_LE(dense[i].velocity, reached[i].velocity * (1 + 1e-12));
      EXPECT_LE(dense[i].acceleration, reached[i].acceleration * (1 + 1e-12));
    }
  }
  static std::vector<Limits> testing_samples(const PiecewisePolynomial<double>& p) {
    return internal::attained_by_samples(p, 20000);
  }
};

TEST_F(Several, coordinates_move_on_one_straight_line_within_all_limits) {
  for (const bool jerk : {false, true}) {
    const auto p = jerk ? double_s(q0, q1, l) : trapezoid(q0, q1, l);
    expect_within(p, jerk);
    for (int k = 1; k < 10; ++k) {
      const auto s = sampled(p, p.duration() * k / 10);
      const double along = s.q[0];  // from 0 to 1
      EXPECT_NEAR(s.q[1], 1 - 0.5 * along, 1e-14);
      EXPECT_NEAR(s.q[2], -1, 1e-15);
      EXPECT_NEAR(s.q[3], 2 + 0.3 * along, 1e-14);
    }
  }
}

TEST_F(Several, coordinates_arrive_together_when_each_keeps_its_own_profile) {
  for (const bool jerk : {false, true}) {
    const auto p = jerk ? double_s(q0, q1, l, Sync::arrival) : trapezoid(q0, q1, l, Sync::arrival);
    expect_within(p, jerk);
    double slowest = 0;
    for (std::size_t i = 0; i < q0.size(); ++i)
      slowest = std::max(
          slowest,
          (jerk ? double_s(q0[i], q1[i], l[i]) : trapezoid(q0[i], q1[i], l[i])).duration());
    EXPECT_EQ(p.duration(), slowest) << "as fast as the slowest alone";
  }
}

TEST_F(Several, no_motion_takes_no_time_and_holds) {
  const auto p = trapezoid(q0, q0, l);
  EXPECT_EQ(p.duration(), 0);
  EXPECT_EQ(sampled(p, 0).q, q0);
  EXPECT_EQ(sampled(p, 3).q, q0);
  EXPECT_EQ(double_s(1, 1, l[0]).duration(), 0);
}

TEST(Trapezoid, refuses_what_cannot_be_done_with_one_line) {
  const std::vector<double> a{0}, b{1}, two{0, 1};
  const std::vector<Limits> l{limits(1, 1, 1)};
  EXPECT_EQ(refusal([] { trapezoid(0, 1, limits(1, 0)); }),
            "trapezoid: limits[0].acceleration is 0; it must be greater than zero");
  EXPECT_EQ(refusal([] { trapezoid(0, 1, limits(1, infinity)); }),
            "trapezoid: limits[0].acceleration is not finite (inf)");
  EXPECT_EQ(refusal([] { double_s(0, 1, limits(1, 1)); }),
            "double_s: limits[0].jerk is not finite (inf)");
  EXPECT_EQ(refusal([] { trapezoid(0, std::nan(""), limits(1, 1)); }),
            "trapezoid: q1 is not finite (nan)");
  EXPECT_EQ(refusal([] { trapezoid(0, 1, limits(std::nan(""), 1)); }),
            "trapezoid: limits[0].velocity is nan; it must be greater than zero");
  EXPECT_EQ(refusal([] { trapezoid(0, 1, limits(1, 1), 2); }),
            "trapezoid: the end velocity 2 is beyond the velocity limit 1");
  EXPECT_EQ(refusal([&] { trapezoid(a, two, l); }), "trapezoid: q1 has 2 numbers; 1 are needed");
  EXPECT_EQ(refusal([&] { trapezoid(two, two, l); }),
            "trapezoid: limits has 1 numbers; 2 are needed");
  EXPECT_EQ(refusal([&] {
              trapezoid({0, 1}, b, l);
            }),
            "trapezoid: q0 has 0 numbers; 1 are needed")
      << "braces around plain zeros make an empty view";
  Limits narrow = limits(1, 1, 1);
  narrow.lower = -0.5, narrow.upper = 0.5;
  EXPECT_EQ(refusal([&] { trapezoid(0, 1, narrow); }),
            "trapezoid: q1 is 1, outside the position limits -0.5 to 0.5");
  narrow.upper = 0.45;
  EXPECT_EQ(refusal([&] { trapezoid(0, 0.4, narrow, 1, 0); }),
            "trapezoid: with these end velocities the motion reaches from 0 to 0.5, outside the "
            "position limits -0.5 to 0.45");
}

}  // namespace
}  // namespace torsor
