#pragma once
/// The one door to threads.
///
///   parallel_for(n, threads, [&](int index, int worker) { ... });
///
/// Calls the function once for each index 0 ... n - 1, in any order, from several threads; `worker` is
/// below worker_count(n, threads) and never the same in two threads at a time: workspaces are indexed
/// by it. Results that depend on the index alone are the same whatever the number of threads.
#include <atomic>
#include <functional>

namespace torsor::internal {

/// Of this machine, at least 1.
int core_count();
/// Threads that parallel_for would like to have: `threads`, or as many as there are cores where it is 0,
/// but not more than n.
int worker_count(int n, int threads);

/// Returns the number of threads that worked: fewer than wanted where the system gives no more. What
/// the function throws first ends the rest and is thrown here; so does a flag `stop` that is set, without
/// an exception: calls that have begun are finished.
int parallel_for(int n, int threads, const std::function<void(int index, int worker)>& function,
                 const std::atomic<bool>* stop = nullptr);

}  // namespace torsor::internal
