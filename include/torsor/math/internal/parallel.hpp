#pragma once
/// The one door to threads.
///
///   parallel_for(n, {.threads = 0}, [&](int index, int worker) { ... });
///
/// Calls the function once for each index 0 ... n - 1, in any order, from several threads; `worker` is
/// below worker_count(n, threads) and never the same in two threads at a time: workspaces are indexed
/// by it. Results that depend on the index alone are the same whatever the number of threads.
///
/// Behind it are threads of the standard library: where the system grants fewer than asked for the
/// work goes on with those there are. oneTBB 2021 ends the process there (pthread_create has failed).
#include <atomic>
#include <functional>

namespace torsor::internal {

struct ParallelOptions {
  int threads = 0;                          ///< 0: as many as there are cores
  const std::atomic<bool>* stop = nullptr;  ///< set: no further call begins
  /// Where the system grants fewer threads than asked for: how many the work goes on with.
  std::function<void(int)> on_fewer_threads{};
};

/// Of this machine, at least 1.
int core_count();
/// Threads that parallel_for asks for: not more than n, at least 1.
int worker_count(int n, int threads);

/// What the function throws first ends the rest and is thrown here, after the calls that have begun.
void parallel_for(int n, const ParallelOptions& options,
                  const std::function<void(int index, int worker)>& function);

}  // namespace torsor::internal
