#include "torsor/control/joint/point_lqr.hpp"

#include <algorithm>
#include <cmath>

#include "law_makers.hpp"
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"
#include "torsor/dynamics/derivatives/joint_torque_derivatives.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

struct Linearised {
  Matrix A, B;
  std::vector<double> tau;  // the torque of rest
};

Linearised linearise(const Model<double>& model, View<const double> q) {
  const int n = model.n_v(), two = 2 * n;
  std::vector<double> rest(at(n)), qdd(at(n)), by_q(at(n * n)), by_qd(at(n * n)), by_tau(at(n * n));
  Linearised l{Matrix(two, two), Matrix(two, n), rest};
  RneaWorkspace<double> rnea(model);
  ForwardDynamicsDerivativesWorkspace<double> ws(model);
  const auto matrix = [n](std::vector<double>& a) { return column_major(a.data(), n, n); };
  gravity_torque(model, rnea, q, l.tau);
  const auto result = rigid_forward_dynamics_derivatives(
      model, ws, q, rest, l.tau, {}, qdd, matrix(by_q), matrix(by_qd), matrix(by_tau));
  if (!result) throw Error("point_lqr: the mass matrix cannot be inverted at the point");
  subtract_joint_torque_derivatives<double>(model, rest, matrix(by_tau), matrix(by_q),
                                            matrix(by_qd));
  add_joint_torques(model, q, rest, l.tau);  // springs
  for (int r = 0; r < n; ++r) {
    l.A(r, n + r) = 1;
    for (int c = 0; c < n; ++c) {
      l.A(n + r, c) = by_q[at(r + n * c)];
      l.A(n + r, n + c) = by_qd[at(r + n * c)];
      l.B(n + r, c) = by_tau[at(r + n * c)];
    }
  }
  return l;
}

}  // namespace

PointLqr::PointLqr(const Model<double>& model, View<const double> q_star, const Gain& Q,
                   const Gain& R)
    : model_(&model),
      Q_(Q),
      R_(R),
      q_star_(q_star.begin(), q_star.end()),
      x_(at(2 * model.n_v())),
      u_(at(model.n_v())) {
  const int n = model.n_v();
  check_configuration(model, q_star_);
  R.check(name, "R", n);
  if (Q.size() != 2 * n)
    throw Error(std::string(name) + ": weight Q is of size " + std::to_string(Q.size()) +
                "; deviations and velocities are " + std::to_string(2 * n));
  Linearised l = linearise(model, q_star_);
  solution_ = solve_riccati(riccati_problem(l.A, l.B, Q.matrix(), R.matrix()));
  gain_ = optimal_gain(l.B, R.matrix(), solution_.K).entries();
  tau_star_ = std::move(l.tau);
}

void PointLqr::deviation(const ControlState& state) {
  const int n = model_->n_v();
  difference(*model_, View<const double>(q_star_), state.q, View<double>(x_.data(), n));
  for (int k = 0; k < n; ++k) x_[at(n + k)] = state.qd[k];
}

void PointLqr::torque(double, const ControlState& state, View<const double>,
                      const ControlReference&, View<double> tau) {
  const int n = model_->n_v();
  deviation(state);
  for (int i = 0; i < n; ++i) {
    tau[i] = tau_star_[at(i)];
    for (int j = 0; j < 2 * n; ++j) tau[i] -= gain_[at(i * 2 * n + j)] * x_[at(j)];
  }
}

double PointLqr::predicted_cost(const ControlState& state) {
  const int two = 2 * model_->n_v();
  deviation(state);
  double sum = 0;
  for (int i = 0; i < two; ++i)
    for (int j = 0; j < two; ++j) sum += solution_.K(i, j) * x_[at(i)] * x_[at(j)];
  return sum / 2;
}

LyapunovValue PointLqr::lyapunov(double, const ControlState& state, View<const double>,
                                 const ControlReference&, const Model<double>&) {
  const int n = model_->n_v();
  const double V = predicted_cost(state);  // leaves the deviation in x_
  for (int i = 0; i < n; ++i) {
    u_[at(i)] = 0;
    for (int j = 0; j < 2 * n; ++j) u_[at(i)] -= gain_[at(i * 2 * n + j)] * x_[at(j)];
  }
  return {V, -0.5 * (Q_.quadratic(x_) + R_.quadratic(u_))};
}

std::vector<Prediction> PointLqr::predictions() {
  return {{"cost of the run over 1/2 x^T K x at its start, near the point",
           Quantity::cost,
           -1,
           1,
           {},
           0.1}};
}

std::vector<Condition> PointLqr::conditions() {
  double size = 1;
  for (const double k : solution_.K.entries()) size = std::max(size, std::abs(k));
  const double q = std::fmax(1, std::abs(Q_.largest_eigenvalue()));
  return {condition("Q positive semidefinite", "smallest eigenvalue of Q", Q_.smallest_eigenvalue(),
                    Relation::at_least, -1e-12 * q),
          condition("R positive definite", "smallest eigenvalue of R", R_.smallest_eigenvalue(),
                    Relation::greater, 0),
          condition("Riccati equation solved", "residual over the size of K and Q",
                    solution_.converged ? solution_.residual / (size * size + q) : std::nan(""),
                    Relation::at_most, 1e-9),
          condition("K positive definite", "smallest eigenvalue of K",
                    Gain::full(2 * model_->n_v(), solution_.K.entries()).smallest_eigenvalue(),
                    Relation::greater, 0, "a claim about the linearised robot")};
}

AnyController make_point_lqr(const Model<double>& model, LawParameters& p) {
  const int n = model.n_v();
  return AnyController(
      PointLqr(model, p.numbers("point", model.n_q()), p.gain("Q", 2 * n), p.gain("R", n)));
}

}  // namespace torsor
