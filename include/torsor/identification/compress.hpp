#pragma once
/// Measured motions into their triangular factors, in one pass and constant memory, on all cores.
///
///   [ W_v(t) | tau_v(t) ],  t in a block of time  ->  R of each velocity v and block
///
///   const CompressedLog log = compress(arm, columns, samples);
///
///   LogCompressor stream(arm, columns);                          a log that does not fit the memory
///   while (...) stream.add(chunk);
///   const CompressedLog log = stream.finish();
///
/// Samples become blocks of `block` each; where a log has more than `max_blocks` of them, neighbours are
/// joined in pairs, and so on. Threads work on different blocks of a chunk: give several at a time.
/// Neither the number of threads nor the cutting into chunks changes a digit of the result.
///
/// Cost     2 k^2 operations for each torque of a sample, k: columns that act on its velocity.
/// Source   row_factor.hpp, sample_regressor.hpp.
#include <atomic>

#include "torsor/identification/compressed_log.hpp"
#include "torsor/identification/sample_regressor.hpp"

namespace torsor {

struct CompressOptions {
  int block = 1024;                         ///< samples
  int max_blocks = 256;                     ///< of a log, even
  int threads = 0;                          ///< 0: as many as there are cores
  const std::atomic<bool>* stop = nullptr;  ///< set: the samples that follow are left out
};

class LogCompressor {
 public:
  /// `model` and `columns` outlive it.
  LogCompressor(const Model<double>& model, const ParameterColumns& columns,
                const CompressOptions& options = {});

  /// A further log; its blocks are counted anew. The first begins by itself.
  void begin_log();
  /// The next samples of the log, any number. Throws Error for matrices of other sizes than the robot's
  /// and a number that is not finite, with its sample.
  void add(const MotionSamples& samples);
  /// What has been added; then it begins anew.
  CompressedLog finish();

 private:
  struct Worker;
  /// Of some samples: per velocity the factor of the columns that act on it, and tau.
  struct Block {
    Array<RowFactor> factors{};
    int samples = 0;
  };
  Block empty_block() const;
  void work(Worker& worker, const MotionSamples& samples, Block& block) const;
  void close(Block& block);
  void end_log();

  const Model<double>* model_;
  const ParameterColumns* columns_;
  CompressOptions options_;
  Array<Array<int>> acting_;  // per velocity: columns
  Array<Block> blocks_;       // of all logs
  Array<int> log_of_block_;
  int log_ = 0, first_ = 0;     // the current log and its first block
  int joined_ = 1, holds_ = 0;  // blocks of `block` samples in one of blocks_, and in the last
  Block last_;                  // the one that is not full
};

/// All samples of one log.
CompressedLog compress(const Model<double>& model, const ParameterColumns& columns,
                       const MotionSamples& samples, const CompressOptions& options = {});

}  // namespace torsor
