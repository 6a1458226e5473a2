#pragma once
/// What parameter_derivatives.cpp asks of parameter_changes.cpp: loads at a state, and how a change
/// of a parameter reaches the direction.
#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"

namespace torsor::internal {

/// Velocities, joint torques (friction but that of the load, springs, disturbance) and all external
/// wrenches.
template <class Real>
void linearise_loads(const Model<double>& model, ParameterWorkspace<Real>& ws, In<Real> q,
                     In<Real> qd, In<Wrench<Real>> F_ext);
/// load s sgn(t): a torque dt more that is transmitted takes dt (1 + this) more of the motor.
template <class Real>
Real load_share(const Model<double>& model, const ParameterWorkspace<Real>& ws, int k) {
  const DofConstants<double>& dof = model.dof(k);
  if (!has_load_friction(dof)) return Real(0);
  const Real share = slip_direction(dof, ws.motion.qd[k]) * dof.load;
  return select(ws.transmitted[k] < Real(0), Real(-share), share);
}
/// Along the direction, of u = t + load s |t|: du of dt, and dt of du.
template <class Real>
Real with_load_change(const Model<double>& model, const ParameterWorkspace<Real>& ws, int k,
                      const Real& dt) {
  return dt * (Real(1) + load_share(model, ws, k)) + abs(ws.transmitted[k]) * ws.dload[k];
}
template <class Real>
Real without_load_change(const Model<double>& model, const ParameterWorkspace<Real>& ws, int k,
                         const Real& du) {
  return (du - abs(ws.transmitted[k]) * ws.dload[k]) / (Real(1) + load_share(model, ws, k));
}
/// What spring-dampers between links change their wrenches by, after directional_motion.
template <class Real>
void add_spring_changes(const Model<double>& model, ParameterWorkspace<Real>& ws);

}  // namespace torsor::internal
