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
#include "chain_forward.hpp"
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

/// Joints, from which on O(n^3) is too much for forward dynamics.
inline constexpr int most_of_slopes = 16;

template <class Real>
struct ChainSlopes {
  JointStates<Real> joints;
  Array<ChainColumn<Real>> columns;
  Array<ChainBody<Real>> bodies;
  Array<ChainComposite<Real>> composites;  // from here on for forward dynamics
  Array<Wrench<Real>> IS;
  Array<Real> M, pivot, inverse_pivot, qdd;
  Array<Real> rows;  // of d tau / dq, d tau / dqd and -1, side by side

  template <class Param>
  explicit ChainSlopes(const Model<Param>& model)
      : joints(model), columns(model.n_v()), bodies(model.n_v()), composites(model.n_v()) {
    const int n = model.n_v();
    allocate(n, IS, pivot, inverse_pivot, qdd);
    allocate(n * n, M);
    allocate(n * 3 * n, rows);
  }
};

/// A matrix that is written line by line, by rows to the caller or to lanes of our own.
template <class Param>
struct ChainMatrix {
  LaneOut<Param> to;
  int n;

  TORSOR_INLINE LaneOut<Param> row(int r) const { return {to.at + r * n * to.stride, to.stride}; }
  TORSOR_INLINE LaneOut<Param> column(int c) const {
    return {to.at + c * to.stride, n * to.stride};
  }
};
template <class Real>
struct ChainLine {
  Real* at;
  int step;

  TORSOR_INLINE void set(int k, const Real& x) const { at[k * step] = x; }
};
template <class Real>
struct ChainRows {
  Real* at;
  int stride;

  TORSOR_INLINE ChainLine<Real> row(int r) const { return {at + r * stride, 1}; }
  TORSOR_INLINE ChainLine<Real> column(int c) const { return {at + c, stride}; }
};

/// Columns and motions of all bodies, base to tip. No qdd means zero.
template <class Chain, class Param, class Real>
TORSOR_INLINE void chain_motion(const Chain& chain, ChainSlopes<Real>& ws, LaneIn<Param> qd,
                                const LaneIn<Param>* qdd) {
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
    const Real rate = qd[k];
    at.w = at.w + s * rate;
    at.v = at.v + s0 * rate;
    at.wd = at.wd + x * rate;
    at.vd = at.vd + x0 * rate;
    if (qdd) {
      const Real acceleration = (*qdd)[k];
      at.wd = at.wd + s * acceleration;
      at.vd = at.vd + s0 * acceleration;
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
template <class Real, class Out>
TORSOR_INLINE void chain_entries(const ChainSlopes<Real>& ws, const ChainComposite<Real>& c,
                                 const ChainOperators<Real>& of, int k, const Wrench<Real>& IS,
                                 const Out& by_q, const Out& by_qd) {
  const auto& [S, X, Y] = ws.columns[k];
  const Vec3<Real> X2 = X.w + X.w;
  const Vec3<Real> turned = plus_cross(cross(S.w, c.F.m), S.v, c.F.f);
  const Wrench<Real> Q{of.plus_B(of.moment(turned, Y), X2),
                       plus_cross(plus_cross(cross(S.w, c.F.f), Y.w, c.h), X2, c.P)};
  const Vec3<Real> m = of.plus_B(of.times(X).m, S.w), f = plus_cross(cross(X.w, c.h), S.w, c.P);
  const Wrench<Real> W{m + m, f + f};
  const auto q_column = by_q.column(k), qd_column = by_qd.column(k);
  for (int i = 0; i <= k; ++i) {
    const Twist<Real>& S_i = ws.columns[i].S;
    q_column.set(i, dot(S_i, Q));
    qd_column.set(i, dot(S_i, W));
  }
  const Wrench<Real> IS2{IS.m + IS.m, IS.f + IS.f};
  const Vec3<Real> t = of.Bt(S), T = t + t;
  const auto q_row = by_q.row(k), qd_row = by_qd.row(k);
  for (int j = 0; j < k; ++j) {
    const auto& [S_j, X_j, Y_j] = ws.columns[j];
    q_row.set(j, dot(Y_j, IS) + dot(T, X_j.w));
    qd_row.set(j, dot(X_j, IS2) + dot(T, S_j.w));
  }
}

/// d tau / dq, d tau / dqd and, where asked for, M, by rows.
template <class Chain, class Param, class Real = Lanes<Param>>
TORSOR_FLATTEN TORSOR_COLD void chain_inverse_derivatives(const Chain& chain, ChainSlopes<Real>& ws,
                                                          LaneIn<Param> q, LaneIn<Param> qd,
                                                          LaneIn<Param> qdd, LaneOut<Param> by_q,
                                                          LaneOut<Param> by_qd,
                                                          const LaneOut<Param>* M) {
  const int n = chain.n_v();
  prepare(chain, ws.joints, q);
  chain_motion(chain, ws, qd, &qdd);
  const ChainMatrix<Param> to_q{by_q, n}, to_qd{by_qd, n};
  ChainComposite<Real> c;
  for (int k = n - 1; k >= 0; --k) {
    add_body(chain.canonical(k + 1).moments, ws.bodies[k], c);
    const ChainOperators<Real> of(c);
    const Wrench<Real> IS = of.times(ws.columns[k].S);
    chain_entries(ws, c, of, k, IS, to_q, to_qd);
    if (!M) continue;
    for (int i = 0; i < k; ++i) {
      const Real x = dot(ws.columns[i].S, IS);
      M->set(i * n + k, x);
      M->set(k * n + i, x);
    }
    M->set(k * (n + 1), dot(ws.columns[k].S, IS) + chain.dof(k).armature);
  }
}

/// f(first) ... f(end - 1); for chains of a length N that the compiler knows each in its own place.
template <int N, class Function>
TORSOR_INLINE void for_between(int first, int end, Function&& f) {
  if constexpr (N > 0) {
    unrolled<N>([&](int k) TORSOR_INLINE_LAMBDA {
      if (k >= first && k < end) f(k);
    });
  } else {
    for (int k = first; k < end; ++k) f(k);
  }
}

/// M = L^T D L in place, L below the diagonal: the pivots are those of the articulated bodies.
template <int N, class Real>
TORSOR_INLINE void factorise(int n, ChainSlopes<Real>& ws) {
  Real* const M = ws.M.data();
  for_between<N>(0, n, [&](int step) TORSOR_INLINE_LAMBDA {
    const int k = n - 1 - step;
    Real* const row = M + k * n;
    const Real inverse = reciprocal_or_zero(row[k]);
    ws.pivot[k] = row[k];
    ws.inverse_pivot[k] = inverse;
    for_between<N>(0, k, [&](int i) TORSOR_INLINE_LAMBDA {
      const Real l = row[i] * inverse;
      for_between<N>(0, i + 1,
                     [&](int j) TORSOR_INLINE_LAMBDA { M[i * n + j] = M[i * n + j] - l * row[j]; });
    });
    for_between<N>(0, k, [&](int i) TORSOR_INLINE_LAMBDA { row[i] = row[i] * inverse; });
  });
}
/// give(k, b, sign (M^-1 x)_kb) for W columns x, `apart` from each other in the rows, by a chain of a length
/// that the compiler knows: in registers.
template <int N, int W, class Real, class Give>
TORSOR_INLINE void solve(const ChainSlopes<Real>& ws, const Real* columns, int stride, int apart,
                         const Real& sign, Give&& give) {
  Real x[N][W];
  const Real* const L = ws.M.data();
  const auto less = [&](int k, const Real& l, int j) TORSOR_INLINE_LAMBDA {
    unrolled<W>([&](int b) TORSOR_INLINE_LAMBDA { x[k][b] = x[k][b] - l * x[j][b]; });
  };
  unrolled<N>([&](int k) TORSOR_INLINE_LAMBDA {
    unrolled<W>([&](int b) TORSOR_INLINE_LAMBDA { x[k][b] = columns[k * stride + b * apart]; });
  });
  unrolled<N>([&](int step) TORSOR_INLINE_LAMBDA {
    const int j = N - 1 - step;
    for_between<N>(0, j, [&](int k) TORSOR_INLINE_LAMBDA { less(k, L[j * N + k], j); });
  });
  unrolled<N>([&](int k) TORSOR_INLINE_LAMBDA {
    const Real scale = ws.inverse_pivot[k] * sign;
    unrolled<W>([&](int b) TORSOR_INLINE_LAMBDA { x[k][b] = x[k][b] * scale; });
    for_between<N>(0, k, [&](int i) TORSOR_INLINE_LAMBDA { less(k, L[k * N + i], i); });
    unrolled<W>([&](int b) TORSOR_INLINE_LAMBDA { give(k, b, x[k][b]); });
  });
}
/// The same in place for W neighbours and any n: each factor is loaded once for all of them.
template <int W, class Real>
TORSOR_INLINE void solve_in_place(int n, const ChainSlopes<Real>& ws, Real* columns, int stride,
                                  const Real& sign) {
  const Real* const L = ws.M.data();
  Real x[W];
  const auto each = [&](Real* at, auto f) TORSOR_INLINE_LAMBDA {
    for (int b = 0; b < W; ++b) f(x[b], at[b]);
  };
  const auto less = [&](const Real& l, int j) TORSOR_INLINE_LAMBDA {
    each(columns + j * stride, [&](Real& sum, const Real& from) { sum = sum - l * from; });
  };
  const auto keep = [](const Real& sum, Real& to) TORSOR_INLINE_LAMBDA { to = sum; };
  for (int i = n - 1; i >= 0; --i) {
    each(columns + i * stride, [](Real& sum, const Real& from) { sum = from; });
    for (int j = i + 1; j < n; ++j) less(L[j * n + i], j);
    each(columns + i * stride, keep);
  }
  for (int i = 0; i < n; ++i) {
    const Real scale = ws.inverse_pivot[i] * sign;
    each(columns + i * stride, [&](Real& sum, const Real& from) { sum = from * scale; });
    for (int j = 0; j < i; ++j) less(L[i * n + j], j);
    each(columns + i * stride, keep);
  }
}

/// d qdd / dq, d qdd / dqd and, where asked for, d qdd / dtau = M^-1, by rows; where M has an inverse.
template <class Param, bool with_rotors, int N, class Real = Lanes<Param>>
TORSOR_FLATTEN TORSOR_COLD MaskOf<Real> chain_forward_derivatives(
    const HingeChain<Param, with_rotors, N>& chain, ChainSlopes<Real>& ws, LaneIn<Param> q,
    LaneIn<Param> qd, LaneIn<Param> tau, const std::array<LaneOut<Param>, 3>& out, bool by_tau) {
  const int n = chain.n_v(), width = 3 * n;
  prepare(chain, ws.joints, q);
  chain_motion(chain, ws, qd, static_cast<const LaneIn<Param>*>(nullptr));
  {
    ChainComposite<Real> c;
    for (int k = n - 1; k >= 0; --k) {
      add_body(chain.canonical(k + 1).moments, ws.bodies[k], c);
      const Wrench<Real> IS = ChainOperators<Real>(c).times(ws.columns[k].S);
      for (int i = 0; i < k; ++i) ws.M[k * n + i] = dot(ws.columns[i].S, IS);
      ws.M[k * (n + 1)] = dot(ws.columns[k].S, IS) + chain.dof(k).armature;
      ws.qdd[k] = tau[k] - dot(ws.columns[k].S, c.F);
      ws.IS[k] = IS;
      ws.composites[k] = c;
    }
  }
  factorise<N>(n, ws);
  if constexpr (N > 0)
    solve<N, 1>(ws, ws.qdd.data(), 1, 0, Real(1),
                [&](int k, int, const Real& x) TORSOR_INLINE_LAMBDA { ws.qdd[k] = x; });
  else
    solve_in_place<1>(n, ws, ws.qdd.data(), 1, Real(1));
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
  Real* const rows = ws.rows.data();
  Wrench<Real> carried{};
  for (int k = n - 1; k >= 0; --k) {
    carried.m = carried.m + ws.IS[k].m * ws.qdd[k], carried.f = carried.f + ws.IS[k].f * ws.qdd[k];
    ChainComposite<Real>& c = ws.composites[k];
    c.F.m = c.F.m + carried.m, c.F.f = c.F.f + carried.f;
    chain_entries(ws, c, ChainOperators<Real>(c), k, ws.IS[k], ChainRows<Real>{rows, width},
                  ChainRows<Real>{rows + n, width});
    for (int i = 0; by_tau && i < n; ++i) rows[i * width + 2 * n + k] = Real(i == k ? -1 : 0);
    // Column k is known; to write it now keeps the stores apart.
    const auto column = [&](std::size_t matrix) TORSOR_INLINE_LAMBDA {
      return ChainMatrix<Param>{out[matrix], n}.column(k);
    };
    const LaneOut<Param> to_q = column(0), to_qd = column(1), to_tau = column(2);
    const auto give = [&](int i, int matrix, const Real& x) TORSOR_INLINE_LAMBDA {
      (matrix == 0 ? to_q : matrix == 1 ? to_qd : to_tau).set(i, x);
    };
    if constexpr (N > 0) {
      solve<N, 2>(ws, rows + k, width, n, Real(-1), give);
      if (by_tau)
        solve<N, 1>(ws, rows + 2 * n + k, width, 0, Real(-1),
                    [&](int i, int, const Real& x) TORSOR_INLINE_LAMBDA { give(i, 2, x); });
    }
  }
  if constexpr (N == 0) {
    const int columns = by_tau ? width : 2 * n;
    int c = 0;
    for (; c + 8 <= columns; c += 8) solve_in_place<8>(n, ws, rows + c, width, Real(-1));
    for (; c + 2 <= columns; c += 2) solve_in_place<2>(n, ws, rows + c, width, Real(-1));
    for (; c < columns; ++c) solve_in_place<1>(n, ws, rows + c, width, Real(-1));
    for (std::size_t matrix = 0; matrix < (by_tau ? 3U : 2U); ++matrix) {
      const Real* const from = rows + static_cast<int>(matrix) * n;
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) out[matrix].set(i * n + k, from[i * width + k]);
    }
  }
  return regular(ws.pivot);
}

}  // namespace torsor::internal
