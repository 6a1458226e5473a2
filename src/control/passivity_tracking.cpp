#include "torsor/control/passivity_tracking.hpp"

#include "law_makers.hpp"
#include "torsor/control/inertia_bounds.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

PassivityTracking::PassivityTracking(const Model<double>& model, PassivityGains gains)
    : model_(&model),
      gains_(std::move(gains)),
      two_(model),
      momentum_(model),
      e_(static_cast<std::size_t>(model.n_v())),
      edot_(e_.size()),
      r_(e_.size()),
      qd_r_(e_.size()),
      qdd_r_(e_.size()) {
  gains_.Lambda.check(name, "Lambda", model.n_v());
  gains_.Kd.check(name, "Kd", model.n_v());
}

void PassivityTracking::filtered_error(const ControlState& state, const ControlReference& reference,
                                       View<double> r) {
  tracking_error(*model_, state, reference, e_, edot_);
  for (int k = 0; k < r.size; ++k) r[k] = edot_[static_cast<std::size_t>(k)];
  gains_.Lambda.add_product(e_, r);
}

void PassivityTracking::torque(double, const ControlState& state, View<const double>,
                               const ControlReference& reference, View<double> tau) {
  filtered_error(state, reference, r_);
  for (std::size_t k = 0; k < r_.size(); ++k) {
    const int i = static_cast<int>(k);
    qd_r_[k] = r_[k] + state.qd[i];
    qdd_r_[k] = reference.qdd.empty() ? 0.0 : reference.qdd[i];
  }
  gains_.Lambda.add_product(edot_, qdd_r_);
  two_velocity_inverse_dynamics(*model_, two_, state.q, state.qd, qd_r_, qdd_r_, tau);
  add_joint_torques(*model_, state.q, state.qd, qdd_r_, tau);
  gains_.Kd.add_product(r_, tau);
}

std::vector<Condition> PassivityTracking::conditions() {
  return {condition("Lambda symmetric", "largest asymmetry of Lambda", gains_.Lambda.asymmetry(),
                    Relation::at_most, 0),
          condition("Lambda positive definite", "smallest eigenvalue of Lambda",
                    gains_.Lambda.smallest_eigenvalue(), Relation::greater, 0),
          condition("Kd positive definite", "smallest eigenvalue of Kd",
                    gains_.Kd.smallest_eigenvalue(), Relation::greater, 0)};
}

std::vector<Prediction> PassivityTracking::predictions() {
  const double least = gains_.Kd.smallest_eigenvalue();
  const double rate = 2 * least / inertia_bounds(*model_).largest;
  return {{"V decays at least at 2 l_m(Kd) / l_M(H)", Quantity::decay_rate, -1, rate},
          {"int |s|^2 <= V(0) / l_m(Kd)", Quantity::filtered_square, -1, 0, {least}}};
}

LyapunovValue PassivityTracking::lyapunov(double, const ControlState& state, View<const double>,
                                          const ControlReference& reference,
                                          const Model<double>& plant) {
  filtered_error(state, reference, r_);
  return {kinetic_form(plant, momentum_, state.q, r_), -gains_.Kd.quadratic(r_)};
}

AnyController make_passivity_tracking(const Model<double>& model, LawParameters& p) {
  const int n = model.n_v();
  return AnyController(PassivityTracking(model, {p.gain("Lambda", n), p.gain("Kd", n)}));
}

}  // namespace torsor
