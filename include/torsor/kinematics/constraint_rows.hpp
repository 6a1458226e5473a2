#pragma once
/// Residual, Jacobian and bias of a robot's constraints.
///
///   phi(q) = 0      A(q) qd = 0      A qdd + A' qd = 0
///
/// The rows are those of model/loop.hpp: loops first, then couplings, then the user's.
///
/// Frames   Poses and velocities of the file's link frames; a row acts at the origin of its loop's
///          frame on body b, so a robot far from the world's origin loses no digits.
/// Cost     O(n) and O(depth) a row; no allocation.
/// Source   Featherstone 2008, sec. 8.3; Kim 2012, (54)-(55).
#include "torsor/kinematics/jacobian.hpp"
#include "torsor/math/array.hpp"
#include "torsor/model/internal/loop_rows.hpp"

namespace torsor {

template <class Real>
struct ConstraintWorkspace {
  VelocityWorkspace<Real> motion;
  Array<Real> zero;        // a velocity
  Array<char> on_a, on_b;  // per body: carries the loop's end

  template <class Param>
  explicit ConstraintWorkspace(const Model<Param>& model)
      : motion(model), zero(model.n_v(), Real(0)), on_a(model.n_bodies()), on_b(on_a.size()) {}
};

/// Any of the three outputs may be empty. Sizes: phi and bias n_rows, A n_rows x n_v.
template <class Param, class Real>
void constraint_rows(const Model<Param>& model, const ConstraintSet& set,
                     ConstraintWorkspace<Real>& ws, In<Real> q, In<Real> qd, Out<Real> phi,
                     OutMatrix<Real> A, Out<Real> bias);

/// phi(q).
template <class Param, class Real>
void constraint_residual(const Model<Param>& model, const ConstraintSet& set,
                         ConstraintWorkspace<Real>& ws, In<Real> q, Out<Real> phi) {
  constraint_rows<Param, Real>(model, set, ws, q, ws.zero, phi, {}, {});
}
/// A(q).
template <class Param, class Real>
void constraint_jacobian(const Model<Param>& model, const ConstraintSet& set,
                         ConstraintWorkspace<Real>& ws, In<Real> q, OutMatrix<Real> A) {
  constraint_rows<Param, Real>(model, set, ws, q, ws.zero, {}, A, {});
}
/// A'(q, qd) qd.
template <class Param, class Real>
void constraint_bias(const Model<Param>& model, const ConstraintSet& set,
                     ConstraintWorkspace<Real>& ws, In<Real> q, In<Real> qd, Out<Real> bias) {
  constraint_rows<Param, Real>(model, set, ws, q, qd, {}, {}, bias);
}

namespace internal {

/// Pose and velocity of the loop's frame on a body.
template <class Real>
LoopFrame<Real> loop_frame(const VelocityWorkspace<Real>& ws, int body, const SE3<double>& T) {
  const Frame frame{{}, body, T};
  const Twist<Real> V = frame_velocity(ws, frame, Reference::world_aligned);
  return {frame_pose(ws, frame), V.w, V.v};
}
/// Twist and spatial acceleration of a body about a point of the world, in world axes.
template <class Real>
Twist<Real> about(const SE3<Real>& T_world_body, const Twist<Real>& X, const Vec3<Real>& point) {
  const Vec3<Real> w = T_world_body.R * X.w;
  return {w, T_world_body.R * X.v + cross(w, point - T_world_body.p)};
}

template <class Param>
void mark_path(const Model<Param>& model, int body, Array<char>& on) {
  for (char& x : on) x = 0;
  for (int i = body; i > 0; i = model.body(i).parent) on[i] = 1;
}

/// Rows of A of one loop: bodies that carry both ends do not move them against each other.
template <class Param, class Real>
void loop_jacobian(const Model<Param>& model, const LoopConstraint& loop,
                   ConstraintWorkspace<Real>& ws, In<Real> q, const LoopRow<Real>* rows,
                   const Vec3<Real>& point, OutMatrix<Real> A) {
  mark_path(model, loop.body_a, ws.on_a);
  mark_path(model, loop.body_b, ws.on_b);
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    const int sign = int{ws.on_b[i]} - int{ws.on_a[i]};
    if (sign == 0) {
      for (int k = b.v.first; k < b.v.first + b.v.count; ++k)
        for (int r = 0; r < loop.n_rows; ++r) A(loop.first_row + r, k) = Real(0);
      continue;
    }
    const SE3<Real>& T = ws.motion.T_world_body[i];
    visit_link(model, i, [&](const auto& joint) {
      joint.columns(T.R, q.data, [&](int k, const Vec3<Real>& s, const Vec3<Real>& u) {
        const Vec3<Real> v = u + cross(s, point - T.p);
        for (int r = 0; r < loop.n_rows; ++r)
          A(loop.first_row + r, k) = (dot(rows[r].m, s) + dot(rows[r].f, v)) * Real(sign);
      });
    });
  }
}

/// Adds the wrenches of multipliers on the bodies that a loop joins, in their link frames.
template <class Real>
void add_loop_wrench(const LoopConstraint& loop, const VelocityWorkspace<Real>& ws,
                     const LoopRow<Real>* rows, const LoopFrame<Real>& b, In<double> lambda,
                     Out<Wrench<Real>> F) {
  Wrench<Real> on_b{};  // about the origin of b's frame, world axes
  for (int k = 0; k < loop.n_rows; ++k)
    on_b += Wrench<Real>{rows[k].m, rows[k].f} * Real(lambda[loop.first_row + k]);
  for (const int body : {loop.body_a, loop.body_b}) {
    if (body == 0) continue;
    const SE3<Real>& T = ws.T_world_body[body];
    const Wrench<Real> own = Ad_dual(SE3<Real>{T.R, T.p - b.T.p}, on_b);
    F[body] += body == loop.body_b ? own : -own;
  }
}

/// A qdd + A' qd of one loop, where the motion has the accelerations of qdd; A' qd where of none.
template <class Real>
void loop_bias(const LoopConstraint& loop, const VelocityWorkspace<Real>& ws,
               const LoopRow<Real>* rows, const LoopFrame<Real>& b, Real* bias) {
  const auto i_a = loop.body_a, i_b = loop.body_b;
  const SE3<Real>&T_a = ws.T_world_body[i_a], &T_b = ws.T_world_body[i_b];
  const Twist<Real> V = about(T_b, ws.V[i_b], b.T.p) - about(T_a, ws.V[i_a], b.T.p);
  const Twist<Real> A = about(T_b, ws.Vdot[i_b], b.T.p) - about(T_a, ws.Vdot[i_a], b.T.p);
  for (int r = 0; r < loop.n_rows; ++r) {
    const LoopRow<Real>& row = rows[r];
    bias[r] = dot(row.m, A.w) + dot(row.f, A.v) + dot(row.mdot + cross(b.v, row.f), V.w) +
              dot(row.fdot, V.v);
  }
}

}  // namespace internal

template <class Param, class Real>
void constraint_rows(const Model<Param>& model, const ConstraintSet& set,
                     ConstraintWorkspace<Real>& ws, In<Real> q, In<Real> qd, Out<Real> phi,
                     OutMatrix<Real> A, Out<Real> bias) {
  if (!set.loops().empty()) forward_velocity<Param, Real>(model, ws.motion, q, qd);
  for (const LoopConstraint& loop : set.loops()) {
    const internal::LoopFrame<Real> a = internal::loop_frame(ws.motion, loop.body_a, loop.T_a);
    const internal::LoopFrame<Real> b = internal::loop_frame(ws.motion, loop.body_b, loop.T_b);
    internal::LoopRow<Real> rows[internal::max_loop_rows];
    internal::loop_rows(loop, a, b, rows);
    if (!phi.empty()) internal::loop_residual(loop, a.T, b.T, &phi[loop.first_row]);
    if (A.data) internal::loop_jacobian<Param, Real>(model, loop, ws, q, rows, b.T.p, A);
    if (!bias.empty()) internal::loop_bias(loop, ws.motion, rows, b, &bias[loop.first_row]);
  }
  for (const CouplingConstraint& row : set.couplings()) {
    Real sum(-row.offset);
    if (A.data)
      for (int k = 0; k < model.n_v(); ++k) A(row.first_row, k) = Real(0);
    for (const CouplingConstraint::Term& term : row.terms) {
      sum = sum + q[term.q] * Real(term.factor);
      if (A.data) A(row.first_row, term.v) = Real(term.factor);
    }
    if (!phi.empty()) phi[row.first_row] = sum;
    if (!bias.empty()) bias[row.first_row] = Real(0);
  }
  if constexpr (std::is_same_v<Real, double>)  // the user's function is in double alone
    for (const UserConstraint& user : set.user()) {
      MatrixView<double> own = A;
      own.rows = user.n_rows;
      if (own.data) own.data += user.first_row * own.row_stride;
      user.rows(q, qd, phi.empty() ? nullptr : &phi[user.first_row], own,
                bias.empty() ? nullptr : &bias[user.first_row]);
    }
}

/// Compiled once, in src/kinematics/constraint_rows.cpp.
#define TORSOR_CONSTRAINT_ROWS(Extern, Param, Real)                                               \
  Extern template void constraint_rows(const Model<Param>&, const ConstraintSet&,                 \
                                       ConstraintWorkspace<Real>&, In<Real>, In<Real>, Out<Real>, \
                                       OutMatrix<Real>, Out<Real>);
TORSOR_CONSTRAINT_ROWS(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_CONSTRAINT_ROWS
#endif

}  // namespace torsor
