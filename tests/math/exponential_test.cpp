/// Exponential and hyperbolic tangent against arithmetic of higher precision.
#include "torsor/math/internal/exponential.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "torsor/math/pack.hpp"

namespace torsor {
namespace {

long double wider(double x) { return x; }
double wider(float x) { return x; }

template <class Real>
struct Exponential : ::testing::Test {
  static constexpr Real infinity = std::numeric_limits<Real>::infinity();
  static constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  static constexpr Real largest = std::numeric_limits<Real>::max();

  template <class Truth>
  static void expect_within(Real ulps, Real value, Truth truth, const char* what, Real x) {
    const Real size = std::abs(static_cast<Real>(truth));
    if (std::isinf(size)) {
      ASSERT_EQ(value, static_cast<Real>(truth)) << what << " " << x;
      return;
    }
    const Real ulp = std::nextafter(size, infinity) - size;
    ASSERT_LE(std::abs(value - truth), ulps * ulp) << what << " " << x;
  }
  static void expect_close(Real x) {
    expect_within(2, exp(x), std::exp(wider(x)), "exp", x);
    expect_within(3, tanh(x), std::tanh(wider(x)), "tanh", x);
  }
};
using PlainNumbers = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Exponential, PlainNumbers);

TYPED_TEST(Exponential, errs_by_at_most_2_and_tanh_by_3_units_in_the_last_place) {
  std::mt19937_64 random(3);
  for (const double range : {800.0, 90.0, 20.0, 1.0, 0.35, 1e-3, 1e-8, 1e-30}) {
    std::uniform_real_distribution<double> draw(-range, range);
    for (int i = 0; i < 50000; ++i) this->expect_close(static_cast<TypeParam>(draw(random)));
  }
}

TYPED_TEST(Exponential, holds_beside_the_ends_of_every_reduced_range) {
  const double half = std::log(2.0) / 2;
  for (int k = -2100; k <= 2060; ++k) {
    TypeParam x = static_cast<TypeParam>(k * half);
    for (int i = 0; i < 2; ++i) x = std::nextafter(x, -this->infinity);
    for (int i = 0; i < 5; ++i, x = std::nextafter(x, this->infinity)) this->expect_close(x);
  }
}

TYPED_TEST(Exponential, has_the_limits_of_the_functions) {
  EXPECT_EQ(exp(TypeParam(0)), 1);
  EXPECT_EQ(exp(this->infinity), this->infinity);
  EXPECT_EQ(exp(this->largest), this->infinity);
  EXPECT_EQ(exp(-this->infinity), 0);
  EXPECT_EQ(exp(-this->largest), 0);
  EXPECT_TRUE(std::isnan(exp(this->nan)));
  EXPECT_EQ(tanh(this->infinity), 1);
  EXPECT_EQ(tanh(-this->largest), -1);
  EXPECT_TRUE(std::isnan(tanh(this->nan)));
  EXPECT_EQ(tanh(TypeParam(0)), 0);
  EXPECT_TRUE(std::signbit(tanh(-TypeParam(0))));
  EXPECT_FALSE(std::signbit(tanh(TypeParam(0))));
}

TYPED_TEST(Exponential, is_the_same_in_every_lane) {
  using P = Pack<TypeParam, 4>;
  const TypeParam numbers[] = {TypeParam(-1.25), TypeParam(0.5), TypeParam(-80), TypeParam(7)};
  P x;
  for (int lane = 0; lane < 4; ++lane) x.lanes[lane] = numbers[lane];
  const P e = exp(x), t = tanh(x);
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(e.lanes[lane], exp(numbers[lane]));
    EXPECT_EQ(t.lanes[lane], tanh(numbers[lane]));
  }
}

}  // namespace
}  // namespace torsor
