#include "torsor/control/task/admittance.hpp"

#include <algorithm>

#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "task/task_proof.hpp"

namespace torsor {

using namespace internal;

Admittance::Admittance(const Model<double>& model, TaskCoordinateOptions task,
                       AdmittanceGains gains, Effects effects)
    : ControlLaw("admittance", model),
      task_(model, std::move(task)),
      gains_(std::move(gains)),
      mass_(name(), gains_.virtual_mass.Md),
      effects_(effects),
      solver_(model),
      ws_(model),
      qdd_(model.n_v()) {
  const int n = task_.size();
  gains_.virtual_mass.Md.check(name(), "Md", n);
  gains_.virtual_mass.Bd.check(name(), "Bd", n);
  gains_.virtual_mass.Kd.check(name(), "Kd", n);
  gains_.Kp.check(name(), "Kp", n);
  gains_.Kv.check(name(), "Kv", n);
  null_damping_ = gains_.Kv.largest_eigenvalue();
}

TaskVector Admittance::virtual_acceleration(In<double> x_c,
                                            const ControlReference& reference) const {
  const int m = task_.size();
  TaskVector push{}, spring{}, a{};
  gains_.virtual_mass.Kd.add_product({x_c.data, m}, spring);
  gains_.virtual_mass.Bd.add_product({x_c.data + m, m}, spring);
  for (int k = 0; k < m; ++k) {
    const double wanted = reference.f_on_environment.empty() ? 0.0 : reference.f_on_environment[k];
    push[k] = wanted - f_e_[k] - spring[k];
  }
  mass_.add_inverse_product(push, a);
  return a;
}

TaskError Admittance::inner(const ControlInput& input) {
  const int m = task_.size();
  task_.evaluate(input.state.q, input.state.qd);
  task_.measured_force(input.state.F_contact, Out<double>(f_e_.data(), m));
  TaskError error = task_.error(input.reference);
  const TaskVector a = virtual_acceleration(input.x_c, input.reference);
  for (int k = 0; k < m; ++k) {
    error.e[k] += input.x_c[k];
    error.edot[k] += input.x_c[m + k];
    error.xdd[k] += a[k];
  }
  return error;
}

void Admittance::torque(const ControlInput& input, Out<double> tau) {
  TaskError error = inner(input);
  gains_.Kv.add_product(error.edot, error.xdd);
  gains_.Kp.add_product(error.e, error.xdd);
  solver_.acceleration(task_, error.xdd, input.state.qd, null_damping_, qdd_);
  tree_inverse_dynamics(*model_, ws_, input.state.q, input.state.qd, qdd_, {}, tau, effects_);
  task_.add_torque(f_e_, tau);
}

void Admittance::state_derivative(const ControlInput& input, Out<double> xdot_c) {
  const int m = task_.size();
  task_.evaluate(input.state.q, input.state.qd);
  task_.measured_force(input.state.F_contact, Out<double>(f_e_.data(), m));
  const TaskVector a = virtual_acceleration(input.x_c, input.reference);
  for (int k = 0; k < m; ++k) {
    xdot_c[k] = input.x_c[m + k];
    xdot_c[m + k] = a[k];
  }
}

std::vector<Condition> Admittance::conditions(const Run& run) {
  std::vector<Condition> all = internal::impedance_conditions(gains_.virtual_mass);
  append(all, {symmetric("Kp", gains_.Kp), positive_definite("Kp", gains_.Kp),
               positive_definite("Kv", gains_.Kv)});
  append(all, task_conditions(task_, postures_of(*this, run)));
  append(all, half_turn_conditions(task_, run, gains_.Kp));
  return all;
}

std::vector<Prediction> Admittance::predictions(const Run&) {
  const bool turns = task_.options().angles == TaskAngles::rotation;
  return internal::task_predictions(gains_.Kp, gains_.Kv,
                                    turns ? task_.n_positions() : task_.size());
}

LyapunovValue Admittance::lyapunov(const ControlInput& input, const Model<double>&) {
  const int m = task_.size();
  const TaskError error = inner(input);
  const In<double> edot(error.edot.data(), m);
  double value = 0.5 * gains_.Kp.quadratic({error.e.data(), m});
  for (const double v : edot) value += 0.5 * v * v;
  return {value, -gains_.Kv.quadratic(edot)};
}

void Admittance::task_error(const ControlInput& input, Out<double> e) {
  const TaskError error = inner(input);
  std::copy_n(error.e.begin(), e.size, e.begin());
}

LawEntry internal::admittance() {
  return {"admittance",
          "task/admittance.hpp",
          "the same by a position loop around a virtual mass",
          task_gain_list() + impedance_gain_list() +
              GainList{required_gain("Kp", GainKind::gain, "400", "1/s^2", "of the position loop"),
                       required_gain("Kv", GainKind::gain, "40", "1/s", "of its rate")},
          "x of the task, or a pose",
          "Hogan 1985; Huo 2005, sec. 3.12",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            const TaskCoordinateOptions task = task_coordinate_options(p);
            const int n = TaskCoordinates(model, task).size();
            return std::make_unique<Admittance>(
                model, task,
                AdmittanceGains{{p.gain("Md", n), p.gain("Bd", n), p.gain("Kd", n)},
                                p.gain("Kp", n),
                                p.gain("Kv", n)});
          }};
}

}  // namespace torsor
