#include "torsor/identification/row_factor.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace torsor {
namespace {

/// Rows that wait until they are reduced together.
constexpr int block_rows = 128;

}  // namespace

RowFactor::RowFactor(int columns)
    : columns_(columns), R_(columns, columns), block_(block_rows, columns) {}

void RowFactor::add(In<double> row) {
  assert(row.size == columns_);
  for (int c = 0; c < columns_; ++c) block_(waiting_, c) = row[c];
  ++rows_;
  if (++waiting_ == block_rows) reduce();
}

void RowFactor::add(InMatrix<double> rows) {
  assert(rows.cols == columns_);
  for (int r = 0; r < rows.rows; ++r) {
    for (int c = 0; c < columns_; ++c) block_(waiting_, c) = rows(r, c);
    ++rows_;
    if (++waiting_ == block_rows) reduce();
  }
}

void RowFactor::add(const RowFactor& other, double weight) {
  assert(other.columns_ == columns_);
  const Matrix& R = other.R();
  const long long before = rows_;
  Array<double> row(columns_, 0.0);
  for (int r = 0; r < columns_; ++r) {
    for (int c = 0; c < columns_; ++c) row[c] = c < r ? 0 : weight * R(r, c);
    add(row);
  }
  rows_ = before + other.rows_;
}

const Matrix& RowFactor::R() const {
  reduce();
  return R_;
}

// Householder on [R; waiting rows]: the reflection of column k touches row k of R and the waiting rows.
void RowFactor::reduce() const {
  for (int k = 0; waiting_ > 0 && k < columns_; ++k) {
    double below = 0;
    for (int r = 0; r < waiting_; ++r) below += block_(r, k) * block_(r, k);
    if (below < 1e-280) continue;  // rounding of rounding, whose square underflows
    const double length = std::copysign(std::sqrt(R_(k, k) * R_(k, k) + below), R_(k, k));
    const double head = R_(k, k) + length, scale = 1 / (length * head);
    R_(k, k) = -length;
    for (int c = k + 1; c < columns_; ++c) {
      double along = head * R_(k, c);
      for (int r = 0; r < waiting_; ++r) along += block_(r, k) * block_(r, c);
      along *= scale;
      R_(k, c) -= along * head;
      for (int r = 0; r < waiting_; ++r) block_(r, c) -= along * block_(r, k);
    }
  }
  waiting_ = 0;
}

}  // namespace torsor
