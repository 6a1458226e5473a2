#include "torsor/identification/signal/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "signal/parts.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

using internal::short_number;

namespace {

using Complex = std::complex<double>;

/// In place, a power of two of numbers: radix 2, decimation in time.
void fourier_transform(Array<Complex>& x) {
  const int n = x.size();
  for (int i = 1, j = 0; i < n; ++i) {
    int bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (int length = 2; length <= n; length *= 2) {
    const Complex root = std::polar(1.0, -2 * std::numbers::pi / length);
    for (int begin = 0; begin < n; begin += length) {
      Complex w = 1;
      for (int k = 0; k < length / 2; ++k, w *= root) {
        const Complex even = x[begin + k], odd = w * x[begin + k + length / 2];
        x[begin + k] = even + odd;
        x[begin + k + length / 2] = even - odd;
      }
    }
  }
}

}  // namespace

Spectrum power_spectrum(const MotionLog& log, const Matrix& columns, int longest) {
  int most = 0;
  for (int s = 0; s < log.n_stretches(); ++s)
    most = std::max(most, log.stretch_end(s) - log.stretch_begin(s));
  int n = 8;
  while (2 * n <= std::min(longest, most)) n *= 2;
  Spectrum out;
  out.step = 1 / (n * log.period);
  out.power = Matrix(n / 2 + 1, columns.cols());
  Array<Complex> x(n);
  long segments = 0;
  for (int s = 0; s < log.n_stretches(); ++s)
    for (int begin = log.stretch_begin(s); begin + n <= log.stretch_end(s); begin += n / 2) {
      ++segments;
      for (int c = 0; c < columns.cols(); ++c) {
        // Less the line of least squares.
        double mean = 0, slope = 0, squares = 0;
        for (int k = 0; k < n; ++k) {
          const double at = k - 0.5 * (n - 1);
          mean += columns(begin + k, c) / n;
          slope += at * columns(begin + k, c), squares += at * at;
        }
        slope /= squares;
        for (int k = 0; k < n; ++k) {
          const double hann = 1 - std::cos(2 * std::numbers::pi * (k + 0.5) / n);
          x[k] = hann * (columns(begin + k, c) - mean - slope * (k - 0.5 * (n - 1)));
        }
        fourier_transform(x);
        for (int f = 0; f <= n / 2; ++f) out.power(f, c) += std::norm(x[f]);
      }
    }
  if (segments == 0) throw Error(log.name + ": no stretch of 8 samples for a spectrum");
  for (int f = 0; f < out.power.rows(); ++f)
    for (int c = 0; c < columns.cols(); ++c) out.power(f, c) /= static_cast<double>(segments);
  return out;
}

namespace {

/// The mean power of a frequency in the upper half: the median of bands, since single frequencies scatter.
double noise_floor(const Spectrum& s, int column) {
  constexpr int band = 16;
  const int n = s.power.rows();
  Array<double> bands;
  for (int f = n / 2; f < n;) {
    double sum = 0;
    int count = 0;
    for (; count < band && f < n; ++count, ++f) sum += s.power(f, column);
    bands.push_back(sum / count);
  }
  std::nth_element(bands.begin(), bands.begin() + bands.size() / 2, bands.end());
  return bands[bands.size() / 2];
}

/// The step of a sensor that counts: the least difference of neighbours that is none. Of other numbers it is
/// tiny, and does no harm.
double counting_step(const Matrix& columns, int c) {
  double least = 0;
  for (int k = 1; k < columns.rows(); ++k)
    if (const double step = std::abs(columns(k, c) - columns(k - 1, c)); step > 0)
      least = least > 0 ? std::min(least, step) : step;
  return least;
}

/// Stretches with a short gap between them as one, cubic there: a spectrum needs long stretches more than it is
/// hurt by some samples.
MotionLog bridged(const MotionLog& log, const Matrix& columns) {
  constexpr double longest = 25;  // samples
  MotionLog out;
  out.name = log.name, out.period = log.period;
  Array<double> values;
  const auto add = [&](const auto& of_column) {
    out.t.push_back(out.t.size() * log.period);
    for (int c = 0; c < columns.cols(); ++c) values.push_back(of_column(c));
  };
  for (int k = 0, s = 0; k < log.size(); ++k) {
    if (s + 1 < log.n_stretches() && k == log.stretch_begin(s + 1)) {
      const double gap = (log.t[k] - log.t[k - 1]) / log.period;
      if (gap > 1.5 && gap < longest && k >= 2 && k + 1 < log.size()) {
        for (int j = 1; j < std::lround(gap); ++j) {
          const double u = j / gap, v = 1 - u;
          add([&](int c) {
            const auto x = [&](int row) { return columns(row, c); };
            return v * v * (3 - 2 * v) * x(k - 1) + u * u * (3 - 2 * u) * x(k) +
                   gap * u * v * (v * (x(k - 1) - x(k - 2)) - u * (x(k + 1) - x(k)));
          });
        }
      } else {
        out.stretches.push_back(out.t.size());
      }
      ++s;
    }
    add([&](int c) { return columns(k, c); });
  }
  out.q = Matrix(out.t.size(), columns.cols());
  for (int k = 0; k < out.q.rows(); ++k)
    for (int c = 0; c < out.q.cols(); ++c) out.q(k, c) = values[k * out.q.cols() + c];
  return out;
}

}  // namespace

CutoffProposal propose_cutoff(const MotionLog& log, double share, double factor) {
  const bool logged = log.qd.rows() > 0;
  const MotionLog whole_log = bridged(log, logged ? log.qd : log.q);
  const Matrix& columns = whole_log.q;
  const Spectrum s = power_spectrum(whole_log, columns);
  const int n = s.power.rows();
  CutoffProposal proposal;
  for (int c = 0; c < s.power.cols(); ++c) {
    const double floor = noise_floor(s, c), step = counting_step(columns, c);
    // Of white noise with variance v every frequency has 3/2 (2 n - 2) v under this window, on both sides of 0.
    const double counted = 1.5 * (2 * n - 2) * step * step / 12;
    const double noise = std::max(floor, counted) * n;
    // Motion ends where no more than noise is above: a weight of f^2 would make motion of it.
    int end = n - 1;
    for (double above = 0; end > 1; --end)
      if ((above += s.power(end, c)) > 2 * noise) break;
    const auto motion = [&](int f) {
      const double w = logged ? 1 : 2 * std::numbers::pi * f * s.step;
      return f > end ? 0 : w * w * std::max(0.0, s.power(f, c) - 4 * floor);
    };
    double whole = 0, sum = 0;
    for (int f = 1; f < n; ++f) whole += motion(f);
    int f = 0;
    while (f + 1 < n && sum < share * whole) sum += motion(++f);
    proposal.motion = std::max(proposal.motion, f * s.step);
  }
  const double highest = 0.2 / log.period;
  proposal.cutoff = std::clamp(factor * proposal.motion, std::min(2 * s.step, highest), highest);
  proposal.words =
      short_number(100 * share) + " % of the energy of the velocities is below " +
      short_number(proposal.motion) + " Hz; cut-off " + short_number(factor) + " times that" +
      (proposal.cutoff < factor * proposal.motion ? ", bounded by a fifth of the rate" : "");
  return proposal;
}

}  // namespace torsor
