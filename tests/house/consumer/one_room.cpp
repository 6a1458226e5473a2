#include <cmath>

#include "torsor/math/spatial.hpp"

// A screw motion and back: log(exp(V)) = V.
int main() {
  const torsor::Twist<double> V{{0.1, -0.2, 0.3}, {1, 2, 3}};
  const torsor::Twist<double> difference = log(exp(V)) - V;
  return std::sqrt(dot(difference.w, difference.w) + dot(difference.v, difference.v)) < 1e-14 ? 0
                                                                                              : 1;
}
