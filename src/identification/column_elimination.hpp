#pragma once
/// Columns of a matrix, one after another: what the ones before it leave of a column decides whether it
/// is kept, and one that is not kept is a sum of those that are.
///
///   a_c = Q r_c,  left_c = |a_c - Q Q^T a_c|;   kept where left_c > least;   else a_c = A_kept x_c
///
/// Q is made by Gram and Schmidt, each column orthogonalised twice.
///
/// Cost     O(rows columns kept).
/// Source   Golub & Van Loan 2013, sec. 5.2.7 to 5.2.9 and 5.4.2.
#include "torsor/linear/matrix.hpp"

namespace torsor::internal {

struct ColumnElimination {
  Array<int> kept{};  ///< in the order in which they were taken
  Matrix x{};         ///< kept x columns; the identity for kept ones
  Array<double> left{};
};

/// Columns of `order` come first, as they stand there; then that of which most is left.
ColumnElimination eliminate_columns(InMatrix<double> A, In<int> order, double least);

}  // namespace torsor::internal
