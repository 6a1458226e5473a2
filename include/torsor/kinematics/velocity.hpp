#pragma once
/// Velocities and accelerations of all bodies and of any frame, by recursion on SE(3).
///
///   base -> tip   V_i  = Ad(T_i^-1) V_p  + S_i qd_i
///                 V'_i = Ad(T_i^-1) V'_p + ad(V_i) S_i qd_i + S'_i qd_i + S_i qdd_i      p: parent
///
/// A frame's velocity has three usual forms, and its acceleration is the derivative of each, number
/// by number:
///
///   Reference      velocity (w, v)                            its derivative
///   body           V, written in the frame                    V'
///   world          Ad(T) V, about the origin of the world     Ad(T) V'
///   world_aligned  w and the velocity of the frame's          angular acceleration and classical
///                  origin, in the axes of the world           acceleration of the origin
///
/// Frames   The file's link frames: everything about body i is written in frame i, and T_i is the
///          pose of body i in its parent.
/// Gravity  None: the world rests, while inverse dynamics lets it accelerate upwards.
/// Cost     O(n), no allocation.
/// Source   Park, Bobrow & Ploen 1995; Kim 2012, table 2; Huo 2005, sec. 1.4 and 1.5.
#include "torsor/kinematics/forward.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

/// The frame in which a twist of a moving frame is written, and the point its linear part is of.
enum class Reference : unsigned char { body, world, world_aligned };

template <class Real>
struct VelocityWorkspace {
  Array<SE3<Real>> T_world_body;
  Array<Twist<Real>> V, Vdot;  // in the link frames
  Array<Real> sin, cos;        // per coordinate

  template <class Param>
  explicit VelocityWorkspace(const Model<Param>& model)
      : T_world_body(model.n_bodies()),
        V(T_world_body.size()),
        Vdot(T_world_body.size()),
        sin(model.n_q()),
        cos(sin.size()) {}
};

/// Fills ws with the poses, velocities and accelerations of all bodies. An empty qdd means zero.
template <class Param, class Real>
TORSOR_FLATTEN void forward_acceleration(const Model<Param>& model, VelocityWorkspace<Real>& ws,
                                         In<Real> q, In<Real> qd, In<Real> qdd) {
  internal::assert_state(model, q, qd);
  if (!qdd.empty()) internal::assert_state(model, q, qdd);
  internal::assert_workspace(model, ws.T_world_body, ws.sin);
  if constexpr (Plain<Real>) {
    internal::sincos_many(q.data, ws.sin.data(), ws.cos.data(), model.n_q());
  } else {
    for (const int k : model.canonical().hinge_q) {
      const SinCos<Real> sc = sincos(q[k]);
      ws.sin[k] = sc.sin;
      ws.cos[k] = sc.cos;
    }
  }
  SE3<Real>* const T_world = ws.T_world_body.data();
  Twist<Real>*const V = ws.V.data(), *const Vdot = ws.Vdot.data();
  T_world[0] = {};
  V[0] = {};
  Vdot[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    const auto p = b.parent, k = i, angle = b.q.first;
    internal::visit_link(model, i, [&](const auto& joint) {
      internal::LinkStep<Real> link;
      link.T = b.placement.template cast<Real>();
      joint.step(link, q, qd, qdd, ws.sin[angle], ws.cos[angle]);
      const auto& [T, V_joint, A_joint] = link;
      T_world[k] = T_world[p] * T;
      V[k] = Ad_inv(T, V[p]) + V_joint;
      Vdot[k] = Ad_inv(T, Vdot[p]) + ad(V[k], V_joint) + A_joint;
    });
  }
}

/// Fills ws with the poses and velocities of all bodies, and with their accelerations at qdd = 0.
template <class Param, class Real>
void forward_velocity(const Model<Param>& model, VelocityWorkspace<Real>& ws, In<Real> q,
                      In<Real> qd) {
  forward_acceleration<Param, Real>(model, ws, q, qd, In<Real>{});
}

/// Pose of a frame in the world, after forward_velocity or forward_acceleration.
template <class Real>
SE3<Real> frame_pose(const VelocityWorkspace<Real>& ws, const Frame& frame) {
  return ws.T_world_body[frame.body] * frame.placement.cast<Real>();
}

/// Velocity of a frame, after forward_velocity or forward_acceleration.
template <class Real>
Twist<Real> frame_velocity(const VelocityWorkspace<Real>& ws, const Frame& frame,
                           Reference reference = Reference::body) {
  const SE3<Real> T_body_frame = frame.placement.cast<Real>();
  const Twist<Real> V = Ad_inv(T_body_frame, ws.V[frame.body]);
  const SE3<Real> T = frame_pose(ws, frame);
  switch (reference) {
    case Reference::body:
      return V;
    case Reference::world:
      return Ad(T, V);
    case Reference::world_aligned:
      break;
  }
  return {T.R * V.w, T.R * V.v};
}

/// What sensors on the frame feel, in the frame's axes: angular acceleration, and the classical
/// acceleration of its origin, v' + w x v.
template <class Real>
Twist<Real> classical_acceleration(const VelocityWorkspace<Real>& ws, const Frame& frame) {
  const SE3<Real> T_body_frame = frame.placement.cast<Real>();
  const auto k = frame.body;
  const Twist<Real> V = Ad_inv(T_body_frame, ws.V[k]), A = Ad_inv(T_body_frame, ws.Vdot[k]);
  return {A.w, A.v + cross(V.w, V.v)};
}

/// Derivative of frame_velocity, number by number, after forward_acceleration. Of `world_aligned`
/// the linear part is the classical acceleration of the frame's origin.
template <class Real>
Twist<Real> frame_acceleration(const VelocityWorkspace<Real>& ws, const Frame& frame,
                               Reference reference = Reference::body) {
  const SE3<Real> T = frame_pose(ws, frame);
  if (reference == Reference::world_aligned) {
    const Twist<Real> A = classical_acceleration(ws, frame);
    return {T.R * A.w, T.R * A.v};
  }
  const SE3<Real> T_body_frame = frame.placement.cast<Real>();
  const Twist<Real> A = Ad_inv(T_body_frame, ws.Vdot[frame.body]);
  return reference == Reference::body ? A : Ad(T, A);
}

/// Compiled once, in src/kinematics/velocity.cpp. Other scalars are instantiated where they are
/// used.
#define TORSOR_VELOCITY(Extern, Param, Real)                                               \
  Extern template void forward_acceleration(const Model<Param>&, VelocityWorkspace<Real>&, \
                                            In<Real>, In<Real>, In<Real>);
TORSOR_VELOCITY(extern, double, double)
TORSOR_VELOCITY(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_VELOCITY
#endif

}  // namespace torsor
