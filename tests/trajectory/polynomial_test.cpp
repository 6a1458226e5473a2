#include "torsor/trajectory/polynomial.hpp"

#include "support/allocation_counter.hpp"
#include "torsor/trajectory/limits.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::expect_derivatives_consistent;
using testing::refusal;
using testing::sampled;

constexpr double eps = std::numeric_limits<double>::epsilon();

// Huo 2005, exercise 3-7 (1), with the numbers of the acceptance list.
TEST(Quintic, X_3_7_meets_six_end_conditions) {
  const auto p = quintic({.q = {0.3}, .qd = {-0.2}, .qdd = {0.5}},
                         {.q = {1.1}, .qd = {0.4}, .qdd = {-0.7}}, 1.5);
  const double* c = p.coefficients(0, 0);
  EXPECT_NEAR(c[0], 0.3, eps);
  EXPECT_NEAR(c[1], -0.2, eps);
  EXPECT_NEAR(c[2], 0.25, eps);
  EXPECT_NEAR(c[3], 1.4592593, 5e-8);
  EXPECT_NEAR(c[4], -1.3703704, 5e-8);
  EXPECT_NEAR(c[5], 0.3358025, 5e-8);
  // The same as fractions: 197/135, -37/27, 136/405.
  EXPECT_NEAR(c[3], 197.0 / 135, 20 * eps);
  EXPECT_NEAR(c[4], -37.0 / 27, 20 * eps);
  EXPECT_NEAR(c[5], 136.0 / 405, 20 * eps);
  const auto start = sampled(p, 0), end = sampled(p, 1.5);
  EXPECT_NEAR(start.q[0], 0.3, eps);
  EXPECT_NEAR(start.qd[0], -0.2, eps);
  EXPECT_NEAR(start.qdd[0], 0.5, eps);
  EXPECT_NEAR(end.q[0], 1.1, 30 * eps);
  EXPECT_NEAR(end.qd[0], 0.4, 60 * eps);
  EXPECT_NEAR(end.qdd[0], -0.7, 200 * eps);
}

// Huo 2005, example 3-2 and exercise 3-7 (2): true with q_0 = 0 only (erratum E8).
TEST(Quintic, X_3_7_gives_the_trajectory_of_example_3_2) {
  const std::vector<double> goal{0.6, 1, -0.5};
  const auto p = quintic({.q = {0, 0, 0}}, {.q = goal}, 1.5);
  const double t3[] = {6, 10, -5}, t5[] = {3.6, 6, -3};
  for (int i = 0; i < 3; ++i) {
    const double* c = p.coefficients(0, i);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(c[k], 0);
    EXPECT_NEAR(c[3], t3[i] / std::pow(1.5, 3), 20 * eps);
    EXPECT_NEAR(c[4], -t3[i] / std::pow(1.5, 3), 20 * eps);
    EXPECT_NEAR(c[5], t5[i] / std::pow(1.5, 5), 20 * eps);
  }
  double largest = 0;
  for (int k = 0; k <= 100000; ++k) {
    const auto s = sampled(p, 1.5 * k / 100000);
    largest = std::max(largest, std::hypot(s.qdd[0], s.qdd[1], s.qdd[2]));
  }
  EXPECT_NEAR(largest, 3.2559, 5e-5);
  EXPECT_NEAR(largest, 10 / std::sqrt(3.0) * std::hypot(0.6, 1, 0.5) / 2.25, 1e-8);
  const auto later = sampled(p, 2);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(later.q[i], goal[i], 30 * eps);
    EXPECT_EQ(later.qd[i], 0);
    EXPECT_EQ(later.qdd[i], 0);
  }
}

TEST(Polynomials, every_prescribed_end_condition_is_met) {
  const Boundary<> start{.q = {0.3, -1}, .qd = {-0.2, 2}, .qdd = {0.5, -3}, .jerk = {4, 1}};
  const Boundary<> end{.q = {1.1, 0.4}, .qd = {0.4, -1}, .qdd = {-0.7, 2}, .jerk = {-2, 5}};
  const auto expect_end = [](const auto& p, double t, const Boundary<>& b) {
    const auto s = sampled(p, t);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(s.q[i], b.q[i], 1e-13);
      EXPECT_NEAR(s.qd[i], b.qd[i], 1e-12);
      if (!b.qdd.empty()) {
        EXPECT_NEAR(s.qdd[i], b.qdd[i], 1e-11);
      }
      if (!b.jerk.empty()) {
        EXPECT_NEAR(s.jerk[i], b.jerk[i], 1e-10);
      }
    }
  };
  for (const double T : {0.5, 1.0, 3.0}) {
    Boundary<> s = start, e = end;
    const auto p7 = septic(s, e, T);
    expect_end(p7, 0, s), expect_end(p7, T, e);
    expect_derivatives_consistent(p7, 1e-11);
    s.jerk.clear(), e.jerk.clear();
    const auto p5 = quintic(s, e, T);
    expect_end(p5, 0, s), expect_end(p5, T, e);
    expect_derivatives_consistent(p5);
    s.qdd.clear(), e.qdd.clear();
    const auto p3 = cubic(s, e, T);
    expect_end(p3, 0, s), expect_end(p3, T, e);
    expect_derivatives_consistent(p3);
  }
}

TEST(Polynomials, outside_their_time_hold_the_ends_at_rest) {
  const auto p = cubic({.q = {1}, .qd = {2}}, {.q = {3}, .qd = {-1}}, 2);
  for (const double t : {-1.0, -1e-9, 2 + 1e-9, 5.0}) {
    const auto s = sampled(p, t);
    EXPECT_NEAR(s.q[0], t < 0 ? 1 : 3, 10 * eps);
    EXPECT_EQ(s.qd[0], 0);
    EXPECT_EQ(s.qdd[0], 0);
    EXPECT_EQ(s.jerk[0], 0);
  }
  EXPECT_NEAR(sampled(p, 2 * (1 + eps)).qd[0], -1, 100 * eps) << "past the end by rounding";
  EXPECT_TRUE(std::isnan(sampled(p, std::nan("")).q[0]));
}

TEST(Polynomials, duals_in_the_ends_give_derivatives_with_respect_to_them) {
  using D = Dual<double, 2>;
  const D goal = D::variable(1.0, 0), T = D::variable(2.0, 1);
  const auto p = quintic<D>({.q = {D(0.0)}}, {.q = {goal}}, T);
  D q[1];
  p.sample(0.5, q);
  // q = goal (10 x^3 - 15 x^4 + 6 x^5), x = t / T.
  const double x = 0.25, law = x * x * x * (10 - x * (15 - 6 * x));
  EXPECT_NEAR(q[0].value, law, 10 * eps);
  EXPECT_NEAR(q[0].d[0], law, 10 * eps);
  EXPECT_NEAR(q[0].d[1], 30 * x * x * (1 - x) * (1 - x) * (-x / 2), 10 * eps);
}

TEST(Polynomials, float_agrees_with_double) {
  const auto f = quintic<float>({.q = {0.5f}, .qd = {1.f}}, {.q = {2.f}}, 1.5f);
  const auto d = quintic({.q = {0.5}, .qd = {1}}, {.q = {2}}, 1.5);
  float q[1], qd[1];
  f.sample(0.7f, q, qd);
  const auto s = sampled(d, 0.7f);
  EXPECT_NEAR(q[0], s.q[0], 2e-6);
  EXPECT_NEAR(qd[0], s.qd[0], 1e-5);
}

TEST(Polynomials, sampling_does_not_allocate) {
  const auto p = quintic({.q = {0, 1, 2}}, {.q = {1, 2, 3}}, 1.5);
  std::vector<double> q(3), qd(3), qdd(3), jerk(3);
  const testing::AllocationCounter counter;
  for (int k = 0; k < 10; ++k) p.sample(0.2 * k, q, qd, qdd, jerk);
  EXPECT_EQ(counter.count(), 0u);
}

TEST(Polynomials, refuse_bad_ends_with_one_line) {
  const double nan = std::nan("");
  EXPECT_EQ(refusal([] { quintic({.q = {0}}, {.q = {1}}, -1); }),
            "quintic: duration is -1; it must be greater than zero");
  EXPECT_EQ(refusal([] { cubic({.q = {0}}, {.q = {1}}, 0); }),
            "cubic: duration is 0; it must be greater than zero");
  EXPECT_EQ(refusal([&] { quintic({.q = {0}}, {.q = {1}}, nan); }),
            "quintic: duration is not finite (nan)");
  EXPECT_EQ(refusal([&] {
              quintic({.q = {0, nan}}, {.q = {1, 2}}, 1);
            }),
            "quintic: start.q[1] is not finite (nan)");
  EXPECT_EQ(refusal([] {
              quintic({.q = {0, 1}}, {.q = {1}}, 1);
            }),
            "quintic: end.q has 1 numbers; 2 are needed");
  EXPECT_EQ(refusal([] {
              quintic({.q = {0}, .qd = {1, 2}}, {.q = {1}}, 1);
            }),
            "quintic: start.qd has 2 numbers; 1 are needed");
  EXPECT_EQ(refusal([] { cubic({.q = {0}}, {.q = {1}, .qdd = {1}}, 1); }),
            "cubic: end.qdd cannot be prescribed; take a polynomial of higher degree");
  EXPECT_EQ(refusal([] { septic({}, {}, 1); }), "septic: start.q is empty");
}

}  // namespace
}  // namespace torsor
