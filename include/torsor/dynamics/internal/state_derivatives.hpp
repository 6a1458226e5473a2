#pragma once
/// Derivatives of inverse_dynamics, forward_dynamics and hybrid_dynamics with respect to the state alone,
/// for trees whose forces beside those of bodies and rotors are of joints: by the rigid kernels.
///
///   rigid_..._derivatives, then what friction and springs of joints add (joint_torque_derivatives.hpp)
///
/// Hybrid: from inverse dynamics, tau = A qdd + ..., p what is prescribed, f what is free:
///   dqdd_f = A_ff^-1 (dtau_f - dtau_f/dx dx - A_fp dqdd_p)          A = dtau/dqdd
///   dtau_p = dtau_p/dx dx + A_pp dqdd_p + A_pf dqdd_f               x = q, qd
///
/// The same numbers as full_derivatives.hpp with the parameters q, qd and qdd or tau, which takes a
/// pass for each of them; loops, couplings and spring-dampers between links are left to it.
///
/// Frames   F_ext in link frames; results are of joints and have none.
/// Cost     That of the rigid kernel, and O(n^2) of forward, O(n^3) of hybrid dynamics; no allocation.
/// Source   The headers of the two steps.
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"
#include "torsor/dynamics/derivatives/rnea_derivatives.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/linear/lu.hpp"

namespace torsor::internal {

struct StateDerivativesWorkspace {
  bool covers;  ///< whether the model is of this kind; else the rest is empty
  std::optional<DynamicsWorkspace<double>> dynamics;
  std::optional<InverseDynamicsDerivativesWorkspace<double>> inverse;
  std::optional<ForwardDynamicsDerivativesWorkspace<double>> forward;
  Array<double> transmitted;
  Lu free;  ///< A_ff
  Array<double> A, A_ff, dqdd_f, tau;
  Array<int> free_dofs;

  explicit StateDerivativesWorkspace(const Model<double>& model);
};

/// tau and its derivatives along the tangent of q, along qd and qdd, n_v x n_v. `ws.covers` is true.
void state_inverse_dynamics_derivatives(const Model<double>& model, StateDerivativesWorkspace& ws,
                                        In<double> q, In<double> qd, In<double> qdd,
                                        In<Wrench<double>> F_ext, Out<double> tau,
                                        OutMatrix<double> dtau_dq, OutMatrix<double> dtau_dqd,
                                        OutMatrix<double> dtau_dqdd);
/// qdd and its derivatives along the tangent of q, along qd and tau.
DynamicsResult<double> state_forward_dynamics_derivatives(
    const Model<double>& model, StateDerivativesWorkspace& ws, In<double> q, In<double> qd,
    In<double> tau, In<Wrench<double>> F_ext, Out<double> qdd, OutMatrix<double> dqdd_dq,
    OutMatrix<double> dqdd_dqd, OutMatrix<double> dqdd_dtau);
/// n_v x n_v each: along the tangent of q, along qd, given qdd and given tau.
struct HybridColumns {
  OutMatrix<double> dqdd[4], dtau[4];
};
/// At a motion of hybrid_dynamics: all of qdd. `prescribed`: by velocity, not zero where qdd is given;
/// empty: nowhere. False where A_ff cannot be inverted.
[[nodiscard]] bool state_hybrid_dynamics_derivatives(const Model<double>& model,
                                                     StateDerivativesWorkspace& ws,
                                                     View<const char> prescribed, In<double> q,
                                                     In<double> qd, In<double> qdd,
                                                     In<Wrench<double>> F_ext,
                                                     const HybridColumns& out);

}  // namespace torsor::internal
