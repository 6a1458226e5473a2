#include "excitation/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace torsor::internal {

int worker_count(int threads) {
  return threads > 0 ? threads
                     : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void run_parallel(int n, int threads, const std::function<void(int index, int worker)>& f) {
  std::atomic<int> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&](int worker) {
    for (int k = next++; k < n && !failed; k = next++) try {
        f(k, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        failed = true;
      }
  };
  std::vector<std::thread> others;
  try {
    for (int worker = 1; worker < std::min(worker_count(threads), n); ++worker)
      others.emplace_back(work, worker);
  } catch (const std::system_error&) {  // a limit of processes: those there are do all
  }
  work(0);
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace torsor::internal
