#include "torsor/sim/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Root mean square over the rows of the norm of a row, and the largest entry of all and last rows.
struct Sizes {
  double rms = nan, max = nan, last = nan;
};

Sizes sizes(const Series& s) {
  if (s.rows() == 0) return {};
  double squares = 0, max = 0, last = 0;
  for (int k = 0; k < s.rows(); ++k) {
    last = 0;
    for (const double x : s.row(k)) {
      squares += x * x;
      last = std::max(last, std::abs(x));
    }
    max = std::max(max, last);
  }
  return {std::sqrt(squares / s.rows()), max, last};
}

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

  const Sizes e = sizes(r.e), tau = sizes(r.tau);
  s.rms_error = e.rms, s.max_error = e.max, s.final_error = e.last;
  s.rms_torque = tau.rms, s.max_torque = tau.max;
  const bool errors = r.e.rows() > 0;
  s.settling_time = s.overshoot = errors ? 0 : nan;
  for (int k = 0; k < r.tau.width() && r.size() > 0; ++k) {
    const Metrics m = metrics(r, k, r.t.front(), band);
    s.energy += m.energy;
    s.chatter += m.chatter;
    if (!errors) continue;
    s.settling_time = std::max(s.settling_time, m.settling_time);
    s.overshoot = std::max(s.overshoot, m.overshoot);
  }

  const Series* task = find_series(r, "task_e");
  const Sizes of_task = task ? sizes(*task) : Sizes{};
  s.task_rms = of_task.rms, s.task_max = of_task.max, s.task_final = of_task.last;

  const bool certified = r.lyapunov.rows() > 0;
  s.lyapunov_increase = certified ? r.lyapunov_increase() : nan;
  s.lyapunov_balance = certified ? r.lyapunov_balance() : nan;
  s.energy_balance = r.energy.rows() > 0 ? r.energy_balance() : nan;
  for (const Condition& c : r.conditions) s.violated += c.satisfied ? 0 : 1;
  for (const Comparison& c : compare_predictions(r)) s.broken += c.kept ? 0 : 1;
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
      {"chatter", "N m", &RunSummary::chatter},
      {"lyapunov_increase", "", &RunSummary::lyapunov_increase},
      {"lyapunov_balance", "", &RunSummary::lyapunov_balance},
      {"energy_balance", "J", &RunSummary::energy_balance},
      {"not_holding", "", &RunSummary::violated},
      {"not_kept", "", &RunSummary::broken},
  };
  return all;
}

}  // namespace torsor
