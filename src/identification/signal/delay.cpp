#include "torsor/identification/signal/delay.hpp"

#include <algorithm>
#include <cmath>

#include "signal/delay_search.hpp"
#include "signal/parts.hpp"
#include "torsor/identification/row_factor.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

using internal::between;
using internal::rows_of;
using internal::short_number;

namespace {

/// A delay is the same all the time: the first of them say it.
constexpr int most_samples = 200'000;

/// Columns of the rough model, filtered: those of all joints, then sign(qd_i) of each.
Matrix features(const MotionLog& log, const Signals& s) {
  const int n = s.q.cols(), common = 1 + 4 * n + 4 * (n - 1);
  Matrix F(log.size(), common + n);
  for (int k = 0; k < log.size(); ++k) {
    int c = 0;
    F(k, c++) = 1;
    for (int j = 0; j < n; ++j) {
      F(k, c++) = s.qdd(k, j);
      F(k, c++) = s.qd(k, j);
      F(k, c++) = std::sin(s.q(k, j));
      F(k, c++) = std::cos(s.q(k, j));
      for (const double sign : {1.0, -1.0})
        if (j + 1 < n) {
          F(k, c++) = std::sin(s.q(k, j) + sign * s.q(k, j + 1));
          F(k, c++) = std::cos(s.q(k, j) + sign * s.q(k, j + 1));
        }
    }
    for (int i = 0; i < n; ++i) F(k, c++) = std::tanh(s.qd(k, i) / 0.01);
  }
  for (int p = 0; p < log.n_stretches(); ++p)
    zero_phase(s.filter, rows_of(F, log.stretch_begin(p), log.stretch_end(p)));
  return F;
}

/// Sum over the joints of the relative squared residuals, for every lag (in samples).
Array<double> misfit(const MotionLog& log, const Signals& signals, const Matrix& F,
                     const Matrix& tau, const Array<double>& lags) {
  const double longest = std::max(std::abs(lags[0]), std::abs(lags.back()));
  const int n = log.q.cols(), common = F.cols() - n;
  const int cut = static_cast<int>(std::ceil(longest)) + 3 + signals.margin;
  const int stride = std::max({1, log.size() / 4000, signals.decimation / 2});
  Array<double> sums(lags.size(), 0.0), row;
  for (int i = 0; i < n; ++i) {
    RowFactor factor(common + 1 + lags.size());
    internal::Spread spread;
    for (int s = 0; s < log.n_stretches(); ++s)
      for (int k = log.stretch_begin(s) + cut; k < log.stretch_end(s) - cut; k += stride) {
        row.clear();
        for (int c = 0; c < common; ++c) row.push_back(F(k, c));
        row.push_back(F(k, common + i));
        for (const double lag : lags)
          row.push_back(between(tau, log.stretch_begin(s), log.stretch_end(s), k + lag, i));
        factor.add(row);
        spread.add(tau(k, i));
      }
    if (spread.rows < 2 * common)
      throw Error(log.name + ": " + std::to_string(spread.rows) +
                  " samples are too few to find a delay of " + short_number(longest * log.period) +
                  " s");
    if (!spread.changes()) continue;
    internal::add_residuals(factor.R(), common + 1, 1 / spread.variance(), sums);
  }
  return sums;
}

Array<double> lags_around(double centre, double reach, int steps) {
  Array<double> lags;
  for (int k = -steps; k <= steps; ++k) lags.push_back(centre + reach * k / steps);
  return lags;
}

}  // namespace

namespace internal {

Matrix filtered_torques(const MotionLog& log, const Signals& signals) {
  Matrix tau = log.tau;
  for (int s = 0; s < log.n_stretches(); ++s)
    zero_phase(signals.filter, rows_of(tau, log.stretch_begin(s), log.stretch_end(s)));
  return tau;
}

void add_residuals(const Matrix& R, int columns, double weight, Array<double>& sums) {
  for (int l = 0; l < sums.size(); ++l)
    for (int r = columns; r <= columns + l; ++r)
      sums[l] += weight * R(r, columns + l) * R(r, columns + l);
}

DelayEstimate search_delay(const LagMisfit& misfit_of, double period, double most, int joints,
                           const std::string& by) {
  constexpr int steps = 20;
  DelayEstimate found;
  double centre = 0, reach = std::max(most / period, 1.0);
  const double widest = reach;
  Array<double> lags, sums;
  int best = 0;
  for (int pass = 0; pass < 3; ++pass) {
    lags = lags_around(centre, reach, steps);
    sums = misfit_of(lags);
    best = static_cast<int>(std::min_element(sums.begin(), sums.end()) - sums.begin());
    if (pass == 0) found.clear = best > 0 && best < 2 * steps;
    centre = std::clamp(lags[best], -widest, widest);
    if (!found.clear) break;
    if (best > 0 && best < 2 * steps) {
      const double down = sums[best - 1] - sums[best], up = sums[best + 1] - sums[best];
      if (down + up > 0) centre += 0.5 * (lags[1] - lags[0]) * (down - up) / (down + up);
    }
    reach = 3 * reach / steps;
  }
  found.delay = centre * period;
  sums = misfit_of({0, centre});  // over the same samples
  found.residual_at_zero = 100 * std::sqrt(sums[0] / joints);
  found.residual = 100 * std::sqrt(sums[1] / joints);
  found.clear = found.clear && found.residual < 0.9 * found.residual_at_zero;
  found.words = "torques are " + short_number(std::abs(1e3 * found.delay)) + " ms " +
                (found.delay < 0 ? "early" : "late") + " by " + by + ", residual " +
                short_number(found.residual) + " % instead of " +
                short_number(found.residual_at_zero) + " %" + (found.clear ? "" : ": not clear");
  return found;
}

}  // namespace internal

DelayEstimate estimate_delay(const MotionLog& log, const Signals& signals, double most) {
  if (log.size() > most_samples) {
    const auto head = [](const Matrix& m) {
      return Matrix(most_samples, m.cols(),
                    {m.data(), m.data() + static_cast<long>(most_samples) * m.cols()});
    };
    Signals first = signals;
    first.q = head(signals.q), first.qd = head(signals.qd), first.qdd = head(signals.qdd);
    return estimate_delay(part(log, 0, most_samples), first, most);
  }
  const Matrix F = features(log, signals), tau = internal::filtered_torques(log, signals);
  return internal::search_delay(
      [&](const Array<double>& lags) { return misfit(log, signals, F, tau, lags); }, log.period,
      most, log.q.cols(), "a rough model of each joint");
}

MotionLog without_delay(const MotionLog& log, double delay) {
  if (!std::isfinite(delay)) throw Error("without_delay: the delay is not finite");
  const double lag = delay / log.period;
  if (lag == 0) return log;
  const double whole = std::ceil(std::abs(lag) - 1e-9);
  const int cut = whole > log.size() ? log.size() : static_cast<int>(whole);
  MotionLog out = log;
  out.t.clear(), out.rows.clear(), out.stretches.clear();
  Array<int> kept, stretch_of;
  for (int s = 0; s < log.n_stretches(); ++s) {
    const int begin = log.stretch_begin(s) + (lag < 0 ? cut : 0),
              end = log.stretch_end(s) - (lag > 0 ? cut : 0);
    if (end - begin < 4) continue;
    out.stretches.push_back(kept.size());
    for (int k = begin; k < end; ++k) kept.push_back(k), stretch_of.push_back(s);
  }
  if (kept.empty())
    throw Error(log.name + ": no stretch is longer than the delay of " + short_number(delay) +
                " s");
  const auto pick = [&](const Matrix& from, bool late) {
    Matrix to(from.rows() == 0 ? 0 : kept.size(), from.cols());
    for (int r = 0; r < to.rows(); ++r)
      for (int c = 0; c < to.cols(); ++c)
        to(r, c) = late ? between(from, log.stretch_begin(stretch_of[r]),
                                  log.stretch_end(stretch_of[r]), kept[r] + lag, c)
                        : from(kept[r], c);
    return to;
  };
  for (const int k : kept) out.t.push_back(log.t[k]), out.rows.push_back(log.rows[k]);
  out.q = pick(log.q, false), out.qd = pick(log.qd, false), out.q_ref = pick(log.q_ref, false);
  out.tau = pick(log.tau, true), out.drive = pick(log.drive, true);
  return out;
}

}  // namespace torsor
