#pragma once
/// The sweeps of rnea.hpp for a serial chain of hinges: the same steps in one function, so that the
/// motion and the wrench in hand stay in registers.
#include "hinge_chain.hpp"
#include "torsor/dynamics/rnea.hpp"

namespace torsor::internal {

/// tau = M qdd + C qd + g - sum_i J_i^T F_ext[i], with the rotors of the workspace's choice. The first body
/// turns about its axis alone, and of its wrench nothing but the moment about it is asked for.
template <class Chain, class Param, class Real = Lanes<Param>>
TORSOR_FLATTEN TORSOR_COLD void chain_inverse_dynamics(const Chain& chain, RneaWorkspace<Real>& ws,
                                                       LaneIn<Param> q, LaneIn<Param> qd,
                                                       LaneIn<Param> qdd, In<Wrench<Real>> F_ext,
                                                       LaneOut<Param> tau) {
  prepare(chain, ws.joints, q);
  const int n = chain.n_bodies();
  const auto hinge = [&](int i) TORSOR_INLINE_LAMBDA {
    return Hinge<Param, Real>(chain.canonical(i), ws.joints.cos[i - 1], ws.joints.sin[i - 1]);
  };
  BodyMotion<Real> m;
  m.a = hinge(1).to_child(lift<Real>(-chain.gravity()));
  m.w.z = qd[0], m.wd.z = qdd[0];
  const MassMoments<Param>& first = chain.canonical(1).moments;
  ws.F[1] = {};
  ws.F[1].m.z = m.a.y * first.h.x - m.a.x * first.h.y + m.wd.z * (first.S.xx + first.S.yy);
  Mat3<Real> U = turning(m);
  for (int i = 2; i < n; ++i) {
    const auto joint = hinge(i);
    const AlongZ<Real> w_joint{qd[i - 1]};
    m.a = joint.to_child(m.a + U * joint.origin());
    m.w = joint.to_child(m.w) + w_joint;
    m.wd = joint.to_child(m.wd) + cross(m.w, w_joint) + AlongZ<Real>{qdd[i - 1]};
    U = turning(m);
    const Wrench<Real> F = wrench_of<true>(chain.canonical(i).moments, m.a, U);
    ws.F[i].m = F.m, ws.F[i].f = F.f;
  }
  subtract_external(chain, F_ext, ws.F.data());
  Wrench<Real> F{};
  for (int i = n - 1;; --i) {
    F.m = F.m + ws.F[i].m, F.f = F.f + ws.F[i].f;
    // Before tau is written, which may lie where qdd does.
    tau.set(i - 1, ws.rotors ? F.m.z + qdd[i - 1] * chain.dof(i - 1).armature : F.m.z);
    if (i == 1) return;
    const auto joint = hinge(i);
    const Vec3<Real> f = joint.to_parent(F.f);
    F.m = joint.to_parent(F.m) + cross(joint.origin(), f);
    F.f = f;
  }
}

}  // namespace torsor::internal
