#include "torsor/sim/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "hidden_event.hpp"
#include "torsor/model/text.hpp"
#include "torsor/sim/events.hpp"
#include "torsor/sim/internal/figure_keeper.hpp"
#include "torsor/sim/taylor_step.hpp"

namespace torsor {

namespace {

using sim_detail::FigureKeeper;
using sim_detail::Simulation;
using sim_detail::StageNodes;
using sim_detail::StepPolynomial;

/// Steps of a fixed length, cut at every instant where something acts. Inside a step the state is
/// the cubic through both ends with their rates (Hermite).
class FixedStepper {
 public:
  static constexpr bool adaptive = false;

  explicit FixedStepper(Simulation& run)
      : run_(run),
        ws_(run.space()),
        z1_(ws_.z.size()),
        first_(ws_.z.size()),
        end_rates_(ws_.z.size()),
        visits_end_(run.sampled() && run.has_modes()) {}

  StageNodes nodes() const {
    const bool has_end = !run_.sampled() || visits_end_, has_value = !run_.sampled();
    if (run_.options().integrator != Integrator::rk4) return {0, {}, {}, has_end, has_value};
    return {1, {has_end ? 2 : 1}, {0.5}, has_end, has_value};
  }
  StepEnd advance(double limit) {
    t_ = run_.t();
    if (t_ != reached_) anchor_ = t_, count_ = 0;
    const double h = run_.options().step;
    const double next = anchor_ + static_cast<double>(count_ + 1) * h;
    const bool last = next + 1e-9 * h >= limit;
    const double until = last ? limit : next;
    h_ = until - t_;
    if (!in_place_) std::copy(run_.y().begin(), run_.y().end(), ws_.y0.begin());
    if (first_known_ && !run_.sampled()) std::copy(first_.begin(), first_.end(), ws_.row(0));
    step(h_, run_.y(), first_known_);
    std::swap(z1_, ws_.z);
    first_known_ = !run_.sampled();
    if (first_known_)
      run_(until, run_.y(), first_);
    else if (visits_end_)
      run_.visit(until, run_.y());
    dense_ready_ = false;
    if (run_.halted()) {
      go_back(run_.y());
      return StepEnd::not_finite;
    }
    if (const double angle = largest_angle(); angle > internal::largest_turn) {
      go_back(run_.y());
      run_.turned_too_far(angle, h_);
      return StepEnd::too_small;
    }
    reached_ = run_.t() = until;
    ++count_;
    return StepEnd::reached;
  }
  double begin() const { return t_; }
  double length() const { return h_; }
  static double error() { return std::numeric_limits<double>::quiet_NaN(); }
  /// By a shorter step: where a mode ends.
  void state_at(double u, Out<double> y, bool /*quadratures*/) {
    go_back(y);
    step(u * h_, y, true);
  }
  void dense(double u, Out<double> y) {
    if (!dense_ready_) {
      run_.space().retract(ws_.y0.data(), z1_.data(), ws_.stage.data());
      if (first_known_)
        end_rates_ = first_;
      else
        run_(t_ + h_, ws_.stage, end_rates_);
      run_.space().chart_rates(ws_.y0.data(), z1_.data(), end_rates_.data());
      dense_ready_ = true;
    }
    const double* const begin_rates = ws_.row(0);
    for (int k = 0; k < z1_.size(); ++k) {
      const double z = z1_[k], a = h_ * begin_rates[k] - z, b = z - h_ * end_rates_[k] - a;
      ws_.z[k] = u * (z + (1 - u) * (a + u * b));
    }
    run_.space().retract(ws_.y0.data(), ws_.z.data(), y.data);
  }
  /// What acts has changed at this instant. Sampled control keeps no rates of the end of a step.
  void restart() {
    run_(run_.t(), run_.y(), run_.sampled() ? Out<double>(ws_.row(0), ws_.n) : Out<double>(first_));
    first_known_ = true;
  }

 private:
  void go_back(Out<double> y) const { std::copy(ws_.y0.begin(), ws_.y0.end(), y.begin()); }
  /// Of the step, and of one with the rates at its start.
  double largest_angle() {
    if (run_.space().steps_add) return 0;
    for (int k = 0; k < z1_.size(); ++k) ws_.z[k] = h_ * ws_.row(0)[k];
    return std::fmax(run_.space().turn(z1_.data()), run_.space().turn(ws_.z.data()));
  }
  void step(double h, Out<double> y, bool first_known) {
    switch (*run_.options().integrator) {
      case Integrator::taylor:
        return taylor_step(run_.space(), ws_, run_, t_, h, y, first_known);
      case Integrator::semi_implicit_euler:
        return semi_implicit_euler_step(run_.space(), ws_, run_, t_, h, y, first_known);
      default: {
        int stage = first_known ? 1 : 0;  // nodes() is the third one: others keep no signals
        const auto rates = [&](double t, In<double> at, Out<double> dy) {
          run_.rates(t, at, dy, stage++ == 2);
        };
        return rk4_step(run_.space(), ws_, rates, t_, h, y, first_known);
      }
    }
  }

  Simulation& run_;
  RungeKuttaWorkspace<double> ws_;  // y0 and the first row: state and rates at the step's start
  Array<double> z1_, first_, end_rates_;
  bool in_place_ = run_.options().integrator == Integrator::rk4;  // its step writes y0
  bool visits_end_, first_known_ = false, dense_ready_ = false;
  double t_ = 0, h_ = 0, anchor_ = 0, reached_ = -infinity;
  long count_ = 0;
};

/// Steps of the length that the accuracy allows, with the pair's own dense output.
template <class Pair>
class PairStepper {
 public:
  static constexpr bool adaptive = true;

  explicit PairStepper(Simulation& run) : run_(run), ws_(run.space()) {}

  StageNodes nodes() const {
    if (Pair::order == 8) return {3, {7, 3, 2}, {Pair::c[5], Pair::c[9], Pair::c[10]}};
    return {2, {4, 3}, {Pair::c[2], Pair::c[3]}};
  }
  StepEnd advance(double limit) {
    return internal::adaptive_step(run_.space(), ws_, run_.options().control, run_, run_.t(), limit,
                                   run_.y())
        .end;
  }
  double begin() const { return ws_.t0; }
  double length() const { return ws_.h; }
  double error() const { return ws_.error; }
  void state_at(double u, Out<double> y, bool quadratures) { dense(u, y, quadratures); }
  void dense(double u, Out<double> y, bool quadratures = false) {
    prepare_dense(run_.space(), ws_, run_, quadratures);
    dense_state(run_.space(), ws_, u, y);
  }
  void restart() {
    ws_.restart();
    run_(run_.t(), run_.y(), ws_.first);
    ws_.first_known = true;
  }

 private:
  Simulation& run_;
  PairWorkspace<Pair, double> ws_;
};

/// Steps until the end or until something stops the run.
template <class Stepper>
class Stepping {
 public:
  explicit Stepping(Simulation& run)
      : run_(run),
        stepper_(run),
        figures_(run, stepper_.nodes()),
        inside_(run.y()),
        before_(run.n_modes()),
        after_(before_),
        within_(before_) {}

  void run() {
    if (!run_.halted()) steps();
    if (run_.halted()) run_.broken();
    figures_.finish();
    run_.hold_certificate(figures_.take_trace());
  }

 private:
  void steps() {
    const double end = run_.end(), slack = run_.slack();
    record_here();
    run_.leave_rest();
    run_.mode_margins(run_.y(), before_);
    while (run_.t() < end && !run_.halted()) {
      double limit = std::min({end, run_.next_action(), run_.next_break()});
      if (run_.sampled()) limit = std::min(limit, run_.next_sample());
      run_.forget_speeds();
      const StepEnd result = stepper_.advance(limit);
      ++run_.recording().steps;
      if (result != StepEnd::reached) {
        if (run_.recording().message.empty()) run_.broken(StopReason::step_size);
        return;
      }
      run_.recording().step_error = std::fmax(run_.recording().step_error, stepper_.error());
      figures_.accepted(stepper_.begin(), run_.t());
      const double ended = run_.has_modes() ? where_modes_end() : infinity;
      const bool event = ended <= 1;
      if (event) go_back_to_event(ended);
      if (run_.broken()) return;
      if (Stepper::adaptive) run_.watch_pace();
      see_inside();
      record_before(run_.t());
      if (event && !change_modes()) return;
      std::swap(before_, after_);
      bool jumped = run_.act();
      jumped = run_.pass_break() || jumped;
      const bool last = run_.t() >= end;
      if (run_.sampled() && run_.t() >= run_.next_sample() - slack)
        jumped = run_.sample() || jumped;
      if (jumped && !last) {
        stepper_.restart();
        figures_.jumped(false);
        if (run_.has_modes() && run_.mode_ended_here(run_.y()) && !change_modes()) return;
        run_.mode_margins(run_.y(), before_);
      } else if (jumped && run_.has_modes() && run_.mode_ended(run_.t(), run_.y())) {
        run_.change_modes();  // the last row is one like those before it
      }
      record_here(last);
    }
  }
  void record_before(double time) {
    while (run_.next_record() < time - run_.slack()) {
      const double due = run_.next_record();
      stepper_.dense((due - stepper_.begin()) / stepper_.length(), inside_);
      run_.record(due, inside_);
    }
    while (run_.next_curve_point() < time - run_.slack()) {
      const double due = run_.next_curve_point();
      stepper_.dense((due - stepper_.begin()) / stepper_.length(), inside_);
      run_.record(due, inside_, true);
    }
  }
  /// A row where one is due, and at the end in any case.
  void record_here(bool last = false) {
    const bool due = run_.next_record() <= run_.t() + run_.slack();
    if (due || (last && run_.recording().t.back() < run_.t() - run_.slack()))
      run_.record(run_.t(), run_.y());
    if (run_.next_curve_point() <= run_.t() + run_.slack()) run_.record(run_.t(), run_.y(), true);
  }
  /// A fraction of the step at which some mode has ended, the end or inside; infinity: none has.
  double where_modes_end() {
    if (run_.mode_ended_here(run_.y())) return 1;
    run_.mode_margins(run_.y(), after_);
    const double t0 = stepper_.begin(), h = stepper_.length();
    double first = infinity;
    for (int k = 0; k < after_.size(); ++k) {
      const ModeMargin &a = before_[k], &b = after_[k];
      if (!(a.value > 0 && b.value > 0 && a.value < infinity && b.value < infinity)) continue;
      // Stages say how fast the point was: a ball that is farther away is not met.
      if (b.fastest > 0 && a.distance + b.distance > 1.25 * b.fastest * h) continue;
      const double u = sim_detail::hidden_zero({0, a.value, h * a.rate}, {1, b.value, h * b.rate},
                                               [&](double at) -> sim_detail::MarginAt {
                                                 stepper_.state_at(at, inside_, false);
                                                 (void)run_.mode_ended(t0 + at * h, inside_);
                                                 run_.mode_margins(inside_, within_);
                                                 return {at, within_[k].value, h * within_[k].rate};
                                               });
      first = std::min(first, u);
    }
    return first;
  }
  /// Back to where it ended first, of what is left until the fraction `until`.
  void go_back_to_event(double until) {
    const double t0 = stepper_.begin(), h = stepper_.length();
    const double u =
        until * first_fraction(until * h, run_.options().event_time, [&](double middle) {
          stepper_.state_at(until * middle, run_.y(), false);
          return run_.mode_ended(t0 + until * middle * h, run_.y());
        });
    stepper_.state_at(u, run_.y(), true);
    run_.t() = t0 + u * h;
    figures_.cut();
  }
  bool change_modes() {
    run_.change_modes();
    run_.leave_rest();
    stepper_.restart();
    figures_.jumped(true);
    run_.mode_margins(run_.y(), after_);
    crowded_ = run_.t() - last_event_ < 1e-9 ? crowded_ + 1 : 0;
    last_event_ = run_.t();
    if (crowded_ <= 200) return true;
    run_.broken(StopReason::chatter);
    return false;
  }
  /// The points of the step that its figures ask for.
  void see_inside() {
    if (figures_.needs_nodes()) {
      const double t0 = stepper_.begin(), part = run_.t() - t0;
      for (int i = 1; i + 1 < StepPolynomial::nodes; ++i) {
        const double past = StepPolynomial::node(i) * part;
        stepper_.dense(past / stepper_.length(), inside_);
        figures_.node(i, t0 + past, inside_);
      }
    }
    figures_.close();
  }

  Simulation& run_;
  Stepper stepper_;
  FigureKeeper figures_;
  Array<double> inside_;
  Array<ModeMargin> before_, after_, within_;  // at both ends of the step, and inside
  int crowded_ = 0;
  double last_event_ = -infinity;
};

}  // namespace

void sim_detail::check(const Model<double>& model, const SimulateOptions& o) {
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
  if (!std::isfinite(o.start)) refuse("start is not finite");
  for (const double t : o.breaks)
    if (!std::isfinite(t)) refuse("breaks has a time that is not finite");
  positive("record_every", o.record_every);
  positive("step", o.step);
  constexpr double most_rows = 1e7;
  if (o.duration / o.record_every > most_rows)
    refuse("record_every is " + short_number(o.record_every) +
           " s: " + short_number(o.duration / o.record_every) + " rows; at most 1e7 are recorded");
  if (!(o.control.relative >= 1e-15) || !(o.control.absolute >= 0))
    refuse("the relative tolerance is " + short_number(o.control.relative) +
           "; numbers of double precision allow 1e-15 at least");
  size("q0", o.q0, model.n_q());
  size("v0", o.v0, model.n_v());
  size("torque_limit", o.actuators.torque_limit, model.n_v());
  size("rate_limit", o.actuators.rate_limit, model.n_v());
  size("encoder_step", o.sensors.encoder_step, model.n_v());
  if (!(o.period >= 0) || !(o.delay >= 0)) refuse("period and delay cannot be negative");
  if (o.period > 0 && !(o.delay <= 1e4 * o.period)) refuse("a delay of more than 10000 periods");
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

Integrator integrator_of(const SimulateOptions& options) {
  const bool often = options.period > 0 && options.period <= 5e-3;
  return options.integrator.value_or(often ? Integrator::dormand_prince5
                                           : Integrator::dormand_prince8);
}

Recording simulate(const Plant& plant, ControlLaw& law, const ReferenceFunction& reference,
                   const SimulateOptions& given) {
  sim_detail::check(*plant.model, given);
  SimulateOptions options = given;
  options.integrator = integrator_of(given);
  if (!given.integrator && given.period > 0 && given.control.first_step == 0)
    options.control.first_step = given.period;
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
  run.recording().integrator = name_of(*options.integrator);
  if (options.integrator == Integrator::dormand_prince5)
    Stepping<PairStepper<DormandPrince5>>(run).run();
  else if (options.integrator == Integrator::dormand_prince8)
    Stepping<PairStepper<DormandPrince8>>(run).run();
  else
    Stepping<FixedStepper>(run).run();
  return std::move(run.recording());
}

}  // namespace torsor
