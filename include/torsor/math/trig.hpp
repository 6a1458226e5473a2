#pragma once
/// Sine, cosine and arc tangent without branches: one implementation for plain numbers and vector registers.
///
///   sincos   n = round(x 2/pi),  r = x - n pi/2 in [-pi/4, pi/4],  the quadrant n mod 4 swaps and
///            signs two polynomials in r^2.
///   atan2    the octant of (x, y) folds the slope into w in [-tan(pi/8), tan(pi/8)]; the result is
///            m pi/4 +- atan(w), rounded once.
///
/// Accuracy sincos: absolute error <= 2^-52 (double), 2^-23 (float) for |x| <= 1e4; beyond, the
///          error grows like the spacing of numbers near x. From 2^48 (float: 2^19) on, and for NaN
///          and infinity, the result is NaN. sin(-0) is +0.
///          atan2: <= 4 ulp for finite arguments; signed zeros as in std::atan2.
///          Both hold with and without fused multiply-add.
/// Cost     sincos about 21 floating-point instructions; atan2 about 40 and one division.
#include "torsor/math/internal/register.hpp"

namespace torsor {

/// double or float: the numbers the machine knows.
template <class Number>
concept Plain = std::is_same_v<Number, double> || std::is_same_v<Number, float>;

template <class Real>
struct SinCos {
  Real sin, cos;
};

namespace internal {

/// c0 + c1 z + ... + c5 z^5 by pairs: half the latency of Horner's scheme.
template <class Register, class Value = ValueOf<Register>>
TORSOR_HD TORSOR_INLINE Register quintic(const Register& z, Value c0, Value c1, Value c2, Value c3,
                                         Value c4, Value c5) {
  const Register z2 = z * z;
  const Register low = z * c1 + c0;
  const Register middle = z * c3 + c2;
  const Register high = z * c5 + c4;
  return (high * z2 + middle) * z2 + low;
}

template <class Register>
TORSOR_HD TORSOR_INLINE Register horner(const Register&, ValueOf<Register> last) {
  return broadcast<Register>(last);
}
template <class Register, class... Values>
TORSOR_HD TORSOR_INLINE Register horner(const Register& z, ValueOf<Register> first,
                                        Values... rest) {
  return horner(z, rest...) * z + first;
}

/// Sine and cosine of the reduced angle |r| <= pi/4: r + r^3 P(r^2) and 1 - r^2/2 + r^4 Q(r^2) with
/// P and Q of least maximal error (2^-59 and 2^-64 in double, 2^-29 and 2^-33 in float).
template <class Register>
TORSOR_HD TORSOR_INLINE SinCos<Register> sincos_reduced(const Register& r) {
  const Register z = r * r;
  if constexpr (sizeof(ValueOf<Register>) == 8) {
    const Register p =
        quintic(z, -0.166666666666666, 0.008333333333316447, -0.00019841269825909537,
                2.7557312536758234e-06, -2.505059903401677e-08, 1.5888518024003796e-10);
    const Register q =
        quintic(z, 0.0416666666666666, -0.001388888888887411, 2.480158728947248e-05,
                -2.755731434940132e-07, 2.0875722858493468e-09, -1.1359625539176216e-11);
    return {(r * z) * p + r, (z * z) * q + (1.0 - z * 0.5)};
  } else {
    const Register p = horner(z, -0.166666508f, 0.00833197776f, -0.000194954991f);
    const Register q = horner(z, 0.0416666456f, -0.00138873665f, 2.44383082e-05f);
    return {(r * z) * p + r, (z * z) * q + (1.0f - z * 0.5f)};
  }
}

template <class Register>
TORSOR_HD TORSOR_INLINE SinCos<Register> sincos_register(const Register& x) {
  using Value = ValueOf<Register>;
  using Twin = TwinOf<Register>;
  constexpr bool wide = sizeof(Value) == 8;
  // Adding 1.5 2^52 rounds to an integer and leaves it in the low bits.
  constexpr Value magic = wide ? Value(6755399441055744.0) : Value(12582912.0);
  const Register shifted = x * Value(0.636619772367581343) + magic;
  const Register n = shifted - magic;
  const Twin k = bits_as<Twin>(shifted);

  // pi/2 in parts short enough that n times each but the last is exact for |x| <= 1e5 (1e4).
  Register r;
  if constexpr (wide) {
    r = x - n * 0x1.921fb5444p+0;
    r = r - n * 0x1.68c234c4c6629p-39;
  } else {
    r = x - n * 0x1.92p+0f;
    r = r - n * 0x1.fbp-12f;
    r = r - n * 0x1.5110b4p-22f;
  }
  // So far out neighbouring numbers are turns apart: NaN rather than a meaningless number.
  const Register limit = broadcast<Register>(wide ? Value(0x1p+48) : Value(0x1p+19));
  r = pick(magnitude(x) < limit, r, broadcast<Register>(std::numeric_limits<Value>::quiet_NaN()));
  const auto [s, c] = sincos_reduced(r);

  constexpr int top = wide ? 62 : 30;
  const Twin swap = -(k & 1);
  const Twin s_bits = bits_as<Twin>(s), c_bits = bits_as<Twin>(c);
  const Twin exchange = (s_bits ^ c_bits) & swap;
  return {bits_as<Register>(s_bits ^ exchange ^ ((k & 2) << top)),
          bits_as<Register>(c_bits ^ exchange ^ (((k ^ swap) & 2) << top))};
}

/// (atan(w) - w)/w for |w| <= tan(pi/8) as a polynomial in z = w^2 of least maximal error (2^-59 in
/// double, 2^-30 in float).
template <class Register>
TORSOR_HD TORSOR_INLINE Register atan_tail(const Register& z) {
  if constexpr (sizeof(ValueOf<Register>) == 8) {
    return z * horner(z, -0.333333333333332, 0.19999999999954002, -0.14285714280239864,
                      0.1111111078568351, -0.09090897822827977, 0.07692061385983008,
                      -0.06663117438093577, 0.0584798687304847, -0.05039743646210743,
                      0.038075672557658, -0.017919316943153324);
  } else {
    return z * horner(z, -0.333333164f, 0.199984878f, -0.142438263f, 0.10595829f, -0.0608299226f);
  }
}

template <class Register>
TORSOR_HD TORSOR_INLINE Register atan2_register(const Register& y, const Register& x) {
  using Value = ValueOf<Register>;
  constexpr bool wide = sizeof(Value) == 8;
  const Register zero{}, one = broadcast<Register>(1);
  const auto steep = magnitude(y) > magnitude(x);
  const auto backward = bits_as<TwinOf<Register>>(x) < 0;  // the sign bit: -0 counts

  // Numbers near the top of the range are brought down, or their sum would overflow.
  Register large = pick(steep, magnitude(y), magnitude(x));
  Register small = pick(steep, magnitude(x), magnitude(y));
  const Register huge = broadcast<Register>(wide ? Value(0x1p+1000) : Value(0x1p+120));
  const Register scale = pick(large > huge, broadcast<Register>(Value(0.25)), one);
  large = large * scale;
  small = small * scale;

  // a = atan(small/large); beyond pi/8, tan(a - pi/4) = (small - large)/(small + large).
  const auto far = small > large * Value(0.41421356237309503);
  const Register numerator = pick(far, small - large, small);
  const Register denominator = pick(far, small + large, large);
  const Register w = numerator / pick(large == zero, one, denominator);
  const Register angle = atan_tail(w * w) * w + w;

  // The result is a, pi/2 - a if steep, and pi minus that if backward: m pi/4 +- angle, where the
  // upper part of pi/4 is short enough that m times it is exact.
  Register m = pick(far, one, zero);
  m = pick(steep, 2 - m, m);
  m = pick(backward, 4 - m, m);
  const Register sense = pick(steep, -one, one) * pick(backward, -one, one);
  constexpr Value upper = wide ? Value(0x1.921fb54442d18p-1) : Value(0x1.921fbp-1);
  constexpr Value lower = wide ? Value(0x1.1a62633145c07p-55) : Value(0x1.5110b4p-23);
  const Register result = m * upper + (sense * angle + m * lower);
  return flip_sign(result, sign_of(y));
}

}  // namespace internal

template <Plain Real>
TORSOR_HD TORSOR_INLINE SinCos<Real> sincos(Real x) {
  return internal::sincos_register(x);
}
template <Plain Real>
TORSOR_HD TORSOR_INLINE Real sin(Real x) {
  return sincos(x).sin;
}
template <Plain Real>
TORSOR_HD TORSOR_INLINE Real cos(Real x) {
  return sincos(x).cos;
}
template <Plain Real>
TORSOR_HD TORSOR_INLINE Real tan(Real x) {
  const auto [s, c] = sincos(x);
  return s / c;
}
template <Plain Real>
TORSOR_HD TORSOR_INLINE Real atan2(Real y, Real x) {
  return internal::atan2_register(y, x);
}

#ifndef __CUDACC__
namespace internal {

template <class To, class Real>
TORSOR_INLINE To load(const Real* from) {
  To to;
  std::memcpy(&to, from, sizeof(To));
  return to;
}

/// Angles as they lie in memory, and sums of two arrays: the sum is formed in registers.
template <class Real>
struct PlainAngles {
  const Real* q;

  TORSOR_INLINE Real at(int k) const { return q[k]; }
  template <class Register>
  TORSOR_INLINE Register from(int k) const {
    return load<Register>(q + k);
  }
};
template <class Real>
struct ShiftedAngles {
  PlainAngles<Real> q, offset;

  TORSOR_INLINE Real at(int k) const { return q.at(k) + offset.at(k); }
  template <class Register>
  TORSOR_INLINE Register from(int k) const {
    return q.template from<Register>(k) + offset.template from<Register>(k);
  }
};

/// W of the angles from `first` on.
template <class Real, int W, class Angles>
TORSOR_INLINE void sincos_at(const Angles& q, Real* s, Real* c, int first) {
  using Register = Vector<Real, W>;
  const auto [sine, cosine] = sincos_register(q.template from<Register>(first));
  std::memcpy(s + first, &sine, sizeof(Register));
  std::memcpy(c + first, &cosine, sizeof(Register));
}

/// The angles q[0..n) for n < 2W: the first W and the last W, which may overlap. Nothing is read or
/// written past the end; two narrow registers cost less than one wide one put together from them.
template <class Real, int W, class Angles>
TORSOR_INLINE void sincos_few(const Angles& q, Real* s, Real* c, int n) {
  if constexpr (W == 1) {
    if (n < 1) return;
    const auto [sine, cosine] = sincos_register(q.at(0));
    s[0] = sine;
    c[0] = cosine;
  } else {
    if (n < W) return sincos_few<Real, W / 2>(q, s, c, n);
    sincos_at<Real, W>(q, s, c, 0);
    if (n > W) sincos_at<Real, W>(q, s, c, n - W);
  }
}

/// One register of the machine after the other; the last one may overlap its predecessor.
template <class Real, class Angles>
TORSOR_INLINE void sincos_all(const Angles& q, Real* s, Real* c, int n) {
  constexpr int width = machine_bytes / static_cast<int>(sizeof(Real));
  if (n < width) return sincos_few<Real, width / 2>(q, s, c, n);
  for (int i = 0; i < n; i += width)
    sincos_at<Real, width>(q, s, c, i + width <= n ? i : n - width);
}

/// s[i], c[i] = sine and cosine of q[i] for i < n, exactly as sincos gives them, many at a time.
/// The three arrays must not overlap.
TORSOR_INLINE void sincos_many(const double* q, double* s, double* c, int n) {
  sincos_all(PlainAngles<double>{q}, s, c, n);
}
TORSOR_INLINE void sincos_many(const float* q, float* s, float* c, int n) {
  sincos_all(PlainAngles<float>{q}, s, c, n);
}
/// The same of q[i] + offset[i].
template <Plain Real>
TORSOR_INLINE void sincos_many(const Real* q, const Real* offset, Real* s, Real* c, int n) {
  sincos_all(ShiftedAngles<Real>{{q}, {offset}}, s, c, n);
}

}  // namespace internal

#else
namespace internal {

template <Plain Real>
TORSOR_HD void sincos_many(const Real* q, Real* s, Real* c, int n) {
  for (int i = 0; i < n; ++i) {
    const auto both = sincos(q[i]);
    s[i] = both.sin;
    c[i] = both.cos;
  }
}
template <Plain Real>
TORSOR_HD void sincos_many(const Real* q, const Real* offset, Real* s, Real* c, int n) {
  for (int i = 0; i < n; ++i) {
    const auto both = sincos(q[i] + offset[i]);
    s[i] = both.sin;
    c[i] = both.cos;
  }
}

}  // namespace internal

#endif

}  // namespace torsor
