/// A pack is its lanes: every operation equals the plain one, lane by lane.
#include "torsor/math/pack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace torsor {
namespace {

template <class Lanes>
struct AnyPack : ::testing::Test {
  using Value = typename ScalarTraits<Lanes>::Value;
  static constexpr int width = ScalarTraits<Lanes>::lanes;

  Lanes draw(double low, double high) {
    std::uniform_real_distribution<double> number(low, high);
    Lanes x;
    for (int k = 0; k < width; ++k) x.set(k, static_cast<Value>(number(random)));
    return x;
  }

  // f(x, y) on packs equals f on plain numbers to the bit.
  template <class Function>
  void expect_lanewise(const char* name, Function f, double low, double high) {
    for (int i = 0; i < 500; ++i) {
      const Lanes x = draw(low, high), y = draw(low, high), z = f(x, y);
      for (int k = 0; k < width; ++k)
        ASSERT_EQ(z[k], f(x[k], y[k])) << name << " of " << x[k] << ", " << y[k];
    }
  }

  std::mt19937_64 random{1};
};
using Packs = ::testing::Types<Pack<double, 2>, Pack<double, 4>, Pack<double, 8>, Pack<float, 4>,
                               Pack<float, 8>, Pack<float, 16>>;
TYPED_TEST_SUITE(AnyPack, Packs);

TYPED_TEST(AnyPack, arithmetic_is_lanewise) {
  this->expect_lanewise(
      "+", [](const auto& x, const auto& y) { return x + y; }, -2, 2);
  this->expect_lanewise(
      "-", [](const auto& x, const auto& y) { return x - y; }, -2, 2);
  this->expect_lanewise(
      "*", [](const auto& x, const auto& y) { return x * y; }, -2, 2);
  this->expect_lanewise(
      "/", [](const auto& x, const auto& y) { return x / y; }, -2, 2);
  this->expect_lanewise(
      "negation", [](const auto& x, const auto&) { return -x; }, -2, 2);
}

TYPED_TEST(AnyPack, functions_are_lanewise) {
  this->expect_lanewise(
      "sin", [](const auto& x, const auto&) { return sin(x); }, -1e4, 1e4);
  this->expect_lanewise(
      "cos", [](const auto& x, const auto&) { return cos(x); }, -1e4, 1e4);
  this->expect_lanewise(
      "tan", [](const auto& x, const auto&) { return tan(x); }, -2, 2);
  this->expect_lanewise(
      "atan2", [](const auto& x, const auto& y) { return atan2(x, y); }, -2, 2);
  this->expect_lanewise(
      "sqrt", [](const auto& x, const auto&) { return sqrt(x); }, 0, 2);
  this->expect_lanewise(
      "exp", [](const auto& x, const auto&) { return exp(x); }, -2, 2);
  this->expect_lanewise(
      "log", [](const auto& x, const auto&) { return log(x); }, 0.1, 2);
  this->expect_lanewise(
      "tanh", [](const auto& x, const auto&) { return tanh(x); }, -2, 2);
  this->expect_lanewise(
      "abs", [](const auto& x, const auto&) { return abs(x); }, -2, 2);
  this->expect_lanewise(
      "min", [](const auto& x, const auto& y) { return min(x, y); }, -2, 2);
  this->expect_lanewise(
      "max", [](const auto& x, const auto& y) { return max(x, y); }, -2, 2);
  this->expect_lanewise(
      "copysign", [](const auto& x, const auto& y) { return copysign(x, y); }, -2, 2);
}

TYPED_TEST(AnyPack, sincos_of_every_lane_errs_by_at_most_two_to_the_minus_52_or_23) {
  using Number = typename TestFixture::Value;
  const auto bound = static_cast<long double>(std::numeric_limits<Number>::epsilon());
  std::mt19937_64 source(8);
  std::uniform_real_distribution<double> angle(-1e4, 1e4);
  for (int n = 0; n < 20000; ++n) {
    TypeParam x;
    for (int k = 0; k < this->width; ++k) x.set(k, static_cast<Number>(angle(source)));
    const auto [s, c] = sincos(x);
    for (int k = 0; k < this->width; ++k) {
      const long double a = x[k];
      ASSERT_LE(std::abs(s[k] - std::sin(a)), bound) << x[k];
      ASSERT_LE(std::abs(c[k] - std::cos(a)), bound) << x[k];
    }
  }
}

TYPED_TEST(AnyPack, masks_select_lane_by_lane) {
  this->expect_lanewise(
      "<", [](const auto& x, const auto& y) { return select(x < y, x, y); }, -2, 2);
  this->expect_lanewise(
      "<=", [](const auto& x, const auto& y) { return select(x <= y, x, y); }, -2, 2);
  this->expect_lanewise(
      ">", [](const auto& x, const auto& y) { return select(x > y, x, y); }, -2, 2);
  this->expect_lanewise(
      ">=", [](const auto& x, const auto& y) { return select(x >= y, x, y); }, -2, 2);
  this->expect_lanewise(
      "mixed",
      [](const auto& x, const auto& y) { return select(((x < y) & (x > 0)) | !(y > 0), x, y); }, -2,
      2);
}

TYPED_TEST(AnyPack, masks_tell_one_lane_from_all) {
  TypeParam x(1);
  EXPECT_TRUE(all(x > 0));
  x.set(this->width - 1, -1);
  EXPECT_FALSE(all(x > 0));
  EXPECT_TRUE(any(x > 0));
  EXPECT_TRUE((x < 0)[this->width - 1]);
  EXPECT_FALSE((x < 0)[0]);
  EXPECT_FALSE(any(x > 1));
}

TYPED_TEST(AnyPack, a_nan_in_one_lane_stays_there) {
  TypeParam x(1);
  x.set(1, std::numeric_limits<typename TestFixture::Value>::quiet_NaN());
  const TypeParam y = atan2(sin(x), cos(x)) + sqrt(x);
  for (int k = 0; k < this->width; ++k) EXPECT_EQ(is_finite(y)[k], k != 1);
}

TYPED_TEST(AnyPack, loads_and_stores_at_any_alignment) {
  using Number = typename TestFixture::Value;
  Number from[TestFixture::width + 3], to[TestFixture::width + 3] = {};
  for (int k = 0; k < this->width + 3; ++k) from[k] = static_cast<Number>(k);
  for (int shift = 0; shift < 3; ++shift) {
    TypeParam::load(from + shift).store(to + 1);
    for (int k = 0; k < this->width; ++k) EXPECT_EQ(to[k + 1], static_cast<Number>(k + shift));
    EXPECT_EQ(to[0], 0);
    EXPECT_EQ(to[this->width + 1], 0);
  }
}

TYPED_TEST(AnyPack, broadcasts_plain_numbers_with_their_sign) {
  const TypeParam x(-0.0), y = 3;
  for (int k = 0; k < this->width; ++k) {
    EXPECT_TRUE(std::signbit(x[k]));
    EXPECT_EQ(y[k], 3);
  }
}

}  // namespace
}  // namespace torsor
