#include "torsor/control/uncertain/sliding_passivity.hpp"

#include <algorithm>
#include <cmath>

#include "draws.hpp"
#include "law_entries.hpp"
#include "run_start.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"
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

std::vector<Condition> SlidingPassivity::conditions(const Run& run) {
  std::vector<Condition> all = slide_.conditions();
  for (Condition& c : gains_.conditions()) all.push_back(std::move(c));
  for (Condition& c :
       kind_ == SlidingBound::sizes ? bound_.sizes_within(a_, run) : bound_.errors_within(a_, run))
    all.push_back(std::move(c));
  return all;
}

double SlidingPassivity::layer_power(const Array<RunInstant>& instants, double e_size,
                                     double s_size) {
  constexpr int directions = 4;
  const int n = model_->n_v();
  Array<double> e(n), s(n), edot(n), q(model_->n_q()), qd(n), qd_r(n), qdd_r(n), most(n);
  internal::Draws draw;
  for (const RunInstant& at : instants)
    for (int d = 0; d < directions; ++d) {
      draw.direction(-e_size, e);  // q = q_d - e
      draw.direction(s_size, s);
      integrate(*model_, at.q, e, q);
      for (double& x : e) x = -x;
      for (int k = 0; k < n; ++k) edot[k] = s[k], qd_r[k] = at.qd[k], qdd_r[k] = at.qdd[k];
      for (int k = 0; k < n; ++k)
        for (int c = 0; c < n; ++c) edot[k] -= slide_.Lambda()(k, c) * e[c];
      slide_.Lambda().add_product(e, qd_r);
      slide_.Lambda().add_product(edot, qdd_r);
      for (int k = 0; k < n; ++k) qd[k] = at.qd[k] - edot[k];
      bound_.times(q, qd, qd_r, qdd_r, a_, k_);
      for (int k = 0; k < n; ++k) most[k] = std::fmax(most[k], k_[k]);
    }
  double beta = 0;
  for (int k = 0; k < n; ++k)
    if (const double sum = most[k] + gains_.eta[k]; sum > 0)
      beta += gains_.switching.layer(k) * most[k] * most[k] / (4 * sum);
  return beta;
}

std::vector<Prediction> SlidingPassivity::predictions(const Run& run) {
  const int n = model_->n_v();
  const double Kd = gains_.Kd.smallest_eigenvalue(), slow = slide_.Lambda().smallest_eigenvalue();
  double thickest = 0;
  for (int i = 0; i < n; ++i) thickest = std::fmax(thickest, gains_.switching.layer(i));
  if (!(thickest > 0) || !(Kd > 0) || !(slow > 0)) return {};
  RunRange range = run_range(*this, run);
  range.instants.erase(range.instants.begin());  // the start is no part of the reference
  const InertiaBounds h = inertia_bounds(*run.plant, 512, run.stops);
  const double V = internal::lyapunov_at_start(*this, run);  // leaves e of the start in slide_
  double e_start = 0;
  for (const double x : slide_.e) e_start += x * x;
  e_start = std::sqrt(e_start);
  const double s_start = std::sqrt(2 * V / h.smallest), alpha = 2 * Kd / h.largest;

  // k grows with the errors that sigma allows: a fixed point, if there is one
  const auto settled = [&](double e_size, double s_size) {
    double sigma = 0, before = -1;
    for (int turn = 0; turn < 60 && sigma < 1e6 && std::abs(sigma - before) > 1e-2 * sigma;
         ++turn) {
      before = sigma;
      const double beta =
          layer_power(range.instants, e_size + (s_size + sigma) / slow, s_size + sigma);
      sigma = std::fmax(sigma, std::sqrt(h.largest / h.smallest * beta / Kd));
    }
    return std::abs(sigma - before) <= 1e-2 * sigma ? 1.01 * sigma : infinity;
  };
  double sigma = settled(e_start, s_start);
  const bool from_start = sigma < infinity;  // else where the errors have become as small
  if (!from_start) sigma = settled(0, 0);
  if (!(sigma < infinity)) return {};
  const double late = 0.75 * run.duration;  // where error bounds are looked at
  std::vector<Prediction> all;
  for (int i = 0; i < n; ++i) {
    const double rate = slide_.Lambda().is_diagonal() ? slide_.Lambda()(i, i) : slow;
    const double left = e_start * std::exp(-rate * late) +
                        s_start * late * std::exp(-std::fmin(rate, alpha / 2) * late);
    all.push_back({"|e| of " + model_->dof_name(i) + " <= the bound of all layers" +
                       (from_start ? ", sampled" : " once met, sampled"),
                   PredictedQuantity::error_bound, i, sigma / rate + left});
  }
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
          "s -> 0 for every robot within the half widths; in a layer one bound for all joints",
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
