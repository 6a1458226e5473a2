#pragma once
/// What a plain number and a vector register have in common, so that one implementation serves both.
///
/// A register is double, float, or a GCC vector of either. Its twin is the signed integer type with
/// the same lanes and bits; a comparison gives bool for a plain number and the twin (all bits set
/// where true) for a vector, and `pick` chooses by it.
#include "torsor/math/language.hpp"  // first: what an older one lacks is said there

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#ifdef __CUDACC__
#define TORSOR_HD __host__ __device__
#define TORSOR_INLINE __forceinline__
#define TORSOR_UNROLL _Pragma("unroll")  // loops over a shape that the compiler knows
#define TORSOR_COLD
#else
#define TORSOR_HD
#ifdef __NO_INLINE__  // not optimised: copies of what is called would only take time to compile
#define TORSOR_INLINE inline
#else
#define TORSOR_INLINE __attribute__((always_inline)) inline
#endif
#define TORSOR_UNROLL
#define TORSOR_COLD __attribute__((noinline))
#endif

// For kernels: everything that is called inside is inlined, except what is marked TORSOR_COLD. Only where the
// build asks for it (the compiled rooms do): it is slow to compile for every scalar of every test.
#ifdef TORSOR_KERNEL
#define TORSOR_FLATTEN __attribute__((flatten))
#else
#define TORSOR_FLATTEN
#endif
// The same as TORSOR_INLINE for a lambda, after its parameters: `flatten` stops at lambdas that are
// called from several places.
#ifdef __NO_INLINE__
#define TORSOR_INLINE_LAMBDA
#else
#define TORSOR_INLINE_LAMBDA __attribute__((always_inline))
#endif

// Wide vectors passed by value raise a note about the ABI where the machine flags lack them. All
// functions that take them here are inlined, so that no call is made and no ABI is at stake.
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
// Masks combine by & and |, also where they are bool.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#endif

namespace torsor::internal {

/// W lanes of Value in one GCC vector.
template <class Value, int W>
struct VectorOf {
  typedef Value type __attribute__((vector_size(sizeof(Value) * W)));
};
template <class Value, int W>
using Vector = typename VectorOf<Value, W>::type;

/// Width of the widest vector register this translation unit may use.
#if defined(__AVX512F__)
inline constexpr int machine_bytes = 64;
#elif defined(__AVX__)
inline constexpr int machine_bytes = 32;
#else
inline constexpr int machine_bytes = 16;
#endif

template <class Register>
struct RegisterTraits {
  using Value = std::remove_cvref_t<decltype(std::declval<Register&>()[0])>;
  using Twin = decltype(std::declval<Register>() < std::declval<Register>());
};
template <>
struct RegisterTraits<double> {
  using Value = double;
  using Twin = std::int64_t;
};
template <>
struct RegisterTraits<float> {
  using Value = float;
  using Twin = std::int32_t;
};
template <class Register>
using ValueOf = typename RegisterTraits<Register>::Value;
template <class Register>
using TwinOf = typename RegisterTraits<Register>::Twin;

template <class To, class From>
TORSOR_HD TORSOR_INLINE To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

/// The sign bit of x, alone.
template <class Register>
TORSOR_HD TORSOR_INLINE TwinOf<Register> sign_of(const Register& x) {
  return bits_as<TwinOf<Register>>(x) &
         std::numeric_limits<TwinOf<ValueOf<Register>>>::min();  // the bit pattern 100..0
}

/// |x|, by its sign bit: -0 becomes 0.
template <class Register>
TORSOR_HD TORSOR_INLINE Register magnitude(const Register& x) {
  return bits_as<Register>(bits_as<TwinOf<Register>>(x) ^ sign_of(x));
}

/// x with its sign flipped where `sign` (a sign bit or 0) is not 0.
template <class Register>
TORSOR_HD TORSOR_INLINE Register flip_sign(const Register& x, const TwinOf<Register>& sign) {
  return bits_as<Register>(bits_as<TwinOf<Register>>(x) ^ sign);
}

template <class Register>
TORSOR_HD TORSOR_INLINE Register with_sign_of(const Register& x, const Register& sign) {
  return flip_sign(x, sign_of(x) ^ sign_of(sign));
}

/// True where x is neither infinite nor NaN. It reads the exponent, which -ffast-math cannot fold.
template <class Register>
TORSOR_HD TORSOR_INLINE auto finite_mask(const Register& x) {
  constexpr bool wide = sizeof(ValueOf<Register>) == 8;
  constexpr auto exponent =
      static_cast<TwinOf<ValueOf<Register>>>(wide ? 0x7ff0000000000000 : 0x7f800000);
  return (bits_as<TwinOf<Register>>(x) & exponent) != (TwinOf<Register>{} | exponent);
}

template <class Number>
requires std::is_arithmetic_v<Number> TORSOR_HD TORSOR_INLINE Number pick(bool mask, Number a,
                                                                          Number b) {
  return mask ? a : b;
}
template <class Register>
requires(!std::is_arithmetic_v<Register>) TORSOR_HD TORSOR_INLINE Register
    pick(const TwinOf<Register>& mask, const Register& a, const Register& b) {
  return mask ? a : b;
}

/// The same value in every lane.
template <class Register>
TORSOR_HD TORSOR_INLINE Register broadcast(ValueOf<Register> x) {
  if constexpr (std::is_arithmetic_v<Register>) {
    return x;
  } else {
    return x - Register{};
  }
}

}  // namespace torsor::internal
