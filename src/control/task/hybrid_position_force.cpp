#include "torsor/control/task/hybrid_position_force.hpp"

#include <algorithm>
#include <cmath>

#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "task/task_proof.hpp"
#include "torsor/linear/internal/ldlt.hpp"

namespace torsor {

HybridPositionForce::HybridPositionForce(const Model<double>& model, HybridTaskOptions options,
                                         HybridGains gains, Effects effects)
    : ControlLaw("hybrid_position_force", model),
      task_(model, std::move(options)),
      gains_(std::move(gains)),
      effects_(effects),
      inverse_(model),
      ws_(model),
      qdd_(model.n_v()) {
  gains_.Kp.check(name(), "Kp", task_.n_position());
  gains_.Kd.check(name(), "Kd", task_.n_position());
  if (gains_.KF.size() > 0) gains_.KF.check(name(), "KF", task_.n_force());
  for (int k = 0; k < gains_.Kd.size(); ++k)
    null_damping_ = std::max(null_damping_, gains_.Kd(k, k));
}

void HybridPositionForce::reset(Out<double> x_c) {
  for (double& x : x_c) x = 0;
  task_.reset(Out<double>(x_c.data, task_.n_states()));
  pulling_ = false;
}

void HybridPositionForce::torque(const ControlInput& input, Out<double> tau) {
  task_.evaluate(input.state, x_p(input.x_c), input.reference);
  const int p = task_.n_position(), m = task_.n_force();
  TaskVector xdd = task_.xdd_d, Xdd{}, f{};
  const Out<double> moving(xdd.data(), p);
  gains_.Kp.add_product(In<double>(task_.e.data(), p), moving);
  gains_.Kd.add_product(In<double>(task_.edot.data(), p), moving);
  for (int k = 0; k < m; ++k) {
    xdd[p + k] = 0;
    f[k] = HybridTask::desired_force(input.reference, k);
  }
  task_.frame.acceleration(xdd, task_.xdot_c, Xdd);
  inverse_.acceleration(task_.coordinates, Xdd, input.state.qd, null_damping_, qdd_);
  tree_inverse_dynamics(*model_, ws_, input.state.q, input.state.qd, qdd_, {}, tau, effects_);
  if (gains_.KF.size() > 0) gains_.KF.add_product({input.x_c.data + task_.n_states(), m}, f);
  pulling_ = std::any_of(f.begin(), f.begin() + m, [](double x) { return x < 0; });
  task_.add_force(f, tau);
}

void HybridPositionForce::state_derivative(const ControlInput& input, Out<double> xdot_c) {
  task_.evaluate(input.state, x_p(input.x_c), input.reference);
  task_.state_derivative(xdot_c);
  if (input.state.F_contact.empty() && gains_.KF.size() == 0) return;
  TaskVector f{};
  task_.measured_force(input.state, f);
  const int first = task_.n_states();
  for (int k = 0; k < gains_.KF.size(); ++k)
    xdot_c[first + k] = HybridTask::desired_force(input.reference, k) - f[k];
  pulling_ = std::any_of(f.begin(), f.begin() + task_.n_force(), [](double x) { return x < 0; });
}

std::vector<Condition> HybridPositionForce::conditions(const Run& run) {
  const Array<RunInstant> postures = internal::postures_of(*this, run);
  std::vector<Condition> all{
      internal::symmetric("Kp", gains_.Kp), internal::positive_definite("Kp", gains_.Kp),
      internal::positive_definite("Kd", gains_.Kd),
      condition("directions left to move (Huo 2005, (3-128))", "constraints m", task_.n_force(),
                Relation::less, task_.n())};
  if (task_.n_inexact() > 0)
    all.push_back(hypothesis("e_p has its rate", "components to first order only",
                             task_.n_inexact(), Relation::equal, 0,
                             "the local error on what is curved"));
  internal::append(all, internal::task_conditions(task_.coordinates, postures));
  internal::append(
      all, internal::pressing_conditions(internal::pressing_law(task_, gains_.KF), run, postures));
  return all;
}

LyapunovValue HybridPositionForce::lyapunov(const ControlInput& input, const Model<double>&) {
  task_.evaluate(input.state, x_p(input.x_c), input.reference);
  const int p = task_.n_position();
  const In<double> edot(task_.edot.data(), p);
  double value = 0.5 * gains_.Kp.quadratic(In<double>(task_.e.data(), p));
  for (const double v : edot) value += 0.5 * v * v;
  return {value, -gains_.Kd.quadratic(edot)};
}

void HybridPositionForce::task_error(const ControlInput& input, Out<double> e) {
  task_.evaluate(input.state, x_p(input.x_c), input.reference);
  task_.errors(input, e);
}

bool constraint_force(const Model<double>& model, ConstraintForceWorkspace& ws,
                      const HybridTask& task, In<double> q, In<double> qd, In<double> tau,
                      Out<double> f, const Effects& effects) {
  const int n = model.n_v(), p = task.n_position(), m = task.n_force(), size = task.n();
  bool regular =
      static_cast<bool>(tree_forward_dynamics(model, ws.dynamics, q, qd, tau, {}, ws.qdd, effects));
  TaskVector Xdd{}, xdd_c{};
  const InMatrix<double> J = task.coordinates.jacobian();
  for (int r = 0; r < size; ++r) {
    Xdd[r] = task.coordinates.bias()[r];
    for (int c = 0; c < n; ++c) Xdd[r] += J(r, c) * ws.qdd[c];
  }
  task.frame.acceleration_to_frame(Xdd, task.coordinates.Xdot(), xdd_c);
  for (int k = 0; k < m; ++k) {  // rows A E J~: torques of unit forces
    TaskVector unit{};
    unit[k] = 1;
    std::fill_n(ws.rows.begin() + k * n, n, 0.0);
    task.add_force(unit, Out<double>(ws.rows.data() + k * n, n));
  }
  regular = static_cast<bool>(mass_matrix_inverse_times(
                model, ws.minverse, q, column_major<const double>(ws.rows.data(), n, m),
                column_major(ws.columns.data(), n, m))) &&
            regular;
  internal::SmallLdlt<double> omega;
  double largest = 0;
  for (int r = 0; r < m; ++r)
    for (int c = 0; c <= r; ++c) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += ws.rows[r * n + k] * ws.columns[c * n + k];
      omega(r, c) = sum;
      largest = std::max(largest, sum);
    }
  omega.factorise(m);
  for (int k = 0; k < m; ++k) {
    regular = regular && omega.pivot(k) > 1e-12 * largest;
    f[k] = xdd_c[p + k];
  }
  omega.solve(m, f.data);
  return regular;
}

using namespace internal;

LawEntry internal::hybrid_position_force() {
  return {
      "hybrid_position_force",
      "task/hybrid_position_force.hpp",
      "e_p'' + Kd e_p' + Kp e_p = 0 and f = f_d, on a rigid surface that is pressed",
      hybrid_gain_list() +
          GainList{required_gain("Kp", GainKind::gain, "100", "1/s^2", "of the position error"),
                   required_gain("Kd", GainKind::gain, "20", "1/s", "of its rate"),
                   optional_gain("KF", GainKind::gain, "", "1/s",
                                 "of the integral of the force error; none: no force is measured")},
      "x of the motion and f_on_environment",
      "Huo 2005, sec. 3.12; Yoshikawa 1987",
      [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
        HybridTaskOptions options = hybrid_task_options(p, model);
        const HybridTask task(model, options);
        HybridGains gains{p.gain("Kp", task.n_position()), p.gain("Kd", task.n_position()),
                          p.gain("KF", task.n_force())};
        return std::make_unique<HybridPositionForce>(model, std::move(options), std::move(gains));
      }};
}

}  // namespace torsor
