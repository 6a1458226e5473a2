// Logs of a robot whose controller repeats samples, loses others and writes some wrong, with stamps that jitter:
// what is left of them identifies the robot nearly as well as the clean log.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "identification/identified_robot.hpp"
#include "torsor/identification/log_repair.hpp"
#include "torsor/identification/signal/spectrum.hpp"

namespace torsor::testing {
namespace {

struct Harm {
  double held = 0;  ///< share of rows where a run of rows that repeat the one before begins
  int longest = 1;  ///< of these runs
  double missing = 0, corrupt = 0, jitter = 0;  ///< shares of rows; of the period
  bool motors = false;  ///< columns of motors, two of which turn with two joints
};

constexpr int n = 3;
constexpr double N[n][n] = {{-60, 0, 0}, {0, 80, 0}, {0, 80, 50}};
void to_motors(const MotionLog& log, int i, double* q, double* tau) {
  for (int r = 0; r < n; ++r) {
    q[r] = 0;
    for (int c = 0; c < n; ++c) q[r] += N[r][c] * log.q(i, c);
  }
  tau[0] = log.tau(i, 0) / N[0][0], tau[2] = log.tau(i, 2) / N[2][2];
  tau[1] = log.tau(i, 1) / N[1][1] - tau[2] * N[2][1] / N[1][1];
}
void to_joints(MotionLog& log) {
  for (int i = 0; i < log.size(); ++i) {
    log.q(i, 0) /= N[0][0], log.q(i, 1) /= N[1][1];
    log.q(i, 2) = (log.q(i, 2) - N[2][1] * log.q(i, 1)) / N[2][2];
    log.tau(i, 1) = N[1][1] * log.tau(i, 1) + N[2][1] * log.tau(i, 2);
    log.tau(i, 0) *= N[0][0], log.tau(i, 2) *= N[2][2];
  }
}

/// Encoders with a noise of 1e-5 rad.
MotionLog harmed(const MotionLog& log, const Harm& harm, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> part;
  Array<Array<double>> rows;
  int left_of_run = 0;
  for (int i = 0; i < log.size(); ++i) {
    double q[n], tau[n];
    Array<double> row(2 * n);
    if (harm.motors)
      to_motors(log, i, q, tau);
    else
      for (int c = 0; c < n; ++c) q[c] = log.q(i, c), tau[c] = log.tau(i, c);
    for (int c = 0; c < n; ++c)
      row[c] = q[c] + (harm.motors ? 60 : 1) * 1e-5 * normal(random), row[n + c] = tau[c];
    const bool inside = i > 20 && i + 20 < log.size();
    if (inside && part(random) < harm.held)
      left_of_run = 1 + static_cast<int>(part(random) * harm.longest);
    if (inside && left_of_run-- > 0) row = rows.back();
    rows.push_back(row);
  }
  RawLog raw;
  raw.name = "harmed";
  raw.n_q = raw.n_tau = n;
  Array<int> kept;
  for (int i = 0; i < log.size(); ++i) {
    const bool inside = i > 20 && i + 20 < log.size();
    if (inside && part(random) < harm.missing) i += 1 + static_cast<int>(2 * part(random));
    kept.push_back(i);
    raw.t.push_back(log.t[i] + (2 * part(random) - 1) * harm.jitter * log.period);
  }
  raw.values = Matrix(kept.size(), 2 * n);
  for (int k = 0; k < kept.size(); ++k) {
    for (int c = 0; c < 2 * n; ++c) raw.values(k, c) = rows[kept[k]][c];
    if (kept[k] < 20 || kept[k] + 20 > log.size() || part(random) > harm.corrupt) continue;
    double& cell = raw.values(k, static_cast<int>(part(random) * 2 * n));
    const double kind = part(random);
    cell = kind < 0.4 ? std::numeric_limits<double>::quiet_NaN() : kind < 0.7 ? 0 : 30 * cell + 5;
  }
  MotionLog out = repaired(raw);
  if (harm.motors) to_joints(out);
  return out;
}

Identification found_in(const RobotDescription& robot, const MotionLog& log) {
  IdentifyOptions options = exact(Estimator::weighted);
  options.filter.cutoff = 0;  // as proposed
  options.bootstrap = 0;
  return identify(guess(robot), {log}, {}, options);
}

// Seeds, rates and kinds of damage; nothing is set to the one or the other.
TEST(DamagedLog, what_is_left_identifies_the_robot_as_the_clean_log_does) {
  const struct {
    const char* name;
    Harm harm;
    double times, more;  // of the clean residual, and % beside it
  } cases[] = {
      {"held", {.held = 0.02}, 2, 0.5},
      {"long", {.held = 0.02, .longest = 4}, 2, 0.5},
      {"missing", {.held = 0.02, .longest = 4, .missing = 0.005}, 2, 0.5},
      {"corrupt", {.held = 0.02, .longest = 3, .corrupt = 0.005}, 2, 0.5},
      {"jitter", {.missing = 0.01, .jitter = 0.2}, 2, 0.5},
      {"all",
       {.held = 0.02, .longest = 3, .missing = 0.005, .corrupt = 0.005, .jitter = 0.1},
       2,
       0.5},
      {"much",
       {.held = 0.05, .longest = 3, .missing = 0.01, .corrupt = 0.005, .jitter = 0.2},
       3,
       1},
  };
  for (const double period : {0.005, 0.001})
    for (unsigned seed = 1; seed <= (period > 0.002 ? 3u : 2u); ++seed) {
      const RobotDescription robot = tree(seed, n, {JointKind::revolute}, true);
      const MotionLog log =
          moved(Model<double>(robot), {.seed = seed, .period = period, .noise = 0.05});
      for (const bool motors : {false, true}) {
        Harm none;
        none.motors = motors;
        const MotionLog untouched = harmed(log, none, seed);
        const double clean = found_in(robot, untouched).train.all;
        const double cutoff = propose_cutoff(untouched).cutoff;
        for (auto [name, harm, times, more] : cases) {
          SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed) + " period " +
                       std::to_string(period) + (motors ? " motors" : " joints"));
          harm.motors = motors;
          const MotionLog left = harmed(log, harm, 10 * seed + 1);
          EXPECT_LT(found_in(robot, left).train.all, times * clean + more);
          EXPECT_LT(propose_cutoff(left).cutoff, 2 * cutoff);
        }
      }
    }
}

}  // namespace
}  // namespace torsor::testing
