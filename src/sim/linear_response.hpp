#pragma once
/// How e'' + kd e' + kp e + ki int e = 0 moves: what poles predict of an error, and until when decay
/// is seen.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "torsor/math/view.hpp"

namespace torsor::sim_detail {

/// What sampled control is held to, as a share of what is claimed of continuous control.
inline constexpr double sampled_tolerance = 2e-3;

/// Above which V its decay is looked at. States are known to about 1e-10 of their size at the start,
/// and V, a square of them, to 2e-10 sqrt(V(0) / V) of itself. Samples leave errors of
/// `sampled_tolerance` of the motion: of V its square, beside `still`, the largest V of a robot that
/// stays where it starts. Where V starts below that it has nothing to decay and is allowed what a
/// cost is.
inline double least_decaying(bool sampled, double first, double still) {
  if (!sampled) return 1e-8 * first;
  const double left = sampled_tolerance * sampled_tolerance * std::fmax(first, still);
  return first > left || first == still ? left : sampled_tolerance * still;
}

/// Rows of a 3 x 3 matrix that moves (int e, e, e').
using Transition = std::array<double, 9>;

inline Transition product(const Transition& a, const Transition& b) {
  Transition c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return c;
}

/// exp(A h) of e'' + kd e' + kp e + ki int e = 0, by Taylor's series of h / 2^k and k squarings.
inline Transition transition(const std::vector<double>& coefficients, double h) {
  const double kp = coefficients[0], kd = coefficients[1];
  const double ki = coefficients.size() > 2 ? coefficients[2] : 0;
  const double size = 1 + std::abs(kp) + std::abs(kd) + std::abs(ki);
  const int squarings = std::clamp(std::ilogb(size * h), -4, 1020) + 4;
  const double x = std::ldexp(h, -squarings);
  const Transition A{0, x, 0, 0, 0, x, -ki * x, -kp * x, -kd * x};
  Transition sum{1, 0, 0, 0, 1, 0, 0, 0, 1}, term = sum;
  for (int k = 1; k <= 12; ++k) {
    term = product(term, A);
    for (std::size_t i = 0; i < 9; ++i) sum[i] += (term[i] /= k);
  }
  for (int k = 0; k < squarings; ++k) sum = product(sum, sum);
  return sum;
}

/// Calls visit(k, e from (int e)(0) = 1, from e(0) = 1, from e'(0) = 1) for each of n times; time(k)
/// is the k-th.
template <class Time, class Visit>
void each_response(int n, Time time, const std::vector<double>& coefficients, Visit visit) {
  Transition whole{1, 0, 0, 0, 1, 0, 0, 0, 1}, step = whole;
  double of = 0;
  for (int k = 0; k < n; ++k) {
    const double h = k == 0 ? 0 : time(k) - time(k - 1);
    if (k > 0 && std::abs(h - of) > 1e-12 * of) step = transition(coefficients, of = h);
    if (k > 0) whole = product(step, whole);
    visit(k, whole[3], whole[4], whole[5]);
  }
}

}  // namespace torsor::sim_detail
