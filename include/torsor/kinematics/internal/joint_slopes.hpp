#pragma once
/// How the velocity columns of one joint change with its coordinates.
///
///   D_jk = dS_k / dq_j         along the tangent: q (+) e_j
///   E_j  = sum_k D_jk qd_k     of the joint's velocity S qd
///   G_j  = sum_k D_jk qdd_k + (dS'_k / dq_j) qd_k     of S qdd + S' qd,   S'_k = sum_l D_lk qd_l
///
/// All are zero where S is constant (has_sdot() tells). They come from joint_motion by dual numbers, so
/// that a joint kind is written once.
///
/// Frames   The frame of joint_motion: the child's, z along the axis.
/// Cost     One evaluation of the joint in nested duals for each of its velocities; no allocation.
/// Source   Kim 2012, (37)-(41) and tables 5-7.
#include "torsor/model/model.hpp"

namespace torsor::internal {

template <class Real>
struct JointSlopes {
  FixedArray<JointColumns<Real>, max_joint_dofs> D{};  ///< D[j][k]
  JointColumns<Real> E{}, G{}, Sdot{};
};

template <class Real, class Part>
Twist<Real> part_of(const Twist<Dual<Dual<Real, 1>, 1>>& S, Part part) {
  return {{part(S.w.x), part(S.w.y), part(S.w.z)}, {part(S.v.x), part(S.v.y), part(S.v.z)}};
}

/// q, qd and qdd are those of the joint; a null qd or qdd means zero.
template <class Param, class Real>
TORSOR_COLD void joint_slopes(const JointShape<Param>& joint, const Real* q, const Real* qd,
                              const Real* qdd, JointSlopes<Real>& out) {
  using Tangent = Dual<Real, 1>;  // along e_j; a Tangent of Tangents along qd as well
  out = {};
  if (!has_sdot(joint.kind)) return;
  Tangent x[max_joint_coordinates], v[max_joint_dofs];
  for (int k = 0; qd && k < joint.n_v; ++k) v[k] = Tangent(qd[k]);
  for (int j = 0; j < joint.n_v; ++j) {
    Real unit[max_joint_dofs]{}, along[max_joint_coordinates]{};
    unit[j] = Real(1);
    coordinate_rates(joint, q, static_cast<const Real*>(unit), along);
    for (int k = 0; k < joint.n_q; ++k) x[k].value = q[k], x[k].d[0] = along[k];
    Tangent rates[max_joint_coordinates];
    coordinate_rates(joint, static_cast<const Tangent*>(x), static_cast<const Tangent*>(v), rates);
    Dual<Tangent, 1> y[max_joint_coordinates];
    for (int k = 0; k < joint.n_q; ++k) y[k].value = x[k], y[k].d[0] = rates[k];
    const auto motion = joint_motion(joint, static_cast<const Dual<Tangent, 1>*>(y));
    for (int k = 0; k < joint.n_v; ++k) {
      const auto& S = motion.S[k];
      const Twist<Real> D = part_of(S, [](const auto& s) { return s.value.d[0]; });
      out.D[j][k] = D;
      if (qdd) out.G[j] += D * qdd[k];
      if (!qd) continue;
      out.E[j] += D * qd[k];
      out.G[j] += part_of(S, [](const auto& s) { return s.d[0].d[0]; }) * qd[k];
      out.Sdot[k] += D * qd[j];
    }
  }
}

#define TORSOR_JOINT_SLOPES(Extern, Param, Real)                                        \
  Extern template void joint_slopes(const JointShape<Param>&, const Real*, const Real*, \
                                    const Real*, JointSlopes<Real>&);
TORSOR_JOINT_SLOPES(extern, double, double)
TORSOR_JOINT_SLOPES(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_JOINT_SLOPES
#endif

}  // namespace torsor::internal
