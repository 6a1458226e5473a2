#pragma once
/// The verbs over many states at once (batch/batch.hpp), one thread: modes `batch` in double and `batch_float`.
#include "torsor/experiments/bench.hpp"

namespace torsor::internal {

/// Adds the figures. False where the measurement is to end.
bool measure_batch(const Model<double>& model, const BenchOptions& options,
                   std::vector<BenchFigure>& figures);

}  // namespace torsor::internal
