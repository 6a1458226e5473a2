#include "torsor/math/internal/parallel.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace torsor::internal {

int core_count() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

int worker_count(int n, int threads) {
  return std::max(1, std::min(n, threads > 0 ? threads : core_count()));
}

void parallel_for(int n, const ParallelOptions& options,
                  const std::function<void(int, int)>& function) {
  std::atomic<int> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](int worker) {
    while (!failed && !(options.stop && *options.stop)) {
      const int index = next++;
      if (index >= n) return;
      try {
        function(index, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        failed = true;
      }
    }
  };
  std::vector<std::thread> others;
  const int wanted = worker_count(n, options.threads);
  try {
    for (int k = 1; k < wanted; ++k) others.emplace_back(work, k);
  } catch (const std::system_error&) {  // a limit of processes
  } catch (const std::bad_alloc&) {     // or of memory
  }
  const int granted = static_cast<int>(others.size()) + 1;
  if (granted < wanted && options.on_fewer_threads) {
    try {
      options.on_fewer_threads(granted);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      failed = true;
    }
  }
  work(0);
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace torsor::internal
