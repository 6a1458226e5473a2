/// The delay of torques by the columns of the robot itself.
#include <algorithm>
#include <cmath>

#include "identifying.hpp"
#include "signal/delay_search.hpp"
#include "signal/parts.hpp"
#include "torsor/identification/signal/delay.hpp"

namespace torsor {
namespace internal {
namespace {

/// A delay is the same all the time: so many samples of rows say it.
constexpr int most_rows = 3000;

/// Of each torque: samples whose filter reaches a turn of its joint. What dry friction does there, over which
/// time it changes its sign, is not known to a millisecond, and would be taken for a delay.
Array<Array<char>> near_turns(const RowProblem& problem, const MotionLog& log,
                              const Signals& signals, int reach) {
  constexpr double slow = 0.05;  // of the usual speed
  Array<Array<char>> out(problem.n_rows(), Array<char>(log.size(), 0));
  for (int j = 0; j < problem.n_rows(); ++j) {
    const int v = problem.torques[j];
    double square = 0;
    for (int k = 0; k < log.size(); ++k) square += signals.qd(k, v) * signals.qd(k, v) / log.size();
    const double least = slow * std::sqrt(square);
    for (int s = 0; s < log.n_stretches(); ++s) {
      const int begin = log.stretch_begin(s), end = log.stretch_end(s);
      int marked = begin;  // all before it are
      for (int k = begin; k < end; ++k) {
        const bool turns = k > begin && signals.qd(k, v) * signals.qd(k - 1, v) <= 0;
        if (!turns && std::abs(signals.qd(k, v)) > least) continue;
        marked = std::max(marked, k - reach);
        for (const int last = std::min(end, k + reach + 1); marked < last; ++marked)
          out[j][marked] = 1;
      }
    }
  }
  return out;
}

}  // namespace

DelayEstimate delay_by_rows(const RowProblem& problem, const MotionLog& log, const Signals& signals,
                            const LogRows& rows, double most) {
  const int n = problem.n_rows(), N = problem.n_unknowns();
  const Matrix tau = filtered_torques(log, signals);
  Array<ChunkRows> chunks;
  Array<int> stretch;
  int count = 0;
  for (int c = 0; c < rows.n_chunks() && count < most_rows; ++c) {
    chunks.push_back(rows.rows_of(c));
    stretch.push_back(rows.chunk(c).stretch);
    count += chunks.back().sample.size();
  }
  const int cut = static_cast<int>(std::ceil(std::max(most / log.period, 1.0))) + 3;
  Array<Array<char>> turning;
  const auto visit = [&](const auto& take) {
    for (int c = 0; c < chunks.size(); ++c) {
      const int begin = log.stretch_begin(stretch[c]), end = log.stretch_end(stretch[c]);
      for (int s = 0; s < chunks[c].sample.size(); ++s) {
        const int k = chunks[c].sample[s];
        if (k < begin + cut || k >= end - cut) continue;
        for (int j = 0; j < n; ++j)
          if (rows.used(k, j) && turning[j][k] == 0) take(chunks[c], s * n + j, k, begin, end, j);
      }
    }
  };
  Array<Spread> spread;
  long all = 0;
  // Where joints turn often, less is left out.
  for (int reach = 2 * signals.margin; all < 4L * N && reach >= 0; reach -= signals.margin) {
    turning = near_turns(problem, log, signals, reach);
    if (reach == 0) turning.assign(n, Array<char>(log.size(), 0));
    spread.assign(n, {});
    visit([&](const ChunkRows&, int, int k, int, int, int j) {
      spread[j].add(tau(k, problem.torques[j]));
    });
    all = 0;
    for (const Spread& s : spread) all += s.rows;
  }
  if (all < 2L * N) {
    DelayEstimate none;
    none.words =
        std::to_string(all) + " rows are too few to find a delay of " + short_number(most) + " s";
    return none;
  }
  const LagMisfit misfit = [&](const Array<double>& lags) {
    RowFactor factor(N + lags.size());
    Array<double> row(N + lags.size()), sums(lags.size(), 0.0);
    visit([&](const ChunkRows& chunk, int r, int k, int begin, int end, int j) {
      if (!spread[j].changes()) return;
      const double w = 1 / std::sqrt(spread[j].variance());
      const In<double> columns = chunk.row(r);
      for (int c = 0; c < N; ++c) row[c] = w * columns[c];
      for (int l = 0; l < lags.size(); ++l)
        row[N + l] =
            w * (between(tau, begin, end, k + lags[l], problem.torques[j]) - chunk.known[r]);
      factor.add(row);
    });
    add_residuals(factor.R(), N, 1, sums);
    return sums;
  };
  return search_delay(misfit, log.period, most, n, "the columns of the robot");
}

}  // namespace internal

DelayEstimate estimate_delay(const Model<double>& model, const MotionLog& log,
                             const Signals& signals, double most) {
  if (signals.filter.cutoff <= 0) throw Error(log.name + ": a delay is found of filtered signals");
  const internal::RowProblem problem = internal::row_problem(model, {}, {log});
  if (problem.loops)
    throw Error(log.name + ": the delay of a robot with loops is found without its model");
  internal::RowOptions options;
  options.filtered = true;
  options.filter = signals.filter;
  options.every = std::max(1, signals.decimation / 2);
  options.border = 2 * signals.margin;
  return internal::delay_by_rows(problem, log, signals,
                                 internal::LogRows(problem, log, signals, options, -1), most);
}

}  // namespace torsor
