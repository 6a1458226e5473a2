#pragma once
/// Independent (decentralised) PD control of the joints: no model on line.
///
///   tau = Kd edot + Kp e  Huo 2005, (3-3)
///   V = 1/2 edot^T H edot + 1/2 e^T Kp e,   V' = -edot^T Kd edot      no gravity, q_d constant
///   Kp e = G(q)  at rest under gravity Huo 2005, (3-9)
///   kp_i = w_i^2 h_i,  kd_i = 2 z_i w_i h_i  tuning, h_i about H_ii Huo 2005, (3-5)
///
/// Assumes  q_d constant; Kp, Kd symmetric positive definite; a plant without gravity.
/// Claim    e -> 0 from everywhere (LaSalle). Under gravity e shrinks as Kp grows; the proof says
///          nothing about stability.
/// Joints   The rate of V is exact where velocities are the coordinates' rates.
/// Cost     n multiplications per diagonal gain.
/// Source   Huo 2005, sec. 3.2, (3-1) to (3-9).
#include "torsor/control/control_law.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/control/kinetic_form.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct PdGains {
  Gain Kp, Kd;
};

class IndependentPd final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size or that are not finite.
  IndependentPd(const Model<double>& model, PdGains gains);

  /// The rule Huo 2005, (3-5): natural frequencies w (rad/s) and damping ratios z for inertias
  /// h (kg m^2).
  static PdGains tuned(In<double> h, In<double> w, In<double> z);

  void torque(const ControlInput& input, Out<double> tau) override;
  Hypotheses hypotheses() const override {
    return {.reference = Hypotheses::Reference::constant,
            .knowledge = Hypotheses::Knowledge::nothing,
            .friction = Hypotheses::Friction::dissipative,
            .springs = false,
            .rotation_gains = {{"Kp", gains_.Kp}}};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

 private:
  PdGains gains_;
  MomentumWorkspace<double> momentum_;
  Array<double> e_, edot_;
};

}  // namespace torsor
