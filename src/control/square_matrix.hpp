#pragma once
/// Small dense matrices of certificates: n x n by rows.
#include <algorithm>
#include <cmath>
#include <vector>

#include "torsor/control/gain.hpp"

namespace torsor::control_detail {

using Square = std::vector<double>;

inline int side(const Square& a) {
  return static_cast<int>(std::lround(std::sqrt(static_cast<double>(a.size()))));
}

inline Square product(const Square& a, const Square& b, int n) {
  Square c(a.size());
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        c[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(i * n + k)] * b[static_cast<std::size_t>(k * n + j)];
  return c;
}

/// a^-1 by Gauss and Jordan with row exchanges, in place; false where a is singular.
inline bool invert(Square& a, int n) {
  const auto at = [&](int r, int c) -> double& { return a[static_cast<std::size_t>(r * n + c)]; };
  std::vector<int> exchanged(static_cast<std::size_t>(n));
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r)
      if (std::abs(at(r, c)) > std::abs(at(pivot, c))) pivot = r;
    exchanged[static_cast<std::size_t>(c)] = pivot;
    for (int j = 0; j < n; ++j) std::swap(at(c, j), at(pivot, j));
    if (!(std::abs(at(c, c)) > 0)) return false;
    const double factor = 1 / at(c, c);
    at(c, c) = 1;
    for (int j = 0; j < n; ++j) at(c, j) *= factor;
    for (int r = 0; r < n; ++r) {
      if (r == c) continue;
      const double f = at(r, c);
      at(r, c) = 0;
      for (int j = 0; j < n; ++j) at(r, j) -= f * at(c, j);
    }
  }
  for (int c = n - 1; c >= 0; --c)
    for (int r = 0; r < n; ++r) std::swap(at(r, c), at(r, exchanged[static_cast<std::size_t>(c)]));
  return true;
}

inline double frobenius_norm(const Square& a) {
  double sum = 0;
  for (const double x : a) sum += x * x;
  return std::sqrt(sum);
}

/// Largest singular value.
inline double spectral_norm(const Square& a, int n) {
  Square aa(a.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        aa[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(k * n + i)] * a[static_cast<std::size_t>(k * n + j)];
  return std::sqrt(std::max(0.0, Gain::full(n, std::move(aa)).largest_eigenvalue()));
}

/// Of a matrix without negative entries: the limit of |a^m|^(1/m), by squaring.
inline double spectral_radius(Square a, int n) {
  double logarithm = 0;
  for (int k = 0; k < 50; ++k) {
    const double norm = frobenius_norm(a);
    if (!(norm > 0)) return 0;
    logarithm += std::ldexp(std::log(norm), -k);
    for (double& x : a) x /= norm;
    a = product(a, a, n);
  }
  return std::exp(logarithm);
}

}  // namespace torsor::control_detail
