#pragma once
/// Derivatives of inverse and forward dynamics for a serial chain of hinges, in little memory.
///
/// The columns S, X, Y, the composites I, P, K, F and what comes of them, IS, T, Q and W, are those of
/// motion_columns.hpp and rnea_derivatives.hpp, with Z = 2 X of hinges. There they are rows of their own
/// for every velocity, which for packs is more than the first cache holds; here the composites stay in
/// registers on the way from the tip to the base, and columns are used as soon as they are known.
///
/// Forward dynamics: at qdd = 0 the composites give M and the bias; with qdd = M^-1 (tau - bias) the
/// accelerations A_k = sum_{j < k} S_j qdd_j add
///
///   Y_k += ad(A_k) S_k,   F_k += I_k A_k + sum_{j >= k} IS_j qdd_j
///
/// and d qdd = -M^-1 d tau by the factors of M, O(n^3) in all: for chains of few joints.
///
/// Frames   World axes, about the origin of the first body. Composites of hinges have no mass left.
/// Source   As there.
#include "hinge_chain.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/internal/body_motion.hpp"
#include "torsor/dynamics/internal/world_sweep.hpp"

namespace torsor::internal {

/// u + a x b, six multiply-adds.
template <class A, class B, class Real>
TORSOR_INLINE Vec3<Real> plus_cross(const Vec3<Real>& u, const Vec3<A>& a, const Vec3<B>& b) {
  return {u.x + a.y * b.z - a.z * b.y, u.y + a.z * b.x - a.x * b.z, u.z + a.x * b.y - a.y * b.x};
}

template <class Real>
struct ChainColumn {
  Twist<Real> S{}, X{}, Y{};
};
template <class Real>
struct ChainBody : WorldPose<Real> {
  Vec3<Real> w{}, v{}, wd{}, vd{};
};
template <class Real>
struct ChainComposite {
  Vec3<Real> h{}, P{};
  Sym3<Real> S{};
  Mat3<Real> K{};
  Wrench<Real> F{};
};

/// The same, ready for products with columns: tr S 1 - S and tr K 1 - K by their diagonals.
template <class Real>
struct ChainOperators {
  const ChainComposite<Real>& c;
  const Vec3<Real> I, K;

  TORSOR_INLINE explicit ChainOperators(const ChainComposite<Real>& of)
      : c(of),
        I{of.S.yy + of.S.zz, of.S.xx + of.S.zz, of.S.xx + of.S.yy},
        K{of.K.c1.y + of.K.c2.z, of.K.c0.x + of.K.c2.z, of.K.c0.x + of.K.c1.y} {}

  /// u + the moment of I V, and I V of a twist.
  TORSOR_INLINE Vec3<Real> moment(const Vec3<Real>& u, const Twist<Real>& V) const {
    const auto& [w, v] = V;
    return plus_cross(Vec3<Real>{u.x + I.x * w.x - c.S.xy * w.y - c.S.xz * w.z,
                                 u.y + I.y * w.y - c.S.xy * w.x - c.S.yz * w.z,
                                 u.z + I.z * w.z - c.S.xz * w.x - c.S.yz * w.y},
                      c.h, v);
  }
  TORSOR_INLINE Wrench<Real> times(const Twist<Real>& V) const {
    const auto& [w, v] = V;
    return {plus_cross(Vec3<Real>{I.x * w.x - c.S.xy * w.y - c.S.xz * w.z,
                                  I.y * w.y - c.S.xy * w.x - c.S.yz * w.z,
                                  I.z * w.z - c.S.xz * w.x - c.S.yz * w.y},
                       c.h, v),
            cross(w, c.h)};
  }
  /// u + the angular half of B (s, .); the linear one is s x P.
  TORSOR_INLINE Vec3<Real> plus_B(const Vec3<Real>& u, const Vec3<Real>& s) const {
    const auto& [k0, k1, k2] = c.K;
    return {u.x + K.x * s.x - k1.x * s.y - k2.x * s.z, u.y + K.y * s.y - k0.y * s.x - k2.y * s.z,
            u.z + K.z * s.z - k0.z * s.x - k1.z * s.y};
  }
  /// The angular half of B^T S; there is no other.
  TORSOR_INLINE Vec3<Real> Bt(const Twist<Real>& V) const {
    const auto& [k0, k1, k2] = c.K;
    const auto& [s, v] = V;
    return plus_cross(
        Vec3<Real>{K.x * s.x - k0.y * s.y - k0.z * s.z, K.y * s.y - k1.x * s.x - k1.z * s.z,
                   K.z * s.z - k2.x * s.x - k2.y * s.y},
        c.P, v);
  }
};

template <class Real>
struct ChainSlopes {
  JointStates<Real> joints;
  Array<ChainColumn<Real>> columns;
  Array<ChainBody<Real>> bodies;
  Array<ChainComposite<Real>> composites;  // these five for forward dynamics
  Array<Wrench<Real>> IS;
  Array<Real> M, inverse_pivot, pivot, qdd;

  template <class Param>
  explicit ChainSlopes(const Model<Param>& model)
      : joints(model),
        columns(model.n_v()),
        bodies(model.n_v()),
        composites(model.n_v()),
        IS(model.n_v()),
        M(model.n_v() * model.n_v()),
        inverse_pivot(model.n_v()),
        pivot(model.n_v()),
        qdd(model.n_v()) {}
};

/// Columns and motions of all bodies, base to tip. A null qdd means zero.
template <class Chain, class Real>
TORSOR_INLINE void chain_motion(const Chain& chain, ChainSlopes<Real>& ws, const Real* qd,
                                const Real* qdd) {
  using Param = ParamOf<Chain>;
  ChainBody<Real> at;
  at.vd = lift<Real>(-chain.gravity());
  for (int k = 0; k < chain.n_v(); ++k) {
    const Hinge<Param, Real> joint(chain.canonical(k + 1), ws.joints.cos[k], ws.joints.sin[k]);
    if (k > 0) at.p = at.p + at.R * joint.origin();
    joint.advance(at.R);
    const Vec3<Real> s = at.R.c2, s0 = cross(at.p, s);
    const Vec3<Real> x = cross(at.w, s), x0 = plus_cross(cross(at.w, s0), at.v, s);
    ChainColumn<Real>& c = ws.columns[k];
    c.S.w = s, c.S.v = s0;
    c.X.w = x, c.X.v = x0;
    c.Y.w = plus_cross(cross(at.wd, s), at.w, x);
    c.Y.v = plus_cross(plus_cross(plus_cross(cross(at.wd, s0), at.vd, s), at.w, x0), at.v, x);
    at.w = at.w + s * qd[k];
    at.v = at.v + s0 * qd[k];
    at.wd = at.wd + x * qd[k];
    at.vd = at.vd + x0 * qd[k];
    if (qdd) {
      at.wd = at.wd + s * qdd[k];
      at.vd = at.vd + s0 * qdd[k];
    }
    ChainBody<Real>& to = ws.bodies[k];
    to.R.c0 = at.R.c0, to.R.c1 = at.R.c1, to.R.c2 = at.R.c2, to.p = at.p;
    to.w = at.w, to.v = at.v, to.wd = at.wd, to.vd = at.vd;
  }
}

/// Adds one body.
template <class Param, class Real>
TORSOR_INLINE void add_body(const MassMoments<Param>& own, const ChainBody<Real>& at,
                            ChainComposite<Real>& c) {
  const auto& [m, h_b, S_b] = own;  // m = h_z = S_zz = 0
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
  c.S.xx = c.S.xx + S.xx, c.S.xy = c.S.xy + S.xy, c.S.yy = c.S.yy + S.yy;
  c.S.xz = c.S.xz + S.xz, c.S.yz = c.S.yz + S.yz, c.S.zz = c.S.zz + S.zz;
  const Vec3<Real> s0{S.xx, S.xy, S.xz}, s1{S.xy, S.yy, S.yz}, s2{S.xz, S.yz, S.zz};
  c.P = plus_cross(c.P, w, h);
  c.K.c0 = plus_cross(c.K.c0 + v * h.x, w, s0);
  c.K.c1 = plus_cross(c.K.c1 + v * h.y, w, s1);
  c.K.c2 = plus_cross(c.K.c2 + v * h.z, w, s2);
  const auto [u0, u1, u2] = turning(BodyMotion<Real>{w, at.wd, {}});
  const Vec3<Real> a = plus_cross(at.vd, w, v);
  c.F.f = c.F.f + u0 * h.x + u1 * h.y + u2 * h.z;
  c.F.m = plus_cross(plus_cross(c.F.m, h, a), s0, u0);
  c.F.m = plus_cross(plus_cross(c.F.m, s1, u1), s2, u2);
}

/// Column k above the diagonal and row k left of it, of d tau / dq and d tau / dqd, by rows.
template <class Real>
TORSOR_INLINE void chain_entries(const ChainSlopes<Real>& ws, const ChainComposite<Real>& c,
                                 const ChainOperators<Real>& of, int k, const Wrench<Real>& IS,
                                 Real* by_q, Real* by_qd) {
  const int n = ws.columns.size();
  const auto& [S, X, Y] = ws.columns[k];
  const Vec3<Real> X2 = X.w + X.w;
  const Vec3<Real> turned = plus_cross(cross(S.w, c.F.m), S.v, c.F.f);
  const Wrench<Real> Q{of.plus_B(of.moment(turned, Y), X2),
                       plus_cross(plus_cross(cross(S.w, c.F.f), Y.w, c.h), X2, c.P)};
  const Vec3<Real> m = of.plus_B(of.times(X).m, S.w), f = plus_cross(cross(X.w, c.h), S.w, c.P);
  const Wrench<Real> W{m + m, f + f};
  for (int i = 0; i <= k; ++i) {
    const Twist<Real>& S_i = ws.columns[i].S;
    by_q[i * n + k] = dot(S_i, Q);
    by_qd[i * n + k] = dot(S_i, W);
  }
  const Wrench<Real> IS2{IS.m + IS.m, IS.f + IS.f};
  const Vec3<Real> t = of.Bt(S), T = t + t;
  for (int j = 0; j < k; ++j) {
    const auto& [S_j, X_j, Y_j] = ws.columns[j];
    by_q[k * n + j] = dot(Y_j, IS) + dot(T, X_j.w);
    by_qd[k * n + j] = dot(X_j, IS2) + dot(T, S_j.w);
  }
}

/// M of the velocities that carry k, and of k: both triangles.
template <class Chain, class Real>
TORSOR_INLINE void mass_entries(const Chain& chain, const ChainSlopes<Real>& ws, int k,
                                const Wrench<Real>& IS, Real* M) {
  const int n = chain.n_v();
  for (int i = 0; i <= k; ++i) M[i * n + k] = M[k * n + i] = dot(ws.columns[i].S, IS);
  M[k * n + k] = M[k * n + k] + chain.dof(k).armature;
}

/// d tau / dq, d tau / dqd and, unless it is null, M, by rows.
template <class Chain, class Real>
TORSOR_FLATTEN TORSOR_COLD void chain_inverse_derivatives(const Chain& chain, ChainSlopes<Real>& ws,
                                                          In<Real> q, const Real* qd,
                                                          const Real* qdd, Real* by_q, Real* by_qd,
                                                          Real* M) {
  prepare(chain, ws.joints, q);
  chain_motion(chain, ws, qd, qdd);
  ChainComposite<Real> c;
  for (int k = chain.n_v() - 1; k >= 0; --k) {
    add_body(chain.canonical(k + 1).moments, ws.bodies[k], c);
    const ChainOperators<Real> of(c);
    const Wrench<Real> IS = of.times(ws.columns[k].S);
    chain_entries(ws, c, of, k, IS, by_q, by_qd);
    if (M) mass_entries(chain, ws, k, IS, M);
  }
}

/// M = L D L^T in place, L below the diagonal.
template <class Real>
TORSOR_INLINE void factorise(int n, ChainSlopes<Real>& ws) {
  Real* const M = ws.M.data();
  for (int k = 0; k < n; ++k) {
    const Real pivot = M[k * n + k], inverse = reciprocal_or_zero(pivot);
    ws.pivot[k] = pivot;
    ws.inverse_pivot[k] = inverse;
    for (int i = k + 1; i < n; ++i) {
      const Real l = M[i * n + k] * inverse;
      for (int j = k + 1; j <= i; ++j) M[i * n + j] = M[i * n + j] - l * M[j * n + k];
    }
    for (int i = k + 1; i < n; ++i) M[i * n + k] = M[i * n + k] * inverse;
  }
}
/// x = sign M^-1 x for `width` columns of one or two matrices by rows, from column c on: each factor is
/// loaded once for all of them.
template <int width, int matrices, class Real>
TORSOR_INLINE void solve_block(int n, int stride, const ChainSlopes<Real>& ws,
                               Real* const (&x)[matrices], int c, const Real& sign) {
  const Real* const L = ws.M.data();
  Real sum[matrices][width];
  const auto each = [&](auto f) TORSOR_INLINE_LAMBDA {
    for (int m = 0; m < matrices; ++m)
      for (int k = 0; k < width; ++k) f(sum[m][k], x[m] + c + k);
  };
  for (int i = 1; i < n; ++i) {
    each([&](Real& s, const Real* from) TORSOR_INLINE_LAMBDA { s = from[i * stride]; });
    for (int j = 0; j < i; ++j) {
      const Real l = L[i * n + j];
      each([&](Real& s, const Real* from) TORSOR_INLINE_LAMBDA { s = s - l * from[j * stride]; });
    }
    each([&](const Real& s, Real* to) TORSOR_INLINE_LAMBDA { to[i * stride] = s; });
  }
  for (int i = n - 1; i >= 0; --i) {
    const Real scale = ws.inverse_pivot[i] * sign;
    each([&](Real& s, const Real* from) TORSOR_INLINE_LAMBDA { s = from[i * stride] * scale; });
    for (int j = i + 1; j < n; ++j) {
      const Real l = L[j * n + i];
      each([&](Real& s, const Real* from) TORSOR_INLINE_LAMBDA { s = s - l * from[j * stride]; });
    }
    each([&](const Real& s, Real* to) TORSOR_INLINE_LAMBDA { to[i * stride] = s; });
  }
}
/// All `columns` of them.
template <int matrices, class Real>
TORSOR_INLINE void solve(int n, int columns, const ChainSlopes<Real>& ws,
                         Real* const (&x)[matrices], const Real& sign) {
  int c = 0;
  for (; c + 4 <= columns; c += 4) solve_block<4, matrices, Real>(n, columns, ws, x, c, sign);
  for (; c < columns; ++c) solve_block<1, matrices, Real>(n, columns, ws, x, c, sign);
}

/// d qdd / dq, d qdd / dqd and, unless it is null, d qdd / dtau = M^-1, by rows.
template <class Chain, class Real>
TORSOR_FLATTEN TORSOR_COLD ForwardDynamicsResult<Real> chain_forward_derivatives(
    const Chain& chain, ChainSlopes<Real>& ws, In<Real> q, const Real* qd, const Real* tau,
    Real* by_q, Real* by_qd, Real* by_tau) {
  const int n = chain.n_v();
  prepare(chain, ws.joints, q);
  chain_motion(chain, ws, qd, static_cast<const Real*>(nullptr));
  {
    ChainComposite<Real> c;
    for (int k = n - 1; k >= 0; --k) {
      add_body(chain.canonical(k + 1).moments, ws.bodies[k], c);
      const Wrench<Real> IS = ChainOperators<Real>(c).times(ws.columns[k].S);
      mass_entries(chain, ws, k, IS, ws.M.data());
      ws.qdd[k] = tau[k] - dot(ws.columns[k].S, c.F);
      ws.IS[k] = IS;
      ws.composites[k] = c;
    }
  }
  factorise(n, ws);
  solve<1, Real>(n, 1, ws, {ws.qdd.data()}, Real(1));
  Twist<Real> A{};
  for (int k = 0; k < n; ++k) {
    auto& [S, X, Y] = ws.columns[k];
    Y.w = plus_cross(Y.w, A.w, S.w);
    Y.v = plus_cross(plus_cross(Y.v, A.w, S.v), A.v, S.w);
    const Wrench<Real> F = ChainOperators<Real>(ws.composites[k]).times(A);
    ws.composites[k].F.m = ws.composites[k].F.m + F.m;
    ws.composites[k].F.f = ws.composites[k].F.f + F.f;
    A.w = A.w + S.w * ws.qdd[k], A.v = A.v + S.v * ws.qdd[k];
  }
  Wrench<Real> carried{};
  for (int k = n - 1; k >= 0; --k) {
    carried.m = carried.m + ws.IS[k].m * ws.qdd[k], carried.f = carried.f + ws.IS[k].f * ws.qdd[k];
    ChainComposite<Real>& c = ws.composites[k];
    c.F.m = c.F.m + carried.m, c.F.f = c.F.f + carried.f;
    chain_entries(ws, c, ChainOperators<Real>(c), k, ws.IS[k], by_q, by_qd);
  }
  solve<2, Real>(n, n, ws, {by_q, by_qd}, Real(-1));
  if (by_tau) {
    for (int k = 0; k < n * n; ++k) by_tau[k] = Real(k % (n + 1) == 0 ? 1 : 0);
    solve<1, Real>(n, n, ws, {by_tau}, Real(1));
  }
  return regularity(ws.pivot);
}

}  // namespace torsor::internal
