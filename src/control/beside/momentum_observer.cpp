#include "torsor/control/beside/momentum_observer.hpp"

#include <algorithm>
#include <cmath>

#include "law_entries.hpp"
#include "torsor/control/run.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

MomentumObserver::MomentumObserver(const Model<double>& model, std::unique_ptr<ControlLaw> inside,
                                   MomentumObserverOptions options)
    : ControlLaw("momentum_observer", model),
      inside_(std::move(inside)),
      options_(std::move(options)),
      crba_(model),
      coriolis_(model),
      dynamics_(model),
      M_(model.n_v() * model.n_v()),
      r_(model.n_v()),
      tau_(r_.size()),
      bias_(r_.size()),
      zero_(r_.size()) {
  const auto check = [&](const char* what, const Array<double>& x, bool may_be_infinite) {
    if (x.size() != model.n_v())
      throw Error(std::string(name()) + ": " + what + " has " + std::to_string(x.size()) +
                  " numbers; the robot has " + std::to_string(model.n_v()) + " degrees of freedom");
    for (const double value : x)
      if (std::isnan(value) || (!may_be_infinite && !std::isfinite(value)))
        throw Error(std::string(name()) + ": " + what + " must be finite");
  };
  check("K", options_.K, false);
  if (!options_.threshold.empty()) check("threshold", options_.threshold, true);
}

void MomentumObserver::reset(Out<double> x_c) {
  const int n = inside_->n_states();
  inside_->reset({x_c.data, n});
  for (int k = n; k < x_c.size; ++k) x_c[k] = 0;
}

void MomentumObserver::residual(const ControlInput& input, Out<double> r) {
  const int n = model_->n_v();
  const double* s = input.x_c.data + inside_->n_states();
  mass_matrix(*model_, crba_, input.state.q, column_major(M_.data(), n, n));
  for (int i = 0; i < n; ++i) {
    double p = 0;
    for (int j = 0; j < n; ++j) p += M_[i * n + j] * input.state.qd[j];
    r[i] = options_.K[i] * (p - s[i]);
  }
}

void MomentumObserver::state_derivative(const ControlInput& input, Out<double> xdot_c) {
  const int n = model_->n_v(), states = inside_->n_states();
  inside_->state_derivative(seen_inside(input), {xdot_c.data, states});
  inside_->torque(seen_inside(input), tau_);
  residual(input, r_);
  // C^T qd - G - ... = (C + C^T) qd - (C qd + G + ...)
  tree_inverse_dynamics(*model_, dynamics_, input.state.q, input.state.qd, zero_, {}, bias_,
                        options_.effects);
  coriolis_matrix(*model_, coriolis_, input.state.q, input.state.qd, column_major(M_.data(), n, n));
  for (int i = 0; i < n; ++i) {
    double sum = tau_[i] + r_[i] - bias_[i];
    for (int j = 0; j < n; ++j) sum += (M_[i * n + j] + M_[j * n + i]) * input.state.qd[j];
    xdot_c[states + i] = sum;
  }
}

void MomentumObserver::estimate(const ControlInput& input, Out<double> r) {
  residual(input, r);
  if (!options_.threshold.empty()) r[model_->n_v()] = collides(r) ? 1 : 0;
}

bool MomentumObserver::collides(In<double> r) const {
  for (int k = 0; k < options_.threshold.size(); ++k)
    if (std::abs(r[static_cast<int>(k)]) > options_.threshold[k]) return true;
  return false;
}

std::vector<Condition> MomentumObserver::conditions(const Run& run) {
  std::vector<Condition> all = inside_->conditions(run);
  all.push_back(condition("the observer follows", "smallest K, 1/s",
                          *std::min_element(options_.K.begin(), options_.K.end()),
                          Relation::greater, 0));
  if (run.period > 0)
    all.push_back(condition("the sampled observer stays bounded", "largest K times the period",
                            *std::max_element(options_.K.begin(), options_.K.end()) * run.period,
                            Relation::less, 2, "its state is stepped once a period"));
  if (!options_.threshold.empty())
    all.push_back(condition("thresholds positive", "smallest threshold, N m",
                            *std::min_element(options_.threshold.begin(), options_.threshold.end()),
                            Relation::greater, 0));
  return all;
}

LyapunovValue MomentumObserver::lyapunov(const ControlInput& input, const Model<double>& plant) {
  LyapunovValue V = inside_->lyapunov(seen_inside(input), plant);
  V.given = true;
  residual(input, r_);
  for (int k = 0; k < r_.size(); ++k) {
    V.value += 0.5 * r_[k] * r_[k] / options_.K[k];
    V.rate -= r_[k] * r_[k];
  }
  return V;
}

LawEntry internal::momentum_observer() {
  return {"momentum_observer",
          "beside/momentum_observer.hpp",
          "external torques without accelerations; collisions",
          {optional_gain("watched", GainKind::word, "pd_gravity", "",
                         "the law that acts; its gains stand beside these"),
           required_gain("observer", GainKind::vector, "20", "1/s",
                         "rate of the observer, for each joint"),
           optional_gain("threshold", GainKind::vector, "", "N m",
                         "a collision is an estimate beyond it; none: none is told")},
          "that of the law watched",
          "De Luca & Mattone 2003; De Luca et al. 2006",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            const int n = model.n_v();
            MomentumObserverOptions o{p.numbers("observer", n), p.numbers("threshold", n)};
            return std::make_unique<MomentumObserver>(model, make_law_inside("watched", model, p),
                                                      std::move(o));
          }};
}

}  // namespace torsor
