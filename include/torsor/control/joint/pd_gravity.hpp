#pragma once
/// PD control with the weight compensated where the robot is.
///
///   tau = G(q) + Kp e + Kd edot + Ki x,   x' = e                     Ki may be left out
///   H e'' + (C + Kd) e' + Kp e + Ki x = 0                            q_d constant Huo 2005, (3-6)
///   V = 1/2 edot^T H edot + 1/2 e^T Kp e,   V' = -edot^T Kd edot - edot^T Ki x
///   friction that dissipates adds to it, and with Ki another weight edot^T (G - Ghat)
///
/// Assumes  q_d constant; Kp and Kd symmetric positive definite; G the plant's. With Ki any G, but
///          at q_d  l_m(Kp + d(G - Ghat)/dq) l_m(Kd) > l_M(H) l_M(Ki)   (independent_pid.hpp).
/// Claim    Without Ki e -> 0 from everywhere (LaSalle). With Ki from near enough: a local theorem.
///          It does not track. A wrong weight Ghat leaves e = Kp^-1 (G - Ghat)(q), or nothing with
///          Ki.
/// Model    G alone, on line. Springs and friction of joints are not compensated.
/// State    x, the integral of e (rad s), where there is a Ki.
/// Cost     One gravity_torque.
/// Source   Huo 2005, sec. 3.3, exercise 3-2.
#include "torsor/control/joint/pdi_gains.hpp"
#include "torsor/control/kinetic_form.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor {

class PdGravity final : public SetPointLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size or that are not finite.
  PdGravity(const Model<double>& model, PdiGains gains);

  void torque(const ControlInput& input, Out<double> tau) override;
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

 private:
  RneaWorkspace<double> rnea_, weight_;
  MomentumWorkspace<double> momentum_;
  Array<double> G_, believed_;
};

}  // namespace torsor
