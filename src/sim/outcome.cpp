#include "torsor/sim/outcome.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace {

using sim_detail::nan;
constexpr double growth = 10, least_joint_error = 3.14159265358979, least_task_error = 1;
constexpr double value_growth = 1000, least_value = 1e-3;
constexpr double still_grows = 1.5, least_told = 0.01, least_left = 0.1;

/// V bounds the errors: where it has fallen, as its proof says, they may grow but do not run away.
bool value_fell(const Recording& r) {
  const int last = r.lyapunov.rows() - 1;
  return last > 0 && r.lyapunov(last, 0) >= 0 && r.lyapunov(last, 0) < r.lyapunov(0, 0) &&
         r.figures.lyapunov_balance <= r.figures.lyapunov_tolerance;
}

/// Errors that grow and have left what they were asked for.
bool joints_diverge(const Recording& r) {
  const RunFigures& f = r.figures;
  return !value_fell(r) && f.late_error >= f.early_error && f.late_error > least_joint_error &&
         f.late_error > growth * std::max(f.start_error, f.reference_excursion);
}
int diverging_component(const RunFigures& f) {
  for (int k = 0; k < f.task.size(); ++k) {
    const double late = f.task_late[k];
    if (late >= f.task_early[k] && late > least_task_error && late > growth * f.task_scale[k])
      return k;
  }
  return -1;
}

/// Without errors to look at: what V, which should fall, may be at the end beside what it was and what
/// others gave.
double most_value(const Recording& r) {
  const int last = r.lyapunov.rows() - 1;
  if (r.e.width() > 0 || r.task_e.width() > 0 || last < 1 || r.energy.rows() <= last)
    return infinity;
  constexpr int external_work = 4;
  const double had = std::max(std::abs(r.lyapunov(0, 0)), std::abs(r.energy(last, external_work)));
  return value_growth * std::max(had, least_value);
}

bool value_runs_away(const Recording& r) {
  const int last = r.lyapunov.rows() - 1;
  return last > 0 && r.lyapunov(last, 0) > most_value(r);
}

std::string percent(double share) { return short_number(std::round(1000 * share) / 10) + " %"; }

OutcomeRow divergence(const Recording& r) {
  const RunFigures& f = r.figures;
  OutcomeRow row{"divergence", OutcomeVerdict::good, f.late_error, nan, ""};
  row.bound = std::max({growth * f.start_error, growth * f.reference_excursion, least_joint_error});
  if (r.stop == StopReason::blow_up || r.stop == StopReason::not_finite) {
    row.verdict = OutcomeVerdict::bad;
    row.text = "diverged: " + r.message;
  } else if (joints_diverge(r)) {
    row.verdict = OutcomeVerdict::bad;
    row.text = "diverged: the joint errors grow to " + short_number(f.late_error) + ", from " +
               short_number(f.start_error) + " at the start and a reference that moves by " +
               short_number(f.reference_excursion);
  } else if (const int k = diverging_component(f); k >= 0) {
    row.verdict = OutcomeVerdict::bad;
    row.value = f.task_late[k];
    row.bound = std::max(growth * f.task_scale[k], least_task_error);
    row.text = "diverged: component " + std::to_string(k) + " of the task's error grows to " +
               short_number(row.value);
  } else if (value_runs_away(r)) {
    const double V = r.lyapunov(r.lyapunov.rows() - 1, 0);
    row = {"divergence", OutcomeVerdict::bad, V, most_value(r),
           "diverged: V, which should fall, grows from " + short_number(r.lyapunov(0, 0)) + " to " +
               short_number(V)};
  } else if (r.stop != StopReason::finished) {
    row.verdict = OutcomeVerdict::told;
    row.bound = nan;
    row.text = "not judged: the run stopped before its end";
  } else if (r.e.width() == 0) {
    row.value = row.bound = nan;
    row.text = "no sign of divergence";
  } else if (f.late_error > still_grows * std::max(f.early_error, f.start_error) &&
             f.late_error > least_told) {
    row.verdict = OutcomeVerdict::told;
    row.text = "the joint errors still grow: at most " + short_number(f.early_error) +
               " in the first half of the run, " + short_number(f.late_error) +
               " in its last quarter";
  } else if (f.late_error > growth * std::max(f.start_error, f.band) && f.late_error > least_left) {
    row.verdict = OutcomeVerdict::told;
    row.text = "the joint errors are larger than at the start: " + short_number(f.start_error) +
               " there, up to " + short_number(f.late_error) + " in the last quarter";
  } else {
    row.text = "no sign of divergence: joint errors of " + short_number(f.late_error) +
               " at most in the last quarter";
  }
  return row;
}

OutcomeRow limits(const Recording& r, const char* name, const LimitFigure& f) {
  OutcomeRow row{name, OutcomeVerdict::good, f.value, f.bound, ""};
  if (f.limited == 0) {
    row.verdict = OutcomeVerdict::told;
    row.value = row.bound = nan;
    row.text = "the file has none";
  } else if (f.beyond == 0) {
    row.value = row.bound = nan;
    row.text = "kept by all " + std::to_string(f.limited) + " joints that have one";
  } else {
    row.verdict = OutcomeVerdict::bad;
    row.text = r.tau.label(f.dof) + " at " + short_number(f.value) + ", its limit is " +
               short_number(f.bound) + "; first left at " + short_number(f.first) + " s";
    if (f.beyond > 1) row.text += ", and " + internal::count_of(f.beyond - 1, "more joint");
  }
  return row;
}

OutcomeRow balance(const char* name, const char* unit, double value, double tolerance) {
  OutcomeRow row{name, OutcomeVerdict::told, value, tolerance, ""};
  row.text = "off by " + short_number(value) + unit + " at most";
  if (std::isnan(tolerance)) return row;
  row.verdict = value <= tolerance ? OutcomeVerdict::good : OutcomeVerdict::bad;
  row.text += "; the integration explains " + short_number(tolerance) + unit;
  return row;
}

}  // namespace

const char* name_of(OutcomeVerdict verdict) {
  switch (verdict) {
    case OutcomeVerdict::good:
      return "good";
    case OutcomeVerdict::bad:
      return "bad";
    case OutcomeVerdict::told:
      return "told";
  }
  return "";
}

bool diverged(const Recording& r) {
  return r.stop == StopReason::blow_up || r.stop == StopReason::not_finite ||
         (r.figures.given() &&
          (joints_diverge(r) || diverging_component(r.figures) >= 0 || value_runs_away(r)));
}

std::vector<OutcomeRow> outcome(const Recording& r) {
  std::vector<OutcomeRow> rows;
  const bool finished = r.stop == StopReason::finished;
  const double until = r.figures.given() ? r.figures.duration : 0;
  if (!r.figures.given() && finished) return rows;
  rows.push_back({"end", finished ? OutcomeVerdict::good : OutcomeVerdict::bad, until, nan,
                  finished ? "finished" : r.message});
  if (!r.figures.given()) return rows;
  const RunFigures& f = r.figures;
  rows.push_back(divergence(r));
  rows.push_back({"saturation", f.saturated > 0 ? OutcomeVerdict::bad : OutcomeVerdict::good,
                  f.saturated / f.duration, 0,
                  f.saturated > 0 ? "torques at the limits of the actuators for " +
                                        percent(f.saturated / f.duration) + " of the time"
                                  : "no torque at a limit of the actuators"});
  rows.push_back(limits(r, "position limits", f.position));
  rows.push_back(limits(r, "velocity limits", f.velocity));
  rows.push_back(limits(r, "torque limits", f.torque));
  if (r.lyapunov.width() > 0) {
    rows.push_back(balance("balance of V", "", f.lyapunov_balance, f.lyapunov_tolerance));
    if (std::isnan(f.lyapunov_tolerance))
      rows.back().text += r.period > 0 ? "; the rate of the proof is that of continuous control"
                                       : "; the rate of the proof is exact near the point alone";
  }
  rows.push_back(balance("energy balance", " J", f.energy_balance, f.energy_tolerance));
  return rows;
}

}  // namespace torsor
