#include "torsor/identification/signal/zero_phase_stream.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace torsor {

ZeroPhaseStream::ZeroPhaseStream(LowPass filter, int columns, int decimation, double tolerance)
    : filter_(std::move(filter)),
      columns_(columns),
      decimation_(std::max(1, decimation)),
      L_(settling(filter_, tolerance)),
      piece_(std::max(1024, 2 * L_)),
      ahead_((piece_ + L_ + 1) * columns),
      last_((L_ + 1) * columns),
      work_((piece_ + 2 * L_ + 1) * columns) {}

void ZeroPhaseStream::add(InMatrix<double> rows, const Sink& sink) {
  assert(rows.cols == columns_);
  for (int r = 0; r < rows.rows;) {
    const int most = started_ ? piece_ + L_ : L_ + 1;
    const int count = std::min(rows.rows - r, most - waiting_), first = waiting_;
    for (int k = 0; k < count; ++k, ++r, ++waiting_) {
      double* to = ahead(waiting_);
      for (int c = 0; c < columns_; ++c) to[c] = rows(r, c);
      latest_ = (latest_ + 1) % (L_ + 1);
      std::copy(to, to + columns_, last_.data() + latest_ * columns_);
    }
    if (started_) go_forwards(first);
    if (!started_ && waiting_ == most) start();
    if (started_ && waiting_ == piece_ + L_) emit(piece_, sink);
  }
}

void ZeroPhaseStream::start() {
  // Odd reflection of rows 1 ... L at row 0.
  for (int k = 0; k < L_; ++k)
    for (int c = 0; c < columns_; ++c) work_[k * columns_ + c] = 2 * ahead(0)[c] - ahead(L_ - k)[c];
  state_ = internal::steady(filter_, {work_.data(), columns_});
  internal::run(filter_, state_, work_.data(), L_, columns_);
  started_ = true;
  go_forwards(0);
}

void ZeroPhaseStream::go_forwards(int first) {
  internal::run(filter_, state_, ahead(first), waiting_ - first, columns_);
}

// Backwards from the last row that waits; what is handed out leaves.
void ZeroPhaseStream::emit(int count, const Sink& sink) {
  std::copy(ahead(0), ahead(waiting_), work_.data());
  double* end = work_.data() + (waiting_ - 1) * columns_;
  internal::LowPassState back = internal::steady(filter_, {end, columns_});
  internal::run(filter_, back, end, waiting_, -columns_);
  const int skipped = static_cast<int>((decimation_ - emitted_ % decimation_) % decimation_);
  if (skipped < count)
    sink(emitted_ + skipped,
         {work_.data() + skipped * columns_, (count - skipped - 1) / decimation_ + 1, columns_,
          decimation_ * columns_, 1});
  std::copy(ahead(count), ahead(waiting_), ahead(0));
  waiting_ -= count;
  emitted_ += count;
}

void ZeroPhaseStream::finish(const Sink& sink) {
  if (!started_ && waiting_ > 0) {
    zero_phase(filter_, {ahead(0), waiting_, columns_, columns_, 1});
    sink(0, {ahead(0), (waiting_ - 1) / decimation_ + 1, columns_, decimation_ * columns_, 1});
  } else if (started_ && waiting_ > 0) {
    // The end is reflected: L rows more, from those before the last one backwards.
    const int rows = waiting_;
    const auto raw = [&](int back) {
      return last_.data() + (latest_ + L_ + 1 - back) % (L_ + 1) * columns_;
    };
    if (ahead_.size() < (rows + L_) * columns_) ahead_.resize((rows + L_) * columns_);
    for (int k = 0; k < L_; ++k, ++waiting_)
      for (int c = 0; c < columns_; ++c) ahead(waiting_)[c] = 2 * raw(0)[c] - raw(k + 1)[c];
    go_forwards(rows);
    emit(rows, sink);
  }
  started_ = false;
  waiting_ = 0;
  emitted_ = 0;
  latest_ = -1;
}

}  // namespace torsor
