#include "torsor/sim/reference.hpp"

#include <cmath>

namespace torsor {

ReferenceFunction follow(const Sinusoid& wave) {
  return [wave](double t, ReferencePoint& point) {
    const std::size_t n = wave.offset.size();
    point.q.resize(n);
    point.qd.resize(n);
    point.qdd.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const double w = wave.frequency[k], angle = w * t + wave.phase[k];
      point.q[k] = wave.offset[k] + wave.amplitude[k] * std::sin(angle);
      point.qd[k] = wave.amplitude[k] * w * std::cos(angle);
      point.qdd[k] = -wave.amplitude[k] * w * w * std::sin(angle);
    }
  };
}

}  // namespace torsor
