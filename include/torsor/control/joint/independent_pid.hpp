#pragma once
/// Independent PID control of the joints: the integral carries the weight.
///
///   tau = Kp e + Kd edot + Ki x,     x' = e
///   per joint  h e''' + kd e'' + kp e' + ki e = 0 is stable for kp kd > h ki           (Routh)
///
/// Claim    Regulates: at rest Ki x = G(q_d) and e = 0, locally, for integral gains that are small
///          enough. It does not track: with a moving q_d errors remain.
/// Condition  l_m(Kp) l_m(Kd) > l_M(H) l_M(Ki), the inequality of Routh with the worst of
///            everything.
/// State    x, the integral of e (rad s).
/// Cost     n multiplications per diagonal gain.
/// Source   Huo 2005, exercise 3-1.
#include "torsor/control/control_law.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct PidGains {
  Gain Kp, Ki, Kd;
};

class IndependentPid final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size or that are not finite.
  IndependentPid(const Model<double>& model, PidGains gains);

  int n_states() const override { return model_->n_v(); }
  std::string state_name(int k) const override { return "integral." + model_->dof_name(k); }
  void torque(const ControlInput& input, Out<double> tau) override;
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override;
  std::vector<Condition> conditions(const Run& run) override;

 private:
  PidGains gains_;
  Array<double> e_, edot_;
};

}  // namespace torsor
