#include "torsor/batch/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "torsor/batch/internal/sample_runner.hpp"
#include "torsor/math/internal/parallel.hpp"

namespace torsor {

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
  const auto at_once = static_cast<std::size_t>(run.at_once());
  internal::parallel_for(static_cast<int>((samples.size() + at_once - 1) / at_once),
                         {.threads = options.threads,
                          .stop = options.stop,
                          .on_fewer_threads = options.on_fewer_threads},
                         [&](int k, int) {
                           const std::size_t first = static_cast<std::size_t>(k) * at_once;
                           const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(first);
                           const std::size_t count = std::min(at_once, samples.size() - first);
                           std::vector<SweepRow> some = run(std::vector<long>(
                               begin, begin + static_cast<std::ptrdiff_t>(count)));
                           const std::lock_guard lock(mutex);
                           for (SweepRow& row : some) {
                             if (options.on_row) options.on_row(row);
                             rows.push_back(std::move(row));
                           }
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
