#include "torsor/control/uncertain/sliding_passivity.hpp"

#include <algorithm>
#include <cmath>

#include "law_entries.hpp"
#include "torsor/model/friction.hpp"
#include "uncertain/sliding_parameters.hpp"

namespace torsor {

SlidingPassivity::SlidingPassivity(const Model<double>& model, SlidingGains gains,
                                   RegressorBound bound, Array<double> a, SlidingBound kind)
    : ControlLaw(kind == SlidingBound::sizes ? "sliding_regressor_bound" : "sliding_passivity",
                 model),
      kind_(kind),
      gains_(std::move(gains)),
      slide_(model, gains_.Lambda, name()),
      bound_(std::move(bound)),
      a_(std::move(a)),
      k_(model.n_v()),
      two_(model),
      momentum_(model) {
  gains_.complete(name(), model.n_v());
  bound_.check(name(), kind == SlidingBound::sizes ? "p_bar" : "half_width", a_);
}

void SlidingPassivity::torque(const ControlInput& input, Out<double> tau) {
  const auto& [q, qd, qdd, F] = input.state;
  slide_.update(input);
  bound_.times(q, qd, slide_.qd_r, slide_.qdd_r, a_, k_);
  if (kind_ == SlidingBound::sizes) {
    bound_.known_torque(q, qd, slide_.qd_r, slide_.qdd_r, tau);
  } else {
    two_velocity_inverse_dynamics(*model_, two_, q, qd, slide_.qd_r, slide_.qdd_r, tau);
    add_joint_torques(*model_, q, qd, tau);
  }
  gains_.add_torque(slide_.s, k_, tau);
}

bool SlidingPassivity::filtered_error(const ControlInput& input, Out<double> s) {
  slide_.update(input);
  std::copy(slide_.s.begin(), slide_.s.end(), s.begin());
  return true;
}

std::vector<Condition> SlidingPassivity::conditions(const Run&) {
  std::vector<Condition> all = slide_.conditions();
  for (Condition& c : gains_.conditions()) all.push_back(std::move(c));
  // The model is what is believed: a bound that does not even hold there is no bound.
  ParameterSet* const set = kind_ == SlidingBound::sizes ? bound_.parameters() : nullptr;
  for (int j = 0; set && j < set->size(); ++j)
    if (const double value = std::abs(set->values()[j]); value > a_[j])
      all.push_back(condition("pbar bounds the parameters (Huo 2005, (3-107))",
                              "pbar of " + set->names()[j], a_[j], Relation::at_least, value));
  return all;
}

LyapunovValue SlidingPassivity::lyapunov(const ControlInput& input, const Model<double>& plant) {
  slide_.update(input);
  bound_.times(input.state.q, input.state.qd, slide_.qd_r, slide_.qdd_r, a_, k_);
  return {kinetic_form(plant, momentum_, input.state.q, slide_.s), gains_.power_bound(slide_.s, k_),
          true};
}

using namespace internal;

LawEntry internal::sliding_passivity() {
  return {"sliding_passivity",
          "uncertain/sliding_passivity.hpp",
          "s -> 0 for every robot within the half widths",
          sliding_gain_list() + half_width_gain_list(),
          "q, qd, qdd of the joints",
          "Huo 2005, sec. 3.10, (3-104) to (3-106); Slotine & Li 1991",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            RegressorBound bound = regressor_bound(model, p);
            Array<double> half_width = parameter_numbers(bound, p, "half_width");
            return std::make_unique<SlidingPassivity>(model, sliding_gains(model, p),
                                                      std::move(bound), std::move(half_width));
          }};
}

LawEntry internal::sliding_regressor_bound() {
  return {"sliding_regressor_bound",
          "uncertain/sliding_passivity.hpp",
          "the same without a model, with more effort",
          sliding_gain_list() +
              GainList{optional_gain("parameters", GainKind::words, "", "",
                                     "names of what is not known; none: all of every link"),
                       required_gain("p_bar", GainKind::vector, "10", "",
                                     "bounds of their sizes, in their units"),
                       optional_gain("p_bar_share", GainKind::vector, "", "",
                                     "instead: as multiples of the believed sizes")},
          "q, qd, qdd of the joints",
          "Huo 2005, sec. 3.10, (3-107)",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            RegressorBound bound = regressor_bound(model, p);
            Array<double> p_bar = parameter_numbers(bound, p, "p_bar");
            return std::make_unique<SlidingPassivity>(model, sliding_gains(model, p),
                                                      std::move(bound), std::move(p_bar),
                                                      SlidingBound::sizes);
          }};
}

}  // namespace torsor
