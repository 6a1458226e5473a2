#pragma once
/// What a joint does: pose, velocity columns S, their derivatives, and steps on its manifold.
///
///   T(q)  pose of the child frame in the joint frame        T^-1 T' = S(q) v
///   Sdot  d/dt S(q(t)) = sum_k dS/dq_k v_k                   (where S depends on q)
///
/// The axis of every kind is z here; the model turns frames so (canonical.hpp). S, Sdot and dS/dq come
/// from one implementation: the derivatives are duals of `joint_motion`, along the coordinate rates of v. What
/// each kind does is in joints/; here the parts of composite joints are put together.
///
/// Frames   S is written in the child frame, angular part first.
/// Source   Kim 2012, (37)-(41); kinds and coordinates: docs/conventions.md.
#include "torsor/math/dual.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor {

namespace internal {

/// A factor of a composite joint, turned so that its axis is z: T = before T_z(q) after.
template <class Param>
struct PartShape {
  JointKind kind = JointKind::revolute;
  EulerOrder order = EulerOrder::zyx;
  Param pitch{};
  SE3<Param> before{}, after{};

  template <class Other>
  PartShape<Other> cast() const {
    return {kind, order, Other(pitch), before.template cast<Other>(), after.template cast<Other>()};
  }
};

}  // namespace internal

/// The kind of a joint with its constants; the axis is z.
template <class Param>
struct JointShape {
  JointKind kind = JointKind::fixed;
  EulerOrder order = EulerOrder::zyx;
  int n_q = 0, n_v = 0;
  Param pitch{};
  internal::FixedArray<internal::PartShape<Param>, internal::max_joint_dofs> parts{};
  int n_parts = 0;

  template <class Other>
  JointShape<Other> cast() const {
    JointShape<Other> shape{kind, order, n_q, n_v, Other(pitch), {}, n_parts};
    for (int k = 0; k < n_parts; ++k) shape.parts[k] = parts[k].template cast<Other>();
    return shape;
  }
};

namespace internal {

/// Calls f(kind, order, q, v) with the places of each part's coordinates and velocities in those of
/// the joint; a joint that is not composite is its only part.
template <class Param, class Function>
TORSOR_HD void for_each_part(const JointShape<Param>& joint, Function f) {
  if (joint.n_parts == 0) return f(joint.kind, joint.order, 0, 0);
  int q = 0, v = 0;
  for (int k = 0; k < joint.n_parts; ++k) {
    const PartShape<Param>& part = joint.parts[k];
    f(part.kind, part.order, q, v);
    q += n_q(part.kind), v += n_v(part.kind);
  }
}

}  // namespace internal

/// T(q) and S(q) of any joint.
template <class Param, class Real>
TORSOR_HD JointMotion<Real> joint_motion(const JointShape<Param>& joint, const Real* q) {
  const auto motion_of = [](const auto& part, const Real* x, JointMotion<Real>& out) {
    internal::with_kind(part.kind, [&](auto kind) { kind.motion(part.order, part.pitch, x, out); });
  };
  JointMotion<Real> motion;
  if (joint.n_parts == 0) {
    motion_of(joint, q, motion);
    return motion;
  }
  int columns = 0;
  for (int k = 0; k < joint.n_parts; ++k) {
    const internal::PartShape<Param>& part = joint.parts[k];
    const int n = n_v(part.kind);
    JointMotion<Real> own;
    motion_of(part, q, own);
    const SE3<Real> step = own.T * part.after, full = part.before * step;
    for (int c = 0; c < columns; ++c) motion.S[c] = Ad_inv(full, motion.S[c]);
    for (int c = 0; c < n; ++c) motion.S[columns + c] = Ad_inv(part.after, own.S[c]);
    motion.T = motion.T * full;
    columns += n;
    q += n_q(part.kind);
  }
  return motion;
}

namespace internal {

/// Rates of the coordinates q' at the velocity v.
template <class Param, class Real>
TORSOR_HD void coordinate_rates(const JointShape<Param>& joint, const Real* q, const Real* v,
                                Real* rates) {
  for_each_part(joint, [&](JointKind part, EulerOrder order, int iq, int iv) {
    with_kind(part, [&](auto kind) { kind.rates(order, q + iq, v + iv, rates + iq); });
  });
}

/// q (+) v and the v with q0 (+) v = q1, of one part.
template <class Real>
TORSOR_HD void integrate_part(JointKind part, EulerOrder order, const Real* q, const Real* v,
                              Real* out) {
  with_kind(part, [&](auto kind) { kind.integrate(order, q, v, out); });
}
template <class Real>
TORSOR_HD void difference_part(JointKind part, EulerOrder order, const Real* q0, const Real* q1,
                               Real* v) {
  with_kind(part, [&](auto kind) { kind.difference(order, q0, q1, v); });
}

}  // namespace internal

#ifndef __CUDACC__  // compiled once, in src/model/configuration.cpp
extern template void internal::integrate_part(JointKind, EulerOrder, const double*, const double*,
                                              double*);
extern template void internal::integrate_part(JointKind, EulerOrder, const float*, const float*,
                                              float*);
extern template void internal::difference_part(JointKind, EulerOrder, const double*, const double*,
                                               double*);
extern template void internal::difference_part(JointKind, EulerOrder, const float*, const float*,
                                               float*);
#endif

/// S and its derivative along v: columns of d/dt S. Zero where S is constant.
template <class Param, class Real>
TORSOR_HD internal::JointColumns<Real> joint_sdot(const JointShape<Param>& joint, const Real* q,
                                                  const Real* v) {
  internal::JointColumns<Real> Sdot{};
  if (!internal::has_sdot(joint.kind)) return Sdot;
  using Tangent = Dual<Real, 1>;
  Real rates[internal::max_joint_coordinates]{};
  internal::coordinate_rates(joint, q, v, rates);
  Tangent x[internal::max_joint_coordinates];
  for (int k = 0; k < joint.n_q; ++k) x[k].value = q[k], x[k].d[0] = rates[k];
  const JointMotion<Tangent> motion = joint_motion(joint, static_cast<const Tangent*>(x));
  for (int k = 0; k < joint.n_v; ++k) {
    const Twist<Tangent>& S = motion.S[k];
    Sdot[k] = {{S.w.x.d[0], S.w.y.d[0], S.w.z.d[0]}, {S.v.x.d[0], S.v.y.d[0], S.v.z.d[0]}};
  }
  return Sdot;
}

}  // namespace torsor
