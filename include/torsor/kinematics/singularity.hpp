#pragma once
/// Where a frame loses a direction of motion, how near that is, and how well it moves elsewhere.
///
///   J = U diag(sigma) V^T                      singular: the last sigma vanishes
///   manipulability = product of the sigma      = sqrt(det J J^T), |det J| for six joints, and
///                                                sqrt(det J^T J) for fewer
///   { v : v = J_v qd, |qd| = 1 }               an ellipsoid: axes and radii from the SVD of J_v
///
/// A wrist of three revolute axes that always meet in a point p_c splits the determinant. With p_c
/// as the reference point, and linear rows first as in Huo 2005,
///
///   J = [ J11        0        ]     |J| = |J11| |z4 z5 z6|      arm and wrist singularities
///       [ J21  [z4 z5 z6]     ]
///
/// whatever the tool: moving the reference point does not change |J|.
///
/// Frames   World axes, the origin of the frame. Rows angular first, but the determinants of
///          SingularityReport in the order of Huo 2005 (linear first), which has the other sign.
/// Units    Rows of rad/s and m/s stand together in sigma, rank, condition and manipulability: these
///          depend on the unit of length, here 1 m (Doty, Melchiorri & Bonivento 1993). Whether J is
///          singular does not.
/// Cost     manipulability allocates nothing; singularities and nearest_singularity report
///          text and vectors, and search: they are for people and planners, not for control loops.
/// Source   Huo 2005, sec. 1.4, (1-65), example 1-5; Yoshikawa 1985; Doty, Melchiorri & Bonivento
///          1993 (units).
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include "torsor/math/fixed_array.hpp"

#include "torsor/kinematics/jacobian.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

namespace internal {
/// Throws Error, naming the verb, unless q has n_q finite numbers.
void require_configuration(const Model<double>& model, In<double> q, const char* verb);
}  // namespace internal

struct SingularityWorkspace {
  KinematicsWorkspace<double> kinematics;
  VelocityWorkspace<double> velocity;
  Array<double> J;  // 6 x n_v, column major
  Svd svd;

  explicit SingularityWorkspace(const Model<double>& model);
};

/// Half axes of the velocities that joint velocities of unit length reach: columns of `axes`,
/// longest first.
struct Ellipsoid {
  Mat3<double> axes{};
  Vec3<double> radii{};
};

struct [[nodiscard]] Manipulability {
  /// Of J, descending. As many count as degrees of freedom carry the frame, six at most.
  FixedArray<double, 6> sigma{};
  double measure = 0;             ///< their product
  double inverse_condition = 0;   ///< smallest by largest
  int rank = 0;                   ///< sigma above 1e-10 of the largest
  double determinant = 0;         ///< of six degrees of freedom, rows as they are in J; else 0
  Ellipsoid angular{}, linear{};  ///< rad/s and m/s, in the axes of the world
};
Manipulability manipulability(const Model<double>& model, SingularityWorkspace& ws, In<double> q,
                              const Frame& frame);
/// The same of a Jacobian of the frame that is there already (6 x n_v): of any reference, with its rows
/// in any order. The ellipsoids are of its first and of its last three rows.
Manipulability manipulability(const Model<double>& model, SingularityWorkspace& ws,
                              InMatrix<double> J, const Frame& frame);

/// The values of one coordinate at which a factor of the determinant vanishes, the others as they
/// are.
struct SingularCoordinate {
  int coordinate = 0;
  Array<double> values;  ///< angles in (-pi, pi]; lengths in m
  bool always = false;   ///< zero for every value, beside unit vectors and the lengths of the arm
};

struct [[nodiscard]] SingularityReport {
  int rank = 0;
  int generic_rank = 0;  ///< at almost every configuration; singular means rank below this
  double smallest = 0, largest = 0;  ///< sigma; the smallest is the generic_rank-th
  bool six_joints = false;           ///< J is square, and the determinant counts
  double determinant = 0;            ///< of six joints, linear rows first; else 0
  bool decoupled = false;            ///< arm and wrist: the fields below count
  double arm = 0, wrist = 0;         ///< |J11| and |z4 z5 z6|; rounding beside the arm's size is 0
  bool arm_singular = false, wrist_singular = false;
  Vec3<double> wrist_centre{};  ///< in the world
  Array<SingularCoordinate> arm_where, wrist_where;
  Twist<double> blocked{};    ///< unit motion (world aligned) that is hardest, or impossible
  Array<double> self_motion;  ///< unit joint velocity that goes with it: none felt if singular

  bool singular() const { return rank < generic_rank; }
};
/// `tolerance` is the ratio of singular values below which a direction counts as lost.
SingularityReport singularities(const Model<double>& model, SingularityWorkspace& ws, In<double> q,
                                const Frame& frame, double tolerance = 1e-10);

/// How the conditions are written.
struct SingularityText {
  bool degrees = false;        ///< angles, instead of rad
  bool angular_first = false;  ///< the order of the rows in |J|, instead of Huo 2005's
};
/// The conditions, line by line: "wrist singular where joint_5 = 0 or 3.14159 rad".
std::string describe(const Model<double>& model, const SingularityReport& report,
                     const SingularityText& text = {});

struct NearestSingularityOptions {
  int starts = 12;           ///< from q itself, then from around it
  double radius = 1.5;       ///< of those, in the tangent at q
  int max_iterations = 200;  ///< of each
  double tolerance = 1e-9;   ///< of sigma, relative to the largest
  std::uint64_t seed = 1;
};
struct [[nodiscard]] NearestSingularity {
  bool converged = false;
  Array<double> q;
  double distance = 0;  ///< |difference(q_given, q)|, rad and m alike
  double sigma = 0;     ///< at q
  int iterations = 0;   ///< of all starts
};
/// A singular configuration whose distance from q is least among those found: local searches, so a
/// nearer one may exist. Limits are not regarded.
///   q <- q + step,  step = d - g (g . d + sigma) / |g|^2     d = q_given (-) q,  g = d sigma / dq
/// `progress` is called before every start with the share that is done; false stops, and the nearest
/// found by then is returned.
NearestSingularity nearest_singularity(const Model<double>& model, SingularityWorkspace& ws,
                                       In<double> q, const Frame& frame,
                                       const NearestSingularityOptions& options = {},
                                       const std::function<bool(double share)>& progress = {});

}  // namespace torsor
