#include "torsor/control/joint/point_lqr.hpp"

#include <algorithm>
#include <cmath>

#include "draws.hpp"
#include "law_entries.hpp"
#include "torsor/control/run.hpp"
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"
#include "torsor/dynamics/derivatives/joint_torque_derivatives.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/linear/symmetric_eigen.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

constexpr int states = 512;

struct Linearised {
  Matrix A, B;
  Array<double> tau;  // the torque of rest
};

Linearised linearise(const Model<double>& model, In<double> q) {
  const int n = model.n_v(), two = 2 * n;
  Array<double> rest(n), qdd(n), by_q(n * n), by_qd(n * n), by_tau(n * n);
  Linearised l{Matrix(two, two), Matrix(two, n), rest};
  RneaWorkspace<double> rnea(model);
  ForwardDynamicsDerivativesWorkspace<double> ws(model);
  const auto matrix = [n](Array<double>& a) { return column_major(a.data(), n, n); };
  gravity_torque(model, rnea, q, l.tau);
  const auto result = rigid_forward_dynamics_derivatives(
      model, ws, q, rest, l.tau, {}, qdd, matrix(by_q), matrix(by_qd), matrix(by_tau));
  if (!result) throw Error("point_lqr: the mass matrix cannot be inverted at the point");
  subtract_joint_torque_derivatives<double>(model, rest, matrix(by_tau), matrix(by_q),
                                            matrix(by_qd), l.tau);
  add_joint_torques(model, q, rest, l.tau);  // springs
  for (int r = 0; r < n; ++r) {
    l.A(r, n + r) = 1;
    for (int c = 0; c < n; ++c) {
      l.A(n + r, c) = by_q[r + n * c];
      l.A(n + r, n + c) = by_qd[r + n * c];
      l.B(n + r, c) = by_tau[r + n * c];
    }
  }
  return l;
}

}  // namespace

PointLqr::PointLqr(const Model<double>& model, In<double> q_star, const Gain& Q, const Gain& R)
    : ControlLaw("point_lqr", model),
      Q_(Q),
      R_(R),
      q_star_(q_star.begin(), q_star.end()),
      x_(2 * model.n_v()),
      u_(model.n_v()) {
  const int n = model.n_v();
  check_configuration(model, q_star_);
  R.check(name(), "R", n);
  if (Q.size() != 2 * n)
    throw Error(std::string(name()) + ": weight Q is of size " + std::to_string(Q.size()) +
                "; deviations and velocities are " + std::to_string(2 * n));
  Linearised l = linearise(model, q_star_);
  solution_ = solve_riccati(riccati_problem(l.A, l.B, Q.matrix(), R.matrix()));
  gain_ = optimal_gain(l.B, R.matrix(), solution_.K).entries();
  tau_star_ = std::move(l.tau);
}

void PointLqr::deviation(const ControlState& state) {
  const int n = model_->n_v();
  difference(*model_, In<double>(q_star_), state.q, Out<double>(x_.data(), n));
  for (int k = 0; k < n; ++k) x_[n + k] = state.qd[k];
}

void PointLqr::torque(const ControlInput& input, Out<double> tau) {
  const int n = model_->n_v();
  deviation(input.state);
  for (int i = 0; i < n; ++i) {
    tau[i] = tau_star_[i];
    for (int j = 0; j < 2 * n; ++j) tau[i] -= gain_[i * 2 * n + j] * x_[j];
  }
}

double PointLqr::predicted_cost(const ControlState& state) {
  const int two = 2 * model_->n_v();
  deviation(state);
  double sum = 0;
  for (int i = 0; i < two; ++i)
    for (int j = 0; j < two; ++j) sum += solution_.K(i, j) * x_[i] * x_[j];
  return sum / 2;
}

LyapunovValue PointLqr::lyapunov(const ControlInput& input, const Model<double>&) {
  const int n = model_->n_v();
  const double V = predicted_cost(input.state);  // leaves the deviation in x_
  for (int i = 0; i < n; ++i) {
    u_[i] = 0;
    for (int j = 0; j < 2 * n; ++j) u_[i] -= gain_[i * 2 * n + j] * x_[j];
  }
  return {.value = V, .rate = -0.5 * (Q_.quadratic(x_) + R_.quadratic(u_)), .local = true};
}

std::vector<Prediction> PointLqr::predictions(const Run&) {
  return {{"cost of the run over 1/2 x^T K x at its start, near the point",
           PredictedQuantity::cost,
           -1,
           1,
           {},
           0.1}};
}

double PointLqr::largest_growth(const Run& run, double V_start) {
  const int n = model_->n_v(), two = 2 * n;
  SymmetricEigen K(two);
  K.factorise(solution_.K);
  if (!(K.smallest() > 0) || !(V_start > 0)) return K.smallest() > 0 ? -infinity : infinity;
  DynamicsWorkspace<double> ws(*run.plant);
  const Effects effects{.friction = run.friction};
  Array<double> u(two), q(model_->n_q()), tau(n), qdd(n);
  internal::Draws draw;
  double most = -infinity;
  for (int k = 0; k < states; ++k) {
    draw.direction(1, u);
    const double V = V_start * (1 + k % 8) / 8;
    for (int r = 0; r < two; ++r) {
      x_[r] = 0;
      for (int c = 0; c < two; ++c) x_[r] += K.vector(r, c) * u[c] * std::sqrt(2 * V / K.value(c));
    }
    const Array<double> x = x_;
    const In<double> step(x.data(), n), qd(x.data() + n, n);
    integrate(*model_, q_star_, step, q);
    torque({0, {.q = q, .qd = qd}}, tau);
    for (int i = 0; i < n; ++i)
      tau[i] = std::clamp(tau[i], -run.torque_limit[i], run.torque_limit[i]);
    if (!tree_forward_dynamics(*run.plant, ws, q, qd, tau, {}, qdd, effects)) return infinity;
    double rate = 0;  // x^T K x'
    for (int r = 0; r < two; ++r)
      for (int c = 0; c < two; ++c) rate += x[r] * solution_.K(r, c) * (c < n ? qd[c] : qdd[c - n]);
    if (std::isnan(rate / V) || rate / V > most) most = rate / V;  // NaN stays
  }
  return most;
}

std::vector<Condition> PointLqr::conditions(const Run& run) {
  const double V = predicted_cost({.q = run.q0, .qd = run.v0});
  double size = 1;
  for (const double k : solution_.K.entries()) size = std::max(size, std::abs(k));
  const double q = std::fmax(1, std::abs(Q_.largest_eigenvalue()));
  // What the run asks for, where it asks for anything: the law knows its own point alone.
  double off = 0;
  ReferencePoint asked;
  Array<double> e(model_->n_v());
  for (int k = 0; run.reference && k <= 16; ++k) {
    run.reference(run.start + run.duration * k / 16, asked);
    if (asked.q.size() != model_->n_q()) break;
    difference(*model_, q_star_, asked.q, e);
    for (const double x : e) off = std::fmax(off, std::abs(x));
  }
  return {hypothesis("the reference is the point", "largest |q_d - point|", off, Relation::at_most,
                     1e-9, "17 instants"),
          condition("Q positive semidefinite", "smallest eigenvalue of Q", Q_.smallest_eigenvalue(),
                    Relation::at_least, -1e-12 * q),
          condition("R positive definite", "smallest eigenvalue of R", R_.smallest_eigenvalue(),
                    Relation::greater, 0),
          condition("Riccati equation solved", "residual over the size of K and Q",
                    solution_.converged ? solution_.residual / (size * size + q) : std::nan(""),
                    Relation::at_most, 1e-9),
          condition("K positive definite", "smallest eigenvalue of K",
                    Gain::full(2 * model_->n_v(), solution_.K.entries()).smallest_eigenvalue(),
                    Relation::greater, 0, "a claim about the linearised robot"),
          condition("V falls wherever V <= V(0)", "largest V' / V, 1/s", largest_growth(run, V),
                    Relation::less, 0,
                    std::to_string(states) + " states sampled, torque limits included")};
}

LawEntry internal::point_lqr() {
  return {"point_lqr",
          "joint/point_lqr.hpp",
          "LQR of the linearised robot around a point, upright ones too; from where V falls",
          {required_gain("point", GainKind::vector, "0", "rad", "the configuration, n_q numbers"),
           required_gain("Q", GainKind::gain, "1", "", "weight of (e, edot), size 2 n"),
           required_gain("R", GainKind::gain, "0.01", "", "weight of the torques")},
          "none: the point is a gain",
          "Huo 2005, sec. 3.6 on the linearised (2-31); Anderson & Moore 1990",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            const int n = model.n_v();
            return std::make_unique<PointLqr>(model, p.numbers("point", model.n_q()),
                                              p.gain("Q", 2 * n), p.gain("R", n));
          }};
}

}  // namespace torsor
