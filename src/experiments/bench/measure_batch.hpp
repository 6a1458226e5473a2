#pragma once
/// The verbs over many states at once (batch/batch.hpp), one thread: modes `batch` in double and `batch_float`.
#include "torsor/experiments/bench.hpp"

namespace torsor::internal {

/// Of a robot without loops: twelve verbs in two modes, seven in two.
inline constexpr int most_figures = 2 * 12 + 2 * 7;
/// Asks the caller before a figure; false where the measurement is to end.
bool goes_on(const BenchOptions& options, const char* verb, const char* mode,
             const std::vector<BenchFigure>& figures);

/// Adds the figures. False where the measurement is to end.
bool measure_batch(const Model<double>& model, const BenchOptions& options,
                   std::vector<BenchFigure>& figures);

}  // namespace torsor::internal
