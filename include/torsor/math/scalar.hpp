#pragma once
/// What the algorithms require of a number type, and its implementation for double and float.
///
/// A scalar `Real` is double, float, Dual (a value with derivatives) or Pack (one state per lane).
/// It has + - * /, comparisons that give a mask (bool; one lane mask for Pack), `select` instead of
/// `if`, and the functions below and in trig.hpp. Call them unqualified, `sqrt(x)`: std::sqrt knows
/// only plain numbers.
/// Masks combine by & | !; `all` and `any` turn them into bool before a kernel starts.
#include <cmath>
#include <limits>

#include "torsor/math/internal/exponential.hpp"
#include "torsor/math/trig.hpp"

namespace torsor {

/// The scalar that a product has: double * Pack is Pack, Dual * double is Dual.
template <class A, class B>
using Prod = decltype(A{} * B{});

/// What `a < b` gives: bool, or a lane mask.
template <class Real>
using MaskOf = decltype(Real{} < Real{});

namespace internal {

template <class Real>
inline constexpr bool is_dual = false;
/// At the bottom of any nest of duals, too.
template <class Real>
inline constexpr bool is_pack = false;

}  // namespace internal

/// The plain number inside a scalar. Dual and Pack specialise it.
template <class Real>
struct ScalarTraits;
template <Plain Real>
struct ScalarTraits<Real> {
  using Value = Real;
  static constexpr int lanes = 1;
  static constexpr Value epsilon = std::numeric_limits<Real>::epsilon();
};

template <class Real>
concept Scalar = requires {
  typename ScalarTraits<Real>::Value;
};

/// A scalar without its derivatives.
template <Plain Real>
TORSOR_HD constexpr Real value_of(Real x) {
  return x;
}

template <Plain Real>
TORSOR_HD constexpr Real select(bool mask, Real a, Real b) {
  return mask ? a : b;
}
TORSOR_HD constexpr bool all(bool mask) { return mask; }
TORSOR_HD constexpr bool any(bool mask) { return mask; }

template <Plain Real>
TORSOR_HD TORSOR_INLINE Real sqrt(Real x) {
  return std::sqrt(x);
}
template <Plain Real>
TORSOR_HD TORSOR_INLINE Real exp(Real x) {
  return internal::exp_register(x);
}
template <Plain Real>
TORSOR_HD TORSOR_INLINE Real log(Real x) {
  return std::log(x);
}
template <Plain Real>
TORSOR_HD TORSOR_INLINE Real tanh(Real x) {
  return internal::tanh_register(x);
}
template <Plain Real>
TORSOR_HD TORSOR_INLINE Real abs(Real x) {
  return internal::magnitude(x);
}
template <Plain Real>
TORSOR_HD TORSOR_INLINE Real copysign(Real x, Real sign) {
  return internal::with_sign_of(x, sign);
}
template <Plain Real>
TORSOR_HD constexpr Real min(Real a, Real b) {
  return b < a ? b : a;
}
template <Plain Real>
TORSOR_HD constexpr Real max(Real a, Real b) {
  return a < b ? b : a;
}
template <Plain Real>
TORSOR_HD TORSOR_INLINE bool is_finite(Real x) {
  return internal::finite_mask(x);
}

/// Through atan2, which keeps its accuracy near +-1. The derivative is infinite at +-1.
template <Scalar Real>
TORSOR_HD TORSOR_INLINE Real asin(const Real& x) {
  return atan2(x, sqrt((1 - x) * (1 + x)));
}
template <Scalar Real>
TORSOR_HD TORSOR_INLINE Real acos(const Real& x) {
  return atan2(sqrt((1 - x) * (1 + x)), x);
}

}  // namespace torsor
