#pragma once
/// The equations of constrained dynamics, differentiated at fixed accelerations and multipliers.
#include "torsor/dynamics/derivatives/constrained_derivatives.hpp"

namespace torsor {

/// Which of the state is varied, and which entry of it.
enum class Vary : unsigned char { q, qd, qdd };

/// dR1 (ws.residual), dR2 (ws.row_residual) and d(A v) (ws.dA) along one direction, at fixed qdd
/// and lambda. An empty v: no dA.
void residuals(const Model<double>& model, const ConstraintSet& set,
               ConstrainedDerivativeWorkspace& ws, Vary vary, int k, In<double> q, In<double> qd,
               In<double> qdd, In<double> lambda, In<Wrench<double>> F_ext, In<double> v,
               const Baumgarte& poles);

// Parts of it, along any direction. ws.motion holds the bodies' motion with its slopes;
// ws.dq, dqd, dqdd and ws.loop_shift the direction in joint space and of the loops' frames.

/// Of the loops: ws.row_residual, and the wrenches of the multipliers added to ws.F.
void loop_terms(const ConstraintSet& set, ConstrainedDerivativeWorkspace& ws, In<double> lambda,
                const Baumgarte& poles);
/// Of the loops: ws.dA, at the velocities in ws.motion.
void loop_velocities(const ConstraintSet& set, ConstrainedDerivativeWorkspace& ws);
/// Couplings and the user's rows: their row_residual, and what they add to residual and dA.
void joint_space_terms(const Model<double>& model, const ConstraintSet& set,
                       ConstrainedDerivativeWorkspace& ws, In<double> q, In<double> qd,
                       In<double> qdd, In<double> lambda, In<double> v, const Baumgarte& poles);

/// M x - A^T l = f, A x = g with the factors of the last dynamics. Of prescribed joints f is x, and
/// y becomes (M x - A^T l); of others y becomes x. g is in ws.dynamics.right. Returns what of g the
/// rows cannot follow.
double solve_linear(const Model<double>& model, ConstrainedDerivativeWorkspace& work,
                    In<char> prescribed, In<double> f, Out<double> y, Out<double> l);
/// ws.least: a velocity v of the released joints with A v = lambda.
void find_least(const Model<double>& model, ConstrainedDerivativeWorkspace& ws,
                In<char> prescribed);
/// Keeps lambda the shortest: adds (1 - P) dA v, in ws.dA, to dlambda, and its part to the torques
/// of prescribed joints in y.
void keep_shortest(const Model<double>& model, ConstrainedDerivativeWorkspace& ws,
                   In<char> prescribed, Out<double> y, Out<double> dlambda);

/// Inverse dynamics: the linear system of a column, made once.
struct InverseColumns {
  const Model<double>& model;
  ConstrainedDerivativeWorkspace& ws;
  In<char> actuated;
  ActuationOptions options;

  bool by_torque() const { return options.choice == ActuationOptions::Choice::least_torque; }
  /// After constrained_inverse_dynamics in ws.inverse; ws.tau_value holds the passive torques.
  /// Leaves the velocities ws.z (least torque) and ws.least, whose dA the columns need.
  void prepare();
  /// From ws.residual, ws.dA of ws.least and, of least torque, -dA z in ws.kkt_right from n on.
  /// rows_move: dA is not zero.
  void solve(bool rows_move, Out<double> dlambda, Out<double> dtau);
};

}  // namespace torsor
