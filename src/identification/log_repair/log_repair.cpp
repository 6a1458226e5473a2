#include "torsor/identification/log_repair.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "log_repair/parts.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace internal::repair {

void Told::rows(const std::string& kind, long long first, long long last, const std::string& what) {
  Kind& k = kinds_[kind];
  if (k.open) {
    LogRepair& grows = (*out_)[k.at];
    if (grows.what == what && first <= grows.last_row + 1 && first >= grows.last_row) {
      grows.last_row = last;
      return;
    }
  }
  if (k.entries == limit_) {
    if (k.more == 0) k.first = first;
    k.more += last - first + 1;
    k.last = last;
    k.open = false;
    return;
  }
  ++k.entries;
  k.open = true;
  k.at = out_->size();
  out_->push_back({log_, first, last, what});
}

void Told::finish() {
  for (const auto& [name, k] : kinds_)
    if (k.more > 0)
      out_->push_back(
          {log_, k.first, k.last, std::to_string(k.more) + " more rows as: " + (*out_)[k.at].what});
  std::stable_sort(out_->begin(), out_->end(), [](const LogRepair& a, const LogRepair& b) {
    return a.first_row < b.first_row;
  });
}

double interpolated(In<double> positions, In<double> x, double at, int& hint) {
  const int n = positions.size;
  hint = std::clamp(hint, 0, n - 1);
  while (hint + 1 < n && positions[hint + 1] <= at) ++hint;
  while (hint > 0 && positions[hint] > at) --hint;
  if (positions[hint] == at) return x[hint];
  const int first = std::clamp(hint - 1, 0, std::max(0, n - 4)), last = std::min(n, first + 4);
  double sum = 0;
  for (int i = first; i < last; ++i) {
    double weight = 1;
    for (int j = first; j < last; ++j)
      if (j != i) weight *= (at - positions[j]) / (positions[i] - positions[j]);
    sum += weight * x[i];
  }
  return sum;
}

double quantile(In<double> values, double p) {
  Array<double> some;
  const int stride = std::max(1, values.size / 100000);
  for (int k = 0; k < values.size; k += stride)
    if (std::isfinite(values[k])) some.push_back(std::abs(values[k]));
  if (some.empty()) return 0;
  const auto at = some.begin() + static_cast<long>(p * (some.size() - 1));
  std::nth_element(some.begin(), at, some.end());
  return *at;
}

std::string number(double x) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::general, 4);
  return {buffer, end.ptr};
}

namespace {

/// The kept rows of one stretch on whole numbers of periods.
void add_stretch(const RawLog& log, const Stamps& stamps, In<int> members, MotionLog& out,
                 Array<double>& values) {
  const int n = members.size, cols = log.values.cols();
  const double start = stamps.at[members[0]];
  const int samples = static_cast<int>(std::floor(stamps.at[members[n - 1]] - start + 1e-6)) + 1;
  const int begin = out.t.size();
  // Where rows are even, the phase of the grid is the mean of the stamps'.
  double phase = 0;
  for (const int k : members) phase += stamps.t[k] - (stamps.at[k] - start) * stamps.period;
  phase /= n;
  for (int s = 0, row = 0; s < samples; ++s) {
    while (row + 1 < n && stamps.at[members[row + 1]] - start <= s + 1e-6) ++row;
    out.t.push_back(phase + s * stamps.period);
    out.rows.push_back(log.rows[stamps.kept[members[row]]]);
  }
  values.resize((begin + samples) * cols);
  Array<double> at, x;
  for (int c = 0; c < cols; ++c) {
    at.clear(), x.clear();
    for (const int k : members)
      if (const double value = log.values(stamps.kept[k], c); std::isfinite(value))
        at.push_back(stamps.at[k] - start), x.push_back(value);
    int hint = 0;
    for (int s = 0; s < samples; ++s) values[(begin + s) * cols + c] = interpolated(at, x, s, hint);
  }
}

Matrix columns(const Array<double>& values, int cols, int first, int count) {
  const int rows = count == 0 ? 0 : values.size() / cols;
  Matrix m(rows, count);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < count; ++c) m(r, c) = values[r * cols + first + c];
  return m;
}

/// Numbers that are missing at the ends of a stretch cannot be interpolated.
bool complete(const RawLog& log, int row) {
  for (int c = 0; c < log.values.cols(); ++c)
    if (!std::isfinite(log.values(row, c))) return false;
  return true;
}

}  // namespace

void tell_suspicions(const MotionLog& log, const RawLog& raw, Told& told) {
  const long long first = log.rows[0], last = log.rows.back();
  // Velocities beside central differences of the positions.
  for (int c = 0; c < raw.n_qd && c < raw.n_q; ++c) {
    double cross = 0, squares = 0, own = 0, bends = 0, least = log.q(0, c), most = least;
    for (int s = 0; s < log.n_stretches(); ++s)
      for (int k = log.stretch_begin(s) + 2; k + 2 < log.stretch_end(s); ++k) {
        const double rate = (log.q(k + 2, c) - log.q(k - 2, c)) / (4 * log.period);
        cross += rate * log.qd(k, c), squares += rate * rate, own += log.qd(k, c) * log.qd(k, c);
        const double bend = log.q(k + 1, c) - 2 * log.q(k, c) + log.q(k - 1, c);
        bends += bend * bend;
        least = std::min(least, log.q(k, c)), most = std::max(most, log.q(k, c));
      }
    const bool moves = most - least > 50 * std::sqrt(bends / log.size());  // not its noise alone
    const double slope = squares > 0 ? cross / squares : 1;
    const double likeness = squares * own > 0 ? cross / std::sqrt(squares * own) : 0;
    const std::string& name = raw.columns[static_cast<std::size_t>(raw.n_q + c)];
    if (moves && own == 0)
      told.rows("no rate" + name, first, last, name + ": is 0 while the position moves");
    else if (std::abs(likeness) > 0.8 && std::abs(slope - 1) > 0.1)
      told.rows("rate" + name, first, last,
                name + ": is " + number(slope) + " times the rate of " +
                    raw.columns[static_cast<std::size_t>(c)] + ": units or sign?");
  }
  // Torques that stay at one extreme.
  for (int c = 0; c < raw.n_tau; ++c)
    for (const double sign : {1.0, -1.0}) {
      double extreme = -std::numeric_limits<double>::infinity();
      for (int k = 0; k < log.size(); ++k) extreme = std::max(extreme, sign * log.tau(k, c));
      Array<double> steps;
      for (int k = 1; k < log.size(); ++k) steps.push_back(log.tau(k, c) - log.tau(k - 1, c));
      const double step = quantile(steps, 0.95);
      int at = 0, near = 0, runs = 0, from = 0, to = 0;
      for (int k = 0; k < log.size(); ++k) {
        near += sign * log.tau(k, c) < extreme && sign * log.tau(k, c) > extreme - 1.5 * step;
        if (sign * log.tau(k, c) == extreme) {
          if (at++ == 0) from = k;
          to = k;
          runs += k > 0 && sign * log.tau(k - 1, c) == extreme;
        }
      }
      // A peak has its neighbours below it, a limit hardly any.
      if (runs >= 3 && at > near && at < log.size() / 2 && extreme > 0)
        told.rows("saturated" + std::to_string(c) + (sign > 0 ? "+" : "-"), log.rows[from],
                  log.rows[to],
                  raw.columns[static_cast<std::size_t>(raw.n_q + raw.n_qd + c)] + ": is at " +
                      number(sign * extreme) + " in " + std::to_string(at) + " rows: saturated?");
    }
}

}  // namespace internal::repair

MotionLog repaired(RawLog log, const RepairOptions& options) {
  using namespace internal::repair;
  const int cols = log.values.cols();
  if (cols != log.n_q + log.n_qd + log.n_tau + log.n_ref)
    throw Error("repaired: " + std::to_string(cols) +
                " columns are not positions, velocities, torques and references");
  if (log.rows.empty())
    for (int r = 0; r < log.values.rows(); ++r) log.rows.push_back(r + 1);
  for (int c = static_cast<int>(log.columns.size()); c < cols; ++c)
    log.columns.push_back("column " + std::to_string(c + 1));
  if (log.values.rows() < options.least_samples)
    throw Error(log.name + ": " + std::to_string(log.values.rows()) + " rows; at least " +
                std::to_string(options.least_samples) + " are needed");

  MotionLog out;
  out.name = log.name;
  out.repairs = std::move(log.repairs);
  Told told(log.name, options.told, out.repairs);
  leave_out_held_samples(log, told);
  Stamps stamps = read_stamps(log, told);
  const Array<bool> leave_out = clear_damage(log, stamps, options, told);
  join_angles(log, stamps, told);
  out.period = stamps.period;

  Array<double> values;
  Array<int> members;
  out.stretches.clear();
  const auto row_of = [&](int k) { return log.rows[stamps.kept[k]]; };
  const auto close = [&] {
    // What has no number at an end has nothing to be interpolated from.
    int first = 0, last = members.size();
    while (first < last && !complete(log, stamps.kept[members[first]])) ++first;
    while (last > first && !complete(log, stamps.kept[members[last - 1]])) --last;
    const View<const int> whole(members.data() + first, last - first);
    const double length =
        whole.empty() ? 0 : stamps.at[whole[whole.size - 1]] - stamps.at[whole[0]];
    if (length + 1 < options.least_samples) {
      if (!members.empty())
        told.rows("short", row_of(members[0]), row_of(members.back()),
                  "a stretch of " + std::to_string(members.size()) + " rows: too short, left out");
    } else {
      out.stretches.push_back(out.t.size());
      add_stretch(log, stamps, whole, out, values);
    }
    members.clear();
  };
  for (int k = 0; k < stamps.kept.size(); ++k) {
    if (leave_out[k]) continue;
    if (!members.empty()) {
      const double step = stamps.at[k] - stamps.at[members.back()];
      bool begins = false;
      for (int j = members.back() + 1; j <= k; ++j) begins = begins || stamps.begins[j];
      const int before = row_of(members.back());
      const int missing = !begins && k == members.back() + 1 ? missing_before(stamps, k) : 0;
      if (missing > 0 && step < options.fill + 1.5)
        told.rows("missing", before, row_of(k),
                  (missing == 1 ? "1 sample is" : std::to_string(missing) + " samples are") +
                      std::string(" missing between: interpolated"));
      else if (missing > 0)
        told.rows("gap", before, row_of(k),
                  "gap of " + number(step * stamps.period) + " s between: a new stretch begins");
      if (begins || step >= options.fill + 1.5) close();
    }
    members.push_back(k);
  }
  close();
  if (out.stretches.empty())
    throw Error(log.name + ": nothing is left of " + std::to_string(log.values.rows()) + " rows" +
                (out.repairs.empty()
                     ? ""
                     : "; the first finding, row " + std::to_string(out.repairs[0].first_row) +
                           ": " + out.repairs[0].what));
  out.q = columns(values, cols, 0, log.n_q);
  out.qd = columns(values, cols, log.n_q, log.n_qd);
  out.tau = columns(values, cols, log.n_q + log.n_qd, log.n_tau);
  out.q_ref = columns(values, cols, log.n_q + log.n_qd + log.n_tau, log.n_ref);
  tell_suspicions(out, log, told);
  told.finish();
  return out;
}

MotionLog part(const MotionLog& log, int first, int last) {
  first = std::clamp(first, 0, log.size()), last = std::clamp(last, first, log.size());
  const auto rows_of = [&](const Matrix& m) {
    Matrix out(m.rows() == 0 ? 0 : last - first, m.cols());
    for (int r = 0; r < out.rows(); ++r)
      for (int c = 0; c < out.cols(); ++c) out(r, c) = m(first + r, c);
    return out;
  };
  MotionLog out;
  out.name = log.name;
  out.period = log.period;
  out.t = {log.t.begin() + first, log.t.begin() + last};
  out.rows = {log.rows.begin() + first, log.rows.begin() + last};
  out.q = rows_of(log.q), out.qd = rows_of(log.qd), out.tau = rows_of(log.tau);
  out.measured = log.measured;
  out.drive = rows_of(log.drive), out.q_ref = rows_of(log.q_ref);
  for (const int s : log.stretches)
    if (s > first && s < last) out.stretches.push_back(s - first);
  return out;
}

}  // namespace torsor
