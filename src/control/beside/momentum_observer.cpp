#include "torsor/control/beside/momentum_observer.hpp"

#include <algorithm>
#include <cmath>

#include "law_makers.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

MomentumObserver::MomentumObserver(const Model<double>& model, AnyController inside,
                                   MomentumObserverOptions options)
    : model_(&model),
      inside_(std::move(inside)),
      options_(std::move(options)),
      crba_(model),
      coriolis_(model),
      dynamics_(model),
      M_(at(model.n_v() * model.n_v())),
      r_(at(model.n_v())),
      tau_(r_.size()),
      bias_(r_.size()),
      zero_(r_.size()) {
  const auto check = [&](const char* what, const std::vector<double>& x, bool may_be_infinite) {
    if (static_cast<int>(x.size()) != model.n_v())
      throw Error(std::string(name) + ": " + what + " has " + std::to_string(x.size()) +
                  " numbers; the robot has " + std::to_string(model.n_v()) + " degrees of freedom");
    for (const double value : x)
      if (std::isnan(value) || (!may_be_infinite && !std::isfinite(value)))
        throw Error(std::string(name) + ": " + what + " must be finite");
  };
  check("K", options_.K, false);
  if (!options_.threshold.empty()) check("threshold", options_.threshold, true);
}

void MomentumObserver::reset(View<double> x_c) {
  const int n = inside_.n_states();
  inside_.reset({x_c.data, n});
  for (int k = n; k < x_c.size; ++k) x_c[k] = 0;
}

void MomentumObserver::residual(const ControlState& state, View<const double> x_c, View<double> r) {
  const int n = model_->n_v();
  const double* s = x_c.data + inside_.n_states();
  mass_matrix(*model_, crba_, state.q, column_major(M_.data(), n, n));
  for (int i = 0; i < n; ++i) {
    double p = 0;
    for (int j = 0; j < n; ++j) p += M_[at(i * n + j)] * state.qd[j];
    r[i] = options_.K[at(i)] * (p - s[i]);
  }
}

void MomentumObserver::state_derivative(double t, const ControlState& state, View<const double> x_c,
                                        const ControlReference& reference, View<double> xdot_c) {
  const int n = model_->n_v(), states = inside_.n_states();
  inside_.state_derivative(t, state, states_inside(x_c), reference, {xdot_c.data, states});
  inside_.torque(t, state, states_inside(x_c), reference, tau_);
  residual(state, x_c, r_);
  // C^T qd - G - ... = (C + C^T) qd - (C qd + G + ...)
  tree_inverse_dynamics(*model_, dynamics_, state.q, state.qd, zero_, {}, bias_, options_.effects);
  coriolis_matrix(*model_, coriolis_, state.q, state.qd, column_major(M_.data(), n, n));
  for (int i = 0; i < n; ++i) {
    double sum = tau_[at(i)] + r_[at(i)] - bias_[at(i)];
    for (int j = 0; j < n; ++j) sum += (M_[at(i * n + j)] + M_[at(j * n + i)]) * state.qd[j];
    xdot_c[states + i] = sum;
  }
}

void MomentumObserver::estimate(const ControlState& state, View<const double> x_c, View<double> r) {
  residual(state, x_c, r);
  if (!options_.threshold.empty()) r[model_->n_v()] = collides(r) ? 1 : 0;
}

bool MomentumObserver::collides(View<const double> r) const {
  for (std::size_t k = 0; k < options_.threshold.size(); ++k)
    if (std::abs(r[static_cast<int>(k)]) > options_.threshold[k]) return true;
  return false;
}

std::vector<Condition> MomentumObserver::conditions() {
  std::vector<Condition> all = inside_.conditions();
  all.push_back(condition("the observer follows", "smallest K, 1/s",
                          *std::min_element(options_.K.begin(), options_.K.end()),
                          Relation::greater, 0));
  if (!options_.threshold.empty())
    all.push_back(condition("thresholds positive", "smallest threshold, N m",
                            *std::min_element(options_.threshold.begin(), options_.threshold.end()),
                            Relation::greater, 0));
  return all;
}

LyapunovValue MomentumObserver::lyapunov(double t, const ControlState& state,
                                         View<const double> x_c, const ControlReference& reference,
                                         const Model<double>& plant) {
  LyapunovValue V;
  if (inside_.has_lyapunov()) V = inside_.lyapunov(t, state, states_inside(x_c), reference, plant);
  residual(state, x_c, r_);
  for (std::size_t k = 0; k < r_.size(); ++k) {
    V.value += 0.5 * r_[k] * r_[k] / options_.K[k];
    V.rate -= r_[k] * r_[k];
  }
  return V;
}

AnyController make_momentum_observer(const Model<double>& model, LawParameters& p) {
  const int n = model.n_v();
  MomentumObserverOptions o;
  o.K = p.numbers("observer", n);
  o.threshold = p.numbers("threshold", n, {});
  AnyController inside = maker_of(p.word("watched", "pd_gravity"))(model, p);
  return AnyController(MomentumObserver(model, std::move(inside), std::move(o)));
}

}  // namespace torsor
