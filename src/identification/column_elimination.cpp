#include "column_elimination.hpp"

#include <cmath>

namespace torsor::internal {
namespace {

class Elimination {
 public:
  explicit Elimination(InMatrix<double> A) : columns_(A.cols), along_(A.cols), taken_(A.cols, 0) {
    for (int c = 0; c < A.cols; ++c)
      for (int r = 0; r < A.rows; ++r) columns_[c].push_back(A(r, c));
    left_.assign(A.cols, 0.0);
    for (int c = 0; c < A.cols; ++c) left_[c] = length(columns_[c]);
  }

  void take(int c, double least) {
    if (taken_[c]) return;
    taken_[c] = 1;
    for (int k = 0; k < basis_.size(); ++k) subtract(c, k);  // a second time
    left_[c] = length(columns_[c]);
    if (!(left_[c] > least)) return;
    Array<double> direction = columns_[c];
    for (double& x : direction) x /= left_[c];
    basis_.push_back(std::move(direction));
    kept_.push_back(c);
    for (int other = 0; other < columns_.size(); ++other) {
      along_[other].push_back(other == c ? left_[c] : 0);
      if (!taken_[other]) {
        subtract(other, basis_.size() - 1);
        left_[other] = length(columns_[other]);
      }
    }
  }
  /// Most is left of it; -1: all were taken.
  int longest() const {
    int best = -1;
    for (int c = 0; c < columns_.size(); ++c)
      if (!taken_[c] && (best < 0 || left_[c] > left_[best])) best = c;
    return best;
  }

  ColumnElimination result() const {
    ColumnElimination out;
    out.kept = kept_;
    out.left = left_;
    out.x = Matrix(kept_.size(), columns_.size());
    Array<int> place(columns_.size(), -1);
    for (int k = 0; k < kept_.size(); ++k) place[kept_[k]] = k;
    for (int c = 0; c < columns_.size(); ++c) {
      if (place[c] >= 0) {
        out.x(place[c], c) = 1;
        continue;
      }
      // Back substitution; coefficients of a kept column end with its own place.
      Array<double> rest = along_[c];
      for (int k = kept_.size() - 1; k >= 0; --k) {
        const Array<double>& pivot = along_[kept_[k]];
        const double x = rest[k] / pivot[k];
        for (int j = 0; j < k; ++j) rest[j] -= pivot[j] * x;
        out.x(k, c) = x;
      }
    }
    return out;
  }

 private:
  static double length(const Array<double>& v) {
    double square = 0;
    for (const double x : v) square += x * x;
    return std::sqrt(square);
  }
  void subtract(int c, int k) {
    Array<double>& column = columns_[c];
    const Array<double>& direction = basis_[k];
    double part = 0;
    for (int r = 0; r < column.size(); ++r) part += direction[r] * column[r];
    for (int r = 0; r < column.size(); ++r) column[r] -= part * direction[r];
    along_[c][k] += part;
  }

  Array<Array<double>> columns_;  // what is left of each
  Array<Array<double>> along_;    // of each, along the basis
  Array<char> taken_;
  Array<double> left_{};
  Array<Array<double>> basis_{};
  Array<int> kept_{};
};

}  // namespace

ColumnElimination eliminate_columns(InMatrix<double> A, In<int> order, double least) {
  Elimination work(A);
  for (const int c : order) work.take(c, least);
  for (int c = work.longest(); c >= 0; c = work.longest()) work.take(c, least);
  return work.result();
}

}  // namespace torsor::internal
