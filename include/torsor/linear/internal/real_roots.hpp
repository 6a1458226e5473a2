#pragma once
/// Real roots of polynomials on the whole line, and of functions known by samples.
///
///   p(t) = 0             between two neighbouring roots of p' there is at most one root of p
///
/// Polynomials are solved for |t| <= 1, and reversed for |t| > 1, so that t = infinity (the half
/// tangent of pi) is a root like any other.
/// Cost     No allocation but in the zeros of sampled functions. Quartic: about a microsecond.
/// Source   Aberth 1973 (sampled waves).
#include <cmath>
#include <vector>

#include "torsor/math/internal/fixed_array.hpp"

namespace torsor::internal {

/// A root t = y / x: x = 0 is infinity.
struct ProjectiveRoot {
  double y = 0, x = 1;
};

template <int Degree>
struct ProjectiveRoots {
  int n = 0;
  bool identity = false;  ///< all coefficients are zero to rounding
  ProjectiveRoot root[2 * Degree] = {};
};

inline double polynomial_at(const double* c, int degree, double t) {
  double p = c[degree];
  for (int k = degree - 1; k >= 0; --k) p = p * t + c[k];
  return p;
}

/// The root of p between lo and hi, where its sign changes: Newton's method, bisection where that
/// leaves the interval. `slope` are the coefficients of p'.
inline double root_between(const double* p, const double* slope, int degree, double lo, double hi,
                           bool negative_at_lo) {
  double t = 0.5 * (lo + hi);
  for (int step = 0; step < 80; ++step) {
    const double f = polynomial_at(p, degree, t), g = polynomial_at(slope, degree - 1, t);
    ((f < 0) == negative_at_lo ? lo : hi) = t;
    double next = t - f / g;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (std::abs(next - t) <= 1e-16 || next == t) break;
    t = next;
  }
  return t;
}

/// Roots of c[0] + c[1] t + ... in [-1, 1], ascending; touching within `noise` counts.
template <int Degree>
int roots_in_unit(const double* c, double noise, double* out) {
  double d[Degree + 1][Degree + 1] = {};  // the k-th derivative
  for (int j = 0; j <= Degree; ++j) d[0][j] = c[j];
  for (int k = 1; k <= Degree; ++k)
    for (int j = 0; j + k <= Degree; ++j) d[k][j] = d[k - 1][j + 1] * (j + 1);
  double stops[Degree + 2] = {}, next[Degree + 2] = {};
  int n_stops = 0;
  for (int k = Degree - 1; k >= 0; --k) {
    const int degree = Degree - k;
    int found = 0;
    double left = -1, f_left = polynomial_at(d[k], degree, left);
    for (int i = 0; i <= n_stops; ++i) {
      const double right = i < n_stops ? stops[i] : 1;
      const double f_right = polynomial_at(d[k], degree, right);
      const bool touches = k == 0 && std::abs(f_right) <= noise && i < n_stops;
      if (f_left == 0 && i == 0 && found < Degree) next[found++] = left;
      if ((f_left < 0) != (f_right < 0) && f_left != 0 && found < Degree)
        next[found++] = root_between(d[k], d[k + 1], degree, left, right, f_left < 0);
      else if (touches && found < Degree)
        next[found++] = right;
      left = right;
      f_left = f_right;
    }
    n_stops = found;
    for (int i = 0; i < found; ++i) stops[i] = next[i];
  }
  for (int i = 0; i < n_stops; ++i) out[i] = stops[i];
  return n_stops;
}

/// Real roots of c[0] + c[1] t + ... + c[Degree] t^Degree on the projective line. A double root may
/// come once or as two close ones; the caller merges.
template <int Degree>
ProjectiveRoots<Degree> real_roots(const FixedArray<double, Degree + 1>& c, double size = 0) {
  ProjectiveRoots<Degree> roots;
  double largest = 0;
  for (const double x : c) largest = std::abs(x) > largest ? std::abs(x) : largest;
  if (!(largest > size * 1e-13)) {
    roots.identity = true;
    return roots;
  }
  const double noise = 1e-12 * largest;
  double t[Degree + 2], reversed[Degree + 1];
  int n = roots_in_unit<Degree>(c.data(), noise, t);
  for (int i = 0; i < n; ++i) roots.root[roots.n++] = {t[i], 1};
  for (int i = 0; i <= Degree; ++i) reversed[i] = c.data()[Degree - i];
  n = roots_in_unit<Degree>(reversed, noise, t);
  for (int i = 0; i < n; ++i)
    if (std::abs(t[i]) < 1) roots.root[roots.n++] = {1, t[i]};
  return roots;
}

/// Zeros of a function of one variable that is known by samples. Allocates.
struct Zeros {
  std::vector<double> values;  ///< ascending; a double zero once, to the root of the rounding error
  bool constant = false;       ///< the function does not depend on the variable,
  bool always = false;         ///< and is zero
};
/// Angles in (-pi, pi] at which a trigonometric polynomial of degree 3 vanishes, from its values at
/// 2 pi k / 7. Coefficients below 1e-11 of `scale` are rounding errors.
Zeros zeros_of_wave(const FixedArray<double, 7>& samples, double scale);
/// Where a quadratic vanishes, from its values at -1, 0, 1.
Zeros zeros_of_quadratic(const FixedArray<double, 3>& samples, double scale);

}  // namespace torsor::internal
