/// Input-output form by automatic differentiation: the general system of Huo 2005, sec. 3.7.
#include "torsor/linear/input_output_form.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "support/allocation_counter.hpp"
#include "torsor/control/joint/nonlinear_decoupling.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

/// x1' = x2, x2' = -sin x1 + x3^2 + (2 + cos x1) u1, x3' = x1 x3 + x2 u1 + u2; y = (x1, x3).
struct Textbook {
  static constexpr int n_x = 3, n_u = 2;
  template <class Real>
  void drift(const Real&, const Real* x, Real* A) const {
    using std::sin;
    A[0] = x[1], A[1] = x[2] * x[2] - sin(x[0]), A[2] = x[0] * x[2];
  }
  template <class Real>
  void inputs(const Real&, const Real* x, Real* B) const {
    using std::cos;
    B[0] = B[1] = B[3] = Real(0);
    B[2] = cos(x[0]) + 2, B[4] = x[1], B[5] = Real(1);
  }
  template <class Real>
  void outputs(const Real&, const Real* x, Real* c) const {
    c[0] = x[0], c[1] = x[2];
  }
};
using Point = std::array<double, 3>;

Point rate(const Point& x, const double* u) {
  Point A, d;
  double B[6];
  Textbook{}.drift(0.0, x.data(), A.data());
  Textbook{}.inputs(0.0, x.data(), B);
  for (std::size_t i = 0; i < 3; ++i) d[i] = A[i] + B[2 * i] * u[0] + B[2 * i + 1] * u[1];
  return d;
}
template <class Input>
Point step(const Point& x, double h, Input&& input) {
  const auto f = [&](const Point& y) {
    double u[2];
    input(y, u);
    return rate(y, u);
  };
  const auto plus = [](const Point& a, const Point& b, double s) {
    return Point{a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
  };
  const Point a = f(x), b = f(plus(x, a, h / 2)), c = f(plus(x, b, h / 2)), d = f(plus(x, c, h));
  Point y = x;
  for (std::size_t i = 0; i < 3; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  return y;
}

/// Poles -2, -3 of y1 and -4 of y2.
void decoupled_input(const Point& x, const double* v, double* u) {
  static const std::vector<double> a0 = pole_coefficients({-2, -3}), a1 = pole_coefficients({-4});
  const double K[2] = {6, 4};
  const auto form = input_output_form(Textbook{}, 0, x.data());
  ASSERT_TRUE(decoupling_input(form, {a0.data(), a1.data()}, K, v, u));
}

TEST(InputOutputForm, G_3_7a_degrees_and_responses_are_those_of_the_poles) {
  const Point start{1, 0, 0.5};
  const auto form = input_output_form(Textbook{}, 0, start.data());
  EXPECT_EQ(form.degree[0], 2);
  EXPECT_EQ(form.degree[1], 1);
  EXPECT_EQ(form.sum_of_degrees(), 3);  // no zero dynamics
  Point x = start;
  const double v[2] = {0, 0};
  for (int k = 1; k <= 2000; ++k) {
    x = step(x, 1e-3, [&](const Point& y, double* u) { decoupled_input(y, v, u); });
    if (k % 250 != 0) continue;
    const double t = 1e-3 * k;
    EXPECT_NEAR(x[0], 3 * std::exp(-2 * t) - 2 * std::exp(-3 * t), 1e-9);
    EXPECT_NEAR(x[2], 0.5 * std::exp(-4 * t), 1e-9);
  }
}

TEST(InputOutputForm, G_3_7a_a_step_on_one_input_moves_its_output_alone_to_that_value) {
  for (int j = 0; j < 2; ++j) {
    Point x{0, 0, 0};
    const double v[2] = {j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0};
    double cross = 0;
    for (int k = 0; k < 12000; ++k) {
      x = step(x, 1e-3, [&](const Point& y, double* u) { decoupled_input(y, v, u); });
      cross = std::fmax(cross, std::abs(j == 0 ? x[2] : x[0]));
    }
    EXPECT_NEAR(j == 0 ? x[0] : x[2], 1, 1e-9);  // K = diag(6, 4): unit gain
    EXPECT_LT(cross, 1e-13);
  }
}

TEST(InputOutputForm, X_3_9_and_X_3_10_derivatives_of_outputs_are_those_of_the_motion) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 20; ++trial) {
    const Point x{uniform(random), uniform(random), uniform(random)};
    const double u[2] = {uniform(random), uniform(random)}, h = 1e-3;
    const auto form = input_output_form(Textbook{}, 0, x.data());
    const auto hold_u = [&](const Point&, double* out) { out[0] = u[0], out[1] = u[1]; };
    Point at[5];
    for (int k = 0; k < 5; ++k) at[k] = step(x, (k - 2) * h, hold_u);
    const double first = (at[0][0] - 8 * at[1][0] + 8 * at[3][0] - at[4][0]) / (12 * h);
    const double second =
        (-at[0][0] + 16 * at[1][0] - 30 * at[2][0] + 16 * at[3][0] - at[4][0]) / (12 * h * h);
    const double other = (at[0][2] - 8 * at[1][2] + 8 * at[3][2] - at[4][2]) / (12 * h);
    EXPECT_EQ(form.N[0][0], x[0]);
    EXPECT_NEAR(form.N[0][1], first, 1e-9);
    EXPECT_NEAR(form.N[0][2] + form.D[0][0] * u[0] + form.D[0][1] * u[1], second, 1e-7);
    EXPECT_NEAR(form.N[1][1] + form.D[1][0] * u[0] + form.D[1][1] * u[1], other, 1e-9);
  }
}

/// y = x1 + t^2 of a chain x1' = x2, x2' = x3, x3' = -x1 + sin(t) + u, and a second input that
/// reaches its output directly.
struct Chain {
  static constexpr int n_x = 3, n_u = 2;
  template <class Real>
  void drift(const Real& t, const Real* x, Real* A) const {
    using std::sin;
    A[0] = x[1], A[1] = x[2], A[2] = sin(t) - x[0];
  }
  template <class Real>
  void inputs(const Real&, const Real*, Real* B) const {
    for (int k = 0; k < 6; ++k) B[k] = Real(0);
    B[4] = Real(1);
  }
  template <class Real>
  void outputs(const Real& t, const Real* x, Real* c) const {
    c[0] = x[0] + t * t, c[1] = x[1] * x[2];
  }
  void feedthrough(double, const double*, double* D) const { D[0] = D[1] = D[2] = 0, D[3] = 2; }
};

/// No input reaches the second output.
struct Blind : Textbook {
  template <class Real>
  void outputs(const Real& t, const Real* x, Real* c) const {
    (void)x;
    c[0] = x[0], c[1] = t;
  }
};

TEST(InputOutputForm, time_feedthrough_and_missing_degrees_are_seen) {
  const double x[3] = {0.3, -0.4, 0.7}, t = 0.6;
  const auto form = input_output_form(Chain{}, t, x);
  EXPECT_EQ(form.degree[0], 3);
  EXPECT_EQ(form.degree[1], 0);
  EXPECT_DOUBLE_EQ(form.N[0][1], -0.4 + 2 * t);
  EXPECT_DOUBLE_EQ(form.N[0][2], 0.7 + 2);
  EXPECT_DOUBLE_EQ(form.N[0][3], std::sin(t) - 0.3);
  EXPECT_DOUBLE_EQ(form.N[1][0], -0.28);
  EXPECT_EQ(form.D[0][0], 1);
  EXPECT_EQ(form.D[1][1], 2);
  const auto blind = input_output_form(Blind{}, t, x);
  EXPECT_EQ(blind.degree[1], -1);
  double u[2];
  const double zero[3] = {};
  EXPECT_FALSE(decoupling_input(blind, {zero, zero}, zero, zero, u));
}

/// The arm R2 with its tip as the output: x = (q, qd), closed form of Huo 2005, sec. 3.
struct Tip {
  static constexpr int n_x = 4, n_u = 2;
  template <class Real>
  void solve(const Real* x, Real b0, Real b1, Real* qdd) const {
    using std::cos;
    const Real c2 = cos(x[1]), h11 = c2 + 5.0 / 3, h12 = c2 * 0.5 + 1.0 / 3, h22(1.0 / 3);
    const Real det = h11 * h22 - h12 * h12;
    qdd[0] = (h22 * b0 - h12 * b1) / det, qdd[1] = (h11 * b1 - h12 * b0) / det;
  }
  template <class Real>
  void drift(const Real&, const Real* x, Real* A) const {
    using std::cos;
    using std::sin;
    const Real s2 = sin(x[1]) * 0.5, g12 = cos(x[0] + x[1]) * (9.81 * 0.5);
    A[0] = x[2], A[1] = x[3];
    solve<Real>(x, s2 * x[3] * (x[2] * 2.0 + x[3]) - cos(x[0]) * (9.81 * 1.5) - g12,
                -(s2 * x[2] * x[2]) - g12, A + 2);
  }
  template <class Real>
  void inputs(const Real&, const Real* x, Real* B) const {
    for (int k = 0; k < 4; ++k) B[k] = Real(0);
    Real column[2];
    for (int j = 0; j < 2; ++j) {
      solve<Real>(x, Real(j == 0 ? 1 : 0), Real(j == 1 ? 1 : 0), column);
      B[4 + j] = column[0], B[6 + j] = column[1];
    }
  }
  template <class Real>
  void outputs(const Real&, const Real* x, Real* c) const {
    using std::cos;
    using std::sin;
    c[0] = cos(x[0]) + cos(x[0] + x[1]), c[1] = sin(x[0]) + sin(x[0] + x[1]);
  }
};

TEST(InputOutputForm, S_3_7_tip_as_output_gives_resolved_acceleration) {
  const Model<double> arm = load_robot("planar2r");
  const double x[4] = {0.3, -0.7, 0.5, -1.2};
  const auto form = input_output_form(Tip{}, 0, x);
  EXPECT_EQ(form.degree[0], 2);
  EXPECT_EQ(form.degree[1], 2);
  // tau = D*^-1 (a - C*) must be the torque of qdd = J^-1 (a - J' qd)
  const double a[2] = {0.4, -1.3}, one[2] = {1, 1}, none[2] = {};
  double tau[2];
  ASSERT_TRUE(decoupling_input(form, {none, none}, one, a, tau));
  const double s1 = std::sin(0.3), c1 = std::cos(0.3), s = std::sin(-0.4), c = std::cos(-0.4);
  const double J[2][2] = {{-s1 - s, -s}, {c1 + c, c}}, w = 0.5 - 1.2;
  const double b[2] = {a[0] + c1 * 0.25 + c * w * w, a[1] + s1 * 0.25 + s * w * w};
  const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
  const std::vector<double> qdd{(J[1][1] * b[0] - J[0][1] * b[1]) / det,
                                (J[0][0] * b[1] - J[1][0] * b[0]) / det};
  std::vector<double> expected(2);
  RneaWorkspace<double> ws(arm);
  rigid_inverse_dynamics(arm, ws, View<const double>(x, 2), View<const double>(x + 2, 2), qdd, {},
                         expected);
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(tau[k], expected[static_cast<std::size_t>(k)], 1e-12);
  // stretched out, D* = J H^-1 is singular
  const double stretched[4] = {0.3, 0, 0, 0};
  EXPECT_FALSE(decoupling_input(input_output_form(Tip{}, 0, stretched), {none, none}, one, a, tau));
}

TEST(InputOutputForm, calls_allocate_nothing) {
  const Point x{1, 0, 0.5};
  const testing::AllocationCounter counter;
  const auto form = input_output_form(Textbook{}, 0, x.data());
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_EQ(form.degree[0], 2);
}

}  // namespace
}  // namespace torsor
