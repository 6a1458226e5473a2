#include "torsor/control/joint/pd_gravity.hpp"

#include "gain_rows.hpp"
#include "joint/set_point_proof.hpp"
#include "law_entries.hpp"
#include "run_start.hpp"

namespace torsor {

PdGravity::PdGravity(const Model<double>& model, PdiGains gains)
    : SetPointLaw("pd_gravity", model, std::move(gains)),
      rnea_(model),
      weight_(model),
      momentum_(model),
      G_(model.n_v()),
      believed_(model.n_v()) {}

void PdGravity::torque(const ControlInput& input, Out<double> tau) {
  tracking_error(*model_, input, e_, edot_);
  gravity_torque(*model_, rnea_, input.state.q, tau);
  gains_.add(e_, edot_, input.x_c, tau);
}

std::vector<Condition> PdGravity::conditions(const Run& run) {
  std::vector<Condition> all = gains_.conditions();
  if (gains_.has_integral())
    all.push_back(internal::integral_condition(run, gains_.Kp, gains_.Kd, gains_.Ki, model_));
  else  // with an integral V(0) bounds nothing: the theorem is local
    internal::append(all,
                     internal::half_turns_of_joints(*run.plant, gains_.Kp.smallest_eigenvalue(),
                                                    internal::lyapunov_at_start(*this, run)));
  return all;
}

std::vector<Prediction> PdGravity::predictions(const Run& run) {
  return gains_.reach(gains_.Kp.smallest_eigenvalue(), internal::lyapunov_at_start(*this, run));
}

LyapunovValue PdGravity::lyapunov(const ControlInput& input, const Model<double>& plant) {
  tracking_error(*model_, input, e_, edot_);
  double rate = -gains_.Kd.quadratic(edot_) - gains_.integral_form(edot_, input.x_c);
  if (gains_.has_integral()) {  // its proof lets the weight be another one
    gravity_torque(plant, weight_, input.state.q, G_);
    gravity_torque(*model_, rnea_, input.state.q, believed_);
    for (int k = 0; k < G_.size(); ++k) rate += edot_[k] * (G_[k] - believed_[k]);
  }
  return {kinetic_form(plant, momentum_, input.state.q, edot_) + 0.5 * gains_.Kp.quadratic(e_),
          rate, internal::has_friction(plant)};
}

using namespace internal;

LawEntry internal::pd_gravity() {
  return {"pd_gravity",
          "joint/pd_gravity.hpp",
          "set points from everywhere; with Ki from near enough",
          pdi_gain_list("N m / rad", "N m s / rad"),
          "q of the joints, constant",
          "Huo 2005, sec. 3.3, exercise 3-2",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            return std::make_unique<PdGravity>(model, pdi_gains(p, model.n_v()));
          }};
}

}  // namespace torsor
