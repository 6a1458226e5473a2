#pragma once
/// Tracking by passivity (Slotine and Li, known parameters): the robot's own structure is kept,
/// only its error is damped.
///
///   qd_r = qd_d + Lambda e,   qdd_r = qdd_d + Lambda edot,   r = qd_r - qd = edot + Lambda e
///   tau = H(q) qdd_r + C(q, qd) qd_r + G(q) + Kd r  Huo 2005, (3-67)
///   H r' + C r + Kd r = 0  Huo 2005, (3-69)
///   V = 1/2 r^T H r,   V' = -r^T Kd r                because H' - 2 C is skew  Huo 2005, (3-70)
///
/// Assumes  The exact model; Lambda symmetric, Lambda and Kd positive definite; bounded qd_d,
///          qdd_d; velocities that are rates of coordinates.
/// Claim    e, edot -> 0 from everywhere; int |r|^2 <= V(0) / l_m(Kd) and
///          V(t) <= V(0) exp(-2 l_m(Kd) / l_M(H) t), with l_M(H) over sampled configurations.
/// Error    With a wrong model at rest Kd Lambda e = G(q) - G_believed(q).
/// Joints   Rotors, friction and springs of the believed joints are part of H, C qd and G. The rate
///          of V is exact where velocities are the coordinates' rates.
/// Cost     O(n): one sweep of two_velocity_inverse_dynamics (Huo 2005, exercise 3-12), no matrix.
/// Source   Huo 2005, sec. 3.8, (3-67) to (3-71); Slotine & Li 1987.
#include "torsor/control/control_law.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/control/kinetic_form.hpp"
#include "torsor/control/uncertain/sliding_variable.hpp"
#include "torsor/dynamics/two_velocity.hpp"

namespace torsor {

struct PassivityGains {
  Gain Lambda;  ///< 1/s
  Gain Kd;      ///< N m s
};

class PassivityTracking final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size or that are not finite.
  PassivityTracking(const Model<double>& model, PassivityGains gains);

  void torque(const ControlInput& input, Out<double> tau) override;
  Hypotheses hypotheses() const override {
    return {.link_springs = false, .coordinate_rates = true};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  bool filtered_error(const ControlInput& input, Out<double> r) override;

 private:
  PassivityGains gains_;
  TwoVelocityWorkspace<double> two_;
  MomentumWorkspace<double> momentum_;
  SlidingVariable slide_;
};

}  // namespace torsor
