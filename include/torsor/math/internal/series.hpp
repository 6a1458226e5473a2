#pragma once
/// The coefficient functions of exp, dexp and their inverses on SO(3) and SE(3), as functions of
/// x = theta^2, exact through x = 0.
///
/// Each is analytic in x. Below x = 1 a power series is summed (no cancellation, no square root of
/// zero, so derivatives of any order are right at the identity); above it the closed form, whose
/// cancellation is then harmless. Both sides are evaluated and selected: no branch on a Real.
///
/// With z = ad, theta the rotation angle, z^5 = -2 theta^2 z^3 - theta^4 z (Cayley-Hamilton on se(3)):
///   z^(2m+1) = (1-m)(-x)^m z + m (-x)^(m-1) z^3,   z^(2m) = (2-m)(-x)^(m-1) z^2 + (m-1)(-x)^(m-2) z^4,
/// which turns the series of (e^z - 1)/z and z/(e^z - 1) into four and three coefficients.
/// Source   Selig 2005, sec. 7.6; Park 1991; the reduction above is derived here.
#include "torsor/math/internal/fixed_array.hpp"

namespace torsor::internal {
namespace series {

inline constexpr int terms = 12;
using Coefficients = FixedArray<double, terms>;

constexpr double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }
constexpr double alternating(int k) { return k % 2 == 0 ? 1.0 : -1.0; }

/// |B_2m| / (2m)!, m = 1 ... 12, with B the Bernoulli numbers (zeta(2m) = (2 pi)^2m |B_2m| / (2 (2m)!)).
inline constexpr FixedArray<double, terms + 1> bernoulli = {
    {0, 1.0 / 12, 1.0 / 720, 1.0 / 30240, 1.0 / 1209600, 1.0 / 47900160, 691.0 / 1307674368000.0,
     1.0 / 74724249600.0, 3617.0 / 10670622842880000.0, 43867.0 / 5109094217170944000.0,
     174611.0 / 802857662698291200000.0, 77683.0 / 14101100039391805440000.0,
     236364091.0 / 1693824136731743669452800000.0}};

template <class Function>
constexpr Coefficients make(Function f) {
  Coefficients c{};
  for (int k = 0; k < terms; ++k) c[k] = f(k);
  return c;
}
#ifdef __CUDACC__  // a device reads them from its own memory
#define TORSOR_TABLE __device__ constexpr
#else
#define TORSOR_TABLE inline constexpr
#endif
// sin(t)/t, (1 - cos t)/t^2, (t - sin t)/t^3
TORSOR_TABLE Coefficients sinc = make([](int k) { return alternating(k) / factorial(2 * k + 1); });
TORSOR_TABLE Coefficients cosc = make([](int k) { return alternating(k) / factorial(2 * k + 2); });
TORSOR_TABLE Coefficients sinc3 = make([](int k) { return alternating(k) / factorial(2 * k + 3); });
// (1 - (t/2) cot(t/2)) / t^2
TORSOR_TABLE Coefficients cot = make([](int k) { return bernoulli[k + 1]; });
// dexp on se(3): 1 + a1 z + a2 z^2 + a3 z^3 + a4 z^4 (left; the right one has -z)
TORSOR_TABLE Coefficients a1 =
    make([](int k) { return (1 - k) * alternating(k) / factorial(2 * k + 2); });
TORSOR_TABLE Coefficients a2 =
    make([](int k) { return (1 - k) * alternating(k) / factorial(2 * k + 3); });
TORSOR_TABLE Coefficients a3 =
    make([](int k) { return (k + 1) * alternating(k) / factorial(2 * k + 4); });
TORSOR_TABLE Coefficients a4 =
    make([](int k) { return (k + 1) * alternating(k) / factorial(2 * k + 5); });
// dexp^-1 on se(3): 1 - z/2 + b2 z^2 + b4 z^4
TORSOR_TABLE Coefficients b2 = make([](int k) { return (1 - k) * bernoulli[k + 1]; });
TORSOR_TABLE Coefficients b4 =
    make([](int k) { return k + 2 > terms ? 0.0 : -(k + 1) * bernoulli[k + 2]; });

#undef TORSOR_TABLE

template <class Real>
TORSOR_HD Real sum(const Coefficients& c, const Real& x) {
  using Value = typename ScalarTraits<Real>::Value;
  Real y = Value(c[terms - 1]);
  for (int k = terms - 2; k >= 0; --k) y = y * x + Value(c[k]);
  return y;
}

}  // namespace series

/// theta and its sine and cosine for x = theta^2, with 1 in place of theta where x is small: the
/// closed forms are then finite, and not selected.
template <class Real>
struct SafeAngle {
  Real theta, sin, cos;
  decltype(Real{} < Real{}) small;

  TORSOR_HD explicit SafeAngle(const Real& x)
      : theta(sqrt(select(x < Real(1), Real(1), x))), sin(), cos(), small(x < Real(1)) {
    const SinCos<Real> sc = sincos(theta);
    sin = sc.sin;
    cos = sc.cos;
  }
};

/// a = sin t / t, b = (1 - cos t) / t^2, c = (t - sin t) / t^3: exp = 1 + a W + b W^2,
/// left dexp = 1 + b W + c W^2, with W = skew(w).
template <class Real>
struct ExpCoefficients {
  Real a, b, c;

  TORSOR_HD explicit ExpCoefficients(const Real& x) {
    const SafeAngle<Real> t(x);
    const Real x1 = t.theta * t.theta, one(1);
    const Real near0 = select(t.small, x, Real(0));
    a = select(t.small, series::sum(series::sinc, near0), t.sin / t.theta);
    b = select(t.small, series::sum(series::cosc, near0), (one - t.cos) / x1);
    c = select(t.small, series::sum(series::sinc3, near0), (t.theta - t.sin) / (x1 * t.theta));
  }
};

/// (1 - (t/2) cot(t/2)) / t^2: left dexp^-1 = 1 - W/2 + that W^2.
template <class Real>
TORSOR_HD Real dexp_inv_coefficient(const Real& x) {
  const SafeAngle<Real> t(x);
  const Real closed =
      (Real(1) - t.theta * t.sin / (Real(2) * (Real(1) - t.cos))) / (t.theta * t.theta);
  return select(t.small, series::sum(series::cot, select(t.small, x, Real(0))), closed);
}

/// The four of dexp and the two of dexp^-1 on se(3), as in the header comment.
template <class Real>
struct DexpCoefficients {
  Real a1, a2, a3, a4;

  TORSOR_HD explicit DexpCoefficients(const Real& x) {
    const SafeAngle<Real> t(x);
    const Real y = select(t.small, x, Real(0)), x1 = t.theta * t.theta, x2 = x1 * x1;
    const Real ts = t.theta * t.sin, tc = t.theta * t.cos, two(2);
    const auto pick = [&](const series::Coefficients& c, const Real& closed) {
      return select(t.small, series::sum(c, y), closed);
    };
    a1 = pick(series::a1, (Real(4) - ts - Real(4) * t.cos) / (two * x1));
    a2 = pick(series::a2, (Real(4) * t.theta - Real(5) * t.sin + tc) / (two * x1 * t.theta));
    a3 = pick(series::a3, (two - ts - two * t.cos) / (two * x2));
    a4 = pick(series::a4, (two * t.theta - Real(3) * t.sin + tc) / (two * x2 * t.theta));
  }
};

template <class Real>
struct DexpInvCoefficients {
  Real b2, b4;

  TORSOR_HD explicit DexpInvCoefficients(const Real& x) {
    const SafeAngle<Real> t(x);
    const Real y = select(t.small, x, Real(0)), x1 = t.theta * t.theta, four(4);
    const Real k = Real(1) / (four * t.theta * (t.cos - Real(1)));
    b2 =
        select(t.small, series::sum(series::b2, y), Real(2) / x1 + (t.theta + Real(3) * t.sin) * k);
    b4 = select(t.small, series::sum(series::b4, y), (Real(1) / x1 + (t.theta + t.sin) * k) / x1);
  }
};

}  // namespace torsor::internal
