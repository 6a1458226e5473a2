#include "torsor/control/uncertain/sliding_regressor_bound.hpp"

#include <cmath>

#include "law_makers.hpp"
#include "uncertain/sliding_parameters.hpp"

namespace torsor {

SlidingRegressorBound::SlidingRegressorBound(const Model<double>& model, SlidingGains gains,
                                             RegressorBound bound, std::vector<double> p_bar)
    : gains_(std::move(gains)),
      slide_(model, gains_.Lambda, name),
      bound_(std::move(bound)),
      p_bar_(std::move(p_bar)),
      k_(static_cast<std::size_t>(model.n_v())),
      momentum_(model) {
  gains_.complete(name, model.n_v());
  bound_.check(name, "p_bar", p_bar_);
}

void SlidingRegressorBound::torque(double, const ControlState& state, View<const double>,
                                   const ControlReference& reference, View<double> tau) {
  slide_.update(state, reference);
  bound_.times(state.q, state.qd, slide_.qd_r, slide_.qdd_r, p_bar_, k_);
  bound_.known_torque(state.q, state.qd, slide_.qd_r, slide_.qdd_r, tau);
  gains_.add_torque(slide_.s, k_, tau);
}

void SlidingRegressorBound::filtered_error(const ControlState& state,
                                           const ControlReference& reference, View<double> s) {
  slide_.update(state, reference);
  for (int i = 0; i < s.size; ++i) s[i] = slide_.s[static_cast<std::size_t>(i)];
}

std::vector<Condition> SlidingRegressorBound::conditions() {
  std::vector<Condition> all = slide_.conditions();
  for (Condition& c : gains_.conditions()) all.push_back(std::move(c));
  // The model is what is believed: a bound that does not even hold there is no bound.
  if (ParameterSet* set = bound_.parameters())
    for (int j = 0; j < set->size(); ++j) {
      const double value = std::abs(set->values()[j]);
      if (value <= p_bar_[static_cast<std::size_t>(j)]) continue;
      all.push_back(condition("pbar bounds the parameters (3-107)",
                              "pbar of " + set->names()[static_cast<std::size_t>(j)],
                              p_bar_[static_cast<std::size_t>(j)], Relation::at_least, value));
    }
  return all;
}

LyapunovValue SlidingRegressorBound::lyapunov(double, const ControlState& state, View<const double>,
                                              const ControlReference& reference,
                                              const Model<double>& plant) {
  slide_.update(state, reference);
  bound_.times(state.q, state.qd, slide_.qd_r, slide_.qdd_r, p_bar_, k_);
  return {kinetic_form(plant, momentum_, state.q, slide_.s), gains_.power_bound(slide_.s, k_),
          true};
}

AnyController make_sliding_regressor_bound(const Model<double>& model, LawParameters& p) {
  RegressorBound bound = regressor_bound(model, p);
  std::vector<double> p_bar = parameter_numbers(bound, p, "p_bar");
  return AnyController(
      SlidingRegressorBound(model, sliding_gains(model, p), std::move(bound), std::move(p_bar)));
}

}  // namespace torsor
