#pragma once
/// Joint velocities and accelerations that give a frame a wanted velocity or acceleration.
///
///   J qd = x'                              J qdd = x'' - J' qd
///
///   n = 6   the solution                                                    qd = J^-1 x'
///   n > 6   least qd^T D qd among the solutions           qd = D^-1 J^T (J D^-1 J^T)^-1 x'
///   n < 6   least |x' - J qd|                                     qd = (J^T J)^-1 J^T x'
///
/// One formula covers all three: with D = L L^T and J L^-T = U diag(sigma_k) V^T,
///   L^T qd = V diag(sigma_k / (sigma_k^2 + lambda_k^2)) U^T x',
///   lambda_k = lambda_max sqrt(1 - (sigma_k / near)^2) where sigma_k < near, else 0:
/// only directions that are about to be lost are damped, smoothly, and the damping is reported.
/// Directions with sigma_k = 0 get no velocity: the least-norm answer.
///
/// Units    Rows of rad/s and m/s stand together: sigma, damping and least squares depend on the unit
///          of length, here 1 m (Doty, Melchiorri & Bonivento 1993), and so does least qd^T D qd
///          where turning joints and slides share a D that is not given in one unit.
/// Cost     A singular value decomposition of 6 x n. No allocation.
/// Source   Huo 2005, (1-60)-(1-64), sec. 1.5; Nakamura & Hanafusa 1986 and Maciejewski &
///          Klein 1988 (damping).
#include "torsor/kinematics/singularity.hpp"
#include "torsor/linear/cholesky.hpp"

namespace torsor {

struct InverseVelocityOptions {
  /// D, n x n, symmetric positive definite; empty: the identity.
  InMatrix<double> weight{};
  /// Damping begins where a sigma falls below this ratio of the largest.
  double near = 1e-3;
  /// lambda_max, as a ratio of the largest sigma. 0: no damping.
  double max_damping = 1e-2;
  /// A sigma below this ratio of the largest counts as zero: the direction is lost, see `rank`.
  double rank_tolerance = 1e-10;
};

/// How many joint velocities give x' exactly.
enum class Solvability : unsigned char { none, unique, infinitely_many };
/// "none", "unique", "infinitely many".
const char* name_of(Solvability solvability);

struct [[nodiscard]] InverseVelocity {
  Solvability solvability = Solvability::none;
  bool weight_ok = true;  ///< false: D is not positive definite, qd is zero
  int rank = 0;
  double smallest = 0, largest = 0;  ///< sigma of J L^-T
  double damping = 0;                ///< the largest lambda_k of the directions not lost
  double residual = 0;               ///< |x' - J qd| of the answer
};

struct InverseVelocityWorkspace {
  KinematicsWorkspace<double> kinematics;
  VelocityWorkspace<double> velocity;
  Array<double> J, weighted;
  int n_v;
  Cholesky weight;
  Svd svd;

  explicit InverseVelocityWorkspace(const Model<double>& model);
};

/// From a Jacobian of up to six rows, in any order that x' shares. J may lie in ws.J.
InverseVelocity inverse_velocity(InverseVelocityWorkspace& ws, InMatrix<double> J, In<double> xdot,
                                 const InverseVelocityOptions& options, Out<double> qd);

/// Of a frame.
InverseVelocity inverse_velocity(const Model<double>& model, InverseVelocityWorkspace& ws,
                                 In<double> q, const Frame& frame, Reference reference,
                                 const Twist<double>& V, const InverseVelocityOptions& options,
                                 Out<double> qd);

/// qdd for the derivative of frame_velocity(frame, reference), as frame_acceleration gives it.
InverseVelocity inverse_acceleration(const Model<double>& model, InverseVelocityWorkspace& ws,
                                     In<double> q, In<double> qd, const Frame& frame,
                                     Reference reference, const Twist<double>& Vdot,
                                     const InverseVelocityOptions& options, Out<double> qdd);

/// The method of Huo 2005 for n <= 6 columns J_1 ... J_n, without a matrix inverse:
///   n_1 = J_1,   n_i = det [ J_1 ... J_i ; J_1.J_1 ... J_1.J_i ; ... ; J_i-1.J_1 ... J_i-1.J_i ]
///   qd_i = (x' - sum_{j > i} J_j qd_j) . n_i / (J_i . n_i)                        i = n ... 1
/// with a formal determinant whose first row holds vectors. n_i is orthogonal to J_1 ... J_{i-1},
/// so J_i . n_i is zero only where J_i depends on them. For n < 6 the answer is the least-squares
/// one. The n_i span many orders of magnitude; inverse_velocity is as exact and is not troubled by
/// that.
/// Source   Huo 2005, (1-61)-(1-63).
struct [[nodiscard]] DeterminantMethod {
  bool singular = false;                           ///< qd is then zero
  FixedArray<FixedArray<double, 6>, 6> normals{};  ///< n_i, as rows
  FixedArray<double, 6> pivots{};  ///< J_i . n_i = (-1)^(i+1) det of the Gram matrix
};
DeterminantMethod inverse_velocity_by_determinants(InMatrix<double> J, In<double> xdot,
                                                   Out<double> qd);

}  // namespace torsor
