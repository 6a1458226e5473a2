#include "torsor/trajectory/limits.hpp"

#include <random>

#include "torsor/trajectory/time_scaling.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::refusal;
using testing::sampled;

Limits limits(double velocity, double acceleration = infinity, double jerk = infinity) {
  Limits l;
  l.velocity = velocity, l.acceleration = acceleration, l.jerk = jerk;
  return l;
}

TEST(Attained, peaks_of_point_to_point_polynomials_are_the_closed_forms) {
  const double D = 0.8, T = 1.6;
  const Limits c = attained(cubic({.q = {1}}, {.q = {1 + D}}, T))[0];
  EXPECT_NEAR(c.velocity, 1.5 * D / T, 1e-14);
  EXPECT_NEAR(c.acceleration, 6 * D / (T * T), 1e-14);
  EXPECT_NEAR(c.jerk, 12 * D / (T * T * T), 1e-14);
  const Limits q = attained(quintic({.q = {1}}, {.q = {1 - D}}, T))[0];
  EXPECT_NEAR(q.velocity, 1.875 * D / T, 1e-14);
  EXPECT_NEAR(q.acceleration, 10 / std::sqrt(3.0) * D / (T * T), 1e-13);
  EXPECT_NEAR(q.jerk, 60 * D / (T * T * T), 1e-13);
  EXPECT_NEAR(q.lower, 1 - D, 1e-14);
  EXPECT_NEAR(q.upper, 1, 1e-15);
  const Limits s = attained(septic({.q = {0}}, {.q = {D}}, T))[0];
  EXPECT_NEAR(s.velocity, 35.0 / 16 * D / T, 1e-13);
  EXPECT_NEAR(s.acceleration, 84 * std::sqrt(5.0) / 25 * D / (T * T), 1e-13);
  EXPECT_NEAR(s.jerk, 52.5 * D / (T * T * T), 1e-12);
}

TEST(Attained, agrees_with_dense_samples_on_random_polynomials) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> u(-1, 1);
  const auto draw = [&] { return std::vector<double>{u(engine), u(engine)}; };
  for (int k = 0; k < 50; ++k) {
    const auto p = septic({draw(), draw(), draw(), draw()}, {draw(), draw(), draw(), draw()},
                          1 + std::abs(u(engine)));
    const auto exact = attained(p), dense = internal::attained_by_samples(p, 4000);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto expect = [](double peak, double seen, double scale) {
        EXPECT_GE(peak, seen - 1e-12 * scale);
        EXPECT_LE(peak, seen + 1e-5 * scale) << "the peak is attained";
      };
      expect(exact[i].upper, dense[i].upper, 1);
      expect(-exact[i].lower, -dense[i].lower, 1);
      expect(exact[i].velocity, dense[i].velocity, 1 + exact[i].velocity);
      expect(exact[i].acceleration, dense[i].acceleration, 10 * (1 + exact[i].acceleration));
    }
  }
}

TEST(Attained, jumps_at_inner_knots_are_infinite_one_derivative_higher) {
  const PiecewisePolynomial<double> corner(1, 1, {0, 1, 2}, {0, 1, 1, -1});
  EXPECT_EQ(attained(corner)[0].acceleration, infinity);
  const PiecewisePolynomial<double> kink(1, 2, {0, 1, 2}, {0, 0, 0.5, 0.5, 1, -0.5});
  EXPECT_EQ(attained(kink)[0].acceleration, 1);
  EXPECT_EQ(attained(kink)[0].jerk, infinity);
  const std::vector<Limits> l{limits(1, 1, 5)};
  EXPECT_EQ(refusal([&] { minimum_duration(kink, l); }),
            "minimum_duration: coordinate 0: the acceleration jumps; the jerk limit 5 cannot be "
            "kept at any speed");
}

TEST(MinimumDuration, is_the_closed_form_of_each_profile_and_limit) {
  const std::vector<double> q0{1, 0}, q1{1.5, 2};
  const auto T = [&](Profile p, const Limits& l) {
    return minimum_duration(p, q0, q1, std::vector<Limits>{l, l});
  };
  EXPECT_NEAR(T(Profile::cubic, limits(0.5)), 1.5 * 2 / 0.5, 1e-13);
  EXPECT_NEAR(T(Profile::cubic, limits(10, 3)), std::sqrt(6 * 2 / 3.0), 1e-13);
  EXPECT_NEAR(T(Profile::quintic, limits(0.5)), 1.875 * 2 / 0.5, 1e-13);
  EXPECT_NEAR(T(Profile::quintic, limits(10, 3)), std::sqrt(10 / std::sqrt(3.0) * 2 / 3), 1e-13);
  EXPECT_NEAR(T(Profile::quintic, limits(10, 300, 6)), std::cbrt(60 * 2 / 6.0), 1e-13);
  EXPECT_NEAR(T(Profile::trapezoid, limits(0.5, 1)), 2 / 0.5 + 0.5, 1e-13);
  EXPECT_NEAR(T(Profile::double_s, limits(0.5, 1, 4)), 2 / 0.5 + 0.5 + 0.25, 1e-13);
  EXPECT_EQ(minimum_duration(Profile::quintic, q0, q0, std::vector<Limits>(2)), 0);
}

TEST(MinimumDuration, the_retimed_trajectory_keeps_every_limit_and_touches_one) {
  const auto p = septic({.q = {0, 1}, .qd = {1, 0}}, {.q = {2, -1}, .qdd = {1, 1}}, 1.3);
  const std::vector<Limits> l{limits(1, 2, 30), limits(2, 1, 50)};
  const auto r = retimed(p, l);
  EXPECT_NEAR(r.duration(), minimum_duration(p, l), 1e-15);
  const auto reached = attained(r);
  double used = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LE(reached[i].velocity, l[i].velocity * (1 + 1e-13));
    EXPECT_LE(reached[i].acceleration, l[i].acceleration * (1 + 1e-13));
    EXPECT_LE(reached[i].jerk, l[i].jerk * (1 + 1e-13));
    used = std::max({used, reached[i].velocity / l[i].velocity,
                     reached[i].acceleration / l[i].acceleration, reached[i].jerk / l[i].jerk});
  }
  EXPECT_NEAR(used, 1, 1e-13);
  for (int k = 0; k <= 10; ++k)
    EXPECT_NEAR(sampled(r, r.duration() * k / 10).q[1], sampled(p, 1.3 * k / 10).q[1], 1e-13)
        << "the path is the same";
}

TEST(Stretched, takes_exactly_the_duration_asked_for) {
  const auto p = quintic({.q = {0}}, {.q = {2}}, 0.7);
  for (int k = 1; k < 200; ++k) EXPECT_EQ(stretched(p, 0.1 * k).duration(), 0.1 * k);
}

TEST(UnitLaw, goes_from_0_to_1_at_rest_in_the_given_time) {
  for (const Profile profile :
       {Profile::cubic, Profile::quintic, Profile::septic, Profile::trapezoid, Profile::double_s}) {
    const auto s = unit_law(profile, 2.5);
    EXPECT_EQ(s.duration(), 2.5);
    EXPECT_NEAR(sampled(s, 0).q[0], 0, 1e-15);
    EXPECT_NEAR(sampled(s, 1.25).q[0], 0.5, 1e-14) << "symmetric";
    EXPECT_NEAR(sampled(s, 2.5).q[0], 1, 1e-14);
    EXPECT_NEAR(sampled(s, 2.5).qd[0], 0, 1e-13);
    internal::check_law(s, 1);
  }
}

TEST(MinimumDuration, refuses_limits_that_no_speed_can_keep_with_one_line) {
  const auto p = quintic({.q = {0}}, {.q = {2}}, 1);
  Limits narrow = limits(1);
  narrow.upper = 1.5;
  EXPECT_EQ(refusal([&] { minimum_duration(p, std::vector<Limits>{narrow}); }),
            "minimum_duration: coordinate 0 reaches from 0 to 2, outside its limits -inf to 1.5");
  EXPECT_EQ(refusal([&] { minimum_duration(p, std::vector<Limits>(1)); }),
            "minimum_duration: nothing that moves has a finite limit");
  EXPECT_EQ(refusal([&] { minimum_duration(p, std::vector<Limits>(2)); }),
            "minimum_duration: limits has 2 numbers; 1 are needed");
  EXPECT_EQ(refusal([&] { minimum_duration(p, std::vector<Limits>{limits(-1)}); }),
            "minimum_duration: limits[0].velocity is -1; it must be greater than zero");
  narrow = limits(1);
  narrow.lower = 2, narrow.upper = 1;
  EXPECT_EQ(refusal([&] { minimum_duration(p, std::vector<Limits>{narrow}); }),
            "minimum_duration: limits[0] is empty: lower 2, upper 1");
  EXPECT_EQ(refusal([&] { stretched(p, -2); }),
            "stretched: duration is -2; it must be greater than zero");
}

}  // namespace
}  // namespace torsor
