#pragma once
/// Modes that end and begin again inside one step: a point that passes through a ball smaller than
/// the step, a joint whose velocity dips below zero.
///
/// A margin is positive within its mode. Where the cubic through both ends of a step with their
/// rates comes near zero inside it, the margin is looked at there; where it differs from the cubic
/// by more than it has left, both parts are looked at again.
///
/// Margins of spheres are squared distances less squared radii: smooth however small the ball is.
/// Cost     Nothing but the cubic as long as it stays away from zero; else an evaluation each.
#include <cmath>
#include <limits>

namespace torsor::sim_detail {

/// A margin at a fraction u of a step, and its rate by u.
struct MarginAt {
  double u = 0, value = 0, rate = 0;
};

/// The cubic between two of them: the place of its minimum inside, as a fraction, and its value.
struct CubicMinimum {
  double at = -1, value = std::numeric_limits<double>::infinity();

  CubicMinimum(const MarginAt& a, const MarginAt& b) {
    const double w = b.u - a.u, m0 = w * a.rate, m1 = w * b.rate, d = b.value - a.value;
    const double c2 = 3 * d - 2 * m0 - m1, c3 = m0 + m1 - 2 * d;
    const double A = 3 * c3, B = 2 * c2, root = std::sqrt(B * B - 4 * A * m0);
    const double s = B >= 0 ? -2 * m0 / (B + root) : (root - B) / (2 * A);
    if (!(s > 0 && s < 1)) return;  // NaN too: no extremum
    at = a.u + s * w;
    value = a.value + s * (m0 + s * (c2 + s * c3));
  }
};

/// The first fraction found between a and b, where the margin is positive, at which it is negative;
/// infinity: none. `look(u)` gives the margin at a fraction.
template <class Look>
double hidden_zero(const MarginAt& a, const MarginAt& b, Look&& look, int depth = 6) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const CubicMinimum lowest(a, b);
  if (lowest.at < 0) return none;
  const double dip = std::fmin(a.value, b.value) - lowest.value;
  if (lowest.value > dip) return none;
  const MarginAt m = look(lowest.at);
  if (m.value < 0) return m.u;
  const double off = std::abs(m.value - lowest.value);
  if (lowest.value > 4 * off || depth == 0) return none;
  const double first = hidden_zero(a, m, look, depth - 1);
  return first < none ? first : hidden_zero(m, b, look, depth - 1);
}

}  // namespace torsor::sim_detail
