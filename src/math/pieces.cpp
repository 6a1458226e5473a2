#include "torsor/math/internal/pieces.hpp"

#include "torsor/math/internal/parallel.hpp"

namespace torsor::internal {

Array<Array<double>> in_pieces(const Hands& hands, int n, const PieceOptions& options,
                               const PieceWork& work) {
  if (hands) return hands(n, options, work);
  Array<Array<double>> results(n);
  std::atomic<int> done{0};
  std::atomic<bool> own_stop{false};
  std::atomic<bool>& stop = options.stop ? *options.stop : own_stop;
  parallel_for(n, {.threads = options.threads, .stop = &stop}, [&](int piece, int worker) {
    results[piece] = work(piece, worker);
    const int count = ++done;
    if (worker == 0 && options.go_on && !options.go_on(count)) stop = true;
  });
  return results;
}

}  // namespace torsor::internal
