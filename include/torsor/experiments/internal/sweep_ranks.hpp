#pragma once
/// run_sweep over many machines: every rank calls it, rank 0 has the rows.
#include <functional>
#include <vector>

#include "torsor/batch/sweep.hpp"
#include "torsor/experiments/internal/ranks.hpp"

namespace torsor::internal {

/// The rows of those samples, by index, bit for bit those of run_sweep, on rank 0; none on others.
/// `samples` and options.on_row are those of rank 0, `idle` is called there some times a second.
std::vector<SweepRow> run_sweep(Ranks& ranks, const Scenario& scenario,
                                const std::vector<long>& samples, const SweepOptions& options,
                                const std::function<void()>& idle = {});

}  // namespace torsor::internal
