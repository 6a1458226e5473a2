#include "torsor/control/joint/passivity_tracking.hpp"

#include <algorithm>

#include "law_makers.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

PassivityTracking::PassivityTracking(const Model<double>& model, PassivityGains gains)
    : model_(&model),
      gains_(std::move(gains)),
      two_(model),
      momentum_(model),
      slide_(model, gains_.Lambda, name) {
  gains_.Kd.check(name, "Kd", model.n_v());
}

void PassivityTracking::filtered_error(const ControlState& state, const ControlReference& reference,
                                       View<double> r) {
  slide_.update(state, reference);
  std::copy(slide_.s.begin(), slide_.s.end(), r.data);
}

void PassivityTracking::torque(double, const ControlState& state, View<const double>,
                               const ControlReference& reference, View<double> tau) {
  slide_.update(state, reference);
  two_velocity_inverse_dynamics(*model_, two_, state.q, state.qd, slide_.qd_r, slide_.qdd_r, tau);
  add_joint_torques(*model_, state.q, state.qd, tau);
  gains_.Kd.add_product(slide_.s, tau);
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
  slide_.update(state, reference);
  return {kinetic_form(plant, momentum_, state.q, slide_.s), -gains_.Kd.quadratic(slide_.s)};
}

AnyController make_passivity_tracking(const Model<double>& model, LawParameters& p) {
  const int n = model.n_v();
  return AnyController(PassivityTracking(model, {p.gain("Lambda", n), p.gain("Kd", n)}));
}

}  // namespace torsor
