#pragma once
/// Computed torque with gains from an optimum: the Hamilton-Jacobi equation of the error system.
///
///   x = (e, edot),  J = 1/2 x(tf)^T P x(tf) + 1/2 int (x^T Q x + edd^T R0 edd) dt
///                                                                                 Huo 2005, (3-49)
///   K' = -K F - F^T K - Q + K T K,   F = [0 1; 0 0],   T = diag(0, R0^-1)  Huo 2005, (3-52)
///   K(tf) = P  Huo 2005, (3-53)
///   tau = H (qdd_d + R0^-1 K3 edot + R0^-1 K2^T e) + C qd + G,  K = [K1 K2; K2^T K3]
///                                                                                 Huo 2005, (3-54)
///   V = 1/2 x^T K x, what the rest of the run costs;   V' = -1/2 (x^T Q x + edd^T R0 edd)
///
/// Huo 2005 prints K2 for K2^T; they differ where R0 or Q couples the joints.
///
/// Assumes  The exact model; velocities that are rates of coordinates; Q symmetric >= 0, R0 > 0,
///          P symmetric and >= 0. A finite horizon: the run ends by tf.
/// Claim    The run costs V(0), any other gains cost more. Infinite horizon: e -> 0 as fast as the
///          poles of these gains say, if Q11 > 0. A finite horizon says nothing about stability.
/// Horizon  tf from the start of time; later, where nothing is claimed, the gains of tf stay and V
///          is 1/2 x^T P x.
/// Error    With a wrong model at rest H_believed Kp e = G(q) - G_believed(q).
/// Joints   Rotors, friction and springs of the believed joints are compensated. The rate of V is
///          exact where velocities are the coordinates' rates.
/// Cost     O(n) for the torque and n^2 for the gains; the Riccati equation is solved in the
///          constructor.
/// Source   Huo 2005, sec. 3.6, (3-41) to (3-55).
#include "torsor/control/control_law.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/linear/riccati.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct OptimalWeights {
  Gain Q;   ///< of (e, edot): 2n
  Gain R0;  ///< of the acceleration error: n
};

class OptimalComputedTorque final : public ControlLaw {
 public:
  /// Infinite horizon. `model` outlives the law. Throws Error for weights of another size, that are
  /// not finite, or an R0 that is not symmetric positive definite.
  OptimalComputedTorque(const Model<double>& model, OptimalWeights weights);
  /// The run ends at tf (s) with the weight P of what is left then. Throws Error for a P of another
  /// size or that is not symmetric, and where the Riccati equation escapes before 0 (with P >= 0,
  /// Q >= 0 it never does).
  OptimalComputedTorque(const Model<double>& model, OptimalWeights weights, const Gain& P,
                        double tf);

  void torque(const ControlInput& input, Out<double> tau) override;
  Hypotheses hypotheses() const override { return {.coordinate_rates = true}; }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

  /// K at a time: (2n)^2 numbers by rows.
  In<double> cost_matrix(double t);
  /// R0^-1 K2^T and R0^-1 K3 at a time.
  Gain position_gain(double t);
  Gain velocity_gain(double t);

 private:
  /// Checks, up to the solution.
  OptimalComputedTorque(OptimalWeights weights, const Model<double>& model);
  /// x and edd = -(R0^-1 K2^T e + R0^-1 K3 edot).
  void error_motion(const ControlInput& input);

  OptimalWeights weights_;
  Gain P_{};
  RiccatiProblem problem_;
  std::vector<RiccatiHistory> history_;  // one where the horizon is finite
  RiccatiSolution solution_;             // where it is not
  RneaWorkspace<double> rnea_;
  Array<double> R0_inverse_, K_, x_, edd_, costate_, qdd_;
};

}  // namespace torsor
