#pragma once
/// The threads of one rank, which work off a queue of tasks. Private to this room.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace torsor::internal {

struct FinishedTask {
  std::int64_t task = 0;
  std::string result;
};

class Crew {
 public:
  using Work = std::function<std::string(std::int64_t task, int worker)>;

  /// Fewer threads where the system grants fewer; throws Error where it grants none.
  Crew(int threads, const Work& work);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return static_cast<int>(threads_.size()); }
  void give(const std::vector<std::int64_t>& tasks);
  /// Forgets what has not begun.
  void drop();
  /// Tasks that were given and whose results were not collected.
  std::int64_t unfinished() const { return given_ - collected_; }
  /// So many tasks should be under way or wait: one for each thread, and as many more as a thread works
  /// off in 40 ms, longer than any message takes.
  std::int64_t wanted() const;
  int idle() const;
  /// What has ended since the last call. Waits up to `patience`, or until there is something and nothing
  /// left to begin. Throws what a task has thrown.
  std::vector<FinishedTask> collect(std::chrono::microseconds patience);

 private:
  void run(int worker);
  bool waited_for() const;  // under the mutex

  const Work& work_;
  mutable std::mutex mutex_;
  std::condition_variable more_, ended_;
  std::deque<std::int64_t> queue_;
  std::vector<FinishedTask> finished_;
  std::exception_ptr failure_;
  int running_ = 0;
  bool closed_ = false;
  double seconds_ = 0;  // of tasks that have ended
  std::int64_t counted_ = 0;
  std::int64_t given_ = 0, collected_ = 0;  // of the thread that calls
  std::vector<std::thread> threads_;
};

}  // namespace torsor::internal
