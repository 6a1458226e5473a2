#include "torsor/identification/compress.hpp"

#include <algorithm>

#include "torsor/math/internal/parallel.hpp"

namespace torsor {

/// Scratch of one thread: rows of a few samples, velocity by velocity.
struct LogCompressor::Worker {
  static constexpr int samples = RowFactor::block_rows;

  SampleWorkspace regressor;
  Array<Array<double>> rows;  // by columns
  Array<double*> first;

  Worker(const Model<double>& model, const ParameterColumns& columns,
         const Array<Array<int>>& acting)
      : regressor(model, columns), rows(acting.size()), first(acting.size()) {
    for (int v = 0; v < acting.size(); ++v) {
      rows[v].resize(samples * acting[v].size());
      first[v] = rows[v].data();
    }
  }
};

LogCompressor::LogCompressor(const Model<double>& model, const ParameterColumns& columns,
                             const CompressOptions& options)
    : model_(&model), columns_(&columns), options_(options), acting_(model.n_v()) {
  if (columns.n_v() != model.n_v())
    throw Error("columns of a robot with " + std::to_string(columns.n_v()) +
                " velocities, samples of one with " + std::to_string(model.n_v()));
  options_.block = std::max(options_.block, 1);
  options_.max_blocks = std::max(options_.max_blocks / 2 * 2, 2);
  for (int v = 0; v < model.n_v(); ++v)
    for (int c = 0; c < columns.size(); ++c)
      if (columns.acts(v, c)) acting_[v].push_back(c);
  last_ = empty_block();
}

LogCompressor::Block LogCompressor::empty_block() const {
  Block block;
  for (const Array<int>& columns : acting_) block.factors.push_back(RowFactor(columns.size() + 1));
  return block;
}

void LogCompressor::work(Worker& worker, const MotionSamples& samples, Block& block) const {
  constexpr int stride = Worker::samples;
  for (int s = 0; s < samples.size(); s += stride) {
    const MotionSamples some = samples.part(s, std::min(stride, samples.size() - s));
    internal::acting_rows(*model_, worker.regressor, *columns_, some, worker.first.data(), stride);
    for (int v = 0; v < acting_.size(); ++v)
      block.factors[v].add(
          InMatrix<double>(worker.first[v], some.size(), acting_[v].size(), 1, stride),
          InMatrix<double>(some.tau.data + v * some.tau.col_stride, some.size(), 1,
                           some.tau.row_stride, 1));
  }
  block.samples += samples.size();
}

void LogCompressor::add(const MotionSamples& samples) {
  internal::check_samples(*model_, *columns_, samples);
  // Blocks that the samples go on with, begin and fill, some at a time.
  constexpr int at_a_time = 32;
  const int threads = internal::worker_count(at_a_time, options_.threads);
  std::vector<Worker> workers;
  for (int k = 0; k < threads; ++k) workers.emplace_back(*model_, *columns_, acting_);
  for (int first = 0; first < samples.size();) {
    Array<MotionSamples> parts;
    Array<Block> blocks;
    while (first < samples.size() && blocks.size() < at_a_time) {
      blocks.push_back(blocks.empty() ? std::move(last_) : empty_block());
      const int room = options_.block - blocks.back().samples;
      parts.push_back(samples.part(first, std::min(room, samples.size() - first)));
      first += parts.back().size();
    }
    internal::parallel_for(blocks.size(), {.threads = threads}, [&](int k, int w) {
      work(workers[static_cast<std::size_t>(w)], parts[k], blocks[k]);
    });
    last_ = empty_block();
    for (Block& block : blocks) {
      if (block.samples == options_.block)
        close(block);
      else
        last_ = std::move(block);
    }
    if (options_.stop && *options_.stop) return;
  }
}

/// A full block joins those of the log.
void LogCompressor::close(Block& block) {
  const auto join = [](Block& to, const Block& from) {
    for (int v = 0; v < to.factors.size(); ++v) to.factors[v].add(from.factors[v]);
    to.samples += from.samples;
  };
  const auto settle = [](Block& of) {  // frees what waiting rows need
    for (RowFactor& f : of.factors) f = RowFactor(f.R(), f.rows());
  };
  if (blocks_.size() > first_ && holds_ < joined_) {
    join(blocks_.back(), block);
    if (++holds_ == joined_) settle(blocks_.back());
    return;
  }
  if (blocks_.size() - first_ == options_.max_blocks) {
    int to = first_;
    for (int from = first_; from < blocks_.size(); from += 2, ++to) {
      join(blocks_[from], blocks_[from + 1]);
      settle(blocks_[from]);
      if (to != from) blocks_[to] = std::move(blocks_[from]);
    }
    blocks_.resize(to);
    log_of_block_.resize(to);
    joined_ *= 2;
  }
  settle(block);
  blocks_.push_back(std::move(block));
  log_of_block_.push_back(log_);
  holds_ = 1;
}

void LogCompressor::end_log() {
  if (last_.samples > 0) {
    if (2 * last_.samples < options_.block && blocks_.size() > first_) holds_ = joined_ - 1;
    close(last_);
  }
  last_ = empty_block();
  first_ = blocks_.size();
  joined_ = 1, holds_ = 0;
}

void LogCompressor::begin_log() {
  end_log();
  if (!log_of_block_.empty() && log_of_block_.back() == log_) ++log_;
}

CompressedLog LogCompressor::finish() {
  end_log();
  CompressedLog log;
  log.names.assign(columns_->names().begin(), columns_->names().end());
  const int all = columns_->size() + 1;
  for (int v = 0; v < model_->n_v(); ++v) log.joints.push_back(model_->dof_name(v));
  for (int b = 0; b < blocks_.size(); ++b) {
    log.log_of_block.push_back(log_of_block_[b]);
    for (int v = 0; v < model_->n_v(); ++v) {
      // Row k of the small factor begins at its k-th column: that is its row in the large one.
      const RowFactor& from = blocks_[b].factors[v];
      const auto place = [&](int k) { return k < acting_[v].size() ? acting_[v][k] : all - 1; };
      const Matrix& small = from.R();
      Matrix R(all, all);
      for (int r = 0; r < small.rows(); ++r)
        for (int c = r; c < small.cols(); ++c) R(place(r), place(c)) = small(r, c);
      log.factors.push_back(RowFactor(std::move(R), from.rows()));
    }
  }
  blocks_ = {}, log_of_block_ = {};
  log_ = 0, first_ = 0;
  return log;
}

CompressedLog compress(const Model<double>& model, const ParameterColumns& columns,
                       const MotionSamples& samples, const CompressOptions& options) {
  LogCompressor compressor(model, columns, options);
  compressor.add(samples);
  return compressor.finish();
}

}  // namespace torsor
