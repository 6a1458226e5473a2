/// The laws every scalar obeys, on each of them.
#include "torsor/math/scalar.hpp"

#include <gtest/gtest.h>

#include <random>

#include "torsor/math/dual.hpp"
#include "torsor/math/pack.hpp"

namespace torsor {
namespace {

template <class Real>
struct AnyScalar : ::testing::Test {
  using Value = typename ScalarTraits<Real>::Value;
  static constexpr int lanes = ScalarTraits<Real>::lanes;
  static constexpr double epsilon = ScalarTraits<Real>::epsilon;

  // A different number in each lane.
  Real draw(double low, double high) {
    std::uniform_real_distribution<double> number(low, high);
    Real x(0);
    if constexpr (internal::is_pack<Real>) {
      for (int k = 0; k < lanes; ++k) x.set(k, static_cast<Value>(number(random)));
    } else {
      x = Real(static_cast<Value>(number(random)));
    }
    return x;
  }

  static double lane(const Real& x, [[maybe_unused]] int k) {
    if constexpr (internal::is_pack<Real>) {
      return x[k];
    } else {
      return value_of(x);
    }
  }

  // Within `ulps` rounding errors at the given scale, in every lane.
  static void expect_near(const Real& a, const Real& b, double ulps, double scale = 1) {
    for (int k = 0; k < lanes; ++k) ASSERT_NEAR(lane(a, k), lane(b, k), ulps * epsilon * scale);
  }

  std::mt19937_64 random{1};
};
using Scalars = ::testing::Types<double, float, Dual<double, 3>, Dual<Dual<double, 2>, 2>,
                                 Pack<double, 4>, Pack<double, 8>, Pack<float, 8>, Pack<float, 16>>;
TYPED_TEST_SUITE(AnyScalar, Scalars);

TYPED_TEST(AnyScalar, is_trivially_copyable_and_zero_by_default) {
  EXPECT_TRUE(std::is_trivially_copyable_v<TypeParam>);
  EXPECT_TRUE(all(TypeParam{} == TypeParam(0)));
}

TYPED_TEST(AnyScalar, multiplied_by_a_plain_number_keeps_its_type) {
  using Number = typename TestFixture::Value;
  EXPECT_TRUE((std::is_same_v<Prod<TypeParam, TypeParam>, TypeParam>));
  EXPECT_TRUE((std::is_same_v<Prod<TypeParam, Number>, TypeParam>));
  EXPECT_TRUE((std::is_same_v<Prod<Number, TypeParam>, TypeParam>));
}

TYPED_TEST(AnyScalar, arithmetic_with_literals_agrees_with_arithmetic_with_constants) {
  for (int i = 0; i < 100; ++i) {
    const TypeParam x = this->draw(1, 2), two(2);
    EXPECT_TRUE(all(x + 2 == x + two));
    EXPECT_TRUE(all(2 + x == two + x));
    EXPECT_TRUE(all(x - 2 == x - two));
    EXPECT_TRUE(all(2 - x == two - x));
    EXPECT_TRUE(all(x * 2 == x * two));
    EXPECT_TRUE(all(2 * x == two * x));
    EXPECT_TRUE(all(x / 2 == x / two));
    EXPECT_TRUE(all(2 / x == two / x));
    TypeParam y = x;
    y += 2;
    y *= two;
    y -= x;
    y /= 4;
    this->expect_near(y, (x + 4) / 4, 4);  // ((x + 2) 2 - x)/4
    EXPECT_TRUE(all(-(-x) == +x));
  }
}

TYPED_TEST(AnyScalar, sine_and_cosine_lie_on_the_unit_circle_and_atan2_finds_the_angle) {
  for (int i = 0; i < 1000; ++i) {
    const TypeParam x = this->draw(-3.14, 3.14);
    const auto [s, c] = sincos(x);
    this->expect_near(s * s + c * c, TypeParam(1), 4);
    this->expect_near(atan2(s, c), x, 4, 3.14);
    EXPECT_TRUE(all((s == sin(x)) & (c == cos(x))));
    this->expect_near(tan(x) * c, s, 2);
  }
}

TYPED_TEST(AnyScalar, inverse_functions_undo_each_other) {
  for (int i = 0; i < 1000; ++i) {
    const TypeParam x = this->draw(0.1, 3), small = this->draw(-1, 1);
    this->expect_near(sqrt(x) * sqrt(x), x, 2, 3);
    this->expect_near(exp(log(x)), x, 4, 3);
    this->expect_near(acos(cos(x)), x, 40);  // acos magnifies by 1/sin(x) <= 1/sin(0.1)
    this->expect_near(asin(sin(small)), small, 8);
    const TypeParam e = exp(small * 2);
    this->expect_near(tanh(small), (e - 1) / (e + 1), 8);
  }
}

TYPED_TEST(AnyScalar, abs_copysign_min_and_max_pick_by_sign_and_order) {
  for (int i = 0; i < 1000; ++i) {
    const TypeParam x = this->draw(-1, 1), y = this->draw(-1, 1);
    EXPECT_TRUE(all(abs(x) == max(x, -x)));
    EXPECT_TRUE(all(-abs(x) == min(x, -x)));
    EXPECT_TRUE(all(min(x, y) + max(x, y) == x + y));
    EXPECT_TRUE(all(min(x, y) <= max(x, y)));
    EXPECT_TRUE(all(copysign(x, y) == select(y < TypeParam(0), -abs(x), abs(x))));
  }
  const TypeParam minus_zero(-0.0);
  EXPECT_TRUE(all(copysign(TypeParam(3), minus_zero) == TypeParam(-3)));
  EXPECT_TRUE(all(1 / abs(minus_zero) > TypeParam(0)));
}

TYPED_TEST(AnyScalar, comparisons_and_masks_obey_boolean_algebra) {
  for (int i = 0; i < 1000; ++i) {
    const TypeParam x = this->draw(-1, 1), y = this->draw(-1, 1), yes(1), no(0);
    const MaskOf<TypeParam> less = x<y, positive = x> no;
    const auto expect_same = [&](const auto& a, const auto& b) {
      EXPECT_TRUE(all(select(a, yes, no) == select(b, yes, no)));
    };
    expect_same(!less, x >= y);
    expect_same(!(less | positive), (!less) & (!positive));
    expect_same(x <= y, less | (x == y));
    expect_same(x != y, !(x == y));
    EXPECT_EQ(all(less), !any(!less));
    EXPECT_TRUE(all(select(less, x, y) == min(x, y)));
  }
  EXPECT_FALSE(any(TypeParam(1) < TypeParam(1)));
  EXPECT_TRUE(all(TypeParam(1) <= TypeParam(1)));
}

TYPED_TEST(AnyScalar, finite_excludes_infinity_and_nan_alone) {
  using Limits = std::numeric_limits<typename TestFixture::Value>;
  for (const auto x : {Limits::max(), Limits::lowest(), Limits::denorm_min(), Limits::min()})
    EXPECT_TRUE(all(is_finite(TypeParam(x)))) << x;
  for (const auto x : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
    EXPECT_FALSE(any(is_finite(TypeParam(x)))) << x;
}

TEST(ScalarTraits, know_the_plain_number_and_the_lanes) {
  using Nested = Dual<Pack<float, 8>, 2>;
  EXPECT_TRUE((std::is_same_v<ScalarTraits<Nested>::Value, float>));
  EXPECT_EQ(ScalarTraits<Nested>::lanes, 8);
  EXPECT_EQ(ScalarTraits<Nested>::epsilon, std::numeric_limits<float>::epsilon());
  EXPECT_TRUE(internal::is_dual<Nested> && internal::is_pack<Nested> &&
              internal::is_pack<decltype(value_of(Nested{}))>);
  EXPECT_FALSE(internal::is_dual<double> || internal::is_pack<double> ||
               (internal::is_pack<Dual<double, 3>>));
}

}  // namespace
}  // namespace torsor
