// When the rows of a log were measured.
#include <algorithm>
#include <cmath>
#include <limits>

#include "log_repair/parts.hpp"
#include "torsor/math/error.hpp"

namespace torsor::internal::repair {
namespace {

/// Periods that a robot may be logged with, s.
constexpr double shortest = 1e-9, longest = 1e6;

int file_row(const RawLog& log, int r) { return log.rows[r]; }

/// Of the finite ones; 0 where there are none.
double median(In<double> values) {
  Array<double> finite;
  for (const double x : values)
    if (std::isfinite(x)) finite.push_back(x);
  if (finite.empty()) return 0;
  std::nth_element(finite.begin(), finite.begin() + finite.size() / 2, finite.end());
  return finite[finite.size() / 2];
}
/// The median of the positive differences.
double median_step(In<double> t) {
  Array<double> steps;
  for (int k = 1; k < t.size; ++k)
    if (const double step = t[k] - t[k - 1]; step > 0) steps.push_back(step);
  return median(steps);
}

/// Rows whose stamps ascend; what goes back is left out or begins a new clock.
void choose_rows(const RawLog& log, double period, Stamps& stamps, Told& told) {
  constexpr int look_ahead = 10;     // rows that a new clock must go on for
  constexpr double farthest = 1e11;  // periods from the middle of the log
  double shift = 0;                  // of the clock that runs now
  const double middle = median(log.t);
  for (int r = 0; r < log.t.size(); ++r) {
    const double t = log.t[r] + shift;
    if (!std::isfinite(t)) {
      told.rows("no stamp", file_row(log, r), file_row(log, r), "no stamp: left out");
      continue;
    }
    if (!(std::abs(log.t[r] - middle) < farthest * period)) {
      told.rows("far", file_row(log, r), file_row(log, r),
                "stamp is far from the others: left out");
      continue;
    }
    bool begins = stamps.kept.empty();
    double at = t;
    if (!begins && t <= stamps.t.back()) {
      const double back = stamps.t.back() - t;
      if (back == 0) {
        told.rows("repeated", file_row(log, r), file_row(log, r),
                  same_values(log, r, stamps.kept.back())
                      ? "repeats the row before: left out"
                      : "has the stamp of the row before: left out");
        continue;
      }
      // One stamp far ahead, after which time goes on as before.
      const int n = stamps.t.size();
      if (n >= 2 && !stamps.begins.back() && t > stamps.t[n - 2] &&
          stamps.t[n - 1] - stamps.t[n - 2] > 2.5 * period && t - stamps.t[n - 2] < 2.5 * period) {
        const int ahead = file_row(log, stamps.kept.back());
        told.rows("ahead", ahead, ahead,
                  "stamp is " + number(stamps.t[n - 1] - stamps.t[n - 2]) +
                      " s after the row before, and the next one is not: left out");
        stamps.kept.pop_back(), stamps.t.pop_back(), stamps.begins.pop_back();
      } else {
        // Does a clock start again, or are single rows late?
        bool goes_on = r + look_ahead < log.t.size();
        for (int k = 1; goes_on && k <= look_ahead; ++k)
          goes_on = log.t[r + k] > log.t[r + k - 1] && log.t[r + k] + shift <= stamps.t.back();
        if (!goes_on) {
          told.rows("back", file_row(log, r), file_row(log, r),
                    "time goes back by " + number(back) + " s: left out");
          continue;
        }
        told.rows("clock", file_row(log, r), file_row(log, r),
                  "time starts again, " + number(back) + " s earlier: a new stretch begins");
        shift += stamps.t.back() + 100 * period - t;
        at = log.t[r] + shift;
        begins = true;
      }
    }
    stamps.kept.push_back(r);
    stamps.t.push_back(at);
    stamps.begins.push_back(begins);
  }
}

/// The slope of t over x by least squares, one for all stretches.
template <class Begins>
double slope_within(In<double> t, In<double> x, const Begins& begins, double otherwise) {
  double cross = 0, squares = 0;
  for (int first = 0; first < t.size;) {
    int last = first + 1;
    while (last < t.size && !begins(last)) ++last;
    double mean_t = 0, mean_x = 0;
    for (int k = first; k < last; ++k)
      mean_t += (t[k] - t[first]) / (last - first), mean_x += (x[k] - x[first]) / (last - first);
    for (int k = first; k < last; ++k) {
      const double dx = x[k] - x[first] - mean_x;
      cross += dx * (t[k] - t[first] - mean_t), squares += dx * dx;
    }
    first = last;
  }
  return squares > 0 ? cross / squares : otherwise;
}

/// How far positions are from the cubic through their neighbours: the median, which damaged rows do not move, or
/// the root mean square where most stand still. Infinite where hardly any row has neighbours.
double roughness(const RawLog& log, const Stamps& stamps, int column, In<double> at) {
  double sum = 0;
  Array<double> off;
  const int n = stamps.kept.size(), stride = std::max(1, n / 20000);
  for (int k = 2; k + 2 < n; k += stride) {
    if (at[k + 2] - at[k - 2] > 5.5) continue;
    double x[4], p[4];
    const int around[] = {k - 2, k - 1, k + 1, k + 2};
    for (int j = 0; j < 4; ++j)
      x[j] = log.values(stamps.kept[around[j]], column), p[j] = at[around[j]];
    int hint = 1;
    const double e = log.values(stamps.kept[k], column) - interpolated(p, x, at[k], hint);
    if (!std::isfinite(e)) continue;
    sum += e * e, off.push_back(e);
  }
  if (off.size() * 10 < n / stride) return std::numeric_limits<double>::infinity();
  const double middle = quantile(off, 0.5);
  return middle > 0 ? middle : std::sqrt(sum / off.size());
}

/// Whether positions are smoother over `a` than over `b` times `factor`, in the mean of the joints.
bool smoother(const RawLog& log, const Stamps& rows_a, In<double> a, const Stamps& rows_b,
              In<double> b, double factor = 1) {
  double sum = 0;
  for (int c = 0; c < log.n_q; ++c) {
    const double ra = roughness(log, rows_a, c, a), rb = roughness(log, rows_b, c, b);
    if (ra > 0 && rb > 0 && std::isfinite(ra)) sum += std::log(ra / (factor * rb));
  }
  return sum < 0;
}

/// A step beside which samples may be missing; beyond which their number may be wrong. Periods.
constexpr double apart = 1.5, surely_counted = 20;

/// Periods by which rows from k on come later than those before it promise: from some rows on either side, because
/// stamps may jitter.
double delay(In<double> at, int k) {
  constexpr int most = 8;
  const auto step = [&](int j) { return at[j] - at[j - 1]; };
  const auto lag = [&](int j) { return at[j] - at[k] - (j - k); };
  double after = lag(k), before = lag(k - 1);
  int n = 1, m = 1;
  for (int j = k + 1; j < at.size && n < most && step(j) <= apart; ++j) after += lag(j), ++n;
  for (int j = k - 2; j >= 0 && m < most && step(j + 1) <= apart; --j) before += lag(j), ++m;
  return after / n - before / m;
}

/// Steps beside which samples are missing.
int n_gaps(const Stamps& stamps) {
  int gaps = 0;
  for (int k = 1; k < stamps.at.size(); ++k) gaps += stamps.at[k] - stamps.at[k - 1] > 1.5;
  return gaps;
}

void check_period(const RawLog& log, double period) {
  if (!(period > shortest && period < longest))
    throw Error(log.name + ": stamps are " + number(period) + " s apart");
}

/// Rows by a rate alone.
Stamps counted(const RawLog& log) {
  if (!(log.period > 0)) throw Error(log.name + ": neither stamps nor a rate");
  if (!(log.period > shortest && log.period < longest))
    throw Error(log.name + ": rows are " + number(log.period) + " s apart");
  Stamps stamps;
  stamps.period = log.period;
  for (int r = 0; r < log.values.rows(); ++r) {
    stamps.kept.push_back(r);
    stamps.at.push_back(log.rows[r] - log.rows[0]);
    stamps.t.push_back((log.rows[r] - log.rows[0]) * log.period);
    stamps.begins.push_back(r == 0);
  }
  return stamps;
}

/// Each row at its own stamp, on the even grid or beside it.
Stamps stamped_rows(const RawLog& log, Told& told) {
  Stamps stamps;
  const double period = median_step(log.t);
  if (!(period > 0)) throw Error(log.name + ": stamps do not ascend");
  check_period(log, period);
  choose_rows(log, period, stamps, told);
  const int kept = stamps.kept.size();
  if (kept < 2) throw Error(log.name + ": no two rows have stamps that ascend");

  // Steps of one period, for its mean; a late stamp makes two of them uneven and is no gap.
  Array<double> off;
  for (int k = 1; k < kept; ++k) off.push_back(stamps.t[k] - stamps.t[k - 1] - period);
  const double spread = quantile(off, 0.5) / period;
  const double gap = std::max(1.5, 1 + 8 * spread);
  double sum = 0;
  int steps = 0;
  for (int k = 1; k < kept; ++k)
    if (const double step = stamps.t[k] - stamps.t[k - 1]; step < gap * period)
      sum += step, ++steps;
  stamps.period = steps > 0 ? sum / steps : period;

  Array<double> even(kept, 0.0), stamped(kept, 0.0);
  const auto count_periods = [&] {
    for (int k = 0; k < kept; ++k) stamped[k] = (stamps.t[k] - stamps.t[0]) / stamps.period;
    for (int k = 1; k < kept; ++k) {
      const double step = stamped[k] - stamped[k - 1];
      const bool late =
          k + 1 < kept && !stamps.begins[k] && std::abs(stamped[k + 1] - stamped[k - 1] - 2) < 0.3;
      even[k] = even[k - 1] +
                (step < apart || late ? 1 : 1 + std::max(0.0, std::round(delay(stamped, k))));
    }
  };
  const auto begins = [&](int k) {
    return k == 0 || stamps.begins[k] || even[k] - even[k - 1] > surely_counted;
  };
  for (int pass = 0; pass < 2; ++pass) {
    count_periods();
    stamps.period = slope_within(stamps.t, even, begins, stamps.period);
  }
  // The distance of stamps from the even grid, less its slow drift over 100 rows.
  double squares = 0, largest = 0, drift = 0;
  for (int k = 0; k < kept; ++k) {
    stamped[k] = (stamps.t[k] - stamps.t[0]) / stamps.period;
    const double from_even = stamped[k] - even[k];
    if (begins(k)) {
      int count = 0;
      double sum_of_first = 0;
      for (int j = k; j < kept && count < 100 && (j == k || !begins(j)); ++j, ++count)
        sum_of_first += (stamps.t[j] - stamps.t[0]) / stamps.period - even[j];
      drift = sum_of_first / count;
    }
    drift += (from_even - drift) / 100;
    squares += (from_even - drift) * (from_even - drift);
    largest = std::max(largest, std::abs(from_even - drift));
  }
  const double jitter = std::sqrt(squares / std::max(kept, 1));
  stamps.at = even;
  if (jitter > 0.01) {
    const bool by_stamp = smoother(log, stamps, stamped, stamps, even);
    if (by_stamp) stamps.at = stamped, stamps.uneven = true;
    told.rows("jitter", file_row(log, stamps.kept[0]), file_row(log, stamps.kept.back()),
              "stamps jitter by " + number(100 * jitter) + " % of the period " +
                  number(stamps.period) + " s (rms; largest " + number(100 * largest) + " %): " +
                  (by_stamp ? "interpolated to the even grid"
                            : "positions are smoother where rows are taken as evenly spaced"));
  }
  return stamps;
}

}  // namespace

bool same_values(const RawLog& log, int a, int b) {
  for (int c = 0; c < log.values.cols(); ++c)
    if (log.values(a, c) != log.values(b, c)) return false;
  return true;
}

int missing_before(const Stamps& stamps, int k) {
  const double step = stamps.at[k] - stamps.at[k - 1];
  if (step <= apart) return 0;
  if (!stamps.uneven) return static_cast<int>(std::lround(step)) - 1;
  return std::max(0, static_cast<int>(std::lround(delay(stamps.at, k))));
}

Stamps read_stamps(const RawLog& log, Told& told) {
  if (log.t.empty()) return counted(log);
  if (std::none_of(log.t.begin(), log.t.end(), [](double t) { return std::isfinite(t); }))
    throw Error(log.name + ": no stamp is a number: dates are not read, a rate in Hz may be said");
  if (std::all_of(log.t.begin(), log.t.end(), [&](double t) { return t == log.t[0]; }))
    throw Error(log.name + ": all stamps are " + number(log.t[0]) + " s");
  if (std::optional<LateStamps> late = read_late_stamps(log)) {
    check_period(log, late->stamps.period);
    std::vector<LogRepair> unsaid;
    Told nobody(log.name, 1, unsaid);
    bool better = late->coarse;
    if (!better) {
      const Stamps own = stamped_rows(log, nobody);
      // Between bursts nothing is missing; within them rows are as even as the motion is smooth.
      const bool torn = n_gaps(own) > n_gaps(late->stamps) + own.at.size() / 100;
      better = smoother(log, late->stamps, late->stamps.at, own, own.at, torn ? 2 : 1);
    }
    if (better) {
      told.rows("late", file_row(log, 0), file_row(log, log.t.size() - 1),
                (late->together > 0
                     ? std::to_string(late->together) + " of " + std::to_string(log.t.size()) +
                           " rows share a stamp with other values"
                     : "rows come in bursts") +
                    ", stamps are up to " + number(late->longest) +
                    " s late: rows are taken as evenly spaced, " + number(late->stamps.period) +
                    " s");
      for (const auto& [row, why] : late->left_out)
        told.rows(why, file_row(log, row), file_row(log, row), why);
      return std::move(late->stamps);
    }
  }
  return stamped_rows(log, told);
}

}  // namespace torsor::internal::repair
