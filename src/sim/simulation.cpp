#include "torsor/sim/internal/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "torsor/model/friction.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/model/text.hpp"

namespace torsor::sim_detail {

double Noise::operator()(double deviation) {
  if (deviation == 0) return 0;
  const double u = uniform(), v = uniform();
  return deviation * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

namespace {

/// The robot that a plant without friction is, where its model has some: laws that ask what the plant
/// is are told the truth.
std::unique_ptr<const Model<double>> without_friction(const Plant& plant) {
  const Model<double>& m = *plant.model;
  for (int k = 0; k < m.n_v() && !plant.friction; ++k)
    if (friction_torque<double, double>(m.dof(k), 1) != 0 || m.dof(k).load != 0 ||
        static_friction_limit(m.dof(k)) != 0)
      return std::make_unique<const Model<double>>(with_effects(m, {.friction = false}));
  return nullptr;
}
Plant with_model(Plant plant, const Model<double>* other) {
  if (other != nullptr) plant.model = other;
  return plant;
}

}  // namespace

Simulation::Simulation(const Plant& plant, ControlLaw& law, const ReferenceFunction& reference,
                       const SimulateOptions& options)
    : options_(options),
      law_(law),
      reference_(reference),
      frictionless_(without_friction(plant)),
      plant_as_given_(with_model(plant, frictionless_.get())),
      plant_(plant_as_given_),
      quadratures_(plant.model->n_v(), law.n_task_errors()),
      space_(plant_.model(),
             (options.period > 0 ? 0 : law.n_states()) + n_integrals + quadratures_.count,
             quadratures_.count),
      t_(options.start),
      y_(space_.n_state()),
      energy_(plant_.model()),
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
      most_evaluations_(options.most_evaluations > 0
                            ? options.most_evaluations
                            : 2'000'000 + static_cast<long>(1e7 * options.duration)),
      x_c_(law.n_states()),
      xdot_c_(x_c_.size()),
      q_seen_(plant.model->n_q()),
      q_before_(q_seen_.size()),
      v_seen_(tau_.size()),
      step_(tau_.size()) {
  last_.tau = tau_;
  last_.qdd = qdd_;
  last_.input.x_c = x_c_;  // of sampled control
  for (const double t : options_.breaks)
    if (t > options_.start) breaks_.push_back(t);
  std::sort(breaks_.begin(), breaks_.end());
  if (sampled())
    pending_.assign(static_cast<int>(options_.delay / options_.period) + 3,
                    {0, Array<double>(tau_.size())});
  const ActuatorOptions& actuators = options_.actuators;
  for (int k = 0; k < tau_.size(); ++k) {
    if (actuators.model_limits) limit_[k] = plant.model->limits(k).effort;
    if (!actuators.torque_limit.empty()) limit_[k] = std::min(limit_[k], actuators.torque_limit[k]);
  }
}

void Simulation::saturate(Out<double> tau) const {
  for (int k = 0; k < tau.size; ++k) {
    const double limit = limit_[k];
    tau[k] = tau[k] > limit ? limit : tau[k] < -limit ? -limit : tau[k];  // a NaN stays one
  }
}

void Simulation::refer(double time) {
  if (time == referred_) return;
  reference_(time, point_);
  last_.input.reference = point_.view();
  referred_ = time;
}

void Simulation::meet(double time, In<double> state) {
  const In<double> q = space_.q(state), v = space_.v(state);
  refer(time);
  plant_.meet_environment(force_time(time), q, v);
  last_.input.t = time;
  last_.input.state = {q, v, {}, plant_.contact_wrenches()};
  if (!sampled()) last_.input.x_c = x_c(state);
  last_.lyapunov = {};
  last_.regular = true;
  if (sampled()) return;
  law_.torque(last_.input, tau_);
  saturate(tau_);
}

const Instant& Simulation::evaluate(double time, In<double> state, bool with_value) {
  const long count = ++recording_.evaluations;
  if (count > most_evaluations_) halt(StopReason::evaluations);
  if (options_.progress && count % 4096 == 0 && !options_.progress(t_))
    halt(StopReason::interrupted);
  meet(time, state);
  const In<double> q = space_.q(state), v = space_.v(state);
  Instant& now = last_;
  now.regular = plant_.accelerate(force_time(time), q, v, tau_, qdd_);
  // The trial of a step that is far too long is no state of the robot: it is rejected, not judged.
  const auto possible = [](double x) { return std::abs(x) < 1e8; };
  if (!now.regular && !halted() && std::all_of(q.begin(), q.end(), possible) &&
      std::all_of(v.begin(), v.end(), possible)) {
    singular_ = plant_.singular();
    halt(StopReason::singular);
  }
  if (options_.measure_acceleration) now.input.state.qdd = qdd_;
  if (certified_ && with_value) {
    now.lyapunov = law_.lyapunov(now.input, plant_.model());
    recording_.rate_is_bound = recording_.rate_is_bound || now.lyapunov.rate_is_bound;
  }
  fresh_ = with_value;
  return now;
}

void Simulation::halt(StopReason reason) {
  if (halted()) return;
  halt_ = reason;
  halted_at_ = t_;
}

/// e, s and the task's error of this instant.
void Simulation::measure_errors(const Instant& now) {
  if (follows()) {
    if (plain_)
      for (int k = 0; k < e_.size(); ++k) e_[k] = point_.q[k] - now.input.state.q[k];
    else
      difference(plant_.model(), now.input.state.q, In<double>(point_.q), Out<double>(e_));
    if (filtered_) (void)law_.filtered_error(now.input, s_);
  }
  if (task_e_.empty()) return;
  ControlInput seen = now.input;
  seen.state.qdd = now.qdd;
  seen.state.F_contact = plant_.contact_wrenches();
  law_.task_error(seen, task_e_);
}

void Simulation::rates(double time, In<double> state, Out<double> dy, bool with_signals) {
  const Instant& now = evaluate(time, state, true);
  if (halted()) {  // an adaptive step ends soon where nothing is a number
    std::fill(dy.begin(), dy.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const In<double> v = space_.v(state);
  const Out<double> rate = space_.x_rate(dy);
  const int behind = first_integral(), n = v.size;
  if (behind > 0) law_.state_derivative(now.input, {rate.data, behind});
  measure_errors(now);
  double *const q_rate = space_.q_rate(dy).data, *const v_rate = space_.v_rate(dy).data;
  double* const square = rate.data + behind + n_integrals;
  double *const error = square + quadratures_.error, *const torque = square + quadratures_.torque;
  double* const work = square + quadratures_.power;
  const double *const e = e_.data(), *const tau = tau_.data(), *const qdd = qdd_.data();
  double motor = 0;
  for (int k = 0; k < n; ++k) {
    const double power = tau[k] * v[k];
    q_rate[k] = v[k];
    v_rate[k] = qdd[k];
    error[k] = e[k] * e[k];
    torque[k] = tau[k] * tau[k];
    work[k] = power;
    motor += power;
  }
  for (int k = 0; k < task_e_.size(); ++k) square[quadratures_.task + k] = task_e_[k] * task_e_[k];
  double filtered = 0;
  for (int k = 0; filtered_ && k < n; ++k) filtered += s_[k] * s_[k];
  square[quadratures_.filtered] = filtered;
  rate[behind + lyapunov_rate] = certified_ ? now.lyapunov.rate : 0;
  rate[behind + motor_work] = motor;
  rate[behind + friction_loss] = plant_.friction_power();
  rate[behind + external_work] = plant_.external_power();

  const Out<double> row = next_row();
  if (with_signals) write_signals(state, now.tau, now.lyapunov.value, row);
}

void Simulation::visit(double time, In<double> state) {
  const Instant& now = evaluate(time, state, false);
  measure_errors(now);
  write_signals(state, now.tau, std::numeric_limits<double>::quiet_NaN(), next_row());
}

void Simulation::lay_out_signals() {
  const Model<double>& m = plant_.model();
  Signals& x = signals_;
  for (int i = 1; i < m.n_bodies(); ++i)
    for (int k = 0; k < m.body(i).v.count; ++k) {
      const int dof = m.body(i).v.first + k;
      const Limits& limits = m.limits(dof);
      const bool plain = internal::coordinate_of_dof(m.joint(i), k) >= 0;
      const JointKind kind = m.joint(i).kind;
      plain_ = plain_ && (kind == JointKind::revolute || kind == JointKind::prismatic ||
                          kind == JointKind::helical);
      if (plain && (limits.lower > -infinity || limits.upper < infinity)) x.q_dofs.push_back(dof);
      if (limits.velocity < infinity) x.v_dofs.push_back(dof);
    }
  const bool reaches =
      std::any_of(recording_.predictions.begin(), recording_.predictions.end(),
                  [](const auto& p) { return p.quantity == PredictedQuantity::reaching_speed; });
  const auto place = [&](int& first, int n) {
    first = x.count;
    x.count += n;
  };
  x.n_e = follows() ? m.n_v() : 0;
  x.n_tau = m.n_v();
  x.n_task = task_e_.size();
  x.n_s = filtered_ && reaches ? m.n_v() : 0;
  x.n_value = certified_ ? 1 : 0;
  place(x.e, x.n_e);
  place(x.tau, x.n_tau);
  place(x.power, x.n_tau);
  place(x.q, x.q_dofs.size());
  place(x.v, x.v_dofs.size());
  place(x.task, x.n_task);
  place(x.s, x.n_s);
  place(x.norm, x.n_e > 0 ? 1 : 0);
  place(x.value, x.n_value);
  rows_.resize(static_cast<int>(rows_kept) * x.count);
}

void Simulation::write_signals(In<double> state, In<double> tau, double value,
                               Out<double> row) const {
  const Signals& x = signals_;
  const In<double> q = space_.q(state), v = space_.v(state);
  const double* const error = e_.data();
  double *const e = row.data + x.e, *const torque = row.data + x.tau;
  double* const power = row.data + x.power;
  double norm = 0;
  for (int k = 0; k < x.n_e; ++k) {
    e[k] = error[k];
    norm += error[k] * error[k];
  }
  for (int k = 0; k < x.n_tau; ++k) {
    torque[k] = tau[k];
    power[k] = tau[k] * v[k];
  }
  const int *const q_place = q_places_.data(), *const v_place = x.v_dofs.data();
  double *const position = row.data + x.q, *const velocity = row.data + x.v;
  for (int k = 0, n = q_places_.size(); k < n; ++k) position[k] = q[q_place[k]];
  for (int k = 0, n = x.v_dofs.size(); k < n; ++k) velocity[k] = v[v_place[k]];
  for (int k = 0; k < x.n_task; ++k) row[x.task + k] = task_e_[k];
  for (int k = 0; k < x.n_s; ++k) row[x.s + k] = s_[k];
  if (x.n_e > 0) row[x.norm] = std::sqrt(norm);
  if (x.n_value > 0) row[x.value] = value;
}

void Simulation::look(double time, In<double> state, bool with_value, Out<double> row) {
  if (options_.measure_acceleration || plant_.touches_rigid()) {
    (void)evaluate(time, state, with_value);
  } else {  // what acts, without what it does
    fresh_ = false;
    ++recording_.evaluations;
    meet(time, state);
    if (with_value && certified_) last_.lyapunov = law_.lyapunov(last_.input, plant_.model());
  }
  measure_errors(last_);
  write_signals(state, last_.tau, last_.lyapunov.value, row);
}

Simulation::EnergyBalance Simulation::energy_balance(In<double> state) {
  const Model<double>& m = plant_.model();
  const In<double> q = space_.q(state), v = space_.v(state);
  const double* const integrals = space_.x(state).data + first_integral();
  const double kinetic = kinetic_form(m, energy_, q, v);
  const double potential = potential_energy(m, energy_.kinematics) + joint_spring_energy(m, q);
  const double given = integrals[motor_work] - integrals[friction_loss] + integrals[external_work];
  const double stored = kinetic + potential - energy_start_;
  double size = std::max(kinetic, std::abs(stored));
  for (const Integral i : {motor_work, friction_loss, external_work})
    size = std::max(size, std::abs(integrals[i]));
  return {stored - given, size};
}

void Simulation::start() {
  const Model<double>& m = plant_.model();
  const Out<double> state(y_), q = space_.q(state), v = space_.v(state);
  if (options_.q0.empty()) neutral(m, q);
  for (int k = 0; k < options_.q0.size(); ++k) q[k] = options_.q0[k];
  for (int k = 0; k < options_.v0.size(); ++k) v[k] = options_.v0[k];
  check_configuration(m, q);
  check_velocity(m, v);
  refer(t_);
  if (!point_.q.empty() && point_.q.size() != m.n_q())
    throw Error("simulate: the reference has " + std::to_string(point_.q.size()) +
                " coordinates; the robot has " + std::to_string(m.n_q()));
  law_.check_reference(point_.view());
  ask_certificate();
  law_.reset(sampled() ? Out<double>(x_c_) : Out<double>(space_.x(state).data, x_c_.size()));
  if (sampled()) {
    std::copy(q.begin(), q.end(), q_before_.begin());
    (void)sample();
  }
  const Instant& now = evaluate(t_, y_, true);
  const LyapunovValue claim = law_.lyapunov(now.input, m);
  certified_ = options_.certificate && claim.given;
  rate_is_local_ = claim.local;
  filtered_ = !point_.q.empty() && law_.filtered_error(now.input, s_);
  mass_at_start_ = plant_.least_mass().ratio;
  paced_at_ = t_;
  describe_recording();
  lay_out_signals();
  for (const int dof : signals_.q_dofs) {
    int i = 1;
    while (m.body(i).v.first + m.body(i).v.count <= dof) ++i;
    q_places_.push_back(m.body(i).q.first +
                        internal::coordinate_of_dof(m.joint(i), dof - m.body(i).v.first));
  }
  energy_start_ = kinetic_form(m, energy_, q, v) + potential_energy(m, energy_.kinematics) +
                  joint_spring_energy(m, q);
  plant_.start(t_, q, v, tau_, qdd_);
  note_contact();
}

void Simulation::measure() {
  const Model<double>& m = plant_.model();
  const In<double> state(y_), q = space_.q(state), v = space_.v(state);
  const SensorOptions& sensors = options_.sensors;
  if (sensors.position_noise == 0 && space_.steps_add) {
    std::copy(q.begin(), q.end(), q_seen_.begin());
  } else {
    for (double& x : step_) x = noise_(sensors.position_noise);
    integrate(m, q, In<double>(step_), Out<double>(q_seen_));
  }
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
  for (int k = 0; sensors.velocity_noise > 0 && k < v_seen_.size(); ++k)
    v_seen_[k] += noise_(sensors.velocity_noise);
}

void Simulation::command(const ControlInput& seen, Out<double> tau) {
  law_.torque(seen, tau);
  if (x_c_.empty()) return;
  law_.state_derivative(seen, xdot_c_);
  for (int k = 0; k < x_c_.size(); ++k) x_c_[k] += options_.period * xdot_c_[k];
}

void Simulation::ask_law(double time, In<double> q_seen, In<double> v_seen, Out<double> tau) {
  refer(time);
  command({time, {q_seen, v_seen, {}, {}}, x_c_, point_.view()}, tau);
}

LyapunovValue Simulation::lyapunov(double time, In<double> q, In<double> v,
                                   double& filtered_square) {
  refer(time);
  const ControlInput input{time, {q, v, {}, {}}, x_c_, point_.view()};
  LyapunovValue value{};
  if (certified_) value = law_.lyapunov(input, plant_.model());
  recording_.rate_is_bound = recording_.rate_is_bound || value.rate_is_bound;
  filtered_square = 0;
  if (filtered_) (void)law_.filtered_error(input, s_);
  for (int k = 0; filtered_ && k < s_.size(); ++k) filtered_square += s_[k] * s_[k];
  return value;
}

bool Simulation::sample() {
  fresh_ = false;
  measure();
  ++samples_;
  refer(t_);
  // Accelerations and forces of rigid surfaces are those under the torque that acts until now.
  if (options_.measure_acceleration || plant_.touches_rigid())
    (void)evaluate(t_, y_, false);
  else
    plant_.meet_environment(t_, space_.q(In<double>(y_)), space_.v(In<double>(y_)));
  ControlInput seen{t_, {q_seen_, v_seen_, {}, plant_.contact_wrenches()}, x_c_, point_.view()};
  if (options_.measure_acceleration) seen.state.qdd = qdd_;
  Action& action = pending_[(first_ + waiting_) % pending_.size()];
  action.time = t_ + options_.delay;
  command(seen, action.tau);
  ++waiting_;
  return act();
}

bool Simulation::act() {
  bool changed = false;
  if (waiting_ > 0) fresh_ = false;
  while (waiting_ > 0 && pending_[first_].time <= t_ + 1e-12) {
    Array<double>& tau = pending_[first_].tau;
    saturate(tau);
    const Array<double>& limit = options_.actuators.rate_limit;
    for (int k = 0; k < limit.size(); ++k) {
      const double most = limit[k] * options_.period, jump = tau[k] - tau_[k];
      if (jump > most) tau[k] = tau_[k] + most;
      if (jump < -most) tau[k] = tau_[k] - most;
    }
    std::copy(tau.begin(), tau.end(), tau_.begin());
    first_ = (first_ + 1) % pending_.size();
    --waiting_;
    changed = true;
  }
  return changed;
}

bool Simulation::mode_ended(double time, In<double> state) {
  (void)evaluate(time, state, false);
  return mode_ended_here(state);
}
bool Simulation::mode_ended_here(In<double> state) {
  plant_.mode_ends(space_.v(state), g_);
  return std::any_of(g_.begin(), g_.end(), [](double g) { return g < 0; });
}

void Simulation::change_modes() {
  (void)evaluate(t_, y_, false);
  const Out<double> state(y_);
  const In<double> q = space_.q(state), v = space_.v(state);
  const double before = kinetic_form(plant_.model(), energy_, q, v);
  plant_.change_modes(t_, q, space_.v(state), tau_, qdd_);
  // What a plastic strike takes.
  space_.x(state)[first_integral() + friction_loss] +=
      before - kinetic_form(plant_.model(), energy_, q, v);
  note_contact();
  ++recording_.events;
  fresh_ = false;
}

}  // namespace torsor::sim_detail
