// Stamps that say when rows were written, not when they were measured: rows that wait in a buffer and come
// together, clocks coarser than the rows.
//
//   t_r = P k_r + w_r,  w_r >= 0      k_r: which sample it is, w_r: how long it waited
//
// Some row in every few dozen did not wait, so that the least of t_r - P r over the next ones stays where it is
// while no row is missing, and rises by P for every row that is.
#include <algorithm>
#include <cmath>
#include <deque>

#include "log_repair/parts.hpp"

namespace torsor::internal::repair {
namespace {

constexpr int window = 200;  // rows, of which some did not wait

/// Rows with a stamp that does not go back, without those that repeat the one before.
Array<int> usable_rows(const RawLog& log, LateStamps& late) {
  Array<int> kept;
  for (int r = 0; r < log.t.size(); ++r) {
    const char* why = nullptr;
    if (!std::isfinite(log.t[r]))
      why = "no stamp: left out";
    else if (!kept.empty() && log.t[r] < log.t[kept.back()])
      why = "time goes back: left out";
    else if (!kept.empty() && log.t[r] == log.t[kept.back()] && same_values(log, r, kept.back()))
      why = "repeats the row before: left out";
    if (why == nullptr)
      kept.push_back(r);
    else
      late.left_out.push_back({r, why});
  }
  return kept;
}

/// s between samples: the median over spans of many rows.
double long_period(const RawLog& log, const Array<int>& kept) {
  const int span = std::min(window, kept.size() / 4);
  Array<double> of;
  for (int k = 0; k + span < kept.size(); ++k)
    of.push_back((log.t[kept[k + span]] - log.t[kept[k]]) / span);
  std::nth_element(of.begin(), of.begin() + of.size() / 2, of.end());
  return of[of.size() / 2];
}

}  // namespace

std::optional<LateStamps> read_late_stamps(const RawLog& log) {
  LateStamps late;
  const Array<int> kept = usable_rows(log, late);
  const int n = kept.size();
  if (n < 20 || n < log.t.size() / 2) return std::nullopt;
  Array<double> steps;
  for (int k = 1; k < n; ++k) {
    const double step = log.t[kept[k]] - log.t[kept[k - 1]];
    steps.push_back(step);
    late.together += step == 0;
  }
  const double period = long_period(log, kept);
  std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
  late.coarse = late.together > n / 5;
  const bool bursts = steps[steps.size() / 2] < 0.6 * period;
  if (!(period > 0) || !(late.coarse || bursts || late.together > std::max(4, n / 200)))
    return std::nullopt;

  const auto from_even = [&](int k) { return log.t[kept[k]] - log.t[kept[0]] - k * period; };
  Array<double> least(n);
  std::deque<int> best;  // of the window, best first
  for (int k = n - 1; k >= 0; --k) {
    while (!best.empty() && from_even(best.back()) >= from_even(k)) best.pop_back();
    best.push_back(k);
    if (best.front() >= k + window) best.pop_front();
    least[k] = from_even(best.front());
  }
  // A clock's step hides as much; at the end, where few rows are left to have come in time, a wait does.
  double hidden = 0;
  for (int k = 0; k < n; ++k) late.longest = std::max(late.longest, from_even(k) - least[k]);
  if (late.coarse)
    for (const double step : steps)
      if (step > 0 && (hidden == 0 || step < hidden)) hidden = step;
  Stamps& out = late.stamps;
  out.kept = kept;
  double at = 0, sum_at = 0, sum_t = 0;
  best.clear();
  for (int k = 0; k < n; ++k) {
    // One stamp that is early sinks what follows it for a while: a rise is one above all of that.
    if (k > 0) {
      const double rise = least[k] - least[best.front()];
      const bool seen = rise > (k + window > n ? late.longest : hidden);
      at += 1 + (seen ? std::max(0.0, std::floor(rise / period + 0.4)) : 0);
    }
    while (!best.empty() && least[best.back()] <= least[k]) best.pop_back();
    best.push_back(k);
    if (best.front() <= k - 2 * window) best.pop_front();
    out.at.push_back(at);
    out.begins.push_back(k == 0);
    sum_at += at / n, sum_t += (log.t[kept[k]] - log.t[kept[0]]) / n;
  }
  double cross = 0, squares = 0;
  for (int k = 0; k < n; ++k) {
    const double x = out.at[k] - sum_at;
    cross += x * (log.t[kept[k]] - log.t[kept[0]] - sum_t), squares += x * x;
  }
  out.period = cross / squares;
  for (int k = 0; k < n; ++k)
    out.t.push_back(log.t[kept[0]] + sum_t + (out.at[k] - sum_at) * out.period);
  return late;
}

}  // namespace torsor::internal::repair
