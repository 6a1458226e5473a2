#pragma once
/// Inverse dynamics under constraints: the actuators' torques and constraint forces of a motion.
///
///   tau_r = M qdd + b,      tau + A^T lambda = tau_r       a: actuated, p: passive velocities
///   A_p^T lambda = tau_pr - tau_p,      tau_a = tau_ar - A_a^T lambda
///
///   lambda = (A_p^T)^+ (tau_pr - tau_p) + N s              N: null space of A_p^T
///   least constraint force   s = 0
///   least torque             s = (W A_a^T N)^+ W (tau_ar - A_a^T lambda_0)      min |W tau_a|
///
/// As many independent rows as passive velocities: one solution. More (redundant actuation): a
/// choice. Fewer: the motion cannot be forced; constrained_hybrid_dynamics prescribes the actuated
/// joints and lets the others move. With every joint actuated N is everything; with rows that hold
/// the robot still, least torque is none.
///
/// Sign     lambda acts on body b of its loop. tau contains rotors, no friction.
/// Cost     O(m n^2); no allocation.
/// Source   Kim 2012, (56)-(66).
#include "torsor/dynamics/joint_wrenches.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/kinematics/constraint_rows.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct ActuationOptions {
  enum class Choice : unsigned char { least_force, least_torque };
  Choice choice = Choice::least_torque;
  /// One factor w_k > 0 per velocity: sum (w_k tau_k)^2 is made least. Empty: all 1.
  View<const double> weights{};
  double rank_tolerance = 1e-8;
};

struct [[nodiscard]] ConstrainedInverseResult {
  int passive = 0, rank = 0;  ///< passive velocities, and the rank of A_p
  int preloads = 0;           ///< ways to strain the robot by its actuators without moving it
  bool unique_force = true;   ///< of lambda
  bool solvable = true;       ///< the passive torques agree with the motion
  double residual = 0;        ///< N m: what of tau_pr - tau_p the constraints cannot bear

  bool unique_torque() const { return preloads == 0; }
  explicit operator bool() const { return solvable; }
};

struct ConstrainedInverseWorkspace {
  RneaWorkspace<double> rnea;
  ConstraintWorkspace<double> rows;
  OrthogonalDecomposition passive, choice;
  Array<double> A, A_p, N, B, tau_r, right, force, s;

  ConstrainedInverseWorkspace(const Model<double>& model, const ConstraintSet& set);
};

/// Reads tau where `actuated` (per velocity) is zero and writes it elsewhere; lambda has n_rows.
/// Throws Error when there are fewer rows than passive velocities.
ConstrainedInverseResult constrained_inverse_dynamics(
    const Model<double>& model, const ConstraintSet& set, ConstrainedInverseWorkspace& ws,
    In<char> actuated, In<double> q, In<double> qd, In<double> qdd, In<Wrench<double>> F_ext,
    Out<double> tau, Out<double> lambda, const ActuationOptions& options = {});

/// Adds the wrenches of the loops on the bodies that they join, in their link frames: with them as
/// external wrenches, joint_wrenches gives what every joint bears. Rows in joint space (couplings,
/// the user's) are torques A^T lambda, not wrenches.
void add_constraint_wrenches(const Model<double>& model, const ConstraintSet& set,
                             ConstraintWorkspace<double>& ws, In<double> q, In<double> lambda,
                             Out<Wrench<double>> F);

}  // namespace torsor
