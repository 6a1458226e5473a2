#pragma once
/// Derivatives of hybrid dynamics: of accelerations where torques are given, of torques where
/// accelerations are.
///
/// With r the released and p the prescribed velocities, tau = M qdd + b(q, qd) and x one of q, qd:
///   d qdd_r / dx      = -M_rr^-1 d tau_r / dx      d tau_p / dx     = d tau_p / dx + M_pr d qdd_r / dx
///   d qdd_r / dtau_r  =  M_rr^-1                   d tau_p / dtau_r = M_pr M_rr^-1
///   d qdd_r / dqdd_p  = -M_rr^-1 M_rp              d tau_p / dqdd_p = M_pp - M_pr M_rr^-1 M_rp
/// (on the right hand sides: derivatives of inverse dynamics). No matrix is inverted:
/// column_solver.hpp.
///
/// Row k of each matrix is of what velocity k answers with, column j is along q, along qd, or along
/// what is given for velocity j. With every joint prescribed these are the derivatives of inverse
/// dynamics (with rotors), with none those of forward dynamics.
///
/// Frames   World axes; results are of joints and have none.
/// Cost     As aba_derivatives.hpp; no allocation.
/// Source   Kim 2012, table 7 gives the directional form; Featherstone 1987, sec. 9.2.
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"

namespace torsor {

/// Where prescribed[i] of body i is not zero, qdd is read and tau written; elsewhere the other way
/// round, as hybrid_dynamics does. prescribed[0] is not used; an empty F_ext means none; matrices
/// without data are not written.
template <class Param, class Real>
ForwardDynamicsResult<Real> rigid_hybrid_dynamics_derivatives(
    const Model<Param>& model, ForwardDynamicsDerivativesWorkspace<Real>& ws, In<char> prescribed,
    In<Real> q, In<Real> qd, Out<Real> qdd, Out<Real> tau, In<Wrench<Real>> F_ext,
    OutMatrix<Real> by_q, OutMatrix<Real> by_qd, OutMatrix<Real> by_given) {
  internal::assert_state(model, q, qdd, tau);
  for (int i = 1; i < model.n_bodies(); ++i) {
    const internal::CanonicalBody<Param>& b = model.canonical(i);
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      ws.bodies.released[k] = prescribed[i] ? 0 : 1;
      ws.qdd[k] = prescribed[i] ? qdd[k] : Real(0);
      ws.tau[k] = prescribed[i] ? Real(0) : tau[k];
    }
  }
  const ForwardDynamicsResult<Real> result =
      internal::released_derivatives<Param, Real>(model, ws, q, qd, F_ext, true);
  for (int k = 0; k < model.n_v(); ++k) {
    qdd[k] = ws.qdd[k];
    tau[k] = ws.tau[k];
  }
  internal::copy_rows<Real>(ws.lines, {by_q, by_qd, by_given});
  return result;
}

/// Compiled once, in src/dynamics/derivatives/hybrid_derivatives.cpp; other scalars where used.
#define TORSOR_HYBRID_DERIVATIVES(Extern, Param, Real)                                     \
  Extern template ForwardDynamicsResult<Real> rigid_hybrid_dynamics_derivatives(           \
      const Model<Param>&, ForwardDynamicsDerivativesWorkspace<Real>&, In<char>, In<Real>, \
      In<Real>, Out<Real>, Out<Real>, In<Wrench<Real>>, OutMatrix<Real>, OutMatrix<Real>,  \
      OutMatrix<Real>);
TORSOR_HYBRID_DERIVATIVES(extern, double, double)
TORSOR_HYBRID_DERIVATIVES(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_HYBRID_DERIVATIVES
#endif

}  // namespace torsor
