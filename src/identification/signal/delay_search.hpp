#pragma once
/// The lag of torques at which a fit leaves least: what delays by any model share.
#include <functional>

#include "torsor/identification/signal/delay.hpp"

namespace torsor::internal {

/// Sum over the joints of the relative squared residuals for every lag, in samples.
using LagMisfit = std::function<Array<double>(const Array<double>& lags)>;

/// Three passes of 41 lags, each around the least of the one before, then its parabola. `by`: what was fitted.
DelayEstimate search_delay(const LagMisfit& misfit, double period, double most, int joints,
                           const std::string& by);

/// Torques of a log through the filter of its rows.
Matrix filtered_torques(const MotionLog& log, const Signals& signals);

/// Of the factor R of [columns | torques at each lag]: adds what the columns leave of each.
void add_residuals(const Matrix& R, int columns, double weight, Array<double>& sums);

/// How much a torque changes.
struct Spread {
  long rows = 0;
  double sum = 0, squares = 0;

  void add(double x) { ++rows, sum += x, squares += x * x; }
  double variance() const { return squares - sum * sum / static_cast<double>(rows); }
  bool changes() const { return rows > 0 && variance() > 1e-12 * squares; }
};

}  // namespace torsor::internal
