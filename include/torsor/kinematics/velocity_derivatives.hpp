#pragma once
/// Derivatives of a frame's velocity and acceleration along the tangent of q, along qd and along
/// qdd.
///
/// A step dq_j moves the frame by the twist S_j. With V, V' of the frame's body and V_p, V'_p of
/// the parent of j's body b, all in world axes about the world's origin:
///
///   d V / dq_j    = ad(S_j) V + X_j                   X_j = ad(V_p) S_j + E_j
///   d V' / dq_j   = ad(S_j) V' + Y_j - ad(V) X_j      Y_j = ad(V'_p) S_j + ad(V_p) X_j
///                                                         + ad(V_b) E_j + G_j
///   d V / dqd_j   = S_j
///   d V' / dqd_j  = Z_j - ad(V) S_j                   Z_j = ad(V_b) S_j + S'_j + X_j
///   d V' / dqdd_j = S_j
///
/// with E, G and S' of the joint alone (joint_slopes.hpp). In body axes the terms ad(S_j) fall
/// away. For the reference world_aligned the linear parts are of the frame's origin x, which moves
/// too.
///
/// Frames   Reference of velocity.hpp; derivatives are of its numbers. Gravity does not enter.
/// Cost     O(n), no allocation.
/// Source   Kim 2012, tables 2 and 5, in world axes; Singh, Russell & Wensing 2022.
#include "torsor/kinematics/internal/joint_slopes.hpp"
#include "torsor/kinematics/velocity.hpp"

namespace torsor {

namespace internal {

/// What a step along one velocity does, in world axes about the world's origin.
template <class Real>
struct StepColumn {
  Twist<Real> S, X, Y, Z;
};

/// f(k, column) for the velocities of the joint of body i, after forward_acceleration at the same
/// state.
template <class Param, class Real, class Function>
void for_each_step(const Model<Param>& model, const VelocityWorkspace<Real>& ws, int i, In<Real> q,
                   In<Real> qd, In<Real> qdd, Function&& f) {
  const Body<Param>& b = model.body(i);
  const SE3<Real>& T = ws.T_world_body[i];
  const SE3<Real> T_turned{T.R * b.turn, T.p};  // z along the axis
  const SE3<Real>& T_p = ws.T_world_body[b.parent];
  const Twist<Real> V_p = Ad(T_p, ws.V[b.parent]), A_p = Ad(T_p, ws.Vdot[b.parent]),
                    V_b = Ad(T, ws.V[i]);
  const JointMotion<Real> motion = joint_motion(model.joint(i), q.data + b.q.first);
  JointSlopes<Real> own;
  if (has_sdot(b.kind))
    joint_slopes(model.joint(i), q.data + b.q.first, qd.data + b.v.first,
                 qdd.data ? qdd.data + b.v.first : nullptr, own);
  for (int c = 0; c < b.v.count; ++c) {
    StepColumn<Real> column;
    column.S = Ad(T_turned, motion.S[c]);
    column.X = ad(V_p, column.S);
    column.Y = ad(A_p, column.S);
    column.Z = ad(V_b, column.S);
    if (has_sdot(b.kind)) {
      const Twist<Real> E = Ad(T_turned, own.E[c]);
      column.X += E;
      column.Y += ad(V_b, E) + Ad(T_turned, own.G[c]);
      column.Z += Ad(T_turned, own.Sdot[c]);
    }
    column.Y += ad(V_p, column.X);
    column.Z += column.X;
    f(b.v.first + c, column);
  }
}

template <class Real>
void store_twist(const MatrixView<Real>& out, int k, const Twist<Real>& x) {
  for (int r = 0; out.data && r < 3; ++r) out(r, k) = x.w[r], out(r + 3, k) = x.v[r];
}

/// A frame's velocity and acceleration in the world, and how they are written in a reference.
template <class Real>
struct FrameMotion {
  SE3<Real> T;
  Twist<Real> V, A;  // about the world's origin
  Reference reference;

  FrameMotion(const VelocityWorkspace<Real>& ws, const Frame& frame, Reference how)
      : T(frame_pose(ws, frame)), reference(how) {
    const int k = frame.body;
    V = Ad(ws.T_world_body[k], ws.V[k]);
    A = Ad(ws.T_world_body[k], ws.Vdot[k]);
  }
  /// Derivative of the numbers of V where it changes by dV beyond moving with the frame by the step
  /// S.
  Twist<Real> velocity_slope(const Twist<Real>& S, const Twist<Real>& dV) const {
    if (reference == Reference::body) return Ad_inv(T, dV);
    const Twist<Real> d = dV + ad(S, V);
    if (reference == Reference::world) return d;
    return {d.w, d.v + cross(d.w, T.p) + cross(V.w, origin_slope(S))};
  }
  /// The same of A; of the classical acceleration of the origin for world_aligned.
  Twist<Real> acceleration_slope(const Twist<Real>& S, const Twist<Real>& dV,
                                 const Twist<Real>& dA) const {
    if (reference == Reference::body) return Ad_inv(T, dA);
    const Twist<Real> d = dA + ad(S, A);
    if (reference == Reference::world) return d;
    // a = A.v + A.w x p + w x v_p with v_p = V.v + w x p
    const Twist<Real> e = velocity_slope(S, dV);
    const Vec3<Real> v_p = V.v + cross(V.w, T.p);
    return {d.w, d.v + cross(d.w, T.p) + cross(A.w, origin_slope(S)) + cross(e.w, v_p) +
                     cross(V.w, e.v)};
  }

 private:
  Vec3<Real> origin_slope(const Twist<Real>& S) const { return S.v + cross(S.w, T.p); }
};

}  // namespace internal

/// Derivatives of frame_velocity: 6 x n_v along the tangent of q and along qd (the Jacobian). A
/// matrix without data is not written.
template <class Param, class Real>
void frame_velocity_derivatives(const Model<Param>& model, VelocityWorkspace<Real>& ws, In<Real> q,
                                In<Real> qd, const Frame& frame, Reference reference,
                                OutMatrix<Real> by_q, OutMatrix<Real> by_qd) {
  forward_velocity<Param, Real>(model, ws, q, qd);
  const internal::FrameMotion<Real> at(ws, frame, reference);
  for (int k = 0; k < model.n_v(); ++k)
    internal::store_twist(by_q, k, Twist<Real>{}), internal::store_twist(by_qd, k, Twist<Real>{});
  for (int i = frame.body; i > 0; i = model.body(i).parent)
    internal::for_each_step<Param, Real>(
        model, ws, i, q, qd, {}, [&](int k, const internal::StepColumn<Real>& c) {
          internal::store_twist(by_q, k, at.velocity_slope(c.S, c.X));
          internal::store_twist(by_qd, k, at.velocity_slope({}, c.S));
        });
}

/// Derivatives of frame_acceleration: 6 x n_v along the tangent of q, along qd and along qdd. An
/// empty qdd means zero; a matrix without data is not written.
template <class Param, class Real>
void frame_acceleration_derivatives(const Model<Param>& model, VelocityWorkspace<Real>& ws,
                                    In<Real> q, In<Real> qd, In<Real> qdd, const Frame& frame,
                                    Reference reference, OutMatrix<Real> by_q,
                                    OutMatrix<Real> by_qd, OutMatrix<Real> by_qdd) {
  forward_acceleration<Param, Real>(model, ws, q, qd, qdd);
  const internal::FrameMotion<Real> at(ws, frame, reference);
  const Twist<Real> none{};
  for (int k = 0; k < model.n_v(); ++k)
    for (const auto& out : {by_q, by_qd, by_qdd}) internal::store_twist(out, k, none);
  for (int i = frame.body; i > 0; i = model.body(i).parent)
    internal::for_each_step<Param, Real>(
        model, ws, i, q, qd, qdd, [&](int k, const internal::StepColumn<Real>& c) {
          internal::store_twist(by_q, k, at.acceleration_slope(c.S, c.X, c.Y - ad(at.V, c.X)));
          internal::store_twist(by_qd, k, at.acceleration_slope(none, c.S, c.Z - ad(at.V, c.S)));
          internal::store_twist(by_qdd, k, at.acceleration_slope(none, none, c.S));
        });
}

#define TORSOR_VELOCITY_DERIVATIVES(Extern, Param, Real)                                         \
  Extern template void frame_velocity_derivatives(const Model<Param>&, VelocityWorkspace<Real>&, \
                                                  In<Real>, In<Real>, const Frame&, Reference,   \
                                                  OutMatrix<Real>, OutMatrix<Real>);             \
  Extern template void frame_acceleration_derivatives(                                           \
      const Model<Param>&, VelocityWorkspace<Real>&, In<Real>, In<Real>, In<Real>, const Frame&, \
      Reference, OutMatrix<Real>, OutMatrix<Real>, OutMatrix<Real>);
TORSOR_VELOCITY_DERIVATIVES(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_VELOCITY_DERIVATIVES
#endif

}  // namespace torsor
