#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "torsor/model/friction.hpp"

#include "torsor/model/text.hpp"

namespace torsor::sim_detail {

namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

double Noise::operator()(double deviation) {
  if (deviation == 0) return 0;
  const auto uniform = [&] { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; };
  const double u = uniform(), v = uniform();
  return deviation * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

Simulation::Simulation(const Plant& plant, AnyController& controller,
                       const ReferenceFunction& reference, const SimulateOptions& opts)
    : options(opts),
      space(*plant.model, (opts.period > 0 ? 0 : controller.n_states()) + n_integrals),
      t(opts.start),
      y(at(space.n_state())),
      controller_(controller),
      reference_(reference),
      plant_(plant),
      energy_(*plant.model),
      noise_(opts.sensors.seed),
      n_c_(controller.n_states()),
      n_modes_(plant_.n_modes()),
      certified_(opts.certificate && controller.has_lyapunov()),
      tau_(at(plant.model->n_v())),
      qdd_(tau_.size()),
      dy_(at(space.n_tangent())),
      limit_(tau_.size(), infinity),
      g_(at(n_modes_)),
      e_(tau_.size()),
      edot_(tau_.size()),
      s_(tau_.size()),
      task_e_(at(controller.n_task_errors())),
      estimate_(at(controller.n_estimates())),
      x_c_(at(n_c_)),
      xdot_c_(x_c_.size()),
      applied_(tau_.size()),
      command_(tau_.size()),
      q_seen_(at(plant.model->n_q())),
      q_before_(q_seen_.size()),
      v_seen_(tau_.size()),
      step_(tau_.size()) {
  if (sampled()) {
    const double most = options.delay / options.period;
    pending_.resize(static_cast<std::size_t>(most) + 3, {0, std::vector<double>(tau_.size())});
  }
  for (int k = 0; k < plant.model->n_v(); ++k) {
    if (options.actuators.model_limits) limit_[at(k)] = plant.model->limits(k).effort;
    if (!options.actuators.torque_limit.empty())
      limit_[at(k)] = std::min(limit_[at(k)], options.actuators.torque_limit[at(k)]);
  }
}

void Simulation::saturate(View<double> tau) {
  bool hit = false;
  for (int k = 0; k < tau.size; ++k) {
    const double limit = limit_[at(k)];
    hit = hit || std::abs(tau[k]) > limit;
    tau[k] = tau[k] > limit ? limit : tau[k] < -limit ? -limit : tau[k];  // a NaN stays one
  }
  recording.saturated += hit;
}

void Simulation::operator()(double time, View<const double> state, View<double> dy) {
  ++recording.evaluations;
  const View<const double> q = space.q(state), v = space.v(state), x = space.x(state);
  const int states = sampled() ? 0 : n_c_;
  const View<const double> x_c =
      sampled() ? View<const double>(x_c_) : View<const double>(x.data, n_c_);
  const View<double> rate = space.x_rate(dy);

  reference_(time, point_);
  const ControlReference reference = point_.view();
  plant_.meet_environment(time, q, v);
  ControlState seen{q, v, {}, plant_.contact_wrenches()};
  if (sampled()) {
    tau_ = applied_;
  } else {
    controller_.torque(time, seen, x_c, reference, tau_);
    saturate(tau_);
  }
  regular_ = plant_.accelerate(time, q, v, tau_, qdd_);
  if (options.measure_acceleration) seen.qdd = qdd_;
  if (states > 0)
    controller_.state_derivative(time, seen, x_c, reference, View<double>(rate.data, n_c_));
  if (certified_) {
    lyapunov_ = controller_.lyapunov(time, seen, x_c, reference, plant_.model());
    recording.rate_is_bound = recording.rate_is_bound || lyapunov_.rate_is_bound;
  }

  double motor = 0;
  for (int k = 0; k < v.size; ++k) {
    space.q_rate(dy)[k] = v[k];
    space.v_rate(dy)[k] = qdd_[at(k)];
    motor += tau_[at(k)] * v[k];
  }
  rate[states + lyapunov_rate] = certified_ ? lyapunov_.rate : 0;
  rate[states + motor_work] = motor;
  rate[states + friction_loss] = plant_.friction_power();
  rate[states + external_work] = plant_.external_power();
}

void Simulation::start() {
  const Model<double>& m = plant_.model();
  const View<double> state(y), q = space.q(state), v = space.v(state);
  if (options.q0.empty()) neutral(m, q);
  for (std::size_t k = 0; k < options.q0.size(); ++k) q[static_cast<int>(k)] = options.q0[k];
  for (std::size_t k = 0; k < options.v0.size(); ++k) v[static_cast<int>(k)] = options.v0[k];
  check_configuration(m, q);
  check_velocity(m, v);
  const View<double> x_c = sampled() ? View<double>(x_c_) : View<double>(space.x(state).data, n_c_);
  controller_.reset(x_c);

  reference_(t, point_);
  if (!point_.q.empty() && (static_cast<int>(point_.q.size()) != m.n_q()))
    throw Error("simulate: the reference has " + std::to_string(point_.q.size()) +
                " coordinates; the robot has " + std::to_string(m.n_q()));
  controller_.check_reference(point_.view());
  describe_recording();
  if (sampled()) {
    std::copy(q.begin(), q.end(), q_before_.begin());
    (void)sample();
  }
  (*this)(t, y, dy_);
  plant_.start(t, q, v, tau_, qdd_);
}

void Simulation::measure() {
  const Model<double>& m = plant_.model();
  const View<const double> state(y), q = space.q(state), v = space.v(state);
  const SensorOptions& sensors = options.sensors;
  for (double& x : step_) x = noise_(sensors.position_noise);
  integrate(m, q, View<const double>(step_), View<double>(q_seen_));
  for (int i = 1; !sensors.encoder_step.empty() && i < m.n_bodies(); ++i)
    for (int k = 0; k < m.body(i).v.count; ++k) {
      const int coordinate = coordinate_of_dof(m.joint(i), k);
      const double line = sensors.encoder_step[at(m.body(i).v.first + k)];
      if (coordinate < 0 || !(line > 0)) continue;
      double& x = q_seen_[at(m.body(i).q.first + coordinate)];
      x = line * std::round(x / line);
    }
  if (sensors.velocity_by_difference) {
    if (samples_ == 0) q_before_ = q_seen_;
    difference(m, View<const double>(q_before_), View<const double>(q_seen_),
               View<double>(v_seen_));
    for (double& x : v_seen_) x /= options.period;
    q_before_ = q_seen_;
  } else {
    std::copy(v.begin(), v.end(), v_seen_.begin());
  }
  for (double& x : v_seen_) x += noise_(sensors.velocity_noise);
}

bool Simulation::sample() {
  measure();
  ++samples_;
  reference_(t, point_);
  const View<const double> state(y);
  // Accelerations and forces of rigid surfaces are those under the torque that acts until now.
  if (options.measure_acceleration || plant_.touches_rigid())
    (*this)(t, y, dy_);
  else
    plant_.meet_environment(t, space.q(state), space.v(state));
  ControlState seen{q_seen_, v_seen_, {}, plant_.contact_wrenches()};
  if (options.measure_acceleration) seen.qdd = qdd_;
  const ControlReference reference = point_.view();
  controller_.torque(t, seen, x_c_, reference, command_);
  if (n_c_ > 0) {
    controller_.state_derivative(t, seen, x_c_, reference, xdot_c_);
    for (std::size_t k = 0; k < x_c_.size(); ++k) x_c_[k] += options.period * xdot_c_[k];
  }
  Action& action = pending_[(first_ + waiting_) % pending_.size()];
  action.time = t + options.delay;
  action.tau = command_;
  ++waiting_;
  return act();
}

bool Simulation::act() {
  bool changed = false;
  while (waiting_ > 0 && pending_[first_].time <= t + 1e-12) {
    std::vector<double>& tau = pending_[first_].tau;
    saturate(tau);
    const std::vector<double>& limit = options.actuators.rate_limit;
    for (std::size_t k = 0; k < limit.size(); ++k) {
      const double most = limit[k] * options.period, jump = tau[k] - applied_[k];
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

bool Simulation::mode_ended(double time, View<const double> state) {
  (*this)(time, state, dy_);
  plant_.mode_ends(space.v(state), g_);
  for (const double g : g_)
    if (g < 0) return true;
  return false;
}

void Simulation::change_modes() {
  (*this)(t, y, dy_);
  const View<double> state(y);
  const View<const double> q = space.q(state), v = space.v(state);
  const double before = kinetic_form(plant_.model(), energy_, q, v);
  plant_.change_modes(t, q, space.v(state), tau_, qdd_);
  // What a plastic strike takes.
  space.x(state)[(sampled() ? 0 : n_c_) + friction_loss] +=
      before - kinetic_form(plant_.model(), energy_, q, v);
  ++recording.events;
}

bool Simulation::broken(StopReason reason) {
  const Model<double>& m = plant_.model();
  const View<const double> state(y), v = space.v(state);
  const auto stop = [&](StopReason why, const std::string& what) {
    recording.stop = why;
    recording.message = "stopped at t = " + short_number(t) + " s: " + what;
    return true;
  };
  const auto value = [&](const char* what, int dof, double x) {
    return std::string(what) + " of " + m.dof_name(dof) + " is " + short_number(x);
  };
  for (int k = 0; k < v.size; ++k)
    if (std::abs(v[k]) > options.blow_up)
      return stop(StopReason::blow_up,
                  value("velocity", k, v[k]) + ", beyond " + short_number(options.blow_up));
  for (int k = 0; k < v.size; ++k)
    if (!std::isfinite(v[k])) return stop(StopReason::not_finite, value("velocity", k, v[k]));
  for (const double x : space.q(state))
    if (!std::isfinite(x))
      return stop(StopReason::not_finite, "a coordinate is " + short_number(x));
  if (reason == StopReason::finished) return false;
  // The state is sound: the law or the plant gives what cannot be integrated here.
  for (int k = 0; k < v.size; ++k) {
    if (!std::isfinite(tau_[at(k)]))
      return stop(StopReason::not_finite, value("torque", k, tau_[at(k)]));
    if (!std::isfinite(qdd_[at(k)]))
      return stop(StopReason::not_finite, value("acceleration", k, qdd_[at(k)]));
  }
  if (!regular_)
    return stop(StopReason::singular, "the mass matrix or the touched surfaces are singular");
  int fastest = 0;
  for (int k = 0; k < v.size; ++k)
    if (std::abs(qdd_[at(k)]) > std::abs(qdd_[at(fastest)])) fastest = k;
  const std::string near = v.size > 0 ? value("acceleration", fastest, qdd_[at(fastest)]) : "";
  return stop(reason, (reason == StopReason::chatter ? "modes change without end; "
                                                     : "no step keeps the accuracy; ") +
                          near);
}

}  // namespace torsor::sim_detail
