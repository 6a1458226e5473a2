#pragma once
/// Real roots for inverse kinematics: k1 sin + k2 cos = k3, and polynomials on the whole line.
///
///   k1 s + k2 c = k3     s = (k1 k3 +- k2 w)/rho^2,  c = (k2 k3 -+ k1 w)/rho^2,
///                        rho^2 = k1^2 + k2^2,  w^2 = (rho - k3)(rho + k3)                  (1-22)
///   p(t) = 0             between two neighbouring roots of p' there is at most one root of p
///
/// The trigonometric roots come as sine and cosine: no arc functions, no loss at the ends of the
/// range. Polynomials are solved for |t| <= 1, and reversed for |t| > 1, so that t = infinity (the
/// half tangent of pi) is a root like any other.
/// Cost     No allocation. Quartic: about a microsecond.
/// Source   textbook (1-21), (1-22), exercise 1-22.
#include <array>
#include <cmath>

#include "torsor/math/scalar.hpp"

namespace torsor {

/// Roots of k1 sin(theta) + k2 cos(theta) = k3.
struct TrigRoots {
  int n = 0;              ///< 0, 1 (double root) or 2
  bool identity = false;  ///< k1 = k2 = 0: every angle (k3 = 0) or none; n is 0
  std::array<double, 2> sin{}, cos{};
  double theta(int i) const {
    return atan2(sin[static_cast<std::size_t>(i)], cos[static_cast<std::size_t>(i)]);
  }
};

/// The first root is the one with + in theta = atan2(k1, k2) +- atan2(w, k3). Roots closer than
/// about sqrt(tolerance) are one; a k3 beyond rho by less than that is taken as rho.
/// `size` is the magnitude of the terms that k1 and k2 are sums of: below its rounding they are 0.
inline TrigRoots solve_trig(double k1, double k2, double k3, double size = 0,
                            double tolerance = 1e-14) {
  TrigRoots roots;
  const double rho2 = k1 * k1 + k2 * k2;
  if (!(rho2 > size * size * 1e-24)) {
    roots.identity = true;
    return roots;
  }
  const double rho = std::sqrt(rho2), w2 = (rho - k3) * (rho + k3);
  if (!(w2 >= -tolerance * rho2)) return roots;
  const double k = 1 / rho2;
  if (w2 <= tolerance * rho2) {
    const double sign = k3 < 0 ? -1 / rho : 1 / rho;
    roots.n = 1;
    roots.sin[0] = k1 * sign;
    roots.cos[0] = k2 * sign;
    return roots;
  }
  const double w = std::sqrt(w2);
  roots.n = 2;
  roots.sin = {(k1 * k3 + k2 * w) * k, (k1 * k3 - k2 * w) * k};
  roots.cos = {(k2 * k3 - k1 * w) * k, (k2 * k3 + k1 * w) * k};
  return roots;
}

/// A root t = y / x: x = 0 is infinity.
struct ProjectiveRoot {
  double y = 0, x = 1;
};

template <int Degree>
struct ProjectiveRoots {
  int n = 0;
  bool identity = false;  ///< all coefficients are zero to rounding
  std::array<ProjectiveRoot, 2 * Degree> root{};
};

namespace detail {

template <int Degree>
double horner(const std::array<double, Degree + 1>& c, int degree, double t) {
  double p = c[static_cast<std::size_t>(degree)];
  for (int k = degree - 1; k >= 0; --k) p = p * t + c[static_cast<std::size_t>(k)];
  return p;
}

/// Roots of c[0] + c[1] t + ... in [-1, 1], ascending; touching within `noise` counts.
template <int Degree>
int roots_in_unit(const std::array<double, Degree + 1>& c, double noise, double* out) {
  // d[k]: the k-th derivative, divided by k!, so that all have like sizes.
  std::array<std::array<double, Degree + 1>, Degree + 1> d{};
  d[0] = c;
  for (int k = 1; k <= Degree; ++k)
    for (int j = 0; j + k <= Degree; ++j)
      d[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)] =
          d[static_cast<std::size_t>(k - 1)][static_cast<std::size_t>(j + 1)] * (j + 1);
  std::array<double, Degree + 2> stops{}, next{};
  int n_stops = 0;
  for (int k = Degree - 1; k >= 0; --k) {
    const auto& p = d[static_cast<std::size_t>(k)];
    const auto& slope = d[static_cast<std::size_t>(k + 1)];
    const int degree = Degree - k;
    const auto at = [&](double t) { return horner<Degree>(p, degree, t); };
    int found = 0;
    double left = -1, f_left = at(left);
    for (int i = 0; i <= n_stops; ++i) {
      const double right = i < n_stops ? stops[static_cast<std::size_t>(i)] : 1;
      const double f_right = at(right);
      const bool touches = k == 0 && std::abs(f_right) <= noise && i < n_stops;
      if (f_left == 0 && i == 0 && found < Degree) next[static_cast<std::size_t>(found++)] = left;
      if ((f_left < 0) != (f_right < 0) && f_left != 0 && found < Degree) {
        double lo = left, hi = right, t = 0.5 * (lo + hi);
        for (int step = 0; step < 80; ++step) {
          const double f = at(t), g = horner<Degree>(slope, degree - 1, t);
          if ((f < 0) == (f_left < 0))
            lo = t;
          else
            hi = t;
          double newton = t - f / g;
          if (!(newton > lo && newton < hi)) newton = 0.5 * (lo + hi);
          if (std::abs(newton - t) <= 1e-16 || newton == t) break;
          t = newton;
        }
        next[static_cast<std::size_t>(found++)] = t;
      } else if (touches && found < Degree) {
        next[static_cast<std::size_t>(found++)] = right;
      }
      left = right;
      f_left = f_right;
    }
    n_stops = found;
    stops = next;
  }
  for (int i = 0; i < n_stops; ++i) out[i] = stops[static_cast<std::size_t>(i)];
  return n_stops;
}

}  // namespace detail

/// Real roots of c[0] + c[1] t + ... + c[Degree] t^Degree on the projective line. A double root may
/// come once or as two close ones; the caller merges.
template <int Degree>
ProjectiveRoots<Degree> real_roots(const std::array<double, Degree + 1>& c, double size = 0) {
  ProjectiveRoots<Degree> roots;
  double largest = 0;
  for (const double x : c) largest = std::abs(x) > largest ? std::abs(x) : largest;
  if (!(largest > size * 1e-13)) {
    roots.identity = true;
    return roots;
  }
  const double noise = 1e-12 * largest;
  std::array<double, Degree + 2> t{};
  int n = detail::roots_in_unit<Degree>(c, noise, t.data());
  for (int i = 0; i < n; ++i)
    roots.root[static_cast<std::size_t>(roots.n++)] = {t[static_cast<std::size_t>(i)], 1};
  std::array<double, Degree + 1> reversed{};
  for (int i = 0; i <= Degree; ++i)
    reversed[static_cast<std::size_t>(i)] = c[static_cast<std::size_t>(Degree - i)];
  n = detail::roots_in_unit<Degree>(reversed, noise, t.data());
  for (int i = 0; i < n; ++i)
    if (std::abs(t[static_cast<std::size_t>(i)]) < 1)
      roots.root[static_cast<std::size_t>(roots.n++)] = {1, t[static_cast<std::size_t>(i)]};
  return roots;
}

}  // namespace torsor
