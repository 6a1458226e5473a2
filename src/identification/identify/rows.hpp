#pragma once
/// Rows of least squares from a log, chunk by chunk: regressor and torque, filtered alike. Private to identify.
///
///   F(W_j) x = F(tau_j - known_j)        known: the model's torque less what the unknowns stand for
///
/// Friction of the load, s c |t| with the transmitted torque t = W_t x + known_t, is no linear function of
/// the unknowns. It is linearised at t0 and c0 of an estimate x0, exactly but for (c - c0) (t - t0):
///
///   t + s c |t|  =  (1 + c0 s sgn(t0)) t + s |t0| (c - c0)
///
/// A chunk is read with a margin on both sides in which the filter settles, so that chunks are independent of
/// each other and memory stays constant.
#include <optional>

#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/identification/column_regressor.hpp"
#include "torsor/identification/compressed_log.hpp"
#include "torsor/identification/constrained_regressor.hpp"
#include "torsor/identification/motion_log.hpp"
#include "torsor/identification/power_regressor.hpp"
#include "torsor/identification/signal/low_pass.hpp"
#include "torsor/identification/signal/prepare.hpp"

namespace torsor::internal {

/// What is asked of all logs.
struct RowProblem {
  Model<double> model;
  ParameterColumns columns{};
  Array<double> x0{};          ///< the model's own numbers
  Array<std::string> names{};  ///< columns, then drive gains
  Motors motors{};
  std::optional<Model<double>> sharp{};  ///< with exact signs, where widths were assumed
  bool known_part = false;               ///< the model has torques that are not unknown
  int known_mass = -1;                   ///< column of a payload's mass that is known, or -1
  double mass = 0;                       ///< kg, of it
  bool file_scale = false;               ///< gains and bodies are unknown: the file has their scale
  std::vector<std::string> loads{};      ///< names of the payloads' links
  Array<char> of_robot{};                ///< by column: of a body that is no payload
  Array<Array<char>> in_log{};           ///< by log: whether a column is there; empty: all are
  int n_fitted = 0;                      ///< the first logs; others validate
  Array<int> torques{};  ///< velocities whose torques make rows: all, or the motors of loops
  bool loops = false;
  Array<char> passive{};            ///< by velocity: with loops, those that nothing drives
  Array<Array<double>> postures{};  ///< with loops: some of the logs, which tell the assembly mode
  bool loaded = false;              ///< some joint has friction of the load, known or not
  Array<char> transmits{};          ///< by column: whether its torque is transmitted by joints
  Array<int> load_column{};         ///< by velocity, -1 where friction of the load is known
  Array<double>
      at{};  ///< x0, where friction of the load is linearised; empty: at the logged torques
  Array<char> actuated{};  ///< with loops, per velocity: whether a log has its torque

  int n_columns() const { return columns.size(); }
  int n_unknowns() const { return names.size(); }
  int n_v() const { return model.n_v(); }
  bool has_known() const { return known_part || known_mass >= 0; }
  int n_rows() const { return torques.size(); }  ///< of a sample
};

struct RowOptions {
  bool filtered = false;
  LowPass filter{};
  int every = 1;   ///< raw samples between rows
  int border = 0;  ///< raw samples left out at both ends of a stretch
  double least_speed = 0;
  double block = 1;  ///< s
};

/// Samples first ... end - 1 of a log, within one stretch and one block of time.
struct TimeBlock {
  int first = 0, end = 0;
};
/// Neighbouring blocks that are filtered together.
struct TimeChunk {
  int first_block = 0, end_block = 0;
  int stretch = 0;
};

/// Rows of a chunk: sample-major, torque by torque; n_unknowns + 1 numbers each.
struct ChunkRows {
  Array<int> sample{};    ///< of the log
  Array<int> block{};     ///< of the log
  Matrix rows{};          ///< (samples n_rows) x (unknowns + 1)
  Array<double> known{};  ///< of each row: the torque that is not unknown

  In<double> row(int r) const { return {rows.data() + r * rows.cols(), rows.cols()}; }
  /// tau - W x of a row.
  double residual(int row, In<double> x) const {
    const double* const a = rows.data() + row * rows.cols();
    double sum = a[x.size];
    for (int k = 0; k < x.size; ++k) sum -= a[k] * x[k];
    return sum;
  }
};

class LogRows {
 public:
  LogRows() = default;
  LogRows(const RowProblem& problem, const MotionLog& log, const Signals& signals,
          const RowOptions& options, int index);

  int n_blocks() const { return blocks_.size(); }
  int n_chunks() const { return chunks_.size(); }
  const TimeBlock& block(int b) const { return blocks_[b]; }
  const TimeChunk& chunk(int c) const { return chunks_[c]; }
  int n_rows(int c) const {
    return (blocks_[chunks_[c].end_block - 1].end - blocks_[chunks_[c].first_block].first) /
           options_.every;
  }
  /// The same rows of another motion along the same samples; `signals` outlives them.
  LogRows along(const Signals& signals) const {
    LogRows rows = *this;
    rows.signals_ = &signals;
    return rows;
  }
  /// Thread-safe: allocates what it needs.
  ChunkRows rows_of(int chunk) const;
  /// The balance of energy instead, one row a sample: d/dt F(h) x + F(dissipated) x = F(qd^T tau), where
  /// h x is the energy. There is no acceleration in it.
  ChunkRows power_rows_of(int chunk) const;
  /// Whether a joint's torque was measured and it moves fast enough at a sample to be used.
  bool used(int sample, int joint) const;

 private:
  /// Samples of a chunk with the margins in which the filter settles.
  TimeBlock with_margins(const TimeChunk& chunk) const;
  /// The samples and blocks of its rows.
  ChunkRows places(const TimeChunk& chunk) const;
  void fill(int first, int end, OutMatrix<double> X) const;
  /// W and the known torque of a tree whose friction of the load is linearised; W without it on entry.
  void linearise_load(In<double> qd, In<double> tau, In<double> t_model, OutMatrix<double> W,
                      Out<double> known) const;
  bool in_log(int column) const {
    return problem_->in_log.empty() || index_ < 0 || problem_->in_log[index_][column] != 0;
  }
  void fill_power(int first, int end, OutMatrix<double> X) const;

  const RowProblem* problem_ = nullptr;
  const MotionLog* log_ = nullptr;
  const Signals* signals_ = nullptr;
  RowOptions options_{};
  int index_ = -1;
  Array<TimeBlock> blocks_{};
  Array<TimeChunk> chunks_{};
  Array<char> unlogged_{};  // by torque: the log has none
  Array<int> place_{};      // of (joint, unknown or tau) in a row of X, -1 where it is zero
  int width_ = 0;
};

}  // namespace torsor::internal
