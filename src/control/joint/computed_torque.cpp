#include "torsor/control/joint/computed_torque.hpp"

#include <algorithm>
#include <cmath>

#include "law_entries.hpp"
#include "torsor/control/joint/pd_fixed_gravity.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

void copy_or_zero(In<double> from, Array<double>& to) {
  for (int k = 0; k < to.size(); ++k) to[k] = from.empty() ? 0.0 : from[static_cast<int>(k)];
}

/// Largest real part of the roots of s^2 + kd s + kp.
double slowest_pole(double kp, double kd) {
  const double d = kd * kd - 4 * kp;
  return (-kd + std::sqrt(std::max(d, 0.0))) / 2;
}

}  // namespace

ComputedTorque::ComputedTorque(const Model<double>& model, PdiGains gains, Effects effects)
    : PdiLaw("computed_torque", model, std::move(gains)),
      effects_(effects),
      ws_(model),
      qdd_(e_.size()) {
  if (gains_.has_integral() &&
      !(gains_.Kp.is_diagonal() && gains_.Kd.is_diagonal() && gains_.Ki.is_diagonal()))
    throw Error(std::string(name()) + ": with an integral Kp, Kd and Ki must be diagonal");
}

void ComputedTorque::torque(const ControlInput& input, Out<double> tau) {
  tracking_error(*model_, input, e_, edot_);
  copy_or_zero(input.reference.qdd, qdd_);
  gains_.add(e_, edot_, input.x_c, qdd_);
  tree_inverse_dynamics(*model_, ws_, input.state.q, input.state.qd, qdd_, {}, tau, effects_);
}

std::vector<Condition> ComputedTorque::conditions(const Run&) {
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
    all.push_back(condition("poles in the left half-plane (Huo 2005, (3-30))",
                            "largest real part of the poles, 1/s", pole, Relation::less, 0));
  return all;
}

std::vector<Prediction> ComputedTorque::predictions(const Run&) {
  if (!gains_.Kp.is_diagonal() || !gains_.Kd.is_diagonal())
    return gains_.reach(gains_.Kp.smallest_eigenvalue(), 0);
  std::vector<Prediction> all;
  for (int k = 0; k < model_->n_v(); ++k) {
    Array<double> equation{gains_.Kp(k, k), gains_.Kd(k, k)};
    if (gains_.has_integral()) equation.push_back(gains_.Ki(k, k));
    all.push_back(linear_error(model_->dof_name(k), k, std::move(equation)));
  }
  return all;
}

LyapunovValue ComputedTorque::lyapunov(const ControlInput& input, const Model<double>&) {
  tracking_error(*model_, input, e_, edot_);
  double value = 0.5 * gains_.Kp.quadratic(e_);
  if (!gains_.has_integral()) {
    for (const double v : edot_) value += 0.5 * v * v;
    return {value, -gains_.Kd.quadratic(edot_)};
  }
  double rate = 0;
  for (int k = 0; k < input.x_c.size; ++k) {
    const auto i = k;
    const double kp = gains_.Kp(k, k), kd = gains_.Kd(k, k), ki = gains_.Ki(k, k);
    const double s = edot_[i] + kd * e_[i];
    value += 0.5 * s * s + ki * input.x_c[k] * e_[i] + 0.5 * kd * ki * input.x_c[k] * input.x_c[k];
    rate -= (kd * kp - ki) * e_[i] * e_[i];
  }
  return {value, rate};
}

Feedforward::Feedforward(const Model<double>& model, PdiGains gains, Effects effects)
    : SetPointLaw("feedforward", model, std::move(gains)),
      effects_(effects),
      ws_(model),
      qd_(e_.size()),
      qdd_(e_.size()) {}

void Feedforward::torque(const ControlInput& input, Out<double> tau) {
  tracking_error(*model_, input, e_, edot_);
  copy_or_zero(input.reference.qd, qd_);
  copy_or_zero(input.reference.qdd, qdd_);
  tree_inverse_dynamics(*model_, ws_, input.reference.q, qd_, qdd_, {}, tau, effects_);
  gains_.add(e_, edot_, input.x_c, tau);
}

std::vector<Condition> Feedforward::conditions(const Run& run) {
  return PdFixedGravity(*model_, gains_).conditions(run);
}

using namespace internal;

LawEntry internal::computed_torque() {
  return {"computed_torque",
          "joint/computed_torque.hpp",
          "e'' + Kd e' + Kp e = 0",
          pdi_gain_list("1/s^2", "1/s"),
          "q, qd, qdd of the joints",
          "Huo 2005, sec. 3.4",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            return std::make_unique<ComputedTorque>(model, pdi_gains(p, model.n_v()));
          }};
}

LawEntry internal::feedforward() {
  return {"feedforward",
          "joint/computed_torque.hpp",
          "inverse dynamics of the reference, PD beside it; proven for set points alone",
          pdi_gain_list("N m / rad", "N m s / rad"),
          "q, qd, qdd of the joints",
          "Huo 2005, sec. 3.4, exercise 3-5",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            return std::make_unique<Feedforward>(model, pdi_gains(p, model.n_v()));
          }};
}

}  // namespace torsor
