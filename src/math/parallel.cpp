#include "torsor/math/internal/parallel.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace torsor::internal {

int core_count() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

int worker_count(int n, int threads) {
  return std::max(1, std::min(n, threads > 0 ? threads : core_count()));
}

int parallel_for(int n, int threads, const std::function<void(int, int)>& function,
                 const std::atomic<bool>* stop) {
  std::atomic<int> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](int worker) {
    while (!failed && !(stop && *stop)) {
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
  const int wanted = worker_count(n, threads);
  try {
    others.reserve(static_cast<std::size_t>(wanted) - 1);
    for (int k = 1; k < wanted; ++k) others.emplace_back(work, k);
  } catch (
      const std::system_error&) {  // a limit of processes or of memory: those we have do it all
  } catch (const std::bad_alloc&) {
  }
  work(0);
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
  return static_cast<int>(others.size()) + 1;
}

}  // namespace torsor::internal
