#include "torsor/control/uncertain/sliding_computed_torque.hpp"

#include "law_entries.hpp"
#include "run_start.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/linear/cholesky.hpp"
#include "uncertain/sliding_parameters.hpp"

namespace torsor {

SlidingComputedTorque::SlidingComputedTorque(const Model<double>& model,
                                             SlidingComputedTorqueGains gains,
                                             DisturbanceBound bound, Effects effects)
    : ControlLaw("sliding_computed_torque", model),
      gains_(std::move(gains)),
      slide_(model, gains_.Lambda, name()),
      bound_(std::move(bound)),
      effects_(effects),
      ws_(model),
      v_(model.n_v()),
      d_bar_(v_.size()) {
  gains_.reaching.check(name(), model.n_v());
  gains_.switching.check(name(), model.n_v());
  bound_.check(name(), model.n_v());
}

void SlidingComputedTorque::find_bound(const ControlInput& input) {
  slide_.update(input);
  for (int k = 0; k < v_.size(); ++k)
    v_[k] = std::abs(slide_.qdd_r[k]) + gains_.reaching.speed(static_cast<int>(k), slide_.s[k]);
  bound_.at(input.state.q, input.state.qd, v_, d_bar_);
}

void SlidingComputedTorque::torque(const ControlInput& input, Out<double> tau) {
  find_bound(input);
  for (int k = 0; k < v_.size(); ++k) {
    const int i = static_cast<int>(k);
    v_[k] = slide_.qdd_r[k] + gains_.switching(i, slide_.s[k]) * d_bar_[k] +
            gains_.reaching.rate(i, slide_.s[k], gains_.switching);
  }
  tree_inverse_dynamics(*model_, ws_, input.state.q, input.state.qd, v_, {}, tau, effects_);
}

bool SlidingComputedTorque::filtered_error(const ControlInput& input, Out<double> s) {
  slide_.update(input);
  for (int i = 0; i < s.size; ++i) s[i] = slide_.s[i];
  return true;
}

bool SlidingComputedTorque::switches() const {
  const bool power = gains_.reaching.kind() == ReachingLaw::Kind::power;
  return !gains_.switching.is_smooth() && !(power && bound_.is_zero());
}

std::vector<Condition> SlidingComputedTorque::conditions(const Run& run) {
  std::vector<Condition> all = slide_.conditions();
  const ReachingLaw& reaching = gains_.reaching;
  const bool is_power = reaching.kind() == ReachingLaw::Kind::power;
  double smallest = infinity, smallest_k = infinity;
  for (int i = 0; i < model_->n_v(); ++i) {
    smallest = std::min(smallest, is_power ? reaching.k(i) : reaching.epsilon(i));
    smallest_k = std::min(smallest_k, reaching.k(i));
  }
  all.push_back(condition("s is reached in finite time (Huo 2005, (3-95))",
                          is_power ? "smallest reaching gain k" : "smallest reaching rate",
                          smallest, Relation::greater, 0));
  if (reaching.kind() == ReachingLaw::Kind::exponential)
    all.push_back(condition("reaching is not slowed", "smallest reaching gain k", smallest_k,
                            Relation::at_least, 0));
  for (Condition& c : bound_.conditions(run)) all.push_back(std::move(c));
  if (!bound_.regressor())
    all.push_back(hypothesis("d_bar covers the plant along the reference",
                             "largest |d~| as a share of d_bar", disturbance_share(run),
                             Relation::at_most, 1,
                             run.range && run.range->passed ? "" : "sampled, at e = 0"));
  return all;
}

double SlidingComputedTorque::disturbance_share(const Run& run) {
  const int n = model_->n_v();
  const Model<double>& plant = *run.plant;
  DynamicsWorkspace<double> own(plant);
  CrbaWorkspace<double> crba(plant);
  Cholesky factors(n);
  Array<double> H(n * n), v(n), wanted(n), needed(n);
  double most = 0;
  const RunRange range = run_range(*this, run);
  ReferencePoint point;
  for (const RunInstant& at : range.instants)
    for (const double sign : {0.0, 1.0, -1.0}) {  // d~ depends on the switched part of v
      if (range.passed) {                         // which is known of a state
        if (sign != 0) continue;
        run.reference(at.t, point);
        torque({at.t, {.q = at.q, .qd = at.qd}, {}, point.view()}, wanted);
        v = v_;
      } else {
        for (int k = 0; k < n; ++k)
          v[k] = at.qdd[k] + sign * (bound_.given(k) + gains_.reaching.epsilon(k));
      }
      tree_inverse_dynamics(*model_, ws_, at.q, at.qd, v, {}, wanted, effects_);
      tree_inverse_dynamics(plant, own, at.q, at.qd, v, {}, needed, {.friction = run.friction});
      mass_matrix(plant, crba, at.q, column_major(H.data(), n, n));
      if (!factors.factorise(column_major<const double>(H.data(), n, n))) return infinity;
      for (int k = 0; k < n; ++k) needed[k] -= wanted[k];
      factors.solve(needed);  // qdd = v - d~
      for (int k = 0; k < n; ++k) {
        const double d = std::abs(needed[k]), bound = bound_.given(k);
        if (d > 1e-9) most = std::fmax(most, bound > 0 ? d / bound : infinity);
      }
    }
  return most;
}

std::vector<Prediction> SlidingComputedTorque::predictions(const Run& run) {
  std::vector<Prediction> all;
  const Gain& Lambda = slide_.Lambda();
  (void)internal::lyapunov_at_start(*this, run);  // leaves e and s of the start in slide_
  const double late = 0.75 * run.duration;        // where error bounds are looked at
  for (int i = 0; i < model_->n_v() && Lambda.is_diagonal(); ++i) {
    if (!(gains_.switching.layer(i) > 0)) continue;
    const double rate = Lambda(i, i), met = gains_.reaching.time(i, slide_.s[i]);
    const double left = std::fmax(std::abs(slide_.e[i]), std::abs(slide_.s[i]) / rate) *
                        std::exp(-rate * std::fmax(0, late - met));
    all.push_back({"|e| of " + model_->dof_name(i) + " <= layer / Lambda, and what is left of e(0)",
                   PredictedQuantity::error_bound, i, gains_.switching.layer(i) / rate + left});
  }
  if (gains_.reaching.kind() == ReachingLaw::Kind::power) return all;
  for (int i = 0; i < model_->n_v(); ++i)
    if (gains_.switching.layer(i) == 0)
      all.push_back({"s of " + model_->dof_name(i) + " is reached by |s(0)| / eta",
                     PredictedQuantity::reaching_speed, i, gains_.reaching.epsilon(i)});
  return all;
}

LyapunovValue SlidingComputedTorque::lyapunov(const ControlInput& input, const Model<double>&) {
  find_bound(input);
  LyapunovValue V;
  for (int k = 0; k < v_.size(); ++k) {
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
  const auto numbers = [&](const char* gain) {
    p.require(gain);
    return p.numbers(gain, n);
  };
  switch (p.choice("reaching", {"constant", "exponential", "power"})) {
    case 0:
      return ReachingLaw::constant(numbers("eta"));
    case 1:
      return ReachingLaw::exponential(numbers("eta"), numbers("k"));
    default:
      return ReachingLaw::power(numbers("k"), numbers("exponent"));
  }
}
DisturbanceBound disturbance_bound(const Model<double>& model, LawParameters& p) {
  Array<double> given = p.numbers("d_bar", model.n_v());
  if (!given.empty()) return DisturbanceBound(std::move(given));
  RegressorBound regressor = internal::regressor_bound(model, p);
  Array<double> half_width = internal::parameter_numbers(regressor, p, "half_width");
  InertiaMismatch mismatch = inertia_mismatch(*regressor.parameters(), half_width);
  return {std::move(mismatch), std::move(regressor), std::move(half_width)};
}

}  // namespace

using namespace internal;

LawEntry internal::sliding_computed_torque() {
  return {"sliding_computed_torque",
          "uncertain/sliding_computed_torque.hpp",
          "s_i = 0 by the time |s_i(0)| / eta_i",
          GainList{
              required_gain("Lambda", GainKind::gain, "5", "1/s", "of e in s = edot + Lambda e"),
              optional_gain("reaching", GainKind::word, "constant", "",
                            "constant, exponential or power"),
              required_gain("eta", GainKind::vector, "1", "rad/s^2",
                            "reaching speed; of constant and exponential"),
              optional_gain("k", GainKind::vector, "", "", "of exponential (1/s) and power"),
              optional_gain("exponent", GainKind::vector, "", "", "of power, between 0 and 1"),
              optional_gain("d_bar", GainKind::vector, "", "rad/s^2",
                            "bound of the acceleration that is not known; none: from half_width")} +
              half_width_gain_list() + layer_gain_list(),
          "q, qd, qdd of the joints",
          "Huo 2005, sec. 3.10, (3-90) to (3-103)",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            const int n = model.n_v();
            SlidingComputedTorqueGains gains{p.gain("Lambda", n), reaching_law(n, p),
                                             switching_of(model, p)};
            return std::make_unique<SlidingComputedTorque>(model, std::move(gains),
                                                           disturbance_bound(model, p));
          }};
}

}  // namespace torsor
