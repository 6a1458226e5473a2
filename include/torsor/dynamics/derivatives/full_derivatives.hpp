#pragma once
/// Derivatives of inverse_dynamics, forward_dynamics and hybrid_dynamics (full_dynamics.hpp) with
/// respect to any Parameter: with everything the model has, loops and couplings included.
///
///   tau, qdd, lambda and d/dp of them          p: q, qd, qdd, tau along the tangent, or any constant
///
/// A tree is differentiated by tree_..._derivatives (parameter_derivatives.hpp), a robot with loops
/// by constrained_..._derivatives (constrained_parameter_derivatives.hpp). The state has to close
/// the loops, as for the verbs themselves; derivatives are those of the equations, so that
/// directions that open a loop have one, too. With respect to the state alone and without effects:
/// rigid_..._derivatives.
///
/// Along    d/dq is along the tangent of q: integrate(q, e_k).
/// Cost     O(n) a parameter, with loops O(n + m^2); no allocation after the workspace is made.
#include "torsor/dynamics/derivatives/constrained_parameter_derivatives.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor {

struct DynamicsDerivativesWorkspace {
  ConstraintSet set;  // no rows for a tree
  AssemblyWorkspace assembly;
  std::optional<ParameterWorkspace<double>> tree;
  std::optional<ConstrainedParameterWorkspace> loops;
  Array<char> actuated;  // per velocity
  int passive = 0;
  Array<double> lambda;  // of the last call

  explicit DynamicsDerivativesWorkspace(const Model<double>& model);
};

/// tau and d tau / d parameters: out.dtau, out.dlambda. out.defined is 0 for a parameter with which
/// the rank of the loops changes: it has no derivative.
DynamicsResult<double> inverse_dynamics_derivatives(const Model<double>& model,
                                                    DynamicsDerivativesWorkspace& ws,
                                                    View<const Parameter> parameters, In<double> q,
                                                    In<double> qd, In<double> qdd,
                                                    In<Wrench<double>> F_ext, Out<double> tau,
                                                    ConstrainedParameterDerivatives& out);
/// qdd and d qdd / d parameters: out.dqdd, out.dlambda.
DynamicsResult<double> forward_dynamics_derivatives(const Model<double>& model,
                                                    DynamicsDerivativesWorkspace& ws,
                                                    View<const Parameter> parameters, In<double> q,
                                                    In<double> qd, In<double> tau,
                                                    In<Wrench<double>> F_ext, Out<double> qdd,
                                                    ConstrainedParameterDerivatives& out);
/// Reads qdd and writes tau where prescribed[i] of body i is not zero, the other way round elsewhere;
/// an empty `prescribed` means none. Given ones change only with a parameter that is one of them.
DynamicsResult<double> hybrid_dynamics_derivatives(
    const Model<double>& model, DynamicsDerivativesWorkspace& ws, View<const Parameter> parameters,
    In<char> prescribed, In<double> q, In<double> qd, Out<double> qdd, Out<double> tau,
    In<Wrench<double>> F_ext, ConstrainedParameterDerivatives& out);

}  // namespace torsor
