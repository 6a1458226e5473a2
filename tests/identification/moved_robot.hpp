#pragma once
/// Logs of robots that move along Fourier series, with the torques of exact inverse dynamics.
///
///   q_k = centre_k + u(t) sum_l a_kl sin(2 pi l f t) + b_kl cos(2 pi l f t)      qd, qdd exactly
///
/// u = 1, or sin^8(pi t / T) for a motion that begins and ends at rest: filters then see no ends.
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "support/random_model.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/identification/motion_log.hpp"

namespace torsor::testing {

struct Motion {
  unsigned seed = 1;
  double seconds = 20, period = 0.005;
  double frequency = 0.1;  // Hz, of the series
  int harmonics = 5;
  double size = 1;         // rad or m, of the sum of a joint's amplitudes, about
  double noise = 0;        // N m, white, of torques
  bool velocities = true;  // are logged
  bool from_rest = false;
  std::vector<int> still{};  // joints that never move
};

/// Of models whose velocities are rates of the coordinates.
inline MotionLog moved(const Model<double>& model, const Motion& motion = {}) {
  const int n = model.n_v(), rows = static_cast<int>(std::lround(motion.seconds / motion.period));
  Draw<double> draw(motion.seed);
  std::mt19937_64 random(motion.seed);
  std::normal_distribution<double> normal;
  Matrix a(n, motion.harmonics), b(n, motion.harmonics);
  Array<double> centre(n);
  for (int k = 0; k < n; ++k) {
    centre[k] = draw(-0.5, 0.5);
    for (int l = 0; l < motion.harmonics; ++l) {
      a(k, l) = motion.size * draw() / motion.harmonics;
      b(k, l) = motion.size * draw() / motion.harmonics;
    }
  }
  for (const int k : motion.still)
    for (int l = 0; l < motion.harmonics; ++l) a(k, l) = b(k, l) = 0;
  MotionLog log;
  log.name = "moved_" + std::to_string(motion.seed);
  log.period = motion.period;
  log.q = Matrix(rows, n), log.tau = Matrix(rows, n);
  if (motion.velocities) log.qd = Matrix(rows, n);
  DynamicsWorkspace<double> ws(model);
  Array<double> q(n), qd(n), qdd(n), tau(n);
  for (int i = 0; i < rows; ++i) {
    const double t = i * motion.period;
    for (int k = 0; k < n; ++k) {
      double y = 0, yd = 0, ydd = 0;
      for (int l = 0; l < motion.harmonics; ++l) {
        const double w = 2 * std::numbers::pi * motion.frequency * (l + 1);
        const double s = std::sin(w * t), c = std::cos(w * t);
        y += a(k, l) * s + b(k, l) * c;
        yd += w * (a(k, l) * c - b(k, l) * s);
        ydd -= w * w * (a(k, l) * s + b(k, l) * c);
      }
      double u = 1, ud = 0, udd = 0;
      if (motion.from_rest) {
        const double w = std::numbers::pi / motion.seconds;
        const double s = std::sin(w * t), c = std::cos(w * t);
        u = std::pow(s, 8), ud = 8 * w * std::pow(s, 7) * c;
        udd = 56 * w * w * std::pow(s, 6) * c * c - 8 * w * w * u;
      }
      q[k] = centre[k] + u * y;
      qd[k] = ud * y + u * yd;
      qdd[k] = udd * y + 2 * ud * yd + u * ydd;
    }
    tree_inverse_dynamics<double, double>(model, ws, q, qd, qdd, {}, tau);
    log.t.push_back(t);
    log.rows.push_back(i + 1);
    for (int k = 0; k < n; ++k) {
      log.q(i, k) = q[k];
      log.tau(i, k) = tau[k] + motion.noise * normal(random);
      if (motion.velocities) log.qd(i, k) = qd[k];
    }
  }
  return log;
}

}  // namespace torsor::testing
