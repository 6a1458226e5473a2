#include "torsor/control/joint/independent_pid.hpp"

#include "law_makers.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"

namespace torsor {

IndependentPid::IndependentPid(const Model<double>& model, PidGains gains)
    : model_(&model),
      gains_(std::move(gains)),
      e_(static_cast<std::size_t>(model.n_v())),
      edot_(e_.size()) {
  gains_.Kp.check(name, "Kp", model.n_v());
  gains_.Ki.check(name, "Ki", model.n_v());
  gains_.Kd.check(name, "Kd", model.n_v());
}

void IndependentPid::torque(double, const ControlState& state, View<const double> x_c,
                            const ControlReference& reference, View<double> tau) {
  tracking_error(*model_, state, reference, e_, edot_);
  for (double& x : tau) x = 0;
  gains_.Kp.add_product(e_, tau);
  gains_.Kd.add_product(edot_, tau);
  gains_.Ki.add_product(x_c, tau);
}

void IndependentPid::state_derivative(double, const ControlState& state, View<const double>,
                                      const ControlReference& reference, View<double> xdot_c) {
  difference(*model_, state.q, reference.q, xdot_c);
}

std::vector<Condition> IndependentPid::conditions() {
  const double kp = gains_.Kp.smallest_eigenvalue(), kd = gains_.Kd.smallest_eigenvalue();
  const InertiaBounds h = inertia_bounds(*model_);
  return {condition("Kp positive definite", "smallest eigenvalue of Kp", kp, Relation::greater, 0),
          condition("Kd positive definite", "smallest eigenvalue of Kd", kd, Relation::greater, 0),
          condition("Ki positive definite", "smallest eigenvalue of Ki",
                    gains_.Ki.smallest_eigenvalue(), Relation::greater, 0),
          condition("integral gain small enough", "l_m(Kp) l_m(Kd) / l_M(H) - l_M(Ki)",
                    kp * kd / h.largest - gains_.Ki.largest_eigenvalue(), Relation::greater, 0,
                    "l_M(H) from " + std::to_string(h.samples) + " configurations")};
}

AnyController make_independent_pid(const Model<double>& model, LawParameters& p) {
  const int n = model.n_v();
  return AnyController(IndependentPid(model, {p.gain("Kp", n), p.gain("Ki", n), p.gain("Kd", n)}));
}

}  // namespace torsor
