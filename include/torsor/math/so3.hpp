#pragma once
/// Rotations: SO(3) as matrices, quaternions (x, y, z, w), and their exponential coordinates.
///
///   exp(w) = 1 + a W + b W^2,  W = skew(w)          log(exp(w)) = w for |w| <= pi
///   R^T dR = skew(dexp(w) dw) for R = exp(w)        dexp_inv is its inverse, |w| < 2 pi
///
/// Frames   R_ab maps coordinates in b to coordinates in a; dexp is the body-side (right) one.
/// Exact at 0, near 0 and near pi: series.hpp below one radian, and log goes through the largest
/// quaternion component, so no cancellation remains at pi.
/// Source   Murray, Li & Sastry 1994, ch. 2; Huo 2005, (1-2); Shepperd 1978 for matrix to quaternion.
#include "torsor/math/internal/series.hpp"
#include "torsor/math/vec3.hpp"

namespace torsor {

/// A rotation is stored as its matrix [n o a].
template <class Real>
using SO3 = Mat3<Real>;

template <class Real>
struct Quaternion {
  Real x{}, y{}, z{}, w{1};
};

template <class Real>
TORSOR_HD SO3<Real> rotation_x(const Real& angle) {
  const auto [s, c] = sincos(angle);
  const Real o(0);
  return {{Real(1), o, o}, {o, c, s}, {o, -s, c}};
}
template <class Real>
TORSOR_HD SO3<Real> rotation_y(const Real& angle) {
  const auto [s, c] = sincos(angle);
  const Real o(0);
  return {{c, o, -s}, {o, Real(1), o}, {s, o, c}};
}
template <class Real>
TORSOR_HD SO3<Real> rotation_z(const Real& angle) {
  const auto [s, c] = sincos(angle);
  const Real o(0);
  return {{c, s, o}, {-s, c, o}, {o, o, Real(1)}};
}

namespace internal {

/// Rotation by an angle whose sine and cosine are known, about the unit vector k.
template <class Param, class Real>
TORSOR_HD SO3<Prod<Param, Real>> rotation_about(const Vec3<Param>& k, const SinCos<Real>& angle) {
  const Real &s = angle.sin, &c = angle.cos;
  const Vec3<Prod<Param, Real>> t = k * (Real(1) - c), ks = k * s;
  return {{t.x * k.x + c, t.x * k.y + ks.z, t.x * k.z - ks.y},
          {t.y * k.x - ks.z, t.y * k.y + c, t.y * k.z + ks.x},
          {t.z * k.x + ks.y, t.z * k.y - ks.x, t.z * k.z + c}};
}

}  // namespace internal

template <class Real>
TORSOR_HD SO3<Real> exp(const Vec3<Real>& w) {
  const internal::ExpCoefficients<Real> k(squared_norm(w));
  const Vec3<Real> bw = w * k.b, aw = w * k.a;
  const Real d = Real(1) - dot(bw, w);
  return {{d + bw.x * w.x, bw.x * w.y + aw.z, bw.x * w.z - aw.y},
          {bw.y * w.x - aw.z, d + bw.y * w.y, bw.y * w.z + aw.x},
          {bw.z * w.x + aw.y, bw.z * w.y - aw.x, d + bw.z * w.z}};
}

/// Of a unit quaternion.
template <class Real>
TORSOR_HD SO3<Real> rotation(const Quaternion<Real>& q) {
  const Real two(2), one(1);
  const Real x2 = two * q.x, y2 = two * q.y, z2 = two * q.z;
  const Real xx = x2 * q.x, yy = y2 * q.y, zz = z2 * q.z, xy = x2 * q.y, xz = x2 * q.z,
             yz = y2 * q.z, wx = x2 * q.w, wy = y2 * q.w, wz = z2 * q.w;
  return {{one - (yy + zz), xy + wz, xz - wy},
          {xy - wz, one - (xx + zz), yz + wx},
          {xz + wy, yz - wx, one - (xx + yy)}};
}

/// The unit quaternion of R with w >= 0.
template <class Real>
TORSOR_HD Quaternion<Real> quaternion(const SO3<Real>& R) {
  const Real one(1), t = trace(R);
  const Real four_xx = one + R.c0.x + R.c0.x - t, four_yy = one + R.c1.y + R.c1.y - t,
             four_zz = one + R.c2.z + R.c2.z - t, four_ww = one + t;
  const Real a = R.c1.z - R.c2.y, b = R.c2.x - R.c0.z, c = R.c0.y - R.c1.x;  // 4wx, 4wy, 4wz
  const Real d = R.c1.x + R.c0.y, e = R.c2.x + R.c0.z, f = R.c2.y + R.c1.z;  // 4xy, 4xz, 4yz
  // Each row is 4 q_k q for one k; the k with the largest 4 q_k^2 (>= 1) loses no digits.
  Real largest = four_ww, x = a, y = b, z = c, w = four_ww;
  const auto consider = [&](const Real& size, const Real& qx, const Real& qy, const Real& qz,
                            const Real& qw) {
    const auto better = size > largest;
    largest = select(better, size, largest);
    x = select(better, qx, x), y = select(better, qy, y);
    z = select(better, qz, z), w = select(better, qw, w);
  };
  consider(four_xx, four_xx, d, e, a);
  consider(four_yy, d, four_yy, f, b);
  consider(four_zz, e, f, four_zz, c);
  const Real k = Real(1) / sqrt(x * x + y * y + z * z + w * w);
  const Real s = select(w < Real(0), -k, k);
  return {x * s, y * s, z * s, w * s};
}

/// Rotation vector w with |w| <= pi; at pi one of the two.
template <class Real>
TORSOR_HD Vec3<Real> log(const Quaternion<Real>& q) {
  using Value = typename ScalarTraits<Real>::Value;
  const Vec3<Real> v{q.x, q.y, q.z};
  const Real n2 = squared_norm(v);
  const auto small = n2 < Real(Value(1e-3));
  // 2 atan2(n, w) / n; near zero 2/w (1 - u/3 + u^2/5 - ...) with u = n^2 / w^2.
  const Real n = sqrt(select(small, Real(1), n2)), w = select(q.w < Real(0), -q.w, q.w);
  const Real wn = select(small, w, Real(1)), u = select(small, n2, Real(0)) / (wn * wn);
  Real tail(Value(1.0 / 17));
  for (int k = 15; k > 0; k -= 2) tail = Real(Value(1.0 / k)) - u * tail;
  const Real factor = select(small, Real(2) * tail / wn, Real(2) * atan2(n, w) / n);
  return v * select(q.w < Real(0), -factor, factor);
}
template <class Real>
TORSOR_HD Vec3<Real> log(const SO3<Real>& R) {
  return log(quaternion(R));
}

/// q1 q2: the rotation of q2 followed by that of q1.
template <class Real>
TORSOR_HD Quaternion<Real> operator*(const Quaternion<Real>& a, const Quaternion<Real>& b) {
  return {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
template <class Real>
TORSOR_HD Quaternion<Real> conjugate(const Quaternion<Real>& q) {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class Real>
TORSOR_HD Quaternion<Real> normalised(const Quaternion<Real>& q) {
  const Real k = Real(1) / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x * k, q.y * k, q.z * k, q.w * k};
}
/// The quaternion of exp(w).
template <class Real>
TORSOR_HD Quaternion<Real> quaternion_exp(const Vec3<Real>& w) {
  const auto half = typename ScalarTraits<Real>::Value(0.5);
  const Vec3<Real> u = w * half;
  const Real x = squared_norm(u);
  const internal::ExpCoefficients<Real> k(x);
  const Vec3<Real> v = u * k.a;
  return {v.x, v.y, v.z, Real(1) - x * k.b};
}

/// dexp(w) u: the body angular velocity of exp(w(t)) where w' = u.
template <class Real>
TORSOR_HD Vec3<Real> dexp(const Vec3<Real>& w, const Vec3<Real>& u) {
  const internal::ExpCoefficients<Real> k(squared_norm(w));
  const Vec3<Real> wu = cross(w, u);
  return u - wu * k.b + cross(w, wu) * k.c;
}
template <class Real>
TORSOR_HD Vec3<Real> dexp_inv(const Vec3<Real>& w, const Vec3<Real>& u) {
  const auto half = typename ScalarTraits<Real>::Value(0.5);
  const Vec3<Real> wu = cross(w, u);
  return u + wu * half + cross(w, wu) * internal::dexp_inv_coefficient(squared_norm(w));
}

}  // namespace torsor
