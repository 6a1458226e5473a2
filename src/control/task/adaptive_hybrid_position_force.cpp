#include "torsor/control/task/adaptive_hybrid_position_force.hpp"

#include "law_makers.hpp"

namespace torsor {

namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

AdaptiveHybridPositionForce::AdaptiveHybridPositionForce(const Model<double>& model,
                                                         HybridTaskOptions options,
                                                         AdaptiveHybridGains gains,
                                                         AdaptationOptions adaptation)
    : model_(&model),
      task_(model, std::move(options)),
      gains_(std::move(gains)),
      adaptation_(name, model, std::move(adaptation)),
      solver_(model),
      momentum_(model),
      qd_r_(at(model.n_v())),
      qdd_r_(qd_r_.size()),
      r_(qd_r_.size()),
      y_(at(adaptation_.size())) {
  gains_.Lambda.check(name, "Lambda", task_.n_position());
  gains_.Ks.check(name, "Ks", task_.n());
  if (gains_.KF.size() > 0) gains_.KF.check(name, "KF", task_.n_force());
  if (model.n_v() != task_.n())
    throw Error(std::string(name) + ": the robot has " + std::to_string(model.n_v()) +
                " degrees of freedom, the task " + std::to_string(task_.n()) +
                " coordinates; they must be as many");
}

void AdaptiveHybridPositionForce::reset(View<double> x_c) {
  for (double& x : x_c) x = 0;
  adaptation_.reset(View<double>(x_c.data, adaptation_.size()));
  task_.reset(View<double>(x_c.data + first_position(), task_.n_states()));
}

void AdaptiveHybridPositionForce::refer(const ControlState& state, View<const double> x_c,
                                        const ControlReference& reference) {
  task_.evaluate(state, x_p(x_c), reference);
  const int n = task_.n(), p = task_.n_position();
  const View<const double> e(task_.e.data(), p), edot(task_.edot.data(), p);
  TaskVector xd_r{}, xdd_r{}, Xd{}, Xdd{};
  for (int k = 0; k < p; ++k) {
    xd_r[at(k)] = edot[k] + task_.xdot_c[at(k)];
    xdd_r[at(k)] = task_.xdd_d[at(k)];
  }
  gains_.Lambda.add_product(e, xd_r);
  gains_.Lambda.add_product(edot, xdd_r);
  for (int k = 0; k < n; ++k) s_[at(k)] = xd_r[at(k)] - task_.xdot_c[at(k)];

  task_.frame.from_frame(xd_r, Xd);
  task_.frame.acceleration(xdd_r, xd_r, Xdd);
  solver_.factorise(task_.coordinates);
  solver_.solve(Xd, qd_r_);
  const MatrixView<const double> Jdot = task_.coordinates.jacobian_dot(state.q, state.qd);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) Xdd[at(r)] -= Jdot(r, c) * qd_r_[at(c)];
  solver_.solve(Xdd, qdd_r_);
  for (int k = 0; k < n; ++k) r_[at(k)] = qd_r_[at(k)] - state.qd[k];
}

void AdaptiveHybridPositionForce::torque(double, const ControlState& state, View<const double> x_c,
                                         const ControlReference& reference, View<double> tau) {
  refer(state, x_c, reference);
  adaptation_.set().torque(state.q, state.qd, qd_r_, qdd_r_, estimates(x_c), tau);
  const int p = task_.n_position(), m = task_.n_force();
  TaskVector f_c{}, f_x{};
  for (int k = 0; k < m; ++k) f_c[at(p + k)] = HybridTask::desired_force(reference, k);
  gains_.Ks.add_product(s_, f_c);
  if (gains_.KF.size() > 0)
    gains_.KF.add_product({x_c.data + first_integral(), m}, View<double>(f_c.data() + p, m));
  task_.frame.force_from_frame(f_c, f_x);
  task_.coordinates.add_torque(f_x, tau);
}

void AdaptiveHybridPositionForce::state_derivative(double, const ControlState& state,
                                                   View<const double> x_c,
                                                   const ControlReference& reference,
                                                   View<double> xdot_c) {
  refer(state, x_c, reference);
  adaptation_.set().transpose_times(state.q, state.qd, qd_r_, qdd_r_, r_, y_);
  adaptation_.rate(estimates(x_c), y_, View<double>(xdot_c.data, adaptation_.size()));
  if (gains_.KF.size() > 0) {
    TaskVector f{};
    task_.measured_force(state, f);
    for (int k = 0; k < gains_.KF.size(); ++k)
      xdot_c[first_integral() + k] = HybridTask::desired_force(reference, k) - f[at(k)];
  }
  task_.state_derivative(View<double>(xdot_c.data + first_position(), task_.n_states()));
}

std::vector<Condition> AdaptiveHybridPositionForce::conditions() {
  std::vector<double> moving;
  const int p = task_.n_position();
  for (int r = 0; r < p; ++r)
    for (int c = 0; c < p; ++c) moving.push_back(gains_.Ks(r, c));
  std::vector<Condition> all{
      condition("Lambda symmetric", "largest asymmetry of Lambda", gains_.Lambda.asymmetry(),
                Relation::at_most, 0),
      condition("Lambda positive definite", "smallest eigenvalue of Lambda",
                gains_.Lambda.smallest_eigenvalue(), Relation::greater, 0),
      condition("Ks not negative", "smallest eigenvalue of Ks", gains_.Ks.smallest_eigenvalue(),
                Relation::at_least, 0),
      condition("Ks positive definite where the point moves", "smallest eigenvalue there",
                Gain::full(p, std::move(moving)).smallest_eigenvalue(), Relation::greater, 0)};
  if (gains_.KF.size() > 0)
    all.push_back(condition("KF not negative", "smallest eigenvalue of KF",
                            gains_.KF.smallest_eigenvalue(), Relation::at_least, 0));
  for (Condition& c : adaptation_.conditions()) all.push_back(std::move(c));
  for (Condition& c : task_conditions(*model_, task_.coordinates)) all.push_back(std::move(c));
  return all;
}

LyapunovValue AdaptiveHybridPositionForce::lyapunov(double, const ControlState& state,
                                                    View<const double> x_c,
                                                    const ControlReference& reference,
                                                    const Model<double>& plant) {
  refer(state, x_c, reference);
  return {kinetic_form(plant, momentum_, state.q, r_) + adaptation_.energy(estimates(x_c), plant),
          -gains_.Ks.quadratic(s_), adaptation_.is_bounded()};
}

void AdaptiveHybridPositionForce::task_error(double, const ControlState& state,
                                             View<const double> x_c,
                                             const ControlReference& reference, View<double> e) {
  task_.evaluate(state, x_p(x_c), reference);
  task_.errors(state, reference, e);
}

std::vector<Prediction> AdaptiveHybridPositionForce::predictions() {
  return {{"int s^T Ks s, and V at the end, over V(0)", Quantity::cost, -1, 1}};
}

AnyController make_adaptive_hybrid_position_force(const Model<double>& model, LawParameters& p) {
  HybridTaskOptions options = hybrid_task_options(p, model);
  const HybridTask task(model, options);
  AdaptiveHybridGains gains{p.gain("Lambda", task.n_position()), p.gain("Ks", task.n()),
                            p.gain("KF", task.n_force(), Gain())};
  return AnyController(AdaptiveHybridPositionForce(model, std::move(options), std::move(gains),
                                                   adaptation_options(model, p)));
}

}  // namespace torsor
