#include "torsor/linear/symmetric_eigen.hpp"

#include <cassert>
#include <limits>

#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/matrix.hpp"
#include "torsor/math/internal/symmetric_eigen.hpp"

namespace torsor {

void SymmetricEigen::factorise(InMatrix<double> A) {
  assert(A.rows == A.cols && A.rows * A.rows <= a_.size());
  n_ = A.rows;
  for (int r = 0; r < n_; ++r)
    for (int c = r; c < n_; ++c) a_[r * n_ + c] = A(r, c);
  internal::diagonalise(a_.data(), vectors_.data(), n_);
}

/// That of L^-1 A L^-T with B = L L^T.
double internal::smallest_generalised_eigenvalue(InMatrix<double> A, InMatrix<double> B) {
  const int n = A.rows;
  Cholesky L(n);
  if (!L.factorise(B)) return std::numeric_limits<double>::quiet_NaN();
  Matrix M(n, n);  // A by columns, which are its rows
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) M(c, r) = A(r, c);
  for (int pass = 0; pass < 2; ++pass) {  // L^-1 times each column, then times those of A L^-T
    for (int c = 0; c < n; ++c) L.solve_lower(View<double>(M.data() + c * n, n));
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < r; ++c) std::swap(M(r, c), M(c, r));
  }
  SymmetricEigen eigen(n);
  eigen.factorise(M);
  return eigen.smallest();
}

}  // namespace torsor
