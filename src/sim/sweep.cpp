#include "torsor/sim/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "torsor/math/internal/parallel.hpp"
#include "torsor/sim/internal/sample_runner.hpp"

namespace torsor {

SweepRow internal::SampleRunner::operator()(long index) {
  SweepRow row{draw_sample(scenario_, index), {}};
  if (row.sample.impossible.empty()) try {
      row.summary = summarise(run_scenario(with_sample(scenario_, row.sample)));
    } catch (const Error& error) {
      // Once: throws where the scenario as it stands cannot run either.
      std::call_once(checked_, [&] { (void)run_scenario(scenario_); });
      row.sample.impossible = error.what();
    }
  return row;
}

std::vector<long> first_samples(long count) {
  std::vector<long> all;
  for (long k = 0; k < count; ++k) all.push_back(k);
  return all;
}

std::vector<SweepRow> run_sweep(const Scenario& scenario, const std::vector<long>& samples,
                                const SweepOptions& options) {
  std::vector<SweepRow> rows;
  std::mutex mutex;  // of rows and on_row
  internal::SampleRunner run(scenario);
  internal::parallel_for(static_cast<int>(samples.size()),
                         {.threads = options.threads,
                          .stop = options.stop,
                          .on_fewer_threads = options.on_fewer_threads},
                         [&](int k, int) {
                           SweepRow row = run(samples[static_cast<std::size_t>(k)]);
                           const std::lock_guard lock(mutex);
                           if (options.on_row) options.on_row(row);
                           rows.push_back(std::move(row));
                         });
  std::sort(rows.begin(), rows.end(),
            [](const SweepRow& a, const SweepRow& b) { return a.sample.index < b.sample.index; });
  return rows;
}

double quantile(const std::vector<double>& ordered, double p) {
  const double at = p * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double low = ordered[below], part = at - static_cast<double>(below);
  if (part == 0) return low;  // beyond may be infinite
  const double high = ordered[below + 1];
  return low == high ? low : low + part * (high - low);
}

std::vector<FigureStatistics> statistics(const std::vector<SweepRow>& rows) {
  std::vector<FigureStatistics> all;
  for (const RunFigure& figure : run_figures()) {
    std::vector<double> values;
    FigureStatistics s{figure};
    for (const SweepRow& row : rows) {
      const double x = row.summary.*figure.value;
      if (!row.finished() || std::isnan(x)) continue;
      if (values.empty() || x > s.worst) s.worst = x, s.worst_sample = row.sample.index;
      values.push_back(x);
    }
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    s.count = values.size();
    s.q05 = quantile(values, 0.05);
    s.median = quantile(values, 0.5);
    s.q95 = quantile(values, 0.95);
    all.push_back(s);
  }
  return all;
}

}  // namespace torsor
