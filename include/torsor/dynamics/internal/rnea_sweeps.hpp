#pragma once
/// The two sweeps of rnea.hpp: motions and wrenches from the base to the tips, torques on the way back.
#include "torsor/dynamics/internal/body_motion.hpp"

namespace torsor {

template <class Real, class Storage>
struct RneaWorkspace;

namespace internal {

/// Motions and wrenches of all bodies, base to tip; `accelerated`: qdd is not zero.
template <bool accelerated, SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE void motion_sweep(const Robot& model, RneaWorkspace<Real, Storage>& ws,
                                          In<Real> qd, In<Real> qdd) {
  BodyMotion<Real>* const motion = ws.motion.data();
  Wrench<Real>* const F = ws.F.data();
  const int n = model.n_bodies();
  BodyMotion<Real> m;  // of body i - 1, most often the parent: it stays in registers
  m.a = lift<Real>(-model.gravity());
  Mat3<Real> U = turning(m);
  motion[0] = m;
  TORSOR_UNROLL
  for (int i = 1; i < n; ++i) {
    const int parent = model.parent(i), v = model.first_v(i);
    if (parent != i - 1) {
      m = motion[parent];
      U = turning(m);
    }
    visit(model, ws.joints, i, [&](const auto& joint) {
      const auto w_joint = joint.S_w(qd.data + v);
      const auto v_joint = joint.S_v(qd.data + v);
      const Vec3<Real> w_parent = joint.to_child(m.w);
      const Vec3<Real> a_joint = joint.to_child(m.a + U * joint.origin());
      m.w = w_parent + w_joint;
      m.wd = joint.to_child(m.wd) + cross(m.w, w_joint) + joint.bias_w();
      m.a = a_joint + cross(m.w + w_parent, v_joint) + joint.bias_v();
      if constexpr (accelerated) {
        m.wd = m.wd + joint.S_w(qdd.data + v);
        m.a = m.a + joint.S_v(qdd.data + v);
      }
      U = turning(m);
      F[i] = wrench_of<is_hinge<decltype(joint)>>(model.canonical(i).moments, m.a, U);
    });
    if (model.branching(i)) motion[i] = m;
  }
}

/// tau = S^T of the wrenches F of the bodies, summed from the tips.
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE void project_wrenches(const Robot& model, RneaWorkspace<Real, Storage>& ws,
                                              Out<Real> tau) {
  Wrench<Real>* const F = ws.F.data();
  Wrench<Real> from_child{};
  TORSOR_UNROLL
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const int parent = model.parent(i);
    visit(model, ws.joints, i, [&](const auto& joint) {
      const Wrench<Real> F_i = F[i] + from_child;
      joint.project(F_i, tau.data + model.first_v(i));
      const Vec3<Real> f = joint.to_parent(F_i.f);
      from_child = {joint.to_parent(F_i.m) + cross(joint.origin(), f), f};
    });
    if (parent != i - 1) {
      F[parent] += from_child;
      from_child = {};
    }
  }
}

}  // namespace internal

}  // namespace torsor
