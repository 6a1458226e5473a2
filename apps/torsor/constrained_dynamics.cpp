#include "constrained_dynamics.hpp"

#include <algorithm>
#include <cstdio>

#include "command.hpp"
#include "torsor/math/dual.hpp"

namespace torsor::command {
namespace {

constexpr double open_at_most = 1e-6;  // m, rad and their rates: what a few printed digits leave

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

}  // namespace

Failure no_torques(const Model<double>& model, const ConstrainedInverseResult& result) {
  return Failure("\"" + model.name() + "\": " + std::to_string(result.passive) +
                 " passive velocities and a rank of " + std::to_string(result.rank) +
                 ": no motor torque makes this motion (hd prescribes some joints alone)");
}

ConstrainedDynamics::ConstrainedDynamics(const Model<double>& model)
    : model_(model),
      set_(model),
      assembly_(model, set_),
      workspace_(model, set_),
      torque_(model),
      rnea_(model) {}

Quantity ConstrainedDynamics::multipliers(const std::vector<double>& lambda) const {
  std::vector<std::string> names;
  for (int row = 0; row < set_.n_rows(); ++row) names.push_back(set_.row_name(row));
  return {"lambda", std::move(names), {}, lambda};
}

void ConstrainedDynamics::check(const State& s, bool with_qdd) {
  const ConstraintErrors e =
      constraint_errors(model_, set_, assembly_, s.q, s.qd,
                        with_qdd ? View<const double>(s.qdd) : View<const double>{});
  double scale = 1;
  for (const double x : s.qd) scale = std::max(scale, std::abs(x));
  for (const double x : s.qdd) scale = std::max(scale, std::abs(x));
  const auto refuse = [&](const char* what, int row, double by, const char* unit) {
    throw Error("\"" + model_.name() + "\": " + what + " \"" + set_.row_name(row) + "\" by " +
                number_text(by) + " " + unit +
                "; --close finds the nearest that fits, --tree opens");
  };
  if (!(e.position <= open_at_most)) refuse("q opens", e.position_row, e.position, "m or rad");
  if (!(e.velocity <= open_at_most * scale))
    refuse("qd opens", e.velocity_row, e.velocity, "m/s or rad/s");
  if (with_qdd && !(e.acceleration <= open_at_most * scale * scale))
    refuse("qdd opens", e.acceleration_row, e.acceleration, "m/s^2 or rad/s^2");
}

std::vector<double> ConstrainedDynamics::taken(const State& s) {
  const std::vector<double> zero(s.qd.size());
  std::vector<double> all(s.qd.size()), rigid(s.qd.size());
  torque_(s.q, s.qd, zero, {}, all);
  rigid_inverse_dynamics(model_, rnea_, s.q, s.qd, zero, {}, rigid);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] -= rigid[k];
  return all;
}

ConstrainedResult ConstrainedDynamics::solve(const State& s,
                                             const std::vector<Wrench<double>>& F_ext,
                                             std::vector<double>& qdd,
                                             std::vector<double>& lambda) {
  std::vector<double> left = taken(s);
  for (std::size_t k = 0; k < left.size(); ++k) left[k] = s.tau[k] - left[k];
  qdd.resize(left.size());
  lambda.resize(static_cast<std::size_t>(set_.n_rows()));
  return constrained_forward_dynamics(model_, workspace_.dynamics, s.q, s.qd, left, F_ext, qdd,
                                      lambda);
}
void ConstrainedDynamics::accelerate(const State& s, const std::vector<Wrench<double>>& F_ext,
                                     std::vector<double>& qdd, std::vector<double>& lambda) {
  const ConstrainedResult result = solve(s, F_ext, qdd, lambda);
  if (!result) throw Failure("\"" + model_.name() + "\": " + message(set_, result));
}

void ConstrainedDynamics::drive(const State& s, const std::vector<Wrench<double>>& F_ext,
                                std::vector<double>& tau, std::vector<double>& lambda) {
  const std::vector<double> lost = taken(s);
  const std::vector<char> actuated = actuated_velocities(model_);
  tau.assign(s.qd.size(), 0.0);
  lambda.resize(static_cast<std::size_t>(set_.n_rows()));
  for (std::size_t k = 0; k < tau.size(); ++k)
    if (!actuated[k]) tau[k] = -lost[k];
  const ConstrainedInverseResult result = constrained_inverse_dynamics(
      model_, set_, workspace_.inverse, actuated, s.q, s.qd, s.qdd, F_ext, tau, lambda);
  if (!result) throw no_torques(model_, result);
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] = actuated[k] ? tau[k] + lost[k] : 0.0;
}

void ConstrainedDynamics::follow(const State& s, const std::vector<Wrench<double>>& F_ext,
                                 std::vector<double>& qdd, std::vector<double>& tau,
                                 std::vector<double>& lambda) {
  const std::vector<double> lost = taken(s);
  std::vector<double> left(tau.size());
  for (std::size_t k = 0; k < left.size(); ++k) left[k] = tau[k] - lost[k];
  lambda.resize(static_cast<std::size_t>(set_.n_rows()));
  const ConstrainedResult result = constrained_hybrid_dynamics(
      model_, workspace_.dynamics, s.prescribed, s.q, s.qd, qdd, left, F_ext, lambda);
  if (!result) throw Failure("\"" + model_.name() + "\": " + message(set_, result));
  for (int i = 1; i < model_.n_bodies(); ++i) {
    if (!s.prescribed[static_cast<std::size_t>(i)]) continue;
    const Dofs v = model_.body(i).v;
    for (auto k = static_cast<std::size_t>(v.first);
         k < static_cast<std::size_t>(v.first + v.count); ++k)
      tau[k] = left[k] + lost[k];
  }
}

std::vector<double> ConstrainedDynamics::jacobian(const State& s) {
  std::vector<double> A(static_cast<std::size_t>(set_.n_rows()) * s.qd.size());
  constraint_jacobian(model_, set_, assembly_.rows, s.q,
                      column_major(A.data(), set_.n_rows(), model_.n_v()));
  return A;
}

ConstrainedResult ConstrainedDynamics::derivatives(const State& s,
                                                   const std::vector<Wrench<double>>& F_ext,
                                                   Derivatives& out) {
  using Tangent = Dual<double, 1>;
  std::vector<double> left = taken(s);
  for (std::size_t k = 0; k < left.size(); ++k) left[k] = s.tau[k] - left[k];
  ConstrainedDerivatives rigid(model_, set_);
  const ConstrainedResult result =
      constrained_forward_dynamics_derivatives(model_, workspace_, s.q, s.qd, left, F_ext, rigid);
  out = {rigid.dqdd_dq.data, rigid.dqdd_dqd.data, rigid.dqdd_dtau.data};
  // what is taken of tau changes with the state, too
  const std::size_t n = s.qd.size();
  JointTorque<Tangent> torque(model_);
  RneaWorkspace<Tangent> rnea(model_);
  const std::vector<Tangent> q0(s.q.begin(), s.q.end()), qd0(s.qd.begin(), s.qd.end());
  std::vector<Tangent> zero(n), all(n), bodies(n);
  const auto subtract = [&](const std::vector<Tangent>& q, const std::vector<Tangent>& qd,
                            double* column) {
    torque(q, qd, zero, {}, all);
    rigid_inverse_dynamics(model_, rnea, q, qd, zero, {}, bodies);
    for (std::size_t j = 0; j < n; ++j) {
      const double change = (all[j] - bodies[j]).d[0];
      for (std::size_t i = 0; i < n; ++i) column[i] -= out.by_tau[j * n + i] * change;
    }
  };
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<Tangent> step(n), q(q0.size()), qd = qd0;
    step[k].d[0] = 1;
    integrate(model_, q0, step, q);
    subtract(q, qd0, &out.by_q[k * n]);
    qd[k].d[0] = 1;
    subtract(q0, qd, &out.by_qd[k * n]);
  }
  return result;
}

void close_loops(const Model<double>& model, State& s) {
  const ConstraintSet set(model);
  AssemblyWorkspace ws(model, set);
  const Assembly result = assemble(model, set, ws, s.q);
  if (!result) throw Failure("\"" + model.name() + "\": " + message(set, result));
  (void)project_velocity(model, set, ws, s.q, s.qd);
  (void)project_acceleration(model, set, ws, s.q, s.qd, s.qdd);
}

}  // namespace torsor::command
