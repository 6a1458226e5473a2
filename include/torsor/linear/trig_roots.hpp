#pragma once
/// Angles with k1 sin + k2 cos = k3.
///
///   s = (k1 k3 +- k2 w)/rho^2,  c = (k2 k3 -+ k1 w)/rho^2,   rho^2 = k1^2 + k2^2,
///                                                            w^2 = (rho - k3)(rho + k3)
///
/// The roots come as sine and cosine: no arc functions, no loss at the ends of the range.
/// Source   Huo 2005, (1-21), (1-22), exercise 1-22.
#include <cmath>

#include "torsor/math/trig.hpp"

namespace torsor {

/// Roots of k1 sin(theta) + k2 cos(theta) = k3.
struct TrigRoots {
  int n = 0;              ///< 0, 1 (double root) or 2
  bool identity = false;  ///< k1 = k2 = 0: every angle (k3 = 0) or none; n is 0
  double sin[2] = {}, cos[2] = {};
  double theta(int i) const { return atan2(sin[i], cos[i]); }
};

/// The first root is the one with + in theta = atan2(k1, k2) +- atan2(w, k3). Roots closer than
/// about sqrt(tolerance) are one; a k3 beyond rho by less than that is taken as rho.
/// `size` is the magnitude of the terms that k1, k2 and k3 are sums of: below its rounding they are
/// 0, and k3 is beyond rho only by more than that, or by more than `beyond`.
inline TrigRoots solve_trig(double k1, double k2, double k3, double size = 0,
                            double tolerance = 1e-14, double beyond = 0) {
  TrigRoots roots;
  const double rho2 = k1 * k1 + k2 * k2;
  if (!(rho2 > size * size * 1e-24)) {
    roots.identity = true;
    return roots;
  }
  const double rho = std::sqrt(rho2), w2 = (rho - k3) * (rho + k3);
  const double slack = tolerance * (rho2 + rho * size);
  if (!(w2 >= -slack || std::abs(k3) <= rho + beyond)) return roots;
  const double k = 1 / rho2;
  if (w2 <= slack) {
    const double sign = k3 < 0 ? -1 / rho : 1 / rho;
    roots.n = 1;
    roots.sin[0] = k1 * sign;
    roots.cos[0] = k2 * sign;
    return roots;
  }
  const double w = std::sqrt(w2);
  roots.n = 2;
  roots.sin[0] = (k1 * k3 + k2 * w) * k, roots.sin[1] = (k1 * k3 - k2 * w) * k;
  roots.cos[0] = (k2 * k3 - k1 * w) * k, roots.cos[1] = (k2 * k3 + k1 * w) * k;
  return roots;
}

}  // namespace torsor
