#pragma once
/// Samples of a sweep, for whoever hands them out: run_sweep, and ranks of many machines.
#include <mutex>

#include "torsor/batch/rollout.hpp"

namespace torsor::internal {

/// Runs samples, from several threads at a time; what the scenario itself is refused for is told from
/// what one draw makes of it: the first is thrown, the second is a row. `scenario` outlives it.
class SampleRunner {
 public:
  explicit SampleRunner(const Scenario& scenario);

  /// How many samples are best run at once.
  int at_once() const { return at_once_; }
  /// Rows of samples, in their order; each depends on its own sample alone.
  std::vector<SweepRow> operator()(const std::vector<long>& indices);
  std::vector<Rollout> operator()(const std::vector<SweepSample>& samples);

 private:
  /// Calls run() and says why it cannot be; "" where it can.
  template <class Run>
  std::string refused(Run run);
  std::vector<Rollout> runs(const std::vector<SweepSample>& samples, bool with_rows);

  const Scenario& scenario_;
  int at_once_;
  std::once_flag checked_;
};

}  // namespace torsor::internal
