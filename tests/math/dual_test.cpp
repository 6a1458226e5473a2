/// Derivatives of dual numbers against closed forms, of first and second order.
#include "torsor/math/dual.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "torsor/math/pack.hpp"

namespace torsor {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
using Dual3 = Dual<double, 3>;
using Dual1 = Dual<double, 1>;
using Second = Dual<Dual1, 1>;

Second twice_variable(double x) { return Second::variable(Dual1::variable(x, 0), 0); }

// f, and its first and second derivative by hand.
struct Case {
  const char* name;
  Second (*f)(const Second&);
  double (*value)(double);
  double (*first)(double);
  double (*second)(double);
};
double sech2(double x) { return 1 / (std::cosh(x) * std::cosh(x)); }
double root(double x) { return std::sqrt(1 - x * x); }

// Every function of one variable, valid for 0 < x < 1.
const Case cases[] = {
    {"sin", [](const Second& x) { return sin(x); }, [](double x) { return std::sin(x); },
     [](double x) { return std::cos(x); }, [](double x) { return -std::sin(x); }},
    {"cos", [](const Second& x) { return cos(x); }, [](double x) { return std::cos(x); },
     [](double x) { return -std::sin(x); }, [](double x) { return -std::cos(x); }},
    {"tan", [](const Second& x) { return tan(x); }, [](double x) { return std::tan(x); },
     [](double x) { return 1 / (std::cos(x) * std::cos(x)); },
     [](double x) { return 2 * std::tan(x) / (std::cos(x) * std::cos(x)); }},
    {"sqrt", [](const Second& x) { return sqrt(x); }, [](double x) { return std::sqrt(x); },
     [](double x) { return 0.5 / std::sqrt(x); },
     [](double x) { return -0.25 / (x * std::sqrt(x)); }},
    {"exp", [](const Second& x) { return exp(x); }, [](double x) { return std::exp(x); },
     [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }},
    {"log", [](const Second& x) { return log(x); }, [](double x) { return std::log(x); },
     [](double x) { return 1 / x; }, [](double x) { return -1 / (x * x); }},
    {"tanh", [](const Second& x) { return tanh(x); }, [](double x) { return std::tanh(x); },
     [](double x) { return sech2(x); }, [](double x) { return -2 * std::tanh(x) * sech2(x); }},
    {"asin", [](const Second& x) { return asin(x); }, [](double x) { return std::asin(x); },
     [](double x) { return 1 / root(x); }, [](double x) { return x / std::pow(root(x), 3); }},
    {"acos", [](const Second& x) { return acos(x); }, [](double x) { return std::acos(x); },
     [](double x) { return -1 / root(x); }, [](double x) { return -x / std::pow(root(x), 3); }},
    {"atan", [](const Second& x) { return atan2(x, Second(1)); },
     [](double x) { return std::atan(x); }, [](double x) { return 1 / (1 + x * x); },
     [](double x) { return -2 * x / ((1 + x * x) * (1 + x * x)); }},
    {"abs of -x", [](const Second& x) { return abs(-x); }, [](double x) { return x; },
     [](double) { return 1.0; }, [](double) { return 0.0; }},
    {"copysign to minus", [](const Second& x) { return copysign(x * x, Second(-0.0)); },
     [](double x) { return -x * x; }, [](double x) { return -2 * x; }, [](double) { return -2.0; }},
    {"min", [](const Second& x) { return min(x * x, x); }, [](double x) { return x * x; },
     [](double x) { return 2 * x; }, [](double) { return 2.0; }},
    {"max", [](const Second& x) { return max(x * x, x); }, [](double x) { return x; },
     [](double) { return 1.0; }, [](double) { return 0.0; }},
    {"rational", [](const Second& x) { return (3 - 2 * x) / (1 + x * x) - 4 / x + x / 5.0 - 1; },
     [](double x) { return (3 - 2 * x) / (1 + x * x) - 4 / x + x / 5 - 1; },
     [](double x) {
       const double n = 1 + x * x;
       return (-2 * n - (3 - 2 * x) * 2 * x) / (n * n) + 4 / (x * x) + 0.2;
     },
     [](double x) {
       const double n = 1 + x * x;
       return (-4 * x * x * x + 18 * x * x + 12 * x - 6) / (n * n * n) - 8 / (x * x * x);
     }},
};

TEST(Dual, functions_and_their_first_and_second_derivatives_equal_the_closed_forms) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number(0.2, 0.9);
  for (const Case& law : cases) {
    for (int i = 0; i < 200; ++i) {
      const double x = number(random);
      const Second y = law.f(twice_variable(x));
      const auto expect_close = [&](double ours, double truth) {
        EXPECT_NEAR(ours, truth, 64 * epsilon * (1 + std::abs(truth))) << law.name << " at " << x;
      };
      expect_close(y.value.value, law.value(x));
      expect_close(y.value.d[0], law.first(x));
      expect_close(y.d[0].value, law.first(x));
      expect_close(y.d[0].d[0], law.second(x));
    }
  }
}

TEST(Dual, abs_and_copysign_follow_the_branch_their_argument_is_on) {
  const Dual1 minus = Dual1::variable(-2, 0), plus = Dual1::variable(2, 0);
  EXPECT_EQ(abs(minus).d[0], -1);
  EXPECT_EQ(abs(plus).d[0], 1);
  EXPECT_EQ(copysign(minus, Dual1(1)).d[0], -1);
  EXPECT_EQ(copysign(minus, Dual1(-1)).d[0], 1);
  EXPECT_EQ(copysign(plus, Dual1(-1)).value, -2);
}

TEST(Dual, gradients_of_several_variables_equal_the_closed_form) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> number(0.5, 2);
  for (int i = 0; i < 200; ++i) {
    const double x = number(random), y = number(random), z = number(random);
    const Dual3 X = Dual3::variable(x, 0), Y = Dual3::variable(y, 1), Z = Dual3::variable(z, 2);
    const Dual3 f = X * Y / Z - Y * Z + Z;
    EXPECT_NEAR(f.d[0], y / z, 16 * epsilon);
    EXPECT_NEAR(f.d[1], x / z - z, 32 * epsilon);
    EXPECT_NEAR(f.d[2], -x * y / (z * z) - y + 1, 64 * epsilon);
    const Dual3 angle = atan2(Y, X);
    EXPECT_NEAR(angle.d[0], -y / (x * x + y * y), 8 * epsilon);
    EXPECT_NEAR(angle.d[1], x / (x * x + y * y), 8 * epsilon);
    EXPECT_EQ(angle.d[2], 0);
  }
}

TEST(Dual, mixed_second_derivatives_are_symmetric_and_equal_the_closed_form) {
  using Dual2 = Dual<double, 2>;
  using Hessian = Dual<Dual2, 2>;
  const double x = 0.7, y = 1.3;
  const Hessian X = Hessian::variable(Dual2::variable(x, 0), 0);
  const Hessian Y = Hessian::variable(Dual2::variable(y, 1), 1);
  const Hessian f = sin(X * Y) + exp(X) / Y;
  const double s = std::sin(x * y), c = std::cos(x * y), e = std::exp(x);
  EXPECT_NEAR(f.d[0].d[0], -y * y * s + e / y, 16 * epsilon);
  EXPECT_NEAR(f.d[0].d[1], c - x * y * s - e / (y * y), 16 * epsilon);
  EXPECT_NEAR(f.d[1].d[0], f.d[0].d[1], 16 * epsilon);
  EXPECT_NEAR(f.d[1].d[1], -x * x * s + 2 * e / (y * y * y), 16 * epsilon);
}

TEST(Dual, arithmetic_with_constants_equals_arithmetic_with_duals_without_derivatives) {
  const Dual3 x = Dual3::variable(1.5, 1);
  const auto expect_same = [](const Dual3& a, const Dual3& b) {
    EXPECT_EQ(a.value, b.value);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(a.d[k], b.d[k], 2 * epsilon);
  };
  const double c = 0.3;
  expect_same(x + c, x + Dual3(c));
  expect_same(c + x, Dual3(c) + x);
  expect_same(x - c, x - Dual3(c));
  expect_same(c - x, Dual3(c) - x);
  expect_same(x * c, x * Dual3(c));
  expect_same(c * x, Dual3(c) * x);
  expect_same(x / c, x / Dual3(c));
  expect_same(c / x, Dual3(c) / x);
  Dual3 y = x;
  y += c;
  y -= x;
  y *= x;
  y /= c;
  expect_same(y, ((x + c) - x) * x / c);
  y = x;
  y *= y;  // the operand is the result
  expect_same(y, x * x);
}

TEST(Dual, comparisons_look_at_values_and_select_takes_derivatives_along) {
  const Dual3 x = Dual3::variable(1, 0), y = Dual3::variable(1, 1);
  EXPECT_TRUE(x == y && x <= y && x >= y && !(x < y) && !(x > y) && !(x != y));
  EXPECT_TRUE(x > 0 && 0.5 < x);
  EXPECT_EQ(select(x < 2, x, y).d[0], 1);
  EXPECT_EQ(select(x < 1, x, y).d[0], 0);
  EXPECT_EQ(select(x < 1, x, y).d[1], 1);
}

TEST(Dual, is_finite_only_with_finite_derivatives) {
  Dual3 x(1);
  EXPECT_TRUE(is_finite(x));
  x.d[2] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(is_finite(x));
  EXPECT_FALSE(is_finite(sqrt(Dual3::variable(0, 0))));
}

template <class Real>
void expect_atan2_slopes(double scale) {
  const auto y = Dual<Real, 1>::variable(static_cast<Real>(3 * scale), 0);
  const auto x = Dual<Real, 1>::variable(static_cast<Real>(4 * scale), 0);
  const auto at = [](const Dual<Real, 1>& a) { return Dual<Real, 1>(a.value); };
  const double tolerance = 4 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  EXPECT_NEAR(scale * static_cast<double>(atan2(y, at(x)).d[0]), 0.16, tolerance) << scale;
  EXPECT_NEAR(scale * static_cast<double>(atan2(at(y), x).d[0]), -0.12, tolerance) << scale;
}
TEST(Dual, slopes_of_atan2_hold_where_squares_leave_the_range) {
  for (double scale : {1e-300, 1e-160, 1.0, 1e160, 1e300}) expect_atan2_slopes<double>(scale);
  for (double scale : {1e-30, 1e-20, 1.0, 1e20, 1e30}) expect_atan2_slopes<float>(scale);
}

TEST(Dual, over_packs_differentiates_each_lane) {
  using Lanes = Pack<double, 4>;
  using Wide = Dual<Lanes, 2>;
  Lanes x;
  for (int k = 0; k < 4; ++k) x.set(k, 0.3 * k - 0.5);
  const Wide X = Wide::variable(x, 0), Y = Wide::variable(x * 2 + 3, 1);
  const Wide f = select(X < 0, sin(X) * Y, atan2(X, Y) / 2 + max(X, Wide(0.2)) * x);
  for (int k = 0; k < 4; ++k) {
    using Narrow = Dual<double, 2>;
    const Narrow a = Narrow::variable(x[k], 0), b = Narrow::variable(x[k] * 2 + 3, 1);
    const Narrow g = select(a < 0, sin(a) * b, atan2(a, b) / 2 + max(a, Narrow(0.2)) * x[k]);
    EXPECT_NEAR(f.value[k], g.value, 4 * epsilon);
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(f.d[i][k], g.d[i], 4 * epsilon);
  }
}

}  // namespace
}  // namespace torsor
