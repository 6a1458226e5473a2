#pragma once
/// zero_phase and decimation of rows that come one after another, in constant memory.
///
///   forwards     as rows come
///   backwards    over pieces of them, each from L rows beyond its end, from the steady state there
///
/// A row is ready when L = settling(filter, tolerance) rows have followed it. What the row lacks of
/// zero_phase on the whole stretch is at most 2 tolerance max |forward-filtered rows|, column by column.
/// A stretch shorter than L is filtered as a whole.
///
/// Cost     three passes a number instead of two; memory 2 (piece + L) + L rows, piece = max(1024, 2 L).
#include <functional>

#include "torsor/identification/signal/low_pass.hpp"

namespace torsor {

class ZeroPhaseStream {
 public:
  /// Takes rows of the samples first, first + decimation, ... of the stretch; the rows are overwritten
  /// after the call.
  using Sink = std::function<void(long long first, InMatrix<double> rows)>;

  ZeroPhaseStream(LowPass filter, int columns, int decimation = 1, double tolerance = 1e-9);

  int columns() const { return columns_; }
  int look_ahead() const { return L_; }  ///< L, rows

  /// Rows of the stretch that follow those before.
  void add(InMatrix<double> rows, const Sink& sink);
  /// The stretch ends; rows that are added then begin another.
  void finish(const Sink& sink);

 private:
  void start();                            // runs the filter in and over what waits
  void go_forwards(int first);             // rows of ahead_ from there on
  void emit(int count, const Sink& sink);  // rows at the front of ahead_
  double* ahead(int row) { return ahead_.data() + row * columns_; }

  LowPass filter_;
  int columns_, decimation_, L_, piece_;
  bool started_ = false;
  long long emitted_ = 0;  // rows of the stretch
  int waiting_ = 0;        // rows of ahead_
  Array<double> ahead_{};  // forward-filtered, once started
  Array<double> last_{};   // the last L + 1 rows as they came, the latest at `latest_`
  int latest_ = -1;
  Array<double> work_{};
  internal::LowPassState state_{};
};

}  // namespace torsor
