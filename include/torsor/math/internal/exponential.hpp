#pragma once
/// Exponential and hyperbolic tangent without branches: one implementation for plain numbers and vector
/// registers.
///
///   exp    n = round(x / ln 2),  r = x - n ln 2 in [-ln 2 / 2, ln 2 / 2],  2^n (1 + r + r^2 Q(r))
///   tanh   e = exp(2 |x|) - 1 = 2^n (r + r^2 Q(r)) + (2^n - 1), in which nothing cancels;
///          tanh = +- e / (e + 2)
///
/// Q is the series of (exp(r) - 1 - r) / r^2 up to r^11 (float: r^5), which leaves 2^-57 (2^-27) of
/// the result.
///
/// Accuracy exp <= 2 ulp, tanh <= 3 ulp. exp is infinite, zero or subnormal where std::exp is;
///          tanh keeps signed zeros. NaN stays NaN.
/// Cost     exp about 24 floating-point instructions, tanh about 24 and one division.
#include "torsor/math/trig.hpp"

namespace torsor::internal {

/// n and r of exp; `bits` has n in its low bits.
template <class Register>
struct ReducedExponent {
  TwinOf<Register> bits;
  Register r;
};
template <class Register>
TORSOR_HD TORSOR_INLINE ReducedExponent<Register> reduce_exponent(const Register& x) {
  using Value = ValueOf<Register>;
  constexpr bool wide = sizeof(Value) == 8;
  constexpr Value magic = wide ? Value(6755399441055744.0) : Value(12582912.0);
  const Register shifted = x * Value(1.4426950408889634) + magic;
  const Register n = shifted - magic;
  // ln 2 in parts: n times the first is exact.
  const Register r = wide ? (x - n * Value(0x1.62e42fee00000p-1)) - n * Value(0x1.a39ef35793c76p-33)
                          : (x - n * Value(0x1.62ep-1)) - n * Value(0x1.0bfbe8p-15);
  return {bits_as<TwinOf<Register>>(shifted), r};
}

/// exp(r) - 1 of the reduced r.
template <class Register>
TORSOR_HD TORSOR_INLINE Register expm1_reduced(const Register& r) {
  const Register z = r * r;
  if constexpr (sizeof(ValueOf<Register>) == 8) {
    const Register even =
        quintic(z, 1.0 / 2, 1.0 / 24, 1.0 / 720, 1.0 / 40320, 1.0 / 3628800, 1.0 / 479001600);
    const Register odd =
        quintic(z, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800, 1.0 / 6227020800);
    return (odd * r + even) * z + r;
  } else {
    const Register even = horner(z, 1.0f / 2, 1.0f / 24, 1.0f / 720);
    const Register odd = horner(z, 1.0f / 6, 1.0f / 120, 1.0f / 5040);
    return (odd * r + even) * z + r;
  }
}

/// 2^n for n in the low bits, within the range of normal numbers.
template <class Register>
TORSOR_HD TORSOR_INLINE Register power_of_two(const TwinOf<Register>& n) {
  constexpr bool wide = sizeof(ValueOf<Register>) == 8;
  constexpr int mantissa = wide ? 52 : 23, bias = wide ? 1023 : 127;
  return bits_as<Register>((n + bias) << mantissa);
}

template <class Register>
TORSOR_HD TORSOR_INLINE Register exp_register(const Register& x) {
  using Value = ValueOf<Register>;
  using Twin = TwinOf<Register>;
  constexpr bool wide = sizeof(Value) == 8;
  // Beyond, the result is infinite or zero already.
  const Register high = broadcast<Register>(wide ? Value(710) : Value(89));
  const Register low = broadcast<Register>(wide ? Value(-746) : Value(-104));
  Register within = pick(x > high, high, x);
  within = pick(within < low, low, within);
  const auto [bits, r] = reduce_exponent(within);
  // The integer alone, with its sign: the magic number's own bits go out at the top.
  constexpr int spare = wide ? 13 : 10;
  const Twin n = (bits << spare) >> spare, half = n >> 1;
  return ((expm1_reduced(r) + Value(1)) * power_of_two<Register>(half)) *
         power_of_two<Register>(n - half);
}

template <class Register>
TORSOR_HD TORSOR_INLINE Register tanh_register(const Register& x) {
  using Value = ValueOf<Register>;
  using Twin = TwinOf<Register>;
  constexpr bool wide = sizeof(Value) == 8;
  const Register most = broadcast<Register>(wide ? Value(20) : Value(10));  // 1 from there on
  const Register size = magnitude(x);
  const auto [bits, r] = reduce_exponent(pick(size > most, most, size) * Value(2));
  constexpr int spare = wide ? 13 : 10;
  const Twin n = (bits << spare) >> spare;
  const Register power = power_of_two<Register>(n);
  const Register e = expm1_reduced(r) * power + (power - Value(1));
  return with_sign_of(e / (e + Value(2)), x);
}

}  // namespace torsor::internal
