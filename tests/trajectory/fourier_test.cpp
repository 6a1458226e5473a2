#include "torsor/trajectory/fourier.hpp"

#include <numbers>

#include "support/allocation_counter.hpp"
#include "torsor/trajectory/limits.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::expect_derivatives_consistent;
using testing::refusal;
using testing::sampled;

FourierSeries<double> series() {
  return fourier<double>({0.4, -1}, {{0.3, -0.2, 0.1}, {0.5, 0, -0.4}},
                         {{0.1, 0.4, -0.3}, {0, 0.2, 0.6}}, 0.8);
}

TEST(Fourier, is_the_sum_of_its_harmonics) {
  const auto f = series();
  const double a[] = {0.3, -0.2, 0.1}, b[] = {0.1, 0.4, -0.3};
  for (const double t : {0.0, 0.37, 2.0, 9.1}) {
    double q = 0.4, qd = 0, qdd = 0;
    for (int l = 1; l <= 3; ++l) {
      const double wl = 0.8 * l, s = std::sin(wl * t), c = std::cos(wl * t);
      q += a[l - 1] / wl * s - b[l - 1] / wl * c;
      qd += a[l - 1] * c + b[l - 1] * s;
      qdd += wl * (-a[l - 1] * s + b[l - 1] * c);
    }
    EXPECT_NEAR(sampled(f, t).q[0], q, 1e-14);
    EXPECT_NEAR(sampled(f, t).qd[0], qd, 1e-14);
    EXPECT_NEAR(sampled(f, t).qdd[0], qdd, 1e-14);
  }
  expect_derivatives_consistent(f);
}

TEST(Fourier, repeats_after_its_period) {
  const auto f = series();
  EXPECT_NEAR(f.duration(), 2 * std::numbers::pi / 0.8, 1e-15);
  for (const double t : {0.0, 1.3, 5.0})
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(sampled(f, t).q[i], sampled(f, t + f.duration()).q[i], 1e-14);
}

TEST(Fourier, at_rest_starts_and_ends_each_period_without_velocity_or_acceleration) {
  const auto f = at_rest(series());
  for (const double t : {0.0, f.duration(), 3 * f.duration()})
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(sampled(f, t).qd[i], 0, 1e-14);
      EXPECT_NEAR(sampled(f, t).qdd[i], 0, 1e-13);
    }
  const auto again = at_rest(f);
  for (std::size_t k = 0; k < f.parameters().size(); ++k)
    EXPECT_NEAR(f.parameters()[k], again.parameters()[k], 1e-15) << "a projection";
}

TEST(Fourier, one_harmonic_attains_its_amplitude) {
  // qd = 3 cos(2t) + 4 sin(2t): amplitude 5; q has 5/2, qdd 10, jerk 20.
  const Limits l = attained(fourier<double>({1}, {{3}}, {{4}}, 2))[0];
  EXPECT_NEAR(l.lower, 1 - 2.5, 1e-14);
  EXPECT_NEAR(l.upper, 1 + 2.5, 1e-14);
  EXPECT_NEAR(l.velocity, 5, 1e-14);
  EXPECT_NEAR(l.acceleration, 10, 1e-13);
  EXPECT_NEAR(l.jerk, 20, 1e-13);
}

TEST(Fourier, attained_bounds_dense_samples_and_is_reached) {
  const auto f = series();
  const auto exact = attained(f), dense = internal::attained_by_samples(f, 50000);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GE(exact[i].velocity, dense[i].velocity - 1e-15);
    EXPECT_NEAR(exact[i].velocity, dense[i].velocity, 1e-7);
    EXPECT_GE(exact[i].jerk, dense[i].jerk - 1e-14);
    EXPECT_NEAR(exact[i].jerk, dense[i].jerk, 1e-6);
    EXPECT_NEAR(exact[i].upper, dense[i].upper, 1e-7);
    EXPECT_NEAR(exact[i].lower, dense[i].lower, 1e-7);
  }
}

TEST(Fourier, retimed_keeps_the_path_and_the_limits) {
  Limits l;
  l.velocity = 0.3, l.acceleration = 0.2;
  const std::vector<Limits> limits{l, l};
  const auto f = series(), r = retimed(f, limits);
  const auto reached = attained(r);
  double used = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LE(reached[i].velocity, 0.3 * (1 + 1e-12));
    EXPECT_LE(reached[i].acceleration, 0.2 * (1 + 1e-12));
    used = std::max({used, reached[i].velocity / 0.3, reached[i].acceleration / 0.2});
    for (int k = 0; k < 10; ++k)
      EXPECT_NEAR(sampled(r, r.duration() * k / 10).q[i], sampled(f, f.duration() * k / 10).q[i],
                  1e-13);
  }
  EXPECT_NEAR(used, 1, 1e-12);
}

TEST(Fourier, duals_in_parameters_give_the_derivative_with_respect_to_them) {
  using D = Dual<double, 1>;
  const auto f = fourier<D>({D(0.4)}, {{D(0.3), D::variable(-0.2, 0)}}, {{D(0.1), D(0.4)}}, D(0.8));
  D q[1], qd[1];
  f.sample(1.1, q, qd);
  EXPECT_NEAR(q[0].d[0], std::sin(1.6 * 1.1) / 1.6, 1e-15);
  EXPECT_NEAR(qd[0].d[0], std::cos(1.6 * 1.1), 1e-15);
}

TEST(Fourier, sampling_does_not_allocate) {
  const auto f = series();
  double q[2], qd[2], qdd[2];
  const testing::AllocationCounter counter;
  f.sample(1.1, q, qd, qdd);
  EXPECT_EQ(counter.count(), 0u);
}

TEST(Fourier, refuses_bad_input_with_one_line) {
  EXPECT_EQ(refusal([] { fourier<double>({0}, {{1}}, {{1}}, 0); }),
            "fourier: frequency is 0; it must be greater than zero");
  EXPECT_EQ(refusal([] {
              fourier<double>({0}, {{1}}, {{1, 2}}, 1);
            }),
            "fourier: b[0] has 2 numbers; 1 are needed");
  EXPECT_EQ(refusal([] {
              fourier<double>({0, 1}, {{1}}, {{1}}, 1);
            }),
            "fourier: a has 1 numbers; 2 are needed");
  EXPECT_EQ(refusal([] { fourier<double>({std::nan("")}, {{1}}, {{1}}, 1); }),
            "fourier: offset[0] is not finite (nan)");
  EXPECT_EQ(refusal([] { at_rest(fourier<double>({0}, {{1}}, {{1}}, 1)); }),
            "at_rest: a series with 1 harmonics stands still when its ends do; at least 2 are "
            "needed");
}

}  // namespace
}  // namespace torsor
