#include "torsor/identification/signal/low_pass.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "torsor/math/error.hpp"

namespace torsor {
namespace {

/// Columns that go through the filter together.
constexpr int lane_block = 8;

/// `W` columns side by side; the state of one section stays in registers.
template <int W>
void run_section(const LowPass::Section& f, double scale, double* s1_of, double* s2_of,
                 double* first, int rows, long row_stride) {
  double s1[W], s2[W];
  for (int w = 0; w < W; ++w) s1[w] = s1_of[w], s2[w] = s2_of[w];
  double* x = first;
  for (int r = 0; r < rows; ++r, x += row_stride) {
    double u[W], y[W];
    for (int w = 0; w < W; ++w) u[w] = scale * x[w];
    for (int w = 0; w < W; ++w) y[w] = u[w] + s1[w];
    for (int w = 0; w < W; ++w) s1[w] = f.b1 * u[w] - f.a1 * y[w] + s2[w];
    for (int w = 0; w < W; ++w) s2[w] = f.b2 * u[w] - f.a2 * y[w];
    for (int w = 0; w < W; ++w) x[w] = y[w];
  }
  for (int w = 0; w < W; ++w) s1_of[w] = s1[w], s2_of[w] = s2[w];
}

double section_gain(const LowPass::Section& f) { return (1 + f.a1 + f.a2) / (1 + f.b1 + f.b2); }

}  // namespace

LowPass butterworth(int order, double cutoff, double period) {
  if (order < 1 || order > 12)
    throw Error("butterworth: order " + std::to_string(order) + " is not in 1 ... 12");
  if (!(period > 0) || !(cutoff > 0) || !(cutoff * period < 0.5))
    throw Error("butterworth: cut-off " + std::to_string(cutoff) +
                " Hz is not between 0 and half the sampling rate, " + std::to_string(0.5 / period) +
                " Hz");
  LowPass filter;
  filter.order = order;
  filter.cutoff = cutoff;
  filter.period = period;
  const double K = std::tan(std::numbers::pi * cutoff * period);
  for (int k = 0; k < order / 2; ++k) {
    const double damping = 2 * std::sin((2 * k + 1) * std::numbers::pi / (2 * order)) * K;
    const double below = 1 + damping + K * K;
    filter.sections.push_back({2, 1, 2 * (K * K - 1) / below, (1 - damping + K * K) / below});
  }
  if (order % 2 == 1) filter.sections.push_back({1, 0, (K - 1) / (K + 1), 0});
  // From the rounded coefficients: constants pass to the last digit however low the cut-off.
  for (const LowPass::Section& f : filter.sections) filter.scale *= section_gain(f);
  return filter;
}

double LowPass::gain(double frequency) const {
  const double ratio = std::tan(std::numbers::pi * frequency * period) /
                       std::tan(std::numbers::pi * cutoff * period);
  return 1 / (1 + std::pow(ratio * ratio, order));
}

int settling(const LowPass& filter, double tolerance) {
  double radius = 0;
  for (const LowPass::Section& f : filter.sections)
    radius = std::max(radius, f.a2 > 0 ? std::sqrt(f.a2) : std::abs(f.a1));
  if (radius == 0) return filter.order + 1;
  const double length = std::log(tolerance * 1e-4) / std::log(radius) + 2 * filter.order;
  Array<double> h(static_cast<int>(std::min(length, 1e7)) + 1, 0.0);
  h[0] = 1;
  const double zero = 0;
  internal::LowPassState state = internal::steady(filter, {&zero, 1});
  internal::run(filter, state, h.data(), h.size(), 1);
  double tail = 0;
  int L = h.size();
  while (L > 1 && (tail += std::abs(h[L - 1])) <= tolerance) --L;
  return L;
}

namespace internal {

LowPassState steady(const LowPass& filter, In<double> value) {
  LowPassState state;
  state.lanes = value.size;
  state.s.resize(2 * filter.sections.size() * value.size);
  double* s = state.s.data();
  double level = filter.scale;  // of what enters a section, for a constant 1
  for (const LowPass::Section& f : filter.sections) {
    const double u = level, y = u / section_gain(f);
    for (int c = 0; c < value.size; ++c) {
      s[c] = (y - u) * value[c];
      s[value.size + c] = (f.b2 * u - f.a2 * y) * value[c];
    }
    s += 2 * value.size;
    level = y;
  }
  return state;
}

// Section by section over a few rows, which stay in the cache.
void run(const LowPass& filter, LowPassState& state, double* first, int rows, long row_stride) {
  constexpr int rows_at_once = 256;
  const int lanes = state.lanes;
  for (int begin = 0; begin < rows; begin += rows_at_once) {
    const int count = std::min(rows_at_once, rows - begin);
    double* x = first + begin * row_stride;
    for (int c = 0; c < lanes;) {
      const int width = lanes - c >= lane_block ? lane_block : 1;
      double scale = filter.scale, *s = state.s.data() + c;
      for (const LowPass::Section& f : filter.sections) {
        const auto one = width == 1 ? run_section<1> : run_section<lane_block>;
        one(f, scale, s, s + lanes, x + c, count, row_stride);
        scale = 1;
        s += 2 * lanes;
      }
      c += width;
    }
  }
}

int padding(const LowPass& filter, int rows) {
  constexpr int most_reflections = 20;
  return static_cast<int>(
      std::min<long>(settling(filter), static_cast<long>(rows - 1) * most_reflections));
}

namespace {

/// Forwards and backwards over rows of `lanes` numbers side by side.
void zero_phase_block(const LowPass& filter, double* x, int rows, long row_stride, int lanes,
                      int pad, Array<double>& ends) {
  const auto row = [&](int r) { return x + r * row_stride; };
  // Odd reflection at both ends, again and again: a pattern of 2 (rows - 1) samples and a rise.
  const int last_row = rows - 1;
  const auto beyond = [&](int k, int c) {  // x at k >= 0
    const int turns = k / (2 * last_row), j = k % (2 * last_row);
    const double first = row(0)[c], last = row(last_row)[c];
    const double base = j <= last_row ? row(j)[c] : 2 * last - row(2 * last_row - j)[c];
    return base + 2 * turns * (last - first);
  };
  ends.resize(2 * pad * lanes);
  double *before = ends.data(), *after = before + pad * lanes;
  for (int k = 0; k < pad; ++k)
    for (int c = 0; c < lanes; ++c) {
      before[k * lanes + c] = 2 * row(0)[c] - beyond(pad - k, c);
      after[k * lanes + c] = beyond(rows + k, c);
    }
  LowPassState state = steady(filter, {pad > 0 ? before : x, lanes});
  run(filter, state, before, pad, lanes);
  run(filter, state, x, rows, row_stride);
  run(filter, state, after, pad, lanes);
  double* last = pad > 0 ? after + (pad - 1) * lanes : row(rows - 1);
  state = steady(filter, {last, lanes});
  run(filter, state, last, pad, -lanes);
  run(filter, state, row(rows - 1), rows, -row_stride);
}

}  // namespace

}  // namespace internal

void zero_phase(const LowPass& filter, OutMatrix<double> samples) {
  if (samples.rows == 0) return;
  const int pad = internal::padding(filter, samples.rows);
  const int side_by_side = samples.col_stride == 1 ? lane_block : 1;
  Array<double> ends;
  for (int c = 0; c < samples.cols; c += side_by_side)
    internal::zero_phase_block(filter, samples.data + static_cast<long>(c) * samples.col_stride,
                               samples.rows, samples.row_stride,
                               std::min(side_by_side, samples.cols - c), pad, ends);
}

int decimation(const LowPass& filter) {
  return std::max(1, static_cast<int>(std::floor(1 / (4 * filter.cutoff * filter.period) + 1e-9)));
}

}  // namespace torsor
