#pragma once
/// Eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi rotations.
///
///   A = sum_k values[k] vectors[k] vectors[k]^T,   values ascending, vectors orthonormal
///
/// Each rotation annihilates one off-diagonal pair; sweeps repeat until every pair is negligible
/// beside its two diagonal entries. Chosen for its accuracy: the vectors are orthonormal to
/// rounding even where values coincide.
/// Cost     About 6 sweeps of N (N - 1) / 2 rotations; no allocation. Not a kernel: it branches on
///          values, so it takes plain numbers only.
/// Source   Golub & Van Loan 2013, sec. 8.5.
#include <array>
#include <cstddef>
#include <utility>

#include "torsor/math/scalar.hpp"

namespace torsor {

template <class Real, std::size_t N>
using SquareMatrix = std::array<std::array<Real, N>, N>;

template <class Real, std::size_t N>
struct SymmetricEigen {
  std::array<Real, N> values{};
  SquareMatrix<Real, N> vectors{};  ///< vectors[k] belongs to values[k]
};

/// Only the upper triangle of a (row p, column q >= p) is read.
template <Plain Real, std::size_t N>
SymmetricEigen<Real, N> symmetric_eigen(SquareMatrix<Real, N> a) {
  SquareMatrix<Real, N> v{};
  for (std::size_t k = 0; k < N; ++k) v[k][k] = Real(1);
  // c x - s y and s x + c y, as corrections with h = s / (1 + c): c itself is never rounded.
  const auto turn = [](Real& x, Real& y, Real s, Real h) {
    const Real old = x;
    x = old - s * (y + h * old);
    y = y + s * (old - h * y);
  };
  constexpr int most_sweeps = 50;  // quadratic convergence ends far earlier; NaN ends here
  for (int sweep = 0, busy = 1; busy != 0 && sweep < most_sweeps; ++sweep) {
    busy = 0;
    for (std::size_t p = 0; p + 1 < N; ++p) {
      for (std::size_t q = p + 1; q < N; ++q) {
        const Real g = abs(a[p][q]);
        if (abs(a[p][p]) + g == abs(a[p][p]) && abs(a[q][q]) + g == abs(a[q][q])) {
          a[p][q] = Real(0);
          continue;
        }
        busy = 1;
        // t = tan of the smaller angle that makes a_pq zero: t^2 + 2 r t - 1 = 0.
        const Real r = (a[q][q] - a[p][p]) / (Real(2) * a[p][q]);
        const Real t = copysign(Real(1), r) / (abs(r) + sqrt(r * r + Real(1)));
        const Real c = Real(1) / sqrt(t * t + Real(1)), s = t * c, h = s / (Real(1) + c);
        a[p][p] -= t * a[p][q];
        a[q][q] += t * a[p][q];
        a[p][q] = Real(0);
        for (std::size_t k = 0; k < p; ++k) turn(a[k][p], a[k][q], s, h);
        for (std::size_t k = p + 1; k < q; ++k) turn(a[p][k], a[k][q], s, h);
        for (std::size_t k = q + 1; k < N; ++k) turn(a[p][k], a[q][k], s, h);
        for (std::size_t k = 0; k < N; ++k) turn(v[p][k], v[q][k], s, h);
      }
    }
  }
  SymmetricEigen<Real, N> result;
  result.vectors = v;
  for (std::size_t k = 0; k < N; ++k) result.values[k] = a[k][k];
  for (std::size_t k = 1; k < N; ++k) {
    for (std::size_t j = k; j > 0 && result.values[j] < result.values[j - 1]; --j) {
      std::swap(result.values[j], result.values[j - 1]);
      std::swap(result.vectors[j], result.vectors[j - 1]);
    }
  }
  return result;
}

}  // namespace torsor
