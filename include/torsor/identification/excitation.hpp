#pragma once
/// Excitation: motions from which the parameters of a robot can be told apart, within its limits.
///
///   tau = W(q, qd, qdd) x        x: base parameters, rotors, viscous and Coulomb friction, offsets
///   G = sum_k W_k^T diag(1 / sigma^2) W_k          over the samples of all trajectories together
///   C_ij = G_ij / sqrt(G_ii G_jj)
///   condition    least sqrt(lambda_max(C) / lambda_min(C)): the condition number of W with columns of
///                length one, whatever the units of the parameters
///   d_optimal    largest log det G: the smallest ellipsoid of confidence
///
/// Motions  Fourier series (period T, harmonics 1 ... H; the log is periodic and differentiates exactly)
///          or quintic splines through evenly spaced points. They begin and end at rest in one posture.
///          Both are linear in their coefficients z, q = c + B(t) z.
/// Method   Barriers -mu log(1 - u^2) keep every iterate within all limits at the samples; L-BFGS on
///            1/(2 s) [log tr C^s + log tr C^-s] - information / p log det G,   s = 4, 8, 16, 32
///          (the first term is log condition for large s; d_optimal: the second alone, weight 1)
///          for falling mu, from several random motions of which the better half goes on. Gradients are
///          exact: d/dz of <A, W>, A = 2 W dF/dG, by dual numbers in the lanes of registers; of torques
///          by the derivatives of the dynamics.
/// Limits   Position, velocity, acceleration and jerk of the result are those that the motion attains
///          anywhere (roots of derivatives). Torques and frames are sampled `verified` times.
/// Motors   that several joints turn (Model::motors) have columns of their own.
/// Loops    Series move the joints that drive (by the description's actuators; `coordinates`), all others follow
///          through the loops, in the assembly mode of the neutral configuration. Rows are G^T W, torques those
///          of the motors. The slopes of G are differences, of what follows the limits are sampled.
/// Same     For one seed the result is the same whatever the number of threads and processes, unless stopped.
/// Source   Swevers, Ganseman, Tukel, De Schutter & Van Brussel 1997; Gautier & Khalil 1992 (condition).
#include <functional>
#include <string>
#include <vector>

#include "torsor/linear/matrix.hpp"
#include "torsor/math/internal/pieces.hpp"
#include "torsor/math/vec3.hpp"
#include "torsor/model/model.hpp"
#include "torsor/trajectory/fourier.hpp"
#include "torsor/trajectory/piecewise.hpp"

namespace torsor {

enum class ExcitationCriterion : unsigned char { condition, d_optimal };
enum class ExcitationMotion : unsigned char { fourier, spline };

/// Where the origin of a frame may be, in the world (m); infinite: anywhere.
struct WorkspaceBox {
  std::string frame;
  Vec3<double> lower{-infinity, -infinity, -infinity}, upper{infinity, infinity, infinity};
};

struct ExcitationOptions {
  ExcitationCriterion criterion = ExcitationCriterion::condition;
  ExcitationMotion motion = ExcitationMotion::fourier;
  double period = 10;  ///< s, of each trajectory
  int harmonics = 5;   ///< of Fourier series, 2 at least
  int points = 12;     ///< of splines, between start and end, 3 at least
  /// Weight of log det G / p beside log condition: a condition alone does not care how small a motion is.
  double information = 0.2;
  int trajectories = 1;  ///< judged together: what one does not show, another may
  /// One for each coordinate; empty: the robot's. Position and velocity must be bounded, but for joints that
  /// follow others through loops.
  std::vector<Limits> limits{};
  std::vector<WorkspaceBox> boxes{};
  double floor = -infinity;  ///< m: origins of all links that move stay above
  Array<double> start{};     ///< posture at both ends, of what drives; empty: chosen
  /// Standard deviation of each torque's noise, with loops of each driven joint's; empty: one for all.
  Array<double> torque_noise{};
  bool rotors = true, viscous = true, coulomb = true, offset = true;  ///< unknowns beside bodies
  int samples = 0;     ///< of a trajectory while it is optimised; 0: as its frequencies ask for
  int starts = 6;      ///< random motions to begin with
  int iterations = 0;  ///< of each of four stages; 0: 120
  unsigned seed = 1;
  int threads = 0;            ///< 0: all cores
  internal::Hands hands{};    ///< of several processes; empty: threads of this one
  double seconds = infinity;  ///< then the best motion so far is returned
};

/// How much of a limit the motions need.
struct LimitUse {
  std::string of;    ///< joint or frame
  std::string what;  ///< "position", "velocity", "acceleration", "jerk", "torque", "x", "y", "z"
  double attained = 0, limit = 0;
  /// 1: at the limit; positions count from the middle of their range. NaN: a bound on one side only.
  double share = 0;

  bool kept() const;
};

struct ExcitationProgress {
  int stage = 0, stages = 0, starts = 0;  ///< starts that are still in the race
  long long evaluations = 0;
  double condition = infinity;  ///< of the best motion so far, from above; of d_optimal not known
  double seconds = 0;
};

struct Excitation {
  // One of the two, as the options ask.
  std::vector<FourierSeries<double>> series{};
  std::vector<PiecewisePolynomial<double>> splines{};
  Array<int> coordinates{};             ///< of the robot that they move; others follow
  std::vector<std::string> unknowns{};  ///< columns of W
  /// Left out: no motion tells them from the others (the offset of a vertical slide from its weight).
  std::vector<std::string> dependent{};
  double condition = infinity, log_det = -infinity;
  double start_condition = infinity, start_log_det = -infinity;  ///< of the first random motion
  std::vector<LimitUse> use{};
  int samples = 0, verified = 0;  ///< of a trajectory: optimised on, and checked on
  unsigned seed = 0;
  long long evaluations = 0;
  bool stopped = false;  ///< by the caller or by the time, before the last stage was done

  int size() const { return static_cast<int>(series.size() + splines.size()); }
  double duration() const;
  /// Of one trajectory, at t: of `coordinates`.
  void sample(int trajectory, double t, Out<double> q, Out<double> qd = {},
              Out<double> qdd = {}) const;
  /// Every limit, where they were checked.
  bool keeps_limits() const;
};

/// Coordinates that a motion moves: of a tree all, of a robot with loops those that drive it.
Array<int> excited_coordinates(const Model<double>& model);

/// Of all coordinates of a robot, times by row.
struct SampledMotion {
  Matrix q{}, qd{}, qdd{};
};
/// Throws Error where loops do not close.
SampledMotion sampled_motion(const Model<double>& model, const Excitation& found, int trajectory,
                             In<double> times);

/// `go_on` is called now and then, by one thread at a time; false stops, and the best motion so far is
/// returned. Throws Error for options that no motion can meet: limits without bounds, a box that no
/// posture reaches, a start outside of its limits, joints whose velocities are not rates.
Excitation design_excitation(const Model<double>& model, const ExcitationOptions& options = {},
                             const std::function<bool(const ExcitationProgress&)>& go_on = {});

}  // namespace torsor
