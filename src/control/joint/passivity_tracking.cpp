#include "torsor/control/joint/passivity_tracking.hpp"

#include <algorithm>

#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "torsor/control/run.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

PassivityTracking::PassivityTracking(const Model<double>& model, PassivityGains gains)
    : ControlLaw("passivity_tracking", model),
      gains_(std::move(gains)),
      two_(model),
      momentum_(model),
      slide_(model, gains_.Lambda, name()) {
  gains_.Kd.check(name(), "Kd", model.n_v());
}

bool PassivityTracking::filtered_error(const ControlInput& input, Out<double> r) {
  slide_.update(input);
  std::copy(slide_.s.begin(), slide_.s.end(), r.data);
  return true;
}

void PassivityTracking::torque(const ControlInput& input, Out<double> tau) {
  slide_.update(input);
  two_velocity_inverse_dynamics(*model_, two_, input.state.q, input.state.qd, slide_.qd_r,
                                slide_.qdd_r, tau);
  add_joint_torques(*model_, input.state.q, input.state.qd, tau);
  gains_.Kd.add_product(slide_.s, tau);
}

std::vector<Condition> PassivityTracking::conditions(const Run&) {
  return {internal::symmetric("Lambda", gains_.Lambda),
          internal::positive_definite("Lambda", gains_.Lambda),
          internal::positive_definite("Kd", gains_.Kd)};
}

std::vector<Prediction> PassivityTracking::predictions(const Run& run) {
  const double least = gains_.Kd.smallest_eigenvalue();
  const double rate = 2 * least / inertia_bounds(*run.plant, 512, run.stops).largest;
  return {{"V decays at least at 2 l_m(Kd) / l_M(H)", PredictedQuantity::decay_rate, -1, rate},
          {"int |s|^2 <= V(0) / l_m(Kd)", PredictedQuantity::filtered_square, -1, 0, {least}}};
}

LyapunovValue PassivityTracking::lyapunov(const ControlInput& input, const Model<double>& plant) {
  slide_.update(input);
  return {kinetic_form(plant, momentum_, input.state.q, slide_.s), -gains_.Kd.quadratic(slide_.s)};
}

LawEntry internal::passivity_tracking() {
  return {"passivity_tracking",
          "joint/passivity_tracking.hpp",
          "tracking from everywhere, V decays exponentially; O(n)",
          {required_gain("Lambda", GainKind::gain, "5", "1/s", "of e in s = edot + Lambda e"),
           required_gain("Kd", GainKind::gain, "20", "N m s / rad", "of s")},
          "q, qd, qdd of the joints",
          "Huo 2005, sec. 3.8, (3-67) to (3-71); Slotine & Li 1987",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            const int n = model.n_v();
            return std::make_unique<PassivityTracking>(
                model, PassivityGains{p.gain("Lambda", n), p.gain("Kd", n)});
          }};
}

}  // namespace torsor
