#include "torsor/control/uncertain/sliding_computed_torque.hpp"

#include "law_makers.hpp"
#include "uncertain/sliding_parameters.hpp"

namespace torsor {

SlidingComputedTorque::SlidingComputedTorque(const Model<double>& model,
                                             SlidingComputedTorqueGains gains,
                                             DisturbanceBound bound, Effects effects)
    : model_(&model),
      gains_(std::move(gains)),
      slide_(model, gains_.Lambda, name),
      bound_(std::move(bound)),
      effects_(effects),
      ws_(model),
      v_(static_cast<std::size_t>(model.n_v())),
      d_bar_(v_.size()) {
  gains_.reaching.check(name, model.n_v());
  gains_.switching.check(name, model.n_v());
  bound_.check(name, model.n_v());
}

void SlidingComputedTorque::find_bound(const ControlState& state,
                                       const ControlReference& reference) {
  slide_.update(state, reference);
  for (std::size_t k = 0; k < v_.size(); ++k)
    v_[k] = std::abs(slide_.qdd_r[k]) + gains_.reaching.speed(static_cast<int>(k), slide_.s[k]);
  bound_.at(state.q, state.qd, v_, d_bar_);
}

void SlidingComputedTorque::torque(double, const ControlState& state, View<const double>,
                                   const ControlReference& reference, View<double> tau) {
  find_bound(state, reference);
  for (std::size_t k = 0; k < v_.size(); ++k) {
    const int i = static_cast<int>(k);
    v_[k] = slide_.qdd_r[k] + gains_.switching(i, slide_.s[k]) * d_bar_[k] +
            gains_.reaching.rate(i, slide_.s[k], gains_.switching);
  }
  tree_inverse_dynamics(*model_, ws_, state.q, state.qd, v_, {}, tau, effects_);
}

void SlidingComputedTorque::filtered_error(const ControlState& state,
                                           const ControlReference& reference, View<double> s) {
  slide_.update(state, reference);
  for (int i = 0; i < s.size; ++i) s[i] = slide_.s[static_cast<std::size_t>(i)];
}

bool SlidingComputedTorque::switches() const {
  const bool power = gains_.reaching.kind() == ReachingLaw::Kind::power;
  return !gains_.switching.is_smooth() && !(power && bound_.is_zero());
}

std::vector<Condition> SlidingComputedTorque::conditions() {
  std::vector<Condition> all = slide_.conditions();
  const ReachingLaw& reaching = gains_.reaching;
  const bool is_power = reaching.kind() == ReachingLaw::Kind::power;
  double smallest = infinity, smallest_k = infinity;
  for (int i = 0; i < model_->n_v(); ++i) {
    smallest = std::min(smallest, is_power ? reaching.k(i) : reaching.epsilon(i));
    smallest_k = std::min(smallest_k, reaching.k(i));
  }
  all.push_back(condition("s is reached in finite time (3-95)",
                          is_power ? "smallest reaching gain k" : "smallest reaching rate",
                          smallest, Relation::greater, 0));
  if (reaching.kind() == ReachingLaw::Kind::exponential)
    all.push_back(condition("reaching is not slowed", "smallest reaching gain k", smallest_k,
                            Relation::at_least, 0));
  for (Condition& c : bound_.conditions()) all.push_back(std::move(c));
  return all;
}

std::vector<Prediction> SlidingComputedTorque::predictions() {
  std::vector<Prediction> all = slide_.layer_bounds(gains_.switching);
  if (gains_.reaching.kind() == ReachingLaw::Kind::power) return all;
  for (int i = 0; i < model_->n_v(); ++i)
    if (gains_.switching.layer(i) == 0)
      all.push_back({"s of " + model_->dof_name(i) + " is reached by |s(0)| / eta",
                     Quantity::reaching_speed, i, gains_.reaching.epsilon(i)});
  return all;
}

LyapunovValue SlidingComputedTorque::lyapunov(double, const ControlState& state, View<const double>,
                                              const ControlReference& reference,
                                              const Model<double>&) {
  find_bound(state, reference);
  LyapunovValue V;
  for (std::size_t k = 0; k < v_.size(); ++k) {
    const int i = static_cast<int>(k);
    const double s = slide_.s[k];
    V.value += s * s / 2;
    V.rate -= s * gains_.reaching.rate(i, s, gains_.switching);
    V.rate += std::abs(s) * (1 - std::abs(gains_.switching(i, s))) * d_bar_[k];
    V.rate_is_bound = V.rate_is_bound || d_bar_[k] > 0;
  }
  return V;
}

namespace {

ReachingLaw reaching_law(int n, LawParameters& p) {
  const std::string kind = p.word("reaching", "constant");
  if (kind == "constant") return ReachingLaw::constant(p.numbers("eta", n));
  if (kind == "exponential")
    return ReachingLaw::exponential(p.numbers("eta", n), p.numbers("k", n));
  if (kind == "power") return ReachingLaw::power(p.numbers("k", n), p.numbers("exponent", n));
  throw Error("unknown reaching law \"" + kind + "\"" +
              did_you_mean(kind, {"constant", "exponential", "power"}));
}
DisturbanceBound disturbance_bound(const Model<double>& model, LawParameters& p) {
  std::vector<double> given = p.numbers("d_bar", model.n_v(), {});
  if (!given.empty()) return DisturbanceBound(std::move(given));
  RegressorBound regressor = regressor_bound(model, p);
  std::vector<double> half_width = parameter_numbers(regressor, p, "half_width");
  InertiaMismatch mismatch = inertia_mismatch(*regressor.parameters(), half_width);
  return {std::move(mismatch), std::move(regressor), std::move(half_width)};
}

}  // namespace

AnyController make_sliding_computed_torque(const Model<double>& model, LawParameters& p) {
  const int n = model.n_v();
  SlidingComputedTorqueGains gains{p.gain("Lambda", n), reaching_law(n, p), switching_of(model, p)};
  return AnyController(SlidingComputedTorque(model, std::move(gains), disturbance_bound(model, p)));
}

}  // namespace torsor
