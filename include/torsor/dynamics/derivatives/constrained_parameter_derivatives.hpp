#pragma once
/// Derivatives of constrained forward, hybrid and inverse dynamics with respect to any Parameter.
///
/// The equations of constrained_derivatives.hpp, differentiated along a parameter p at fixed q, qd:
///
///   M dqdd - A^T dlambda = dtau - d(ID)/dp + dA^T lambda,     A dqdd = -d(A qdd + A' qd)/dp
///
/// d(ID)/dp is the directional sweep of parameter_derivatives.hpp; it also gives the change of every
/// body's pose, velocity and acceleration, of which the rows are functions. What is differentiated
/// is the robot with everything that it has: friction, joint springs, disturbances, spring-dampers.
/// A parameter may open the loops: the derivative is that of the equations, as for a change of q.
///
/// Redundant rows: lambda stays the shortest. A parameter that changes the rank of the rows (a tilt
///          out of the plane of a planar loop) has no derivative there; `defined` says so.
/// Actuation The least torque of inverse dynamics is without friction, as
///          constrained_inverse.hpp finds it.
/// Cost     O(n + m^2) a parameter after one dynamics; allocates nothing after the workspace.
/// Source   Kim 2012, section 4, which has no loops.
#include "torsor/dynamics/derivatives/constrained_derivatives.hpp"
#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"

namespace torsor {

/// Column k is of parameters[k]. Given values (tau of forward dynamics) change only with a
/// parameter that is one of them.
struct ConstrainedParameterDerivatives {
  StoredMatrix<double> dqdd, dtau;  ///< n_v x parameters
  StoredMatrix<double> dlambda;     ///< n_rows x parameters
  Array<char> defined;              ///< per parameter: 0 where the rank of the rows changes with it

  ConstrainedParameterDerivatives(const Model<double>& model, const ConstraintSet& set,
                                  int n_parameters);
};

struct ConstrainedParameterWorkspace {
  ConstrainedDerivativeWorkspace constrained;
  ParameterWorkspace<double> parameter;
  Array<SE3<double>> T_world;
  Array<Twist<double>> dT_world, V, dV;  // T^-1 dT; of a velocity of the rows
  Array<double> probe;                   // a velocity that the rows allow
  Array<double> left, dqdd, dtau;
  Array<double> tau;  // of forward dynamics

  ConstrainedParameterWorkspace(const Model<double>& model, const ConstraintSet& set);
};

/// qdd and lambda of tau, and their derivatives.
ConstrainedResult constrained_forward_dynamics_derivatives(
    const Model<double>& model, ConstrainedParameterWorkspace& ws, In<Parameter> parameters,
    In<double> q, In<double> qd, In<double> tau, In<Wrench<double>> F_ext, Out<double> qdd,
    Out<double> lambda, ConstrainedParameterDerivatives& out,
    const ConstrainedOptions& options = {});

/// Reads qdd and writes tau where prescribed[i] of body i is not zero, the other way round elsewhere.
ConstrainedResult constrained_hybrid_dynamics_derivatives(
    const Model<double>& model, ConstrainedParameterWorkspace& ws, In<Parameter> parameters,
    In<char> prescribed, In<double> q, In<double> qd, Out<double> qdd, Out<double> tau,
    In<Wrench<double>> F_ext, Out<double> lambda, ConstrainedParameterDerivatives& out,
    const ConstrainedOptions& options = {});

/// Reads tau where `actuated` (per velocity) is zero and writes it elsewhere.
ConstrainedInverseResult constrained_inverse_dynamics_derivatives(
    const Model<double>& model, ConstrainedParameterWorkspace& ws, In<Parameter> parameters,
    In<char> actuated, In<double> q, In<double> qd, In<double> qdd, In<Wrench<double>> F_ext,
    Out<double> tau, Out<double> lambda, ConstrainedParameterDerivatives& out,
    const ActuationOptions& options = {});

}  // namespace torsor
