#include "torsor/control/joint/independent_pid.hpp"

#include "joint/set_point_proof.hpp"
#include "law_entries.hpp"

namespace torsor {

IndependentPid::IndependentPid(const Model<double>& model, PidGains gains)
    : SetPointLaw("independent_pid", model,
                  {std::move(gains.Kp), std::move(gains.Kd), std::move(gains.Ki)}) {
  gains_.Ki.check(name(), "Ki", model.n_v());
}

void IndependentPid::torque(const ControlInput& input, Out<double> tau) {
  tracking_error(*model_, input, e_, edot_);
  for (double& x : tau) x = 0;
  gains_.add(e_, edot_, input.x_c, tau);
}

std::vector<Condition> IndependentPid::conditions(const Run& run) {
  std::vector<Condition> all = gains_.conditions();
  all.push_back(internal::integral_condition(run, gains_.Kp, gains_.Kd, gains_.Ki, nullptr));
  return all;
}

LawEntry internal::independent_pid() {
  return {
      "independent_pid",
      "joint/independent_pid.hpp",
      "set points under gravity, from near enough, if Kp + dG/dq and Kd outweigh H and Ki at q_d",
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
