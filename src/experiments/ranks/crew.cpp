#include "ranks/crew.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <system_error>
#include <utility>

#include "torsor/math/error.hpp"

namespace torsor::internal {

using Clock = std::chrono::steady_clock;

Crew::Crew(int threads, const Work& work) : work_(work) {
  try {
    for (int k = 0; k < threads; ++k) threads_.emplace_back([this, k] { run(k); });
  } catch (const std::system_error&) {  // a limit of processes
  } catch (const std::bad_alloc&) {     // or of memory
  }
  if (threads_.empty()) throw Error("the system grants no thread");
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    queue_.clear();
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::run(int worker) {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [&] { return closed_ || !queue_.empty(); });
    if (closed_) return;
    const std::int64_t task = queue_.front();
    queue_.pop_front();
    ++running_;
    lock.unlock();
    const Clock::time_point begin = Clock::now();
    FinishedTask done{task, {}};
    std::exception_ptr failure;
    try {
      done.result = work_(task, worker);
    } catch (...) {
      failure = std::current_exception();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    lock.lock();
    --running_;
    seconds_ += seconds, ++counted_;
    if (failure && !failure_) failure_ = failure;
    if (!failure) finished_.push_back(std::move(done));
    if (waited_for()) ended_.notify_one();
  }
}

bool Crew::waited_for() const { return failure_ || (queue_.empty() && !finished_.empty()); }

void Crew::give(const std::vector<std::int64_t>& tasks) {
  given_ += static_cast<std::int64_t>(tasks.size());
  {
    const std::lock_guard lock(mutex_);
    queue_.insert(queue_.end(), tasks.begin(), tasks.end());
  }
  more_.notify_all();
}

void Crew::drop() {
  const std::lock_guard lock(mutex_);
  given_ -= static_cast<std::int64_t>(queue_.size());
  queue_.clear();
}

std::int64_t Crew::wanted() const {
  constexpr double ahead = 0.04, most = 1024;  // s, tasks of one thread
  const std::lock_guard lock(mutex_);
  const double mean = counted_ > 0 ? seconds_ / static_cast<double>(counted_) : ahead;
  const double more = std::clamp(std::ceil(ahead / std::max(mean, 1e-9)), 1.0, most);
  return static_cast<std::int64_t>(threads_.size()) * (1 + static_cast<std::int64_t>(more));
}

int Crew::idle() const {
  const std::lock_guard lock(mutex_);
  return std::max(0, size() - running_ - static_cast<int>(queue_.size()));
}

std::vector<FinishedTask> Crew::collect(std::chrono::microseconds patience) {
  std::unique_lock lock(mutex_);
  if (patience.count() > 0) ended_.wait_for(lock, patience, [&] { return waited_for(); });
  if (failure_) {
    queue_.clear();
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  collected_ += static_cast<std::int64_t>(finished_.size());
  return std::exchange(finished_, {});
}

}  // namespace torsor::internal
