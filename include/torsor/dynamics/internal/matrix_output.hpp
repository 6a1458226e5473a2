#pragma once
/// Writing matrices to the caller's: columns block by block, mirror images, transposed lines.
///
/// One number at a time, the mirror image of a symmetric matrix costs more than the products that it
/// repeats: neighbours of a column go to different cache lines. Squares are turned in registers
/// instead.
#include <cstring>
#include <utility>

#include "torsor/dynamics/internal/columns.hpp"

namespace torsor::internal {

/// One step of a transposition: groups of `step` lanes change places across the diagonal.
template <int step, class Register, std::size_t... l>
TORSOR_INLINE void exchange(Register& a, Register& b, std::index_sequence<l...>) {
  constexpr int W = sizeof...(l);
  const Register x = a, y = b;
  a = __builtin_shufflevector(x, y, (int(l) & step ? W + int(l) - step : int(l))...);
  b = __builtin_shufflevector(x, y, (int(l) & step ? W + int(l) : int(l) + step)...);
}
template <int step, class Real, int W, std::size_t... i>
TORSOR_INLINE void transpose_steps(Pack<Real, W> (&x)[W], std::index_sequence<i...> all) {
  ((int(i) & step ? void() : exchange<step>(x[i].lanes, x[i | step].lanes, all)), ...);
  if constexpr (step > 1) transpose_steps<step / 2>(x, all);
}
/// Rows become columns.
template <class Real, int W>
TORSOR_INLINE void transpose_square(Pack<Real, W> (&x)[W]) {
  transpose_steps<W / 2>(x, std::make_index_sequence<std::size_t(W)>());
}

/// y[c][r] = x[c][r] where r >= c.
template <class Real, int W, std::size_t... I>
TORSOR_INLINE void copy_below_diagonal(const Pack<Real, W> (&x)[W], Pack<Real, W> (&y)[W],
                                       std::index_sequence<I...> all) {
  const auto copy = [&]<std::size_t c, std::size_t... R>(std::integral_constant<std::size_t, c>,
                                                         std::index_sequence<R...>) {
    y[c].lanes = __builtin_shufflevector(y[c].lanes, x[c].lanes, (R < c ? int(R) : int(R) + W)...);
  };
  (copy(std::integral_constant<std::size_t, I>{}, all), ...);
}

/// Column k of M from row j on: block(j) are its rows j, j + 1, ...; from row `end` on it is zero.
/// `overlapping`: block may be called twice for a row, and what is above row j may be overwritten.
template <class Real, bool overlapping = false, class Function>
TORSOR_INLINE void write_column(const OutMatrix<Real>& M, int k, int j, int end, Function block) {
  constexpr int lanes = column_lanes<Real>;
  using Block = ColumnBlock<Real>;
  const int whole = M.row_stride == 1 ? M.rows - lanes : -1;  // last row where a block fits
  Real* const column = M.data + k * M.col_stride;
  for (; j < end && j <= whole; j += lanes) store_block<Block>(column + j, block(j));
  if (overlapping && j < end && whole >= 0) {
    store_block<Block>(column + whole, block(whole));
    j = end;
  }
  for (; j < end; j += lanes) {
    Real lane[lanes];
    store_block<Block>(lane, block(j));
    for (int l = 0; l < lanes && j + l < end; ++l) column[(j + l) * M.row_stride] = lane[l];
  }
  j = end;
  if (j <= whole) {
    for (; j < whole; j += lanes) store_block(column + j, Block(0));
    store_block(column + whole, Block(0));
    return;
  }
  for (; j < M.rows; ++j) column[j * M.row_stride] = Real(0);
}

template <class Real>
TORSOR_INLINE MatrixView<Real> transposed(const MatrixView<Real>& M) {
  return {M.data, M.cols, M.rows, M.col_stride, M.row_stride};
}
/// A symmetric matrix may be written either way round: by contiguous columns where it has them.
template <class Real>
TORSOR_INLINE OutMatrix<Real> by_columns(OutMatrix<Real> M) {
  if (M.col_stride == 1) std::swap(M.row_stride, M.col_stride);
  return M;
}

/// What is above the diagonal becomes the mirror image of what is below.
template <class Real>
TORSOR_INLINE void mirror_below(OutMatrix<Real> M) {
  constexpr int lanes = column_lanes<Real>;
  using Block = ColumnBlock<Real>;
  const int n = M.rows;
  if constexpr (lanes > 1) {
    if (M.row_stride == 1 && n >= lanes) {
      // Blocks begin at multiples of `lanes`, the last one where it ends with the matrix: it may
      // overlap its neighbour, since the later columns are complete before the earlier ones.
      for (int end = n; end > 0; end = (end - 1) / lanes * lanes) {
        const int c = end == n ? n - lanes : end - lanes;
        Block x[lanes], y[lanes];
        for (int k = 0; k < lanes; ++k) y[k] = x[k] = load_block<Block>(&M(c, c + k));
        transpose_square(y);
        copy_below_diagonal(x, y, std::make_index_sequence<std::size_t(lanes)>());
        for (int k = 0; k < lanes; ++k) store_block(&M(c, c + k), y[k]);
        for (int r = n - lanes; r > c; r = (r - 1) / lanes * lanes) {
          for (int k = 0; k < lanes; ++k) x[k] = load_block<Block>(&M(r, c + k));
          transpose_square(x);
          for (int k = 0; k < lanes; ++k) store_block(&M(c, r + k), x[k]);
        }
      }
      return;
    }
  }
  for (int c = 0; c < n; ++c)
    for (int r = c + 1; r < n; ++r) M(c, r) = M(r, c);
}

/// n numbers, in few moves.
template <class Real>
TORSOR_INLINE void copy_line(const Real* from, int n, Real* to) {
  if constexpr (Plain<Real>) {
    constexpr int W = row_lanes<Real>;
    int k = 0;
    for (; k + W <= n; k += W) std::memcpy(to + k, from + k, W * sizeof(Real));
    if constexpr (W > 8)
      if (n - k >= 8) std::memcpy(to + k, from + k, 8 * sizeof(Real)), k += 8;
    if constexpr (W > 4)
      if (n - k >= 4) std::memcpy(to + k, from + k, 4 * sizeof(Real)), k += 4;
    if constexpr (W > 2)
      if (n - k >= 2) std::memcpy(to + k, from + k, 2 * sizeof(Real)), k += 2;
    if (k < n) to[k] = from[k];
  } else {
    for (int k = 0; k < n; ++k) to[k] = from[k];
  }
}

template <class Real, class Line, std::size_t... i>
TORSOR_INLINE void load_square(RowBlock<Real>* x, Line&& line, int r, int rows, int c,
                               std::index_sequence<i...>) {
  ((x[i] = load_block<RowBlock<Real>>(line(r + int(i) < rows ? r + int(i) : r) + c)), ...);
}
template <class Real, std::size_t... i>
TORSOR_INLINE void store_square(const RowBlock<Real>* x, Real* to, int stride, int cols,
                                std::index_sequence<i...>) {
  ((int(i) < cols ? store_block(to + int(i) * stride, x[i]) : void()), ...);
}

/// to[c * stride + r] = line(r)[c] for r < rows, c < cols: a square of registers at a time.
template <class Real, class Line>
TORSOR_INLINE void copy_transposed(Line&& line, int rows, int cols, Real* to, int stride) {
  constexpr int W = row_lanes<Real>;
  constexpr auto all = std::make_index_sequence<std::size_t(W)>();
  alignas(64) Real rest[W * W];
  for (int r = 0; r < rows; r += W)
    for (int c = 0; c < cols; c += W) {
      RowBlock<Real> x[W];
      load_square<Real>(x, line, r, rows, c, all);
      if constexpr (W > 1) transpose_square(x);
      Real* const at = to + c * stride + r;
      if (r + W <= rows) {
        store_square<Real>(x, at, stride, cols - c, all);
      } else {
        store_square<Real>(x, rest, W, W, all);
        for (int i = 0; i < W && c + i < cols; ++i)
          copy_line(rest + i * W, rows - r, at + i * stride);
      }
    }
}

}  // namespace torsor::internal
