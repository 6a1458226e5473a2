/// The tables of the pairs: order conditions, order of the step and of the dense output.
#include "torsor/sim/embedded_pair.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sim/free_motion.hpp"
#include "support/random_model.hpp"

namespace torsor {
namespace {

template <class Pair>
class PairTable : public ::testing::Test {};
using Pairs = ::testing::Types<DormandPrince5, DormandPrince8>;
struct PairNames {
  template <class Pair>
  static std::string GetName(int) {
    return Pair::order == 5 ? "order_5" : "order_8";
  }
};
TYPED_TEST_SUITE(PairTable, Pairs, PairNames);

TYPED_TEST(PairTable, rows_sum_to_their_nodes) {
  for (int s = 0; s < TypeParam::total_stages; ++s) {
    double sum = 0, size = 1;
    for (int r = 0; r < s; ++r) sum += TypeParam::a[s][r], size += std::abs(TypeParam::a[s][r]);
    EXPECT_NEAR(sum, TypeParam::c[s], 1e-15 * size) << s;
  }
}

TYPED_TEST(PairTable, weights_integrate_polynomials_below_the_order) {
  const double* b = TypeParam::a[TypeParam::stages];
  for (int power = 0; power <= TypeParam::order; ++power) {
    double sum = 0;
    for (int s = 0; s < TypeParam::stages; ++s) sum += b[s] * std::pow(TypeParam::c[s], power);
    if (power < TypeParam::order) {
      EXPECT_NEAR(sum, 1.0 / (power + 1), 1e-15 * 20) << power;
    } else {
      EXPECT_GT(std::abs(sum - 1.0 / (power + 1)), 1e-9);
    }
  }
}

TYPED_TEST(PairTable, error_weights_vanish_for_constants_and_dense_rows_at_both_ends) {
  for (int row = 0; row < TypeParam::error_rows; ++row) {
    double sum = 0;
    for (int s = 0; s < TypeParam::error_stages; ++s) sum += TypeParam::error[row][s];
    EXPECT_NEAR(sum, 0, 1e-15 * 5);
  }
  for (int row = 0; row < TypeParam::dense_rows; ++row) {
    double sum = 0, size = 0;
    for (int s = 0; s < TypeParam::total_stages; ++s) {
      sum += TypeParam::dense[row][s];
      size += std::abs(TypeParam::dense[row][s]);
    }
    EXPECT_NEAR(sum, 0, 1e-15 * size);
  }
}

/// q'' = -sin(q), a pendulum as a vector equation; and its exact motion by tiny steps of order 8.
void pendulum(double, View<const double> y, View<double> dy) {
  dy[0] = y[1], dy[1] = -std::sin(y[0]);
}
std::vector<double> pendulum_at(double t) {
  const FlatSpace space{2};
  PairWorkspace<DormandPrince8, double> ws(space);
  std::vector<double> y{1.2, 0.7};
  double now = 0;
  for (int k = 0; k < 64; ++k) {
    (void)internal::try_step(space, ws, pendulum, k * t / 64, t / 64, 1e-9, 1e-9, y);
    internal::accept_step(space, ws, pendulum, now, y);
  }
  return y;
}

/// Errors of one step of length h at its end and inside it.
template <class Pair>
std::pair<double, double> step_errors(double h) {
  const FlatSpace space{2};
  PairWorkspace<Pair, double> ws(space);
  std::vector<double> y{1.2, 0.7}, inside(2);
  double t = 0;
  (void)internal::try_step(space, ws, pendulum, 0.0, h, 1e-9, 1e-9, y);
  internal::accept_step(space, ws, pendulum, t, y);
  prepare_dense(space, ws, pendulum);
  double dense = 0;
  for (const double u : {0.15, 0.4, 0.65, 0.9}) {
    dense_state(space, ws, u, inside);
    dense = std::max(dense, testing::largest_difference(inside, pendulum_at(u * h)));
  }
  return {testing::largest_difference(y, pendulum_at(h)), dense};
}

TYPED_TEST(PairTable, step_halving_shows_the_order_of_the_step_and_of_the_dense_output) {
  // One step of order p is wrong by h^(p+1). Dense output has order 7, or 4.
  constexpr bool fine = TypeParam::order == 8;
  const double h = fine ? 1.6 : 0.4, h_dense = fine ? 0.8 : 0.4;
  EXPECT_NEAR(std::log2(step_errors<TypeParam>(h).first / step_errors<TypeParam>(h / 2).first),
              TypeParam::order + 1, 0.8);
  EXPECT_NEAR(std::log2(step_errors<TypeParam>(h_dense).second /
                        step_errors<TypeParam>(h_dense / 2).second),
              fine ? 8 : 5, 0.5);
}

TYPED_TEST(PairTable, dense_output_meets_both_ends_with_their_rates) {
  const FlatSpace space{2};
  PairWorkspace<TypeParam, double> ws(space);
  const std::vector<double> start{1.2, 0.7};
  std::vector<double> y = start, a(2), b(2);
  double t = 0;
  (void)internal::try_step(space, ws, pendulum, 0.0, 0.3, 1e-9, 1e-9, y);
  internal::accept_step(space, ws, pendulum, t, y);
  prepare_dense(space, ws, pendulum);
  dense_state(space, ws, 0, a);
  EXPECT_LE(testing::largest_difference(a, start), 1e-15);
  dense_state(space, ws, 1, a);
  EXPECT_LE(testing::largest_difference(a, y), 1e-15);
  const double d = 1e-6;
  dense_state(space, ws, 1 - d, a);
  dense_state(space, ws, 1, b);
  EXPECT_NEAR((b[1] - a[1]) / (0.3 * d), -std::sin(y[0]), 1e-6);
}

TYPED_TEST(PairTable, step_halving_shows_the_order_with_every_joint_kind) {
  testing::RandomTree options;
  options.dissipation = false;
  options.base = false;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Model<double> model(testing::random_tree(seed, 4, options));
    const RobotSpace<double> space(model);
    PairWorkspace<TypeParam, double> ws(space);
    testing::FreeMotion<double> rates(model);
    const auto y0 =
        testing::state_of(testing::random_q(model, seed), testing::random_velocity(model, seed));
    const auto after = [&](double end, int steps) {
      std::vector<double> y = y0;
      double t = 0;
      ws.restart();
      for (int k = 0; k < steps; ++k) {
        (void)internal::try_step(space, ws, rates, k * end / steps, end / steps, 1e-9, 1e-9, y);
        internal::accept_step(space, ws, rates, t, y);
      }
      return y;
    };
    const double end = TypeParam::order == 8 ? 0.16 : 0.08;
    const int n = TypeParam::order == 8 ? 2 : 4;
    const auto exact = after(end, 32 * n);
    const double error = testing::largest_difference(after(end, n), exact);
    const double half = testing::largest_difference(after(end, 2 * n), exact);
    EXPECT_NEAR(std::log2(error / half), TypeParam::order, 1.2) << seed << " " << error;
  }
}

}  // namespace
}  // namespace torsor
