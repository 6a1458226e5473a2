#pragma once
/// Vectors and matrices of three: the arithmetic under every group and algebra of this room.
///
/// Param and Real mix by ordinary arithmetic (`Prod<A, B>`): a double model is broadcast into the
/// lanes of a Pack, and a Dual state needs no Dual model. Matrices are stored by columns.
#include <concepts>

#include "torsor/math/scalar.hpp"

namespace torsor {

namespace internal {

/// A number that may stand at the left of what it scales: 2 * v is v * 2.
template <class Number>
concept Factor = Scalar<Number> || std::integral<Number>;

}  // namespace internal

template <class Real>
struct Vec3 {
  Real x{}, y{}, z{};

  TORSOR_HD constexpr Real& operator[](int k) { return k == 0 ? x : k == 1 ? y : z; }
  TORSOR_HD constexpr const Real& operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
  template <class Other>
  TORSOR_HD constexpr Vec3<Other> cast() const {
    return {Other(x), Other(y), Other(z)};
  }
  TORSOR_HD static constexpr Vec3 unit_x() { return {Real(1), Real(0), Real(0)}; }
  TORSOR_HD static constexpr Vec3 unit_y() { return {Real(0), Real(1), Real(0)}; }
  TORSOR_HD static constexpr Vec3 unit_z() { return {Real(0), Real(0), Real(1)}; }
};

template <class A, class B>
TORSOR_HD constexpr Vec3<Prod<A, B>> operator+(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
TORSOR_HD constexpr Vec3<Prod<A, B>> operator-(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A>
TORSOR_HD constexpr Vec3<A> operator-(const Vec3<A>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class A, internal::Factor B>
TORSOR_HD constexpr Vec3<Prod<A, B>> operator*(const Vec3<A>& a, const B& s) {
  return {a.x * s, a.y * s, a.z * s};
}
template <internal::Factor A, class B>
TORSOR_HD constexpr Vec3<Prod<A, B>> operator*(const A& s, const Vec3<B>& b) {
  return b * s;
}
template <class A, internal::Factor B>
TORSOR_HD constexpr Vec3<Prod<A, B>> operator/(const Vec3<A>& a, const B& s) {
  return {a.x / s, a.y / s, a.z / s};
}
template <class A, class B>
TORSOR_HD constexpr Vec3<A>& operator+=(Vec3<A>& a, const Vec3<B>& b) {
  return a = a + b;
}
template <class A, class B>
TORSOR_HD constexpr Vec3<A>& operator-=(Vec3<A>& a, const Vec3<B>& b) {
  return a = a - b;
}
template <class A, class B>
TORSOR_HD constexpr Prod<A, B> dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
TORSOR_HD constexpr Vec3<Prod<A, B>> cross(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class A>
TORSOR_HD constexpr A squared_norm(const Vec3<A>& a) {
  return dot(a, a);
}
template <class A>
TORSOR_HD A norm(const Vec3<A>& a) {
  return sqrt(dot(a, a));
}
/// a / |a|. The caller guarantees |a| > 0.
template <class A>
TORSOR_HD Vec3<A> normalised(const Vec3<A>& a) {
  return a * (A(1) / norm(a));
}

/// Columns c0, c1, c2.
template <class Real>
struct Mat3 {
  Vec3<Real> c0, c1, c2;

  TORSOR_HD constexpr Vec3<Real>& operator[](int k) { return k == 0 ? c0 : k == 1 ? c1 : c2; }
  TORSOR_HD constexpr const Vec3<Real>& operator[](int k) const {
    return k == 0 ? c0 : k == 1 ? c1 : c2;
  }
  /// Element of row r and column c.
  TORSOR_HD constexpr const Real& operator()(int r, int c) const { return (*this)[c][r]; }
  TORSOR_HD constexpr Real& operator()(int r, int c) { return (*this)[c][r]; }
  template <class Other>
  TORSOR_HD constexpr Mat3<Other> cast() const {
    return {c0.template cast<Other>(), c1.template cast<Other>(), c2.template cast<Other>()};
  }
  TORSOR_HD static constexpr Mat3 identity() {
    return {Vec3<Real>::unit_x(), Vec3<Real>::unit_y(), Vec3<Real>::unit_z()};
  }
  /// The matrix whose rows are a, b, c.
  TORSOR_HD static constexpr Mat3 rows(const Vec3<Real>& a, const Vec3<Real>& b,
                                       const Vec3<Real>& c) {
    return {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
  }
};

template <class A, class B>
TORSOR_HD constexpr Mat3<Prod<A, B>> operator+(const Mat3<A>& a, const Mat3<B>& b) {
  return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
}
template <class A, class B>
TORSOR_HD constexpr Mat3<Prod<A, B>> operator-(const Mat3<A>& a, const Mat3<B>& b) {
  return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2};
}
template <class A>
TORSOR_HD constexpr Mat3<A> operator-(const Mat3<A>& a) {
  return {-a.c0, -a.c1, -a.c2};
}
template <class A, internal::Factor B>
TORSOR_HD constexpr Mat3<Prod<A, B>> operator*(const Mat3<A>& a, const B& s) {
  return {a.c0 * s, a.c1 * s, a.c2 * s};
}
template <internal::Factor A, class B>
TORSOR_HD constexpr Mat3<Prod<A, B>> operator*(const A& s, const Mat3<B>& b) {
  return b * s;
}
template <class A, class B>
TORSOR_HD constexpr Vec3<Prod<A, B>> operator*(const Mat3<A>& a, const Vec3<B>& u) {
  return a.c0 * u.x + a.c1 * u.y + a.c2 * u.z;
}
template <class A, class B>
TORSOR_HD constexpr Mat3<Prod<A, B>> operator*(const Mat3<A>& a, const Mat3<B>& b) {
  return {a * b.c0, a * b.c1, a * b.c2};
}
/// a^T u, without forming the transpose.
template <class A, class B>
TORSOR_HD constexpr Vec3<Prod<A, B>> transpose_times(const Mat3<A>& a, const Vec3<B>& u) {
  return {dot(a.c0, u), dot(a.c1, u), dot(a.c2, u)};
}
/// a^T b.
template <class A, class B>
TORSOR_HD constexpr Mat3<Prod<A, B>> transpose_times(const Mat3<A>& a, const Mat3<B>& b) {
  return {transpose_times(a, b.c0), transpose_times(a, b.c1), transpose_times(a, b.c2)};
}
template <class A>
TORSOR_HD constexpr Mat3<A> transpose(const Mat3<A>& a) {
  return Mat3<A>::rows(a.c0, a.c1, a.c2);
}
template <class A>
TORSOR_HD constexpr A trace(const Mat3<A>& a) {
  return a.c0.x + a.c1.y + a.c2.z;
}
template <class A>
TORSOR_HD constexpr A determinant(const Mat3<A>& a) {
  return dot(a.c0, cross(a.c1, a.c2));
}
/// The caller guarantees a determinant other than zero.
template <class A>
TORSOR_HD constexpr Mat3<A> inverse(const Mat3<A>& a) {
  const Vec3<A> r0 = cross(a.c1, a.c2), r1 = cross(a.c2, a.c0), r2 = cross(a.c0, a.c1);
  const A k = A(1) / dot(a.c0, r0);
  return Mat3<A>::rows(r0 * k, r1 * k, r2 * k);
}
/// a b^T.
template <class A, class B>
TORSOR_HD constexpr Mat3<Prod<A, B>> outer(const Vec3<A>& a, const Vec3<B>& b) {
  return {a * b.x, a * b.y, a * b.z};
}
/// S(k) b = k x b.
template <class A>
TORSOR_HD constexpr Mat3<A> skew(const Vec3<A>& k) {
  const A o(0);
  return {{o, k.z, -k.y}, {-k.z, o, k.x}, {k.y, -k.x, o}};
}
/// The vector of the skew part of s: vee(skew(k)) = k.
template <class A>
TORSOR_HD constexpr Vec3<A> vee(const Mat3<A>& s) {
  const auto half = typename ScalarTraits<A>::Value(0.5);
  return {(s.c1.z - s.c2.y) * half, (s.c2.x - s.c0.z) * half, (s.c0.y - s.c1.x) * half};
}

/// A symmetric matrix by its six entries.
template <class Real>
struct Sym3 {
  Real xx{}, xy{}, yy{}, xz{}, yz{}, zz{};

  TORSOR_HD constexpr Mat3<Real> matrix() const {
    return {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
  }
  /// The upper triangle of m.
  TORSOR_HD static constexpr Sym3 of(const Mat3<Real>& m) {
    return {m.c0.x, m.c1.x, m.c1.y, m.c2.x, m.c2.y, m.c2.z};
  }
  TORSOR_HD static constexpr Sym3 diagonal(const Real& a, const Real& b, const Real& c) {
    return {a, Real(0), b, Real(0), Real(0), c};
  }
  template <class Other>
  TORSOR_HD constexpr Sym3<Other> cast() const {
    return {Other(xx), Other(xy), Other(yy), Other(xz), Other(yz), Other(zz)};
  }
};

template <class A, class B>
TORSOR_HD constexpr Sym3<Prod<A, B>> operator+(const Sym3<A>& a, const Sym3<B>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy, a.xz + b.xz, a.yz + b.yz, a.zz + b.zz};
}
template <class A, class B>
TORSOR_HD constexpr Sym3<Prod<A, B>> operator-(const Sym3<A>& a, const Sym3<B>& b) {
  return {a.xx - b.xx, a.xy - b.xy, a.yy - b.yy, a.xz - b.xz, a.yz - b.yz, a.zz - b.zz};
}
template <class A, internal::Factor B>
TORSOR_HD constexpr Sym3<Prod<A, B>> operator*(const Sym3<A>& a, const B& s) {
  return {a.xx * s, a.xy * s, a.yy * s, a.xz * s, a.yz * s, a.zz * s};
}
template <internal::Factor A, class B>
TORSOR_HD constexpr Sym3<Prod<A, B>> operator*(const A& s, const Sym3<B>& b) {
  return b * s;
}
template <class A, class B>
TORSOR_HD constexpr Vec3<Prod<A, B>> operator*(const Sym3<A>& a, const Vec3<B>& u) {
  return {a.xx * u.x + a.xy * u.y + a.xz * u.z, a.xy * u.x + a.yy * u.y + a.yz * u.z,
          a.xz * u.x + a.yz * u.y + a.zz * u.z};
}
template <class A>
TORSOR_HD constexpr A trace(const Sym3<A>& a) {
  return a.xx + a.yy + a.zz;
}
/// R a R^T.
template <class A, class B>
TORSOR_HD constexpr Sym3<Prod<A, B>> rotated(const Mat3<A>& R, const Sym3<B>& a) {
  const Vec3<Prod<A, B>> t0 = R * Vec3<B>{a.xx, a.xy, a.xz}, t1 = R * Vec3<B>{a.xy, a.yy, a.yz},
                         t2 = R * Vec3<B>{a.xz, a.yz, a.zz};
  const auto row = [&](int r, const auto& c) { return t0[r] * c.x + t1[r] * c.y + t2[r] * c.z; };
  const Mat3<A> Rt = transpose(R);
  return {row(0, Rt.c0), row(0, Rt.c1), row(1, Rt.c1), row(0, Rt.c2), row(1, Rt.c2), row(2, Rt.c2)};
}

namespace internal {

/// The same vector in the number type of the state.
template <class Real, class Param>
TORSOR_HD TORSOR_INLINE Vec3<Prod<Param, Real>> lift(const Vec3<Param>& a) {
  return a * Real(1);
}

}  // namespace internal

}  // namespace torsor
