#pragma once
/// The triangular factor of a tall matrix whose rows come one after another and are not kept.
///
///   R^T R = sum_i a_i a_i^T            a_i: rows of `columns` numbers
///
/// Least squares need no more of the rows than R: with the right-hand side as the last column,
/// |A x - b|^2 = |R (x, -1)|^2 for every x. Factors of parts add up to that of the whole, so that weights,
/// folds, bootstrap and further rows never ask for the rows again.
///
/// Cost     2 columns^2 operations a row, in blocks of rows; memory constant; no allocation after
///          construction.
/// Source   Golub & Van Loan 2013, sec. 5.2 and 6.5.
#include "torsor/linear/matrix.hpp"

namespace torsor {

class RowFactor {
 public:
  RowFactor() = default;
  explicit RowFactor(int columns);

  int columns() const { return columns_; }
  /// Rows added so far, those of added factors included.
  long long rows() const { return rows_; }

  void add(In<double> row);
  void add(InMatrix<double> rows);
  /// Weight: of its rows, not of their squares.
  void add(const RowFactor& other, double weight = 1);

  /// Upper triangular, columns x columns, rows of any sign.
  const Matrix& R() const;

 private:
  void reduce() const;  // waiting rows go into R

  int columns_ = 0;
  long long rows_ = 0;
  mutable int waiting_ = 0;
  mutable Matrix R_{}, block_{};
};

}  // namespace torsor
