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
/// Friction of the load takes load s |t|, t = tau_rigid, so that with the diagonal L = 1 + load s sgn(t)
///   inverse    d tau = L d tau_rigid + ...,  d tau / dqd += diag(load s' |t|), d tau / dqdd = L M
///   forward    d qdd / dtau = G L^-1, through which all of the above goes
/// The caller says t; where it does not, models with such friction are taken as without.
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

/// d/dv of load s |t|.
template <class Param, class Real>
Real load_friction_slope(const DofConstants<Param>& dof, const Real& v, const Real& t) {
  if (!has_load_friction(dof)) return Real(0);
  Dual<Real, 1> x(v);
  x.d[0] = Real(1);
  return slip_direction(dof, x).d[0] * dof.load * abs(t);
}
/// 1 + load s sgn(t).
template <class Param, class Real>
Real load_gain(const DofConstants<Param>& dof, const Real& v, const Real& t) {
  if (!has_load_friction(dof)) return Real(1);
  const Real share = slip_direction(dof, v) * dof.load;
  return Real(1) + select(t < Real(0), Real(-share), share);
}

/// d/dq of the torque of velocity k's spring: body i's joint has it.
template <class Param>
Param spring_slope(const Model<Param>& model, int i, int k) {
  const bool sits = coordinate_of_dof(model.joint(i), k - model.body(i).v.first) >= 0;
  return sits ? model.dof(k).stiffness : Param(0);
}

}  // namespace internal

/// Adds to the derivatives of inverse dynamics; matrices without data are left alone. `t`: the torques
/// of bodies and rotors, for friction of the load, which M = d tau / dqdd has, too.
template <class Real, class Param>
void add_joint_torque_derivatives(const Model<Param>& model, In<Real> qd, OutMatrix<Real> dtau_dq,
                                  OutMatrix<Real> dtau_dqd, In<Real> t = {},
                                  OutMatrix<Real> dtau_dqdd = {}) {
  for (int k = 0; k < t.size; ++k) {
    if (!internal::has_load_friction(model.dof(k))) continue;
    const Real gain = internal::load_gain(model.dof(k), qd[k], t[k]);
    for (const OutMatrix<Real>& out : {dtau_dq, dtau_dqd, dtau_dqdd})
      for (int c = 0; out.data && c < model.n_v(); ++c) out(k, c) = out(k, c) * gain;
    if (dtau_dqd.data)
      dtau_dqd(k, k) = dtau_dqd(k, k) + internal::load_friction_slope(model.dof(k), qd[k], t[k]);
  }
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

/// Subtracts from the derivatives of forward dynamics, given d qdd / dtau, which contains the rotors
/// already and is changed by friction of the load alone. `t`: the torques of bodies and rotors.
template <class Real, class Param>
void subtract_joint_torque_derivatives(const Model<Param>& model, In<Real> qd,
                                       OutMatrix<Real> dqdd_dtau, OutMatrix<Real> dqdd_dq,
                                       OutMatrix<Real> dqdd_dqd, In<Real> t = {}) {
  for (int k = 0; k < t.size; ++k) {
    if (!internal::has_load_friction(model.dof(k))) continue;
    const Real gain = internal::load_gain(model.dof(k), qd[k], t[k]);
    for (int r = 0; r < model.n_v(); ++r) dqdd_dtau(r, k) = dqdd_dtau(r, k) / gain;
  }
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = model.body(i).v.first, c = 0; c < model.body(i).v.count; ++c, ++k) {
      const auto spring = internal::spring_slope(model, i, k);
      Real friction = internal::friction_slope(model.dof(k), qd[k]);
      if (t.size > 0)
        friction = friction + internal::load_friction_slope(model.dof(k), qd[k], t[k]);
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
