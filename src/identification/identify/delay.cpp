/// The delay of torques by the columns of the robot itself.
#include <algorithm>
#include <cmath>

#include "factor_algebra.hpp"
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

/// A log in parts of time, and what a fit leaves in each: of every torque, relative to its spread.
struct PartsOfTime {
  static constexpr int n = 20;
  int samples, torques;
  Array<double> square, rows;

  PartsOfTime(int of_samples, int of_torques)
      : samples(of_samples),
        torques(of_torques),
        square(n * of_torques, 0.0),
        rows(n * of_torques, 0.0) {}
  int at(int sample, int torque) const {
    return static_cast<int>(static_cast<long>(sample) * n / samples) * torques + torque;
  }
  void add(int sample, int torque, double e) {
    square[at(sample, torque)] += e * e;
    rows[at(sample, torque)] += 1;
  }
  /// Those of a torque that are far worse than its others: something was touched there.
  Array<char> disturbed() const {
    constexpr double far = 16;  // of the mean square
    Array<char> out(square.size(), 0);
    for (int j = 0; j < torques; ++j) {
      Array<double> means;
      for (int p = j; p < square.size(); p += torques)
        if (rows[p] > 0) means.push_back(square[p] / rows[p]);
      if (means.empty()) continue;
      std::nth_element(means.begin(), means.begin() + means.size() / 2, means.end());
      for (int p = j; p < square.size(); p += torques)
        out[p] = rows[p] > 0 && square[p] / rows[p] > far * means[means.size() / 2];
    }
    return out;
  }
};

/// Of [columns | torque]: least squares over the columns that are independent.
Array<double> least_squares_of(const Matrix& R, int N) {
  const BaseParameters base =
      base_parameters_of(R, std::vector<std::string>(static_cast<std::size_t>(N), "column"));
  const Array<double> some = solution(selected(R, with_last(base.kept, N)), base.size());
  Array<double> x(N, 0.0);
  for (int k = 0; k < some.size(); ++k) x[base.kept[k]] = some[k];
  return x;
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
  Array<char> disturbed(PartsOfTime::n * n, 0);
  const PartsOfTime parts(log.size(), n);
  const auto visit = [&](const auto& take) {
    for (int c = 0; c < chunks.size(); ++c) {
      const int begin = log.stretch_begin(stretch[c]), end = log.stretch_end(stretch[c]);
      for (int s = 0; s < chunks[c].sample.size(); ++s) {
        const int k = chunks[c].sample[s];
        if (k < begin + cut || k >= end - cut) continue;
        for (int j = 0; j < n; ++j)
          if (rows.used(k, j) && turning[j][k] == 0 && disturbed[parts.at(k, j)] == 0)
            take(chunks[c], s * n + j, k, begin, end, j);
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
  const auto factor_of = [&](const Array<double>& lags) {
    RowFactor factor(N + lags.size());
    Array<double> row(N + lags.size());
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
    return factor;
  };
  const LagMisfit misfit = [&](const Array<double>& lags) {
    Array<double> sums(lags.size(), 0.0);
    add_residuals(factor_of(lags).R(), N, 1, sums);
    return sums;
  };
  // What the columns leave at a lag, part by part.
  const auto left = [&](double lag) {
    const Array<double> x = least_squares_of(factor_of({lag}).R(), N);
    PartsOfTime out(log.size(), n);
    visit([&](const ChunkRows& chunk, int r, int k, int begin, int end, int j) {
      if (!spread[j].changes()) return;
      double e = between(tau, begin, end, k + lag, problem.torques[j]) - chunk.known[r];
      for (int c = 0; c < N; ++c) e -= chunk.row(r)[c] * x[c];
      out.add(k, j, e / std::sqrt(spread[j].variance()));
    });
    return out;
  };
  // A push is not a delay: where it is, nothing fits.
  for (int round = 0; round < 2; ++round) {
    const Array<char> more = left(0).disturbed();
    for (int p = 0; p < more.size(); ++p) disturbed[p] = disturbed[p] != 0 || more[p] != 0;
  }
  DelayEstimate found = search_delay(misfit, log.period, most, n, "the columns of the robot");
  if (!found.clear) return found;
  // Nor is what improves a few moments alone: a delay is there all the time.
  const PartsOfTime early = left(0), late = left(found.delay / log.period);
  int better = 0, all_parts = 0;
  for (int p = 0; p < PartsOfTime::n; ++p) {
    double before = 0, after = 0;
    for (int j = 0; j < n; ++j) before += early.square[p * n + j], after += late.square[p * n + j];
    if (before > 0) ++all_parts, better += after < before;
  }
  found.clear = 3 * better > 2 * all_parts;
  if (!found.clear) found.words += ", and better in some parts alone: not clear";
  return found;
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
