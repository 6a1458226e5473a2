/// What laws that command a force ask of the surfaces of a run.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/certificate.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/control/task/hybrid_position_force.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/linear/eigenvalues.hpp"
#include "torsor/linear/matrix.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

/// The arm R2 with its tip on the wall x = 1.1, at (1.1, 0.3): elbow up.
class Wall : public ::testing::Test {
 protected:
  const Model<double> arm = load_robot("planar2r");

  static Array<double> start(double x = 1.1, double y = 0.3) {
    const double q2 = std::acos((x * x + y * y) / 2 - 1);
    return {std::atan2(y, x) - q2 / 2, q2};
  }
  HybridPositionForce law(double KF = 0) const {
    HybridGains gains{Gain({100.0}), Gain({20.0})};
    if (KF > 0) gains.KF = Gain({KF});
    return {arm,
            {.coordinates = {.frame = "tip", .axes = "xy"},
             .constraint = Constraint::plane({1.1, 0, 0}, {1, 0, 0}),
             .start = {0.3}},
            gains};
  }
  static RunSurface wall() {
    return {.name = "wall",
            .frame = "tip",
            .origin = {1.1, 0, 0},
            .normal = {-1, 0, 0},
            .stiffness = infinity};
  }
  torsor::Run run(RunSurface surface, double force = 5) const {
    torsor::Run r = testing::run_from(
        arm,
        [force](double, ReferencePoint& p) {
          p.x.assign({0.3});
          p.f_on_environment.assign({force});
        },
        start());
    r.surfaces = {std::move(surface)};
    return r;
  }
  /// 1 / (n^T J H^-1 J^T n) at the start, n along x, in closed form.
  double mass() const {
    const Array<double> q = start();
    const double c2 = std::cos(q[1]), s1 = std::sin(q[0]), s12 = std::sin(q[0] + q[1]);
    const double h11 = 5. / 3 + c2, h12 = 1. / 3 + c2 / 2, h22 = 1. / 3;
    const double J[2] = {-s1 - s12, -s12}, det = h11 * h22 - h12 * h12;
    return det / (J[0] * J[0] * h22 - 2 * J[0] * J[1] * h12 + J[1] * J[1] * h11);
  }
};

TEST_F(Wall, a_rigid_wall_that_is_pressed_is_what_the_proof_is_about) {
  HybridPositionForce hybrid = law();
  const std::vector<Condition> rows = certificate(hybrid, run(wall()));
  EXPECT_TRUE(all_satisfied(rows)) << testing::not_covered(rows).size();
  EXPECT_NEAR(testing::row(rows, "one-sided").value, 5, 1e-9);
}

TEST_F(Wall, no_wall_a_pull_another_wall_and_a_gap_are_told) {
  HybridPositionForce hybrid = law();
  auto none = run(wall());
  none.surfaces.clear();
  EXPECT_EQ(testing::row(certificate(hybrid, none), "a surface to press on").verdict,
            Verdict::not_covered);
  const Condition pull = testing::row(hybrid.conditions(run(wall(), -5)), "one-sided");
  EXPECT_EQ(pull.verdict, Verdict::violated);
  EXPECT_NEAR(pull.value, -5, 1e-9);
  RunSurface held = wall();
  held.bilateral = true;
  EXPECT_TRUE(all_satisfied(hybrid.conditions(run(held, -5))));
  RunSurface floor = wall();
  floor.origin = {0, 0.3, 0}, floor.normal = {0, 1, 0};
  EXPECT_EQ(testing::row(hybrid.conditions(run(floor)), "those of the constraint").verdict,
            Verdict::not_covered);
  auto gap = run(wall());
  gap.q0 = start(1.0);
  const Condition apart = testing::row(hybrid.conditions(gap), "starts in contact");
  EXPECT_EQ(apart.verdict, Verdict::not_covered);
  EXPECT_NEAR(apart.value, 0.1, 1e-9);
}

/// m s^3 + c s^2 + (k + KF c) s + KF k.
double slowest_pole(double m, double c, double k, double KF) {
  Matrix A(3, 3);
  A(0, 1) = A(1, 2) = 1;
  A(2, 0) = -KF * k / m, A(2, 1) = -(k + KF * c) / m, A(2, 2) = -c / m;
  Eigenvalues poles(3);
  EXPECT_TRUE(poles.compute(A));
  return std::max({poles.real(0), poles.real(1), poles.real(2)});
}

TEST_F(Wall, the_integral_of_the_force_on_a_soft_wall_has_the_signs_of_its_poles) {
  int stable = 0, unstable = 0;
  for (const double k : {200.0, 2000.0})
    for (const double c : {0.0, 5.0, 60.0})
      for (const double KF : {1.0, 10.0, 200.0}) {
        RunSurface soft = wall();
        soft.stiffness = k, soft.damping = c;
        HybridPositionForce hybrid = law(KF);
        const Condition row = testing::row(hybrid.conditions(run(soft)), "Routh");
        EXPECT_NEAR(row.value, c * (k + KF * c) - mass() * KF * k, 1e-6 * k * KF);
        const double pole = slowest_pole(mass(), c, k, KF);
        EXPECT_EQ(row.satisfied(), pole < 0) << k << " " << c << " " << KF << " " << pole;
        (pole < 0 ? stable : unstable) += 1;
        EXPECT_EQ(testing::row(certificate(hybrid, run(soft)), "rigid").verdict,
                  Verdict::not_covered);
      }
  EXPECT_GT(stable, 3);
  EXPECT_GT(unstable, 3);
}

/// f <- f + KF T (f_d - f of one period ago): z^2 - z + KF T = 0, on its circle at KF T = 1.
TEST_F(Wall, a_sampled_force_integral_ends_at_one_over_the_period) {
  for (const double KF : {900.0, 1100.0}) {
    HybridPositionForce hybrid = law(KF);
    RunSurface held = wall();
    held.bilateral = true;
    auto sampled = run(held);
    sampled.period = 1e-3;
    const Condition c = testing::row(hybrid.conditions(sampled), "sampled force integral");
    EXPECT_NEAR(c.bound, 1, 1e-12);
    EXPECT_EQ(c.satisfied(), KF < 1000);
  }
}

/// f <- f + KF T (f_d - f of N periods ago), N = 1 up to a delay of one period: on its circle at
/// KF T = 2 sin(pi / (4 N + 2)).
TEST_F(Wall, a_delay_of_up_to_one_period_does_not_move_the_border_of_the_force_integral) {
  const double T = 1e-3;
  for (const auto& [periods, N] : {std::pair(0.5, 1), {1.0, 1}, {1.5, 2}, {2.0, 2}, {2.5, 3}}) {
    torsor::Run r = run(wall());
    r.period = T;
    r.delay = periods * T;
    HybridPositionForce hybrid = law(900);
    const Condition row = testing::row(certificate(hybrid, r), "sampled force integral");
    // z^(N + 1) - z^N + x = 0 has |z| = 1 at the border: z = e^(i w), w = pi / (2 N + 1).
    const double w = std::numbers::pi / (2 * N + 1);
    EXPECT_NEAR(row.bound, std::hypot(std::cos(w) - 1, std::sin(w)), 1e-12) << periods;
  }
}

}  // namespace
}  // namespace torsor
