#include "lane_runs.hpp"

#include <algorithm>
#include <cmath>

#include "lanes/rollout.hpp"
#include "torsor/control/joint/computed_torque.hpp"

namespace torsor::internal {
namespace {

using sim_detail::FigureKeeper;
using sim_detail::Signals;
using sim_detail::Simulation;
using sim_detail::StageNodes;
using sim_detail::StepPolynomial;

/// Nothing but the tree, with joints of one degree of freedom whose velocities are their rates.
bool plain_tree(const Model<double>& m) {
  if (!m.motors().empty() || has_loops(m) || !m.description().springs.empty() ||
      has_load_friction(m))
    return false;
  for (int i = 1; i < m.n_bodies(); ++i) {
    const JointKind kind = m.joint(i).kind;
    if (kind != JointKind::revolute && kind != JointKind::prismatic && kind != JointKind::helical)
      return false;
  }
  return true;
}
bool has_dry_friction(const Model<double>& m) {
  for (int k = 0; k < m.n_v(); ++k)
    if (is_dry(m.dof(k))) return true;
  return false;
}

bool same(const Vec3<double>& a, const Vec3<double>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}
/// Whether two robots are one but for masses and what their joints rub, spring and turn.
bool same_geometry(const Model<double>& a, const Model<double>& b) {
  if (a.n_bodies() != b.n_bodies() || a.n_v() != b.n_v() || !same(a.gravity(), b.gravity()))
    return false;
  for (int i = 0; i < a.n_bodies(); ++i) {
    const auto &x = a.canonical(i), &y = b.canonical(i);
    if (x.joint != y.joint || x.parent != y.parent || !same(x.p, y.p) || !same(x.R.c0, y.R.c0) ||
        !same(x.R.c1, y.R.c1) || !same(x.R.c2, y.R.c2) || x.cos_alpha != y.cos_alpha ||
        x.sin_alpha != y.sin_alpha)
      return false;
  }
  for (int k = 0; k < a.n_q(); ++k)
    if (a.offset(k) != b.offset(k)) return false;
  return true;
}

/// Computed torque that lanes have themselves: without an integral, of a robot without what they lack.
const ComputedTorque* computed_torque(const ControlLaw& law) {
  const auto* const known = dynamic_cast<const ComputedTorque*>(&law);
  const bool whole = known && !known->gains().has_integral() && plain_tree(law.model());
  return whole ? known : nullptr;
}

SimulateOptions with_integrator(SimulateOptions options) {
  options.integrator = integrator_of(options);
  return options;
}

}  // namespace

bool lanes_know(const Scenario& s) {
  const SimulateOptions& o = s.options;
  const double steps = 1 + o.duration * (1 / std::min(o.step, o.period) + 1 / o.period);
  return rollout_width() > 1 && o.period > 0 && integrator_of(o) == Integrator::rk4 &&
         o.delay == 0 && o.breaks.empty() && !o.sensors.velocity_by_difference &&
         !o.measure_acceleration && !o.progress && o.curve_points <= o.duration / o.record_every &&
         (o.most_evaluations == 0 || 8 * steps < static_cast<double>(o.most_evaluations)) &&
         !(s.stops.stiffness > 0) && s.surfaces.empty() && !s.disturbance &&
         plain_tree(s.plant_model) && !(s.friction && has_dry_friction(s.plant_model));
}

BegunRun::BegunRun(const Scenario& of)
    : scenario(of),
      options(with_integrator(of.options)),
      law(make_law(of.law, of.controller_model, of.parameters)),
      plant(plant_of(of)) {
  sim_detail::check(of.plant_model, options);
  run = std::make_unique<Simulation>(plant, *law, scenario.reference, options);
  run->start();
  run->recording().integrator = name_of(*options.integrator);
  // Of the stages of rk4 the third is inside the step.
  figures = std::make_unique<FigureKeeper>(*run, StageNodes{1, {1}, {0.5}, false, false});
}

bool BegunRun::can_go_on() const {
  return !run->halted() && run->follows() && !run->has_modes() && law->n_task_errors() == 0 &&
         law->n_estimates() == 0 && run->signals().n_s == 0 && plain_tree(run->robot());
}

bool BegunRun::goes_with(const BegunRun& other) const {
  return same_geometry(run->robot(), other.run->robot()) &&
         same_geometry(law->model(), other.law->model()) &&
         run->certified() == other.run->certified() && run->filtered() == other.run->filtered() &&
         options.duration == other.options.duration;
}

namespace {

class LaneRuns final : public RolloutHost {
 public:
  explicit LaneRuns(const std::vector<BegunRun*>& runs);
  /// False where the run has to be simulated by itself.
  std::vector<bool> go();

  void begin() override;
  void end(double t, long steps) override;
  void refer(double t) override;
  void draw(int lane, int count) override;
  void ask_law(int lane, double t) override;
  void ask_value(int lane, double t, const double* state) override;
  void record(double t, const double* state) override;
  double next_record() const override { return runs_[0]->run->next_record(); }
  void pass(double t0, double t1, const FixedArray<bool, most_lanes>& closed) override;
  double next_due() const override { return runs_[0]->figures->next_due(); }
  void close(int lane, double t0, double t1) override;
  void note_beyond(int lane, double t0, double t1) override;

 private:
  Simulation& run(int lane) { return *runs_[lane]->run; }
  FigureKeeper& figures(int lane) { return *runs_[lane]->figures; }
  void describe_signals();
  void place_running_numbers();
  void take(const double* from, int lane, Out<double> to) const {
    for (int k = 0; k < to.size; ++k) to[k] = from[k * job_.width + lane];
  }
  void give(In<double> from, int lane, double* to) const {
    for (int k = 0; k < from.size; ++k) to[k * job_.width + lane] = from[k];
  }
  /// The lane's numbers to the run, and those of its figures back.
  void update(int lane, double t);
  void take_figures(int lane);
  void give_figures(int lane);

  Array<BegunRun*> runs_;
  RolloutJob job_;
  ReferencePoint point_;
  Array<double> q_, v_, tau_, inside_;
};

LaneRuns::LaneRuns(const std::vector<BegunRun*>& runs)
    : runs_(runs), v_(runs[0]->run->robot().n_v()) {
  const BegunRun& first = *runs[0];
  const SimulateOptions& o = first.options;
  RolloutJob& j = job_;
  q_ = tau_ = v_;
  j.host = this;
  j.lanes = runs_.size();
  j.computed_torque = std::all_of(runs.begin(), runs.end(), [](const BegunRun* r) {
    return computed_torque(*r->law) != nullptr;
  });
  for (int l = 0; l < most_lanes; ++l) {
    const BegunRun& of = *runs_[std::min(l, runs_.size() - 1)];
    j.plant[l] = &of.run->robot();
    j.believed[l] = &of.law->model();
    j.torque_limit[l] = of.run->torque_limit().data();
    if (!j.computed_torque) continue;
    j.Kp[l] = &computed_torque(*of.law)->gains().Kp;
    j.Kd[l] = &computed_torque(*of.law)->gains().Kd;
  }
  if (j.computed_torque) j.effects = computed_torque(*first.law)->effects();
  j.rubs = first.plant.friction;
  j.start = o.start, j.end = first.run->end(), j.step = o.step, j.period = o.period;
  j.slack = first.run->slack();
  j.position_noise = o.sensors.position_noise, j.velocity_noise = o.sensors.velocity_noise;
  j.encoder_step = o.sensors.encoder_step, j.rate_limit = o.actuators.rate_limit;
  j.blow_up = o.blow_up, j.least_pivot = PlantDynamics::least_pivot;
  j.has_value = first.run->certified();
  j.asks_value = (j.has_value && !j.computed_torque) || first.run->filtered();
  for (const BegunRun* of : runs)
    for (const Prediction& p : of->run->recording().predictions)
      j.follows_decay = j.follows_decay || p.quantity == PredictedQuantity::decay_rate;
  j.n = v_.size();
  j.n_states = first.run->space().n_state();
  describe_signals();
  place_running_numbers();
}

void LaneRuns::describe_signals() {
  RolloutJob& j = job_;
  const Signals& x = runs_[0]->run->signals();
  const FigureKeeper& f = *runs_[0]->figures;
  j.n_signals = x.count;
  j.e = x.e, j.tau = x.tau, j.power = x.power, j.q = x.q, j.v = x.v, j.norm = x.norm;
  j.value = x.value;
  j.q_dofs = x.q_dofs, j.v_dofs = x.v_dofs;
  j.band = f.band(), j.floor = f.floor(), j.late_start = f.late_start(), j.half = f.half();
  for (int k = 0; k < 3; ++k) {
    j.slope_at_start[k] = f.slope_weights_at(false)[k];
    j.slope_at_end[k] = f.slope_weights_at(true)[k];
  }
}

void LaneRuns::place_running_numbers() {
  RunningPlaces& r = job_.running;
  int* const places[] = {&r.start,     &r.end,        &r.low,     &r.high,    &r.late_low,
                         &r.late_high, &r.early,      &r.least,   &r.most,    &r.power,
                         &r.energy,    &r.variation,  &r.settled, &r.balance, &r.increase,
                         &r.value_low, &r.value_size, &r.slowest};
  std::size_t next = 0;
  runs_[0]->figures->each_running([&](const double*, int count) {
    *places[next++] = r.count;
    r.count += count;
  });
}

void LaneRuns::take_figures(int lane) {
  const double* from = job_.running_numbers;
  figures(lane).each_running([&](double* first, int count) {
    take(from, lane, {first, count});
    from += count * job_.width;
  });
}
void LaneRuns::give_figures(int lane) {
  double* to = job_.running_numbers;
  figures(lane).each_running([&](const double* first, int count) {
    give({first, count}, lane, to);
    to += count * job_.width;
  });
}

void LaneRuns::update(int lane, double t) {
  Simulation& r = run(lane);
  r.t() = t;
  take(job_.state, lane, r.y());
  take(job_.held, lane, tau_);
  r.hold(tau_);
}

void LaneRuns::begin() {
  for (int l = 0; l < job_.lanes; ++l) {
    Simulation& r = run(l);
    r.record(r.t(), r.y());
    give(r.y(), l, job_.state);
    give(r.held_torque(), l, job_.held);
    give_figures(l);
    job_.first_value[l] = figures(l).first_value();
    job_.least_decaying[l] = figures(l).least_decaying();
    job_.rate_is_bound[l] = r.recording().rate_is_bound ? 1 : 0;
  }
}

void LaneRuns::end(double t, long steps) {
  for (int l = 0; l < job_.lanes; ++l) {
    update(l, t);
    take_figures(l);
    run(l).recording().steps = steps;
    run(l).recording().evaluations += 5 * steps;  // four stages and a sample
  }
}

void LaneRuns::refer(double t) {
  run(0).reference(t, point_);
  const int n = job_.n;
  const auto put = [&](const Array<double>& from, double* to) {
    for (int k = 0; k < n; ++k) to[k] = from.empty() ? 0 : from[k];
  };
  put(point_.q, job_.reference);
  put(point_.qd, job_.reference + n);
  put(point_.qdd, job_.reference + 2 * n);
}

void LaneRuns::draw(int lane, int count) {
  sim_detail::Noise& noise = run(lane).noise();
  for (int k = 0; k < count; ++k) job_.uniform[k * job_.width + lane] = noise.uniform();
}

void LaneRuns::ask_law(int lane, double t) {
  take(job_.seen, lane, q_);
  take(job_.seen + job_.n * job_.width, lane, v_);
  run(lane).ask_law(t, q_, v_, tau_);
  give(tau_, lane, job_.command);
  for (const double x : run(lane).x_c(run(lane).y()))
    if (!(std::abs(x) < 1e15)) job_.lost[lane] = true;
}

void LaneRuns::ask_value(int lane, double t, const double* state) {
  take(state, lane, q_);
  take(state + job_.n * job_.width, lane, v_);
  double square = 0;
  const LyapunovValue value = run(lane).lyapunov(t, q_, v_, square);
  job_.values[lane] = value.value;
  job_.values[job_.width + lane] = value.rate;
  job_.values[2 * job_.width + lane] = square;
  job_.rate_is_bound[lane] = run(lane).recording().rate_is_bound ? 1 : 0;
}

void LaneRuns::record(double t, const double* state) {
  for (int l = 0; l < job_.lanes; ++l) {
    Simulation& r = run(l);
    take(job_.held, l, tau_);
    r.hold(tau_);
    inside_.resize(job_.n_states);
    take(state, l, inside_);
    r.record(t, inside_);
  }
}

void LaneRuns::pass(double t0, double t1, const FixedArray<bool, most_lanes>& closed) {
  for (int l = 0; l < job_.lanes; ++l) {
    if (closed[l]) continue;
    run(l).t() = t1;
    take(job_.state, l, run(l).y());
    int part = 0;  // the end of the step is the second one
    figures(l).each_running([&](double* first, int count) {
      if (part++ == 1)
        take(job_.running_numbers + job_.running.end * job_.width, l, {first, count});
    });
    figures(l).passed(t0, t1);
  }
}

void LaneRuns::close(int lane, double t0, double t1) {
  Simulation& r = run(lane);
  FigureKeeper& f = figures(lane);
  update(lane, t1);
  take_figures(lane);
  take(job_.middle, lane, r.next_row());
  (void)r.next_row();  // that of the last stage
  f.accepted(t0, t1);
  for (int i = 1; f.needs_nodes() && i + 1 < StepPolynomial::nodes; ++i) {
    const double past = StepPolynomial::node(i) * (t1 - t0);
    job_.dense(job_.lanes_data, past / (t1 - t0));
    inside_.resize(job_.n_states);
    take(job_.inside, lane, inside_);
    f.node(i, t0 + past, inside_);
  }
  f.close();
  give_figures(lane);
}

void LaneRuns::note_beyond(int lane, double t0, double t1) {
  take_figures(lane);
  figures(lane).note_beyond(t0, t1);
  give_figures(lane);
}

std::vector<bool> LaneRuns::go() {
  roll_out(job_);
  std::vector<bool> good;
  for (int l = 0; l < job_.lanes; ++l) {
    Simulation& r = run(l);
    good.push_back(!job_.lost[l] && !r.halted());
    if (!good.back()) continue;
    figures(l).finish();
    r.hold_certificate(figures(l).take_trace());
  }
  return good;
}

}  // namespace

std::vector<bool> go_on_in_lanes(const std::vector<BegunRun*>& runs) {
  std::vector<bool> good(runs.size()), seen(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (seen[k] || !runs[k]->can_go_on()) continue;
    std::vector<BegunRun*> together;
    std::vector<std::size_t> places;
    for (std::size_t i = k; i < runs.size(); ++i) {
      if (seen[i] || !runs[i]->can_go_on() || !runs[i]->goes_with(*runs[k])) continue;
      seen[i] = true;
      together.push_back(runs[i]);
      places.push_back(i);
    }
    const std::vector<bool> went = LaneRuns(together).go();
    for (std::size_t i = 0; i < places.size(); ++i) good[places[i]] = went[i];
  }
  return good;
}

}  // namespace torsor::internal
