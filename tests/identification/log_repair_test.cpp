/// Every kind of damage to a log: found in its rows, repaired or left out, and told.
#include "torsor/identification/log_repair.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "identification/made_raw_log.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

TEST(LogRepair, a_good_log_stays_as_it_is) {
  const RawLog raw = made();
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log), Told{});
  ASSERT_EQ(log.size(), rows);
  EXPECT_EQ(log.n_stretches(), 1);
  EXPECT_NEAR(log.period, period, 1e-15);
  for (int k = 0; k < rows; ++k) {
    EXPECT_EQ(log.rows[k], k + 1);
    EXPECT_NEAR(log.t[k], k * period, 1e-12);
    for (int j = 0; j < 2; ++j) {
      EXPECT_EQ(log.q(k, j), raw.values(k, j));
      EXPECT_EQ(log.qd(k, j), raw.values(k, 2 + j));
      EXPECT_EQ(log.tau(k, j), raw.values(k, 4 + j));
    }
  }
}

TEST(LogRepair, repeated_stamps_are_left_out) {
  RawLog raw = made();
  for (const int k : {100, 101, 400}) raw.t[k] = raw.t[99 + (k > 200 ? 300 : 0)];
  for (int c = 0; c < 6; ++c) raw.values(400, c) = raw.values(399, c);
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log), (Told{"100-103 2 samples are missing between: interpolated",
                             "101-102 has the stamp of the row before: left out",
                             "400-402 1 sample is missing between: interpolated",
                             "401-401 repeats the row before: left out"}));
  EXPECT_EQ(log.size(), rows);
  EXPECT_LT(position_error(log), 1e-6);
}

TEST(LogRepair, repeated_rows_with_stamps_of_their_own_are_interpolated) {
  RawLog raw = made();
  for (const int k : {200, 201, 300})
    for (int c = 0; c < 6; ++c) raw.values(k, c) = raw.values(k == 300 ? 299 : 199, c);
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log), (Told{"201-202 repeats the row before: interpolated",
                             "301-301 repeats the row before: interpolated"}));
  EXPECT_LT(position_error(log), 1e-6);
}

// Rates beside a row may be of several periods: of another row that repeats, or of one that is missing.
TEST(LogRepair, repeated_rows_beside_others_and_beside_missing_ones_are_found) {
  RawLog raw = made();
  for (const int k : {300, 302, 304, 501, 603})
    for (int c = 0; c < 6; ++c) raw.values(k, c) = raw.values(k - 1, c);
  const MotionLog log = repaired(without(without(raw, 606, 606), 500, 500));
  int found = 0;
  for (const std::string& what : told(log))
    found += what.find("repeats the row before: interpolated") != std::string::npos;
  EXPECT_EQ(found, 5) << told(log).size();
  EXPECT_LT(position_error(log), 1e-5);
}

// The sample that was repeated is missing itself: nothing repeats, and a row shows where the robot was before.
TEST(LogRepair, rows_that_hold_a_missing_sample_are_found) {
  RawLog raw = made();
  for (const int k : {300, 500, 501, 700})
    for (int c = 0; c < 6; ++c) raw.values(k, c) = raw.values(k == 700 ? 697 : k - 1, c);
  // Rows 300, 500 and 698 to 700 of the file, counted from 1, are the ones that were repeated.
  const MotionLog log = repaired(without(without(without(raw, 698, 700), 500, 500), 300, 300));
  int late = 0;
  for (const std::string& what : told(log))
    late += what.find("shows an earlier moment: interpolated") != std::string::npos;
  EXPECT_EQ(late, 3);
  EXPECT_LT(position_error(log), 1e-5);
}

// Stamps do not say that samples are missing: positions step on, and no row is late.
TEST(LogRepair, samples_that_are_missing_unknown_to_the_stamps_make_no_row_late) {
  RawLog raw = without(without(made(), 600, 601), 300, 300);
  raw.t.clear();
  raw.period = period;
  EXPECT_EQ(told(repaired(raw)), Told{});
}

TEST(LogRepair, runs_of_repeated_rows_with_a_corrupt_cell_are_one) {
  RawLog raw = made();
  raw.n_ref = 2;
  Matrix wide(rows, 8);
  for (int k = 0; k < rows; ++k)
    for (int c = 0; c < 8; ++c) wide(k, c) = raw.values(k, c < 6 ? c : c - 6);
  for (int k = 200; k < 204; ++k)
    for (int c = 0; c < 8; ++c) wide(k, c) = wide(199, c);
  wide(202, 5) = none;
  raw.values = wide;
  raw.columns.insert(raw.columns.end(), {"q_ref1", "q_ref2"});
  EXPECT_EQ(told(repaired(raw)), Told{"201-204 repeats the row before: interpolated"});
}

TEST(LogRepair, a_single_position_off_its_neighbours_is_a_spike) {
  RawLog raw = made();
  raw.values(400, 0) += 0.05;  // four steps of the motion; the threshold of the median is ten
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log), Told{"401-401 q1: spike: interpolated"});
  EXPECT_LT(position_error(log), 1e-6);
}

TEST(LogRepair, a_robot_at_rest_repeats_rows_and_nothing_is_wrong) {
  RawLog raw = made();
  double at = 0;  // along the motion: slows down, rests from 1.2 s to 2.4 s, goes on
  for (int k = 0; k < rows; ++k) {
    const double t = k * period, from_rest = std::max(1.2 - t, t - 2.4);
    const double speed = from_rest < 0 ? 0 : std::min(1.0, 25 * from_rest * from_rest);
    at += speed * period;
    for (int j = 0; j < 2; ++j) {
      raw.values(k, j) = q_at(at, j);
      raw.values(k, 2 + j) = speed * qd_at(at + period / 2, j);
      raw.values(k, 4 + j) = std::round(100 * 20 * std::cos(q_at(at, j))) / 100;
    }
  }
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log), Told{});
  EXPECT_EQ(log.size(), rows);
}

TEST(LogRepair, short_gaps_are_filled_and_long_ones_end_a_stretch) {
  const MotionLog log = repaired(without(without(made(), 701, 740), 301, 303));
  EXPECT_EQ(told(log), (Told{"300-301 3 samples are missing between: interpolated",
                             "697-698 gap of 0.164 s between: a new stretch begins"}));
  ASSERT_EQ(log.n_stretches(), 2);
  EXPECT_EQ(log.stretch_end(0), 700);
  EXPECT_EQ(log.size(), rows - 40);
  EXPECT_NEAR(log.t[700], 740 * period, 1e-9);
  EXPECT_EQ(log.rows[700], 698);
  EXPECT_LT(position_error(log), 1e-6);
}

TEST(LogRepair, stamps_that_jitter_are_interpolated_where_they_are_true) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> off(-0.2 * period, 0.2 * period);
  RawLog raw = made(), late = made();
  for (int k = 0; k < rows; ++k) {
    const double e = off(engine);
    raw.t[k] += e;   // measured then
    late.t[k] += e;  // stamped then, measured in time
    for (int j = 0; j < 2; ++j) {
      raw.values(k, j) = q_at(raw.t[k], j), raw.values(k, 2 + j) = qd_at(raw.t[k], j);
      raw.values(k, 4 + j) = tau_at(raw.t[k], j, k);
    }
  }
  const MotionLog resampled = repaired(raw), even = repaired(late);
  ASSERT_EQ(told(resampled).size(), 1u);
  EXPECT_NE(told(resampled)[0].find("1-1000 stamps jitter by 11"), std::string::npos)
      << told(resampled)[0];  // 20 % / sqrt(3)
  EXPECT_NE(told(resampled)[0].find("interpolated to the even grid"), std::string::npos);
  EXPECT_LT(position_error(resampled), 1e-7);
  ASSERT_EQ(told(even).size(), 1u);
  EXPECT_NE(told(even)[0].find("smoother where rows are taken as evenly spaced"),
            std::string::npos);
  double off_even = 0;
  for (int k = 0; k < rows; ++k)
    off_even = std::max(off_even, std::abs(even.q(k, 0) - q_at(k * period, 0)));
  EXPECT_EQ(off_even, 0);
}

// Neighbours may be 1.8 periods apart and nothing is missing; where a row is, all after it are late.
TEST(LogRepair, stamps_that_jitter_by_much_hide_no_rows_and_show_those_that_are_missing) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> off(-0.4 * period, 0.4 * period);
  RawLog raw = made();
  for (int k = 0; k < rows; ++k) {
    raw.t[k] += off(engine);
    for (int j = 0; j < 2; ++j) {
      raw.values(k, j) = q_at(raw.t[k], j), raw.values(k, 2 + j) = qd_at(raw.t[k], j);
      raw.values(k, 4 + j) = tau_at(raw.t[k], j, k);
    }
  }
  const MotionLog whole = repaired(raw);
  ASSERT_EQ(told(whole).size(), 1u) << told(whole)[1];
  EXPECT_NE(told(whole)[0].find("interpolated to the even grid"), std::string::npos);
  const MotionLog torn = repaired(without(without(raw, 701, 702), 300, 300));
  ASSERT_EQ(told(torn).size(), 3u) << told(torn).back();
  EXPECT_EQ(told(torn)[1], "299-300 1 sample is missing between: interpolated");
  EXPECT_EQ(told(torn)[2], "699-700 2 samples are missing between: interpolated");
  EXPECT_LT(position_error(torn), 1e-5);
}

// Late stamps beside missing rows: the rate, and when each row was measured, are those of the motion.
TEST(LogRepair, missing_rows_are_counted_beside_stamps_that_jitter) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> part;
  for (const double jitter : {0.1, 0.2, 0.3}) {
    RawLog raw = made(4 * rows);
    for (int k = 0; k < 4 * rows; ++k) raw.t[k] += (2 * part(random) - 1) * jitter * period;
    for (int k = 4 * rows - 30; k > 30; k -= 20 + static_cast<int>(40 * part(random)))
      raw = without(raw, k, k + static_cast<int>(2.9 * part(random)));
    const MotionLog log = repaired(raw);
    EXPECT_EQ(log.n_stretches(), 1);
    EXPECT_EQ(log.size(), 4 * rows) << jitter;
    EXPECT_NEAR(log.period, period, 2e-5 * period) << jitter;
    EXPECT_LT(position_error(log), 0.1 * jitter * period * 6) << jitter;
  }
}

TEST(LogRepair, interpolation_to_the_grid_has_an_error_of_fourth_order) {
  const auto error = [](double dt) {
    RawLog raw = made(600, dt);
    for (int k = 0; k < 600; ++k) {
      raw.t[k] += 0.25 * dt * std::sin(1.7 * k);
      for (int j = 0; j < 2; ++j) raw.values(k, j) = q_at(raw.t[k], j);
    }
    return position_error(repaired(raw));
  };
  EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), 4, 0.4);
}

TEST(LogRepair, time_that_goes_back_is_left_out) {
  RawLog raw = made();
  raw.t[250] = raw.t[240];      // one stamp of long ago
  raw.t[500] = raw.t[500] + 3;  // one far ahead
  raw.t[800] = none;
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log), (Told{"250-252 1 sample is missing between: interpolated",
                             "251-251 time goes back by 0.036 s: left out",
                             "500-502 1 sample is missing between: interpolated",
                             "501-501 stamp is 3.004 s after the row before, and the next one is "
                             "not: left out",
                             "800-802 1 sample is missing between: interpolated",
                             "801-801 no stamp: left out"}));
  EXPECT_EQ(log.size(), rows);
  EXPECT_LT(position_error(log), 1e-6);
}

TEST(LogRepair, stamps_that_are_absurd_are_left_out) {
  RawLog raw = made();
  raw.t[0] = -1e300;
  raw.t[333] = 1e300;
  raw.t[666] = -std::numeric_limits<double>::infinity();
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log), (Told{"1-1 stamp is far from the others: left out",
                             "333-335 1 sample is missing between: interpolated",
                             "334-334 stamp is far from the others: left out",
                             "666-668 1 sample is missing between: interpolated",
                             "667-667 no stamp: left out"}));
  EXPECT_EQ(log.size(), rows - 1);
  EXPECT_LT(position_error(log), 1e-6);
  for (double& t : raw.t) t *= 1e-12;
  EXPECT_THROW((void)repaired(raw), Error);
}

TEST(LogRepair, a_clock_that_starts_again_begins_a_stretch) {
  RawLog raw = made();
  for (int k = 600; k < rows; ++k) raw.t[k] -= 600 * period;
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log), (Told{"601-601 time starts again, 2.396 s earlier: a new stretch begins"}));
  ASSERT_EQ(log.n_stretches(), 2);
  EXPECT_EQ(log.stretch_begin(1), 600);
  EXPECT_EQ(log.size(), rows);
}

TEST(LogRepair, stamps_coarser_than_the_rows_are_spread) {
  RawLog raw = made();
  for (double& t : raw.t) t = std::floor(t / 0.01 + 1e-9) * 0.01;  // 2.5 rows to a stamp
  const MotionLog log = repaired(raw);
  ASSERT_EQ(told(log).size(), 1u);
  EXPECT_NE(told(log)[0].find("1-1000 600 of 1000 rows share a stamp"), std::string::npos)
      << told(log)[0];
  EXPECT_EQ(log.size(), rows);
  EXPECT_NEAR(log.period, period, 0.002 * period);
}

TEST(LogRepair, rows_that_waited_in_a_buffer_are_spread) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const bool bursts : {true, false}) {
    RawLog raw = made(5000);
    double last = 0;
    for (int k = 0; k < raw.t.size(); ++k) {
      // Five rows are sent at once, 20 us apart; or each has its own delay, and none overtakes another.
      if (bursts)
        raw.t[k] = (k / 5 * 5 + 4) * period + 20e-6 * (k % 5);
      else
        last = raw.t[k] = std::max(last, raw.t[k] + std::abs(normal(random)) * 0.5 * period);
    }
    raw = without(raw, 3001, 3020);  // and twenty are missing
    const MotionLog log = repaired(raw);
    EXPECT_NEAR(log.period, period, 1e-3 * period);
    EXPECT_EQ(log.n_stretches(), 2);
    EXPECT_EQ(log.size(), 4980);
    // Stamps are as late as rows waited in the mean; by nothing else is the motion off.
    const double wait = bursts ? 2 * period + 40e-6 : 0.5 * period * std::sqrt(2 / pi);
    for (int k = 0; k < log.size(); ++k)
      for (int j = 0; j < 2; ++j) EXPECT_NEAR(log.q(k, j), q_at(log.t[k] - wait, j), 0.002);
    EXPECT_NE(told(log)[0].find("rows are taken as evenly spaced"), std::string::npos)
        << told(log)[0];
  }
}

TEST(LogRepair, numbers_that_are_missing_are_interpolated_or_rows_left_out) {
  RawLog raw = made();
  for (int k = 99; k < 104; ++k) raw.values(k, 4) = none;
  for (int k = 499; k < 510; ++k) raw.values(k, 1) = none;
  raw.values(0, 0) = none;
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log), (Told{"1-1 q1: no number: left out", "100-104 tau1: no number: interpolated",
                             "500-510 q2: no number: left out"}));
  EXPECT_EQ(log.size(), rows - 12);
  ASSERT_EQ(log.n_stretches(), 2);
  EXPECT_EQ(log.rows[0], 2);
  EXPECT_EQ(log.rows[log.stretch_begin(1)], 511);
  for (const double x : log.tau.entries()) EXPECT_TRUE(std::isfinite(x));
}

TEST(LogRepair, zeros_between_other_values_are_drop_outs) {
  RawLog raw = made();
  for (int k = 0; k < rows; ++k) raw.values(k, 1) += 3;  // never near zero
  for (int k = 299; k < 302; ++k) raw.values(k, 1) = 0;
  for (int k = 619; k < 650; ++k) raw.values(k, 5) = 0;
  raw.values(800, 4) = 0;
  for (int k = 0; k < 4; ++k) raw.values(k, 4) = 0;  // before the first word of the drive
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log),
            (Told{"1-4 tau1: drops to 0: left out", "300-302 q2: drops to 0: interpolated",
                  "620-650 tau2: drops to 0: left out", "801-801 tau1: drops to 0: interpolated"}));
  EXPECT_NEAR(log.q(300 - 4, 1), q_at(log.t[300 - 4], 1) + 3, 1e-6);
  EXPECT_EQ(log.n_stretches(), 2);
}

TEST(LogRepair, rows_of_zeros_are_told_once) {
  RawLog raw = made();
  for (int c = 0; c < 6; ++c) {
    raw.values(0, c) = raw.values(450, c) = 0;
    for (int k = 700; k < 720; ++k) raw.values(k, c) = 0;
  }
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log),
            (Told{"1-1 all numbers are 0: left out", "451-451 all numbers are 0: interpolated",
                  "701-720 all numbers are 0: left out"}));
  EXPECT_LT(position_error(log), 1e-6);
  EXPECT_EQ(log.n_stretches(), 2);
}

TEST(LogRepair, sensors_that_freeze_are_found_while_the_robot_moves) {
  RawLog raw = made();
  for (int k = 400; k < 404; ++k) raw.values(k, 0) = raw.values(399, 0);
  for (int k = 700; k < 730; ++k) raw.values(k, 5) = raw.values(699, 5);
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log), (Told{"401-404 q1: stands still and then jumps: interpolated",
                             "701-730 tau2: stands still: left out"}));
  EXPECT_LT(position_error(log), 1e-6);
}

TEST(LogRepair, quantised_positions_are_not_frozen) {
  RawLog raw = made();
  const double step = 2 * pi / 4096;  // several rows to a step where the robot is slow
  for (int k = 0; k < rows; ++k)
    for (int j = 0; j < 2; ++j) {
      raw.values(k, j) = step * std::round(raw.values(k, j) / step);
      raw.values(k, 4 + j) = 0.01 * std::round(raw.values(k, 4 + j) / 0.01);
    }
  EXPECT_EQ(told(repaired(raw)), Told{});
}

TEST(LogRepair, spikes_are_taken_out_and_friction_is_not) {
  RawLog raw = made();
  raw.values(150, 0) += 0.5;
  raw.values(151, 0) -= 0.7;
  raw.values(320, 4) = 4000;
  raw.values(330, 5) = -90;
  raw.values(640, 2) = 1e9;
  const MotionLog log = repaired(raw);
  EXPECT_EQ(told(log),
            (Told{"151-152 q1: spike: interpolated", "321-321 tau1: spike: interpolated",
                  "331-331 tau2: spike: interpolated", "641-641 qd1: spike: interpolated"}));
  EXPECT_LT(position_error(log), 1e-5);
  for (int k = 0; k < rows; ++k) EXPECT_LT(std::abs(log.tau(k, 0)), 25);
}

TEST(LogRepair, angles_that_wrap_are_unwrapped_and_jumps_split) {
  RawLog raw = made();
  for (int k = 0; k < rows; ++k) {
    raw.values(k, 0) = std::remainder(3 * k * period, 2 * pi);
    raw.values(k, 2) = 3;
    if (k >= 777) raw.values(k, 1) += 0.4;  // a new zero
  }
  const MotionLog log = repaired(raw);
  char jump[40];
  std::snprintf(jump, sizeof jump, "778-778 q2: jumps by %.4g",
                raw.values(777, 1) - raw.values(776, 1));
  EXPECT_EQ(told(log), (Told{"263-263 q1: wraps by a turn: unwrapped",
                             std::string(jump) + ": a new stretch begins",
                             "787-787 q1: wraps by a turn: unwrapped"}));
  for (int k = 0; k < rows; ++k) EXPECT_NEAR(log.q(k, 0), 3 * k * period, 1e-9);
  ASSERT_EQ(log.n_stretches(), 2);
  EXPECT_EQ(log.stretch_begin(1), 777);
}

TEST(LogRepair, torques_at_their_limit_and_velocities_of_other_units_are_told) {
  RawLog raw = made();
  for (int k = 0; k < rows; ++k) {
    raw.values(k, 4) = std::min(raw.values(k, 4), 21.0);
    raw.values(k, 3) *= 180 / pi;
  }
  const MotionLog log = repaired(raw);
  ASSERT_EQ(told(log).size(), 2u);
  EXPECT_NE(told(log)[0].find("qd2: is 57.3"), std::string::npos) << told(log)[0];
  EXPECT_NE(told(log)[1].find("tau1: is at 21 in"), std::string::npos) << told(log)[1];
  int first = 0;
  while (raw.values(first, 4) != 21) ++first;
  EXPECT_EQ(log.repairs[1].first_row, first + 1);
}

TEST(LogRepair, rows_left_out_by_the_reader_are_missing_samples_where_there_are_no_stamps) {
  RawLog raw = made();
  raw.t.clear();
  raw.period = period;
  for (int k = 0; k < rows; ++k) raw.rows.push_back(k < 500 ? k + 1 : k + 2);
  for (int k = 500; k < rows; ++k)
    for (int j = 0; j < 2; ++j) raw.values(k, j) = q_at((k + 1) * period, j);
  const MotionLog log = repaired(raw);
  EXPECT_EQ(log.size(), rows + 1);
  EXPECT_LT(position_error(log), 1e-6);
}

TEST(LogRepair, many_findings_of_one_kind_are_summed_up) {
  RawLog raw = made();
  for (int k = 10; k < rows; k += 20) raw.values(k, 4) = none;
  RepairOptions options;
  options.told = 5;
  const MotionLog log = repaired(raw, options);
  ASSERT_EQ(log.repairs.size(), 6u);
  EXPECT_EQ(log.repairs[5].first_row, 111);
  EXPECT_EQ(log.repairs[5].last_row, 991);
  EXPECT_EQ(log.repairs[5].what, "45 more rows as: tau1: no number: interpolated");
}

TEST(LogRepair, what_cannot_be_used_is_refused_in_one_line) {
  RawLog all_missing = made();
  for (int k = 0; k < rows; ++k) all_missing.values(k, 0) = none;
  EXPECT_THROW((void)repaired(all_missing), Error);
  RawLog standing = made();
  for (double& t : standing.t) t = 1;
  EXPECT_THROW((void)repaired(standing), Error);
  EXPECT_THROW((void)repaired(made(5)), Error);
  RawLog no_time = made();
  no_time.t.clear();
  EXPECT_THROW((void)repaired(no_time), Error);
  RawLog backwards = made();
  for (double& t : backwards.t) t = -t;
  EXPECT_THROW((void)repaired(backwards), Error);
}

TEST(LogRepair, a_part_keeps_its_stretches_and_rows) {
  const MotionLog log = repaired(without(made(), 701, 740));
  const MotionLog middle = part(log, 600, 800);
  ASSERT_EQ(middle.size(), 200);
  EXPECT_EQ(middle.stretches, (Array<int>{0, 100}));
  EXPECT_EQ(middle.rows[0], log.rows[600]);
  EXPECT_EQ(middle.q(150, 1), log.q(750, 1));
  EXPECT_EQ(part(log, 800, 600).size(), 0);
}

}  // namespace
}  // namespace torsor
