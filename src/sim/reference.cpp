#include "torsor/sim/reference.hpp"

#include <cmath>

namespace torsor {

void Sinusoid::sample(double t, View<double> q, View<double> qd, View<double> qdd) const {
  for (std::size_t k = 0; k < offset.size(); ++k) {
    const int i = static_cast<int>(k);
    const double w = frequency[k], angle = w * t + phase[k];
    if (!q.empty()) q[i] = offset[k] + amplitude[k] * std::sin(angle);
    if (!qd.empty()) qd[i] = amplitude[k] * w * std::cos(angle);
    if (!qdd.empty()) qdd[i] = -amplitude[k] * w * w * std::sin(angle);
  }
}

ReferenceFunction follow(const Sinusoid& wave) {
  const int n = static_cast<int>(wave.offset.size());
  return follow(wave, n, n);
}

}  // namespace torsor
