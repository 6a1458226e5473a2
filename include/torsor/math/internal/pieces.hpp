#pragma once
/// Pieces of work whose results are numbers, wherever they are worked out.
///
///   results = in_pieces(hands, n, {.threads = 0}, [&](int piece, int worker) { return numbers; });
///
/// Without hands the threads of this process do the work. Hands may reach further: then several processes make
/// the same call, each works out some of the pieces, and all of them get all results. A result depends
/// on its piece alone, so that everything that follows is the same everywhere, too.
#include <atomic>
#include <functional>

#include "torsor/math/array.hpp"

namespace torsor::internal {

struct PieceOptions {
  int threads = 0;  ///< of this process; 0: all cores
  /// Set, by this process or another: no further piece begins; those under way may look at it, too.
  std::atomic<bool>* stop = nullptr;
  /// Now and then, by the thread that called, how many pieces are done; false stops.
  std::function<bool(int done)> go_on{};
};
/// `worker` is below worker_count(n, threads), and never the same in two threads at a time.
using PieceWork = std::function<Array<double>(int piece, int worker)>;
/// Results by piece; empty where a piece did not begin.
using Hands = std::function<Array<Array<double>>(int n, const PieceOptions&, const PieceWork&)>;

Array<Array<double>> in_pieces(const Hands& hands, int n, const PieceOptions& options,
                               const PieceWork& work);

}  // namespace torsor::internal
