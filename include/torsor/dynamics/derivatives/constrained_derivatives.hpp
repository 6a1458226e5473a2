#pragma once
/// Derivatives of forward, hybrid and inverse dynamics under constraints.
///
/// The equations of the constrained problems,
///
///   R1 = ID(q, qd, qdd; F_ext + W(q) lambda) + rotors qdd - tau = 0            one per velocity
///   R2 = A qdd + A' qd + (p1 + p2) A qd + p1 p2 phi = 0                        one per row
///
/// give by the implicit function theorem, for any scalar x of the state,
///
///   [ M  A^T ] [  dqdd    ]     [ dR1/dx ]
///   [ A   0  ] [ -dlambda ] = - [ dR2/dx ]       and dqdd/dtau, dlambda/dtau for R1's -1
///
/// dR1/dx and dR2/dx are sweeps with dual numbers, exact; the system is solved by the recursions
/// and the factors that the dynamics itself used, so M is not formed here either. Prescribed joints
/// (hybrid) exchange dqdd and dtau. Inverse dynamics solves A_p^T dlambda = dR1_p, or the
/// conditions of the least torque.
///
/// Redundant rows: lambda is the shortest, and stays so: to the solution above comes
///          (1 - P) dA A^+ lambda, P the projection on the range of A. This needs a rank that does
///          not change around q, as in planar loops.
/// Along    Derivatives with respect to q are along the tangent of q: integrate(q, e_k).
///          The user's own rows are differentiated by central differences of their functions.
/// Cost     O(n (n + m^2)); allocates nothing after the workspace is made.
/// Source   Kim 2012, section 4, has none of these; Carpentier, Budhiraja & Mansard 2021.
#include "torsor/dynamics/constrained/constrained.hpp"
#include "torsor/dynamics/constrained/constrained_inverse.hpp"
#include "torsor/dynamics/textbook/configuration_space.hpp"
#include "torsor/math/array.hpp"
#include "torsor/math/dual.hpp"

namespace torsor {

/// Column k is the derivative along the k-th velocity coordinate.
struct ConstrainedDerivatives {
  StoredMatrix<double> dqdd_dq, dqdd_dqd, dqdd_dtau;           ///< n_v x n_v
  StoredMatrix<double> dlambda_dq, dlambda_dqd, dlambda_dtau;  ///< n_rows x n_v

  ConstrainedDerivatives(const Model<double>& model, const ConstraintSet& set);
};

/// Where joint k is prescribed, rows k are of tau instead of qdd, and columns k of the third
/// matrices are along its given qdd instead of tau.
struct ConstrainedHybridDerivatives {
  StoredMatrix<double> dout_dq, dout_dqd, dout_din;           ///< n_v x n_v
  StoredMatrix<double> dlambda_dq, dlambda_dqd, dlambda_din;  ///< n_rows x n_v

  ConstrainedHybridDerivatives(const Model<double>& model, const ConstraintSet& set);
};

/// Rows of passive velocities are zero: their torques are given.
struct ConstrainedInverseDerivatives {
  StoredMatrix<double> dtau_dq, dtau_dqd, dtau_dqdd;           ///< n_v x n_v
  StoredMatrix<double> dlambda_dq, dlambda_dqd, dlambda_dqdd;  ///< n_rows x n_v

  ConstrainedInverseDerivatives(const Model<double>& model, const ConstraintSet& set);
};

struct ConstrainedDerivativeWorkspace {
  using Tangent = Dual<double, 1>;

  ConstrainedWorkspace dynamics;
  ConstrainedInverseWorkspace inverse;
  RneaWorkspace<Tangent> rnea;
  VelocityWorkspace<Tangent> motion;
  Array<Tangent> q, qd, qdd, step, tau;
  Array<Wrench<Tangent>> F;
  Array<double> residual, row_residual, dA, qdd_value, tau_value, lambda, x, y, least, user;
  Array<Wrench<double>> carried;
  Array<Twist<double>> acceleration;
  Array<double> e, S_b;
  Array<double> dq, dqd, dqdd;      // the direction
  Array<Twist<double>> loop_shift;  // of frames a and b of every loop, in their bodies
  OrthogonalDecomposition system;   // of inverse dynamics with the least torque
  Array<double> kkt, kkt_right, kkt_solution, z;

  ConstrainedDerivativeWorkspace(const Model<double>& model, const ConstraintSet& set);
};

/// Of constrained_forward_dynamics at the same arguments.
ConstrainedResult constrained_forward_dynamics_derivatives(const Model<double>& model,
                                                           ConstrainedDerivativeWorkspace& ws,
                                                           In<double> q, In<double> qd,
                                                           In<double> tau, In<Wrench<double>> F_ext,
                                                           ConstrainedDerivatives& out,
                                                           const ConstrainedOptions& options = {});

/// Of constrained_hybrid_dynamics; qdd and tau are read where that verb reads them.
ConstrainedResult constrained_hybrid_dynamics_derivatives(
    const Model<double>& model, ConstrainedDerivativeWorkspace& ws, In<char> prescribed,
    In<double> q, In<double> qd, In<double> qdd, In<double> tau, In<Wrench<double>> F_ext,
    ConstrainedHybridDerivatives& out, const ConstrainedOptions& options = {});

/// Of constrained_inverse_dynamics with the same choice; `tau` gives the passive torques.
ConstrainedInverseResult constrained_inverse_dynamics_derivatives(
    const Model<double>& model, const ConstraintSet& set, ConstrainedDerivativeWorkspace& ws,
    In<char> actuated, In<double> q, In<double> qd, In<double> qdd, In<Wrench<double>> F_ext,
    In<double> tau, ConstrainedInverseDerivatives& out, const ActuationOptions& options = {});

}  // namespace torsor
