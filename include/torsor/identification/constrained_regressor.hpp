#pragma once
/// The torque regressor of a robot with loops and couplings, by virtual work.
///
///   A qd = 0:  qd = G qd_i               i: independent velocities, d: the others
///              G_i = 1,  A_d G_d = -A_i
///   tau + A^T lambda = W x   =>   G^T tau = G^T W x,  as A G = 0
///
/// The forces of the constraints are gone: where the actuated velocities are the independent ones
/// G^T tau is their torque, and with redundant actuators it is what moves the robot. Which velocities
/// are independent is chosen once, at a configuration that closes the loops: those that the passive
/// ones leave, then those that keep A_d regular.
///
/// Motion   q closes the loops, A qd = 0 and A qdd + A' qd = 0 (kinematics/assemble.hpp).
/// Cost     That of torque_regressor, O(m n^2) for G and O(n k) for each independent velocity; no
///          allocation.
/// Source   Khalil & Dombre 2002, ch. 10 (closed chains); Kim 2012, section 3.
#include "torsor/identification/column_regressor.hpp"
#include "torsor/kinematics/constraint_rows.hpp"
#include "torsor/linear/matrix.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"

namespace torsor {

struct ConstrainedColumnWorkspace {
  ConstraintSet set;
  ConstraintWorkspace<double> rows;
  ColumnWorkspace<double> tree;
  OrthogonalDecomposition decomposition;
  Array<int> independent, dependent;  ///< velocities, ascending
  Matrix G;                           ///< n_v x independent, as of the last call
  Matrix A, A_d, W;
  Array<double> right, solution;

  /// `q` closes the loops. `actuated`, per velocity: not zero for those that are independent where
  /// possible; empty: joints with an actuator in the description, all where none has one. Throws
  /// Error where q leaves a loop open.
  ConstrainedColumnWorkspace(const Model<double>& model, const ParameterColumns& columns,
                             In<double> q, In<char> actuated = {});

  int n_independent() const { return independent.size(); }
};

struct [[nodiscard]] ConstrainedRegressorResult {
  int rank = 0;            ///< of A_d
  double pivot_ratio = 1;  ///< of A_d: 0 where the independent velocities do not fix the others
  bool regular = true;

  explicit operator bool() const { return regular; }
};

/// W, independent x columns: G^T tau = W x.
ConstrainedRegressorResult constrained_torque_regressor(
    const Model<double>& model, ConstrainedColumnWorkspace& ws, const ParameterColumns& columns,
    In<double> q, In<double> qd, In<double> qdd, OutMatrix<double> W, In<double> tau_load = {});
/// G^T tau with G of the last call: n_v torques to independent ones.
void project_torque(const ConstrainedColumnWorkspace& ws, In<double> tau, Out<double> projected);

}  // namespace torsor
