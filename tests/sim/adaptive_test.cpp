/// Step-size control: accuracy asked for is accuracy got, energies are kept, ends are reported.
#include "torsor/sim/adaptive.hpp"

#include <gtest/gtest.h>

#include "sim/free_motion.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_model.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

using testing::FreeMotion;
using testing::state_of;

template <class Pair>
class Adaptive : public ::testing::Test {};
using Pairs = ::testing::Types<DormandPrince5, DormandPrince8>;
struct PairNames {
  template <class Pair>
  static std::string GetName(int) {
    return Pair::order == 5 ? "order_5" : "order_8";
  }
};
TYPED_TEST_SUITE(Adaptive, Pairs, PairNames);

/// Kepler's ellipse of eccentricity 0.6, period 2 pi, starting at the near end.
void kepler(double, View<const double> y, View<double> dy) {
  const double r = std::hypot(y[0], y[1]), k = 1 / (r * r * r);
  dy[0] = y[2], dy[1] = y[3], dy[2] = -k * y[0], dy[3] = -k * y[1];
}

TYPED_TEST(Adaptive, an_ellipse_closes_within_a_multiple_of_the_tolerance) {
  const FlatSpace space{4};
  const std::vector<double> start{0.4, 0, 0, 2};
  double previous = 1;
  for (const double tolerance : {1e-5, 1e-8, 1e-11}) {
    PairWorkspace<TypeParam, double> ws(space);
    std::vector<double> y = start;
    double t = 0;
    ASSERT_TRUE(integrate_adaptive(space, ws, {.relative = tolerance, .absolute = tolerance},
                                   kepler, t, 2 * std::numbers::pi, y));
    EXPECT_EQ(t, 2 * std::numbers::pi);
    const double error = testing::largest_difference(y, start);
    EXPECT_LT(error, 1000 * tolerance);  // of some hundred steps, and a near end that amplifies
    EXPECT_LT(error, 0.05 * previous);
    previous = error;
  }
}

TYPED_TEST(Adaptive, dense_output_at_any_time_is_as_good_as_the_steps) {
  // q'' = -q: harmonic
  const auto rates = [](double, View<const double> y, View<double> dy) {
    dy[0] = y[1], dy[1] = -y[0];
  };
  const FlatSpace space{2};
  PairWorkspace<TypeParam, double> ws(space);
  std::vector<double> y{0, 1}, inside(2);
  double t = 0, worst = 0, sample = 0;
  ASSERT_TRUE(
      integrate_adaptive(space, ws, {.relative = 1e-9, .absolute = 1e-9}, rates, t, 20.0, y, [&] {
        prepare_dense(space, ws, rates);
        for (; sample <= t; sample += 0.037) {
          dense_state(space, ws, (sample - ws.t0) / ws.h, inside);
          worst = std::max(worst, std::abs(inside[0] - std::sin(sample)));
        }
      }));
  EXPECT_GT(sample, 20.0);
  EXPECT_LT(worst, 3e-7);
}

TYPED_TEST(Adaptive, a_solution_that_ends_is_reported_where_it_ends) {
  // y' = y^2, y(0) = 1 ends at t = 1
  const auto rates = [](double, View<const double> y, View<double> dy) { dy[0] = y[0] * y[0]; };
  const FlatSpace space{1};
  PairWorkspace<TypeParam, double> ws(space);
  std::vector<double> y{1};
  double t = 0;
  const auto result = integrate_adaptive(space, ws, {}, rates, t, 2.0, y);
  EXPECT_FALSE(result);
  EXPECT_NEAR(result.t, 1, 1e-9);
  EXPECT_TRUE(std::isfinite(y[0]));
}

TYPED_TEST(Adaptive, rates_that_are_no_numbers_stop_the_run_before_them) {
  const auto rates = [](double t, View<const double>, View<double> dy) {
    dy[0] = t > 0.5 ? std::numeric_limits<double>::quiet_NaN() : 1;
  };
  const FlatSpace space{1};
  PairWorkspace<TypeParam, double> ws(space);
  std::vector<double> y{0};
  double t = 0;
  const auto result = integrate_adaptive(space, ws, {}, rates, t, 1.0, y);
  EXPECT_EQ(result.end, StepEnd::not_finite);
  EXPECT_NEAR(t, 0.5, 1e-6);
  EXPECT_NEAR(y[0], t, 1e-12);
}

/// y' jumps from 0 to 1: steps that meet it are as short as the tolerance says, which the time there
/// resolves however far away the end is.
TYPED_TEST(Adaptive, a_jump_is_passed_whatever_the_end_is) {
  const auto rates = [](double t, View<const double> y, View<double> dy) {
    dy[0] = t > 0.1 ? 1 - y[0] : 0;
  };
  const FlatSpace space{1};
  for (const double end : {1.0, 1e3, 1e6}) {
    PairWorkspace<TypeParam, double> ws(space);
    std::vector<double> y{0};
    double t = 0;
    ASSERT_TRUE(integrate_adaptive(space, ws, {.first_step = 0.03}, rates, t, end, y)) << end;
    EXPECT_NEAR(y[0], 1 - std::exp(0.1 - end), 1e-8) << end;
  }
}

TYPED_TEST(Adaptive, short_limits_do_not_shorten_later_steps) {
  const auto rates = [](double, View<const double> y, View<double> dy) { dy[0] = -y[0]; };
  const FlatSpace space{1};
  PairWorkspace<TypeParam, double> ws(space);
  std::vector<double> y{1};
  double t = 0;
  const StepControl control{.relative = 1e-6, .absolute = 1e-6};
  for (int k = 1; k <= 100; ++k)
    ASSERT_TRUE(integrate_adaptive(space, ws, control, rates, t, k * 1e-3, y));
  EXPECT_EQ(ws.accepted, 100);
  ASSERT_TRUE(integrate_adaptive(space, ws, control, rates, t, 1.0, y));
  EXPECT_LE(ws.accepted, 120);
  EXPECT_NEAR(y[0], std::exp(-1.0), 1e-5);
}

TYPED_TEST(Adaptive, steps_and_dense_output_allocate_nothing) {
  const Model<double> model(testing::random_tree(4, 6));
  const RobotSpace<double> space(model);
  PairWorkspace<TypeParam, double> ws(space);
  FreeMotion<double> rates(model);
  std::vector<double> y = state_of(testing::random_q(model, 4), testing::random_velocity(model, 4));
  std::vector<double> inside(y.size());
  double t = 0;
  const testing::AllocationCounter counter;
  const auto result = internal::adaptive_step(space, ws, {}, rates, t, 1.0, y);
  prepare_dense(space, ws, rates);
  dense_state(space, ws, 0.5, inside);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(result);
}

/// Largest change of the total energy over 10 s, in units of the peak kinetic energy.
double energy_drift(const Model<double>& model, std::vector<double> y) {
  const RobotSpace<double> space(model);
  PairWorkspace<DormandPrince8, double> ws(space);
  FreeMotion<double> rates(model);
  MomentumWorkspace<double> momentum(model);
  const double start = testing::energy_of(model, momentum, y).total;
  double t = 0, worst = 0, peak = 0;
  const auto result =
      integrate_adaptive(space, ws, {.relative = 1e-12, .absolute = 1e-12}, rates, t, 10.0, y, [&] {
        const testing::Energy now = testing::energy_of(model, momentum, y);
        worst = std::max(worst, std::abs(now.total - start));
        peak = std::max(peak, now.kinetic);
      });
  EXPECT_TRUE(result) << t;
  EXPECT_TRUE(rates.regular);
  EXPECT_GT(peak, 1);
  internal::for_each_quaternion(model, [&](int at) {
    double norm = 0;
    for (int c = 0; c < 4; ++c) norm += std::pow(y[static_cast<std::size_t>(at + c)], 2);
    EXPECT_NEAR(norm, 1, 1e-12);
  });
  ::testing::Test::RecordProperty("drift", std::to_string(worst / peak));
  ::testing::Test::RecordProperty("evaluations", static_cast<int>(rates.evaluations));
  return worst / peak;
}

TEST(EnergyOverTenSeconds, is_kept_to_1e_9_of_the_peak_kinetic_energy_by_a_double_pendulum) {
  EXPECT_LT(energy_drift(load_robot("pointmass2r"), {0.3, 0.9, 0, 0}), 1e-9);
}
TEST(EnergyOverTenSeconds, is_kept_to_1e_9_of_the_peak_kinetic_energy_by_a_puma_560) {
  EXPECT_LT(
      energy_drift(load_robot("puma560"), {0.1, -0.4, 0.6, 0.3, 0.5, -0.2, 0.5, 0, 0, 0, 0, 0}),
      1e-9);
}
/// A free body with four others behind ball joints, spinning, without and with gravity.
TEST(EnergyOverTenSeconds, is_kept_to_1e_9_of_the_peak_kinetic_energy_by_a_floating_chain) {
  for (const double g : {0.0, -9.81}) {
    ModelBuilder builder("floating_chain");
    builder.gravity({0, 0, g});
    const Sym3<double> J{0.05, 0.004, 0.07, -0.002, 0.003, 0.04};
    builder.free("root", "world", "body_0");
    builder.inertia("body_0", 2, {0.05, -0.02, 0.03}, J);
    for (int k = 1; k <= 4; ++k) {
      const std::string before = "body_" + std::to_string(k - 1),
                        name = "body_" + std::to_string(k);
      builder.spherical("ball_" + std::to_string(k), before, name, {.p = {0.3, 0.02, 0}});
      builder.inertia(name, 1, {0.15, 0.01, -0.02}, J);
    }
    const Model<double> model = builder.build();
    std::vector<double> q(static_cast<std::size_t>(model.n_q()));
    neutral(model, q);
    EXPECT_LT(energy_drift(model, state_of(q, testing::random_velocity(model, 17, 3))), 1e-9) << g;
  }
}

}  // namespace
}  // namespace torsor
