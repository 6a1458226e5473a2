#pragma once
/// Sampled runs of sliding laws and what the textbook's tables say of them.
#include <gtest/gtest.h>

#include "control/reference_runs.hpp"
#include "control/textbook_bounds.hpp"
#include "torsor/control/uncertain/sliding_gains.hpp"

namespace torsor::testing {

/// Torque held over `period`, the plant integrated with one step of rk4 in it, every sample
/// recorded.
inline SimulateOptions held(SimulateOptions o, double period) {
  o.period = o.step = o.record_every = period;
  o.integrator = Integrator::rk4;
  return o;
}

inline double largest(const Series& s, const Recording& r, int column, double from) {
  double x = 0;
  for (int k = r.at(from); k < s.rows(); ++k) x = std::max(x, std::abs(s(k, column)));
  return x;
}

/// One line of a table, a number of each for every joint; empty: not told. s, e and chatter (mean
/// step of the torque from sample to sample) over the later part of the run, tau over all of it.
struct TableRow {
  std::vector<double> e{}, s{}, chatter{}, tau{};
};
inline void expect_row(const Recording& r, double from, const TableRow& row, double relative,
                       double unit = 0) {
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const auto compare = [&](const char* what, const std::vector<double>& expected, auto observed) {
    for (std::size_t c = 0; c < expected.size(); ++c)
      EXPECT_NEAR(observed(static_cast<int>(c)), expected[c], relative * expected[c] + unit)
          << what << " " << c;
  };
  compare("e", row.e, [&](int c) { return largest(r.e, r, c, from); });
  compare("s", row.s, [&](int c) { return largest(r.s, r, c, from); });
  compare("chatter", row.chatter, [&](int c) { return metrics(r, c, from).chatter * r.period; });
  compare("tau", row.tau, [&](int c) { return metrics(r, c).max_torque; });
}

/// Section 3.10 with R2: Lambda = 5 I, Kd = I.
inline SlidingGains r2_gains(double layer = 0) {
  return {Gain({5, 5}), {}, {}, layer > 0 ? Switching({layer, layer}) : Switching()};
}
/// Example 3-5: Lambda of example 3-3.
inline SlidingGains ddarm_gains(double layer = 0) {
  return {Gain({4, 4, 5}), {}, {}, layer > 0 ? Switching({layer, layer, layer}) : Switching()};
}

}  // namespace torsor::testing
