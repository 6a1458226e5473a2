#pragma once
/// Motions that go on for ever: sines of single coordinates and a circle.
///
///   Sinusoid   offset_k + amplitude_k sin(frequency_k t + phase_k)
///   Circle     centre + radius (u cos(rate t + phase) + v sin(rate t + phase)), u, v orthonormal
///
/// An empty view leaves its part out. Frequencies and rates in rad/s.
#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

/// One number of each for every coordinate.
struct Sinusoid {
  Array<double> offset, amplitude, frequency, phase;

  int size() const { return amplitude.size(); }
  void sample(double t, Out<double> q, Out<double> qd, Out<double> qdd) const;
};

struct Circle {
  Array<double> centre, u, v;
  double radius = 1, rate = 1, phase = 0;

  int size() const { return centre.size(); }
  void sample(double t, Out<double> x, Out<double> xd, Out<double> xdd) const;
};

}  // namespace torsor
