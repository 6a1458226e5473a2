#pragma once
/// Gravity torque and bias torque: inverse dynamics without what is zero.
///
///   gravity_torque   g(q)              a_i = R^T a_p,  f_i = m a,  n_i = h x a          a_0 = -g
///   bias_torque      C(q, qd) qd + g   the sweep of rnea.hpp at qdd = 0
///   both end with the projection of rnea.hpp
///
/// Frames   Canonical frames, accelerations of origins, as in rnea.hpp.
/// Cost     O(n), no allocation; gravity_torque takes about half of inverse_dynamics.
/// Source   Huo 2005, sec. 2.1 (G) and 2.4 (b, (2-82)).
#include "torsor/dynamics/rnea.hpp"

namespace torsor {

/// tau = g(q): what holds the robot at rest.
template <class Param, class Real>
TORSOR_FLATTEN void gravity_torque(const Model<Param>& model, RneaWorkspace<Real>& ws, In<Real> q,
                                   Out<Real> tau) {
  internal::prepare(model, ws.joints, q);
  Vec3<Real> a = internal::lift<Real>(-model.gravity());
  ws.motion[0].a = a;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const internal::CanonicalBody<Param>& b = model.canonical(i);
    const auto& [m, h, S] = b.moments;
    if (b.parent != i - 1) a = ws.motion[b.parent].a;
    internal::visit(model, ws.joints, i, [&](const auto& joint) { a = joint.to_child(a); });
    ws.motion[i].a = a;
    ws.F[i] = {cross(h, a), a * m};
  }
  internal::project_wrenches(model, ws, tau);
}

/// tau = C(q, qd) qd + g(q).
template <class Param, class Real>
TORSOR_FLATTEN void bias_torque(const Model<Param>& model, RneaWorkspace<Real>& ws, In<Real> q,
                                In<Real> qd, Out<Real> tau) {
  internal::prepare(model, ws.joints, q, qd);
  internal::motion_sweep<false>(model, ws, qd, {});
  internal::project_wrenches(model, ws, tau);
}

#define TORSOR_GRAVITY(Extern, Param, Real)                                                       \
  Extern template void gravity_torque(const Model<Param>&, RneaWorkspace<Real>&, In<Real>,        \
                                      Out<Real>);                                                 \
  Extern template void bias_torque(const Model<Param>&, RneaWorkspace<Real>&, In<Real>, In<Real>, \
                                   Out<Real>);
TORSOR_GRAVITY(extern, double, double)
TORSOR_GRAVITY(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_GRAVITY
#endif

}  // namespace torsor
