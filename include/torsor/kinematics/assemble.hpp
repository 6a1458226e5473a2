#pragma once
/// Closes the loops of a robot: configurations, velocities and accelerations that its constraints
/// allow, from any guess.
///
///   q     Levenberg-Marquardt on phi(q):  min |A d + phi|^2 + mu |d|^2,  q <- q (+) d
///   qd    qd - A^+ A qd                   the nearest velocity with A qd = 0
///   qdd   qdd - A^+ (A qdd + A' qd)       the nearest acceleration with A qdd + A' qd = 0
///
/// All coordinates move, or the chosen ones. Coordinates stay within their limits: one that would
/// leave them is held for the step. Near a solution mu vanishes and the steps are Newton's of least
/// norm, so redundant rows (every planar loop has some) do no harm.
///
/// Cost     O(m n^2) a step, no allocation after the workspace is made.
/// Source   Nocedal & Wright 2006, sec. 10.3; Kim 2012, section 3.
#include <cstdint>

#include "torsor/kinematics/constraint_rows.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct AssemblyOptions {
  double tolerance = 1e-12;  ///< m and rad, of every row
  int max_iterations = 200;
  bool keep_limits = true;
  /// One entry per velocity: not zero where it may move. Empty: all may.
  View<const char> moving{};
};

struct [[nodiscard]] Assembly {
  bool closed = false;
  int iterations = 0;
  double residual = 0;  ///< largest |phi|, m and rad
  int worst_row = -1;
  int rank = 0;  ///< of A at the end, over the moving velocities

  explicit operator bool() const { return closed; }
};

struct AssemblyWorkspace {
  ConstraintWorkspace<double> rows;
  OrthogonalDecomposition decomposition;
  Array<double> phi, next_phi, A, augmented, right, step, q, bias;
  Array<char> held;

  AssemblyWorkspace(const Model<double>& model, const ConstraintSet& set);
};

/// Moves q until every |phi| is within the tolerance, or says by how much it is not.
Assembly assemble(const Model<double>& model, const ConstraintSet& set, AssemblyWorkspace& ws,
                  View<double> q, const AssemblyOptions& options = {});

/// The nearest velocity, over the moving ones, with A qd = 0; returns the largest |A qd| left.
double project_velocity(const Model<double>& model, const ConstraintSet& set, AssemblyWorkspace& ws,
                        View<const double> q, View<double> qd, View<const char> moving = {});
/// The nearest acceleration with A qdd + A' qd = 0; returns the largest |A qdd + A' qd| left.
double project_acceleration(const Model<double>& model, const ConstraintSet& set,
                            AssemblyWorkspace& ws, View<const double> q, View<const double> qd,
                            View<double> qdd, View<const char> moving = {});

/// How far a motion is from what the constraints allow: largest entries and their rows.
struct ConstraintErrors {
  double position = 0, velocity = 0, acceleration = 0;
  int position_row = -1, velocity_row = -1, acceleration_row = -1;
};
/// Empty qd or qdd are not looked at.
ConstraintErrors constraint_errors(const Model<double>& model, const ConstraintSet& set,
                                   AssemblyWorkspace& ws, View<const double> q,
                                   View<const double> qd = {}, View<const double> qdd = {});

/// Different closed configurations with the coordinates that do not move where `q` has them, found
/// from `samples` random starts. Configurations count as different when some coordinate is by more
/// than 1e-6 (angles modulo turns). Allocates.
Array<Array<double>> assembly_modes(const Model<double>& model, const ConstraintSet& set,
                                    View<const double> q, const AssemblyOptions& options,
                                    int samples, std::uint64_t seed = 1);

/// One line of text: which row of which loop is open and by how much.
std::string message(const ConstraintSet& set, const Assembly& assembly);

}  // namespace torsor
