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

namespace torsor::internal {

template <class Real, std::size_t N>
using SquareMatrix = std::array<std::array<Real, N>, N>;

template <class Real, std::size_t N>
struct EigenPairs {
  std::array<Real, N> values{};
  SquareMatrix<Real, N> vectors{};  ///< vectors[k] belongs to values[k]
};

/// a and v are n x n by rows. Of a the upper triangle (row p, column q >= p) is read; the values
/// come to its diagonal, ascending, the vectors to the rows of v.
template <Plain Real>
void diagonalise(Real* a, Real* v, int n) {
  for (int k = 0; k < n * n; ++k) v[k] = Real(k % (n + 1) == 0 ? 1 : 0);
  // c x - s y and s x + c y, as corrections with h = s / (1 + c): c itself is never rounded.
  const auto turn = [](Real& x, Real& y, Real s, Real h) {
    const Real old = x;
    x = old - s * (y + h * old);
    y = y + s * (old - h * y);
  };
  constexpr int most_sweeps = 50;  // quadratic convergence ends far earlier; NaN ends here
  for (int sweep = 0, busy = 1; busy != 0 && sweep < most_sweeps; ++sweep) {
    busy = 0;
    for (int p = 0; p + 1 < n; ++p) {
      for (int q = p + 1; q < n; ++q) {
        Real &pp = a[p * n + p], &pq = a[p * n + q], &qq = a[q * n + q];
        const Real g = abs(pq);
        if (abs(pp) + g == abs(pp) && abs(qq) + g == abs(qq)) {
          pq = Real(0);
          continue;
        }
        busy = 1;
        // t = tan of the smaller angle that makes a_pq zero: t^2 + 2 r t - 1 = 0.
        const Real r = (qq - pp) / (Real(2) * pq);
        const Real t = copysign(Real(1), r) / (abs(r) + sqrt(r * r + Real(1)));
        const Real c = Real(1) / sqrt(t * t + Real(1)), s = t * c, h = s / (Real(1) + c);
        pp -= t * pq;
        qq += t * pq;
        pq = Real(0);
        for (int k = 0; k < p; ++k) turn(a[k * n + p], a[k * n + q], s, h);
        for (int k = p + 1; k < q; ++k) turn(a[p * n + k], a[k * n + q], s, h);
        for (int k = q + 1; k < n; ++k) turn(a[p * n + k], a[q * n + k], s, h);
        for (int k = 0; k < n; ++k) turn(v[p * n + k], v[q * n + k], s, h);
      }
    }
  }
  for (int k = 1; k < n; ++k)
    for (int j = k; j > 0 && a[j * n + j] < a[(j - 1) * n + j - 1]; --j) {
      std::swap(a[j * n + j], a[(j - 1) * n + j - 1]);
      for (int i = 0; i < n; ++i) std::swap(v[j * n + i], v[(j - 1) * n + i]);
    }
}

/// Only the upper triangle of a (row p, column q >= p) is read.
template <Plain Real, std::size_t N>
EigenPairs<Real, N> symmetric_eigen(SquareMatrix<Real, N> a) {
  EigenPairs<Real, N> result;
  diagonalise(&a[0][0], &result.vectors[0][0], static_cast<int>(N));
  for (std::size_t k = 0; k < N; ++k) result.values[k] = a[k][k];
  return result;
}

}  // namespace torsor::internal
