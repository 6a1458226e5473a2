#include "torsor/control/joint/optimal_computed_torque.hpp"

#include <algorithm>
#include <cmath>

#include "law_entries.hpp"
#include "torsor/control/run.hpp"
#include "torsor/linear/symmetric_eigen.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/friction.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace {

/// x' = F x + B u with u = edd.
RiccatiProblem integrators(int n, const OptimalWeights& weights) {
  Matrix F(2 * n, 2 * n), B(2 * n, n);
  for (int k = 0; k < n; ++k) F(k, n + k) = B(n + k, k) = 1;
  return riccati_problem(F, B, weights.Q.matrix(), weights.R0.matrix());
}

}  // namespace

OptimalComputedTorque::OptimalComputedTorque(OptimalWeights weights, const Model<double>& model)
    : ControlLaw("optimal_computed_torque", model),
      weights_(std::move(weights)),
      rnea_(model),
      K_(4 * model.n_v() * model.n_v()),
      x_(2 * model.n_v()),
      edd_(model.n_v()),
      costate_(edd_.size()),
      qdd_(edd_.size()) {
  const int n = model.n_v();
  if (weights_.Q.size() != 2 * n)
    throw Error(std::string(name()) + ": weight Q is of size " + std::to_string(weights_.Q.size()) +
                "; errors and their rates are " + std::to_string(2 * n));
  weights_.R0.check(name(), "R0", n);
  problem_ = integrators(n, weights_);
  const Matrix identity = Matrix::identity(n);
  R0_inverse_ = optimal_gain(identity, weights_.R0.matrix(), identity).entries();
}

OptimalComputedTorque::OptimalComputedTorque(const Model<double>& model, OptimalWeights weights)
    : OptimalComputedTorque(std::move(weights), model) {
  solution_ = solve_riccati(problem_);
  K_ = solution_.K.entries();
}

OptimalComputedTorque::OptimalComputedTorque(const Model<double>& model, OptimalWeights weights,
                                             const Gain& P, double tf)
    : OptimalComputedTorque(std::move(weights), model) {
  P_ = P;
  if (P.size() != 2 * model.n_v())
    throw Error(std::string(name()) + ": weight P is of size " + std::to_string(P.size()) +
                "; errors and their rates are " + std::to_string(2 * model.n_v()));
  if (const double skew = P.asymmetry(); !(skew <= 1e-12 * std::abs(P.largest_eigenvalue())))
    throw Error(std::string(name()) + ": weight P is not symmetric: entries differ by " +
                number(skew));
  history_.emplace_back(problem_, P.matrix(), tf);
}

In<double> OptimalComputedTorque::cost_matrix(double t) {
  if (!history_.empty()) history_[0].at(t, K_);
  return K_;
}

Gain OptimalComputedTorque::position_gain(double t) {
  const int n = model_->n_v();
  const In<double> K = cost_matrix(t);
  Array<double> g(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) g[i * n + j] += R0_inverse_[i * n + k] * K[(n + k) * 2 * n + j];
  return Gain::full(n, std::move(g));
}
Gain OptimalComputedTorque::velocity_gain(double t) {
  const int n = model_->n_v();
  const In<double> K = cost_matrix(t);
  Array<double> g(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        g[i * n + j] += R0_inverse_[i * n + k] * K[(n + k) * 2 * n + n + j];
  return Gain::full(n, std::move(g));
}

void OptimalComputedTorque::error_motion(const ControlInput& input) {
  const int n = model_->n_v(), two = 2 * n;
  tracking_error(*model_, input, {x_.data(), n}, {x_.data() + n, n});
  const In<double> K = cost_matrix(input.t);
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < two; ++j) s += K[(n + i) * two + j] * x_[j];
    costate_[i] = s;
  }
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < n; ++j) s -= R0_inverse_[i * n + j] * costate_[j];
    edd_[i] = s;
  }
}

void OptimalComputedTorque::torque(const ControlInput& input, Out<double> tau) {
  error_motion(input);
  for (int k = 0; k < tau.size; ++k)
    qdd_[k] = (input.reference.qdd.empty() ? 0.0 : input.reference.qdd[k]) - edd_[k];
  rigid_inverse_dynamics(*model_, rnea_, input.state.q, input.state.qd, qdd_, {}, tau);
  add_joint_torques(*model_, input.state.q, input.state.qd, tau);
}

std::vector<Condition> OptimalComputedTorque::conditions(const Run& run) {
  const int n = model_->n_v();
  Array<double> Q11(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) Q11[i * n + j] = weights_.Q(i, j);
  const double size = std::fmax(1, std::abs(weights_.Q.largest_eigenvalue()));
  std::vector<Condition> list = {
      condition("Q symmetric", "largest asymmetry of Q", weights_.Q.asymmetry(), Relation::at_most,
                0),
      condition("Q positive semidefinite", "smallest eigenvalue of Q",
                weights_.Q.smallest_eigenvalue(), Relation::at_least, -1e-12 * size),
      condition("R0 positive definite", "smallest eigenvalue of R0",
                weights_.R0.smallest_eigenvalue(), Relation::greater, 0),
  };
  if (!history_.empty()) {
    const double tf = history_[0].horizon();
    list.push_back(condition("P positive semidefinite", "smallest eigenvalue of P",
                             P_.smallest_eigenvalue(), Relation::at_least,
                             -1e-12 * std::fmax(1, std::abs(P_.largest_eigenvalue()))));
    list.push_back(hypothesis("the run ends by the horizon", "end of the run, s",
                              run.start + run.duration, Relation::at_most, tf * (1 + 1e-12),
                              "later the gains of the horizon stay and nothing is claimed"));
    return list;
  }
  list.push_back(condition("positions are seen by the cost (Q11 > 0)", "smallest eigenvalue of Q11",
                           Gain::full(n, std::move(Q11)).smallest_eigenvalue(), Relation::greater,
                           0, "at 0 the position gain is singular"));
  double largest_K = 1;
  for (const double k : solution_.K.entries()) largest_K = std::max(largest_K, std::abs(k));
  list.push_back(condition(
      "Riccati equation solved (Huo 2005, (3-55))", "residual over the size of K and Q",
      solution_.converged ? solution_.residual / (largest_K * largest_K + size) : std::nan(""),
      Relation::at_most, 1e-10));
  return list;
}

std::vector<Prediction> OptimalComputedTorque::predictions(const Run& run) {
  const int n = model_->n_v(), two = 2 * n;
  if (!history_.empty() && run.start + run.duration > history_[0].horizon() * (1 + 1e-12))
    return {};
  std::vector<Prediction> all{
      {"cost of the run over 1/2 x^T K x at its start", PredictedQuantity::cost, -1, 1}};
  if (!history_.empty()) return all;
  if (!solution_.converged) return {};
  // V' = -1/2 x^T (Q + K T K) x <= -l V with l the smallest ratio of the two forms
  Matrix M = problem_.Q;
  for (int i = 0; i < two; ++i)
    for (int j = 0; j < two; ++j)
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l)
          M(i, j) += K_[i * two + n + k] * R0_inverse_[k * n + l] * K_[(n + l) * two + j];
  const double rate =
      internal::smallest_generalised_eigenvalue(M, row_major<const double>(K_.data(), two, two));
  if (rate > 0)
    all.push_back({"V decays at least at the smallest ratio of its rate to it",
                   PredictedQuantity::decay_rate, -1, rate});
  return all;
}

LyapunovValue OptimalComputedTorque::lyapunov(const ControlInput& input, const Model<double>&) {
  const int n = model_->n_v(), two = 2 * n;
  error_motion(input);
  double V = 0, along = 0;
  for (int i = 0; i < two; ++i)
    for (int j = 0; j < two; ++j) {
      V += 0.5 * K_[i * two + j] * x_[i] * x_[j];
      along += K_[i * two + j] * x_[i] * (j < n ? x_[n + j] : edd_[j - n]);
    }
  if (!history_.empty() && input.t > history_[0].horizon()) return {V, along};  // K rests
  return {V, -0.5 * (weights_.Q.quadratic(x_) + weights_.R0.quadratic(edd_))};
}

LawEntry internal::optimal_computed_torque() {
  return {
      "optimal_computed_torque",
      "joint/optimal_computed_torque.hpp",
      "least weighted error and acceleration error, by Riccati equations; with a horizon until it "
      "ends",
      {required_gain("Q", GainKind::gain, "1", "", "weight of (e, edot), size 2 n"),
       required_gain("R0", GainKind::gain, "0.01", "", "weight of the acceleration error"),
       optional_gain("horizon", GainKind::number, "0", "s", "where the run ends; 0: never"),
       optional_gain("P", GainKind::gain, "", "", "weight of (e, edot) at the horizon, size 2 n")},
      "q, qd, qdd of the joints",
      "Huo 2005, sec. 3.6, (3-41) to (3-55)",
      [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
        const int n = model.n_v();
        OptimalWeights weights{p.gain("Q", 2 * n), p.gain("R0", n)};
        const double horizon = p.number("horizon");
        if (horizon == 0) return std::make_unique<OptimalComputedTorque>(model, std::move(weights));
        p.require("P");
        return std::make_unique<OptimalComputedTorque>(model, std::move(weights),
                                                       p.gain("P", 2 * n), horizon);
      }};
}

}  // namespace torsor
