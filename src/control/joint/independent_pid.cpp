#include "torsor/control/joint/independent_pid.hpp"

#include "law_entries.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"

namespace torsor {

IndependentPid::IndependentPid(const Model<double>& model, PidGains gains)
    : ControlLaw("independent_pid", model),
      gains_(std::move(gains)),
      e_(model.n_v()),
      edot_(e_.size()) {
  gains_.Kp.check(name(), "Kp", model.n_v());
  gains_.Ki.check(name(), "Ki", model.n_v());
  gains_.Kd.check(name(), "Kd", model.n_v());
}

void IndependentPid::torque(const ControlInput& input, Out<double> tau) {
  tracking_error(*model_, input, e_, edot_);
  for (double& x : tau) x = 0;
  gains_.Kp.add_product(e_, tau);
  gains_.Kd.add_product(edot_, tau);
  gains_.Ki.add_product(input.x_c, tau);
}

void IndependentPid::state_derivative(const ControlInput& input, Out<double> xdot_c) {
  difference(*model_, input.state.q, input.reference.q, xdot_c);
}

std::vector<Condition> IndependentPid::conditions(const Run&) {
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

LawEntry internal::independent_pid() {
  return {"independent_pid",
          "joint/independent_pid.hpp",
          "set points under gravity, from near enough; not for tracking",
          {required_gain("Kp", GainKind::gain, "100", "N m / rad", "stiffness"),
           required_gain("Ki", GainKind::gain, "20", "N m / (rad s)", "of the integral of e"),
           required_gain("Kd", GainKind::gain, "20", "N m s / rad", "damping")},
          "q of the joints, constant",
          "Huo 2005, exercise 3-1",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            const int n = model.n_v();
            return std::make_unique<IndependentPid>(
                model, PidGains{p.gain("Kp", n), p.gain("Ki", n), p.gain("Kd", n)});
          }};
}

}  // namespace torsor
