#include "torsor/sim/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace torsor {

namespace {

/// Runs samples; what the scenario itself is refused for is told from what one draw makes of it.
class SampleRunner {
 public:
  explicit SampleRunner(const Scenario& scenario) : scenario_(scenario) {}

  SweepRow operator()(long index) {
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

 private:
  const Scenario& scenario_;
  std::once_flag checked_;
};

}  // namespace

std::vector<long> first_samples(long count) {
  std::vector<long> all;
  for (long k = 0; k < count; ++k) all.push_back(k);
  return all;
}

std::vector<SweepRow> run_sweep(const Scenario& scenario, const std::vector<long>& samples,
                                const SweepOptions& options) {
  std::vector<SweepRow> rows;
  std::mutex mutex;  // of rows, failure and on_row
  std::exception_ptr failure;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  SampleRunner run(scenario);
  const auto work = [&] {
    while (!failed && !(options.stop && *options.stop)) {
      const std::size_t k = next++;
      if (k >= samples.size()) return;
      try {
        SweepRow row = run(samples[k]);
        const std::lock_guard lock(mutex);
        if (options.on_row) options.on_row(row);
        rows.push_back(std::move(row));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        failed = true;
      }
    }
  };
  const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto wanted = static_cast<std::size_t>(options.threads > 0 ? options.threads : cores);
  std::vector<std::thread> threads;
  try {
    for (std::size_t k = 1; k < std::min(wanted, samples.size()); ++k) threads.emplace_back(work);
  } catch (const std::system_error&) {  // a limit of processes or of memory
    if (options.on_fewer_threads) options.on_fewer_threads(static_cast<int>(threads.size()) + 1);
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
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
