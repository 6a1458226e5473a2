#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "torsor/model/friction.hpp"

#include "torsor/model/text.hpp"

namespace torsor::sim_detail {

double Noise::operator()(double deviation) {
  if (deviation == 0) return 0;
  const auto uniform = [&] { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; };
  const double u = uniform(), v = uniform();
  return deviation * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

Simulation::Simulation(const Plant& plant, ControlLaw& law, const ReferenceFunction& reference,
                       const SimulateOptions& options)
    : options_(options),
      law_(law),
      reference_(reference),
      plant_as_given_(plant),
      plant_(plant),
      space_(*plant.model, (options.period > 0 ? 0 : law.n_states()) + n_integrals),
      t_(options.start),
      y_(space_.n_state()),
      energy_(*plant.model),
      noise_(options.sensors.seed),
      tau_(plant.model->n_v()),
      qdd_(tau_.size()),
      dy_(space_.n_tangent()),
      limit_(tau_.size(), infinity),
      g_(plant_.n_modes()),
      e_(tau_.size()),
      edot_(tau_.size()),
      s_(tau_.size()),
      task_e_(law.n_task_errors()),
      estimate_(law.n_estimates()),
      x_c_(law.n_states()),
      xdot_c_(x_c_.size()),
      applied_(tau_.size()),
      q_seen_(plant.model->n_q()),
      q_before_(q_seen_.size()),
      v_seen_(tau_.size()),
      step_(tau_.size()) {
  if (sampled())
    pending_.assign(static_cast<int>(options_.delay / options_.period) + 3,
                    {0, Array<double>(tau_.size())});
  const ActuatorOptions& actuators = options_.actuators;
  for (int k = 0; k < tau_.size(); ++k) {
    if (actuators.model_limits) limit_[k] = plant.model->limits(k).effort;
    if (!actuators.torque_limit.empty()) limit_[k] = std::min(limit_[k], actuators.torque_limit[k]);
  }
}

void Simulation::saturate(Out<double> tau) {
  bool hit = false;
  for (int k = 0; k < tau.size; ++k) {
    const double limit = limit_[k];
    hit = hit || std::abs(tau[k]) > limit;
    tau[k] = tau[k] > limit ? limit : tau[k] < -limit ? -limit : tau[k];  // a NaN stays one
  }
  recording_.saturated += hit;
}

Instant Simulation::evaluate(double time, In<double> state) {
  ++recording_.evaluations;
  const In<double> q = space_.q(state), v = space_.v(state);
  reference_(time, point_);
  plant_.meet_environment(time, q, v);
  Instant now{{time, {q, v, {}, plant_.contact_wrenches()}, x_c(state), point_.view()}, tau_, qdd_};
  if (sampled()) {
    tau_ = applied_;
  } else {
    law_.torque(now.input, tau_);
    saturate(tau_);
  }
  now.regular = plant_.accelerate(time, q, v, tau_, qdd_);
  if (options_.measure_acceleration) now.input.state.qdd = qdd_;
  if (certified_) {
    now.lyapunov = law_.lyapunov(now.input, plant_.model());
    recording_.rate_is_bound = recording_.rate_is_bound || now.lyapunov.rate_is_bound;
  }
  last_ = now;
  return now;
}

void Simulation::operator()(double time, In<double> state, Out<double> dy) {
  const Instant now = evaluate(time, state);
  const In<double> v = space_.v(state);
  const Out<double> rate = space_.x_rate(dy);
  const int behind = first_integral();
  if (behind > 0) law_.state_derivative(now.input, {rate.data, behind});
  double motor = 0;
  for (int k = 0; k < v.size; ++k) {
    space_.q_rate(dy)[k] = v[k];
    space_.v_rate(dy)[k] = now.qdd[k];
    motor += now.tau[k] * v[k];
  }
  rate[behind + lyapunov_rate] = certified_ ? now.lyapunov.rate : 0;
  rate[behind + motor_work] = motor;
  rate[behind + friction_loss] = plant_.friction_power();
  rate[behind + external_work] = plant_.external_power();
}

void Simulation::start() {
  const Model<double>& m = plant_.model();
  const Out<double> state(y_), q = space_.q(state), v = space_.v(state);
  if (options_.q0.empty()) neutral(m, q);
  for (int k = 0; k < options_.q0.size(); ++k) q[k] = options_.q0[k];
  for (int k = 0; k < options_.v0.size(); ++k) v[k] = options_.v0[k];
  check_configuration(m, q);
  check_velocity(m, v);
  law_.reset(sampled() ? Out<double>(x_c_) : Out<double>(space_.x(state).data, x_c_.size()));

  reference_(t_, point_);
  if (!point_.q.empty() && point_.q.size() != m.n_q())
    throw Error("simulate: the reference has " + std::to_string(point_.q.size()) +
                " coordinates; the robot has " + std::to_string(m.n_q()));
  law_.check_reference(point_.view());
  if (sampled()) {
    std::copy(q.begin(), q.end(), q_before_.begin());
    (void)sample();
  }
  Instant now = evaluate(t_, y_);
  certified_ = options_.certificate && law_.lyapunov(now.input, m).given;
  filtered_ = !point_.q.empty() && law_.filtered_error(now.input, s_);
  describe_recording();
  plant_.start(t_, q, v, tau_, qdd_);
}

void Simulation::measure() {
  const Model<double>& m = plant_.model();
  const In<double> state(y_), q = space_.q(state), v = space_.v(state);
  const SensorOptions& sensors = options_.sensors;
  for (double& x : step_) x = noise_(sensors.position_noise);
  integrate(m, q, In<double>(step_), Out<double>(q_seen_));
  for (int i = 1; !sensors.encoder_step.empty() && i < m.n_bodies(); ++i)
    for (int k = 0; k < m.body(i).v.count; ++k) {
      const int coordinate = internal::coordinate_of_dof(m.joint(i), k);
      const double line = sensors.encoder_step[m.body(i).v.first + k];
      if (coordinate < 0 || !(line > 0)) continue;
      double& x = q_seen_[m.body(i).q.first + coordinate];
      x = line * std::round(x / line);
    }
  if (sensors.velocity_by_difference) {
    if (samples_ == 0) q_before_ = q_seen_;
    difference(m, In<double>(q_before_), In<double>(q_seen_), Out<double>(v_seen_));
    for (double& x : v_seen_) x /= options_.period;
    q_before_ = q_seen_;
  } else {
    std::copy(v.begin(), v.end(), v_seen_.begin());
  }
  for (double& x : v_seen_) x += noise_(sensors.velocity_noise);
}

bool Simulation::sample() {
  measure();
  ++samples_;
  reference_(t_, point_);
  // Accelerations and forces of rigid surfaces are those under the torque that acts until now.
  if (options_.measure_acceleration || plant_.touches_rigid())
    (void)evaluate(t_, y_);
  else
    plant_.meet_environment(t_, space_.q(In<double>(y_)), space_.v(In<double>(y_)));
  ControlInput seen{t_, {q_seen_, v_seen_, {}, plant_.contact_wrenches()}, x_c_, point_.view()};
  if (options_.measure_acceleration) seen.state.qdd = qdd_;
  Action& action = pending_[(first_ + waiting_) % pending_.size()];
  action.time = t_ + options_.delay;
  law_.torque(seen, action.tau);
  if (!x_c_.empty()) {
    law_.state_derivative(seen, xdot_c_);
    for (int k = 0; k < x_c_.size(); ++k) x_c_[k] += options_.period * xdot_c_[k];
  }
  ++waiting_;
  return act();
}

bool Simulation::act() {
  bool changed = false;
  while (waiting_ > 0 && pending_[first_].time <= t_ + 1e-12) {
    Array<double>& tau = pending_[first_].tau;
    saturate(tau);
    const Array<double>& limit = options_.actuators.rate_limit;
    for (int k = 0; k < limit.size(); ++k) {
      const double most = limit[k] * options_.period, jump = tau[k] - applied_[k];
      if (jump > most) tau[k] = applied_[k] + most;
      if (jump < -most) tau[k] = applied_[k] - most;
    }
    applied_ = tau;
    first_ = (first_ + 1) % pending_.size();
    --waiting_;
    changed = true;
  }
  return changed;
}

bool Simulation::mode_ended(double time, In<double> state) {
  (void)evaluate(time, state);
  plant_.mode_ends(space_.v(state), g_);
  return std::any_of(g_.begin(), g_.end(), [](double g) { return g < 0; });
}

void Simulation::change_modes() {
  (void)evaluate(t_, y_);
  const Out<double> state(y_);
  const In<double> q = space_.q(state), v = space_.v(state);
  const double before = kinetic_form(plant_.model(), energy_, q, v);
  plant_.change_modes(t_, q, space_.v(state), tau_, qdd_);
  // What a plastic strike takes.
  space_.x(state)[first_integral() + friction_loss] +=
      before - kinetic_form(plant_.model(), energy_, q, v);
  ++recording_.events;
}

bool Simulation::broken(StopReason reason) {
  const Model<double>& m = plant_.model();
  const In<double> state(y_), v = space_.v(state);
  const auto stop = [&](StopReason why, const std::string& what) {
    recording_.stop = why;
    recording_.message = "stopped at t = " + short_number(t_) + " s: " + what;
    return true;
  };
  const auto value = [&](const char* what, int dof, double x) {
    return std::string(what) + " of " + m.dof_name(dof) + " is " + short_number(x);
  };
  for (int k = 0; k < v.size; ++k)
    if (std::abs(v[k]) > options_.blow_up)
      return stop(StopReason::blow_up,
                  value("velocity", k, v[k]) + ", beyond " + short_number(options_.blow_up));
  for (int k = 0; k < v.size; ++k)
    if (!std::isfinite(v[k])) return stop(StopReason::not_finite, value("velocity", k, v[k]));
  for (const double x : space_.q(state))
    if (!std::isfinite(x))
      return stop(StopReason::not_finite, "a coordinate is " + short_number(x));
  if (reason == StopReason::finished) return false;
  // The state is sound: the law or the plant gives what cannot be integrated here.
  for (int k = 0; k < v.size; ++k) {
    if (!std::isfinite(last_.tau[k]))
      return stop(StopReason::not_finite, value("torque", k, last_.tau[k]));
    if (!std::isfinite(last_.qdd[k]))
      return stop(StopReason::not_finite, value("acceleration", k, last_.qdd[k]));
  }
  if (!last_.regular)
    return stop(StopReason::singular, "the mass matrix or the touched surfaces are singular");
  int fastest = 0;
  for (int k = 0; k < v.size; ++k)
    if (std::abs(last_.qdd[k]) > std::abs(last_.qdd[fastest])) fastest = k;
  const std::string near = v.size > 0 ? value("acceleration", fastest, last_.qdd[fastest]) : "";
  return stop(reason, (reason == StopReason::chatter ? "modes change without end; "
                                                     : "no step keeps the accuracy; ") +
                          near);
}

}  // namespace torsor::sim_detail
