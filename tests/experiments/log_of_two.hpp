#pragma once
/// Tables of the log of two joints, and what has to be read from them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "house/process.hpp"
#include "torsor/experiments/log_file.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor::testing {

inline constexpr double pi = std::numbers::pi;

inline std::string text(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}
inline double q_at(int k, int j) { return 0.5 * std::sin(0.02 * k + j) + 0.1 * j; }
inline double qd_at(int k, int j) { return 0.5 * 0.02 / 0.005 * std::cos(0.02 * k + j); }
inline double tau_at(int k, int j) {
  return 3 * std::cos(0.013 * k - j) + 0.01 * ((k * 7919) % 13);
}
inline constexpr int rows = 200;

/// A table with the header and cell(row, column) of it.
template <class Cell>
std::string table(const std::string& header, int columns, Cell cell, char delimiter = ',') {
  std::string out = header;
  for (int k = 0; k < rows; ++k)
    for (int c = 0; c < columns; ++c) out += (c == 0 ? '\n' : delimiter) + text(cell(k, c));
  return out + "\n";
}
/// t, q, qd, tau of two joints.
inline double cell_of_two(int k, int c) {
  if (c == 0) return 0.005 * k;
  return c < 3 ? q_at(k, c - 1) : c < 5 ? qd_at(k, c - 3) : tau_at(k, c - 5);
}

class LogFile : public ::testing::Test {
 protected:
  MotionLog load(const std::string& content, const std::string& map = "") {
    write_text(folder_ / "log.csv", content);
    return load_log((folder_ / "log.csv").string(), model_,
                    map.empty() ? ColumnMap{} : read_column_map(map, "map.yaml"));
  }
  std::string refusal(const std::string& content, const std::string& map = "") {
    try {
      (void)load(content, map);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "not refused";
  }
  void expect_motion(const MotionLog& log, double tolerance = 1e-12) {
    ASSERT_EQ(log.size(), rows);
    EXPECT_NEAR(log.period, 0.005, 1e-12);
    for (int k = 0; k < rows; ++k)
      for (int j = 0; j < 2; ++j) {
        ASSERT_NEAR(log.q(k, j), q_at(k, j), tolerance) << k;
        ASSERT_NEAR(log.tau(k, j), tau_at(k, j), 10 * tolerance) << k;
        if (log.qd.rows() > 0) {
          ASSERT_NEAR(log.qd(k, j), qd_at(k, j), 10 * tolerance) << k;
        }
        ASSERT_EQ(log.rows[k], k + 1);
      }
    EXPECT_TRUE(log.repairs.empty()) << log.repairs[0].what;
  }

  ScratchFolder folder_;
  Model<double> model_ = load_robot("planar2r");
};

}  // namespace torsor::testing
