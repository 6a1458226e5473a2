#pragma once
/// Forward and hybrid dynamics under constraints, by articulated bodies: M is never formed.
///
///   M qdd + b = tau + A^T lambda,    A qdd + A' qd = -(p1 + p2) A qd - p1 p2 phi
///
///   base -> tip   V_i = V_p + S qd,    c_i = ad(V_i) S qd + S' qd
///   tip -> base   U = I^ S,  D = S^T U + rotor,  K = U / D,  e = (tau - S^T b^) / D        once
///                 I^_p += I^ - U K^T,   b^_p += b^ + U e + (I^ - U K^T) c
///   tip -> base   r = x + S^T F,  F_p += F - K r                       for a row with wrench F
///                 A qdd_r = sum_k r_k e_k + sum_i <F, c_i> + <F_0, -g>      free acceleration
///   m x m         Omega = A M^-1 A^T = sum_k r_k r_k^T / D_k,  Omega lambda = -(A qdd_r + A' qd)
///   base -> tip   e += r lambda / D,   qdd = e - K^T (A_p + c),  A = A_p + c + S qdd        once
///
/// The rows need the sweep up to the root alone, along the bodies that carry their ends: half of a
/// solve M^-1 A^T. In hybrid dynamics a prescribed joint is one with K = 1/D = 0 and e = qdd.
///
/// Redundant rows (a planar loop has some) make Omega singular. When a pivot falls below 1e-6 of
/// its row, the decomposition of the whitened rows D^-1/2 r finds the rank (pivots above
/// rank_tolerance of the largest); lambda is then the multiplier of minimum norm, and the result
/// says that it is not unique. qdd and the constraint forces' effect are. The norm adds N m and N:
/// among redundant rows lambda depends on the unit of length and on the loop's frame.
///
/// Rotors of motors that turn with several joints are M = M_0 + N^T I N, of which the recursions know M_0.
/// Each is a row that yields: with a = I^1/2 n and the multiplier l = -a qdd,
///
///   M_0 qdd + b = tau + A^T lambda + a^T l,    a qdd + l = 0                1 on the diagonal of Omega
///
/// behind the rows of the set. Such rows are never redundant.
///
/// The poles -p1, -p2 are those of errors in continuous time, of welds and revolute loops to first
/// order in phi.
///
/// Sign     lambda acts on body b of its loop, along the rows of model/loop.hpp.
/// Frames   World axes about the first body of each tree (world_sweep.hpp).
/// Gravity  A_0 = (0, -g).
/// Cost     O(n + m d + m^2 d + m^3) for m rows and the depth d of the tree (Omega sums over the
///          velocities that two rows share), and O(n m^2) where rows are redundant; no allocation.
/// Source   Kim 2012, (67)-(80); Featherstone 2008, sec. 8.5; Wensing, Featherstone &
///          Orin 2012 (force propagators); Baumgarte 1972.
#include "torsor/dynamics/hybrid.hpp"
#include "torsor/dynamics/minverse_times.hpp"
#include "torsor/kinematics/constraint_rows.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

/// phi decays with the poles -p1 and -p2, 1/s. Zero: no stabilisation.
struct Baumgarte {
  double p1 = 0, p2 = 0;
};
struct ConstrainedOptions {
  Baumgarte stabilisation{};
  double rank_tolerance = 1e-8;
};

struct [[nodiscard]] ConstrainedResult {
  int rows = 0, rank = 0;    ///< of A, over the joints that are free to accelerate
  bool mass_regular = true;  ///< M could be inverted
  bool consistent = true;    ///< some acceleration satisfies all rows
  double inconsistency = 0;  ///< the part of A qdd + A' qd that nothing can bring to zero

  bool unique() const { return rank == rows; }  ///< of the multipliers
  explicit operator bool() const { return mass_regular && consistent; }
};

namespace internal {

/// Rows of one constraint, at most `lanes`, and the bodies that they move, tips first.
struct ConstraintGroup {
  static constexpr int lanes = 8;
  struct Stop {
    int body = 0;
    bool load = false;   ///< wrenches wait for it in memory
    bool store = false;  ///< the next stop is not its parent
  };
  int first_row = 0, n_rows = 0;
  int loop = -1;   ///< index in the set's loops; -1: rows in joint space
  int motor = -1;  ///< index in the model's motors; -1: a constraint
  Array<Stop> stops;
  Array<int> dofs;  ///< of those bodies
  Array<double> x;  ///< n_v x lanes, joint space rows
};

}  // namespace internal

struct ConstrainedWorkspace {
  ConstraintSet set;
  internal::WorldSweep<double> world;
  Array<int> tree;             // the first body of the tree that a body belongs to
  Array<Vec3<double>> origin;  // where that one's origin is in the world
  Array<Twist<double>> V, c, A;
  Array<Wrench<double>> b;  // what waits for a body: external, and of further children
  Array<ArticulatedInertia<double>> I;
  Array<Wrench<double>> K, U;  // per velocity
  Array<double> D, D_inverse, e, S_b;
  Array<internal::ConstraintGroup> groups;
  Array<Array<int>> common;  // velocities that groups g >= h both move, g (g + 1) / 2 + h
  Array<double> F;           // per body 6 x lanes
  Array<double> r;           // per group and velocity: lanes
  Array<double> bias, omega, right, whitened, multipliers;
  Array<double> user_rows, user_bias, user_phi;
  bool regular = true;  // Omega was factorised; else the decomposition of the whitened rows was
  bool rotors = true;   // false: M without them
  Cholesky factors;
  OrthogonalDecomposition decomposition;

  ConstrainedWorkspace(const Model<double>& model, const ConstraintSet& constraints);
  /// Those of the set, then one for each motor of several joints.
  int n_rows() const { return bias.size(); }
  int n_motors() const { return n_rows() - set.n_rows(); }
};

/// qdd and lambda (n_rows) of tau. An empty F_ext means none.
ConstrainedResult constrained_forward_dynamics(const Model<double>& model, ConstrainedWorkspace& ws,
                                               In<double> q, In<double> qd, In<double> tau,
                                               In<Wrench<double>> F_ext, Out<double> qdd,
                                               Out<double> lambda,
                                               const ConstrainedOptions& options = {});

/// Where prescribed[i] of body i is not zero, qdd is read and tau written; elsewhere the other way
/// round. prescribed[0] is not used. With more rows than released velocities the multipliers, and
/// with them tau, are not unique: the shortest lambda is taken (constrained_inverse_dynamics finds
/// the least torques for the qdd found here).
ConstrainedResult constrained_hybrid_dynamics(const Model<double>& model, ConstrainedWorkspace& ws,
                                              In<char> prescribed, In<double> q, In<double> qd,
                                              Out<double> qdd, Out<double> tau,
                                              In<Wrench<double>> F_ext, Out<double> lambda,
                                              const ConstrainedOptions& options = {});

/// "" where all is well, else one line: what is redundant, contradictory or singular.
std::string message(const ConstraintSet& set, const ConstrainedResult& result);

namespace internal {

/// Omega of the rows that were swept, and ws.multipliers of all of them.
void solve_multipliers(ConstrainedWorkspace& ws, const ConstrainedOptions& options,
                       ConstrainedResult& result);
/// ws.multipliers = Omega^+ ws.right with the factors of the last call; returns what is left of it.
double apply_omega_inverse(ConstrainedWorkspace& ws);

}  // namespace internal

}  // namespace torsor
