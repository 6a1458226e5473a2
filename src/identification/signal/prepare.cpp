#include "torsor/identification/signal/prepare.hpp"

#include <algorithm>
#include <cmath>

#include "signal/parts.hpp"
#include "torsor/identification/signal/differences.hpp"
#include "torsor/identification/signal/savitzky_golay.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

using internal::rows_of;
using internal::short_number;

namespace {

using Derivatives = FilterOptions::Derivatives;

/// 100 |qd - q'| / |q'| over all joints, both filtered; what velocities must not exceed.
double disagreement(const Matrix& qd, const Matrix& rate) {
  double difference = 0, size = 0;
  for (int k = 0; k < qd.rows(); ++k)
    for (int c = 0; c < qd.cols(); ++c) {
      difference += (qd(k, c) - rate(k, c)) * (qd(k, c) - rate(k, c));
      size += rate(k, c) * rate(k, c);
    }
  return size > 0 ? 100 * std::sqrt(difference / size) : 0;
}

/// s by which velocities are late: qd(t) = rate(t - d) = rate - d rate', by least squares.
double lateness(const Matrix& qd, const Matrix& rate, const Matrix& acceleration) {
  double cross = 0, squares = 0;
  for (int k = 0; k < qd.rows(); ++k)
    for (int c = 0; c < qd.cols(); ++c) {
      cross += (rate(k, c) - qd(k, c)) * acceleration(k, c);
      squares += acceleration(k, c) * acceleration(k, c);
    }
  return squares > 0 ? cross / squares : 0;
}

}  // namespace

namespace {

/// As they were logged: derivatives by differences.
Signals unfiltered(const MotionLog& log, const FilterOptions& options) {
  Signals out;
  out.q = log.q;
  out.decimation = std::max(1, options.decimation);
  out.velocities_used = log.qd.rows() > 0 && options.use_velocities;
  out.qd = out.qdd = Matrix(log.q.rows(), log.q.cols());
  if (out.velocities_used) out.qd = log.qd;
  for (int s = 0; s < log.n_stretches(); ++s) {
    const int begin = log.stretch_begin(s), end = log.stretch_end(s);
    if (!out.velocities_used)
      differentiate(rows_of(out.q, begin, end), log.period, 1, rows_of(out.qd, begin, end));
    differentiate(rows_of(out.velocities_used ? out.qd : out.q, begin, end), log.period,
                  out.velocities_used ? 1 : 2, rows_of(out.qdd, begin, end));
  }
  out.words = "rows: as they are, every " + std::to_string(out.decimation) +
              ". sample; central differences of the " +
              (out.velocities_used ? "velocities" : "positions");
  return out;
}

}  // namespace

Signals prepare(const MotionLog& log, const FilterOptions& options) {
  if (!options.low_pass) return unfiltered(log, options);
  constexpr double largest_disagreement = 10;  // %
  Signals out;
  double cutoff = options.cutoff;
  std::string why;
  if (cutoff == 0) {
    const CutoffProposal proposal = propose_cutoff(log);
    cutoff = proposal.cutoff;
    why = " (" + proposal.words + ")";
  }
  // What every n-th sample cannot show would fold into it.
  constexpr double largest_share = 0.4;  // of the rate of the rows
  if (const double most = largest_share / (std::max(1, options.decimation) * log.period);
      options.decimation > 1 && cutoff > most) {
    why = " in place of " + short_number(cutoff) + " Hz" + why +
          ": what is above would fold into the rows";
    cutoff = most;
  }
  out.filter = butterworth(options.order, cutoff, log.period);
  out.decimation = options.decimation > 0 ? options.decimation : decimation(out.filter);
  out.margin = static_cast<int>(std::ceil(1 / (cutoff * log.period)));
  const double position_cutoff =
      std::min(std::max(options.position_factor, 1.0) * cutoff, 0.45 / log.period);
  const LowPass positions = butterworth(options.order, position_cutoff, log.period);
  const bool polynomials = options.derivatives == Derivatives::savitzky_golay;
  const int window = options.window > 0
                         ? options.window
                         : savitzky_golay_window(options.polynomial, position_cutoff, log.period);

  out.q = log.q;
  out.qd = out.qdd = Matrix(log.q.rows(), log.q.cols());
  Matrix logged = log.qd;
  for (int s = 0; s < log.n_stretches(); ++s) {
    const int begin = log.stretch_begin(s), end = log.stretch_end(s);
    if (polynomials) {
      const Matrix raw = part(log, begin, end).q;
      for (const auto& [m, d] : {std::pair{&out.q, 0}, {&out.qd, 1}, {&out.qdd, 2}})
        savitzky_golay(raw, log.period, std::min(window, (end - begin - 1) / 2 * 2 + 1),
                       options.polynomial, d, rows_of(*m, begin, end));
    } else {
      zero_phase(positions, rows_of(out.q, begin, end));
      differentiate(rows_of(out.q, begin, end), log.period, 1, rows_of(out.qd, begin, end));
      differentiate(rows_of(out.q, begin, end), log.period, 2, rows_of(out.qdd, begin, end));
    }
    if (logged.rows() > 0) zero_phase(positions, rows_of(logged, begin, end));
  }
  std::string velocities = "differences of the positions";
  if (logged.rows() > 0 && options.use_velocities) {
    const double off = disagreement(logged, out.qd);
    const double late = 1e3 * lateness(logged, out.qd, out.qdd);
    out.velocities_used = off < largest_disagreement;
    velocities =
        (out.velocities_used ? "as logged, " : "differences of the positions: those logged are ") +
        short_number(off) + " % off the rates of the positions, " + short_number(std::abs(late)) +
        " ms " + (late < 0 ? "early" : "late");
    if (out.velocities_used) {
      out.qd = std::move(logged);
      for (int s = 0; s < log.n_stretches(); ++s) {
        const int begin = log.stretch_begin(s), end = log.stretch_end(s);
        differentiate(rows_of(out.qd, begin, end), log.period, 1, rows_of(out.qdd, begin, end));
      }
    }
  }
  out.words =
      "rows: zero-phase Butterworth, order " + std::to_string(options.order) + ", " +
      short_number(cutoff) + " Hz" + why + ", every " + std::to_string(out.decimation) +
      ". sample; positions: " +
      (polynomials ? "Savitzky-Golay, degree " + std::to_string(options.polynomial) + ", window " +
                         std::to_string(window)
                   : "zero-phase, " + short_number(position_cutoff) + " Hz, central differences") +
      "; velocities: " + velocities;
  return out;
}

}  // namespace torsor
