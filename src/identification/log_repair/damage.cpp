// Numbers of a log that are none: drop-outs, frozen values, repeated rows, spikes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "log_repair/lateness.hpp"

namespace torsor::internal::repair {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Damage {
  int first = 0, last = 0;  // kept rows
  const char* kind = "";
};

/// One column of the kept rows.
struct Column {
  Array<double> x{};
  const Array<double>* at = nullptr;

  int size() const { return x.size(); }
  bool next_to(int k) const { return (*at)[k] - (*at)[k - 1] < 1.5; }  // k and k - 1
  double step(int k) const { return x[k] - x[k - 1]; }
};

/// What is usual in a column.
struct Scale {
  double step = 0;     // below which 95 % of the steps are
  double usual = 0;    // below which 75 % are: without the flicker of dry friction near rest
  double off = 0;      // below which 90 % of the distances from the median of seven are
  double quantum = 0;  // the smallest step that is none
  double range = 0;
  double still = 0;  // share of the steps that are none
};

double median_of_seven(const Column& c, int k) {
  double w[7];
  for (int j = 0; j < 7; ++j) w[j] = c.x[k - 3 + j];
  std::nth_element(w, w + 3, w + 7);
  return w[3];
}

Scale scale_of(const Column& c) {
  Scale s;
  const int n = c.size(), stride = std::max(1, n / 50000);
  Array<double> steps, off;
  double least = std::numeric_limits<double>::infinity();
  int still = 0;
  for (int k = 4; k + 4 < n; k += stride) {
    // To zero and back is how drop-outs go.
    const bool drops = (c.x[k] == 0) != (c.x[k - 1] == 0);
    if (const double step = std::abs(c.step(k)); step >= 0 && !drops) {
      steps.push_back(step);
      if (step == 0) ++still;
      if (step > 0) least = std::min(least, step);
    }
    if (const double d = c.x[k] - median_of_seven(c, k); std::isfinite(d)) off.push_back(d);
  }
  s.step = quantile(steps, 0.95);
  s.usual = quantile(steps, 0.75);
  s.off = quantile(off, 0.9);
  s.quantum = std::isfinite(least) ? least : 0;
  s.still = steps.empty() ? 0 : static_cast<double>(still) / steps.size();
  Array<double> sorted;  // without what stands out by itself
  const double far = 10 * std::max(s.off, s.step);
  for (int k = 0; k < n; k += stride)
    if (std::isfinite(c.x[k]) &&
        !(k > 3 && k + 4 < n && std::abs(c.x[k] - median_of_seven(c, k)) > far))
      sorted.push_back(c.x[k]);
  if (!sorted.empty()) {
    std::sort(sorted.begin(), sorted.end());
    const int cut = sorted.size() / 100;
    s.range = sorted[sorted.size() - 1 - cut] - sorted[cut];
  }
  return s;
}

/// Marks, clears and remembers.
void clear(Column& c, int first, int last, const char* kind, std::vector<Damage>& out) {
  for (int k = first; k <= last; ++k) c.x[k] = none;
  out.push_back({first, last, kind});
}

void find_missing(Column& c, std::vector<Damage>& out) {
  for (int k = 0; k < c.size(); ++k) {
    if (std::isfinite(c.x[k])) continue;
    int last = k;
    while (last + 1 < c.size() && !std::isfinite(c.x[last + 1])) ++last;
    clear(c, k, last, "no number", out);
    k = last;
  }
}

/// Exact zeros between values far from zero.
void find_zeros(Column& c, const Scale& s, std::vector<Damage>& out) {
  const double least = std::max(20 * s.quantum, 1e-3 * s.range);
  for (int k = 0; k < c.size(); ++k) {
    if (c.x[k] != 0) continue;
    int last = k;
    while (last + 1 < c.size() && c.x[last + 1] == 0) ++last;
    const bool starts = k == 0, ends = last + 1 == c.size();
    // Between torques of one sign is no rest between two directions.
    const bool one_sign = starts || ends || c.x[k - 1] * c.x[last + 1] > 0;
    const double far = std::max(least, 10 * (one_sign ? s.usual : s.step));
    const auto is_far = [&](int j) { return std::abs(c.x[j]) > far; };
    const bool before = starts ? last >= 2 : is_far(k - 1) && c.next_to(k);
    const bool after = ends ? last - k >= 2 : is_far(last + 1) && c.next_to(last + 1);
    if (before && after && !(starts && ends)) clear(c, k, last, "drops to 0", out);
    k = last;
  }
}

/// Values that stand still and then jump to where the motion has gone on to.
void find_frozen_positions(Column& c, const Scale& s, std::vector<Damage>& out) {
  constexpr int around = 5;
  for (int k = 1; k < c.size(); ++k) {
    if (c.x[k] != c.x[k - 1]) continue;
    const int first = k;
    while (k + 1 < c.size() && c.x[k + 1] == c.x[first - 1]) ++k;
    if (k - first < 2 || k + 1 >= c.size() || !c.next_to(k + 1)) continue;
    const double jump = std::abs(c.step(k + 1));
    double usual = 0;
    for (int j = std::max(1, first - around); j < first; ++j)
      if (const double step = std::abs(c.step(j)); step > usual) usual = step;
    double later = 0;
    for (int j = k + 2; j <= std::min(c.size() - 1, k + 1 + around); ++j)
      if (const double step = std::abs(c.step(j)); step > later) later = step;
    const double most = std::max(usual, later);
    if (usual > 0 && later > 0 && jump > 2.5 * most && jump > 3.5 * s.quantum)
      clear(c, first, k, "stands still and then jumps", out);
  }
}

/// The same torque many times over while the robot moves, in a column whose numbers hardly ever repeat.
void find_frozen_torques(Column& c, const Scale& s, In<double> travel, std::vector<Damage>& out) {
  constexpr int least = 10;
  if (s.still > 0.05) return;
  const double usual = travel[travel.size - 1] / travel.size;
  double extreme = 0;
  for (const double x : c.x)
    if (std::abs(x) > extreme) extreme = std::abs(x);
  for (int k = 1; k < c.size(); ++k) {
    if (c.x[k] != c.x[k - 1]) continue;
    const int first = k;
    while (k + 1 < c.size() && c.x[k + 1] == c.x[first - 1]) ++k;
    if (k - first + 2 >= least && std::abs(c.x[k]) < extreme &&
        travel[k] - travel[first - 1] > 0.2 * usual * (k - first + 1))
      clear(c, first, k, "stands still", out);
  }
}

/// `share` of the range: velocities and torques may be steep, positions are not.
void find_spikes(Column& c, const Scale& s, double share, std::vector<Damage>& out) {
  constexpr int around = 25;
  const double far = std::max({10 * s.off, 20 * s.quantum, share * s.range});
  Array<int> found;
  for (int k = 3; k + 3 < c.size(); ++k) {
    if (!(std::abs(c.step(k)) > 0.5 * far) && !(std::abs(c.step(k + 1)) > 0.5 * far)) continue;
    const double d = std::abs(c.x[k] - median_of_seven(c, k));
    if (!(d > far)) continue;
    Array<double> steps;
    for (int j = std::max(1, k - around); j <= std::min(c.size() - 1, k + around); ++j)
      if (const double step = std::abs(c.step(j)); std::isfinite(step)) steps.push_back(step);
    std::nth_element(steps.begin(), steps.begin() + 3 * steps.size() / 4, steps.end());
    if (d > 8 * steps[3 * steps.size() / 4]) found.push_back(k);
  }
  for (const int k : found) clear(c, k, k, "spike", out);
}

/// Single positions off the cubic through their neighbours, by more than motion and noise around them.
void find_glitches(Column& c, const Scale& s, std::vector<Damage>& out) {
  constexpr int around = 25;
  const int n = c.size();
  Array<double> off(n, 0.0);
  double at[4], x[4];
  for (int k = 2; k + 2 < n; ++k) {
    for (int j = 0; j < 4; ++j) {
      const int neighbour = k - 2 + j + (j > 1);
      at[j] = (*c.at)[neighbour], x[j] = c.x[neighbour];
    }
    int hint = 1;
    if (at[3] - at[0] < 5.5) off[k] = c.x[k] - interpolated(at, x, (*c.at)[k], hint);
    if (!std::isfinite(off[k])) off[k] = 0;
  }
  const double far = std::max(45 * quantile(off, 0.5), 5 * s.quantum);
  Array<int> found;
  for (int k = 2; k + 2 < n; ++k) {
    const double d = std::abs(off[k]);
    if (!(d > far && d > std::abs(c.x[k + 1] - c.x[k - 1]))) continue;  // nor a jump
    bool farthest = true;  // a glitch shows in what is expected of those beside it
    for (int j = k - 2; j <= k + 2; ++j) farthest = farthest && std::abs(off[j]) <= d;
    if (!farthest) continue;
    Array<double> steps;
    for (int j = std::max(1, k - around); j <= std::min(n - 1, k + around); ++j)
      if (const double step = std::abs(c.step(j)); std::isfinite(step)) steps.push_back(step);
    if (d > 3 * quantile(steps, 0.75)) found.push_back(k);
  }
  for (const int k : found) clear(c, k, k, "spike", out);
}

/// Rows that are the row before in every column, after which positions catch up with the motion.
std::vector<Damage> repeated_rows(const RawLog& log, const Stamps& stamps, Lateness& late) {
  std::vector<Damage> out;
  const int n = stamps.kept.size();
  Array<char> repeats(n, 0);
  // But for single cells of many, which may be corrupt.
  const auto same = [&](int a, int b) {
    int others = 0;
    for (int c = 0; c < log.values.cols(); ++c)
      others += log.values(stamps.kept[a], c) != log.values(stamps.kept[b], c);
    return others <= log.values.cols() / 6;
  };
  for (int k = 1; k < n; ++k) {
    if (!same(k, k - 1)) continue;
    const int first = k;
    while (k + 1 < n && same(k + 1, k)) ++k;
    // The rate before: from the last row that is none of these, which may be some periods away.
    int own = first - 2;
    while (own >= 0 && repeats[own] != 0) --own;
    bool moves = false;
    for (int c = 0; c < log.n_q && own >= 0 && k + 1 < n; ++c) {
      const auto x = [&](int row) { return log.values(stamps.kept[row], c); };
      const double before = (x(first - 1) - x(own)) / (stamps.at[first - 1] - stamps.at[own]);
      const double after = x(k + 1) - x(k);
      const double steps = stamps.at[k + 1] - stamps.at[k] + (k == first ? 0.5 : 1.5);
      moves = moves || before * after > steps * before * before;
    }
    // Or, where the rate changes: the last of them is late, though what is beside them may be late, too.
    const bool was_usable = late.usable(k);
    late.leave_out(first, k);
    if (!moves) {
      const double steps = stamps.at[k] - stamps.at[first - 1];
      moves = late.of(k) > 0.4 * steps;
    }
    if (!moves) {
      if (was_usable) late.take_back(first, k);
      continue;
    }
    out.push_back({first, k, "repeats the row before"});
    for (int row = first; row <= k; ++row) repeats[row] = 1;
  }
  return out;
}

/// Rows that are late and repeat none that is left: the one that they hold is missing.
std::vector<Damage> stale_rows(const Stamps& stamps, Lateness& late) {
  constexpr int passes = 10, beside = 3;
  std::vector<Damage> out;
  const int n = stamps.kept.size();
  Array<double> of(n, 0.0);
  for (int pass = 0; pass < passes; ++pass) {
    for (int k = 0; k < n; ++k) of[k] = late.usable(k) ? late.of(k) : 0;
    // A late row makes those beside it look early and those next to them late, and no more where it is left out.
    // Not so where a sample is missing unknown to the stamps.
    bool found = false;
    for (int k = 0; k < n; ++k) {
      if (!(of[k] > late.least())) continue;
      bool latest = true;
      for (int j = std::max(0, k - beside); j <= std::min(n - 1, k + beside); ++j)
        latest = latest && of[j] <= of[k];
      if (!latest) continue;
      late.leave_out(k, k);
      bool clears = true;
      for (int j = std::max(0, k - beside); j <= std::min(n - 1, k + beside); ++j)
        clears = clears && !(late.usable(j) && std::abs(late.of(j)) > 0.5 * of[k]);
      if (!clears) {
        late.take_back(k, k);
        continue;
      }
      out.push_back({k, k, "shows an earlier moment"});
      found = true;
    }
    if (!found) break;
  }
  std::sort(out.begin(), out.end(),
            [](const Damage& a, const Damage& b) { return a.first < b.first; });
  return out;
}

/// Rows of zeros alone, where most columns jump to their values afterwards (or from them before).
std::vector<Damage> empty_rows(const RawLog& log, const Stamps& stamps) {
  std::vector<Damage> out;
  const int n = stamps.kept.size();
  const auto empty = [&](int k) {
    for (int c = 0; c < log.values.cols(); ++c)
      if (log.values(stamps.kept[k], c) != 0) return false;
    return true;
  };
  for (int k = 0; k < n; ++k) {
    if (!empty(k)) continue;
    const int first = k;
    while (k + 1 < n && empty(k + 1)) ++k;
    const int next = k + 2 < n ? k + 1 : first - 1, beyond = k + 2 < n ? k + 2 : first - 2;
    if (beyond < 0) continue;
    int jumps = 0;
    for (int c = 0; c < log.values.cols(); ++c) {
      const double x = log.values(stamps.kept[next], c), y = log.values(stamps.kept[beyond], c);
      jumps += std::abs(x) > 10 * std::abs(y - x);
    }
    if (2 * jumps > log.values.cols()) out.push_back({first, k, "all numbers are 0"});
  }
  return out;
}

/// Tells of runs without numbers in one column what becomes of them.
void decide(const Column& c, const std::vector<Damage>& found, const std::string& name,
            const RawLog& log, const Stamps& stamps, int fill, Array<bool>& leave_out, Told& told) {
  for (const Damage& d : found) {
    int first = d.first, last = d.last;  // of the whole run
    while (first > 0 && std::isnan(c.x[first - 1])) --first;
    while (last + 1 < c.size() && std::isnan(c.x[last + 1])) ++last;
    const bool filled =
        first > 0 && last + 1 < c.size() && stamps.at[last + 1] - stamps.at[first - 1] < fill + 1.5;
    if (!filled)
      for (int k = first; k <= last; ++k) leave_out[k] = true;
    told.rows(
        std::string(d.kind) + name, log.rows[stamps.kept[d.first]], log.rows[stamps.kept[d.last]],
        (name.empty() ? "" : name + ": ") + d.kind + (filled ? ": interpolated" : ": left out"));
  }
}

}  // namespace

Array<bool> clear_damage(RawLog& log, const Stamps& stamps, const RepairOptions& options,
                         Told& told) {
  const int n = stamps.kept.size();
  Array<bool> leave_out(n, false);
  const std::vector<Damage> empty = empty_rows(log, stamps);
  Lateness late(log, stamps);
  for (const Damage& d : empty) late.leave_out(d.first, d.last);
  std::vector<Damage> whole_rows = repeated_rows(log, stamps, late);
  late.measure_usual();
  const std::vector<Damage> stale = stale_rows(stamps, late);
  whole_rows.insert(whole_rows.end(), empty.begin(), empty.end());
  whole_rows.insert(whole_rows.end(), stale.begin(), stale.end());
  // Path that the positions have gone, each in units of its usual step.
  Array<double> travel(n, 0.0);
  Column column;
  column.at = &stamps.at;
  column.x.resize(n);
  for (int c = 0; c < log.values.cols(); ++c) {
    for (int k = 0; k < n; ++k) column.x[k] = log.values(stamps.kept[k], c);
    for (const Damage& d : whole_rows)
      for (int k = d.first; k <= d.last; ++k) column.x[k] = none;
    if (c == 0) decide(column, whole_rows, "", log, stamps, options.fill, leave_out, told);
    std::vector<Damage> found;
    for (const Damage& d : whole_rows) {  // not to be told again, column by column: a line instead
      const int from = std::max(d.first - 1, 0), to = std::min(d.last + 1, n - 1);
      const double x = log.values(stamps.kept[d.first > 0 ? from : to], c);
      const double y = log.values(stamps.kept[d.last + 1 < n ? to : from], c);
      for (int k = d.first; k <= d.last; ++k) column.x[k] = x + (y - x) * (k - from) / (to - from);
    }
    find_missing(column, found);
    const Scale scale = scale_of(column);
    const bool measured = c < log.n_q + log.n_qd + log.n_tau;
    if (measured) find_zeros(column, scale, found);
    if (c < log.n_q && scale.step > 0)
      for (int k = 1; k < n; ++k)
        if (const double step = std::abs(column.step(k)) / scale.step; step < 10) travel[k] += step;
    if (c + 1 == log.n_q)
      for (int k = 1; k < n; ++k) travel[k] += travel[k - 1];
    if (c < log.n_q)
      find_frozen_positions(column, scale, found);
    else if (measured && c >= log.n_q + log.n_qd)
      find_frozen_torques(column, scale, travel, found);
    if (measured) find_spikes(column, scale, c < log.n_q ? 1e-3 : 1, found);
    if (c < log.n_q) find_glitches(column, scale, found);
    for (const Damage& d : whole_rows)
      for (int k = d.first; k <= d.last; ++k) column.x[k] = none;
    decide(column, found, log.columns[static_cast<std::size_t>(c)], log, stamps, options.fill,
           leave_out, told);
    for (int k = 0; k < n; ++k) log.values(stamps.kept[k], c) = column.x[k];
  }
  return leave_out;
}

/// References wrap as positions do: steps of a turn.
void join_references(RawLog& log, const Stamps& stamps) {
  constexpr double turn = 2 * std::numbers::pi;
  for (int c = 0; c < log.n_ref; ++c) {
    if (log.angle.size() <= c || !log.angle[c]) continue;
    const int column = log.n_q + log.n_qd + log.n_tau + c;
    double turns = 0, before = none;
    for (const int r : stamps.kept) {
      const double x = log.values(r, column);
      if (!std::isfinite(x)) continue;
      if (const double step = x - before; std::abs(std::abs(step) - turn) < 0.15 * turn)
        turns -= std::copysign(1, step);
      log.values(r, column) = x + turns * turn;
      before = x;
    }
  }
}

void join_angles(RawLog& log, Stamps& stamps, Told& told) {
  constexpr double turn = 2 * std::numbers::pi;
  join_references(log, stamps);
  for (int c = 0; c < log.n_q; ++c) {
    Column column;
    column.at = &stamps.at;
    for (const int r : stamps.kept) column.x.push_back(log.values(r, c));
    const Scale scale = scale_of(column);
    const std::string& name = log.columns[static_cast<std::size_t>(c)];
    double turns = 0;
    int before = -1;  // the last row with a number
    for (int k = 0; k < column.size(); ++k) {
      if (!std::isfinite(column.x[k])) continue;
      if (before >= 0 && stamps.at[k] - stamps.at[before] < 20) {
        const double step = column.x[k] - column.x[before], size = std::abs(step);
        const int row = log.rows[stamps.kept[k]];
        double usual = 0;  // steps around this one
        for (int j = std::max(1, before - 4); j <= std::min(column.size() - 1, k + 5); ++j)
          if ((j <= before || j > k) && std::abs(column.step(j)) > usual)
            usual = std::abs(column.step(j));
        const double steps = stamps.at[k] - stamps.at[before];
        const bool far = size > 10 * usual * steps && size > 5 * scale.step * steps;
        if (log.angle.size() > c && log.angle[c] && far && std::abs(size - turn) < 0.15 * turn) {
          turns -= std::copysign(1, step);
          told.rows("wrap" + name, row, row, name + ": wraps by a turn: unwrapped");
        } else if (far && size > 20 * scale.quantum) {
          stamps.begins[k] = true;
          told.rows("jump" + name, row, row,
                    name + ": jumps by " + number(step) + ": a new stretch begins");
        }
      }
      log.values(stamps.kept[k], c) = column.x[k] + turns * turn;
      before = k;
    }
  }
}

}  // namespace torsor::internal::repair
