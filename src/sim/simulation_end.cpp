/// Why a run cannot go on.
#include <cmath>

#include "torsor/model/text.hpp"
#include "torsor/sim/internal/simulation.hpp"

namespace torsor::sim_detail {

/// Whether every number of a state is one that broken() has nothing to say about.
bool Simulation::sound(In<double> state) const {
  bool all = true;
  for (const double x : space_.v(state)) all &= std::isfinite(x) && std::abs(x) <= options_.blow_up;
  for (const double x : space_.q(state)) all &= std::isfinite(x);
  for (const double x : x_c(state)) all &= std::abs(x) < 1e15;
  return all;
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
  if (halted()) {
    t_ = halted_at_;
    switch (halt_) {
      case StopReason::singular:
        return stop(halt_, singular_);
      case StopReason::interrupted:
        return stop(halt_, "interrupted");
      default:
        return stop(halt_,
                    "after " + std::to_string(recording_.evaluations) +
                        " evaluations the run is not near its end" +
                        (recording_.evaluations > most_evaluations_
                             ? std::string(" (most_evaluations)")
                             : ": at this pace it would need several times the " +
                                   std::to_string(most_evaluations_) + " of most_evaluations"));
    }
  }
  if (reason == StopReason::finished && sound(state)) return false;
  for (int k = 0; k < v.size; ++k)
    if (std::abs(v[k]) > options_.blow_up)
      return stop(StopReason::blow_up,
                  value("velocity", k, v[k]) + ", beyond " + short_number(options_.blow_up));
  for (int k = 0; k < v.size; ++k)
    if (!std::isfinite(v[k])) return stop(StopReason::not_finite, value("velocity", k, v[k]));
  for (const double x : space_.q(state))
    if (!std::isfinite(x))
      return stop(StopReason::not_finite, "a coordinate is " + short_number(x));
  const In<double> states = x_c(state);
  for (int k = 0; k < states.size; ++k)
    if (!(std::abs(states[k]) < 1e15))
      return stop(std::isfinite(states[k]) ? StopReason::blow_up : StopReason::not_finite,
                  "state " + std::to_string(k) + " of the law is " + short_number(states[k]));
  if (reason == StopReason::finished) return false;
  // The state is sound: the law or the plant gives what cannot be integrated here.
  for (int k = 0; k < v.size; ++k) {
    if (!std::isfinite(last_.tau[k]))
      return stop(StopReason::not_finite, value("torque", k, last_.tau[k]));
    if (!std::isfinite(last_.qdd[k]))
      return stop(StopReason::not_finite, value("acceleration", k, last_.qdd[k]));
  }
  if (const std::string why = nearly_singular(); reason == StopReason::step_size && !why.empty())
    return stop(StopReason::singular, why);
  int fastest = 0;
  for (int k = 0; k < v.size; ++k)
    if (std::abs(last_.qdd[k]) > std::abs(last_.qdd[fastest])) fastest = k;
  const std::string near = v.size > 0 ? value("acceleration", fastest, last_.qdd[fastest]) : "";
  return stop(reason, (reason == StopReason::chatter ? "modes change without end; "
                                                     : "no step keeps the accuracy; ") +
                          near);
}

void Simulation::turned_too_far(double angle, double h) {
  recording_.stop = StopReason::step_size;
  recording_.message = "stopped at t = " + short_number(t_) + " s: a joint turns by " +
                       short_number(angle) + " rad within a step of " + short_number(h) +
                       " s; at most 3 can be integrated: shorten the step";
}

}  // namespace torsor::sim_detail
