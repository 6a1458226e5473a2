#pragma once
/// Where the joints should be: a swing q_d(s) = centre + a (1 - cos w s), along a phase s that starts
/// and stops gently.
///
///   qd_d = q_d'(s) s',   qdd_d = q_d''(s) s'^2 + q_d'(s) s''       s' from 0 to 1 and back to 0
#include <algorithm>
#include <array>
#include <cmath>

namespace realtime {

class Motion {
 public:
  static constexpr std::size_t n = 6;
  static constexpr double amplitude = 0.3, frequency = 2, ramp = 0.5;  // rad, rad/s, s
  static constexpr std::array<double, n> centre{0, 0.8, 0, 0, 0.5, 0};

  std::array<double, n> q = centre, qd{}, qdd{};

  /// `dt` later; `stop`: slow down. It stands still when `speed` is 0.
  void advance(double dt, bool stop) noexcept {
    const double before = speed_;
    speed_ = std::clamp(speed_ + (stop ? -dt : dt) / ramp, 0.0, 1.0);
    const double change = dt > 0 ? (speed_ - before) / dt : 0;
    s_ += 0.5 * (before + speed_) * dt;
    const double c = std::cos(frequency * s_), w = frequency, d = amplitude * w * std::sin(w * s_);
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = centre[i] + amplitude * (1 - c);
      qd[i] = d * speed_;
      qdd[i] = amplitude * w * w * c * speed_ * speed_ + d * change;
    }
  }
  double speed() const { return speed_; }

 private:
  double s_ = 0, speed_ = 0;
};

}  // namespace realtime
