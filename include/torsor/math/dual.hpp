#pragma once
/// Dual numbers: a value and its derivatives along N directions, propagated exactly.
///
///   (a, a') (b, b') = (ab, a'b + ab'),    f(a, a') = (f(a), f'(a) a')
///
/// Real is double, float or Pack, or itself a Dual, which gives second derivatives. Comparisons
/// look at values. Where f' is infinite (sqrt at 0) the derivative is infinite or NaN.
/// Source   Griewank & Walther, Evaluating Derivatives, 2008, ch. 3.
#include "torsor/math/scalar.hpp"

namespace torsor {

template <class Real, int N>
struct Dual;

namespace internal {

template <class Real, int N>
inline constexpr bool is_dual<Dual<Real, N>> = true;
template <class Real, int N>
inline constexpr bool is_pack<Dual<Real, N>> = is_pack<Real>;

}  // namespace internal

template <class Real, int N>
struct ScalarTraits<Dual<Real, N>> : ScalarTraits<Real> {};

namespace internal {

/// What a Dual over Real takes as a constant: plain numbers, and Real itself.
template <class C, class Real>
concept ConstantFor = std::is_arithmetic_v<C> || std::is_same_v<C, Real>;

}  // namespace internal

template <class Real, int N>
struct Dual {
  using Value = typename ScalarTraits<Real>::Value;

  Real value{};
  Real d[N]{};

  Dual() = default;
  TORSOR_HD TORSOR_INLINE Dual(const Real& x) : value(x) {}
  /// A constant: any plain number that is not Real itself.
  template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, Real>) TORSOR_HD TORSOR_INLINE
      Dual(Number x)
      : value(static_cast<Value>(x)) {}

  /// x as the k-th independent variable.
  TORSOR_HD static Dual variable(const Real& x, int k) {
    Dual result(x);
    result.d[k] = Real(1);
    return result;
  }

  /// f(x) given f and its derivative at x.value.
  template <class Slope>
  TORSOR_HD TORSOR_INLINE Dual chain(const Real& f, const Slope& slope) const {
    Dual result(f);
    for (int i = 0; i < N; ++i) result.d[i] = d[i] * slope;
    return result;
  }

  friend TORSOR_HD TORSOR_INLINE Dual operator+(const Dual& x) { return x; }
  friend TORSOR_HD TORSOR_INLINE Dual operator-(const Dual& x) {
    Dual result(-x.value);
    for (int i = 0; i < N; ++i) result.d[i] = -x.d[i];
    return result;
  }
  friend TORSOR_HD TORSOR_INLINE Dual operator+(const Dual& x, const Dual& y) {
    Dual result(x.value + y.value);
    for (int i = 0; i < N; ++i) result.d[i] = x.d[i] + y.d[i];
    return result;
  }
  friend TORSOR_HD TORSOR_INLINE Dual operator-(const Dual& x, const Dual& y) {
    Dual result(x.value - y.value);
    for (int i = 0; i < N; ++i) result.d[i] = x.d[i] - y.d[i];
    return result;
  }
  friend TORSOR_HD TORSOR_INLINE Dual operator*(const Dual& x, const Dual& y) {
    Dual result(x.value * y.value);
    for (int i = 0; i < N; ++i) result.d[i] = x.d[i] * y.value + x.value * y.d[i];
    return result;
  }
  friend TORSOR_HD TORSOR_INLINE Dual operator/(const Dual& x, const Dual& y) {
    const Real inverse = 1 / y.value;
    Dual result(x.value / y.value);
    for (int i = 0; i < N; ++i) result.d[i] = (x.d[i] - result.value * y.d[i]) * inverse;
    return result;
  }

  // With a constant, no zero derivatives are carried through the arithmetic.
  template <internal::ConstantFor<Real> C>
  friend TORSOR_HD TORSOR_INLINE Dual operator+(const Dual& x, const C& c) {
    Dual result = x;
    result.value = x.value + constant(c);
    return result;
  }
  template <internal::ConstantFor<Real> C>
  friend TORSOR_HD TORSOR_INLINE Dual operator-(const Dual& x, const C& c) {
    Dual result = x;
    result.value = x.value - constant(c);
    return result;
  }
  template <internal::ConstantFor<Real> C>
  friend TORSOR_HD TORSOR_INLINE Dual operator*(const Dual& x, const C& c) {
    return x.chain(x.value * constant(c), constant(c));
  }
  template <internal::ConstantFor<Real> C>
  friend TORSOR_HD TORSOR_INLINE Dual operator/(const Dual& x, const C& c) {
    return x.chain(x.value / constant(c), 1 / constant(c));
  }
  template <internal::ConstantFor<Real> C>
  friend TORSOR_HD TORSOR_INLINE Dual operator+(const C& c, const Dual& x) {
    return x + c;
  }
  template <internal::ConstantFor<Real> C>
  friend TORSOR_HD TORSOR_INLINE Dual operator-(const C& c, const Dual& x) {
    return x.chain(constant(c) - x.value, Value(-1));
  }
  template <internal::ConstantFor<Real> C>
  friend TORSOR_HD TORSOR_INLINE Dual operator*(const C& c, const Dual& x) {
    return x * c;
  }
  template <internal::ConstantFor<Real> C>
  friend TORSOR_HD TORSOR_INLINE Dual operator/(const C& c, const Dual& x) {
    const Real quotient = constant(c) / x.value;
    return x.chain(quotient, -quotient / x.value);
  }

  template <class Other>
  TORSOR_HD TORSOR_INLINE Dual& operator+=(const Other& y) {
    return *this = *this + y;
  }
  template <class Other>
  TORSOR_HD TORSOR_INLINE Dual& operator-=(const Other& y) {
    return *this = *this - y;
  }
  template <class Other>
  TORSOR_HD TORSOR_INLINE Dual& operator*=(const Other& y) {
    return *this = *this * y;
  }
  template <class Other>
  TORSOR_HD TORSOR_INLINE Dual& operator/=(const Other& y) {
    return *this = *this / y;
  }

  friend TORSOR_HD TORSOR_INLINE auto operator<(const Dual& x, const Dual& y) {
    return x.value < y.value;
  }
  friend TORSOR_HD TORSOR_INLINE auto operator<=(const Dual& x, const Dual& y) {
    return x.value <= y.value;
  }
  friend TORSOR_HD TORSOR_INLINE auto operator>(const Dual& x, const Dual& y) {
    return x.value > y.value;
  }
  friend TORSOR_HD TORSOR_INLINE auto operator>=(const Dual& x, const Dual& y) {
    return x.value >= y.value;
  }
  friend TORSOR_HD TORSOR_INLINE auto operator==(const Dual& x, const Dual& y) {
    return x.value == y.value;
  }
  friend TORSOR_HD TORSOR_INLINE auto operator!=(const Dual& x, const Dual& y) {
    return x.value != y.value;
  }

  template <class Mask>
  friend TORSOR_HD TORSOR_INLINE Dual select(const Mask& mask, const Dual& x, const Dual& y) {
    Dual result(select(mask, x.value, y.value));
    for (int i = 0; i < N; ++i) result.d[i] = select(mask, x.d[i], y.d[i]);
    return result;
  }
  friend TORSOR_HD TORSOR_INLINE SinCos<Dual> sincos(const Dual& x) {
    const auto [s, c] = sincos(x.value);
    return {x.chain(s, c), x.chain(c, -s)};
  }
  friend TORSOR_HD TORSOR_INLINE Dual sin(const Dual& x) { return sincos(x).sin; }
  friend TORSOR_HD TORSOR_INLINE Dual cos(const Dual& x) { return sincos(x).cos; }
  friend TORSOR_HD TORSOR_INLINE Dual tan(const Dual& x) {
    const Real t = tan(x.value);
    return x.chain(t, 1 + t * t);
  }
  friend TORSOR_HD TORSOR_INLINE Dual atan2(const Dual& y, const Dual& x) {
    // Scaled by the larger side: squares of tiny and huge numbers leave the range.
    const Real size = max(abs(x.value), abs(y.value)), u = x.value / size, v = y.value / size;
    const Real inverse = 1 / ((u * u + v * v) * size);
    const Real along_y = u * inverse, along_x = -v * inverse;
    Dual result(atan2(y.value, x.value));
    for (int i = 0; i < N; ++i) result.d[i] = along_y * y.d[i] + along_x * x.d[i];
    return result;
  }
  friend TORSOR_HD TORSOR_INLINE Dual sqrt(const Dual& x) {
    const Real root = sqrt(x.value);
    return x.chain(root, Value(0.5) / root);
  }
  friend TORSOR_HD TORSOR_INLINE Dual exp(const Dual& x) {
    const Real e = exp(x.value);
    return x.chain(e, e);
  }
  friend TORSOR_HD TORSOR_INLINE Dual log(const Dual& x) {
    return x.chain(log(x.value), 1 / x.value);
  }
  friend TORSOR_HD TORSOR_INLINE Dual tanh(const Dual& x) {
    const Real t = tanh(x.value);
    return x.chain(t, (1 - t) * (1 + t));
  }
  friend TORSOR_HD TORSOR_INLINE Dual abs(const Dual& x) {
    return x.chain(abs(x.value), copysign(Real(1), x.value));
  }
  friend TORSOR_HD TORSOR_INLINE Dual copysign(const Dual& x, const Dual& sign) {
    const Real one(1);
    return x.chain(copysign(x.value, sign.value),
                   copysign(one, x.value) * copysign(one, sign.value));
  }
  friend TORSOR_HD TORSOR_INLINE Dual min(const Dual& x, const Dual& y) {
    return select(y < x, y, x);
  }
  friend TORSOR_HD TORSOR_INLINE Dual max(const Dual& x, const Dual& y) {
    return select(x < y, y, x);
  }
  friend TORSOR_HD TORSOR_INLINE auto value_of(const Dual& x) { return value_of(x.value); }
  friend TORSOR_HD TORSOR_INLINE auto is_finite(const Dual& x) {
    MaskOf<Real> mask = is_finite(x.value);
    for (int i = 0; i < N; ++i) mask = mask & is_finite(x.d[i]);
    return mask;
  }

 private:
  template <class C>
  TORSOR_HD TORSOR_INLINE static auto constant(const C& c) {
    if constexpr (std::is_arithmetic_v<C>) {
      return static_cast<Value>(c);
    } else {
      return c;
    }
  }
};

}  // namespace torsor
