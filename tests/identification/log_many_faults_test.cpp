// Repair of logs: faults that are many, and samples that all stand in several rows.
#include <gtest/gtest.h>

#include "identification/made_raw_log.hpp"

namespace torsor {
namespace {

/// Neither what is a spike nor what is a drop-out depends on how many there are.
TEST(LogFaults, many_spikes_and_many_zeros_are_found_as_few_are) {
  for (const int every : {400, 97, 50}) {
    RawLog log = made(4000);
    Array<int> spikes, zeros;
    for (int k = 20; k + 20 < 4000; k += every) {
      log.values(k, 4) += 60;
      spikes.push_back(k);
      if (std::abs(log.values(k + 10, 5)) < 10) continue;
      log.values(k + 10, 5) = 0;
      zeros.push_back(k + 10);
    }
    const MotionLog repaired_log = repaired(log);
    ASSERT_EQ(repaired_log.size(), 4000) << every;
    ASSERT_GT(zeros.size(), spikes.size() / 2);
    for (const int k : spikes)
      EXPECT_LT(std::abs(repaired_log.tau(k, 0) - tau_at(k * period, 0, k)), 7)
          << every << " " << k;
    for (const int k : zeros)
      EXPECT_LT(std::abs(repaired_log.tau(k, 1) - tau_at(k * period, 1, k)), 7)
          << every << " " << k;
  }
}

/// A logger that is faster than its sensors: what is left is the log of the sensors.
TEST(LogFaults, samples_that_all_stand_in_several_rows_are_left_once) {
  for (const bool stamps : {true, false})
    for (const int times : {2, 3, 5}) {
      const RawLog samples = made(600);
      RawLog log = samples;
      log.values = Matrix(600 * times, 6);
      log.t.clear();
      for (int k = 0; k < 600 * times; ++k) {
        if (stamps) log.t.push_back(k * period / times);
        for (int c = 0; c < 6; ++c) log.values(k, c) = samples.values(k / times, c);
      }
      log.period = stamps ? 0 : period / times;
      const MotionLog found = repaired(log);
      ASSERT_EQ(found.size(), 600) << times;
      EXPECT_EQ(found.n_stretches(), 1);
      EXPECT_NEAR(found.period, period, 1e-9);
      ASSERT_EQ(found.repairs.size(), 1u);
      EXPECT_NE(found.repairs[0].what.find("every sample is in " + std::to_string(times) + " rows"),
                std::string::npos);
      for (int k = 0; k < 600; ++k) EXPECT_EQ(found.q(k, 1), samples.values(k, 1));
      EXPECT_EQ(found.rows[7], 7 * times + 1);
    }
}

}  // namespace
}  // namespace torsor
