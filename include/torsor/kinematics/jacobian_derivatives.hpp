#pragma once
/// Derivatives of a frame's Jacobian with respect to each coordinate, along the tangent of q.
///
/// With columns S in world axes about the world's origin, for velocities j and k that carry the
/// frame:
///
///   reference world           d S_k / dq_j = ad(S_j) S_k where j carries k, else 0;
///                             + D_jk inside one joint
///   reference body            the frame moves by S_j: less ad(S_j) S_k, written in the frame
///   reference world_aligned   the linear part is of the frame's origin, which moves by S_j
///
/// Frames   Reference of velocity.hpp.
/// Cost     O(d^2) for a frame that d velocities carry; no allocation.
/// Source   Murray, Li & Sastry 1994, sec. 3.4; D: joint_slopes.hpp.
#include "torsor/kinematics/velocity_derivatives.hpp"

namespace torsor {

template <class Real>
struct JacobianDerivativesWorkspace {
  VelocityWorkspace<Real> velocity;
  Array<Twist<Real>> S;                   // per velocity
  Array<internal::JointColumns<Real>> D;  // D_jk, where S depends on q
  Array<Real> zero;

  template <class Param>
  explicit JacobianDerivativesWorkspace(const Model<Param>& model)
      : velocity(model), S(model.n_v()), D(S.size()), zero(S.size(), Real(0)) {}
};

/// out is 6 x n_v^2: column j n_v + k is the derivative of column k of the Jacobian along q (+)
/// e_j.
template <class Param, class Real>
void jacobian_derivatives(const Model<Param>& model, JacobianDerivativesWorkspace<Real>& ws,
                          In<Real> q, const Frame& frame, Reference reference,
                          OutMatrix<Real> out) {
  const int n = model.n_v();
  forward_velocity<Param, Real>(model, ws.velocity, q, ws.zero);
  const SE3<Real> T = frame_pose(ws.velocity, frame);
  for (int c = 0; c < n * n; ++c) internal::store_twist(out, c, Twist<Real>{});
  for (int i = frame.body; i > 0; i = model.body(i).parent) {
    const Body<Param>& b = model.body(i);
    const SE3<Real>& T_b = ws.velocity.T_world_body[i];
    const SE3<Real> T_turned{T_b.R * b.turn, T_b.p};
    const JointMotion<Real> motion = joint_motion(model.joint(i), q.data + b.q.first);
    internal::JointSlopes<Real> own;
    if (internal::has_sdot(b.kind))
      internal::joint_slopes(model.joint(i), q.data + b.q.first, static_cast<const Real*>(nullptr),
                             static_cast<const Real*>(nullptr), own);
    for (int j = 0; j < b.v.count; ++j) {
      ws.S[b.v.first + j] = Ad(T_turned, motion.S[j]);
      for (int k = 0; k < b.v.count; ++k) ws.D[b.v.first + j][k] = Ad(T_turned, own.D[j][k]);
    }
  }
  const auto slope = [&](const Twist<Real>& S_j, const Twist<Real>& S_k, const Twist<Real>& dS_k) {
    if (reference == Reference::world) return dS_k;
    if (reference == Reference::body) return Ad_inv(T, dS_k - ad(S_j, S_k));
    const Vec3<Real> dp = S_j.v + cross(S_j.w, T.p);
    return Twist<Real>{dS_k.w, dS_k.v + cross(dS_k.w, T.p) + cross(S_k.w, dp)};
  };
  for (int i = frame.body; i > 0; i = model.body(i).parent)
    for (int l = frame.body; l > 0; l = model.body(l).parent) {
      const Dofs &of_j = model.body(i).v, &of_k = model.body(l).v;
      for (int j = of_j.first; j < of_j.first + of_j.count; ++j)
        for (int k = of_k.first; k < of_k.first + of_k.count; ++k) {
          Twist<Real> dS{};
          if (i <= l) dS = ad(ws.S[j], ws.S[k]);  // both carry the frame: the smaller carries
          if (i == l) dS += ws.D[j][k - of_k.first];
          internal::store_twist(out, j * n + k, slope(ws.S[j], ws.S[k], dS));
        }
    }
}

#define TORSOR_JACOBIAN_DERIVATIVES(Extern, Param, Real)                                   \
  Extern template void jacobian_derivatives(const Model<Param>&,                           \
                                            JacobianDerivativesWorkspace<Real>&, In<Real>, \
                                            const Frame&, Reference, OutMatrix<Real>);
TORSOR_JACOBIAN_DERIVATIVES(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_JACOBIAN_DERIVATIVES
#endif

}  // namespace torsor
