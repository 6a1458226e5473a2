#pragma once
/// W lanes of double or float in vector registers: one robot state per lane.
///
/// Every operation acts on all lanes at once; a plain number is broadcast. Comparisons give a
/// PackMask, and `select` chooses lane by lane. log goes through the lanes one by one;
/// so does sqrt, which becomes one vector instruction under -fno-math-errno.
#include "torsor/math/scalar.hpp"

namespace torsor {

template <class Real, int W>
struct Pack;

/// The lanes of one register of the machine this file is compiled for. Wider packs work, but g++
/// sends them through memory where there is no register so wide.
template <Plain Real>
inline constexpr int native_lanes = internal::machine_bytes / static_cast<int>(sizeof(Real));

namespace internal {

/// True or false in each lane.
template <class Real, int W>
struct PackMask {
  using Twin = TwinOf<Vector<Real, W>>;

  Twin bits{};

  TORSOR_INLINE bool operator[](int lane) const { return bits[lane] != 0; }

  friend TORSOR_INLINE PackMask operator&(const PackMask& a, const PackMask& b) {
    return {a.bits & b.bits};
  }
  friend TORSOR_INLINE PackMask operator|(const PackMask& a, const PackMask& b) {
    return {a.bits | b.bits};
  }
  friend TORSOR_INLINE PackMask operator!(const PackMask& a) { return {~a.bits}; }

  friend TORSOR_INLINE bool any(const PackMask& mask) {
    bool result = false;
    for (int lane = 0; lane < W; ++lane) result |= mask[lane];
    return result;
  }
  friend TORSOR_INLINE bool all(const PackMask& mask) { return !any(!mask); }
};

template <class Real, int W>
inline constexpr bool is_pack<Pack<Real, W>> = true;

}  // namespace internal

template <class Real, int W>
struct ScalarTraits<Pack<Real, W>> : ScalarTraits<Real> {
  static constexpr int lanes = W;
};

template <class Real, int W>
struct Pack {
  static_assert(Plain<Real> && W > 1 && (W & (W - 1)) == 0, "a power of two of plain numbers");
  using Register = internal::Vector<Real, W>;
  using Mask = internal::PackMask<Real, W>;

  Register lanes{};

  Pack() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> TORSOR_INLINE Pack(Number x)
      : lanes(internal::broadcast<Register>(static_cast<Real>(x))) {}
  TORSOR_INLINE static Pack of(const Register& lanes) {
    Pack result;
    result.lanes = lanes;
    return result;
  }

  /// W numbers from and to memory of any alignment.
  TORSOR_INLINE static Pack load(const Real* from) {
    Pack result;
    std::memcpy(&result.lanes, from, sizeof(Register));
    return result;
  }
  TORSOR_INLINE void store(Real* to) const { std::memcpy(to, &lanes, sizeof(Register)); }

  TORSOR_INLINE Real operator[](int lane) const { return lanes[lane]; }
  TORSOR_INLINE void set(int lane, Real x) { lanes[lane] = x; }

  friend TORSOR_INLINE Pack operator+(const Pack& a) { return a; }
  friend TORSOR_INLINE Pack operator-(const Pack& a) { return of(-a.lanes); }
  friend TORSOR_INLINE Pack operator+(const Pack& a, const Pack& b) {
    return of(a.lanes + b.lanes);
  }
  friend TORSOR_INLINE Pack operator-(const Pack& a, const Pack& b) {
    return of(a.lanes - b.lanes);
  }
  friend TORSOR_INLINE Pack operator*(const Pack& a, const Pack& b) {
    return of(a.lanes * b.lanes);
  }
  friend TORSOR_INLINE Pack operator/(const Pack& a, const Pack& b) {
    return of(a.lanes / b.lanes);
  }
  TORSOR_INLINE Pack& operator+=(const Pack& b) { return *this = *this + b; }
  TORSOR_INLINE Pack& operator-=(const Pack& b) { return *this = *this - b; }
  TORSOR_INLINE Pack& operator*=(const Pack& b) { return *this = *this * b; }
  TORSOR_INLINE Pack& operator/=(const Pack& b) { return *this = *this / b; }

  friend TORSOR_INLINE Mask operator<(const Pack& a, const Pack& b) { return {a.lanes < b.lanes}; }
  friend TORSOR_INLINE Mask operator<=(const Pack& a, const Pack& b) {
    return {a.lanes <= b.lanes};
  }
  friend TORSOR_INLINE Mask operator>(const Pack& a, const Pack& b) { return {a.lanes > b.lanes}; }
  friend TORSOR_INLINE Mask operator>=(const Pack& a, const Pack& b) {
    return {a.lanes >= b.lanes};
  }
  friend TORSOR_INLINE Mask operator==(const Pack& a, const Pack& b) {
    return {a.lanes == b.lanes};
  }
  friend TORSOR_INLINE Mask operator!=(const Pack& a, const Pack& b) {
    return {a.lanes != b.lanes};
  }
  friend TORSOR_INLINE Pack select(const Mask& mask, const Pack& a, const Pack& b) {
    return of(internal::pick(mask.bits, a.lanes, b.lanes));
  }
  friend TORSOR_INLINE Pack select(bool mask, const Pack& a, const Pack& b) { return mask ? a : b; }

  friend TORSOR_INLINE SinCos<Pack> sincos(const Pack& x) {
    const auto [s, c] = internal::sincos_register(x.lanes);
    return {of(s), of(c)};
  }
  friend TORSOR_INLINE Pack sin(const Pack& x) { return sincos(x).sin; }
  friend TORSOR_INLINE Pack cos(const Pack& x) { return sincos(x).cos; }
  friend TORSOR_INLINE Pack tan(const Pack& x) {
    const auto [s, c] = sincos(x);
    return s / c;
  }
  friend TORSOR_INLINE Pack atan2(const Pack& y, const Pack& x) {
    return of(internal::atan2_register(y.lanes, x.lanes));
  }
  friend TORSOR_INLINE Pack abs(const Pack& x) { return of(internal::magnitude(x.lanes)); }
  friend TORSOR_INLINE Pack copysign(const Pack& x, const Pack& sign) {
    return of(internal::with_sign_of(x.lanes, sign.lanes));
  }
  friend TORSOR_INLINE Pack min(const Pack& a, const Pack& b) { return select(b < a, b, a); }
  friend TORSOR_INLINE Pack max(const Pack& a, const Pack& b) { return select(a < b, b, a); }
  friend TORSOR_INLINE Mask is_finite(const Pack& x) { return {internal::finite_mask(x.lanes)}; }
  friend TORSOR_INLINE Pack value_of(const Pack& x) { return x; }

  friend TORSOR_INLINE Pack sqrt(const Pack& x) {
    return x.each([](Real lane) { return std::sqrt(lane); });
  }
  friend TORSOR_INLINE Pack exp(const Pack& x) { return of(internal::exp_register(x.lanes)); }
  friend TORSOR_INLINE Pack log(const Pack& x) {
    return x.each([](Real lane) { return std::log(lane); });
  }
  friend TORSOR_INLINE Pack tanh(const Pack& x) { return of(internal::tanh_register(x.lanes)); }

 private:
  template <class Function>
  TORSOR_INLINE Pack each(Function f) const {
    Pack result;
    for (int lane = 0; lane < W; ++lane) result.lanes[lane] = f(lanes[lane]);
    return result;
  }
};

}  // namespace torsor
