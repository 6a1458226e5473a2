#pragma once
/// A log of two joints with known motion, before anybody harms it.
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "torsor/identification/log_repair.hpp"

namespace torsor {
namespace {

constexpr double pi = std::numbers::pi, period = 0.004;
constexpr int rows = 1000;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

double q_at(double t, int j) { return 0.8 * std::sin(2 * pi * (0.5 + 0.3 * j) * t + j) + 0.4 * j; }
double qd_at(double t, int j) {
  const double w = 2 * pi * (0.5 + 0.3 * j);
  return 0.8 * w * std::cos(w * t + j);
}
/// Torques of two joints, with a jump at every reversal and a little noise.
double tau_at(double t, int j, int k) {
  const double wiggle = std::sin(12.9898 * k + 78.233 * j) * 43758.5453;
  return 20 * std::cos(q_at(t, j)) + 3 * std::copysign(1, qd_at(t, j)) +
         0.2 * (wiggle - std::floor(wiggle) - 0.5);
}
/// Columns q1 q2 qd1 qd2 tau1 tau2.
RawLog made(int n = rows, double dt = period) {
  RawLog log;
  log.name = "made.csv";
  log.n_q = log.n_qd = log.n_tau = 2;
  log.columns = {"q1", "q2", "qd1", "qd2", "tau1", "tau2"};
  log.angle = {true, true};
  log.values = Matrix(n, 6);
  for (int k = 0; k < n; ++k) {
    const double t = k * dt;
    log.t.push_back(t);
    for (int j = 0; j < 2; ++j) {
      log.values(k, j) = q_at(t, j);
      log.values(k, 2 + j) = qd_at(t, j);
      log.values(k, 4 + j) = tau_at(t, j, k);
    }
  }
  return log;
}
/// Without row k, counted from 1.
RawLog without(const RawLog& log, int first, int last) {
  RawLog out = log;
  out.t.clear(), out.rows.clear();
  out.values = Matrix(log.values.rows() - (last - first + 1), 6);
  for (int k = 0, to = 0; k < log.values.rows(); ++k) {
    if (k + 1 >= first && k + 1 <= last) continue;
    out.t.push_back(log.t[k]);
    for (int c = 0; c < 6; ++c) out.values(to, c) = log.values(k, c);
    ++to;
  }
  return out;
}
std::vector<std::string> told(const MotionLog& log) {
  std::vector<std::string> out;
  for (const LogRepair& r : log.repairs)
    out.push_back(std::to_string(r.first_row) + "-" + std::to_string(r.last_row) + " " + r.what);
  return out;
}
using Told = std::vector<std::string>;

/// Largest distance from the true motion, over the positions.
double position_error(const MotionLog& log) {
  double largest = 0;
  for (int k = 0; k < log.size(); ++k)
    for (int j = 0; j < 2; ++j)
      largest = std::max(largest, std::abs(log.q(k, j) - q_at(log.t[k], j)));
  return largest;
}

}  // namespace
}  // namespace torsor
