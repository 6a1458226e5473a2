#include "torsor/trajectory/piecewise.hpp"

#include "torsor/trajectory/trapezoid.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::refusal;
using testing::sampled;

/// Steps of height k on [k, k + 1): every segment tells its number.
PiecewisePolynomial<double> stairs(int n, Outside outside = Outside::hold) {
  std::vector<double> knots{0}, c;
  for (int k = 0; k < n; ++k) knots.push_back(k + 1), c.push_back(k);
  return {1, 0, knots, c, outside};
}

TEST(Piecewise, a_knot_belongs_to_the_segment_that_it_begins) {
  for (const int n : {1, 2, 3, 7, 64}) {
    const auto p = stairs(n);
    for (int k = 0; k < n; ++k) {
      EXPECT_EQ(sampled(p, k).q[0], k);
      EXPECT_EQ(sampled(p, k + 0.5).q[0], k);
      EXPECT_EQ(sampled(p, std::nextafter(k + 1.0, 0)).q[0], k);
    }
    EXPECT_EQ(sampled(p, n).q[0], n - 1) << "the end belongs to the last";
  }
}

TEST(Piecewise, a_periodic_one_repeats_to_both_sides) {
  const auto p = stairs(5, Outside::repeat);
  for (int k = -20; k < 20; ++k) EXPECT_EQ(sampled(p, k + 0.25).q[0], (k + 20) % 5);
}

TEST(Piecewise, an_empty_view_leaves_its_part_out) {
  const PiecewisePolynomial<double> p(1, 2, {0, 1}, {1, 2, 3});
  double qdd[1] = {0};
  p.sample(0.5, {}, {}, qdd);
  EXPECT_EQ(qdd[0], 6);
}

TEST(Piecewise, a_whole_number_is_a_time) {
  const PiecewisePolynomial<double> p(1, 1, {0, 4}, {1, 2});
  double q[1];
  p.sample(2, q);
  EXPECT_EQ(q[0], 5);
}

TEST(ScaledInTime, derivatives_go_down_with_powers_of_the_factor) {
  const PiecewisePolynomial<double> p(1, 3, {0, 1, 2}, {1, 2, 3, 4, 10, 20, 15, 1});
  const auto slow = internal::scaled_in_time(p, 2.5);
  EXPECT_EQ(slow.duration(), 5);
  for (const double t : {0.2, 0.9, 1.3}) {
    const auto a = sampled(p, t), b = sampled(slow, 2.5 * t);
    EXPECT_NEAR(b.q[0], a.q[0], 1e-13);
    EXPECT_NEAR(b.qd[0], a.qd[0] / 2.5, 1e-13);
    EXPECT_NEAR(b.qdd[0], a.qdd[0] / 6.25, 1e-13);
    EXPECT_NEAR(b.jerk[0], a.jerk[0] / 15.625, 1e-13);
  }
}

TEST(Joined, is_each_part_on_the_union_of_the_knots) {
  const PiecewisePolynomial<double> a(1, 2, {0, 1, 3}, {1, 2, 3, 6, 8, -1});
  const PiecewisePolynomial<double> b(1, 3, {0, 0.5, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2});
  const auto both = joined({a, b});
  EXPECT_EQ(both.knots(), (std::vector<double>{0, 0.5, 1, 2, 3}));
  for (double t = 0.05; t < 3; t += 0.1) {
    const auto s = sampled(both, t);
    EXPECT_NEAR(s.q[0], sampled(a, t).q[0], 1e-13);
    EXPECT_NEAR(s.q[1], sampled(b, t).q[0], 1e-12);
    EXPECT_NEAR(s.qd[1], sampled(b, t).qd[0], 1e-12);
    EXPECT_NEAR(s.jerk[0], 0, 1e-13);
  }
  EXPECT_EQ(refusal([&] {
              joined({a, stairs(2)});
            }),
            "joined: a trajectory of 1 coordinates and 2 s beside one of 3 s; one coordinate and "
            "equal durations are needed");
  EXPECT_EQ(refusal([] { joined({}); }), "joined: no trajectories");
}

}  // namespace
}  // namespace torsor
