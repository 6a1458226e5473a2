#pragma once
/// Independent PID control of the joints: the integral carries the weight.
///
///   tau = Kp e + Kd edot + Ki x,     x' = e
///   H e''' + Kd e'' + (Kp + dG/dq) e' + Ki e = 0                     near a constant q_d
///
/// Assumes  q_d constant; Kp, Kd, Ki symmetric positive definite; and at q_d
///            l_m(Kp + dG/dq) l_m(Kd) > l_M(H) l_M(Ki)                   (Routh)
///          with the plant's own H and dG/dq: the weight of a robot held upright softens Kp.
/// Claim    Regulates: e -> 0 and Ki x -> G(q_d) from near enough. A local theorem: it does not say
///          how near. It does not track: with a moving q_d errors remain.
/// Evaluated  At q_d, and at sampled configurations as far from it as the start.
/// State    x, the integral of e (rad s).
/// Cost     n multiplications per diagonal gain.
/// Source   Huo 2005, exercise 3-1.
#include "torsor/control/joint/pdi_gains.hpp"

namespace torsor {

struct PidGains {
  Gain Kp, Ki, Kd;
};

class IndependentPid final : public SetPointLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size or that are not finite.
  IndependentPid(const Model<double>& model, PidGains gains);

  void torque(const ControlInput& input, Out<double> tau) override;
  std::vector<Condition> conditions(const Run& run) override;
};

}  // namespace torsor
