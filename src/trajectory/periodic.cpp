#include "torsor/trajectory/periodic.hpp"

#include <cmath>

namespace torsor {

void Sinusoid::sample(double t, Out<double> q, Out<double> qd, Out<double> qdd) const {
  for (int k = 0; k < size(); ++k) {
    const double w = frequency[k], angle = w * t + phase[k];
    if (!q.empty()) q[k] = offset[k] + amplitude[k] * std::sin(angle);
    if (!qd.empty()) qd[k] = amplitude[k] * w * std::cos(angle);
    if (!qdd.empty()) qdd[k] = -amplitude[k] * w * w * std::sin(angle);
  }
}

void Circle::sample(double t, Out<double> x, Out<double> xd, Out<double> xdd) const {
  const double c = std::cos(rate * t + phase), s = std::sin(rate * t + phase);
  for (int k = 0; k < size(); ++k) {
    if (!x.empty()) x[k] = centre[k] + radius * (u[k] * c + v[k] * s);
    if (!xd.empty()) xd[k] = radius * rate * (v[k] * c - u[k] * s);
    if (!xdd.empty()) xdd[k] = -radius * rate * rate * (u[k] * c + v[k] * s);
  }
}

}  // namespace torsor
