#include "torsor/control/joint/pd_fixed_gravity.hpp"

#include <cmath>
#include <cstdio>

#include "configuration_search.hpp"
#include "law_entries.hpp"
#include "torsor/dynamics/derivatives/rnea_derivatives.hpp"

namespace torsor {

GravityStiffness gravity_stiffness(const Model<double>& model, const Gain& K, int samples) {
  const int n = model.n_v();
  InverseDynamicsDerivativesWorkspace<double> ws(model);
  Array<double> slope(n * n);
  const auto stiffness = [&](const Array<double>& q) {
    gravity_torque_derivatives(model, ws, q, column_major(slope.data(), n, n));
    for (int r = 0; r < K.size(); ++r)
      for (int c = 0; c < K.size(); ++c) slope[r * n + c] += K(r, c);
    return Gain::full(n, slope);
  };
  using control_detail::largest_over_configurations;
  return {-largest_over_configurations(
              model, samples,
              [&](const Array<double>& q) { return -stiffness(q).smallest_eigenvalue(); }),
          largest_over_configurations(
              model, samples,
              [&](const Array<double>& q) { return stiffness(q).largest_eigenvalue(); }),
          samples};
}

PdFixedGravity::PdFixedGravity(const Model<double>& model, PdiGains gains)
    : PdiLaw("pd_fixed_gravity", model, std::move(gains)),
      rnea_(model),
      momentum_(model),
      G_(e_.size()) {}

void PdFixedGravity::torque(const ControlInput& input, Out<double> tau) {
  tracking_error(*model_, input, e_, edot_);
  gravity_torque(*model_, rnea_, input.reference.q, tau);
  gains_.add(e_, edot_, input.x_c, tau);
}

std::vector<Condition> PdFixedGravity::conditions(const Run&) {
  std::vector<Condition> all = gains_.conditions();
  const GravityStiffness bare = gravity_stiffness(*model_);
  char note[120];
  std::snprintf(note, sizeof note, "dG/dq alone within [%.6g, %.6g]; %d configurations searched",
                bare.smallest, bare.largest, bare.samples);
  all.push_back(condition("dG/dq + Kp positive definite everywhere (Huo 2005, (3-25))",
                          "smallest eigenvalue of dG/dq + Kp over q",
                          gravity_stiffness(*model_, gains_.Kp).smallest, Relation::greater, 0,
                          note));
  int sliding = 0;
  for (int i = 1; i < model_->n_bodies(); ++i)
    if (model_->body(i).kind == JointKind::prismatic) {
      const Limits& limits = model_->limits(model_->body(i).v.first);
      if (!std::isfinite(limits.lower) || !std::isfinite(limits.upper)) ++sliding;
    }
  all.push_back(
      condition("dG/dq bounded", "sliding joints without limits", sliding, Relation::equal, 0));
  return all;
}

std::vector<Prediction> PdFixedGravity::predictions(const Run&) {
  return gains_.reach(gravity_stiffness(*model_, gains_.Kp).smallest);
}

LyapunovValue PdFixedGravity::lyapunov(const ControlInput& input, const Model<double>& plant) {
  tracking_error(*model_, input, e_, edot_);
  gravity_torque(plant, rnea_, input.reference.q, G_);
  double V = kinetic_form(plant, momentum_, input.state.q, edot_) + 0.5 * gains_.Kp.quadratic(e_) +
             potential_energy(plant, momentum_.kinematics);
  forward_kinematics(plant, momentum_.kinematics, input.reference.q);
  V -= potential_energy(plant, momentum_.kinematics);
  for (int k = 0; k < e_.size(); ++k) V += G_[k] * e_[k];
  return {V, -gains_.Kd.quadratic(edot_) - gains_.integral_form(edot_, input.x_c)};
}

using namespace internal;

LawEntry internal::pd_fixed_gravity() {
  return {"pd_fixed_gravity",
          "joint/pd_fixed_gravity.hpp",
          "the same with G(q_d) alone, if dG/dq + Kp > 0 at all q",
          pdi_gain_list("N m / rad", "N m s / rad"),
          "q of the joints, constant",
          "Huo 2005, sec. 3.3, (3-10) to (3-27); Takegaki & Arimoto 1981",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            return std::make_unique<PdFixedGravity>(model, pdi_gains(p, model.n_v()));
          }};
}

}  // namespace torsor
