#include "torsor/linear/lu.hpp"

#include <cassert>

namespace torsor {
namespace {

struct Factors {
  const double* first;
  int stride;
  double operator()(int r, int c) const { return first[r * stride + c]; }
};
struct Column {
  double* x;
  double& operator()(int r, int) const { return x[r]; }
};

}  // namespace

bool Lu::factorise(InMatrix<double> A, double tolerance) {
  assert(A.rows == A.cols && A.rows <= exchange_.size());
  n_ = A.rows;
  const internal::RowMajor a{factors_.data(), n_};
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c < n_; ++c) a(r, c) = A(r, c);
  pivots_ = internal::eliminate(a, n_, exchange_.data());
  return n_ == 0 || (pivots_.least > tolerance * pivots_.most && std::isfinite(pivots_.most));
}

double Lu::determinant() const {
  if (n_ > 0 && !(pivots_.least > 0)) return 0;
  double result = 1;
  for (int k = 0; k < n_; ++k) result *= exchange_[k] == k ? entry(k, k) : -entry(k, k);
  return result;
}

void Lu::solve(Out<double> x) const {
  assert(x.size == n_);
  internal::substitute(Factors{factors_.data(), n_}, n_, exchange_.data(), Column{x.data}, 1);
}

void Lu::solve(OutMatrix<double> X) const {
  assert(X.rows == n_);
  const Factors factors{factors_.data(), n_};
  if (X.col_stride == 1)
    internal::substitute(factors, n_, exchange_.data(), internal::RowMajor{X.data, X.row_stride},
                         X.cols);
  else
    internal::substitute(factors, n_, exchange_.data(), X, X.cols);
}

void Lu::inverse(OutMatrix<double> A_inverse) const {
  assert(A_inverse.rows == n_ && A_inverse.cols == n_);
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c < n_; ++c) A_inverse(r, c) = r == c;
  solve(A_inverse);
}

}  // namespace torsor
