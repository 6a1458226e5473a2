#pragma once
/// The sweeps of rnea.hpp for a serial chain of hinges: the same steps in one function, so that the
/// motion and the wrench in hand stay in registers.
#include "hinge_chain.hpp"
#include "torsor/dynamics/rnea.hpp"

namespace torsor::internal {

/// tau = M qdd + C qd + g - sum_i J_i^T F_ext[i], with the rotors of the workspace's choice.
template <class Chain, class Real>
TORSOR_FLATTEN TORSOR_COLD void chain_inverse_dynamics(const Chain& chain, RneaWorkspace<Real>& ws,
                                                       In<Real> q, In<Real> qd, In<Real> qdd,
                                                       In<Wrench<Real>> F_ext, Out<Real> tau) {
  using Joint = Hinge<ParamOf<Chain>, Real>;
  prepare(chain, ws.joints, q);
  const int n = chain.n_bodies();
  BodyMotion<Real> m;
  m.a = lift<Real>(-chain.gravity());
  Mat3<Real> U = turning(m);
  for (int i = 1; i < n; ++i) {
    const Joint joint(chain.canonical(i), ws.joints.cos[i - 1], ws.joints.sin[i - 1]);
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
  for (int i = n - 1; i > 0; --i) {
    const Joint joint(chain.canonical(i), ws.joints.cos[i - 1], ws.joints.sin[i - 1]);
    F.m = F.m + ws.F[i].m, F.f = F.f + ws.F[i].f;
    tau[i - 1] = F.m.z;
    const Vec3<Real> f = joint.to_parent(F.f);
    F.m = joint.to_parent(F.m) + cross(joint.origin(), f);
    F.f = f;
  }
  if (ws.rotors)
    for (int k = 0; k < chain.n_v(); ++k) tau[k] = tau[k] + qdd[k] * chain.dof(k).armature;
}

}  // namespace torsor::internal
