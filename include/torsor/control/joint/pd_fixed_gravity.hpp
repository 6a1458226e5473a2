#pragma once
/// PD control with the weight compensated where the robot should be: energy shaping.
///
///   tau = G(q_d) + Kp e + Kd edot + Ki x,   x' = e                   Ki may be left out
///   V = 1/2 qd^T H qd + V0(q),   V' = -qd^T Kd qd + qd^T Ki x                       q_d constant
///   V0 = U(q) - U(q_d) + G(q_d)^T e + 1/2 e^T Kp e  Huo 2005, (3-22)
///   dV0/dq = G(q) - G(q_d) - Kp e,   d2V0/dq2 = dG/dq + Kp  Huo 2005, (3-23), (3-24)
///
/// Assumes  q_d constant; Kp and Kd symmetric positive definite; G(q_d) the plant's; and, without
///          Ki, dG/dq + Kp > 0 for all q (Huo 2005, (3-25)): q_d is then the only minimum of V0.
/// Claim    Without Ki e -> 0 from everywhere (LaSalle); a smaller Kp may leave other equilibria.
///          With Ki, whatever G(q_d), from near enough: a local theorem with the condition of
///          independent_pid.hpp. It does not track.
/// Evaluated  l_m(dG/dq + Kp) of the plant over sampled q, angles from a whole turn unless the run
///          has stops (gravity_stiffness below). Along sliding joints dG/dq is not bounded: they
///          are searched within their limits or a metre, and V(0) must keep them there.
/// Model    G(q_d) alone. Springs and friction of joints are not compensated.
/// Cost     One gravity_torque, at q_d.
/// Source   Huo 2005, sec. 3.3, (3-10) to (3-27); Takegaki & Arimoto 1981; exercise 3-4.
#include "torsor/control/joint/pdi_gains.hpp"
#include "torsor/control/kinetic_form.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

/// Over all configurations: the smallest and the largest eigenvalue of dG/dq + K, found by drawing
/// and climbing, with limits or without, as in inertia_bounds.hpp. K may be empty.
struct GravityStiffness {
  double smallest = 0, largest = 0;  ///< N m / rad
  int samples = 0;
};
GravityStiffness gravity_stiffness(const Model<double>& model, const Gain& K = {},
                                   int samples = 512, bool within_limits = false);

class PdFixedGravity final : public SetPointLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size or that are not finite.
  PdFixedGravity(const Model<double>& model, PdiGains gains);

  void torque(const ControlInput& input, Out<double> tau) override;
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

 private:
  /// How far q_d is from the end of the range in which a sliding joint was searched: the least.
  double slide_room(const Run& run) const;

  RneaWorkspace<double> rnea_;
  MomentumWorkspace<double> momentum_;
  Array<double> G_;
};

}  // namespace torsor
