#include "torsor/dynamics/derivatives/full_derivatives.hpp"

#include "torsor/kinematics/mobility.hpp"

namespace torsor {
namespace {

using Fault = LoopStatus::Fault;

DynamicsResult<double> status(LoopStatus loops) { return {1, true, loops}; }

}  // namespace

DynamicsDerivativesWorkspace::DynamicsDerivativesWorkspace(const Model<double>& model)
    : set(model), assembly(model, set), actuated(actuated_velocities(model)), lambda(set.n_rows()) {
  for (const char has_motor : actuated) passive += has_motor ? 0 : 1;
  if (set.n_rows() > 0)
    loops.emplace(model, set);
  else
    tree.emplace(model);
}

DynamicsResult<double> inverse_dynamics_derivatives(const Model<double>& model,
                                                    DynamicsDerivativesWorkspace& ws,
                                                    View<const Parameter> parameters, In<double> q,
                                                    In<double> qd, In<double> qdd,
                                                    In<Wrench<double>> F_ext, Out<double> tau,
                                                    ConstrainedParameterDerivatives& out) {
  if (ws.tree) {
    tree_inverse_dynamics_derivatives<double>(model, *ws.tree, parameters, q, qd, qdd, F_ext, tau,
                                              out.dtau.view());
    return {};
  }
  if (const LoopStatus loops = closure(model, ws.set, ws.assembly, q, qd, qdd); !loops)
    return status(loops);
  if (ws.passive > ws.set.n_rows())
    return status({Fault::undriven, -1, 0, ws.passive, ws.set.n_rows()});
  for (double& x : tau) x = 0;  // of passive joints
  const ConstrainedInverseResult result = constrained_inverse_dynamics_derivatives(
      model, *ws.loops, parameters, ws.actuated, q, qd, qdd, F_ext, tau, ws.lambda, out);
  if (!result) return status({Fault::undriven, -1, result.residual, result.passive, result.rank});
  return {};
}

DynamicsResult<double> hybrid_dynamics_derivatives(
    const Model<double>& model, DynamicsDerivativesWorkspace& ws, View<const Parameter> parameters,
    In<char> prescribed, In<double> q, In<double> qd, Out<double> qdd, Out<double> tau,
    In<Wrench<double>> F_ext, ConstrainedParameterDerivatives& out) {
  if (ws.tree)
    return internal::result_of(tree_hybrid_dynamics_derivatives<double>(
        model, *ws.tree, parameters, prescribed, q, qd, qdd, tau, F_ext, out.dqdd.view(),
        out.dtau.view()));
  if (const LoopStatus loops = closure(model, ws.set, ws.assembly, q, qd); !loops)
    return status(loops);
  const ConstrainedResult result = constrained_hybrid_dynamics_derivatives(
      model, *ws.loops, parameters, prescribed, q, qd, qdd, tau, F_ext, ws.lambda, out);
  DynamicsResult<double> found{
      internal::regularity(ws.loops->constrained.dynamics.D).pivot_ratio, result.mass_regular, {}};
  if (!result.consistent) found.loops = {Fault::contradicted, -1, result.inconsistency};
  return found;
}

DynamicsResult<double> forward_dynamics_derivatives(const Model<double>& model,
                                                    DynamicsDerivativesWorkspace& ws,
                                                    View<const Parameter> parameters, In<double> q,
                                                    In<double> qd, In<double> tau,
                                                    In<Wrench<double>> F_ext, Out<double> qdd,
                                                    ConstrainedParameterDerivatives& out) {
  // Without a prescribed joint tau is only read.
  const Out<double> given(const_cast<double*>(tau.data), tau.size);
  return hybrid_dynamics_derivatives(model, ws, parameters, {}, q, qd, qdd, given, F_ext, out);
}

}  // namespace torsor
