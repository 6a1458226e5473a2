// Parameters that torques are not linear in.
#include "torsor/identification/output_error.hpp"

#include <gtest/gtest.h>

#include <random>

#include "torsor/identification/row_factor.hpp"
#include "torsor/math/error.hpp"

namespace torsor::testing {
namespace {

struct Friction {
  Array<double> v{}, tau{};
  explicit Friction(double noise) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 400; ++k) {
      const double rate = 0.6 * std::sin(0.05 * k) * std::cos(0.013 * k);
      v.push_back(rate);
      tau.push_back(0.4 * rate +
                    (rate > 0 ? 1 : -1) * (0.8 + 0.5 * std::exp(-std::pow(rate / 0.07, 2))) +
                    noise * normal(random));
    }
  }
  /// What linear least squares in viscous, Coulomb and stiction leave for this Stribeck velocity.
  bool leave(double stribeck, Array<double>& r, Array<double>* x = nullptr) const {
    RowFactor factor(4);
    const auto row = [&](int k) {
      const double s = v[k] > 0 ? 1 : -1, e = std::exp(-std::pow(v[k] / stribeck, 2));
      return Array<double>{v[k], s * (1 - e), s * e, tau[k]};
    };
    for (int k = 0; k < v.size(); ++k) factor.add(row(k));
    const Matrix& R = factor.R();
    Array<double> b(3);
    for (int i = 2; i >= 0; --i) {
      b[i] = R(i, 3);
      for (int c = i + 1; c < 3; ++c) b[i] -= R(i, c) * b[c];
      b[i] /= R(i, i);
    }
    r.assign(v.size(), 0.0);
    for (int k = 0; k < v.size(); ++k) {
      const Array<double> w = row(k);
      r[k] = w[3] - w[0] * b[0] - w[1] * b[1] - w[2] * b[2];
    }
    if (x) *x = b;
    return true;
  }
};

OutputErrorProblem stribeck_problem(const Friction& friction) {
  OutputErrorProblem problem;
  problem.names = {"stribeck"};
  problem.start = {0.2};
  problem.low = {1e-3}, problem.high = {2.0};
  problem.residual = [&friction](In<double> p, Array<double>& r) {
    return friction.leave(p[0], r);
  };
  return problem;
}

TEST(OutputError, the_stribeck_velocity_is_found) {
  const Friction friction(0);
  const OutputErrorEstimate e = output_error(stribeck_problem(friction));
  EXPECT_TRUE(e.converged);
  EXPECT_NEAR(e.p[0], 0.07, 1e-7);
  Array<double> r, x;
  friction.leave(e.p[0], r, &x);
  EXPECT_NEAR(x[0], 0.4, 1e-6);
  EXPECT_NEAR(x[1], 0.8, 1e-6);
  EXPECT_NEAR(x[2], 1.3, 1e-6);
}

TEST(OutputError, its_deviation_is_that_of_the_noise) {
  const Friction friction(0.05);
  const OutputErrorEstimate e = output_error(stribeck_problem(friction));
  EXPECT_NEAR(e.p[0], 0.07, 4 * e.sigma[0]);
  EXPECT_LT(e.sigma[0], 0.02);
  EXPECT_GT(e.sigma[0], 1e-4);
}

TEST(OutputError, linear_residuals_give_least_squares_with_either_jacobian) {
  // r = A p - b; closed form by hand: points (0, 1), (1, 3), (2, 4): slope 1.5, offset 7/6.
  OutputErrorProblem problem;
  problem.names = {"slope", "offset"};
  problem.start = {0.0, 0.0};
  problem.residual = [](In<double> p, Array<double>& r) {
    r = {p[1] - 1, p[0] + p[1] - 3, 2 * p[0] + p[1] - 4};
    return true;
  };
  for (const bool exact : {false, true}) {
    if (exact)
      problem.jacobian = [](In<double>, Matrix& J) {
        J = Matrix(3, 2, {0, 1, 1, 1, 2, 1});
        return true;
      };
    const OutputErrorEstimate e = output_error(problem);
    EXPECT_TRUE(e.converged);
    EXPECT_NEAR(e.p[0], 1.5, 1e-7);
    EXPECT_NEAR(e.p[1], 7.0 / 6, 1e-7);
    EXPECT_NEAR(e.squared_residual, 1.0 / 6, 1e-10);
    EXPECT_NEAR(e.sigma[0], std::sqrt(1.0 / 6 / 2), 1e-6);  // s^2 / sum (t - mean)^2
  }
}

TEST(OutputError, bounds_hold_and_what_has_no_effect_is_said) {
  OutputErrorProblem problem;
  problem.names = {"bounded", "idle"};
  problem.start = {1.0, 5.0};
  problem.low = {0.5, 0.0}, problem.high = {2.0, 9.0};
  problem.residual = [](In<double> p, Array<double>& r) {
    r = {p[0] - 3, 0.1 * (p[0] - 3), 1.0};
    return true;
  };
  const OutputErrorEstimate e = output_error(problem);
  EXPECT_NEAR(e.p[0], 2, 1e-12);
  EXPECT_EQ(e.p[1], 5);
  EXPECT_TRUE(std::isinf(e.sigma[1]));
  ASSERT_EQ(e.notes.size(), 1u);
  EXPECT_EQ(e.notes[0], "the residual does not depend on idle");
  problem.start = {3.0, 5.0};
  EXPECT_THROW((void)output_error(problem), Error);
  problem.start = {1.0};
  EXPECT_THROW((void)output_error(problem), Error);
}

}  // namespace
}  // namespace torsor::testing
