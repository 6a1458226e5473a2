#include "torsor/sim/run_summary.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"
#include "torsor/sim/outcome.hpp"

namespace torsor {

namespace {

using sim_detail::nan;

/// Root mean square of the norm, the largest entry at any time, and at the end.
struct Sizes {
  double rms = nan, max = nan, last = nan;

  void add(double component_rms, double component_max, double component_last) {
    rms = std::hypot(std::isnan(rms) ? 0 : rms, component_rms);
    max = std::fmax(max, component_max);
    last = std::fmax(last, component_last);
  }
};

}  // namespace

const Series* find_series(const Recording& recording, const std::string& name) {
  for (const Series* s : recording.series())
    if (s->name == name && s->rows() > 0) return s;
  return nullptr;
}

RunSummary summarise(const Recording& r, double band) {
  RunSummary s;
  s.stop = r.stop;
  s.stopped_at = r.t.empty() ? 0 : r.t.back();

  Sizes e, tau, of_task;
  const bool errors = r.e.rows() > 0, torques = r.tau.rows() > 0;
  const double from = r.t.empty() ? 0 : r.t.front();
  s.settling_time = s.overshoot = nan;
  s.energy = s.chatter = torques ? 0 : nan;
  for (int k = 0; k < r.of_joints().width() && r.size() > 0; ++k) {
    const Metrics m = metrics(r, k, from, band);
    if (torques) {
      tau.add(m.rms_torque, m.max_torque, 0);
      s.energy += m.energy;
      s.chatter += m.chatter;
    }
    if (!errors) continue;
    e.add(m.rms_error, m.max_error, m.final_error);
    s.settling_time = std::fmax(s.settling_time, m.settling_time);
    s.overshoot = std::fmax(s.overshoot, m.overshoot);
  }
  for (int k = 0; k < r.task_e.width() && r.task_e.rows() > 0; ++k) {
    const Metrics m = task_metrics(r, k, from, band);
    of_task.add(m.rms_error, m.max_error, m.final_error);
  }
  s.rms_error = e.rms, s.max_error = e.max, s.final_error = e.last;
  s.rms_torque = tau.rms, s.max_torque = tau.max;
  s.task_rms = of_task.rms, s.task_max = of_task.max, s.task_final = of_task.last;

  const bool certified = r.lyapunov.rows() > 0;
  s.lyapunov_increase = certified ? r.lyapunov_increase() : nan;
  s.lyapunov_balance = certified ? r.lyapunov_balance() : nan;
  s.energy_balance = r.energy.rows() > 0 ? r.energy_balance() : nan;
  if (r.figures.given() && s.energy_balance <= r.figures.energy_tolerance) s.energy_balance = 0;
  s.diverged = diverged(r) ? 1 : 0;
  for (const Condition& c : r.conditions) {
    s.violated += c.verdict == Verdict::violated ? 1 : 0;
    s.not_covered += c.verdict == Verdict::not_covered ? 1 : 0;
  }
  for (const Comparison& c : compare_predictions(r)) s.broken += c.kept || !c.covered ? 0 : 1;
  return s;
}

const std::vector<RunFigure>& run_figures() {
  static const std::vector<RunFigure> all{
      {"rms_error", "rad", &RunSummary::rms_error},
      {"max_error", "rad", &RunSummary::max_error},
      {"final_error", "rad", &RunSummary::final_error},
      {"settling_time", "s", &RunSummary::settling_time},
      {"overshoot", "", &RunSummary::overshoot},
      {"task_rms", "", &RunSummary::task_rms},
      {"task_max", "", &RunSummary::task_max},
      {"task_final", "", &RunSummary::task_final},
      {"rms_torque", "N m", &RunSummary::rms_torque},
      {"max_torque", "N m", &RunSummary::max_torque},
      {"energy", "J", &RunSummary::energy},
      {"chatter", "N m/s", &RunSummary::chatter},
      {"lyapunov_increase", "", &RunSummary::lyapunov_increase},
      {"lyapunov_balance", "", &RunSummary::lyapunov_balance},
      {"energy_balance", "J", &RunSummary::energy_balance},
      {"diverged", "", &RunSummary::diverged},
      {"violated", "", &RunSummary::violated},
      {"not_covered", "", &RunSummary::not_covered},
      {"not_kept", "", &RunSummary::broken},
  };
  return all;
}

}  // namespace torsor
