#pragma once
/// Generalised force of any set of forces and moments: virtual work read joint by joint.
///
///   Q_j = sum_i F_i . dr_i/dq_j + M_i . w_j          r_i where F_i acts, w_j turn of its body
///   tip -> base   (m, f)_i = own loads about the origin of body i
///                 Q_i = S_i^T R_i^T (m, f)_i;   the parent gets (m + (p_i - p_p) x f, f)
///
/// Forces that do no work in any motion of the joints (reactions in ideal joints) give Q = 0;
/// forces with a potential V give Q = -dV/dq. In the equations of motion Q stands beside tau.
///
/// Frames   Forces and moments in world axes, points in the link frames of the bodies they act on.
/// Cost     O(n + loads), no allocation, no branch on the state.
/// Source   Huo 2005, sec. 2.1, (2-7)-(2-10); duality of velocity and force.
#include "torsor/kinematics/forward.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

/// A force at a point of a body and a moment on that body.
template <class Real>
struct AppliedLoad {
  int body = 0;                  ///< 0: the world, which does not move
  Vec3<Real> point{};            ///< m, in the body's link frame
  Vec3<Real> force{}, moment{};  ///< N and N m, in world axes
};

template <class Real>
struct GeneralisedForceWorkspace {
  KinematicsWorkspace<Real> kinematics;
  Array<Wrench<Real>> F;  // world axes, about the body's origin

  template <class Param>
  explicit GeneralisedForceWorkspace(const Model<Param>& model)
      : kinematics(model), F(model.n_bodies()) {}
};

/// Q = sum_i J_i^T (M_i, F_i).
template <class Param, class Real>
void generalised_force(const Model<Param>& model, GeneralisedForceWorkspace<Real>& ws, In<Real> q,
                       In<AppliedLoad<Real>> loads, Out<Real> Q) {
  forward_kinematics(model, ws.kinematics, q);
  const auto& T = ws.kinematics.T_world_body;
  for (Wrench<Real>& F : ws.F) F = {};
  for (const AppliedLoad<Real>& load : loads)
    ws.F[load.body] +=
        Wrench<Real>{load.moment + cross(T[load.body].R * load.point, load.force), load.force};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const Body<Param>& b = model.body(i);
    const auto& [m, f] = ws.F[i];
    const JointMotion<Real> motion = joint_motion(model.joint(i), q.data + b.q.first);
    const SO3<Real> R = T[i].R * b.turn;
    const Wrench<Real> own{transpose_times(R, m), transpose_times(R, f)};
    for (int c = 0; c < b.v.count; ++c) Q[b.v.first + c] = dot(motion.S[c], own);
    if (b.parent != 0) ws.F[b.parent] += Wrench<Real>{m + cross(T[i].p - T[b.parent].p, f), f};
  }
}

/// Compiled once, in src/dynamics/centroidal.cpp.
#define TORSOR_GENERALISED_FORCE(Extern, Param, Real)                                           \
  Extern template void generalised_force(const Model<Param>&, GeneralisedForceWorkspace<Real>&, \
                                         In<Real>, In<AppliedLoad<Real>>, Out<Real>);
TORSOR_GENERALISED_FORCE(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_GENERALISED_FORCE
#endif

}  // namespace torsor
