#include "torsor/control/uncertain/adaptive_computed_torque.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "law_entries.hpp"
#include "torsor/linear/lyapunov.hpp"

namespace torsor {

AdaptiveComputedTorque::AdaptiveComputedTorque(const Model<double>& model,
                                               AdaptiveComputedTorqueGains gains,
                                               AdaptationOptions adaptation)
    : ControlLaw("adaptive_computed_torque", model),
      gains_(std::move(gains)),
      adaptation_(name(), model, std::move(adaptation)),
      x_(2 * model.n_v()),
      e_(model.n_v()),
      edot_(e_.size()),
      w_(e_.size()),
      z_(e_.size()),
      y_(adaptation_.size()),
      H_(e_.size() * e_.size()),
      factors_(model.n_v()) {
  const int n = model.n_v();
  gains_.Kp.check(name(), "Kp", n);
  gains_.Kd.check(name(), "Kd", n);
  gains_.Q.check(name(), "Q", 2 * n);
  if (!(gains_.condition_limit > 1) || !(gains_.reset_rate >= 0))
    throw Error(std::string(name()) +
                ": condition_limit must be over 1 and reset_rate must not be negative");
  const LyapunovSolution solution =
      solve_lyapunov(error_system(gains_.Kp, gains_.Kd), gains_.Q.matrix());
  if (!solution.converged)
    throw Error(std::string(name()) + ": e'' + Kd e' + Kp e = 0 is not stable, so there is no R");
  R_ = solution.P.entries();
  const Spectrum s = spectrum(adaptation_.start());
  if (!(s.smallest > 0) || !(s.condition <= gains_.condition_limit))
    throw Error(std::string(name()) + ": H of the estimates p0 is singular (smallest eigenvalue " +
                std::to_string(s.smallest) + ", condition number " + std::to_string(s.condition) +
                "); p0 must be of a possible robot");
}

AdaptiveComputedTorque::Spectrum AdaptiveComputedTorque::spectrum(In<double> p) {
  constexpr int samples = 64;
  const int n = model_->n_v();
  Array<double> q(model_->n_q());
  Spectrum worst{infinity, 0};
  for (int k = 0; k < samples; ++k) {
    random_configuration(*model_, static_cast<std::uint64_t>(k + 1), q);
    adaptation_.set().inertia_matrix(q, p, column_major(H_.data(), n, n));
    const Gain H = Gain::full(n, H_);
    const double low = H.smallest_eigenvalue(), high = H.largest_eigenvalue();
    worst.smallest = std::fmin(worst.smallest, low);
    worst.condition = std::fmax(worst.condition, low > 0 ? high / low : infinity);
  }
  return worst;
}

void AdaptiveComputedTorque::measure_error(const ControlInput& input) {
  tracking_error(*model_, input, e_, edot_);
  std::copy(e_.begin(), e_.end(), x_.begin());
  std::copy(edot_.begin(), edot_.end(), x_.begin() + model_->n_v());
}

void AdaptiveComputedTorque::torque(const ControlInput& input, Out<double> tau) {
  const In<double> p_hat = input.x_c;
  measure_error(input);
  for (int k = 0; k < w_.size(); ++k)
    w_[k] = input.reference.qdd.empty() ? 0.0 : input.reference.qdd[static_cast<int>(k)];
  gains_.Kp.add_product(e_, w_);
  gains_.Kd.add_product(edot_, w_);
  adaptation_.set().torque(input.state.q, input.state.qd, input.state.qd, w_, p_hat, tau);
}

double AdaptiveComputedTorque::factorise(In<double> q, In<double> p_hat) {
  const int n = model_->n_v();
  const OutMatrix<double> H = column_major(H_.data(), n, n);
  adaptation_.set().inertia_matrix(q, p_hat, H);
  return factors_.factorise(H) ? factors_.pivot_ratio() : -1;
}

void AdaptiveComputedTorque::state_derivative(const ControlInput& input, Out<double> p_hat_rate) {
  const In<double> p_hat = input.x_c;
  if (input.state.qdd.empty())
    throw Error(std::string(name()) + " needs the measured acceleration: measure_acceleration");
  measure_error(input);
  const int n = model_->n_v();
  // 1 where H_hat is sound, 0 from the limit on
  const double regular = factorise(input.state.q, p_hat) * gains_.condition_limit;
  const double trust = std::clamp(regular - 1, 0.0, 1.0);
  for (double& x : p_hat_rate) x = 0;
  if (trust > 0) {
    for (int r = 0; r < n; ++r) {  // z = H_hat^-1 B^T R x
      z_[r] = 0;
      for (int c = 0; c < 2 * n; ++c) z_[r] += R_[(n + r) * 2 * n + c] * x_[c];
    }
    factors_.solve(z_);
    adaptation_.set().transpose_times(input.state.q, input.state.qd, input.state.qd,
                                      input.state.qdd, z_, y_);
    adaptation_.rate(p_hat, y_, p_hat_rate);
  }
  if (trust < 1)
    for (int c = 0; c < adaptation_.size(); ++c)
      p_hat_rate[c] = trust * p_hat_rate[c] +
                      (1 - trust) * gains_.reset_rate * (adaptation_.start()[c] - p_hat[c]);
}

LyapunovValue AdaptiveComputedTorque::lyapunov(const ControlInput& input,
                                               const Model<double>& plant) {
  const In<double> p_hat = input.x_c;
  measure_error(input);
  const int n = 2 * model_->n_v();
  double V = 2 * adaptation_.energy(p_hat, plant);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) V += x_[r] * R_[r * n + c] * x_[c];
  return {V, -gains_.Q.quadratic(x_), adaptation_.is_bounded()};
}

std::vector<Condition> AdaptiveComputedTorque::conditions(const Run&) {
  const int n = model_->n_v();
  const Spectrum start = spectrum(adaptation_.start());
  std::vector<Condition> list{
      condition("Kp positive definite", "smallest eigenvalue of Kp",
                gains_.Kp.smallest_eigenvalue(), Relation::greater, 0),
      condition("Kd positive definite", "smallest eigenvalue of Kd",
                gains_.Kd.smallest_eigenvalue(), Relation::greater, 0),
      condition("Q positive definite", "smallest eigenvalue of Q", gains_.Q.smallest_eigenvalue(),
                Relation::greater, 0),
      condition("R positive definite", "smallest eigenvalue of R",
                Gain::full(2 * n, R_).smallest_eigenvalue(), Relation::greater, 0),
      condition("H_hat invertible at the start", "largest condition number of H_hat",
                start.condition, Relation::at_most, gains_.condition_limit,
                "64 configurations sampled")};
  for (Condition& c : adaptation_.conditions()) list.push_back(std::move(c));
  if (adaptation_.is_bounded())
    list.push_back(condition("H_hat invertible within the bounds", "smallest eigenvalue of H_hat",
                             smallest_within_bounds(), Relation::greater, 0,
                             "16 configurations sampled"));
  return list;
}

std::vector<Prediction> AdaptiveComputedTorque::predictions(const Run&) {
  const double mu = 2 * Gain::full(2 * model_->n_v(), R_).smallest_eigenvalue();
  if (!(mu > 0)) return {};
  return {{"errors stay within sqrt(V(0) / l_m(R))", PredictedQuantity::reach, -1, 0, {mu}}};
}

/// The smallest eigenvalue is concave in p, so it is smallest at a corner of the bounds: from the
/// start corner by corner, downhill.
double AdaptiveComputedTorque::smallest_within_bounds() {
  constexpr int samples = 16;
  const int n = model_->n_v();
  Array<double> q(model_->n_q()), p;
  double smallest = infinity;
  for (int k = 0; k < samples; ++k) {
    random_configuration(*model_, static_cast<std::uint64_t>(k + 1), q);
    const auto value = [&] {
      adaptation_.set().inertia_matrix(q, p, column_major(H_.data(), n, n));
      return Gain::full(n, H_).smallest_eigenvalue();
    };
    p.assign(adaptation_.start().begin(), adaptation_.start().end());
    double best = value();
    for (bool moved = true; moved;) {
      moved = false;
      for (int c = 0; c < adaptation_.size(); ++c)
        for (const double bound : {adaptation_.lower()[c], adaptation_.upper()[c]}) {
          const double before = std::exchange(p[c], bound);
          if (const double x = value(); x < best)
            best = x, moved = true;
          else
            p[c] = before;
        }
    }
    smallest = std::fmin(smallest, best);
  }
  return smallest;
}

using namespace internal;

LawEntry internal::adaptive_computed_torque() {
  return {"adaptive_computed_torque",
          "uncertain/adaptive_computed_torque.hpp",
          "the same on computed torque; needs measured qdd and an H_hat that can be inverted",
          GainList{required_gain("Kp", GainKind::gain, "100", "1/s^2", "of e"),
                   required_gain("Kd", GainKind::gain, "20", "1/s", "of edot"),
                   optional_gain("Q", GainKind::gain, "1", "",
                                 "of the Lyapunov equation for (e, edot), size 2 n"),
                   optional_gain("condition_limit", GainKind::number, "1e6", "",
                                 "of H_hat; beyond it estimates return to their start"),
                   optional_gain("reset_rate", GainKind::number, "10", "1/s", "of that return")} +
              adaptation_gain_list(),
          "q, qd, qdd of the joints",
          "Huo 2005, sec. 3.9, (3-72) to (3-78); Craig, Hsu & Sastry 1987",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            const int n = model.n_v();
            AdaptiveComputedTorqueGains gains{p.gain("Kp", n), p.gain("Kd", n), p.gain("Q", 2 * n),
                                              p.number("condition_limit"), p.number("reset_rate")};
            return std::make_unique<AdaptiveComputedTorque>(model, std::move(gains),
                                                            adaptation_options(model, p));
          }};
}

}  // namespace torsor
