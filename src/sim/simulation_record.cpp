/// Rows of a recording.
#include "simulation.hpp"
#include "torsor/model/friction.hpp"

namespace torsor::sim_detail {

namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

void append(Series& series, View<const double> row) {
  series.data.insert(series.data.end(), row.begin(), row.end());
}

}  // namespace

void Simulation::describe_recording() {
  const Model<double>& m = plant_.model();
  Recording& r = recording;
  r.robot = m.name();
  r.controller = controller_.name();
  r.period = options.period;
  r.conditions = controller_.conditions();
  r.predictions = controller_.predictions();
  const auto per_dof = [&](Series& s) {
    for (int k = 0; k < m.n_v(); ++k) s.columns.push_back(s.name + "." + m.dof_name(k));
  };
  const auto per_coordinate = [&](Series& s) {
    for (int k = 0; k < m.n_q(); ++k) s.columns.push_back(s.name + "." + m.coordinate_name(k));
  };
  per_coordinate(r.q);
  per_dof(r.qd);
  per_dof(r.qdd);
  per_dof(r.tau);
  if (!point_.q.empty()) {
    per_coordinate(r.q_d);
    per_dof(r.qd_d);
    per_dof(r.e);
    per_dof(r.edot);
    if (controller_.has_filtered_error()) per_dof(r.s);
  }
  for (std::size_t k = 0; k < task_e_.size(); ++k)
    r.task_e.columns.push_back("task_e." + std::to_string(k));
  for (std::size_t k = 0; k < estimate_.size(); ++k)
    r.estimate.columns.push_back("estimate." + std::to_string(k));
  for (int k = 0; k < n_c_; ++k) r.x_c.columns.push_back("x_c." + std::to_string(k));
  if (certified_) r.lyapunov.columns = {"V", "V.rate", "V.balance"};
  r.energy.columns = {"energy.kinetic", "energy.potential", "work.motor",
                      "work.loss",      "work.external",    "energy.balance"};
  for (std::size_t k = 0; k < plant_.contact_forces_size(); ++k)
    r.contact.columns.push_back("contact." + plant_.surface_name(k));
  for (int k = 0; k < plant_.loop_forces().size; ++k)
    r.loop.columns.push_back("loop." + plant_.loops()->row_name(k));
  const double rows = options.duration / options.record_every + 2;
  for (Series* s : r.series()) s->data.reserve(static_cast<std::size_t>(rows) * s->columns.size());
  r.t.reserve(static_cast<std::size_t>(rows));
}

void Simulation::record(double time, View<const double> state) {
  (*this)(time, state, dy_);
  const Model<double>& m = plant_.model();
  Recording& r = recording;
  const View<const double> q = space.q(state), v = space.v(state), x = space.x(state);
  const double* const integrals = x.data + (sampled() ? 0 : n_c_);
  const View<const double> x_c =
      sampled() ? View<const double>(x_c_) : View<const double>(x.data, n_c_);
  append(r.q, q);
  append(r.qd, v);
  append(r.qdd, qdd_);
  append(r.tau, tau_);
  append(r.x_c, x_c);
  const ControlReference reference = point_.view();
  const ControlState seen{q, v, qdd_, plant_.contact_wrenches()};
  if (r.task_e.width() > 0) {
    controller_.task_error(time, seen, x_c, reference, task_e_);
    append(r.task_e, task_e_);
  }
  if (r.estimate.width() > 0) {
    controller_.estimate(seen, x_c, estimate_);
    append(r.estimate, estimate_);
  }
  if (r.q_d.width() > 0) {
    tracking_error(m, seen, reference, e_, edot_);
    append(r.q_d, point_.q);
    for (int k = 0; k < v.size; ++k) r.qd_d.data.push_back(edot_[at(k)] + v[k]);
    append(r.e, e_);
    append(r.edot, edot_);
    if (r.s.width() > 0) {
      controller_.filtered_error(seen, reference, s_);
      append(r.s, s_);
    }
  }
  const double kinetic = kinetic_form(m, energy_, q, v);
  const double potential = potential_energy(m, energy_.kinematics) + joint_spring_energy(m, q);
  if (r.t.empty()) {
    lyapunov_start_ = lyapunov_.value;
    energy_start_ = kinetic + potential;
  }
  if (certified_)
    append(r.lyapunov,
           std::array<double, 3>{lyapunov_.value, lyapunov_.rate,
                                 lyapunov_.value - lyapunov_start_ - integrals[lyapunov_rate]});
  const double given = integrals[motor_work] - integrals[friction_loss] + integrals[external_work];
  append(r.energy, std::array<double, 6>{kinetic, potential, integrals[motor_work],
                                         integrals[friction_loss], integrals[external_work],
                                         kinetic + potential - energy_start_ - given});
  append(r.contact, plant_.contact_forces());
  append(r.loop, plant_.loop_forces());
  r.t.push_back(time);
}

}  // namespace torsor::sim_detail
