#pragma once
/// Robust computed torque: an acceleration of bounded size, turned against the error, outweighs
/// what the model is wrong by.
///
///   tau = Hhat v + Chat qd + Ghat,  v = qdd_d + Kp e + Kd edot + Delta_v
///                                                                       Huo 2005, (3-108), (3-110)
///   Delta_v = rho w / max(|w|, epsilon),   w = P_2^T e + P_3 edot  Huo 2005, (3-121)
///   rho = (alpha (qdd_max + |K| |x|) + alpha_2 Phi) / (1 - alpha),   Phi = |Ybar(q, qd, qd, 0) a|
///   A^T P + P A = -Q,  A = [0 1; -Kp -Kd],  x = (e, edot),  K = [Kp Kd]
///                                                                     Huo 2005, (3-118) to (3-120)
///
/// The input matrix of this section is [0; -I], so Delta_v has the sign of w; the minus printed in
/// Huo 2005, example 3-6 makes the loop unstable.
///
/// Assumes  ||H^-1 Hhat - I|| <= alpha < 1, ||H^-1|| <= alpha_2, parameters within the half widths
///          a, bounds of reference and start as stated; velocities that are rates of coordinates.
///          alpha and alpha_2 are searched over configurations and corners of the half widths:
///          sampled, not proven.
/// Claim    For every such robot V = x^T P x has
///          V' <= -x^T Q x + 2 rho |w| (1 - |w| / max(|w|, epsilon)) <= -x^T Q x + epsilon rho / 2:
///          the error ends in a ball (ultimate_bound.hpp) that shrinks with epsilon.
/// Design   With Q = q I the surface w = 0 has slopes of kd / kp only; Q = diag(q_p I, q_v I) with
///          q_p >> q_v answers faster.
/// Units    Kp 1/s^2, Kd 1/s, epsilon that of w.
/// Cost     One inverse_dynamics and one Ybar.
/// Source   Huo 2005, sec. 3.11; Spong & Vidyasagar 1989.
#include "torsor/control/control_law.hpp"
#include "torsor/control/uncertain/inertia_mismatch.hpp"
#include "torsor/control/uncertain/regressor_bound.hpp"
#include "torsor/control/uncertain/ultimate_bound.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct RobustGains {
  Gain Kp, Kd;
  Gain Q;  ///< 2n x 2n
  double epsilon = 0;
};

/// What the proof has to know of robot and reference. Zero: found, or done without.
struct RobustBounds {
  double alpha = 0, alpha_2 = 0;  ///< 0: from the half widths (inertia_mismatch.hpp)
  double K_norm = 0;              ///< 0: the largest singular value of K
  double qdd_max = 0;             ///< rad/s^2, of the reference; 0: |qdd_d| at each instant
  double qd_max = 0;              ///< rad/s, of the reference
  double start = 0;               ///< |x(0)| is at most this; 0: no ultimate bound is predicted
  double constant_inertia = 0;    ///< > 0: Hhat is this times the unit matrix (lemma 3-3)
};

class RobustComputedTorque final : public ControlLaw {
 public:
  /// `model` is what is believed and outlives the law. Throws Error for sizes that do not fit,
  /// numbers that are not finite, an epsilon that is not positive, an alpha of 1 or more and gains
  /// without a P.
  RobustComputedTorque(const Model<double>& model, RobustGains gains, RobustBounds bounds,
                       RegressorBound regressor, Array<double> half_width, Effects effects = {});

  void torque(const ControlInput& input, Out<double> tau) override;
  Hypotheses hypotheses() const override {
    return {.knowledge = Hypotheses::Knowledge::stated,
            .friction = regressor_.says_friction() ? Hypotheses::Friction::stated
                                                   : Hypotheses::Friction::compensated,
            .coordinate_rates = true};
  }
  /// Of a run that has passed: whether rho covered what the plant did at its states.
  std::vector<Condition> conditions(const Run& run) override;
  bool conditions_of_states() const override { return true; }
  /// Where `start` is stated: |e| of each joint over the last quarter of the run, which is the
  /// ultimate bound once V(0) has decayed.
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

  const RobustBounds& bounds() const { return bounds_; }
  /// (2n)^2 numbers by rows.
  const Array<double>& P() const { return P_; }
  /// The size of Delta_v and of the disturbance, rad/s^2, at a state.
  double rho(const ControlInput& input);
  /// For starts within |x| <= start: rho over V <= l_M(P) start^2, or over the ellipsoid around the
  /// ball where that is larger; configurations sampled, once.
  const UltimateBound& ultimate_bound();

 private:
  /// e, edot, w, rho.
  void look(const ControlInput& input);
  /// Over the half widths, once; null with the caller's bound, which does not tell H.
  const InertiaMismatch* mismatch(bool within_limits);
  double rho_at(double x_size, double qdd_size, double phi) const;
  double largest_phi(double speed);
  /// l_M(P) start^2: V of every start within the stated bound is at most this.
  double k_0() const;
  void add_stated_bounds(const Run& run, std::vector<Condition>& all);
  Condition rho_at_states(const Run& run);

  RobustGains gains_;
  RobustBounds bounds_;
  RegressorBound regressor_;
  Array<double> half_width_;
  Effects effects_;
  DynamicsWorkspace<double> ws_;
  std::optional<InertiaMismatch> mismatch_, limited_mismatch_;
  std::optional<UltimateBound> ultimate_;
  double covered_ = 0;  // V up to which its rho_bar is a bound
  double K_size_ = 0;   // of K itself
  Array<double> P_, e_, edot_, x_, w_, v_, k_, zero_;
  double rho_ = 0, w_size_ = 0;
};

}  // namespace torsor
