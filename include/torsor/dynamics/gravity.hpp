#pragma once
/// Gravity torque and bias torque: inverse dynamics without what is zero.
///
///   gravity_torque   g(q)              a_i = R^T a_p,  f_i = m a,  n_i = h x a          a_0 = -g
///   bias_torque      C(q, qd) qd + g   the sweep of rnea.hpp at qdd = 0
///   tip -> base      tau_i = S^T (n_i, f_i);  the parent gets (R n_i + p_i x R f_i, R f_i)
///
/// Frames   Canonical frames, accelerations of origins, as in rnea.hpp.
/// Cost     O(n), no allocation; gravity_torque takes about half of inverse_dynamics.
/// Source   textbook sections 2.1 (G) and 2.4 (b, (2-82)).
#include "torsor/dynamics/rnea.hpp"

namespace torsor {

/// tau = S^T of the wrenches F of the bodies, summed from the tips.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE void project_wrenches(const Model<Param>& model, RneaWorkspace<Real>& ws,
                                              Out<Real> tau) {
  Wrench<Real>* const F = ws.F.data();
  Wrench<Real> from_child{};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    visit(b, ws.joints, i, [&](const auto& joint) {
      const Wrench<Real> F_i = F[i] + from_child;
      joint.project(F_i, &tau[b.v]);
      const Vec3<Real> f = joint.to_parent(F_i.f);
      from_child = {joint.to_parent(F_i.m) + cross(joint.origin(), f), f};
    });
    if (b.parent != i - 1) {
      F[b.parent] += from_child;
      from_child = {};
    }
  }
}

/// tau = g(q): what holds the robot at rest.
template <class Param, class Real>
TORSOR_FLATTEN void gravity_torque(const Model<Param>& model, RneaWorkspace<Real>& ws, In<Real> q,
                                   Out<Real> tau) {
  prepare(model, ws.joints, q);
  Vec3<Real> a = (-model.gravity()) * Real(1);
  ws.motion[0].a = a;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    const auto& [m, h, S] = b.moments;
    if (b.parent != i - 1) a = ws.motion[static_cast<std::size_t>(b.parent)].a;
    visit(b, ws.joints, i, [&](const auto& joint) { a = joint.to_child(a); });
    ws.motion[static_cast<std::size_t>(i)].a = a;
    ws.F[static_cast<std::size_t>(i)] = {cross(h, a), a * m};
  }
  project_wrenches<Param, Real>(model, ws, tau);
}

/// tau = C(q, qd) qd + g(q).
template <class Param, class Real>
TORSOR_FLATTEN void bias_torque(const Model<Param>& model, RneaWorkspace<Real>& ws, In<Real> q,
                                In<Real> qd, Out<Real> tau) {
  prepare(model, ws.joints, q, qd);
  BodyMotion<Real> m;
  m.a = (-model.gravity()) * Real(1);
  ws.motion[0] = m;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    if (b.parent != i - 1) m = ws.motion[static_cast<std::size_t>(b.parent)];
    visit(b, ws.joints, i, [&](const auto& joint) {
      const auto w_joint = joint.S_w(&qd[b.v]);
      const auto v_joint = joint.S_v(&qd[b.v]);
      const Vec3<Real> w_parent = joint.to_child(m.w);
      const Vec3<Real> a_joint = joint.to_child(acceleration_of(m, joint.origin()));
      m.w = w_parent + w_joint;
      m.wd = joint.to_child(m.wd) + cross(m.w, w_joint) + joint.bias_w();
      m.a = a_joint + cross(m.w + w_parent, v_joint) + joint.bias_v();
      ws.F[static_cast<std::size_t>(i)] = wrench_of<is_hinge<decltype(joint)>>(b.moments, m);
    });
    ws.motion[static_cast<std::size_t>(i)] = m;
  }
  project_wrenches<Param, Real>(model, ws, tau);
}

#define TORSOR_GRAVITY(Param, Real) \
  template void gravity_torque(const Model<Param>&, RneaWorkspace<Real>&, In<Real>, Out<Real>);
#define TORSOR_BIAS(Param, Real)                                                           \
  template void bias_torque(const Model<Param>&, RneaWorkspace<Real>&, In<Real>, In<Real>, \
                            Out<Real>);
extern TORSOR_GRAVITY(double, double) extern TORSOR_GRAVITY(float, float) extern TORSOR_BIAS(
    double, double) extern TORSOR_BIAS(float, float)

}  // namespace torsor
