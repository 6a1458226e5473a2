#pragma once
/// Derivatives of inverse and forward dynamics of a serial chain of hinges, one state per thread.
///
/// The columns S, X, Y and the composites are those of lanes/chain_derivatives.hpp. A thread has no room for
/// motions of bodies beside its columns: on the way from the tip to the base they are run backwards,
///
///   R_p = R Rz(-q) Rx(-alpha),  p_p = p - R_p o,  w_p = w - s qd,  w'_p = w' - x qd - s qdd,  ...
///
/// which costs 8 % of the work and saves half of the memory. Columns, sines and cosines lie in memory
/// that the threads of a block share. Loops over joints are not unrolled: the code would be 70 KB, and
/// processors would wait for it.
///
/// Frames   World axes, about the origin of the first body. Composites of hinges have no mass left.
#include "composite.hpp"
#include "torsor/dynamics/internal/body_motion.hpp"
#include "torsor/linear/internal/ldlt.hpp"

namespace torsor::internal::device {

/// u + a x b, six multiply-adds.
template <class A, class B, class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> plus_cross(const Vec3<Real>& u, const Vec3<A>& a,
                                              const Vec3<B>& b) {
  return {u.x + a.y * b.z - a.z * b.y, u.y + a.z * b.x - a.x * b.z, u.z + a.x * b.y - a.y * b.x};
}

/// Twenty numbers for each joint: S, X, Y, sine and cosine; `stride` apart.
template <class Real>
struct ColumnMemory {
  static constexpr int numbers = 20;
  Real* at;
  int stride;

  TORSOR_HD TORSOR_INLINE Real& number(int k, int which) const {
    return at[(k * numbers + which) * stride];
  }
  TORSOR_HD TORSOR_INLINE Vec3<Real> vector(int k, int first) const {
    const Real* const x = &number(k, first);
    return {x[0], x[stride], x[2 * stride]};
  }
  TORSOR_HD TORSOR_INLINE void set(int k, int first, const Vec3<Real>& u) const {
    Real* const x = &number(k, first);
    x[0] = u.x, x[stride] = u.y, x[2 * stride] = u.z;
  }
};

template <class Real>
struct SlopeComposite {
  Vec3<Real> h{}, P{}, m{}, f{};
  Sym3<Real> S{};
  Mat3<Real> K{};

  /// u + the moment of I (w, v), and I (w, v).
  TORSOR_HD TORSOR_INLINE Vec3<Real> moment(const Vec3<Real>& u, const Vec3<Real>& w,
                                            const Vec3<Real>& v) const {
    return plus_cross(Vec3<Real>{u.x + (S.yy + S.zz) * w.x - S.xy * w.y - S.xz * w.z,
                                 u.y + (S.xx + S.zz) * w.y - S.xy * w.x - S.yz * w.z,
                                 u.z + (S.xx + S.yy) * w.z - S.xz * w.x - S.yz * w.y},
                      h, v);
  }
  /// u + the angular half of B (s, .); the linear one is s x P.
  TORSOR_HD TORSOR_INLINE Vec3<Real> plus_B(const Vec3<Real>& u, const Vec3<Real>& s) const {
    return {u.x + (K.c1.y + K.c2.z) * s.x - K.c1.x * s.y - K.c2.x * s.z,
            u.y + (K.c0.x + K.c2.z) * s.y - K.c0.y * s.x - K.c2.y * s.z,
            u.z + (K.c0.x + K.c1.y) * s.z - K.c0.z * s.x - K.c1.z * s.y};
  }
  /// The angular half of B^T (s, v); there is no other.
  TORSOR_HD TORSOR_INLINE Vec3<Real> Bt(const Vec3<Real>& s, const Vec3<Real>& v) const {
    return plus_cross(Vec3<Real>{(K.c1.y + K.c2.z) * s.x - K.c0.y * s.y - K.c0.z * s.z,
                                 (K.c0.x + K.c2.z) * s.y - K.c1.x * s.x - K.c1.z * s.z,
                                 (K.c0.x + K.c1.y) * s.z - K.c2.x * s.x - K.c2.y * s.y},
                      P, v);
  }
};

template <class Real>
struct SlopeMotion {
  SO3<Real> R = SO3<Real>::identity();
  Vec3<Real> p{}, w{}, v{}, wd{}, vd{};
};

/// Adds a body whose moments m, h_z, S_zz are zero.
template <class Real>
TORSOR_HD TORSOR_INLINE void add_body(const MassMoments<Real>& own, const SlopeMotion<Real>& at,
                                      SlopeComposite<Real>& c) {
  const auto& [mass, h_b, S_b] = own;
  const auto& [c0, c1, c2] = at.R;
  const Vec3<Real>&p = at.p, &w = at.w, &v = at.v;
  const Vec3<Real> h = c0 * h_b.x + c1 * h_b.y;
  const Vec3<Real> t0 = c0 * S_b.xx + c1 * S_b.xy + c2 * S_b.xz,
                   t1 = c0 * S_b.xy + c1 * S_b.yy + c2 * S_b.yz, t2 = c0 * S_b.xz + c1 * S_b.yz;
  const Vec3<Real> h2 = h + h;
  const Sym3<Real> S{t0.x * c0.x + t1.x * c1.x + t2.x * c2.x + h2.x * p.x,
                     t0.x * c0.y + t1.x * c1.y + t2.x * c2.y + p.x * h.y + h.x * p.y,
                     t0.y * c0.y + t1.y * c1.y + t2.y * c2.y + h2.y * p.y,
                     t0.x * c0.z + t1.x * c1.z + t2.x * c2.z + p.x * h.z + h.x * p.z,
                     t0.y * c0.z + t1.y * c1.z + t2.y * c2.z + p.y * h.z + h.y * p.z,
                     t0.z * c0.z + t1.z * c1.z + t2.z * c2.z + h2.z * p.z};
  c.h = c.h + h;
  c.S = c.S + S;
  const Vec3<Real> s0{S.xx, S.xy, S.xz}, s1{S.xy, S.yy, S.yz}, s2{S.xz, S.yz, S.zz};
  c.P = plus_cross(c.P, w, h);
  c.K.c0 = plus_cross(c.K.c0 + v * h.x, w, s0);
  c.K.c1 = plus_cross(c.K.c1 + v * h.y, w, s1);
  c.K.c2 = plus_cross(c.K.c2 + v * h.z, w, s2);
  const auto [u0, u1, u2] = turning(BodyMotion<Real>{w, at.wd, {}});
  const Vec3<Real> a = plus_cross(at.vd, w, v);
  c.f = c.f + u0 * h.x + u1 * h.y + u2 * h.z;
  c.m = plus_cross(plus_cross(plus_cross(plus_cross(c.m, h, a), s0, u0), s1, u1), s2, u2);
}

/// put(0, r, c, d tau_r / dq_c), put(1, r, c, d tau_r / dqd_c). With `with_mass` the columns of M
/// take the place of those that are done: M_ik, i <= k, is number i of column k.
/// qd(k) and qdd(k) give one number each.
template <bool with_mass, class Model, class Real, class Angle, class Rate, class Second, class Put>
TORSOR_HD TORSOR_INLINE void chain_slopes(const Model& model, const ColumnMemory<Real>& columns,
                                          Angle q, Rate qd, Second qdd, Put put) {
  constexpr int n = Model::n_v();
  enum { s_w = 0, s_v = 3, x_w = 6, x_v = 9, y_w = 12, y_v = 15, sine = 18, cosine = 19 };
  // All angles at once, and all numbers that the loop would wait for: rates rest where Y comes to lie.
  TORSOR_UNROLL
  for (int k = 0; k < n; ++k) {
    const SinCos<Real> angle = sincos(Real(q(k) + model.offset(k)));
    columns.number(k, sine) = angle.sin, columns.number(k, cosine) = angle.cos;
    columns.number(k, y_w) = qd(k), columns.number(k, y_w + 1) = qdd(k);
  }
  SlopeMotion<Real> at;
  at.vd = -model.gravity();
#ifdef __CUDACC__
#pragma unroll 1
#endif
  for (int k = 0; k < n; ++k) {
    const Hinge<Real, Real> joint(model.canonical(k + 1), columns.number(k, cosine),
                                  columns.number(k, sine));
    const Real rate = columns.number(k, y_w), second = columns.number(k, y_w + 1);
    if (k > 0) at.p = at.p + at.R * joint.origin();
    joint.advance(at.R);
    const Vec3<Real> s = at.R.c2, s0 = cross(at.p, s);
    const Vec3<Real> x = cross(at.w, s), x0 = plus_cross(cross(at.w, s0), at.v, s);
    columns.set(k, s_w, s), columns.set(k, s_v, s0);
    columns.set(k, x_w, x), columns.set(k, x_v, x0);
    columns.set(k, y_w, plus_cross(cross(at.wd, s), at.w, x));
    columns.set(k, y_v,
                plus_cross(plus_cross(plus_cross(cross(at.wd, s0), at.vd, s), at.w, x0), at.v, x));
    at.w = at.w + s * rate, at.v = at.v + s0 * rate;
    at.wd = at.wd + x * rate + s * second, at.vd = at.vd + x0 * rate + s0 * second;
  }
  SlopeComposite<Real> c;
  Real rate = qd(n - 1), second = qdd(n - 1);  // a step ahead of their use
#ifdef __CUDACC__
#pragma unroll 1
#endif
  for (int k = n - 1; k >= 0; --k) {
    const Real next_rate = qd(k > 0 ? k - 1 : 0), next_second = qdd(k > 0 ? k - 1 : 0);
    const CanonicalBody<Real>& b = model.canonical(k + 1);
    add_body(b.moments, at, c);
    const Vec3<Real> s = columns.vector(k, s_w), s0 = columns.vector(k, s_v);
    const Vec3<Real> x = columns.vector(k, x_w), x0 = columns.vector(k, x_v);
    const Vec3<Real> zero{};
    const Vec3<Real> IS = c.moment(zero, s, s0), IS_f = cross(s, c.h), x2 = x + x;
    {  // column k above the diagonal, row k left of it
      const Vec3<Real> y = columns.vector(k, y_w), y0 = columns.vector(k, y_v);
      const Vec3<Real> Q = c.plus_B(c.moment(plus_cross(cross(s, c.m), s0, c.f), y, y0), x2);
      const Vec3<Real> Q_f = plus_cross(plus_cross(cross(s, c.f), y, c.h), x2, c.P);
      const Vec3<Real> half = c.plus_B(c.moment(zero, x, x0), s),
                       half_f = plus_cross(cross(x, c.h), s, c.P);
      const Vec3<Real> W = half + half, W_f = half_f + half_f;
      const Vec3<Real> t = c.Bt(s, s0), T = t + t, IS2 = IS + IS, IS2_f = IS_f + IS_f;
      put(0, k, k, dot(s, Q) + dot(s0, Q_f));
      put(1, k, k, dot(s, W) + dot(s0, W_f));
#ifdef __CUDACC__
#pragma unroll 1
#endif
      for (int j = 0; j < k; ++j) {
        const Vec3<Real> S = columns.vector(j, s_w), S_v = columns.vector(j, s_v);
        const Vec3<Real> X = columns.vector(j, x_w), X_v = columns.vector(j, x_v);
        const Vec3<Real> Y = columns.vector(j, y_w), Y_v = columns.vector(j, y_v);
        put(0, j, k, dot(S, Q) + dot(S_v, Q_f));
        put(1, j, k, dot(S, W) + dot(S_v, W_f));
        put(0, k, j, dot(Y, IS) + dot(Y_v, IS_f) + dot(T, X));
        put(1, k, j, dot(X, IS2) + dot(X_v, IS2_f) + dot(T, S));
        if constexpr (with_mass) columns.number(k, j) = dot(S, IS) + dot(S_v, IS_f);
      }
    }
    const Real cosq = columns.number(k, cosine), sinq = columns.number(k, sine);
    if constexpr (with_mass)
      columns.number(k, k) = dot(s, IS) + dot(s0, IS_f) + model.dof(k).armature;
    if (k == 0) break;
    at.w = at.w - s * rate, at.v = at.v - s0 * rate;
    at.wd = at.wd - x * rate - s * second, at.vd = at.vd - x0 * rate - s0 * second;
    const auto [c0, c1, c2] = at.R;
    const Vec3<Real> y = c0 * sinq + c1 * cosq;
    at.R = {c0 * cosq - c1 * sinq, y * b.cos_alpha - c2 * b.sin_alpha,
            y * b.sin_alpha + c2 * b.cos_alpha};
    at.p = at.p - at.R * b.p;
    rate = next_rate, second = next_second;
  }
}

/// M = L D L^T of the lower triangle by rows: L below the diagonal, on it 1 / D. The ratio of the smallest
/// pivot to the largest.
template <int n, class Real>
TORSOR_HD TORSOR_INLINE Real factorise_packed(Real* M) {
  Real least{}, most{};
  TORSOR_UNROLL
  for (int j = 0; j < n; ++j) {
    Real* const row = M + j * (j + 1) / 2;
    TORSOR_UNROLL
    for (int k = 0; k < j; ++k) {
      TORSOR_UNROLL
      for (int p = 0; p < k; ++p) row[k] = row[k] - row[p] * M[k * (k + 1) / 2 + p];
    }
    Real d = row[j];
    TORSOR_UNROLL
    for (int k = 0; k < j; ++k) {
      const Real u = row[k], l = u * M[k * (k + 1) / 2 + k];
      d = d - u * l;
      row[k] = l;
    }
    row[j] = reciprocal_or_zero(d);
    least = j == 0 ? d : min(least, d);
    most = j == 0 ? d : max(most, d);
  }
  return least / select(most > Real(0), most, Real(1));
}

/// y = M^-1 y.
template <int n, class Real>
TORSOR_HD TORSOR_INLINE void solve_packed(const Real* L, Real* y) {
  TORSOR_UNROLL
  for (int i = 1; i < n; ++i) {
    TORSOR_UNROLL
    for (int k = 0; k < i; ++k) y[i] = y[i] - L[i * (i + 1) / 2 + k] * y[k];
  }
  TORSOR_UNROLL
  for (int i = 0; i < n; ++i) y[i] = y[i] * L[i * (i + 1) / 2 + i];
  TORSOR_UNROLL
  for (int i = n - 2; i >= 0; --i) {
    TORSOR_UNROLL
    for (int k = i + 1; k < n; ++k) y[i] = y[i] - L[k * (k + 1) / 2 + i] * y[k];
  }
}

}  // namespace torsor::internal::device
