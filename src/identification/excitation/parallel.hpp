#pragma once
/// f(index, worker) for index 0 ... n - 1 on several threads, each index once; worker: 0 ... threads - 1.
#include <functional>

namespace torsor::internal {

/// Threads 0: as many as there are cores.
int worker_count(int threads);
/// What f throws first is thrown here, after the others have ended.
void run_parallel(int n, int threads, const std::function<void(int index, int worker)>& f);

}  // namespace torsor::internal
