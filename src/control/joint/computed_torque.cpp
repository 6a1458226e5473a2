#include "torsor/control/joint/computed_torque.hpp"

#include <algorithm>
#include <cmath>

#include "law_makers.hpp"
#include "torsor/control/joint/pd_fixed_gravity.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

void copy_or_zero(View<const double> from, std::vector<double>& to) {
  for (std::size_t k = 0; k < to.size(); ++k)
    to[k] = from.empty() ? 0.0 : from[static_cast<int>(k)];
}

/// Largest real part of the roots of s^2 + kd s + kp.
double slowest_pole(double kp, double kd) {
  const double d = kd * kd - 4 * kp;
  return (-kd + std::sqrt(std::max(d, 0.0))) / 2;
}

}  // namespace

ComputedTorque::ComputedTorque(const Model<double>& model, PdiGains gains, Effects effects)
    : PdiLaw(name, model, std::move(gains)), effects_(effects), ws_(model), qdd_(e_.size()) {
  if (gains_.has_integral() &&
      !(gains_.Kp.is_diagonal() && gains_.Kd.is_diagonal() && gains_.Ki.is_diagonal()))
    throw Error(std::string(name) + ": with an integral Kp, Kd and Ki must be diagonal");
}

void ComputedTorque::torque(double, const ControlState& state, View<const double> x_c,
                            const ControlReference& reference, View<double> tau) {
  tracking_error(*model_, state, reference, e_, edot_);
  copy_or_zero(reference.qdd, qdd_);
  gains_.add(e_, edot_, x_c, qdd_);
  tree_inverse_dynamics(*model_, ws_, state.q, state.qd, qdd_, {}, tau, effects_);
}

std::vector<Condition> ComputedTorque::conditions() {
  std::vector<Condition> all = gains_.conditions();
  const int n = model_->n_v();
  double pole = -infinity, routh = infinity;
  for (int k = 0; k < n; ++k) {
    pole = std::max(pole, slowest_pole(gains_.Kp(k, k), gains_.Kd(k, k)));
    if (gains_.has_integral())
      routh = std::min(routh, gains_.Kd(k, k) * gains_.Kp(k, k) - gains_.Ki(k, k));
  }
  if (gains_.has_integral())
    all.push_back(condition("integral gain small enough", "smallest kd kp - ki", routh,
                            Relation::greater, 0));
  else if (gains_.Kp.is_diagonal() && gains_.Kd.is_diagonal())
    all.push_back(condition("poles in the left half-plane (3-30)",
                            "largest real part of the poles, 1/s", pole, Relation::less, 0));
  return all;
}

std::vector<Prediction> ComputedTorque::predictions() {
  if (!gains_.Kp.is_diagonal() || !gains_.Kd.is_diagonal())
    return gains_.reach(gains_.Kp.smallest_eigenvalue());
  std::vector<Prediction> all;
  for (int k = 0; k < model_->n_v(); ++k) {
    std::vector<double> equation{gains_.Kp(k, k), gains_.Kd(k, k)};
    if (gains_.has_integral()) equation.push_back(gains_.Ki(k, k));
    all.push_back(linear_error(model_->dof_name(k), k, std::move(equation)));
  }
  return all;
}

LyapunovValue ComputedTorque::lyapunov(double, const ControlState& state, View<const double> x_c,
                                       const ControlReference& reference, const Model<double>&) {
  tracking_error(*model_, state, reference, e_, edot_);
  double value = 0.5 * gains_.Kp.quadratic(e_);
  if (!gains_.has_integral()) {
    for (const double v : edot_) value += 0.5 * v * v;
    return {value, -gains_.Kd.quadratic(edot_)};
  }
  double rate = 0;
  for (int k = 0; k < x_c.size; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double kp = gains_.Kp(k, k), kd = gains_.Kd(k, k), ki = gains_.Ki(k, k);
    const double s = edot_[i] + kd * e_[i];
    value += 0.5 * s * s + ki * x_c[k] * e_[i] + 0.5 * kd * ki * x_c[k] * x_c[k];
    rate -= (kd * kp - ki) * e_[i] * e_[i];
  }
  return {value, rate};
}

Feedforward::Feedforward(const Model<double>& model, PdiGains gains, Effects effects)
    : PdiLaw(name, model, std::move(gains)),
      effects_(effects),
      ws_(model),
      qd_(e_.size()),
      qdd_(e_.size()) {}

void Feedforward::torque(double, const ControlState& state, View<const double> x_c,
                         const ControlReference& reference, View<double> tau) {
  tracking_error(*model_, state, reference, e_, edot_);
  copy_or_zero(reference.qd, qd_);
  copy_or_zero(reference.qdd, qdd_);
  tree_inverse_dynamics(*model_, ws_, reference.q, qd_, qdd_, {}, tau, effects_);
  gains_.add(e_, edot_, x_c, tau);
}

std::vector<Condition> Feedforward::conditions() {
  return PdFixedGravity(*model_, gains_).conditions();
}

AnyController make_computed_torque(const Model<double>& model, LawParameters& p) {
  return AnyController(ComputedTorque(model, pdi_gains(p, model.n_v())));
}
AnyController make_feedforward(const Model<double>& model, LawParameters& p) {
  return AnyController(Feedforward(model, pdi_gains(p, model.n_v())));
}

}  // namespace torsor
