#include "torsor/experiments/internal/sweep_ranks.hpp"

#include <algorithm>

#include "ranks/message.hpp"
#include "torsor/sim/internal/sample_runner.hpp"

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
SweepRow row_of(const std::string& bytes) {
  MessageReader in(bytes);
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

}  // namespace

std::vector<SweepRow> run_sweep(Ranks& ranks, const Scenario& scenario,
                                const std::vector<long>& samples, const SweepOptions& options,
                                const std::function<void()>& idle) {
  std::vector<SweepRow> rows;
  SampleRunner run(scenario);
  // A task is the number of a sample: other ranks do not know which of them are missing.
  (void)ranks.hand_out(
      samples, {options.threads, options.stop, idle},
      [&](std::int64_t sample, int) { return bytes_of(run(static_cast<long>(sample))); },
      [&](std::int64_t, const std::string& bytes) {
        SweepRow row = row_of(bytes);
        if (options.on_row) options.on_row(row);
        rows.push_back(std::move(row));
      });
  std::sort(rows.begin(), rows.end(),
            [](const SweepRow& a, const SweepRow& b) { return a.sample.index < b.sample.index; });
  return rows;
}

}  // namespace torsor::internal
