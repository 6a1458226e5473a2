#include "torsor/identification/signal/periodic_log.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "signal/parts.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

using internal::between;
using internal::short_number;

namespace {

constexpr double turn = 2 * std::numbers::pi;

struct Range {
  int begin = 0, end = 0;
  int size() const { return end - begin; }
};
Range longest_stretch(const MotionLog& log) {
  Range best;
  for (int s = 0; s < log.n_stretches(); ++s)
    if (const Range r{log.stretch_begin(s), log.stretch_end(s)}; r.size() > best.size()) best = r;
  return best;
}

/// Mean square of q(k) - q(k + lag) over twice the variance, all joints; samples `stride` apart.
double unlikeness(const MotionLog& log, const Range& range, const Array<double>& spread, double lag,
                  int stride) {
  double sum = 0;
  long count = 0;
  for (int k = range.begin; k + lag <= range.end - 1; k += stride, ++count)
    for (int c = 0; c < log.q.cols(); ++c)
      if (spread[c] > 0) {
        const double d = log.q(k, c) - between(log.q, range.begin, range.end, k + lag, c);
        sum += d * d / (2 * spread[c]);
      }
  return count == 0 ? 1 : sum / static_cast<double>(count) / log.q.cols();
}

/// The lag near `start` of the least unlikeness, to a fraction of a sample.
double refined(const MotionLog& log, const Range& range, const Array<double>& spread, double start,
               double reach, int stride) {
  constexpr double golden = 0.381966011250105;
  double a = start - reach, b = start + reach;
  b = std::min(b, range.size() - 5.0);
  const auto f = [&](double lag) { return unlikeness(log, range, spread, lag, stride); };
  double x = a + golden * (b - a), y = b - golden * (b - a), fx = f(x), fy = f(y);
  while (b - a > 1e-4) {
    if (fx < fy) {
      b = y, y = x, fy = fx, x = a + golden * (b - a), fx = f(x);
    } else {
      a = x, x = y, fx = fy, y = b - golden * (b - a), fy = f(y);
    }
  }
  return 0.5 * (a + b);
}

}  // namespace

double find_period(const MotionLog& log) {
  constexpr double like = 0.05 * 0.05;
  const Range range = longest_stretch(log);
  if (range.size() < 16) return 0;
  Array<double> spread;
  for (int c = 0; c < log.q.cols(); ++c) {
    double mean = 0, squares = 0;
    for (int k = range.begin; k < range.end; ++k) mean += log.q(k, c) / range.size();
    for (int k = range.begin; k < range.end; ++k)
      squares += (log.q(k, c) - mean) * (log.q(k, c) - mean) / range.size();
    spread.push_back(squares);
  }
  const int stride = std::max(1, range.size() / 4000);
  double before = 0, now = 0;
  bool left = false;  // the neighbourhood of lag 0
  for (int lag = stride; lag <= range.size() / 2 + stride; lag += stride) {
    const double next = unlikeness(log, range, spread, lag, stride);
    left = left || now > 10 * like;
    if (left && now < 4 * like && now <= before && now <= next) {
      double found = refined(log, range, spread, lag - stride, 2.0 * stride, stride);
      if (unlikeness(log, range, spread, found, stride) < like) {
        // Many periods together say more exactly how long one is.
        for (double m = 2; m * found < 0.8 * range.size(); m *= 2)
          found = refined(log, range, spread, m * found, 1.0, stride) / m;
        const int periods = static_cast<int>(range.size() / found);
        if (const double whole = std::round(found); std::abs(found - whole) * periods < 0.1)
          found = whole;
        return found * log.period;
      }
    }
    before = now;
    now = next;
  }
  return 0;
}

PeriodicSignals average_periods(const MotionLog& log, double motion_period, int harmonics) {
  const Range range = longest_stretch(log);
  PeriodicSignals out;
  out.motion_period = motion_period > 0 ? motion_period : find_period(log);
  if (!(out.motion_period > 0)) throw Error(log.name + ": no period is found in the positions");
  double length = out.motion_period / log.period;  // samples
  if (std::abs(length - std::round(length)) < 1e-6 * length) length = std::round(length);
  const int M = static_cast<int>(std::floor(length + 1e-9));
  out.periods = static_cast<int>(std::floor((range.size() + 1e-6) / length));
  if (M < 8 || out.periods < 1)
    throw Error(log.name + ": a period of " + short_number(out.motion_period) +
                " s in a stretch of " + short_number(range.size() * log.period) + " s");
  const int P = out.periods, n = log.q.cols();
  const double step = length / M;

  // Means, and what differs from them.
  const auto average = [&](const Matrix& x, Array<double>* noise) {
    Matrix mean(x.rows() == 0 ? 0 : M, x.cols());
    for (int c = 0; c < mean.cols() && mean.rows() > 0; ++c) {
      double squares = 0;
      for (int m = 0; m < M; ++m) {
        const auto at = [&](int p) {
          return between(x, range.begin, range.end, range.begin + p * length + m * step, c);
        };
        for (int p = 0; p < P; ++p) mean(m, c) += at(p) / P;
        for (int p = 0; p < P; ++p) squares += (at(p) - mean(m, c)) * (at(p) - mean(m, c));
      }
      if (noise != nullptr) noise->push_back(P > 1 ? std::sqrt(squares / ((P - 1.0) * M)) : 0);
    }
    return mean;
  };
  MotionLog& mean = out.mean;
  mean.name = log.name;
  mean.period = step * log.period;
  for (int m = 0; m < M; ++m) {
    mean.t.push_back(m * mean.period);
    mean.rows.push_back(log.rows[range.begin + static_cast<int>(m * step)]);
  }
  mean.tau = average(log.tau, &out.tau_noise);
  mean.drive = average(log.drive, nullptr);
  mean.q_ref = average(log.q_ref, nullptr);
  const Matrix q = average(log.q, &out.q_noise);

  // Coefficients a_l, b_l of every harmonic and joint.
  const int most = (M - 1) / 2;
  const int wanted = harmonics > 0 ? std::min(harmonics, most) : most;
  Array<double> cosine(M), sine(M);
  for (int m = 0; m < M; ++m) cosine[m] = std::cos(turn * m / M), sine[m] = std::sin(turn * m / M);
  const auto coefficient = [&](int l, int c) {
    double a = 0, b = 0;
    for (int m = 0; m < M; ++m) {
      const int at = static_cast<int>(static_cast<long long>(l) * m % M);
      a += q(m, c) * cosine[at], b += q(m, c) * sine[at];
    }
    return std::pair{2 * a / M, 2 * b / M};
  };
  Matrix a(wanted + 1, n), b(wanted + 1, n);
  int quiet = 0;
  for (int l = 1; l <= wanted; ++l) {
    bool stands_out = false;
    for (int c = 0; c < n; ++c) {
      std::tie(a(l, c), b(l, c)) = coefficient(l, c);
      const double power = a(l, c) * a(l, c) + b(l, c) * b(l, c);
      const double noise = 4 * out.q_noise[c] * out.q_noise[c] / (static_cast<double>(P) * M);
      double largest = 0;
      for (int k = 1; k <= l; ++k)
        largest = std::max(largest, a(k, c) * a(k, c) + b(k, c) * b(k, c));
      stands_out = stands_out || power > std::max(16 * noise, 1e-20 * largest);
    }
    if (stands_out || harmonics > 0) out.harmonics = l, quiet = 0;
    if (++quiet > 50 && harmonics == 0) break;  // nothing stands out any more
  }

  mean.q = mean.qd = out.qdd = Matrix(M, n);
  const double w = turn / out.motion_period;
  for (int c = 0; c < n; ++c) {
    double constant = 0;
    for (int m = 0; m < M; ++m) constant += q(m, c) / M;
    for (int m = 0; m < M; ++m) {
      mean.q(m, c) = constant;
      for (int l = 1; l <= out.harmonics; ++l) {
        const int at = static_cast<int>(static_cast<long long>(l) * m % M);
        const double wave = a(l, c) * cosine[at] + b(l, c) * sine[at];
        mean.q(m, c) += wave;
        mean.qd(m, c) += w * l * (b(l, c) * cosine[at] - a(l, c) * sine[at]);
        out.qdd(m, c) -= w * l * w * l * wave;
      }
    }
  }
  out.words = "mean of " + std::to_string(P) + " periods of " + short_number(out.motion_period) +
              " s" + (motion_period > 0 ? "" : " (found)") + ", series of " +
              std::to_string(out.harmonics) + " harmonics" +
              (harmonics > 0 ? "" : " (those above the noise)");
  return out;
}

}  // namespace torsor
