#include "torsor/linear/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "torsor/linear/eigenvalues.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

Matrix::Matrix(int rows, int cols, Array<double> by_rows)
    : rows_(rows), cols_(cols), entries_(std::move(by_rows)) {
  if (entries_.size() != rows * cols)
    throw Error("matrix: " + std::to_string(entries_.size()) + " entries for " +
                std::to_string(rows) + " x " + std::to_string(cols));
}

Matrix product(InMatrix<double> A, InMatrix<double> B) {
  Matrix C(A.rows, B.cols);
  for (int i = 0; i < A.rows; ++i)
    for (int k = 0; k < A.cols; ++k)
      for (int j = 0; j < B.cols; ++j) C(i, j) += A(i, k) * B(k, j);
  return C;
}

Matrix matrix_exponential(const Matrix& A) {
  const int n = A.rows();
  double norm = 0;  // the largest sum along a row
  for (int r = 0; r < n; ++r) {
    double sum = 0;
    for (int c = 0; c < n; ++c) sum += std::abs(A(r, c));
    norm = std::fmax(norm, sum);
  }
  const int squarings = norm > 0 && norm < 1e300 ? std::max(0, std::ilogb(norm) + 2) : 0;
  const double scale = std::ldexp(1.0, -squarings);
  Matrix term = Matrix::identity(n), sum = term;
  for (int k = 1; k < 24; ++k) {
    term = product(term, A);
    for (int i = 0; i < n * n; ++i) sum.data()[i] += (term.data()[i] *= scale / k);
  }
  for (int k = 0; k < squarings; ++k) sum = product(sum, sum);
  return sum;
}

double internal::spectral_norm(InMatrix<double> A) {
  Svd svd(A.rows, A.cols);
  svd.factorise(A);
  return svd.largest();
}

double internal::spectral_radius(InMatrix<double> A) {
  Eigenvalues values(A.rows);
  if (!values.compute(A)) return std::numeric_limits<double>::infinity();
  double radius = 0;
  for (int k = 0; k < values.size(); ++k)
    radius = std::max(radius, std::hypot(values.real(k), values.imaginary(k)));
  return radius;
}

}  // namespace torsor
