#include "torsor/sim/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "simulation.hpp"
#include "torsor/sim/taylor_step.hpp"

namespace torsor {

namespace {

using sim_detail::Simulation;

/// Steps of a fixed length, cut at every instant where something is due.
class FixedStepper {
 public:
  using Step = void (*)(const RobotSpace<double>&, RungeKuttaWorkspace<double>&, Simulation&,
                        double, double, View<double>);
  FixedStepper(Simulation& run, Step step)
      : run_(run), step_(step), ws_(run.space), before_(run.y.size()) {}

  static constexpr bool sees_inside = false;  // rows are taken at ends of steps
  StepEnd advance(double limit) {
    const double h = run_.options.step;
    t_ = run_.t;
    before_ = run_.y;
    h_ = t_ + h * (1 + 1e-9) >= limit ? limit - t_ : h;
    step_(run_.space, ws_, run_, t_, h_, run_.y);
    run_.t = t_ + h * (1 + 1e-9) >= limit ? limit : t_ + h;
    return StepEnd::reached;
  }
  double begin() const { return t_; }
  double length() const { return h_; }
  void state_at(double u, View<double> y) {
    std::copy(before_.begin(), before_.end(), y.begin());
    step_(run_.space, ws_, run_, t_, u * h_, y);
  }
  void restart() {}

 private:
  Simulation& run_;
  Step step_;
  RungeKuttaWorkspace<double> ws_;
  std::vector<double> before_;
  double t_ = 0, h_ = 0;
};

/// Steps of the length that the accuracy allows; rows inside them come from the dense output.
template <class Pair>
class PairStepper {
 public:
  explicit PairStepper(Simulation& run) : run_(run), ws_(run.space) {}

  static constexpr bool sees_inside = true;
  StepEnd advance(double limit) {
    return adaptive_step(run_.space, ws_, run_.options.control, run_, run_.t, limit, run_.y).end;
  }
  double begin() const { return ws_.t0; }
  double length() const { return ws_.h; }
  void state_at(double u, View<double> y) {
    prepare_dense(run_.space, ws_, run_);
    dense_state(run_.space, ws_, u, y);
  }
  void restart() { ws_.restart(); }

 private:
  Simulation& run_;
  PairWorkspace<Pair, double> ws_;
};

/// The last fraction of the step before which no mode has ended; the state moves there.
template <class Stepper>
void go_to_event(Simulation& run, Stepper& stepper) {
  std::vector<double>& y = run.y;
  double low = 0, high = 1;
  const double t0 = stepper.begin(), h = stepper.length();
  while ((high - low) * h > run.options.event_time && high - low > 1e-15) {
    const double middle = 0.5 * (low + high);
    stepper.state_at(middle, y);
    (run.mode_ended(t0 + middle * h, y) ? high : low) = middle;
  }
  stepper.state_at(high, y);
  run.t = t0 + high * h;
}

template <class Stepper>
void run_to_the_end(Simulation& run, Stepper stepper) {
  const double end = run.end(), slack = 1e-12 * std::max(1.0, std::abs(end));
  std::vector<double> inside(run.y.size());
  const auto record_before = [&](double time) {
    while (run.next_record() < time - slack) {
      const double due = run.next_record();
      stepper.state_at((due - stepper.begin()) / stepper.length(), inside);
      run.record(due, inside);
    }
  };
  const auto record_here = [&] {
    if (run.next_record() <= run.t + slack) run.record(run.t, run.y);
  };
  int crowded = 0;
  double last_event = -infinity;
  record_here();
  while (run.t < end) {
    double limit = std::min(end, run.next_action());
    if (run.sampled()) limit = std::min(limit, run.next_sample());
    if (!Stepper::sees_inside && run.next_record() > run.t + slack)
      limit = std::min(limit, run.next_record());
    const StepEnd result = stepper.advance(limit);
    ++run.recording.steps;
    if (result != StepEnd::reached) {
      run.broken(StopReason::step_size);
      return;
    }
    if (run.has_modes() && run.mode_ended(run.t, run.y)) {
      go_to_event(run, stepper);
      record_before(run.t);
      run.change_modes();
      stepper.restart();
      crowded = run.t - last_event < 1e-9 ? crowded + 1 : 0;
      last_event = run.t;
      if (crowded > 200) {
        run.broken(StopReason::chatter);
        return;
      }
    }
    if (run.broken()) return;
    record_before(run.t);
    bool jumped = run.act();
    if (run.sampled() && run.t >= run.next_sample() && run.t < end) jumped = run.sample() || jumped;
    if (jumped) stepper.restart();
    record_here();
  }
}

void check(const Model<double>& model, const SimulateOptions& o) {
  const auto refuse = [](const std::string& what) { throw Error("simulate: " + what); };
  const auto positive = [&](const char* name, double x) {
    if (!(x > 0) || !std::isfinite(x))
      refuse(std::string(name) + " is " + std::to_string(x) + "; it must be positive");
  };
  const auto size = [&](const char* name, const std::vector<double>& x, int n) {
    if (!x.empty() && static_cast<int>(x.size()) != n)
      refuse(std::string(name) + " has " + std::to_string(x.size()) + " numbers; " +
             std::to_string(n) + " are needed");
  };
  positive("duration", o.duration);
  positive("record_every", o.record_every);
  positive("step", o.step);
  size("q0", o.q0, model.n_q());
  size("v0", o.v0, model.n_v());
  size("torque_limit", o.actuators.torque_limit, model.n_v());
  size("rate_limit", o.actuators.rate_limit, model.n_v());
  size("encoder_step", o.sensors.encoder_step, model.n_v());
  if (!(o.period >= 0) || !(o.delay >= 0)) refuse("period and delay cannot be negative");
  const bool sampled_only = o.delay > 0 || !o.actuators.rate_limit.empty() ||
                            !o.sensors.encoder_step.empty() || o.sensors.velocity_by_difference ||
                            o.sensors.position_noise > 0 || o.sensors.velocity_noise > 0;
  if (o.period == 0 && sampled_only)
    refuse("delay, rate limits, encoders and sensor noise need sampled control: give a period");
}

}  // namespace

const char* name_of(Integrator integrator) {
  switch (integrator) {
    case Integrator::taylor:
      return "taylor";
    case Integrator::semi_implicit_euler:
      return "semi_implicit_euler";
    case Integrator::rk4:
      return "rk4";
    case Integrator::dormand_prince5:
      return "dormand_prince5";
    case Integrator::dormand_prince8:
      return "dormand_prince8";
  }
  return "";
}

Recording simulate(const Plant& plant, AnyController& controller,
                   const ReferenceFunction& reference, const SimulateOptions& options) {
  check(*plant.model, options);
  const bool adaptive = options.integrator == Integrator::dormand_prince5 ||
                        options.integrator == Integrator::dormand_prince8;
  if (adaptive && options.period == 0 && controller.switches())
    throw Error(std::string("simulate: law \"") + controller.name() +
                "\" switches without end; give a period, an integrator with fixed steps (rk4) or a "
                "boundary layer");
  for (const Surface& surface : plant.surfaces)
    if (options.period == 0 && controller.feels_contact() && surface.stiffness == infinity)
      throw Error(std::string("simulate: law \"") + controller.name() +
                  "\" feels forces, and those of the rigid surface " + surface.name +
                  " follow from its torque: give the surface a stiffness or the run a period");
  Simulation run(plant, controller, reference, options);
  run.start();
  const auto fixed = [&](auto step) { run_to_the_end(run, FixedStepper(run, step)); };
  switch (options.integrator) {
    case Integrator::taylor:
      fixed([](const RobotSpace<double>& space, RungeKuttaWorkspace<double>& ws, Simulation& rates,
               double t, double h, View<double> y) { taylor_step(space, ws, rates, t, h, y); });
      break;
    case Integrator::semi_implicit_euler:
      fixed([](const RobotSpace<double>& space, RungeKuttaWorkspace<double>& ws, Simulation& rates,
               double t, double h,
               View<double> y) { semi_implicit_euler_step(space, ws, rates, t, h, y); });
      break;
    case Integrator::rk4:
      fixed([](const RobotSpace<double>& space, RungeKuttaWorkspace<double>& ws, Simulation& rates,
               double t, double h, View<double> y) { rk4_step(space, ws, rates, t, h, y); });
      break;
    case Integrator::dormand_prince5:
      run_to_the_end(run, PairStepper<DormandPrince5>(run));
      break;
    case Integrator::dormand_prince8:
      run_to_the_end(run, PairStepper<DormandPrince8>(run));
      break;
  }
  return std::move(run.recording);
}

}  // namespace torsor
