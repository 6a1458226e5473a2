/// Rows of a recording.
#include "torsor/control/internal/patience.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/model/friction.hpp"
#include "torsor/sim/internal/simulation.hpp"
#include "torsor/sim/outcome.hpp"

namespace torsor::sim_detail {

namespace {

void append(Series& series, In<double> row) {
  series.data.insert(series.data.end(), row.begin(), row.end());
}

}  // namespace

Run Simulation::described() const {
  const Model<double>& m = plant_.model();
  const In<double> state(y_), q = space_.q(state), v = space_.v(state);
  const SensorOptions& sensors = options_.sensors;
  Run run{.model = &law_.model(), .plant = &m, .reference = reference_};
  run.start = options_.start;
  run.duration = options_.duration;
  run.q0.assign(q.begin(), q.end());
  run.v0.assign(v.begin(), v.end());
  run.period = options_.period;
  run.delay = options_.delay;
  run.exact_measurement = sensors.encoder_step.empty() && !sensors.velocity_by_difference &&
                          sensors.position_noise == 0 && sensors.velocity_noise == 0;
  run.measures_acceleration = options_.measure_acceleration;
  run.torque_limit = limit_;
  run.rate_limit = options_.actuators.rate_limit;
  run.friction = plant_as_given_.friction;
  run.stops = plant_as_given_.stops.stiffness > 0;
  run.disturbance = plant_as_given_.disturbance || plant_as_given_.wrench;
  for (const Surface& s : plant_as_given_.surfaces)
    run.surfaces.push_back({s.name, s.frame, s.point, s.origin, normalised(s.normal), s.radius,
                            s.inside, s.stiffness, s.damping, s.friction, s.bilateral});
  return run;
}

void Simulation::ask_certificate() {
  if (!options_.certificate) return;
  const control_detail::Patience patience(
      [this] { return !options_.progress || options_.progress(t_); });
  run_ = described();
  try {
    run_.range = std::make_shared<const RunRange>(run_range(law_, run_));
    recording_.conditions = certificate(law_, run_);
    recording_.predictions = law_.predictions(run_);
  } catch (const control_detail::NotWanted&) {
    recording_.conditions.clear();
    recording_.predictions.clear();
    halt(StopReason::interrupted);
  }
}

void Simulation::hold_certificate(RunTrace trace) {
  if (!options_.certificate) return;
  if (recording_.stop == StopReason::interrupted && recording_.conditions.empty()) return;
  trace.touched_at = touched_at_;
  trace.touched = touched_;
  const LimitFigure& beyond = recording_.figures.position;
  if (recording_.figures.given() && beyond.beyond > 0) {
    trace.stop_at = beyond.first;
    trace.stop_dof = beyond.dof;
    trace.beyond_stop = std::abs(beyond.value - beyond.bound);
  }
  if (diverged(recording_)) trace.diverged_at = t_;
  const RunFigures& f = recording_.figures;
  if (recording_.stop == StopReason::singular) {
    trace.singular_at = t_;
    trace.singular = recording_.message.substr(recording_.message.find(": ") + 2);
  }
  if (f.given()) {
    trace.energy_balance = f.energy_balance, trace.energy_tolerance = f.energy_tolerance;
    trace.value_balance = f.lyapunov_balance, trace.value_tolerance = f.lyapunov_tolerance;
    trace.explained = f.explained, trace.most_explained = f.most_explained();
  }
  if (recording_.stop != StopReason::finished && recording_.stop != StopReason::interrupted)
    trace.stopped = recording_.message;
  for (const Comparison& c : compare_predictions(recording_)) {
    trace.claims += c.covered ? 1 : 0;
    trace.missed += c.covered && !c.kept ? 1 : 0;
  }
  hold_to_run(recording_.conditions, law_, run_, std::move(trace));
}

void Simulation::note_contact() {
  if (!std::isnan(touched_at_)) return;
  for (int k = 0; k < plant_.contact_forces_size(); ++k)
    if (plant_.touches(k)) {
      touched_at_ = t_;
      touched_ = plant_.surface_name(k);
      return;
    }
}

void Simulation::describe_recording() {
  const Model<double>& m = plant_.model();
  Recording& r = recording_;
  r.robot = m.name();
  r.controller = law_.name();
  r.period = options_.period;
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
    if (filtered_) per_dof(r.s);
  }
  for (int k = 0; k < task_e_.size(); ++k)
    r.task_e.columns.push_back("task_e." + law_.task_error_name(k));
  for (int k = 0; k < estimate_.size(); ++k)
    r.estimate.columns.push_back("estimate." + law_.estimate_name(k));
  for (int k = 0; k < x_c_.size(); ++k) r.x_c.columns.push_back("x_c." + law_.state_name(k));
  if (certified_) r.lyapunov.columns = {"V", "V.rate", "V.balance"};
  r.energy.columns = {"energy.kinetic", "energy.potential", "work.motor",
                      "work.loss",      "work.external",    "energy.balance"};
  for (int k = 0; k < plant_.contact_forces_size(); ++k)
    r.contact.columns.push_back("contact." + plant_.surface_name(k));
  for (int k = 0; k < plant_.loop_forces().size; ++k)
    r.loop.columns.push_back("loop." + plant_.loops()->row_name(k));
  const auto reserve = [](Recording& of, double rows) {
    for (Series* s : of.series())
      s->data.reserve(static_cast<std::size_t>(rows) * s->columns.size());
    of.t.reserve(static_cast<std::size_t>(rows));
  };
  if (options_.curve_points > options_.duration / options_.record_every) {
    Recording curve = r;
    curve.conditions.clear();
    curve.predictions.clear();
    r.curve.push_back(std::move(curve));
    reserve(r.curve.front(), options_.curve_points + 2);
  }
  reserve(r, options_.duration / options_.record_every + 2);
}

void Simulation::record(double time, In<double> state, bool of_curve) {
  const bool known = fresh_ && last_.input.t == time && last_.input.state.q.data == state.data;
  const Instant now = known ? last_ : evaluate(time, state, true);
  const Model<double>& m = plant_.model();
  Recording& r = of_curve ? recording_.curve.front() : recording_;
  const In<double> q = space_.q(state), v = space_.v(state);
  const double* const integrals = space_.x(state).data + first_integral();
  ControlInput seen = now.input;
  seen.state.qdd = now.qdd;
  seen.state.F_contact = plant_.contact_wrenches();
  append(r.q, q);
  append(r.qd, v);
  append(r.qdd, now.qdd);
  append(r.tau, now.tau);
  append(r.x_c, seen.x_c);
  if (r.task_e.width() > 0) {
    law_.task_error(seen, task_e_);
    append(r.task_e, task_e_);
  }
  if (r.estimate.width() > 0) {
    law_.estimate(seen, estimate_);
    append(r.estimate, estimate_);
  }
  if (r.q_d.width() > 0) {
    tracking_error(m, seen, e_, edot_);
    append(r.q_d, point_.q);
    for (int k = 0; k < v.size; ++k) r.qd_d.data.push_back(edot_[k] + v[k]);
    append(r.e, e_);
    append(r.edot, edot_);
    if (r.s.width() > 0) {
      (void)law_.filtered_error(seen, s_);
      append(r.s, s_);
    }
  }
  const double kinetic = kinetic_form(m, energy_, q, v);
  const double potential = potential_energy(m, energy_.kinematics) + joint_spring_energy(m, q);
  if (recording_.t.empty()) lyapunov_start_ = now.lyapunov.value;
  if (certified_)
    append(r.lyapunov,
           std::array<double, 3>{now.lyapunov.value, now.lyapunov.rate,
                                 now.lyapunov.value - lyapunov_start_ - integrals[lyapunov_rate]});
  const double given = integrals[motor_work] - integrals[friction_loss] + integrals[external_work];
  append(r.energy, std::array<double, 6>{kinetic, potential, integrals[motor_work],
                                         integrals[friction_loss], integrals[external_work],
                                         kinetic + potential - energy_start_ - given});
  append(r.contact, plant_.contact_forces());
  append(r.loop, plant_.loop_forces());
  r.t.push_back(time);
}

}  // namespace torsor::sim_detail
