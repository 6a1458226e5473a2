#include "torsor/control/uncertain/adaptive_computed_torque.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "configuration_search.hpp"
#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "torsor/control/run.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"
#include "torsor/linear/lyapunov.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

using namespace internal;

namespace {
constexpr int configurations = 64;
}

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
      g_(y_.size()),
      part_(y_.size()),
      H_(e_.size() * e_.size()),
      rest_(e_.size()),
      eigen_(model.n_v()) {
  const int n = model.n_v();
  gains_.Kp.check(name(), "Kp", n);
  gains_.Kd.check(name(), "Kd", n);
  gains_.Q.check(name(), "Q", 2 * n);
  if (!(gains_.inertia_floor >= 0) || !(gains_.floor_rate >= 0) ||
      !std::isfinite(gains_.inertia_floor) || !std::isfinite(gains_.floor_rate))
    throw Error(std::string(name()) + ": inertia_floor and floor_rate must not be negative");
  const LyapunovSolution solution =
      solve_lyapunov(error_system(gains_.Kp, gains_.Kd), gains_.Q.matrix());
  if (!solution.converged)
    throw Error(std::string(name()) + ": e'' + Kd e' + Kp e = 0 is not stable, so there is no R");
  R_ = solution.P.entries();
  const double smallest = smallest_over_configurations(adaptation_.start());
  if (!(smallest > 0))
    throw Error(std::string(name()) + ": H of the estimates p0 is singular (smallest eigenvalue " +
                number(smallest) + "); p0 must be of a possible robot");
  if (gains_.inertia_floor == 0) gains_.inertia_floor = smallest / 20;
}

double AdaptiveComputedTorque::smallest_over_configurations(In<double> p) {
  Array<double> q(model_->n_q());
  double smallest = infinity;
  for (int k = 0; k < configurations; ++k) {
    control_detail::draw_configuration(*model_, static_cast<std::uint64_t>(k + 1), false, q);
    smallest = std::fmin(smallest, decompose(q, p));
  }
  return smallest;
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

double AdaptiveComputedTorque::decompose(In<double> q, In<double> p_hat) {
  const int n = model_->n_v();
  adaptation_.set().inertia_matrix(q, p_hat, column_major(H_.data(), n, n));
  eigen_.factorise(column_major<const double>(H_.data(), n, n));
  return eigen_.smallest();
}

void AdaptiveComputedTorque::solve(double shift) {
  const int n = z_.size();
  for (int k = 0; k < n; ++k) {
    double along = 0;
    for (int r = 0; r < n; ++r) along += eigen_.vector(r, k) * z_[r];
    w_[k] = along / (eigen_.value(k) + shift);
  }
  for (int r = 0; r < n; ++r) {
    z_[r] = 0;
    for (int k = 0; k < n; ++k) z_[r] += eigen_.vector(r, k) * w_[k];
  }
}

void AdaptiveComputedTorque::hold(In<double> q, In<double> p_hat, double smallest) {
  const double d = gains_.inertia_floor, share = std::clamp((2 * d - smallest) / d, 0.0, 1.0);
  if (!(share > 0)) return;
  // g = Y(q, 0, 0, v)^T v less the part of gravity
  for (int r = 0; r < z_.size(); ++r) z_[r] = eigen_.vector(r, 0);
  adaptation_.set().transpose_times(q, rest_, rest_, z_, z_, g_);
  adaptation_.set().transpose_times(q, rest_, rest_, rest_, z_, part_);
  for (int c = 0; c < g_.size(); ++c) g_[c] -= part_[c];
  const auto along = [&](In<double> gradient) {  // g^T A gradient
    adaptation_.rate(p_hat, gradient, part_);
    double sum = 0;
    for (int c = 0; c < g_.size(); ++c) sum += g_[c] * part_[c];
    return sum;
  };
  const double outward = -along(y_), size = along(g_);
  if (!(size > 0)) return;  // the estimates do not move this inertia
  const double m = share * (std::fmax(0, outward) + gains_.floor_rate * (2 * d - smallest)) / size;
  for (int c = 0; c < g_.size(); ++c) y_[c] += m * g_[c];
}

void AdaptiveComputedTorque::state_derivative(const ControlInput& input, Out<double> p_hat_rate) {
  const In<double> p_hat = input.x_c, q = input.state.q;
  if (input.state.qdd.empty())
    throw Error(std::string(name()) + " needs the measured acceleration: measure_acceleration");
  measure_error(input);
  const int n = model_->n_v();
  const double smallest = decompose(q, p_hat);
  for (int r = 0; r < n; ++r) {  // z = H_hat^-1 B^T R x
    z_[r] = 0;
    for (int c = 0; c < 2 * n; ++c) z_[r] += R_[(n + r) * 2 * n + c] * x_[c];
  }
  solve(std::fmax(0, gains_.inertia_floor - smallest));
  adaptation_.set().transpose_times(q, input.state.qd, input.state.qd, input.state.qdd, z_, y_);
  hold(q, p_hat, smallest);
  adaptation_.rate(p_hat, y_, p_hat_rate);
}

LyapunovValue AdaptiveComputedTorque::lyapunov(const ControlInput& input,
                                               const Model<double>& plant) {
  const In<double> p_hat = input.x_c;
  measure_error(input);
  const int n = 2 * model_->n_v();
  double V = 2 * adaptation_.energy(p_hat, plant);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) V += x_[r] * R_[r * n + c] * x_[c];
  const bool held = decompose(input.state.q, p_hat) < 2 * gains_.inertia_floor;
  return {V, -gains_.Q.quadratic(x_), held || adaptation_.is_bounded()};
}

std::vector<Condition> AdaptiveComputedTorque::conditions(const Run& run) {
  std::vector<Condition> list{
      positive_definite("Kp", gains_.Kp),
      positive_definite("Kd", gains_.Kd),
      positive_definite("Q", gains_.Q),
      positive_definite("R", Gain::full(2 * model_->n_v(), R_)),
      condition("H_hat invertible at the start", "smallest eigenvalue of H_hat",
                smallest_over_configurations(adaptation_.start()), Relation::greater, 0,
                std::to_string(configurations) + " configurations sampled"),
      condition("inertia_floor below the plant", "twice the floor, kg m^2",
                2 * gains_.inertia_floor, Relation::at_most,
                inertia_bounds(*run.plant, 512, run.stops).smallest,
                "the smallest eigenvalue of H, 512 configurations sampled")};
  append(list, adaptation_.conditions(run));
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
  Array<double> q(model_->n_q()), p;
  double smallest = infinity;
  for (int k = 0; k < samples; ++k) {
    control_detail::draw_configuration(*model_, static_cast<std::uint64_t>(k + 1), false, q);
    const auto value = [&] { return decompose(q, p); };
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

LawEntry internal::adaptive_computed_torque() {
  return {"adaptive_computed_torque",
          "uncertain/adaptive_computed_torque.hpp",
          "the same on computed torque; needs measured qdd and a floor under H_hat",
          GainList{required_gain("Kp", GainKind::gain, "100", "1/s^2", "of e"),
                   required_gain("Kd", GainKind::gain, "20", "1/s", "of edot"),
                   optional_gain("Q", GainKind::gain, "1", "",
                                 "of the Lyapunov equation for (e, edot), size 2 n"),
                   optional_gain("inertia_floor", GainKind::number, "0", "kg m^2",
                                 "below twice this eigenvalue of H_hat estimates are held; 0: a "
                                 "twentieth of the least at p0"),
                   optional_gain("floor_rate", GainKind::number, "10", "1/s",
                                 "at which they leave it")} +
              adaptation_gain_list(),
          "q, qd, qdd of the joints",
          "Huo 2005, sec. 3.9, (3-72) to (3-78); Craig, Hsu & Sastry 1987",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            const int n = model.n_v();
            AdaptiveComputedTorqueGains gains{p.gain("Kp", n), p.gain("Kd", n), p.gain("Q", 2 * n),
                                              p.number("inertia_floor"), p.number("floor_rate")};
            return std::make_unique<AdaptiveComputedTorque>(model, std::move(gains),
                                                            adaptation_options(model, p));
          }};
}

}  // namespace torsor
