#pragma once
/// Inverse dynamics of rigid bodies and rotors: the recursive Newton-Euler algorithm, with
/// accelerations of origins.
///
/// rigid_inverse_dynamics, rigid_forward_dynamics (aba.hpp) and rigid_hybrid_dynamics (hybrid.hpp)
/// see the tree of rigid bodies and the rotors, M(q) as mass_matrix gives it, and are inverse to
/// each other. full_dynamics.hpp has the verbs with everything else that a model has.
///
///   base -> tip   w_i  = R^T w_p + S_w qd                                    U = [w'] + [w]^2
///                 w'_i = R^T w'_p + w_i x S_w qd + S'_w qd + S_w qdd
///                 a_i  = R^T (a_p + U_p p_i) + (w_i + R^T w_p) x S_v qd + S'_v qd + S_v qdd
///                 f_i  = m a + U h - f_ext,   n_i = h x a + axial(U Sigma) - n_ext
///   tip -> base   tau_i = S^T (n_i, f_i) + rotor qdd_i;  the parent gets (R n_i + p_i x R f_i, R f_i)
///
/// axial(A) = (A_32 - A_23, A_13 - A_31, A_21 - A_12), as in math/inertia.hpp.
///
/// Frames   Canonical frames of the model (canonical.hpp): all about body i in its own axes; R, p is the
///          pose of body i in its parent. S_w, S_v are the halves of S; S' its derivative along qd.
/// Gravity  a_0 = -g: the world accelerates upwards, so no body carries its own weight.
/// Cost     O(n), no allocation, no branch on the state: the same code runs on double, float, Dual and Pack.
/// Source   Luh, Walker & Paul 1980 and Kim 2012, table 2, rewritten with the classical
///          acceleration a = v' + w x v of the origin and second moments: no linear velocity is needed.
#include "torsor/dynamics/internal/rnea_sweeps.hpp"
#include "torsor/model/internal/assert_state.hpp"
#include "torsor/model/internal/sweep.hpp"

namespace torsor {

template <class Real, class Storage = internal::Heap>
struct RneaWorkspace {
  internal::JointStates<Real, Storage> joints;
  typename Storage::template PerBody<internal::BodyMotion<Real>> motion;
  typename Storage::template PerBody<Wrench<Real>> F;
  bool rotors = true;  // false: tau without them

  RneaWorkspace() = default;
  template <internal::SweepModel Robot>
  TORSOR_HD explicit RneaWorkspace(const Robot& model) : joints(model) {
    internal::allocate(model.n_bodies(), motion, F);
  }
};

/// tau = M(q) qdd + C(q, qd) qd + g(q) - sum_i J_i^T F_ext[i], M with rotors. An empty F_ext means
/// none.
template <internal::SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_FLATTEN void rigid_inverse_dynamics(const Robot& model,
                                                     RneaWorkspace<Real, Storage>& ws, In<Real> q,
                                                     In<Real> qd, In<Real> qdd,
                                                     In<Wrench<Real>> F_ext, Out<Real> tau) {
  internal::assert_state(model, q, qd, qdd, tau);
  internal::assert_wrenches(model, F_ext);
  internal::assert_workspace(model, ws.joints);
  internal::prepare(model, ws.joints, q, qd);
  internal::motion_sweep<true>(model, ws, qd, qdd);
  internal::subtract_external(model, F_ext, ws.F.data());
  internal::project_wrenches(model, ws, tau);
  if (ws.rotors) internal::add_rotor_torques(model, qdd, tau);
}

#ifndef __CUDACC__
#define TORSOR_RNEA(Extern, Param, Real)                                                           \
  Extern template void rigid_inverse_dynamics(const Model<Param>&, RneaWorkspace<Real>&, In<Real>, \
                                              In<Real>, In<Real>, In<Wrench<Real>>, Out<Real>);
TORSOR_RNEA(extern, double, double)
TORSOR_RNEA(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_RNEA
#endif
#endif

}  // namespace torsor
