/// Sine, cosine and arc tangent against arithmetic of higher precision.
#include "torsor/math/trig.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace torsor {
namespace {

// The truth: the next wider type of the C library.
long double wider(double x) { return x; }
double wider(float x) { return x; }

template <class Real>
struct Trig : ::testing::Test {
  static constexpr Real infinity = std::numeric_limits<Real>::infinity();
  static constexpr Real tiny = std::numeric_limits<Real>::denorm_min();
  static constexpr Real bound = std::numeric_limits<Real>::epsilon();  // 2^-52, 2^-23

  void expect_close(Real x) {
    const auto [s, c] = sincos(x);
    ASSERT_LE(std::abs(s - std::sin(wider(x))), bound) << "sin " << x;
    ASSERT_LE(std::abs(c - std::cos(wider(x))), bound) << "cos " << x;
  }

  // Distance from the truth in units of the last place of the truth.
  void expect_within_4_ulp(Real y, Real x) {
    const auto truth = std::atan2(wider(y), wider(x));
    const Real size = std::abs(static_cast<Real>(truth));
    const Real ulp = std::nextafter(size, infinity) - size;
    ASSERT_LE(std::abs(atan2(y, x) - truth), 4 * ulp) << "atan2 " << y << ", " << x;
  }
};
using PlainNumbers = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Trig, PlainNumbers);

TYPED_TEST(Trig, sincos_errs_by_at_most_two_to_the_minus_52_or_23) {
  std::mt19937_64 random(1);
  for (const double range : {1e4, 10.0, 1.0, 1e-3, 1e-9}) {
    std::uniform_real_distribution<double> angle(-range, range);
    for (int i = 0; i < 200000; ++i) this->expect_close(static_cast<TypeParam>(angle(random)));
  }
}

TYPED_TEST(Trig, sincos_holds_at_the_numbers_next_to_every_multiple_of_an_eighth_turn) {
  const double quarter_pi = std::atan(1.0);
  for (int k = -12732; k <= 12732; ++k) {  // 1e4 is 12732.4 pi/4
    TypeParam x = static_cast<TypeParam>(k * quarter_pi);
    for (int i = 0; i < 2; ++i) x = std::nextafter(x, -this->infinity);
    for (int i = 0; i < 5; ++i, x = std::nextafter(x, this->infinity)) this->expect_close(x);
  }
}

TYPED_TEST(Trig, sincos_holds_at_zero_denormals_and_the_ends_of_the_range) {
  const TypeParam normal = std::numeric_limits<TypeParam>::min();
  for (const TypeParam x : {TypeParam(0), this->tiny, 3 * this->tiny, normal, normal / 2,
                            TypeParam(1e4), std::nextafter(TypeParam(1e4), TypeParam(0))}) {
    this->expect_close(x);
    this->expect_close(-x);
  }
  EXPECT_EQ(sin(this->tiny), this->tiny);
  EXPECT_EQ(cos(TypeParam(0)), TypeParam(1));
}

TYPED_TEST(Trig, sincos_beyond_the_range_errs_no_more_than_the_spacing_of_its_argument) {
  const double top = sizeof(TypeParam) == 8 ? 0x1p40 : 0x1p17;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> angle(-top, top);
  for (int i = 0; i < 100000; ++i) {
    const TypeParam x = static_cast<TypeParam>(angle(random));
    const TypeParam spacing = std::nextafter(std::abs(x), this->infinity) - std::abs(x);
    const auto [s, c] = sincos(x);
    ASSERT_LE(std::abs(s - std::sin(wider(x))), spacing + this->bound) << x;
    ASSERT_LE(std::abs(c - std::cos(wider(x))), spacing + this->bound) << x;
  }
}

TYPED_TEST(Trig, sincos_of_what_has_no_sine_is_nan) {
  const TypeParam far = sizeof(TypeParam) == 8 ? TypeParam(0x1p48) : TypeParam(0x1p19);
  for (const TypeParam x :
       {this->infinity, -this->infinity, far, -far, std::numeric_limits<TypeParam>::max(),
        std::numeric_limits<TypeParam>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sin(x))) << x;
    EXPECT_TRUE(std::isnan(cos(x))) << x;
    EXPECT_TRUE(std::isnan(tan(x))) << x;
  }
}

TYPED_TEST(Trig, sine_is_odd_and_cosine_is_even_to_the_bit) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> angle(-1e4, 1e4);
  for (int i = 0; i < 100000; ++i) {
    const TypeParam x = static_cast<TypeParam>(angle(random));
    ASSERT_EQ(sin(-x), -sin(x)) << x;
    ASSERT_EQ(cos(-x), cos(x)) << x;
  }
}

TYPED_TEST(Trig, tangent_is_within_4_ulp_where_it_is_not_large) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> angle(-1, 1);
  for (int i = 0; i < 100000; ++i) {
    const TypeParam x = static_cast<TypeParam>(angle(random));
    const auto truth = std::tan(wider(x));
    ASSERT_LE(std::abs(tan(x) - truth), 4 * this->bound * std::abs(truth)) << x;
  }
}

TYPED_TEST(Trig, atan2_errs_by_at_most_4_ulp_in_every_octant) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> side(-1, 1), power(-30, 30);
  for (int i = 0; i < 500000; ++i) {
    const double stretch = i % 2 == 0 ? 1 : std::exp2(power(random));
    this->expect_within_4_ulp(static_cast<TypeParam>(side(random) * stretch),
                              static_cast<TypeParam>(side(random)));
  }
}

TYPED_TEST(Trig, atan2_holds_near_the_seams_between_octants_and_at_extreme_sizes) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const double slope : {1.0, std::sqrt(2.0) - 1, std::sqrt(2.0) + 1}) {
    TypeParam y = static_cast<TypeParam>(slope);
    for (int i = 0; i < 20; ++i) y = std::nextafter(y, TypeParam(0));
    for (int i = 0; i < 40; ++i, y = std::nextafter(y, this->infinity))
      for (const TypeParam sy : {y, -y})
        for (const TypeParam x : {TypeParam(1), TypeParam(-1)}) this->expect_within_4_ulp(sy, x);
  }
  const TypeParam sizes[] = {this->tiny,   3 * this->tiny,    5 * this->tiny, Limits::min(),
                             TypeParam(1), Limits::max() / 2, Limits::max()};
  for (const TypeParam y : sizes)
    for (const TypeParam x : sizes)
      for (const TypeParam sy : {y, -y})
        for (const TypeParam sx : {x, -x}) this->expect_within_4_ulp(sy, sx);
}

TYPED_TEST(Trig, atan2_treats_signed_zeros_as_the_standard_does) {
  const TypeParam sides[] = {TypeParam(0), TypeParam(-0.0), TypeParam(2), TypeParam(-2)};
  for (const TypeParam y : sides)
    for (const TypeParam x : sides) {
      const TypeParam ours = atan2(y, x), standard = std::atan2(y, x);
      EXPECT_NEAR(ours, standard, this->bound) << y << ", " << x;
      EXPECT_EQ(std::signbit(ours), std::signbit(standard)) << y << ", " << x;
    }
  EXPECT_TRUE(std::isnan(atan2(std::numeric_limits<TypeParam>::quiet_NaN(), TypeParam(1))));
  EXPECT_TRUE(std::isnan(atan2(TypeParam(1), std::numeric_limits<TypeParam>::quiet_NaN())));
}

TYPED_TEST(Trig, sincos_many_with_offsets_is_that_of_the_sums) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> angle(-100, 100);
  for (int n = 0; n <= 40; ++n) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<TypeParam> q(size), offset(size), sum(size), s(size), c(size), s_sum(size),
        c_sum(size);
    for (std::size_t i = 0; i < size; ++i) {
      q[i] = static_cast<TypeParam>(angle(random));
      offset[i] = static_cast<TypeParam>(angle(random));
      sum[i] = q[i] + offset[i];
    }
    internal::sincos_many(q.data(), offset.data(), s.data(), c.data(), n);
    internal::sincos_many(sum.data(), s_sum.data(), c_sum.data(), n);
    EXPECT_EQ(s, s_sum);
    EXPECT_EQ(c, c_sum);
  }
}

TYPED_TEST(Trig, sincos_many_equals_sincos_to_the_bit_and_writes_nothing_else) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> angle(-100, 100);
  const TypeParam untouched(7);
  for (int n = 0; n <= 40; ++n) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<TypeParam> q(size), s(size + 1, untouched), c(size + 1, untouched);
    for (TypeParam& x : q) x = static_cast<TypeParam>(angle(random));
    internal::sincos_many(q.data(), s.data(), c.data(), n);
    for (std::size_t i = 0; i < size; ++i) {
      const auto [sine, cosine] = sincos(q[i]);
      ASSERT_EQ(s[i], sine) << n << ", " << i;
      ASSERT_EQ(c[i], cosine) << n << ", " << i;
    }
    ASSERT_EQ(s[size], untouched) << n;
    ASSERT_EQ(c[size], untouched) << n;
  }
}

}  // namespace
}  // namespace torsor
