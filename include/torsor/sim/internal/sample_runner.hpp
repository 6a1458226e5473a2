#pragma once
/// One sample of a sweep at a time, for whoever hands samples out: run_sweep, and ranks of many machines.
#include <mutex>

#include "torsor/sim/sweep.hpp"

namespace torsor::internal {

/// Runs samples, from several threads at a time; what the scenario itself is refused for is told from
/// what one draw makes of it: the first is thrown, the second is a row. `scenario` outlives it.
class SampleRunner {
 public:
  explicit SampleRunner(const Scenario& scenario) : scenario_(scenario) {}
  SweepRow operator()(long index);

 private:
  const Scenario& scenario_;
  std::once_flag checked_;
};

}  // namespace torsor::internal
