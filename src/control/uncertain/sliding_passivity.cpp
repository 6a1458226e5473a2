#include "torsor/control/uncertain/sliding_passivity.hpp"

#include "law_makers.hpp"
#include "torsor/model/friction.hpp"
#include "uncertain/sliding_parameters.hpp"

namespace torsor {

SlidingPassivity::SlidingPassivity(const Model<double>& model, SlidingGains gains,
                                   RegressorBound bound, std::vector<double> half_width)
    : model_(&model),
      gains_(std::move(gains)),
      slide_(model, gains_.Lambda, name),
      bound_(std::move(bound)),
      half_width_(std::move(half_width)),
      k_(static_cast<std::size_t>(model.n_v())),
      two_(model),
      momentum_(model) {
  gains_.complete(name, model.n_v());
  bound_.check(name, "half_width", half_width_);
}

void SlidingPassivity::torque(double, const ControlState& state, View<const double>,
                              const ControlReference& reference, View<double> tau) {
  slide_.update(state, reference);
  bound_.times(state.q, state.qd, slide_.qd_r, slide_.qdd_r, half_width_, k_);
  two_velocity_inverse_dynamics(*model_, two_, state.q, state.qd, slide_.qd_r, slide_.qdd_r, tau);
  add_joint_torques(*model_, state.q, state.qd, tau);
  gains_.add_torque(slide_.s, k_, tau);
}

void SlidingPassivity::filtered_error(const ControlState& state, const ControlReference& reference,
                                      View<double> s) {
  slide_.update(state, reference);
  for (int i = 0; i < s.size; ++i) s[i] = slide_.s[static_cast<std::size_t>(i)];
}

std::vector<Condition> SlidingPassivity::conditions() {
  std::vector<Condition> all = slide_.conditions();
  for (Condition& c : gains_.conditions()) all.push_back(std::move(c));
  return all;
}

LyapunovValue SlidingPassivity::lyapunov(double, const ControlState& state, View<const double>,
                                         const ControlReference& reference,
                                         const Model<double>& plant) {
  slide_.update(state, reference);
  bound_.times(state.q, state.qd, slide_.qd_r, slide_.qdd_r, half_width_, k_);
  return {kinetic_form(plant, momentum_, state.q, slide_.s), gains_.power_bound(slide_.s, k_),
          true};
}

AnyController make_sliding_passivity(const Model<double>& model, LawParameters& p) {
  RegressorBound bound = regressor_bound(model, p);
  std::vector<double> half_width = parameter_numbers(bound, p, "half_width");
  return AnyController(
      SlidingPassivity(model, sliding_gains(model, p), std::move(bound), std::move(half_width)));
}

}  // namespace torsor
