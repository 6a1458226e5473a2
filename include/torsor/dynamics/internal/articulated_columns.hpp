#pragma once
/// Articulated bodies in world axes: accelerations of given torques, and torques of given
/// accelerations.
///
///   tip -> base   U = I^ S,  D = S^T U + rotor
///                 released    K = U / D,   I^_p += I^ - U K^T
///                 prescribed  K = U,       I^_p += I^
/// With the wrenches F of the bodies at the accelerations that are prescribed, and tau where it is
/// given:
///   tip -> base   released    r = tau - S^T F,  e = r / D,  F_p += F + K r
///                 prescribed  e = S^T F,                    F_p += F
///   base -> tip   released    qdd = e - K^T B,              B = B_p + S qdd
///                 prescribed  tau = e + K^T B + rotor qdd,  B = B_p
///
/// The velocities of one joint are released in turn, as if bodies without mass lay between them.
///
/// Frames   World axes (motion_columns.hpp), so that F and the accelerations B are carried without
///          transports.
/// Cost     O(n), no allocation.
/// Source   Featherstone 1983; hybrid: Featherstone 1987, sec. 9.2, and Kim 2012, table 4; as
///          minverse_times.hpp.
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/internal/motion_columns.hpp"

namespace torsor::internal {

/// What the sweeps need of a velocity, in one place.
template <class Real>
struct ArticulatedColumn {
  Twist<Real> S{};
  Wrench<Real> K{};
  Real inverse{};  // 1 / D
};

template <class Real>
struct ArticulatedWorkspace {
  Array<ArticulatedColumn<Real>> columns;
  Array<char> released;
  Array<Real> D, e;
  Array<ArticulatedInertia<Real>> I;  // these four: what was given to velocities that branch
  Array<Wrench<Real>> F;
  Array<Twist<Real>> B;
  RowStorage<Real> carried;  // a group for each velocity: F or B of three matrices

  template <class Param>
  explicit ArticulatedWorkspace(const Model<Param>& model)
      : columns(model.n_v()),
        released(columns.size(), 1),
        D(columns.size()),
        e(columns.size()),
        I(columns.size()),
        F(columns.size()),
        B(columns.size()),
        carried(18, model.n_v() * line_width<Real>) {}
};

/// b += a, number by number: a copy of the whole struct would wait for its stores.
template <class Real>
TORSOR_INLINE void add(const ArticulatedInertia<Real>& a, ArticulatedInertia<Real>& b) {
  const auto sum = [](const Sym3<Real>& from, Sym3<Real>& to) {
    to.xx = to.xx + from.xx, to.xy = to.xy + from.xy, to.yy = to.yy + from.yy;
    to.xz = to.xz + from.xz, to.yz = to.yz + from.yz, to.zz = to.zz + from.zz;
  };
  sum(a.A, b.A), sum(a.D, b.D);
  b.B.c0 = b.B.c0 + a.B.c0, b.B.c1 = b.B.c1 + a.B.c1, b.B.c2 = b.B.c2 + a.B.c2;
}

/// Adds the moments of one body, which are in `rows` before they are summed.
template <class Real>
TORSOR_INLINE void add_rigid(const Rows<Real>& rows, int k, ArticulatedInertia<Real>& I) {
  using Row = MotionRow;
  const Real m = *rows(Row::m, k);
  const Vec3<Real> h = rows.vector(Row::h, k);
  const auto second = [&](int r) -> const Real& { return *rows(Row::Sigma + r, k); };
  I.A.xx = I.A.xx + (second(2) + second(5)), I.A.yy = I.A.yy + (second(0) + second(5));
  I.A.zz = I.A.zz + (second(0) + second(2));
  I.A.xy = I.A.xy - second(1), I.A.xz = I.A.xz - second(3), I.A.yz = I.A.yz - second(4);
  I.B.c0.y = I.B.c0.y + h.z, I.B.c0.z = I.B.c0.z - h.y;
  I.B.c1.x = I.B.c1.x - h.z, I.B.c1.z = I.B.c1.z + h.x;
  I.B.c2.x = I.B.c2.x + h.y, I.B.c2.y = I.B.c2.y - h.x;
  I.D.xx = I.D.xx + m, I.D.yy = I.D.yy + m, I.D.zz = I.D.zz + m;
}

/// Columns and pivots, from the rows before they are summed.
template <class Param, class Real>
TORSOR_INLINE void articulate(const Model<Param>& model, const MotionWorkspace<Real>& motion,
                              const Rows<Real>& rows, ArticulatedWorkspace<Real>& ws) {
  using Row = MotionRow;
  const int n = model.n_v();
  for (int k = 0; k < n; ++k)
    if (motion.branches[k]) ws.I[k] = {};
  ArticulatedInertia<Real> I{};
  for (int k = n - 1; k >= 0; --k) {
    add_rigid(rows, k, I);
    if (motion.branches[k]) add(ws.I[k], I);
    ArticulatedColumn<Real>& column = ws.columns[k];
    const Vec3<Real> w = rows.vector(Row::S, k), v = rows.vector(Row::S + 3, k);
    const Vec3<Real> m = I.A * w + I.B * v, f = transpose_times(I.B, w) + I.D * v;
    const Real D = dot(w, m) + dot(v, f) + model.dof(k).armature;
    ws.D[k] = D;
    column.S.w = w, column.S.v = v;
    if (ws.released[k]) {
      const Real inverse = reciprocal_or_zero(D);
      const Wrench<Real> K{m * inverse, f * inverse};
      column.inverse = inverse;
      column.K.m = K.m, column.K.f = K.f;
      I = deflated(I, Wrench<Real>{m, f}, K);
    } else {
      column.K.m = m, column.K.f = f;
    }
    if (k > 0 && motion.parent[k] != k - 1) {
      if (motion.parent[k] >= 0) add(I, ws.I[motion.parent[k]]);
      I = {};
    }
  }
}

/// Pivots of the released velocities; all prescribed counts as regular.
template <class Real>
ForwardDynamicsResult<Real> regularity_of(ArticulatedWorkspace<Real>& ws) {
  Real any_released(1);
  for (int k = 0; k < ws.D.size(); ++k)
    if (ws.released[k]) any_released = ws.D[k];
  for (int k = 0; k < ws.D.size(); ++k)
    if (!ws.released[k]) ws.D[k] = any_released;
  return regularity(ws.D);
}

/// The rest of the torques `tau` (of released velocities) over the wrenches F in `rows`
/// accelerates the robot: qdd of released ones, tau of prescribed ones. The accelerations of the
/// bodies that it adds replace rows A_p and A.
template <class Param, class Real>
TORSOR_INLINE void accelerate(const Model<Param>& model, const MotionWorkspace<Real>& motion,
                              const Rows<Real>& rows, ArticulatedWorkspace<Real>& ws,
                              const Real* tau_given, Real* qdd, Real* tau) {
  using Row = MotionRow;
  const int n = model.n_v();
  for (int k = 0; k < n; ++k)
    if (motion.branches[k]) ws.F[k] = {};
  Wrench<Real> F{};
  for (int k = n - 1; k >= 0; --k) {
    const ArticulatedColumn<Real>& c = ws.columns[k];
    F.m = F.m + rows.vector(Row::F, k), F.f = F.f + rows.vector(Row::F + 3, k);
    if (motion.branches[k]) F += ws.F[k];
    const Real along = dot(c.S, F);
    if (ws.released[k]) {
      const Real r = tau_given[k] - along;
      ws.e[k] = r * c.inverse;
      F += c.K * r;
    } else {
      ws.e[k] = along;
    }
    if (k > 0 && motion.parent[k] != k - 1) {
      if (motion.parent[k] >= 0) ws.F[motion.parent[k]] += F;
      F = {};
    }
  }
  Twist<Real> B{};
  for (int k = 0; k < n; ++k) {
    const ArticulatedColumn<Real>& c = ws.columns[k];
    const int p = motion.parent[k];
    if (p < 0) {
      B = {};
    } else if (p != k - 1) {
      B = ws.B[p];
    }
    rows.set(Row::A_p, k, B.w), rows.set(Row::A_p + 3, k, B.v);
    const Real along = dot(B, c.K);
    if (ws.released[k]) {
      const Real y = ws.e[k] - along;
      B += c.S * y;
      qdd[k] = y;
    } else {
      tau[k] = ws.e[k] + along + qdd[k] * model.dof(k).armature;
    }
    rows.set(Row::A, k, B.w), rows.set(Row::A + 3, k, B.v);
    if (motion.branches[k]) ws.B[k] = B;
  }
}

/// Y and F of the accelerations that `accelerate` left in rows A_p and A.
template <class Param, class Real>
TORSOR_INLINE void add_accelerations(const Model<Param>& model, const MotionWorkspace<Real>& motion,
                                     const Rows<Real>& rows, In<char> released, const Real* qdd) {
  using Row = MotionRow;
  using Block = RowBlock<Real>;
  using Vec = Vec3<Block>;
  for (const int i : model.canonical().not_hinges) {
    const CanonicalBody<Param>& b = model.canonical(i);
    if (b.joint != JointClass::general || b.n_v == 1) continue;
    // Inside one joint all columns see the acceleration of the parent, and the body has the mass.
    for (int j = b.v + 1; j < b.v + b.n_v; ++j)
      for (int r = Row::A_p; r < Row::A_p + 6; ++r) *rows(r, j) = *rows(r, b.v);
    if (!has_sdot(model.joint(i).kind)) continue;
    for (int j = b.v; j < b.v + b.n_v; ++j)
      for (int k = b.v; k < b.v + b.n_v; ++k) {
        if (!released[k]) continue;
        const Twist<Real>& D = motion.D[j * max_joint_dofs + k - b.v];
        rows.set(Row::Y, j, rows.vector(Row::Y, j) + D.w * qdd[k]);
        rows.set(Row::Y + 3, j, rows.vector(Row::Y + 3, j) + D.v * qdd[k]);
      }
  }
  for (int k = 0; k < model.n_v(); k += row_lanes<Real>) {
    const Vec s = rows.vectors(Row::S, k), s0 = rows.vectors(Row::S + 3, k);
    const Vec wd = rows.vectors(Row::A_p, k), vd = rows.vectors(Row::A_p + 3, k);
    rows.store(Row::Y, k, rows.vectors(Row::Y, k) + cross(wd, s));
    rows.store(Row::Y + 3, k, rows.vectors(Row::Y + 3, k) + (cross(wd, s0) + cross(vd, s)));
    const MassMoments<Block> I = composite(rows, k).I;
    const Wrench<Block> F = times(I, rows.vectors(Row::A, k), rows.vectors(Row::A + 3, k));
    rows.store(Row::F, k, rows.vectors(Row::F, k) + F.m);
    rows.store(Row::F + 3, k, rows.vectors(Row::F + 3, k) + F.f);
  }
}

}  // namespace torsor::internal
