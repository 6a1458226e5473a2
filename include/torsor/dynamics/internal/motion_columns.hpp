#pragma once
/// Every velocity's column, and what a step along it does to the motion and the forces of what it
/// carries.
///
/// A step dq_j moves the bodies that velocity j carries by the twist S_j: everything written in
/// them turns with them, and that part cancels in torques. What is left is what the rest of the
/// robot looks like from there:
///
///   of V      X_j = ad(V_p) S_j + E_j                                   p: parent of j's body b
///   of V'     Y_j = ad(V'_p) S_j + ad(V_p) X_j + ad(V_b) E_j + G_j      less ad(V_i) X_j at body i
///   a step dqd_j adds S_j to V and Z_j = ad(V_b) S_j + S'_j + X_j to V', less ad(V_i) S_j
///
/// with E, G and S' of the joint alone where S depends on q (joint_slopes.hpp), else zero. With the
/// composites of mass moments I, of velocity moments P = int u dm and K = int u r^T dm (u: velocity
/// at r), and of wrenches F = int (r x a, a) dm - F_ext of all that velocity j carries, and
/// B (s, .) = (s tr K - K s, s x P):
///
///   IS_j = I S_j                  Q_j = turned(S_j, F) + I Y_j + 2 B X_j
///   W_j  = I Z_j + 2 B S_j        T_j = 2 B^T S_j
///
/// where turned(S, F) = (s x m + s_0 x f, s x f) is the wrench F = (m, f) moving with the twist S =
/// (s, s_0).
///
/// Frames   World axes, about the origin of the first body of each tree (trees do not interact).
/// Gravity  V'_0 = (0, -g).
/// Blocks   Rows by velocity (columns.hpp). A joint with several velocities counts as bodies without
///          mass in a row, and the mass lies on the last. Only poses and velocities go from body to
///          body.
/// Cost     O(n), no allocation, no branch on the state.
/// Source   Singh, Russell & Wensing 2022 (analytical derivatives in world axes); the twelve numbers
///          of B as in coriolis.hpp; joints with S(q) after Kim 2012, tables 5-7.
#include "torsor/dynamics/internal/motion_rows.hpp"
#include "torsor/dynamics/internal/world_sweep.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/kinematics/internal/joint_slopes.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor::internal {

/// Poses, velocities and accelerations from body to body.
template <class Param, class Real>
TORSOR_INLINE void sweep_motion(const Model<Param>& model, MotionWorkspace<Real>& ws,
                                const Real* qd, const Real* qdd) {
  using Row = MotionRow;
  using State = WorldState<Real>;
  const Rows<Real> rows = ws.rows.view();
  State base;
  base.vd = lift<Real>(-model.gravity());
  ws.state[0] = base;
  const auto resume = [&](int i, State& at) { at = ws.state[i]; };
  const auto move = [&](int i, const auto& b, const auto& joint, const Vec3<Real>&, State& at) {
    const auto store_parent = [&](int k) {
      rows.set(Row::V_p, k, at.w), rows.set(Row::V_p + 3, k, at.v);
      rows.set(Row::A_p, k, at.wd), rows.set(Row::A_p + 3, k, at.vd);
      *rows(Row::qd, k) = qd[k], *rows(Row::qdd, k) = qdd[k];
    };
    store_parent(b.v);
    const Vec3<Real>& s = at.R.c2;
    if constexpr (is_hinge<decltype(joint)>) {
      const Vec3<Real> s0 = cross(at.p, s), x = cross(at.w, s);
      const Vec3<Real> x0 = cross(at.w, s0) + cross(at.v, s);
      at.w = at.w + s * qd[b.v];
      at.v = at.v + s0 * qd[b.v];
      at.wd = at.wd + s * qdd[b.v] + x * qd[b.v];
      at.vd = at.vd + s0 * qdd[b.v] + x0 * qd[b.v];
    } else if constexpr (has_one_dof<decltype(joint)>) {
      at.vd = at.vd + s * qdd[b.v] + cross(at.w, s) * qd[b.v];
      at.v = at.v + s * qd[b.v];
    } else {
      for (int k = b.v + 1; k < b.v + b.n_v; ++k) store_parent(k);
      const Vec3<Real> w = at.R * joint.S_w(qd + b.v),
                       wd = at.R * (joint.S_w(qdd + b.v) + joint.bias_w());
      const Vec3<Real> v = at.R * joint.S_v(qd + b.v) + cross(at.p, w);
      const Vec3<Real> vd = at.R * (joint.S_v(qdd + b.v) + joint.bias_v()) + cross(at.p, wd);
      at.wd = at.wd + wd + cross(at.w, w);
      at.vd = at.vd + vd + cross(at.w, v) + cross(at.v, w);
      at.w = at.w + w;
      at.v = at.v + v;
    }
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      rows.set(Row::R, k, at.R.c0), rows.set(Row::R + 3, k, at.R.c1),
          rows.set(Row::R + 6, k, at.R.c2);
      rows.set(Row::p, k, at.p);
    }
    if (b.branching) ws.state[i] = at;
  };
  world_sweep(model, ws.joints, base, resume, move);
}

/// S, X, Y, Z, V and A of every velocity, as if all were of hinges.
template <class Real>
TORSOR_INLINE void hinge_columns(const Rows<Real>& rows, int n) {
  using Row = MotionRow;
  using Block = RowBlock<Real>;
  using Vec = Vec3<Block>;
  for (int k = 0; k < n; k += row_lanes<Real>) {
    const Vec s = rows.vectors(Row::R + 6, k), s0 = cross(rows.vectors(Row::p, k), s);
    const Vec w = rows.vectors(Row::V_p, k), v = rows.vectors(Row::V_p + 3, k);
    const Vec wd = rows.vectors(Row::A_p, k), vd = rows.vectors(Row::A_p + 3, k);
    const Vec x = cross(w, s), x0 = cross(w, s0) + cross(v, s);
    const Vec y = cross(wd, s) + cross(w, x);
    const Vec y0 = (cross(wd, s0) + cross(vd, s)) + (cross(w, x0) + cross(v, x));
    const Block qd = rows.block(Row::qd, k), qdd = rows.block(Row::qdd, k);
    rows.store(Row::S, k, s), rows.store(Row::S + 3, k, s0);
    rows.store(Row::X, k, x), rows.store(Row::X + 3, k, x0);
    rows.store(Row::Y, k, y), rows.store(Row::Y + 3, k, y0);
    rows.store(Row::Z, k, x + x), rows.store(Row::Z + 3, k, x0 + x0);
    rows.store(Row::V, k, w + s * qd), rows.store(Row::V + 3, k, v + s0 * qd);
    rows.store(Row::A, k, wd + s * qdd + x * qd),
        rows.store(Row::A + 3, k, vd + s0 * qdd + x0 * qd);
  }
}

/// The same of a joint that is no hinge. Kept out of line: few robots have many.
template <class Param, class Real>
TORSOR_COLD void other_columns(const Model<Param>& model, MotionWorkspace<Real>& ws, int i,
                               In<Real> q, const Real* qd, const Real* qdd) {
  using Row = MotionRow;
  const CanonicalBody<Param>& b = model.canonical(i);
  if (b.joint == JointClass::turned_hinge) return;
  const Rows<Real> rows = ws.rows.view();
  const auto twist = [&](int r) {
    return Twist<Real>{rows.vector(r, b.v), rows.vector(r + 3, b.v)};
  };
  const auto set = [&](int r, int k, const Twist<Real>& x) {
    rows.set(r, k, x.w), rows.set(r + 3, k, x.v);
  };
  const SE3<Real> T{
      {rows.vector(Row::R, b.v), rows.vector(Row::R + 3, b.v), rows.vector(Row::R + 6, b.v)},
      rows.vector(Row::p, b.v)};
  const Twist<Real> V_p = twist(Row::V_p), A_p = twist(Row::A_p);
  const bool slides = b.joint == JointClass::slider,
             turns = !slides && has_sdot(model.joint(i).kind);
  Twist<Real> S[max_joint_dofs], V_joint{}, A_joint{};
  for (int c = 0; c < b.n_v; ++c) {
    S[c] = slides ? Twist<Real>{{}, T.R.c2} : Ad(T, ws.joints.S[b.v + c]);
    V_joint += S[c] * qd[b.v + c];
    A_joint += S[c] * qdd[b.v + c];
  }
  JointSlopes<Real> own;
  if (turns) {
    joint_slopes(model.joint(i), q.data + b.q, qd + b.v, qdd + b.v, own);
    A_joint += Ad(T, ws.joints.bias[i]);
  }
  const Twist<Real> V = V_p + V_joint, A = A_p + A_joint + ad(V, V_joint);
  for (int c = 0; c < b.n_v; ++c) {
    Twist<Real> X = ad(V_p, S[c]), Z = ad(V, S[c]), Y = ad(A_p, S[c]);
    if (turns) {
      const Twist<Real> E = Ad(T, own.E.data()[c]);
      X += E;
      Y += ad(V, E) + Ad(T, own.G.data()[c]);
      Z += Ad(T, own.Sdot.data()[c]);
      for (int k = 0; const Twist<Real>& D : own.D.data()[c])
        ws.D[(b.v + c) * max_joint_dofs + k++] = Ad(T, D);
    }
    set(Row::S, b.v + c, S[c]);
    set(Row::X, b.v + c, X);
    set(Row::Y, b.v + c, Y + ad(V_p, X));
    set(Row::Z, b.v + c, Z + X);
    set(Row::V, b.v + c, V);
    set(Row::A, b.v + c, A);
  }
}

/// Moments of every body in world axes, of its velocity too, and the wrench that moves it.
template <class Param, class Real>
TORSOR_INLINE void body_moments(const Model<Param>& model, const Rows<Real>& rows) {
  using Row = MotionRow;
  using Block = RowBlock<Real>;
  using Vec = Vec3<Block>;
  const Param* const given = model.canonical().moment_rows.data();
  const auto constant = [&](int r, int k) {
    const Param* const x = given + k / 16 * 160 + r * 16 + k % 16;
    if constexpr (std::is_same_v<Param, Real>) {
      return load_block<Block>(x);
    } else {
      return Block(*x);
    }
  };
  for (int k = 0; k < model.n_v(); k += row_lanes<Real>) {
    const Vec c0 = rows.vectors(Row::R, k), c1 = rows.vectors(Row::R + 3, k),
              c2 = rows.vectors(Row::R + 6, k);
    const Vec p = rows.vectors(Row::p, k), w = rows.vectors(Row::V, k),
              v = rows.vectors(Row::V + 3, k);
    const Block m = constant(0, k), xx = constant(4, k), xy = constant(5, k), yy = constant(6, k),
                xz = constant(7, k), yz = constant(8, k), zz = constant(9, k);
    // R Sigma R^T + p h^T + h p^T + m p p^T = sum_k t_k c_k^T + p g^T + h p^T with g = h + m p
    const Vec h = c0 * constant(1, k) + c1 * constant(2, k) + c2 * constant(3, k), g = h + p * m;
    const Vec t0 = c0 * xx + c1 * xy + c2 * xz, t1 = c0 * xy + c1 * yy + c2 * yz,
              t2 = c0 * xz + c1 * yz + c2 * zz;
    const auto entry = [&](const Block& a0, const Block& a1, const Block& a2, const Block& ap,
                           const Block& ah, const Block& b0, const Block& b1, const Block& b2,
                           const Block& bp, const Block& bg) {
      return (a0 * b0 + a1 * b1) + (a2 * b2 + (ap * bg + ah * bp));
    };
    const MassMoments<Block> I{m,
                               g,
                               {entry(t0.x, t1.x, t2.x, p.x, h.x, c0.x, c1.x, c2.x, p.x, g.x),
                                entry(t0.x, t1.x, t2.x, p.x, h.x, c0.y, c1.y, c2.y, p.y, g.y),
                                entry(t0.y, t1.y, t2.y, p.y, h.y, c0.y, c1.y, c2.y, p.y, g.y),
                                entry(t0.x, t1.x, t2.x, p.x, h.x, c0.z, c1.z, c2.z, p.z, g.z),
                                entry(t0.y, t1.y, t2.y, p.y, h.y, c0.z, c1.z, c2.z, p.z, g.z),
                                entry(t0.z, t1.z, t2.z, p.z, h.z, c0.z, c1.z, c2.z, p.z, g.z)}};
    const BodyMotion<Block> motion{w, rows.vectors(Row::A, k),
                                   rows.vectors(Row::A + 3, k) + cross(w, v)};
    const Wrench<Block> F = wrench_of<false>(I, motion.a, turning(motion));
    rows.store(Row::m, k, m), rows.store(Row::h, k, g);
    const Block* const entries[6] = {&I.S.xx, &I.S.xy, &I.S.yy, &I.S.xz, &I.S.yz, &I.S.zz};
    for (int r = 0; r < 6; ++r) rows.store(Row::Sigma + r, k, *entries[r]);
    rows.store(Row::P, k, v * m + cross(w, g));
    rows.store(Row::K, k, v * g.x + cross(w, Vec{I.S.xx, I.S.xy, I.S.xz}));
    rows.store(Row::K + 3, k, v * g.y + cross(w, Vec{I.S.xy, I.S.yy, I.S.yz}));
    rows.store(Row::K + 6, k, v * g.z + cross(w, Vec{I.S.xz, I.S.yz, I.S.zz}));
    rows.store(Row::F, k, F.m), rows.store(Row::F + 3, k, F.f);
  }
}

/// F less external wrenches, which turn with the links they are given in.
template <class Param, class Real>
TORSOR_COLD void subtract_external(const Model<Param>& model, const Rows<Real>& rows,
                                   In<Wrench<Real>> F_ext) {
  using Row = MotionRow;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    const int k = b.v + b.n_v - 1;
    const SO3<Param>& R_link = model.canonical().R_link_canonical[i];
    const SO3<Real> R{rows.vector(Row::R, k), rows.vector(Row::R + 3, k),
                      rows.vector(Row::R + 6, k)};
    const Vec3<Real> f = R * transpose_times(R_link, F_ext[i].f);
    const Vec3<Real> m = R * transpose_times(R_link, F_ext[i].m) + cross(rows.vector(Row::p, k), f);
    rows.set(Row::F, k, rows.vector(Row::F, k) - m);
    rows.set(Row::F + 3, k, rows.vector(Row::F + 3, k) - f);
  }
}

/// Moments and wrenches of every velocity become sums over all that it carries.
template <class Real>
TORSOR_INLINE void sum_carried(const MotionWorkspace<Real>& ws, const Rows<Real>& rows) {
  constexpr int first = MotionRow::m, end = MotionRow::composites_end;
  for (int k = ws.parent.size() - 1; k > 0; --k) {
    const int p = ws.parent[k];
    if (p < 0) continue;
    Real *const to = rows(first, p), *const from = rows(first, k);
    for (std::size_t r = 0; r < end - first; ++r)
      to[r * Rows<Real>::width] = to[r * Rows<Real>::width] + from[r * Rows<Real>::width];
  }
}

template <class Block>
struct Composite {
  MassMoments<Block> I;
  Vec3<Block> P;
  Mat3<Block> K;

  TORSOR_INLINE Vec3<Block> B_angular(const Vec3<Block>& s) const { return s * trace(K) - K * s; }
  TORSOR_INLINE Vec3<Block> Bt_angular(const Vec3<Block>& s, const Vec3<Block>& s0) const {
    return s * trace(K) - transpose_times(K, s) + cross(P, s0);
  }
};
template <class Real>
TORSOR_INLINE Composite<RowBlock<Real>> composite(const Rows<Real>& rows, int k) {
  using Row = MotionRow;
  return {{rows.block(Row::m, k),
           rows.vectors(Row::h, k),
           {rows.block(Row::Sigma, k), rows.block(Row::Sigma + 1, k), rows.block(Row::Sigma + 2, k),
            rows.block(Row::Sigma + 3, k), rows.block(Row::Sigma + 4, k),
            rows.block(Row::Sigma + 5, k)}},
          rows.vectors(Row::P, k),
          {rows.vectors(Row::K, k), rows.vectors(Row::K + 3, k), rows.vectors(Row::K + 6, k)}};
}

/// IS, T, Q and W of every velocity.
template <class Real>
TORSOR_INLINE void force_columns(const Rows<Real>& rows, int n) {
  using Row = MotionRow;
  using Block = RowBlock<Real>;
  using Vec = Vec3<Block>;
  const auto twice = [](const Vec& u) { return u + u; };
  for (int k = 0; k < n; k += row_lanes<Real>) {
    const Composite<Block> c = composite(rows, k);
    const Vec s = rows.vectors(Row::S, k), s0 = rows.vectors(Row::S + 3, k),
              x = rows.vectors(Row::X, k);
    const Vec m = rows.vectors(Row::F, k), f = rows.vectors(Row::F + 3, k);
    const Wrench<Block> IS = times(c.I, s, s0);
    const Wrench<Block> IY = times(c.I, rows.vectors(Row::Y, k), rows.vectors(Row::Y + 3, k));
    const Wrench<Block> IZ = times(c.I, rows.vectors(Row::Z, k), rows.vectors(Row::Z + 3, k));
    rows.store(Row::IS, k, IS.m), rows.store(Row::IS + 3, k, IS.f);
    rows.store(Row::T, k, twice(c.Bt_angular(s, s0)));
    rows.store(Row::Q, k, (cross(s, m) + cross(s0, f)) + (IY.m + twice(c.B_angular(x))));
    rows.store(Row::Q + 3, k, cross(s, f) + (IY.f + twice(cross(x, c.P))));
    rows.store(Row::W, k, IZ.m + twice(c.B_angular(s)));
    rows.store(Row::W + 3, k, IZ.f + twice(cross(s, c.P)));
  }
}

/// Everything but the sums over what is carried: rows up to F. A null qd or qdd means zero; an
/// empty F_ext means none.
template <class Param, class Real>
TORSOR_FLATTEN void motion_columns(const Model<Param>& model, MotionWorkspace<Real>& ws, In<Real> q,
                                   const Real* qd, const Real* qdd, In<Wrench<Real>> F_ext) {
  assert_state(model, q);
  assert_wrenches(model, F_ext);
  assert_workspace(model, ws.joints);
  qd = qd ? qd : ws.zero.data();
  qdd = qdd ? qdd : ws.zero.data();
  prepare(model, ws.joints, q, {qd, model.n_v()});
  const Rows<Real> rows = ws.rows.view();
  sweep_motion(model, ws, qd, qdd);
  hinge_columns(rows, model.n_v());
  for (const int i : model.canonical().not_hinges)
    other_columns<Param, Real>(model, ws, i, q, qd, qdd);
  body_moments(model, rows);
  if (!F_ext.empty()) subtract_external<Param, Real>(model, rows, F_ext);
}

/// The sums, then IS, T, Q and W.
template <class Real>
TORSOR_FLATTEN void carried_columns(MotionWorkspace<Real>& ws) {
  const Rows<Real> rows = ws.rows.view();
  sum_carried(ws, rows);
  force_columns(rows, ws.parent.size());
}

/// Compiled once for each scalar, in src/dynamics/internal/.
#define TORSOR_MOTION_COLUMNS(Extern, Param, Real)                                           \
  Extern template void motion_columns(const Model<Param>&, MotionWorkspace<Real>&, In<Real>, \
                                      const Real*, const Real*, In<Wrench<Real>>);           \
  Extern template void carried_columns(MotionWorkspace<Real>&);
TORSOR_MOTION_COLUMNS(extern, double, double)
TORSOR_MOTION_COLUMNS(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_MOTION_COLUMNS
#endif

}  // namespace torsor::internal
