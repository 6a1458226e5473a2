#include "torsor/trajectory/time_scaling.hpp"

#include "support/allocation_counter.hpp"
#include "torsor/trajectory/fourier.hpp"
#include "torsor/trajectory/spline.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::expect_derivatives_consistent;
using testing::refusal;
using testing::sampled;

PiecewisePolynomial<double> path() {
  return spline<double>({0, 1, 2.5, 4}, {{0, 1}, {1, 0}, {3, 2}, {0, 0}});
}

TEST(TimeScaled, derivatives_obey_the_chain_rule) {
  const auto law = quintic({.q = {0}}, {.q = {4}}, 3);
  expect_derivatives_consistent(time_scaled(path(), law), 1e-11);
  expect_derivatives_consistent(
      time_scaled(fourier<double>({0.1}, {{0.3, -0.2}}, {{0.1, 0.4}}, 1.2), law), 1e-11);
}

TEST(TimeScaled, visits_the_same_points_at_the_times_of_the_law) {
  const auto law = quintic({.q = {0}}, {.q = {4}}, 3);
  const auto slow = time_scaled(path(), law);
  EXPECT_EQ(slow.duration(), 3);
  for (int k = 0; k <= 20; ++k) {
    const double t = 3.0 * k / 20, s = sampled(law, t).q[0];
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(sampled(slow, t).q[i], sampled(path(), s).q[i], 1e-14);
  }
  EXPECT_EQ(sampled(slow, 5).qd[0], 0) << "holds after its end";
}

TEST(TimeScaled, a_linear_law_is_the_uniform_stretch) {
  const PiecewisePolynomial<double> law(1, 1, {0, 6}, {0, 4.0 / 6});
  const auto scaled = time_scaled(path(), law);
  const auto same = stretched(path(), 6);
  for (int k = 1; k < 20; ++k) {
    const auto a = sampled(scaled, 0.3 * k), b = sampled(same, 0.3 * k);
    EXPECT_NEAR(a.qd[1], b.qd[1], 1e-13);
    EXPECT_NEAR(a.qdd[1], b.qdd[1], 1e-13);
    EXPECT_NEAR(a.jerk[1], b.jerk[1], 1e-13);
  }
}

TEST(Derivative, is_the_velocity) {
  const auto p = path(), v = derivative(p);
  for (int k = 0; k < 20; ++k) {
    EXPECT_NEAR(sampled(v, 0.2 * k).q[0], sampled(p, 0.2 * k).qd[0], 1e-13);
    EXPECT_NEAR(sampled(v, 0.2 * k).qd[1], sampled(p, 0.2 * k).qdd[1], 1e-13);
  }
}

TEST(TimeScaled, sampling_does_not_allocate) {
  const auto slow = time_scaled(path(), quintic({.q = {0}}, {.q = {4}}, 3));
  double q[2], qd[2], qdd[2];
  const testing::AllocationCounter counter;
  slow.sample(1.1, q, qd, qdd);
  EXPECT_EQ(counter.count(), 0u);
}

TEST(TimeScaled, refuses_laws_that_go_back_or_out_with_one_line) {
  // s = t^3 - t^2 + 1 falls by at most 1/3 per second, at t = 1/3.
  const PiecewisePolynomial<double> back(1, 3, {0, 1}, {1, 0, -1, 1});
  EXPECT_EQ(refusal([&] { time_scaled(path(), back); }),
            "time_scaled: the law goes back, at up to 0.333333333 per second");
  EXPECT_EQ(refusal([] { time_scaled(path(), quintic({.q = {0}}, {.q = {5}}, 3)); }),
            "time_scaled: the law goes from 0 to 5; the trajectory is defined from 0 to 4");
  EXPECT_EQ(refusal([] {
              time_scaled(path(), quintic({.q = {0, 0}}, {.q = {1, 1}}, 3));
            }),
            "time_scaled: the law has 2 numbers; 1 are needed");
}

}  // namespace
}  // namespace torsor
