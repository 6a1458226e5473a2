#pragma once
/// What parameter_derivatives.cpp asks of parameter_changes.cpp: loads at a state, and how a change
/// of a parameter reaches the direction.
#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"

namespace torsor::internal {

/// Velocities, joint torques (friction, springs, disturbance) and all external wrenches.
template <class Real>
void linearise_loads(const Model<double>& model, ParameterWorkspace<Real>& ws, In<Real> q,
                     In<Real> qd, In<Wrench<Real>> F_ext);
/// What spring-dampers between links change their wrenches by, after directional_motion.
template <class Real>
void add_spring_changes(const Model<double>& model, ParameterWorkspace<Real>& ws);

}  // namespace torsor::internal
