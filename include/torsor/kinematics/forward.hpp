#pragma once
/// Forward kinematics: poses of all bodies and of any frame.
///
///   T_world_body(i) = T_world_body(p) * placement_i * T_joint(q_i)           p: parent of i
///
/// Frames   The file's link frames; body 0 is the world.
/// Cost     O(n), no allocation. A revolute joint about a coordinate axis turns two columns of the parent's
///          placed rotation; the sines and cosines of all joints are evaluated in wide registers.
/// Source   textbook (1-10); Kim 2012 (seed 001), section 2.1.
#include <vector>

#include "torsor/math/view.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

template <class Real>
struct KinematicsWorkspace {
  std::vector<SE3<Real>> T_world_body;
  std::vector<Real> sin, cos;  // per coordinate

  template <class Param>
  explicit KinematicsWorkspace(const Model<Param>& model)
      : T_world_body(static_cast<std::size_t>(model.n_bodies())),
        sin(static_cast<std::size_t>(model.n_q())),
        cos(sin.size()) {}
};

/// R times the rotation about the axis with that code.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE void turn_about(const Body<Param>& body, SO3<Real>& R, const Real& sine,
                                        const Real& c) {
  const Real s = body.axis_code < 0 ? -sine : sine;
  const Vec3<Real> c0 = R.c0, c1 = R.c1, c2 = R.c2;
  switch (body.axis_code) {
    case 1:
    case -1:
      R.c1 = c1 * c + c2 * s;
      R.c2 = c2 * c - c1 * s;
      return;
    case 2:
    case -2:
      R.c2 = c2 * c + c0 * s;
      R.c0 = c0 * c - c2 * s;
      return;
    case 3:
    case -3:
      R.c0 = c0 * c + c1 * s;
      R.c1 = c1 * c - c0 * s;
      return;
    default:
      R = R * rotation_about(body.turn.c2, SinCos<Real>{s, c});
  }
}

/// Fills ws.T_world_body for the configuration q.
template <class Param, class Real>
TORSOR_FLATTEN void forward_kinematics(const Model<Param>& model, KinematicsWorkspace<Real>& ws,
                                       In<Real> q) {
  const int n = model.n_bodies();
  if constexpr (Plain<Real>) {
    sincos_many(q.data, ws.sin.data(), ws.cos.data(), model.n_q());
  } else {
    for (const int k : model.canonical().hinge_q) {
      const SinCos<Real> sc = sincos(q[k]);
      ws.sin[static_cast<std::size_t>(k)] = sc.sin;
      ws.cos[static_cast<std::size_t>(k)] = sc.cos;
    }
  }
  SE3<Real>* const T = ws.T_world_body.data();
  T[0] = {};
  SE3<Real> at;  // of body i - 1, most often the parent
  for (int i = 1; i < n; ++i) {
    const Body<Param>& b = model.body(i);
    const auto k = static_cast<std::size_t>(b.q.first);
    if (b.parent != i - 1) at = T[b.parent];
    at.p = at.R * b.placement.p + at.p;
    at.R = at.R * b.placement.R;
    switch (b.kind) {
      case JointKind::revolute:
      case JointKind::continuous:
        turn_about(b, at.R, ws.sin[k], ws.cos[k]);
        break;
      case JointKind::prismatic:
        at.p = at.p + at.R * b.turn.c2 * q[b.q.first];
        break;
      default: {
        const JointMotion<Real> motion = joint_motion(model.joint(i), q.data + b.q.first);
        const SO3<Real> R = at.R * b.turn;
        at.p = at.p + R * motion.T.p;
        at.R = R * motion.T.R * transpose(b.turn);
      }
    }
    T[i].R = at.R;
    T[i].p = at.p;
  }
}

/// Pose of a frame in the world, after forward_kinematics.
template <class Real>
SE3<Real> frame_pose(const KinematicsWorkspace<Real>& ws, const Frame& frame) {
  return ws.T_world_body[static_cast<std::size_t>(frame.body)] * frame.placement.cast<Real>();
}

#define TORSOR_FORWARD_KINEMATICS(Param, Real) \
  template void forward_kinematics(const Model<Param>&, KinematicsWorkspace<Real>&, In<Real>);
extern TORSOR_FORWARD_KINEMATICS(double, double) extern TORSOR_FORWARD_KINEMATICS(float, float)

}  // namespace torsor
