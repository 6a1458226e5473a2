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
    const Complex turn = std::polar(1.0, -2 * std::numbers::pi / length);
    for (int begin = 0; begin < n; begin += length) {
      Complex w = 1;
      for (int k = 0; k < length / 2; ++k, w *= turn) {
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

CutoffProposal propose_cutoff(const MotionLog& log, double share, double factor) {
  const bool logged = log.qd.rows() > 0;
  const Spectrum s = power_spectrum(log, logged ? log.qd : log.q);
  const int n = s.power.rows();
  CutoffProposal proposal;
  for (int c = 0; c < s.power.cols(); ++c) {
    Array<double> upper;
    for (int f = n / 2; f < n; ++f) upper.push_back(s.power(f, c));
    std::nth_element(upper.begin(), upper.begin() + upper.size() / 2, upper.end());
    const double floor = upper[upper.size() / 2];
    const auto motion = [&](int f) {
      const double w = logged ? 1 : 2 * std::numbers::pi * f * s.step;
      return w * w * std::max(0.0, s.power(f, c) - 4 * floor);
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
