#include "torsor/control/joint/independent_pd.hpp"

#include "gain_rows.hpp"
#include "joint/set_point_proof.hpp"
#include "law_entries.hpp"
#include "run_start.hpp"
#include "torsor/control/run.hpp"

namespace torsor {

IndependentPd::IndependentPd(const Model<double>& model, PdGains gains)
    : ControlLaw("independent_pd", model),
      gains_(std::move(gains)),
      momentum_(model),
      e_(model.n_v()),
      edot_(e_.size()) {
  gains_.Kp.check(name(), "Kp", model.n_v());
  gains_.Kd.check(name(), "Kd", model.n_v());
}

PdGains IndependentPd::tuned(In<double> h, In<double> w, In<double> z) {
  Array<double> kp, kd;
  for (int k = 0; k < h.size; ++k) {
    kp.push_back(w[k] * w[k] * h[k]);
    kd.push_back(2 * z[k] * w[k] * h[k]);
  }
  return {Gain(std::move(kp)), Gain(std::move(kd))};
}

void IndependentPd::torque(const ControlInput& input, Out<double> tau) {
  tracking_error(*model_, input, e_, edot_);
  for (double& x : tau) x = 0;
  gains_.Kp.add_product(e_, tau);
  gains_.Kd.add_product(edot_, tau);
}

std::vector<Condition> IndependentPd::conditions(const Run& run) {
  const Vec3<double>& g = run.plant->gravity();
  std::vector<Condition> all{internal::symmetric("Kp", gains_.Kp),
                             internal::positive_definite("Kp", gains_.Kp),
                             internal::positive_definite("Kd", gains_.Kd),
                             condition("no gravity", "gravity of the plant in m/s^2", norm(g),
                                       Relation::equal, 0, "with gravity e = Kp^-1 G(q) remains")};
  internal::append(all, internal::half_turns_of_joints(*run.plant, gains_.Kp.smallest_eigenvalue(),
                                                       internal::lyapunov_at_start(*this, run)));
  return all;
}

std::vector<Prediction> IndependentPd::predictions(const Run&) {
  const double mu = gains_.Kp.smallest_eigenvalue();
  if (norm(model_->gravity()) > 0 || !(mu > 0)) return {};
  return {{"errors stay within sqrt(2 V(0) / l_m(Kp))", PredictedQuantity::reach, -1, 0, {mu}}};
}

LyapunovValue IndependentPd::lyapunov(const ControlInput& input, const Model<double>& plant) {
  tracking_error(*model_, input, e_, edot_);
  return {kinetic_form(plant, momentum_, input.state.q, edot_) + 0.5 * gains_.Kp.quadratic(e_),
          -gains_.Kd.quadratic(edot_), internal::has_friction(plant)};
}

LawEntry internal::independent_pd() {
  return {
      "independent_pd",
      "joint/independent_pd.hpp",
      "set points without gravity; with it e = Kp^-1 G(q) remains",
      {required_gain("Kp", GainKind::gain, "100", "N m / rad", "stiffness"),
       required_gain("Kd", GainKind::gain, "20", "N m s / rad", "damping")},
      "q of the joints, constant",
      "Huo 2005, sec. 3.2, (3-1) to (3-9)",
      [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
        const int n = model.n_v();
        return std::make_unique<IndependentPd>(model, PdGains{p.gain("Kp", n), p.gain("Kd", n)});
      }};
}

}  // namespace torsor
