#pragma once
/// Butterworth low-pass without phase: forwards, then backwards, over many columns at once.
///
///   |H(f)|^2 = 1 / (1 + (tan(pi f T) / tan(pi f_c T))^(2 order))      one pass, T the period
///   zero_phase: gain |H|^2, phase 0; 1/2 (-6 dB) at the cut-off f_c
///
/// Second-order sections by the bilinear transform, K = tan(pi f_c T), s_k = 2 sin((2 k + 1) pi / (2 order)):
///   y = u + s1,  s1 <- b1 u - a1 y + s2,  s2 <- b2 u - a2 y
///   a1 = 2 (K^2 - 1) / (1 + s_k K + K^2),  a2 = (1 - s_k K + K^2) / (1 + s_k K + K^2)
/// Ends are continued by odd reflection, x_-k = 2 x_0 - x_k, over `settling` samples, from the steady state.
///
/// Torque and regressor filtered alike stay a linear model: W x = tau gives F(W) x = F(tau).
///
/// Cost     10 operations a number, section and pass, columns in wide registers.
/// Source   Gautier 1997 (parallel filtering); Gustafsson 1996 (ends).
#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

struct LowPass {
  struct Section {
    double b1 = 0, b2 = 0, a1 = 0, a2 = 0;
  };

  int order = 4;
  double cutoff = 0;  ///< Hz
  double period = 0;  ///< s, between samples
  double scale = 1;   ///< of what comes in, so that constants pass unchanged
  Array<Section> sections{};

  /// |H(f)|^2: what zero_phase leaves of an amplitude at `frequency`, Hz.
  double gain(double frequency) const;
};

/// Throws Error for an order outside 1 ... 12, a cut-off that is not below half the sampling rate.
LowPass butterworth(int order, double cutoff, double period);

/// Samples after which the filter has forgotten: sum_{k >= L} |h_k| <= tolerance.
int settling(const LowPass& filter, double tolerance = 1e-9);

/// Rows are samples of one stretch, columns are filtered in place. Columns that lie side by side in
/// memory are fastest. Allocates a few rows of settling() samples.
void zero_phase(const LowPass& filter, OutMatrix<double> samples);

/// The factor that leaves a rate of at least four cut-offs: what folds back is below 2e-4 at order 4.
int decimation(const LowPass& filter);

namespace internal {

/// What the sections remember, for `lanes` columns side by side.
struct LowPassState {
  Array<double> s{};  ///< of each section s1 of all lanes, then s2
  int lanes = 0;
};

LowPassState steady(const LowPass& filter, In<double> value);
/// Samples by which a stretch is continued at each end.
int padding(const LowPass& filter, int rows);
/// One pass over rows, in place; `row_stride` < 0 runs backwards from `first`.
void run(const LowPass& filter, LowPassState& state, double* first, int rows, long row_stride);

}  // namespace internal

}  // namespace torsor
