#include "torsor/trajectory/periodic.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/math/trig.hpp"

namespace torsor {

void Sinusoid::sample(double t, Out<double> q, Out<double> qd, Out<double> qdd) const {
  constexpr int block = 16;
  double angle[block], s[block], c[block];
  for (int first = 0; first < size(); first += block) {
    const int n = std::min(block, size() - first);
    bool near = true;  // farther ones are the C library's
    for (int i = 0; i < n; ++i) {
      angle[i] = frequency[first + i] * t + phase[first + i];
      near = near && std::abs(angle[i]) <= 1e4;
    }
    if (near)
      internal::sincos_many(angle, s, c, n);
    else
      for (int i = 0; i < n; ++i) s[i] = std::sin(angle[i]), c[i] = std::cos(angle[i]);
    for (int i = 0; i < n; ++i) {
      const int k = first + i;
      const double w = frequency[k], a = amplitude[k];
      if (!q.empty()) q[k] = offset[k] + a * s[i];
      if (!qd.empty()) qd[k] = a * w * c[i];
      if (!qdd.empty()) qdd[k] = -a * w * w * s[i];
    }
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
