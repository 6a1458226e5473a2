#pragma once
/// Forward kinematics: poses of all bodies and of any frame.
///
///   T_world_body(i) = T_world_body(p) * placement_i * T_joint(q_i)           p: parent of i
///
/// Frames   The file's link frames; body 0 is the world.
/// Cost     O(n), no allocation. A revolute joint about a coordinate axis turns two columns of the parent's
///          placed rotation; the sines and cosines of all joints are evaluated in wide registers.
/// Source   Huo 2005, (1-10); Kim 2012, sec. 2.1.
#include <vector>

#include "torsor/math/array.hpp"
#include "torsor/model/internal/assert_state.hpp"
#include "torsor/model/internal/link_joint.hpp"

namespace torsor {

template <class Real>
struct KinematicsWorkspace {
  Array<SE3<Real>> T_world_body;
  Array<Real> sin, cos;  // per coordinate
  Array<Real> angle;     // of the joints on the way to one body

  template <class Param>
  explicit KinematicsWorkspace(const Model<Param>& model)
      : T_world_body(model.n_bodies()), sin(model.n_q()), cos(sin.size()), angle(sin.size()) {}
};

namespace internal {

/// From the pose of the parent to that of the body, in place.
template <class Param, class Real>
TORSOR_INLINE void step_to_body(const Model<Param>& model, int i, const Real* q, const Real* sine,
                                const Real* cosine, SE3<Real>& at) {
  const Body<Param>& b = model.body(i);
  at.p = at.R * b.placement.p + at.p;
  at.R = at.R * b.placement.R;
  visit_link(model, i, [&](const auto& joint) { joint.advance(at, q, *sine, *cosine); });
}

/// Poses of the bodies 1 to n - 1, which hold the coordinates 0 to n_q - 1.
template <class Param, class Real>
TORSOR_INLINE void poses_of_first(const Model<Param>& model, KinematicsWorkspace<Real>& ws,
                                  const Real* q, int n, int n_q) {
  Real* const sine = ws.sin.data();
  Real* const cosine = ws.cos.data();
  if constexpr (Plain<Real>) {
    sincos_many(q, sine, cosine, n_q);
  } else {
    for (const int k : model.canonical().hinge_q) {
      if (k >= n_q) break;
      const SinCos<Real> sc = sincos(q[k]);
      sine[k] = sc.sin;
      cosine[k] = sc.cos;
    }
  }
  SE3<Real>* const T = ws.T_world_body.data();
  T[0] = {};
  SE3<Real> at;  // of body i - 1, most often the parent
  for (int i = 1; i < n; ++i) {
    const Body<Param>& b = model.body(i);
    if (b.parent != i - 1) at = T[b.parent];
    step_to_body(model, i, q, sine + b.q.first, cosine + b.q.first, at);
    T[i].R = at.R;
    T[i].p = at.p;
  }
}

}  // namespace internal

/// Fills ws.T_world_body for the configuration q.
template <class Param, class Real>
TORSOR_FLATTEN void forward_kinematics(const Model<Param>& model, KinematicsWorkspace<Real>& ws,
                                       In<Real> q) {
  internal::assert_state(model, q);
  internal::assert_workspace(model, ws.T_world_body, ws.sin);
  internal::poses_of_first(model, ws, q.data, model.n_bodies(), model.n_q());
}

namespace internal {

/// Calls visit(i) for the bodies that carry `body`, from the base to itself.
template <class Param, class Visit>
TORSOR_INLINE void for_each_carrier(const Model<Param>& model, int body, Visit&& visit) {
  for (int i = 1; i <= body; ++i) {
    const int last = model.body(i).last;
    if (last < body) {
      i = last;  // over a branch
    } else {
      visit(i);
    }
  }
}

}  // namespace internal

/// The poses of one body and of those that carry it; the others in ws stay as they were.
template <class Param, class Real>
TORSOR_FLATTEN void forward_kinematics(const Model<Param>& model, KinematicsWorkspace<Real>& ws,
                                       In<Real> q, int body) {
  internal::assert_state(model, q);
  internal::assert_workspace(model, ws.T_world_body, ws.sin);
  const Body<Param>& last = model.body(body);
  if (last.depth == body)  // all bodies before it carry it
    return internal::poses_of_first(model, ws, q.data, body + 1, last.q.first + last.q.count);
  Real* const angle = ws.angle.data();
  Real* const sine = ws.sin.data();
  Real* const cosine = ws.cos.data();
  int n = 0;
  internal::for_each_carrier(model, body, [&](int i) { angle[n++] = q[model.body(i).q.first]; });
  if constexpr (Plain<Real>) {
    internal::sincos_many(angle, sine, cosine, n);
  } else {
    for (int k = 0; k < n; ++k) {
      const SinCos<Real> sc = sincos(angle[k]);
      sine[k] = sc.sin;
      cosine[k] = sc.cos;
    }
  }
  SE3<Real>* const T = ws.T_world_body.data();
  T[0] = {};
  SE3<Real> at;
  int k = 0;
  internal::for_each_carrier(model, body, [&](int i) {
    internal::step_to_body(model, i, q.data, sine + k, cosine + k, at);
    T[i].R = at.R;
    T[i].p = at.p;
    ++k;
  });
}

/// Pose of a frame in the world, after forward_kinematics.
template <class Real>
SE3<Real> frame_pose(const KinematicsWorkspace<Real>& ws, const Frame& frame) {
  return ws.T_world_body[frame.body] * frame.placement.cast<Real>();
}

#define TORSOR_FORWARD_KINEMATICS(Extern, Param, Real)                                     \
  Extern template void forward_kinematics(const Model<Param>&, KinematicsWorkspace<Real>&, \
                                          In<Real>);                                       \
  Extern template void forward_kinematics(const Model<Param>&, KinematicsWorkspace<Real>&, \
                                          In<Real>, int);
TORSOR_FORWARD_KINEMATICS(extern, double, double)
TORSOR_FORWARD_KINEMATICS(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_FORWARD_KINEMATICS
#endif

}  // namespace torsor
