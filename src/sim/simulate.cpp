#include "torsor/sim/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "simulation.hpp"
#include "torsor/sim/events.hpp"
#include "torsor/sim/taylor_step.hpp"

namespace torsor {

namespace {

using sim_detail::Simulation;

/// Steps of a fixed length, cut at every instant where something is due.
class FixedStepper {
 public:
  explicit FixedStepper(Simulation& run) : run_(run), ws_(run.space()), before_(run.y()) {}

  static constexpr bool sees_inside = false;  // rows are taken at ends of steps
  StepEnd advance(double limit) {
    const double h = run_.options().step;
    t_ = run_.t();
    before_ = run_.y();
    const bool last = t_ + h * (1 + 1e-9) >= limit;
    h_ = last ? limit - t_ : h;
    step(h_, run_.y());
    run_.t() = last ? limit : t_ + h;
    return StepEnd::reached;
  }
  double begin() const { return t_; }
  double length() const { return h_; }
  void state_at(double u, Out<double> y) {
    std::copy(before_.begin(), before_.end(), y.begin());
    step(u * h_, y);
  }
  void restart() {}

 private:
  void step(double h, Out<double> y) {
    switch (run_.options().integrator) {
      case Integrator::taylor:
        return taylor_step(run_.space(), ws_, run_, t_, h, y);
      case Integrator::semi_implicit_euler:
        return semi_implicit_euler_step(run_.space(), ws_, run_, t_, h, y);
      default:
        return rk4_step(run_.space(), ws_, run_, t_, h, y);
    }
  }

  Simulation& run_;
  RungeKuttaWorkspace<double> ws_;
  Array<double> before_;
  double t_ = 0, h_ = 0;
};

/// Steps of the length that the accuracy allows; rows inside them come from the dense output.
template <class Pair>
class PairStepper {
 public:
  explicit PairStepper(Simulation& run) : run_(run), ws_(run.space()) {}

  static constexpr bool sees_inside = true;
  StepEnd advance(double limit) {
    return adaptive_step(run_.space(), ws_, run_.options().control, run_, run_.t(), limit, run_.y())
        .end;
  }
  double begin() const { return ws_.t0; }
  double length() const { return ws_.h; }
  void state_at(double u, Out<double> y) {
    prepare_dense(run_.space(), ws_, run_);
    dense_state(run_.space(), ws_, u, y);
  }
  void restart() { ws_.restart(); }

 private:
  Simulation& run_;
  PairWorkspace<Pair, double> ws_;
};

template <class Stepper>
void run_to_the_end(Simulation& run, Stepper stepper) {
  const double end = run.end(), slack = 1e-12 * std::max(1.0, std::abs(end));
  Array<double> inside(run.y().size());
  const auto record_before = [&](double time) {
    while (run.next_record() < time - slack) {
      const double due = run.next_record();
      stepper.state_at((due - stepper.begin()) / stepper.length(), inside);
      run.record(due, inside);
    }
  };
  const auto record_here = [&] {
    if (run.next_record() <= run.t() + slack) run.record(run.t(), run.y());
  };
  int crowded = 0;
  double last_event = -infinity;
  record_here();
  while (run.t() < end) {
    double limit = std::min(end, run.next_action());
    if (run.sampled()) limit = std::min(limit, run.next_sample());
    if (!Stepper::sees_inside && run.next_record() > run.t() + slack)
      limit = std::min(limit, run.next_record());
    const StepEnd result = stepper.advance(limit);
    ++run.recording().steps;
    if (result != StepEnd::reached) {
      run.broken(StopReason::step_size);
      return;
    }
    if (run.has_modes() && run.mode_ended(run.t(), run.y())) {
      const double t0 = stepper.begin(), h = stepper.length();
      const double u = first_fraction(h, run.options().event_time, [&](double middle) {
        stepper.state_at(middle, run.y());
        return run.mode_ended(t0 + middle * h, run.y());
      });
      stepper.state_at(u, run.y());
      run.t() = t0 + u * h;
      record_before(run.t());
      run.change_modes();
      stepper.restart();
      crowded = run.t() - last_event < 1e-9 ? crowded + 1 : 0;
      last_event = run.t();
      if (crowded > 200) {
        run.broken(StopReason::chatter);
        return;
      }
    }
    if (run.broken()) return;
    record_before(run.t());
    bool jumped = run.act();
    if (run.sampled() && run.t() >= run.next_sample() && run.t() < end)
      jumped = run.sample() || jumped;
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
  const auto size = [&](const char* name, const Array<double>& x, int n) {
    if (!x.empty() && x.size() != n)
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
  for (const double limit : o.actuators.torque_limit) positive("torque_limit", limit);
  for (const double limit : o.actuators.rate_limit) positive("rate_limit", limit);
  for (const double step : o.sensors.encoder_step)
    if (!(step >= 0)) refuse("encoder_step cannot be negative");
  if (!(o.sensors.position_noise >= 0) || !(o.sensors.velocity_noise >= 0))
    refuse("sensor noise cannot be negative");
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

Recording simulate(const Plant& plant, ControlLaw& law, const ReferenceFunction& reference,
                   const SimulateOptions& options) {
  check(*plant.model, options);
  const bool adaptive = options.integrator == Integrator::dormand_prince5 ||
                        options.integrator == Integrator::dormand_prince8;
  if (adaptive && options.period == 0 && law.switches())
    throw Error(std::string("simulate: law \"") + law.name() +
                "\" switches without end; give a period, an integrator with fixed steps (rk4) or a "
                "boundary layer");
  for (const Surface& surface : plant.surfaces)
    if (options.period == 0 && law.feels_contact() && surface.stiffness == infinity)
      throw Error(std::string("simulate: law \"") + law.name() +
                  "\" feels forces, and those of the rigid surface " + surface.name +
                  " follow from its torque: give the surface a stiffness or the run a period");
  Simulation run(plant, law, reference, options);
  run.start();
  if (options.integrator == Integrator::dormand_prince5)
    run_to_the_end(run, PairStepper<DormandPrince5>(run));
  else if (options.integrator == Integrator::dormand_prince8)
    run_to_the_end(run, PairStepper<DormandPrince8>(run));
  else
    run_to_the_end(run, FixedStepper(run));
  return std::move(run.recording());
}

}  // namespace torsor
