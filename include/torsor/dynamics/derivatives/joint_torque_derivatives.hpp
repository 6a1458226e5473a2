#pragma once
/// What friction and springs add to the derivatives of rigid-body dynamics.
///
///   tau = tau_rigid(q, qd, qdd) + friction(qd) + stiffness (q - rest) - disturbance
///   inverse    d tau / dq += diag(stiffness),  d tau / dqd += diag(friction')
///   forward    qdd = FD(tau - friction - spring + disturbance), with G = d qdd / dtau:
///              d qdd / dq -= G diag(stiffness),  d qdd / dqd -= G diag(friction')
///
/// A motor of several joints adds n^T friction' n to d tau / dqd.
///
/// Springs sit on coordinates whose rates are velocities. Coulomb friction of width 0 jumps at rest
/// and has no derivative there; its slope counts as zero.
///
/// Cost     O(n) and O(n^2); no allocation.
/// Source   friction.hpp, which is differentiated by dual numbers.
#include "torsor/model/friction.hpp"

namespace torsor {

namespace internal {

/// d/dv of friction_torque.
template <class Param, class Real>
Real friction_slope(const DofConstants<Param>& dof, const Real& v) {
  Dual<Real, 1> x(v);
  x.d[0] = Real(1);
  return friction_torque(dof, x).d[0];
}

/// d/dq of the torque of velocity k's spring: body i's joint has it.
template <class Param>
Param spring_slope(const Model<Param>& model, int i, int k) {
  const bool sits = coordinate_of_dof(model.joint(i), k - model.body(i).v.first) >= 0;
  return sits ? model.dof(k).stiffness : Param(0);
}

}  // namespace internal

/// Adds to the derivatives of inverse dynamics; matrices without data are left alone.
template <class Real, class Param>
void add_joint_torque_derivatives(const Model<Param>& model, In<Real> qd, OutMatrix<Real> dtau_dq,
                                  OutMatrix<Real> dtau_dqd) {
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = model.body(i).v.first, c = 0; c < model.body(i).v.count; ++c, ++k) {
      if (dtau_dq.data) dtau_dq(k, k) = dtau_dq(k, k) + internal::spring_slope(model, i, k);
      if (dtau_dqd.data)
        dtau_dqd(k, k) = dtau_dqd(k, k) + internal::friction_slope(model.dof(k), qd[k]);
    }
  if (!dtau_dqd.data) return;
  for (const CoupledMotor<Param>& motor : model.motors()) {
    const Real slope = internal::friction_slope(motor.constants, Real(motor.along(qd)));
    for (const auto& a : motor.terms)
      for (const auto& b : motor.terms)
        dtau_dqd(a.v, b.v) = dtau_dqd(a.v, b.v) + slope * a.ratio * b.ratio;
  }
}

/// Subtracts from the derivatives of forward dynamics, given d qdd / dtau (read only), which
/// contains the rotors already.
template <class Real, class Param>
void subtract_joint_torque_derivatives(const Model<Param>& model, In<Real> qd,
                                       OutMatrix<Real> dqdd_dtau, OutMatrix<Real> dqdd_dq,
                                       OutMatrix<Real> dqdd_dqd) {
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = model.body(i).v.first, c = 0; c < model.body(i).v.count; ++c, ++k) {
      const auto spring = internal::spring_slope(model, i, k);
      const Real friction = internal::friction_slope(model.dof(k), qd[k]);
      for (int r = 0; r < model.n_v(); ++r) {
        if (dqdd_dq.data) dqdd_dq(r, k) = dqdd_dq(r, k) - dqdd_dtau(r, k) * spring;
        if (dqdd_dqd.data) dqdd_dqd(r, k) = dqdd_dqd(r, k) - dqdd_dtau(r, k) * friction;
      }
    }
  if (!dqdd_dqd.data) return;
  for (const CoupledMotor<Param>& motor : model.motors()) {
    const Real slope = internal::friction_slope(motor.constants, Real(motor.along(qd)));
    for (const auto& a : motor.terms)
      for (const auto& b : motor.terms)
        for (int r = 0; r < model.n_v(); ++r)
          dqdd_dqd(r, b.v) = dqdd_dqd(r, b.v) - dqdd_dtau(r, a.v) * (slope * a.ratio * b.ratio);
  }
}

}  // namespace torsor
