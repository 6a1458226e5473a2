#include "torsor/trajectory/spline.hpp"

#include "support/allocation_counter.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::expect_derivatives_consistent;
using testing::refusal;
using testing::sampled;

const std::vector<double> times{0, 0.7, 1.0, 2.2, 2.9, 4.0};
const std::vector<std::vector<double>> points{{0, 1}, {1, 0}, {-0.5, 2}, {2, 2}, {0.3, -1}, {0, 1}};

/// Derivative `order` of coordinate i just before (side -1) and after (+1) knot k.
double beside(const PiecewisePolynomial<double>& p, int k, int i, int order, int side) {
  const int segment = side < 0 ? k - 1 : k;
  const auto at = static_cast<std::size_t>(segment);
  const double u = side < 0 ? p.knots()[at + 1] - p.knots()[at] : 0;
  double sum = 0;
  for (int power = p.degree(); power >= order; --power) {
    double factor = 1;
    for (int d = 0; d < order; ++d) factor *= power - d;
    sum = sum * u + factor * p.coefficients(segment, i)[power];
  }
  return sum;
}
void expect_continuous(const PiecewisePolynomial<double>& p, int order) {
  for (int k = 1; k < p.segments(); ++k)
    for (int i = 0; i < p.size(); ++i)
      for (int d = 0; d <= order; ++d) {
        const double left = beside(p, k, i, d, -1), right = beside(p, k, i, d, +1);
        EXPECT_NEAR(left, right, 1e-12 * std::pow(10, d) * (1 + std::abs(left)))
            << "derivative " << d << " of coordinate " << i << " at knot " << k;
      }
}
void expect_interpolates(const PiecewisePolynomial<double>& p) {
  for (std::size_t k = 0; k < times.size(); ++k)
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(sampled(p, times[k]).q[i], points[k][i], 1e-13);
}

TEST(Spline, passes_through_its_points_with_continuous_acceleration_for_all_ends) {
  for (const SplineEnds ends :
       {SplineEnds::natural, SplineEnds::clamped, SplineEnds::periodic, SplineEnds::not_a_knot}) {
    const auto p = spline(times, points, ends);
    EXPECT_EQ(p.duration(), 4);
    if (ends != SplineEnds::periodic) expect_interpolates(p);
    expect_continuous(p, 2);
    expect_derivatives_consistent(p);
  }
}

TEST(Spline, ends_are_as_their_name_says) {
  const int last = static_cast<int>(times.size()) - 1;
  const auto natural = spline(times, points, SplineEnds::natural);
  const auto clamped =
      spline(times, points, SplineEnds::clamped, {.qd = {1, -2}}, {.qd = {0.5, 3}});
  const auto periodic = spline(times, points, SplineEnds::periodic);
  const auto smooth = spline(times, points, SplineEnds::not_a_knot);
  const double v0[] = {1, -2}, v1[] = {0.5, 3};
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(beside(natural, 0, i, 2, 1), 0, 1e-13);
    EXPECT_NEAR(beside(natural, last, i, 2, -1), 0, 1e-12);
    EXPECT_NEAR(beside(clamped, 0, i, 1, 1), v0[i], 1e-13);
    EXPECT_NEAR(beside(clamped, last, i, 1, -1), v1[i], 1e-12);
    for (int d = 0; d <= 2; ++d)
      EXPECT_NEAR(beside(periodic, 0, i, d, 1), beside(periodic, last, i, d, -1), 1e-11);
    EXPECT_NEAR(beside(smooth, 1, i, 3, -1), beside(smooth, 1, i, 3, 1), 1e-10);
    EXPECT_NEAR(beside(smooth, last - 1, i, 3, -1), beside(smooth, last - 1, i, 3, 1), 1e-10);
  }
  for (const double t : {0.3, 1.7, 3.3}) {
    EXPECT_NEAR(sampled(periodic, t).q[0], sampled(periodic, t + 4).q[0], 1e-12);
    EXPECT_NEAR(sampled(periodic, t).qd[1], sampled(periodic, t - 8).qd[1], 1e-11);
  }
}

TEST(Spline, reproduces_cubics_and_with_few_points_lines_and_parabolas) {
  const auto f = [](double t) { return 0.3 - t + 2 * t * t - 0.7 * t * t * t; };
  const auto d = [](double t) { return -1 + 4 * t - 2.1 * t * t; };
  std::vector<std::vector<double>> on;
  for (const double t : times) on.push_back({f(t)});
  const auto smooth = spline(times, on, SplineEnds::not_a_knot);
  const auto clamped = spline(times, on, SplineEnds::clamped, {.qd = {d(0)}}, {.qd = {d(4)}});
  const auto parabola = spline<double>({0, 1, 3}, {{1}, {2}, {10}}, SplineEnds::not_a_knot);
  const auto line = spline<double>({0, 2}, {{1}, {5}}, SplineEnds::not_a_knot);
  for (double t = 0; t <= 4; t += 0.13) {
    EXPECT_NEAR(sampled(smooth, t).q[0], f(t), 1e-12);
    EXPECT_NEAR(sampled(clamped, t).q[0], f(t), 1e-12);
    if (t <= 3) {
      EXPECT_NEAR(sampled(parabola, t).q[0], 1 + t * t, 1e-13);
    }
    if (t <= 2) {
      EXPECT_NEAR(sampled(line, t).q[0], 1 + 2 * t, 1e-14);
    }
  }
}

TEST(Spline, clamped_over_one_segment_is_the_cubic) {
  const auto s =
      spline<double>({0, 1.5}, {{0.3}, {1.1}}, SplineEnds::clamped, {.qd = {-0.2}}, {.qd = {0.4}});
  const auto c = cubic({.q = {0.3}, .qd = {-0.2}}, {.q = {1.1}, .qd = {0.4}}, 1.5);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(s.coefficients(0, 0)[k], c.coefficients(0, 0)[k], 1e-14);
}

TEST(Spline, periodic_works_for_two_and_three_segments) {
  for (const auto& t : {std::vector<double>{0, 1, 2.5}, std::vector<double>{0, 1, 2.5, 3.1}}) {
    std::vector<std::vector<double>> on(t.size(), {0.0});
    on[1] = {1};
    const auto p = spline(t, on, SplineEnds::periodic);
    expect_continuous(p, 2);
    for (int d = 0; d <= 2; ++d)
      EXPECT_NEAR(beside(p, 0, 0, d, 1), beside(p, p.segments(), 0, d, -1), 1e-12);
  }
}

TEST(Spline, has_the_least_integral_of_squared_acceleration) {
  // Holladay: the natural spline against the others, by Simpson's rule, exact for quadratics.
  const auto energy = [](const PiecewisePolynomial<double>& p) {
    double sum = 0;
    for (int s = 0; s < p.segments(); ++s) {
      const double h =
          p.knots()[static_cast<std::size_t>(s) + 1] - p.knots()[static_cast<std::size_t>(s)];
      const double* c = p.coefficients(s, 0);
      const auto a = [&](double u) { return std::pow(2 * c[2] + 6 * c[3] * u, 2); };
      sum += h / 6 * (a(0) + 4 * a(h / 2) + a(h));
    }
    return sum;
  };
  const double least = energy(spline(times, points, SplineEnds::natural));
  for (const SplineEnds ends : {SplineEnds::clamped, SplineEnds::periodic, SplineEnds::not_a_knot})
    EXPECT_LT(least, energy(spline(times, points, ends)));
}

TEST(QuinticSpline, passes_through_its_points_and_is_continuous_to_the_fourth_derivative) {
  const auto p = quintic_spline(times, points, {.qd = {1, 0}, .qdd = {0, 2}}, {.qd = {-1, 1}});
  expect_interpolates(p);
  expect_continuous(p, 4);
  EXPECT_NEAR(sampled(p, 0).qd[0], 1, 1e-13);
  EXPECT_NEAR(sampled(p, 0).qdd[1], 2, 1e-12);
  EXPECT_NEAR(sampled(p, 4).qd[0], -1, 1e-11);
  EXPECT_NEAR(sampled(p, 4).qd[1], 1, 1e-11);
  EXPECT_NEAR(sampled(p, 4).qdd[1], 0, 1e-10);
  expect_derivatives_consistent(p, 1e-11);
}

TEST(QuinticSpline, reproduces_a_quintic) {
  const auto exact = quintic({.q = {0.3}, .qd = {-0.2}, .qdd = {0.5}},
                             {.q = {1.1}, .qd = {0.4}, .qdd = {-0.7}}, 4);
  std::vector<std::vector<double>> on;
  for (const double t : times) on.push_back({sampled(exact, t).q[0]});
  const auto p =
      quintic_spline(times, on, {.qd = {-0.2}, .qdd = {0.5}}, {.qd = {0.4}, .qdd = {-0.7}});
  for (double t = 0; t <= 4; t += 0.11) {
    EXPECT_NEAR(sampled(p, t).q[0], sampled(exact, t).q[0], 1e-12);
    EXPECT_NEAR(sampled(p, t).qdd[0], sampled(exact, t).qdd[0], 1e-10);
  }
}

TEST(Spline, times_chosen_from_limits_keep_them_and_use_one_fully) {
  Limits l;
  l.velocity = 1.5, l.acceleration = 4, l.jerk = 30;
  const std::vector<Limits> limits{l, l};
  for (const auto& p : {spline(points, limits), spline(points, limits, SplineEnds::not_a_knot),
                        quintic_spline(points, limits)}) {
    const auto reached = attained(p), dense = internal::attained_by_samples(p, 20000);
    double used = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_LE(reached[i].velocity, l.velocity * (1 + 1e-12));
      EXPECT_LE(reached[i].acceleration, l.acceleration * (1 + 1e-12));
      EXPECT_LE(reached[i].jerk, l.jerk * (1 + 1e-12));
      EXPECT_LE(dense[i].acceleration, reached[i].acceleration * (1 + 1e-12));
      used = std::max({used, reached[i].velocity / l.velocity,
                       reached[i].acceleration / l.acceleration, reached[i].jerk / l.jerk});
    }
    EXPECT_NEAR(used, 1, 1e-12);
    for (std::size_t k = 0; k < points.size(); ++k)
      EXPECT_NEAR(sampled(p, p.knots()[k]).q[0], points[k][0], 1e-12);
  }
}

TEST(Spline, first_times_are_those_of_each_segment_from_rest_to_rest_under_one_limit_alone) {
  const auto time = [](double velocity, double acceleration, double jerk) {
    Limits l;
    l.velocity = velocity, l.acceleration = acceleration, l.jerk = jerk;
    const std::vector<double> t = internal::spline_times({{0}, {2}, {1.75}}, {&l, 1});
    return std::vector<double>{t[1], t[2] - t[1]};
  };
  const auto expect = [](const std::vector<double>& t, double first, double second) {
    EXPECT_NEAR(t[0], first, 1e-14);
    EXPECT_NEAR(t[1], second, 1e-14);
  };
  expect(time(0.5, infinity, infinity), 4, 0.5);
  expect(time(infinity, 2, infinity), 2, std::sqrt(0.5));  // 2 sqrt(d / A)
  expect(time(infinity, infinity, 1), 4, 2);               // 4 cbrt(d / (2 J))
}

TEST(Spline, duals_in_a_point_give_the_derivative_with_respect_to_it) {
  using D = Dual<double, 1>;
  const std::vector<D> t(times.begin(), times.end());
  std::vector<std::vector<D>> on;
  for (const auto& p : points) on.push_back({D(p[0])});
  on[2][0].d[0] = 1;
  const double step = 1e-3;  // the spline is linear in its points: differences are exact
  auto moved = points;
  moved[2][0] += step;
  for (const SplineEnds ends :
       {SplineEnds::natural, SplineEnds::periodic, SplineEnds::not_a_knot}) {
    D q[1];
    spline(t, on, ends).sample(1.6, q);
    const double change = sampled(spline(times, moved, ends), 1.6).q[0] -
                          sampled(spline(times, points, ends), 1.6).q[0];
    EXPECT_NEAR(q[0].d[0], change / step, 1e-11);
  }
}

TEST(Spline, sampling_does_not_allocate) {
  const auto p = quintic_spline(times, points);
  double q[2], qd[2], qdd[2], jerk[2];
  const testing::AllocationCounter counter;
  for (int k = 0; k < 50; ++k) p.sample(0.1 * k, q, qd, qdd, jerk);
  EXPECT_EQ(counter.count(), 0u);
}

TEST(Spline, refuses_bad_times_and_points_with_one_line) {
  EXPECT_EQ(refusal([] {
              spline<double>({0, 1, 1}, {{0}, {1}, {2}});
            }),
            "spline: times[2] is 1 after 1; times must increase");
  EXPECT_EQ(refusal([] {
              spline<double>({0.5, 1}, {{0}, {1}});
            }),
            "spline: times[0] is 0.5; trajectories start at 0");
  EXPECT_EQ(refusal([] { spline<double>({0}, {{0}}); }),
            "spline: times has 1 numbers; at least 2 are needed");
  EXPECT_EQ(refusal([] {
              spline<double>({0, 1}, {{0}, {1}, {2}});
            }),
            "spline: points has 3 numbers; 2 are needed");
  EXPECT_EQ(refusal([] {
              spline<double>({0, 1}, {{0}, {1, 2}});
            }),
            "spline: points[1] has 2 numbers; 1 are needed");
  EXPECT_EQ(refusal([] {
              quintic_spline<double>({0, 1}, {{0}, {std::nan("")}});
            }),
            "quintic_spline: points[1][0] is not finite (nan)");
  EXPECT_EQ(refusal([] {
              spline<double>({0, 1}, {{0}, {1}}, SplineEnds::periodic);
            }),
            "spline: coordinate 0 is periodic but goes from 0 to 1");
  EXPECT_EQ(refusal([] {
              spline<double>({0, 1}, {{0}, {1}}, SplineEnds::natural, {.qd = {1}});
            }),
            "spline: end velocities belong to the clamped spline");
  const std::vector<Limits> none(1);
  const std::vector<std::vector<double>> same{{1}, {1}}, apart{{1}, {2}};
  EXPECT_EQ(refusal([&] { internal::spline_times(same, none); }),
            "spline_times: points[1] is the point before it; give times instead");
  EXPECT_EQ(refusal([&] { internal::spline_times(apart, none); }),
            "spline_times: nothing that moves to points[1] has a finite limit");
}

}  // namespace
}  // namespace torsor
