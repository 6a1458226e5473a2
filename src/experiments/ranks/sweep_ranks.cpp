#include "torsor/experiments/internal/sweep_ranks.hpp"

#include <algorithm>

#include "ranks/message.hpp"
#include "torsor/batch/internal/sample_runner.hpp"

namespace torsor::internal {
namespace {

std::string bytes_of(const SweepRow& row) {
  std::string out;
  put(out, row.sample.index);
  put(out, row.sample.seed);
  put(out, static_cast<std::uint64_t>(row.sample.values.size()));
  for (const double x : row.sample.values) put(out, x);
  put_text(out, row.sample.impossible);
  put(out, row.summary.stop);
  put(out, row.summary.stopped_at);
  for (const RunFigure& f : run_figures()) put(out, row.summary.*f.value);
  return out;
}
SweepRow row_of(MessageReader& in) {
  SweepRow row;
  row.sample.index = in.get<long>();
  row.sample.seed = in.get<std::uint64_t>();
  for (auto n = in.get<std::uint64_t>(); n > 0; --n) row.sample.values.push_back(in.get<double>());
  row.sample.impossible = in.text();
  row.summary.stop = in.get<StopReason>();
  row.summary.stopped_at = in.get<double>();
  for (const RunFigure& f : run_figures()) row.summary.*f.value = in.get<double>();
  return row;
}

/// A task is samples that one rank runs at once, as their numbers are not known to other ranks: of 16
/// neighbours from a multiple of 16 on, a bit for each that is asked for.
constexpr long neighbours = 16;
std::vector<long> tasks_of(std::vector<long> samples, int at_once) {
  std::sort(samples.begin(), samples.end());
  std::vector<long> tasks;
  int in_task = 0;
  for (const long k : samples) {
    const long block = k / neighbours, bit = 1L << (k % neighbours);
    const bool same = !tasks.empty() && tasks.back() >> neighbours == block && in_task < at_once;
    if (same)
      tasks.back() |= bit;
    else
      tasks.push_back(block << neighbours | bit);
    in_task = same ? in_task + 1 : 1;
  }
  return tasks;
}
std::vector<long> samples_of(std::int64_t task) {
  std::vector<long> samples;
  for (int k = 0; k < neighbours; ++k)
    if ((task >> k & 1) != 0)
      samples.push_back(static_cast<long>((task >> neighbours) * neighbours) + k);
  return samples;
}

}  // namespace

std::vector<SweepRow> run_sweep(Ranks& ranks, const Scenario& scenario,
                                const std::vector<long>& samples, const SweepOptions& options,
                                const std::function<void()>& idle) {
  std::vector<SweepRow> rows;
  SampleRunner run(scenario);
  (void)ranks.hand_out(
      tasks_of(samples, run.at_once()),
      {.threads = options.threads, .stop = options.stop, .idle = idle},
      [&](std::int64_t task, int) {
        std::string bytes;
        for (const SweepRow& row : run(samples_of(task))) bytes += bytes_of(row);
        return bytes;
      },
      [&](std::int64_t, const std::string& bytes) {
        for (MessageReader in(bytes); !in.empty();) {
          SweepRow row = row_of(in);
          if (options.on_row) options.on_row(row);
          rows.push_back(std::move(row));
        }
      });
  std::sort(rows.begin(), rows.end(),
            [](const SweepRow& a, const SweepRow& b) { return a.sample.index < b.sample.index; });
  return rows;
}

}  // namespace torsor::internal
