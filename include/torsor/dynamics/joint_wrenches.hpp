#pragma once
/// Motion of every link and wrench through every joint: Newton-Euler on SE(3) in the file's link frames.
///
///   base -> tip   V_i  = Ad(T_i^-1) V_p  + S_i qd_i
///                 V'_i = Ad(T_i^-1) V'_p + ad(V_i) S_i qd_i + S'_i qd_i + S_i qdd_i
///   tip -> base   F_i  = I_i V'_i - ad*(V_i) I_i V_i - Fext_i + sum_k Ad*(T_k^-1) F_k
///                 tau_i = <S_i, F_i>                          p: parent, k: children of i
///
/// Frames   Everything about body i is written in its link frame; T_i is the pose of body i in its parent.
///          F_i is what the parent exerts on body i through the joint. Body 0 is the world.
/// Gravity  V'_0 = -g: the world accelerates upwards, so no body carries its own weight.
/// Cost     O(n), no allocation. The canonical form of rnea.hpp gives the same tau in a third of the time, but
///          its wrenches have lost their meaning; these have not.
/// Source   Park, Bobrow & Ploen 1995; Kim 2012, table 2; Featherstone 2008, sec. 5.3.
#include <vector>

#include "torsor/math/array.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

template <class Real>
struct JointWrenchWorkspace {
  Array<SE3<Real>> T_parent_child;
  Array<Twist<Real>> V, Vdot;
  Array<Wrench<Real>> F;
  /// Motion of the world frame itself, for a moving base. Gravity is added to it.
  Twist<Real> V_base{}, Vdot_base{};

  template <class Param>
  explicit JointWrenchWorkspace(const Model<Param>& model)
      : T_parent_child(model.n_bodies()), V(T_parent_child.size()), Vdot(V.size()), F(V.size()) {}
};

namespace internal {

/// S' qd of body i's joint, in its link frame; zero where S is constant.
template <class Param, class Real>
Twist<Real> joint_bias(const Model<Param>& model, int i, In<Real> q, In<Real> qd) {
  const Body<Param>& b = model.body(i);
  if (!has_sdot(b.kind)) return {};
  const auto Sdot = joint_sdot(model.joint(i), q.data + b.q.first, qd.data + b.v.first);
  Twist<Real> bias{};
  for (int c = 0; c < b.v.count; ++c) bias += Sdot[c] * qd[b.v.first + c];
  return {b.turn * bias.w, b.turn * bias.v};
}

}  // namespace internal

/// Fills ws.F (and V, Vdot) and tau. An empty F_ext means none.
template <class Param, class Real>
void joint_wrenches(const Model<Param>& model, JointWrenchWorkspace<Real>& ws, In<Real> q,
                    In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext, Out<Real> tau) {
  auto& [T, V, Vdot, F, V_base, Vdot_base] = ws;
  V[0] = V_base;
  Vdot[0] = {Vdot_base.w, Vdot_base.v - model.gravity()};
  F[0] = {};

  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    const auto p = b.parent, k = i;
    const auto S = joint_subspace(model, i, q);
    Twist<Real> V_joint{}, S_qdd = internal::joint_bias<Param, Real>(model, i, q, qd);
    for (int c = 0; c < b.v.count; ++c) {
      V_joint += S[c] * qd[b.v.first + c];
      S_qdd += S[c] * qdd[b.v.first + c];
    }
    T[k] = joint_pose(model, i, q);
    V[k] = Ad_inv(T[k], V[p]) + V_joint;
    Vdot[k] = Ad_inv(T[k], Vdot[p]) + ad(V[k], V_joint) + S_qdd;
    F[k] = b.inertia * Vdot[k] - ad_dual(V[k], b.inertia * V[k]);
    if (!F_ext.empty()) F[k] -= F_ext[i];
  }
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const Body<Param>& b = model.body(i);
    const auto S = joint_subspace(model, i, q);
    for (int c = 0; c < b.v.count; ++c) tau[b.v.first + c] = dot(S[c], F[i]);
    F[b.parent] += Ad_dual_inv(T[i], F[i]);
  }
}

/// Compiled once, in src/dynamics/moving_base.cpp.
#define TORSOR_JOINT_WRENCHES(Extern, Param, Real)                                                \
  Extern template void joint_wrenches(const Model<Param>&, JointWrenchWorkspace<Real>&, In<Real>, \
                                      In<Real>, In<Real>, In<Wrench<Real>>, Out<Real>);
TORSOR_JOINT_WRENCHES(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_JOINT_WRENCHES
#endif

}  // namespace torsor
