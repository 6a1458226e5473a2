#pragma once
/// The triangular factor of a tall matrix whose rows come one after another and are not kept.
///
///   R^T R = sum_i a_i a_i^T            a_i: rows of `columns` numbers
///
/// Least squares need no more of the rows than R: with the right-hand side as the last column,
/// |A x - b|^2 = |R (x, -1)|^2 for every x. Factors of parts add up to that of the whole, so that weights,
/// folds, bootstrap and further rows never ask for the rows again.
///
///   [R; B] = H_1 H_2 ... [R'; 0]       B: `block_rows` waiting rows; four reflections are applied at once
///
/// How the rows are cut into calls does not change R, not even its last digit, where R is asked for at
/// the end.
///
/// Cost     2 k^2 operations a row, k: columns that are not zero throughout; a third of that for rows of
///          another factor; memory constant; no allocation after the first row.
/// Source   Golub & Van Loan 2013, sec. 5.1, 5.2 and 6.5.
#include "torsor/linear/matrix.hpp"

namespace torsor {

class RowFactor {
 public:
  /// Rows that wait until they are reduced together.
  static constexpr int block_rows = 128;

  RowFactor() = default;
  explicit RowFactor(int columns);
  /// Of rows that have this factor, upper triangular: what stands below its diagonal is not read.
  RowFactor(Matrix R, long long rows);

  int columns() const { return columns_; }
  /// Rows added so far, those of added factors included.
  long long rows() const { return rows_; }

  void add(In<double> row);
  void add(InMatrix<double> rows);
  /// Rows [left | right], as of a regressor and its right-hand side.
  void add(InMatrix<double> left, InMatrix<double> right);
  /// Weight: of its rows, not of their squares.
  void add(const RowFactor& other, double weight = 1);

  /// Upper triangular, columns x columns, rows of any sign. Several threads may ask for it where no
  /// rows wait: after a first call.
  const Matrix& R() const;

 private:
  double* column(int c) const { return block_.data() + c * stride_; }
  void prepare();
  void reduce() const;  // waiting rows go into R
  void reflect(int k, int rows) const;
  void reflect_panel(int k, int width, int rows) const;

  int columns_ = 0, stride_ = 0;
  long long rows_ = 0;
  mutable int waiting_ = 0;
  mutable Matrix R_{};
  mutable Array<double> block_{}, tau_{};  // block_ by columns
  mutable Array<int> used_{};              // columns that are not all zeros, ascending
  Array<int> ends_{};  // where waiting rows are a staircase: rows of each column
};

}  // namespace torsor
