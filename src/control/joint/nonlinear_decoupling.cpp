#include "torsor/control/joint/nonlinear_decoupling.hpp"

#include <algorithm>
#include <cmath>

#include "law_entries.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

namespace {

/// Weight of e^2 in V, squared: where the poles are (almost) double, w alone would not show e.
double weight(double l0, double half) {
  return std::fmax(std::abs(l0 - half * half), half * half / 100);
}
/// Rate at which V of one joint decays at least.
double decay(double l0, double l1) {
  const double half = l1 / 2, m2 = weight(l0, half);
  return m2 > 0 ? l1 - std::abs(half * half - l0 + m2) / std::sqrt(m2) : 0;
}
/// Real part of the slower pole of s^2 + l1 s + l0.
double slowest(double l0, double l1) {
  const double d = l1 * l1 / 4 - l0;
  return -l1 / 2 + (d > 0 ? std::sqrt(d) : 0);
}

}  // namespace

Array<double> pole_coefficients(const Array<std::complex<double>>& poles) {
  Array<std::complex<double>> a{1};  // a[k] of s^k
  double size = 1;
  for (const std::complex<double>& p : poles) {
    a.insert(a.begin(), 0);
    for (int k = 0; k + 1 < a.size(); ++k) a[k] -= p * a[k + 1];
    size *= 1 + std::abs(p);
  }
  Array<double> real;
  for (int k = 0; k < poles.size(); ++k) {
    if (!(std::abs(a[k].imag()) <= 1e-12 * size))
      throw Error("poles: complex ones need their conjugates");
    real.push_back(a[k].real());
  }
  return real;
}

DecouplingGains NonlinearDecoupling::from_poles(const Array<std::complex<double>>& poles) {
  if (poles.size() % 2 != 0)
    throw Error("nonlinear_decoupling: " + std::to_string(poles.size()) +
                " poles; two per degree of freedom are needed");
  DecouplingGains gains;
  for (int k = 0; k < poles.size(); k += 2) {
    const Array<double> a = pole_coefficients({poles[k], poles[k + 1]});
    gains.Lambda0.push_back(a[0]);
    gains.Lambda1.push_back(a[1]);
  }
  return gains;
}

NonlinearDecoupling::NonlinearDecoupling(const Model<double>& model, DecouplingGains gains)
    : ControlLaw("nonlinear_decoupling", model),
      gains_(std::move(gains)),
      rnea_(model),
      e_(model.n_v()),
      edot_(e_.size()),
      qdd_(e_.size()) {
  Gain(gains_.Lambda0).check(name(), "Lambda0", model.n_v());
  Gain(gains_.Lambda1).check(name(), "Lambda1", model.n_v());
}

void NonlinearDecoupling::torque(const ControlInput& input, Out<double> tau) {
  tracking_error(*model_, input, e_, edot_);
  for (int k = 0; k < e_.size(); ++k)
    qdd_[k] = (input.reference.qdd.empty() ? 0.0 : input.reference.qdd[static_cast<int>(k)]) +
              gains_.Lambda1[k] * edot_[k] + gains_.Lambda0[k] * e_[k];
  rigid_inverse_dynamics(*model_, rnea_, input.state.q, input.state.qd, qdd_, {}, tau);
  add_joint_torques(*model_, input.state.q, input.state.qd, tau);
}

std::vector<Condition> NonlinearDecoupling::conditions(const Run&) {
  double worst = -infinity;
  for (int k = 0; k < e_.size(); ++k)
    worst = std::max(worst, slowest(gains_.Lambda0[k], gains_.Lambda1[k]));
  const InertiaBounds h = inertia_bounds(*model_);
  return {condition("poles in the left half plane", "largest real part of a pole", worst,
                    Relation::less, 0),
          condition("D* = H^-1 exists", "smallest eigenvalue of H", h.smallest, Relation::greater,
                    0, "from " + std::to_string(h.samples) + " configurations")};
}

std::vector<Prediction> NonlinearDecoupling::predictions(const Run&) {
  double rate = infinity;
  for (int k = 0; k < e_.size(); ++k)
    rate = std::min(rate, decay(gains_.Lambda0[k], gains_.Lambda1[k]));
  std::vector<Prediction> all;
  if (rate > 0 && rate < infinity)
    all.push_back({"V decays as the slowest pole says", PredictedQuantity::decay_rate, -1, rate});
  for (int k = 0; k < model_->n_v(); ++k) {
    const auto i = k;
    all.push_back(linear_error(model_->dof_name(k), k, {gains_.Lambda0[i], gains_.Lambda1[i]}));
  }
  return all;
}

LyapunovValue NonlinearDecoupling::lyapunov(const ControlInput& input, const Model<double>&) {
  tracking_error(*model_, input, e_, edot_);
  LyapunovValue V;
  for (int k = 0; k < e_.size(); ++k) {
    const double half = gains_.Lambda1[k] / 2, l0 = gains_.Lambda0[k], m2 = weight(l0, half);
    const double w = edot_[k] + half * e_[k], value = 0.5 * (w * w + m2 * e_[k] * e_[k]);
    V.value += value;
    V.rate += -2 * half * value + (half * half - l0 + m2) * e_[k] * w;
  }
  return V;
}

/// Lambda0 and Lambda1, or two poles per degree of freedom by their real and imaginary parts.

LawEntry internal::nonlinear_decoupling() {
  return {
      "nonlinear_decoupling",
      "joint/nonlinear_decoupling.hpp",
      "poles of each joint at will",
      {required_gain("Lambda0", GainKind::vector, "100", "1/s^2",
                     "of e, one for each joint; not with poles"),
       required_gain("Lambda1", GainKind::vector, "20", "1/s",
                     "of edot, one for each joint; not with poles"),
       optional_gain("poles", GainKind::vector, "", "1/s",
                     "instead: two real parts for each joint"),
       optional_gain("imaginary", GainKind::vector, "0", "1/s", "imaginary parts of the poles")},
      "q, qd, qdd of the joints",
      "Huo 2005, sec. 3.7, (3-62) to (3-66)",
      [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
        const int n = model.n_v();
        if (!p.has("poles")) {
          return std::make_unique<NonlinearDecoupling>(
              model, DecouplingGains{p.numbers("Lambda0", n), p.numbers("Lambda1", n)});
        }
        const Array<double> re = p.numbers("poles", 2 * n), im = p.numbers("imaginary", 2 * n);
        Array<std::complex<double>> poles;
        for (int k = 0; k < re.size(); ++k) poles.emplace_back(re[k], im[k]);
        return std::make_unique<NonlinearDecoupling>(model, NonlinearDecoupling::from_poles(poles));
      }};
}

}  // namespace torsor
