#pragma once
/// Computed torque: inverse dynamics with a linear outer loop.
///
///   tau = ID(q, qd, qdd_d + Kp e + Kd edot + Ki x),   x' = e  Huo 2005, (3-28), (3-29), (3-31)
///   e'' + Kd e' + Kp e + Ki x = 0  Huo 2005, (3-30)
///   V = 1/2 |edot|^2 + 1/2 e^T Kp e,   V' = -edot^T Kd edot                            no Ki
///   V = 1/2 |edot + Kd e|^2 + 1/2 e^T Kp e + x^T Ki e + 1/2 x^T Kd Ki x,
///   V' = -e^T (Kd Kp - Ki) e                                                 diagonal gains
///
/// ID is that of everything the model has: bodies, rotors, friction, springs. `Effects` leaves out
/// friction, springs or disturbances.
///
/// Assumes  The exact model; velocities that are rates of coordinates; Kp symmetric, Kp and Kd
///          positive definite, with an integral diagonal and kd kp > ki.
/// Claim    e decays exponentially, from everywhere and along any q_d; the poles of joint i are the
///          roots of s^2 + kd s + kp, with an integral of s^3 + kd s^2 + kp s + ki. With a wrong
///          model at rest Hhat Kp e = (G - Ghat)(q), or e = 0 with an integral.
/// Units    Kp in 1/s^2, Kd in 1/s, Ki in 1/s^3.
/// State    x, the integral of e (rad s), where there is a Ki.
/// Cost     One inverse_dynamics.
/// Source   Huo 2005, sec. 3.4; exercises 3-5, 3-6, 3-13.
#include "torsor/control/joint/pdi_gains.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

class ComputedTorque final : public PdiLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size or that are not finite, and
  /// for an integral with gains that are not diagonal.
  ComputedTorque(const Model<double>& model, PdiGains gains, Effects effects = {});

  /// What it compensates of what its model has.
  const Effects& effects() const { return effects_; }
  void torque(const ControlInput& input, Out<double> tau) override;
  Hypotheses hypotheses() const override { return {.coordinate_rates = true}; }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

 private:
  Effects effects_;
  DynamicsWorkspace<double> ws_;
  Array<double> qdd_;
};

/// Inverse dynamics of the reference alone, with PD at the joints: the model can run ahead of time.
///
///   tau = ID(q_d, qd_d, qdd_d) + Kp e + Kd edot         Kp in N m / rad, Kd in N m s / rad
///
/// Claim    At rest it is PD with fixed gravity compensation (pd_fixed_gravity.hpp), with that
///          law's assumptions and conditions. Along a moving q_d nothing is proven: errors stay
///          small where Kp and Kd are large.
class Feedforward final : public SetPointLaw {
 public:
  Feedforward(const Model<double>& model, PdiGains gains, Effects effects = {});

  void torque(const ControlInput& input, Out<double> tau) override;
  std::vector<Condition> conditions(const Run& run) override;

 private:
  Effects effects_;
  DynamicsWorkspace<double> ws_;
  Array<double> qd_, qdd_;
};

}  // namespace torsor
