#pragma once
/// Writing a matrix to the caller's: by columns, and a symmetric one by its lower half and a mirror.
///
/// One number at a time, the mirror image costs more than the products that it repeats: neighbours
/// of a column go to different cache lines. Blocks are turned in registers instead.
#include "torsor/dynamics/internal/columns.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

#ifndef __CUDACC__
namespace detail {

/// Half of the lanes of a and half of b: both upper or both lower parts of each group of 2 `step`.
template <int step, bool high, class Register, int... I>
TORSOR_INLINE Register exchanged(const Register& a, const Register& b,
                                 std::integer_sequence<int, I...>) {
  constexpr int lanes = sizeof...(I);
  return __builtin_shufflevector(
      a, b, ((I & step) == 0 ? (high ? I + step : I) : lanes + (high ? I : I - step))...);
}
/// Rows become columns: lanes of neighbouring registers change places at distances 1, 2, 4, ...
template <int step, class Register, int lanes>
TORSOR_INLINE void transpose_block(Register (&x)[lanes]) {
  if constexpr (step < lanes) {
    constexpr std::make_integer_sequence<int, lanes> all;
    for (int r = 0; r < lanes; ++r) {
      if (r & step) continue;
      const Register a = x[r], b = x[r + step];
      x[r] = exchanged<step, false>(a, b, all);
      x[r + step] = exchanged<step, true>(a, b, all);
    }
    transpose_block<2 * step>(x);
  }
}

/// y[c][r] = x[c][r] where r >= c.
template <class Register, int... I>
TORSOR_INLINE void take_below_diagonal(const Register* x, Register* y,
                                       std::integer_sequence<int, I...> all) {
  const auto take = [&]<int c, int... R>(std::integral_constant<int, c>,
                                         std::integer_sequence<int, R...>) {
    y[c] = __builtin_shufflevector(y[c], x[c], (R < c ? R : R + static_cast<int>(sizeof...(R)))...);
  };
  (take(std::integral_constant<int, I>{}, all), ...);
}

}  // namespace detail
#endif

/// Column k of M from row j on: block(j) are its rows j, j + 1, ...; from row `end` on it is zero.
/// `overlapping`: block may be called twice for a row, and what is above row j may be spoilt.
template <class Real, bool overlapping = false, class Function>
TORSOR_HD TORSOR_INLINE void write_column(const OutMatrix<Real>& M, int k, int j, int end,
                                          Function block) {
  constexpr int lanes = block_lanes<Real>;
  const int whole = M.row_stride == 1 ? M.rows - lanes : -1;  // last row where a block fits
  Real* const column = M.data + k * M.col_stride;
  for (; j < end && j <= whole; j += lanes) store_block<Real>(block(j), column + j);
  if (overlapping && j < end && whole >= 0) {
    store_block<Real>(block(whole), column + whole);
    j = end;
  }
  for (; j < end; j += lanes) {
    Real lane[lanes];
    store_block<Real>(block(j), lane);
    for (int l = 0; l < lanes && j + l < end; ++l) column[(j + l) * M.row_stride] = lane[l];
  }
  j = end;
  if (j <= whole) {
    for (; j < whole; j += lanes) store_block<Real>(Block<Real>(0), column + j);
    store_block<Real>(Block<Real>(0), column + whole);
    return;
  }
  for (; j < M.rows; ++j) column[j * M.row_stride] = Real(0);
}

template <class Real>
TORSOR_HD TORSOR_INLINE MatrixView<Real> transposed(const MatrixView<Real>& M) {
  return {M.data, M.cols, M.rows, M.col_stride, M.row_stride};
}
/// A symmetric matrix may be written either way round: by contiguous columns where it has them.
template <class Real>
TORSOR_HD TORSOR_INLINE OutMatrix<Real> by_columns(OutMatrix<Real> M) {
  if (M.col_stride == 1) std::swap(M.row_stride, M.col_stride);
  return M;
}

/// What is above the diagonal becomes the mirror image of what is below.
template <class Real>
TORSOR_HD TORSOR_INLINE void mirror_below(OutMatrix<Real> M) {
  constexpr int lanes = block_lanes<Real>;
  const int n = M.rows;
  if constexpr (lanes > 1) {
    if (M.row_stride == 1 && n >= lanes) {
      using Register = typename Block<Real>::Register;
      // Blocks begin at multiples of `lanes`, the last one where it ends with the matrix: it may
      // overlap its neighbour, since the later columns are complete before the earlier ones.
      for (int end = n; end > 0; end = (end - 1) / lanes * lanes) {
        const int c = end == n ? n - lanes : end - lanes;
        Register x[lanes], y[lanes];
        for (int k = 0; k < lanes; ++k) y[k] = x[k] = load_block(&M(c, c + k)).lanes;
        detail::transpose_block<1>(y);
        detail::take_below_diagonal(x, y, std::make_integer_sequence<int, lanes>{});
        for (int k = 0; k < lanes; ++k) store_block<Real>(Block<Real>::of(y[k]), &M(c, c + k));
        for (int r = n - lanes; r > c; r = (r - 1) / lanes * lanes) {
          for (int k = 0; k < lanes; ++k) x[k] = load_block(&M(r, c + k)).lanes;
          detail::transpose_block<1>(x);
          for (int k = 0; k < lanes; ++k) store_block<Real>(Block<Real>::of(x[k]), &M(c, r + k));
        }
      }
      return;
    }
  }
  for (int c = 0; c < n; ++c)
    for (int r = c + 1; r < n; ++r) M(c, r) = M(r, c);
}

}  // namespace torsor
