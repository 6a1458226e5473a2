#include "torsor/control/joint/pd_gravity.hpp"

#include "law_makers.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"

namespace torsor {

PdGravity::PdGravity(const Model<double>& model, PdiGains gains)
    : PdiLaw(name, model, std::move(gains)), rnea_(model), momentum_(model) {}

void PdGravity::torque(double, const ControlState& state, View<const double> x_c,
                       const ControlReference& reference, View<double> tau) {
  tracking_error(*model_, state, reference, e_, edot_);
  gravity_torque(*model_, rnea_, state.q, tau);
  gains_.add(e_, edot_, x_c, tau);
}

std::vector<Condition> PdGravity::conditions() {
  std::vector<Condition> all = gains_.conditions();
  if (gains_.has_integral()) {
    const InertiaBounds h = inertia_bounds(*model_);
    const double room =
        gains_.Kp.smallest_eigenvalue() * gains_.Kd.smallest_eigenvalue() / h.largest;
    all.push_back(condition("integral gain small enough", "l_m(Kp) l_m(Kd) / l_M(H) - l_M(Ki)",
                            room - gains_.Ki.largest_eigenvalue(), Relation::greater, 0,
                            "l_M(H) from " + std::to_string(h.samples) + " configurations"));
  }
  return all;
}

std::vector<Prediction> PdGravity::predictions() {
  return gains_.reach(gains_.Kp.smallest_eigenvalue());
}

LyapunovValue PdGravity::lyapunov(double, const ControlState& state, View<const double> x_c,
                                  const ControlReference& reference, const Model<double>& plant) {
  tracking_error(*model_, state, reference, e_, edot_);
  return {kinetic_form(plant, momentum_, state.q, edot_) + 0.5 * gains_.Kp.quadratic(e_),
          -gains_.Kd.quadratic(edot_) - gains_.integral_form(edot_, x_c)};
}

AnyController make_pd_gravity(const Model<double>& model, LawParameters& p) {
  return AnyController(PdGravity(model, pdi_gains(p, model.n_v())));
}

}  // namespace torsor
