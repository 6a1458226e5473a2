#pragma once
/// Derivatives of inverse and forward dynamics of a serial chain of hinges, one state per thread.
///
/// The columns S, X, Y and the composites are those of lanes/chain_derivatives.hpp. A thread has no room for
/// motions of bodies beside its columns: on the way from the tip to the base they are run backwards,
///
///   R_p = R Rz(-q) Rx(-alpha),  p_p = p - R_p o,  w_p = w - s qd,  w'_p = w' - x qd - s qdd,  ...
///
/// which costs 8 % of the work and saves half of the memory. Columns, sines and cosines lie in memory
/// that the threads of a block share. Loops over joints are hardly unrolled: the code would be 70 KB, and
/// processors would wait for it.
///
/// Frames   World axes, about the origin of the first body. Composites of hinges have no mass left.
#include "composite.hpp"
#include "right_hinge.hpp"
#include "torsor/dynamics/internal/body_motion.hpp"
#include "torsor/linear/internal/ldlt.hpp"

namespace torsor::internal::device {

/// u + a x b, six multiply-adds.
template <class A, class B, class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> plus_cross(const Vec3<Real>& u, const Vec3<A>& a,
                                              const Vec3<B>& b) {
  return {u.x + a.y * b.z - a.z * b.y, u.y + a.z * b.x - a.x * b.z, u.z + a.x * b.y - a.y * b.x};
}

/// Twenty numbers for each joint but the first: sine and cosine, S, X, Y, `stride` apart. Of the last joint
/// there are sine and cosine alone, later column n - 1 of M.
template <class Real, int stride>
struct ColumnMemory {
  static constexpr int numbers = 20;
  Real* at;

  TORSOR_HD TORSOR_INLINE Real& number(int k, int which) const {
    return at[((k - 1) * numbers + which) * stride];
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

/// Where entries of d tau / dq and d tau / dqd go one after the other.
template <class Real>
struct SlopeCursor {
  Real *by_q, *by_qd;
  long long step;

  TORSOR_HD TORSOR_INLINE void put(const Real& q, const Real& qd) {
    *by_q = q, *by_qd = qd;
    by_q += step, by_qd += step;
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

/// The derivatives of tau by q and qd go to from(r, c, down), a SlopeCursor at entry (r, c) that moves down
/// the column or else along the row; with `with_mass`, mass(r, c, M_rc) for r <= c. qd(k) and qdd(k) give one
/// number each. False where an input is not finite or an angle beyond the range.
///
/// The first joint is no column in memory: its S and Y are constants of the robot, its X is zero. The last
/// one is needed once, where the way back begins, and stays in registers.
template <bool with_mass, class Model, class Real, int stride, class Angle, class Rate,
          class Second, class From, class Mass>
TORSOR_HD TORSOR_INLINE bool chain_slopes(const Model& model,
                                          const ColumnMemory<Real, stride>& columns, Angle q,
                                          Rate qd, Second qdd, From from, Mass mass) {
  constexpr int n = Model::n_v();
  enum {
    sine,
    cosine,
    s_w,
    s_v = s_w + 3,
    x_w = s_v + 3,
    x_v = x_w + 3,
    y_w = x_v + 3,
    y_v = y_w + 3
  };
  const CanonicalBody<Real>& first = model.canonical(1);
  const Vec3<Real> s_1{Real(0), -first.sin_alpha, first.cos_alpha};
  // S_1 . u, and Y_1 . u = (s_1 x g) . u; from constants each time, because registers are few.
  const auto along_s = [&](const Vec3<Real>& u) TORSOR_INLINE_LAMBDA {
    return first.cos_alpha * u.z - first.sin_alpha * u.y;
  };
  const auto along_y = [&](const Vec3<Real>& u) TORSOR_INLINE_LAMBDA {
    const Vec3<Real>& g = model.gravity();
    return g.x * (first.cos_alpha * u.y + first.sin_alpha * u.z) -
           u.x * (first.cos_alpha * g.y + first.sin_alpha * g.z);
  };
  // All angles at once, and all numbers that the loop would wait for: those of joint k rest where Y of the
  // joint before comes to lie.
  struct {
    Real sine, cosine, rate, second;
  } now{}, next{};
  bool sound = true;
  TORSOR_UNROLL
  for (int k = 0; k < n; ++k) {
    const SinCos<Real> angle = sincos(Real(q(k) + model.offset(k)));
    const Real rate = qd(k), second = qdd(k);
    // No branches: a thread would wait for each number.
    sound = sound & is_finite(angle.sin) & is_finite(rate) & is_finite(second);
    if (k == 0) {
      now = {angle.sin, angle.cos, rate, second};
    } else if (k == 1) {
      next = {angle.sin, angle.cos, rate, second};
    } else {
      columns.number(k - 1, y_w) = angle.sin, columns.number(k - 1, y_w + 1) = angle.cos;
      columns.number(k - 1, y_w + 2) = rate, columns.number(k - 1, y_v) = second;
    }
  }
  SlopeMotion<Real> at;
  Hinge<Real, Real>(first, now.cosine, now.sine).advance(at.R);
  at.w = s_1 * now.rate, at.wd = s_1 * now.second, at.vd = -model.gravity();
  Vec3<Real> s{}, s0{}, x{}, x0{}, y{}, y0{};
#ifdef __CUDACC__
#pragma unroll 1
#endif
  for (int k = 1; k < n; ++k) {
    now = next;
    if (k + 1 < n)
      next = {columns.number(k, y_w), columns.number(k, y_w + 1), columns.number(k, y_w + 2),
              columns.number(k, y_v)};
    const ChainHinge<Model, Real> joint(model.canonical(k + 1), now.cosine, now.sine);
    at.p = at.p + at.R * joint.origin();
    joint.advance(at.R);
    s = at.R.c2, s0 = cross(at.p, s);
    x = cross(at.w, s), x0 = plus_cross(cross(at.w, s0), at.v, s);
    y = plus_cross(cross(at.wd, s), at.w, x);
    y0 = plus_cross(plus_cross(plus_cross(cross(at.wd, s0), at.vd, s), at.w, x0), at.v, x);
    if (k + 1 < n) {
      columns.set(k, s_w, s), columns.set(k, s_v, s0);
      columns.set(k, x_w, x), columns.set(k, x_v, x0);
      columns.set(k, y_w, y), columns.set(k, y_v, y0);
    }
    columns.number(k, sine) = now.sine, columns.number(k, cosine) = now.cosine;
    at.w = at.w + s * now.rate, at.v = at.v + s0 * now.rate;
    at.wd = at.wd + x * now.rate + s * now.second;
    at.vd = at.vd + x0 * now.rate + s0 * now.second;
  }
  SlopeComposite<Real> c;
#ifdef __CUDACC__
#pragma unroll 1
#endif
  for (int k = n - 1; k > 0; --k) {
    const Real rate = qd(k), second = qdd(k);  // long before their use
    const CanonicalBody<Real>& b = model.canonical(k + 1);
    add_body(b.moments, at, c);
    const Vec3<Real> zero{};
    const Vec3<Real> IS = c.moment(zero, s, s0), IS_f = cross(s, c.h), x2 = x + x;
    {  // column k above the diagonal, row k left of it
      const Vec3<Real> Q = c.plus_B(c.moment(plus_cross(cross(s, c.m), s0, c.f), y, y0), x2);
      const Vec3<Real> Q_f = plus_cross(plus_cross(cross(s, c.f), y, c.h), x2, c.P);
      const Vec3<Real> half = c.plus_B(c.moment(zero, x, x0), s),
                       half_f = plus_cross(cross(x, c.h), s, c.P);
      const Vec3<Real> W = half + half, W_f = half_f + half_f;
      const Vec3<Real> t = c.Bt(s, s0), T = t + t, IS2 = IS + IS, IS2_f = IS_f + IS_f;
      auto above = from(0, k, true), left = from(k, 0, false);
      above.put(along_s(Q), along_s(W));
      left.put(along_y(IS_f), along_s(T));
      if constexpr (with_mass) {
        mass(0, k, along_s(IS));
        mass(k, k, dot(s, IS) + dot(s0, IS_f) + model.dof(k).armature);
      }
#ifdef __CUDACC__
#pragma unroll 2
#endif
      for (int j = 1; j < k; ++j) {  // by two: one's loads while the other computes
        const Vec3<Real> S = columns.vector(j, s_w), S_v = columns.vector(j, s_v);
        const Vec3<Real> X = columns.vector(j, x_w), X_v = columns.vector(j, x_v);
        const Vec3<Real> Y = columns.vector(j, y_w), Y_v = columns.vector(j, y_v);
        above.put(dot(S, Q) + dot(S_v, Q_f), dot(S, W) + dot(S_v, W_f));
        left.put(dot(Y, IS) + dot(Y_v, IS_f) + dot(T, X),
                 dot(X, IS2) + dot(X_v, IS2_f) + dot(T, S));
        if constexpr (with_mass) mass(j, k, dot(S, IS) + dot(S_v, IS_f));
      }
      above.put(dot(s, Q) + dot(s0, Q_f), dot(s, W) + dot(s0, W_f));
    }
    at.w = at.w - s * rate, at.v = at.v - s0 * rate;
    at.wd = at.wd - x * rate - s * second, at.vd = at.vd - x0 * rate - s0 * second;
    const ChainHinge<Model, Real> joint(b, columns.number(k, cosine), columns.number(k, sine));
    joint.retreat(at.R);
    at.p = at.p - at.R * joint.origin();
    if (k > 1) {
      s = columns.vector(k - 1, s_w), s0 = columns.vector(k - 1, s_v);
      x = columns.vector(k - 1, x_w), x0 = columns.vector(k - 1, x_v);
      y = columns.vector(k - 1, y_w), y0 = columns.vector(k - 1, y_v);
    }
  }
  at.p = {}, at.v = {};
  at.w = s_1 * qd(0), at.wd = s_1 * qdd(0), at.vd = -model.gravity();
  add_body(first.moments, at, c);
  const Real half = along_s(c.plus_B({}, s_1));
  from(0, 0, true).put(along_y(cross(s_1, c.h)), half + half);
  if constexpr (with_mass) mass(0, 0, along_s(c.moment({}, s_1, {})) + model.dof(0).armature);
  return sound;
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
