#pragma once
/// What makes a loop of Linux punctual: a real-time class, memory that stays, a timer that does not
/// drift, and signals that only set a flag.
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "torsor/math/error.hpp"

namespace realtime {

inline constexpr std::int64_t period_ns = 1'000'000;
inline constexpr double period = 1e-9 * static_cast<double>(period_ns);

/// The clock that both processes share.
inline std::int64_t now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// SCHED_FIFO with `priority`, all memory locked, the stack touched. What the system refuses is one
/// line on standard error, and the loop runs as an ordinary process. Returns whether it is FIFO.
inline bool become_real_time(const char* who, int priority) {
  sched_param parameters{};
  parameters.sched_priority = priority;
  const bool fifo = priority > 0 && sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
  if (priority > 0 && !fifo)
    std::fprintf(stderr,
                 "%s: SCHED_FIFO is refused (%s): an ordinary process, late when others run\n", who,
                 std::strerror(errno));
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
    std::fprintf(stderr, "%s: memory is not locked (%s): pages may be missing\n", who,
                 std::strerror(errno));
  volatile char stack[128 * 1024];
  for (std::size_t i = 0; i < sizeof stack; i += 1024) stack[i] = 0;
  return fifo;
}

/// Expires every period, `phase_ns` after whole periods of the clock.
class PeriodicTimer {
 public:
  explicit PeriodicTimer(std::int64_t phase_ns)
      : file_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) {
    due_ns_ = (now_ns() / period_ns + 2) * period_ns + phase_ns;
    itimerspec when{};
    when.it_value.tv_sec = due_ns_ / 1'000'000'000;
    when.it_value.tv_nsec = due_ns_ % 1'000'000'000;
    when.it_interval.tv_nsec = period_ns;
    if (file_ < 0 || timerfd_settime(file_, TFD_TIMER_ABSTIME, &when, nullptr) != 0)
      throw torsor::Error(std::string("timerfd: ") + std::strerror(errno));
  }
  ~PeriodicTimer() {
    if (file_ >= 0) close(file_);
  }
  PeriodicTimer(const PeriodicTimer&) = delete;
  PeriodicTimer& operator=(const PeriodicTimer&) = delete;

  struct Wake {
    std::int64_t late_ns;  ///< after the first instant that was not served
    int periods;           ///< instants since the last call: 1, or more where some were missed
  };
  Wake wait() noexcept {
    std::uint64_t expirations = 0;
    while (read(file_, &expirations, sizeof expirations) != sizeof expirations) {
    }
    const Wake wake{now_ns() - due_ns_, static_cast<int>(expirations)};
    due_ns_ += static_cast<std::int64_t>(expirations) * period_ns;
    return wake;
  }

 private:
  int file_;
  std::int64_t due_ns_;
};

inline std::atomic<bool> stop_asked{false};

/// SIGINT and SIGTERM ask for an orderly end.
inline void listen_to_signals() {
  stop_asked = false;
  struct sigaction action {};
  action.sa_handler = [](int) { stop_asked.store(true, std::memory_order_relaxed); };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace realtime
