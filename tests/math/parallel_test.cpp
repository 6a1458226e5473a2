#include "torsor/math/internal/parallel.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace torsor::internal {
namespace {

TEST(ParallelFor, calls_every_index_once_whatever_the_threads) {
  for (const int threads : {0, 1, 2, 7, 40})
    for (const int n : {0, 1, 2, 33}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(n));
      parallel_for(n, {.threads = threads},
                   [&](int k, int) { ++calls[static_cast<std::size_t>(k)]; });
      for (const auto& count : calls) EXPECT_EQ(count, 1);
    }
}

TEST(ParallelFor, a_worker_is_never_two_threads_at_a_time) {
  const int threads = 4;
  EXPECT_EQ(worker_count(100, threads), threads);
  EXPECT_EQ(worker_count(3, threads), 3);
  EXPECT_EQ(worker_count(0, threads), 1);
  EXPECT_EQ(worker_count(1000000, 0), core_count());
  std::vector<std::atomic<int>> busy(threads);
  std::atomic<int> clashes{0};
  parallel_for(100, {.threads = threads}, [&](int, int worker) {
    if (++busy[static_cast<std::size_t>(worker)] != 1) ++clashes;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    --busy[static_cast<std::size_t>(worker)];
  });
  EXPECT_EQ(clashes, 0);
}

TEST(ParallelFor, carries_an_exception_to_the_caller_and_begins_nothing_more) {
  for (const int threads : {1, 3}) {
    std::atomic<int> calls{0};
    try {
      parallel_for(1000, {.threads = threads}, [&](int k, int) {
        ++calls;
        if (k == 5) throw std::runtime_error("five");
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "five");
    }
    EXPECT_LT(calls, 1000);
  }
}

TEST(ParallelFor, a_flag_stops_it) {
  std::atomic<bool> stop{false};
  std::atomic<int> calls{0};
  parallel_for(1000, {.threads = 2, .stop = &stop}, [&](int k, int) {
    ++calls;
    if (k == 10) stop = true;
  });
  EXPECT_GT(calls, 10);
  EXPECT_LT(calls, 1000);
}

}  // namespace
}  // namespace torsor::internal
