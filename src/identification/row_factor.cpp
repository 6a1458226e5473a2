#include "torsor/identification/row_factor.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "torsor/math/pack.hpp"

namespace torsor {
namespace {

constexpr int lanes = native_lanes<double>;
using Lanes = Pack<double, lanes>;
/// Reflections that are applied together.
constexpr int panel = 4;

constexpr int padded(int rows) { return (rows + lanes - 1) / lanes * lanes; }

double sum(const Lanes& x) {
  double all = 0;
  for (int k = 0; k < lanes; ++k) all += x[k];
  return all;
}
double dot(const double* a, const double* b, int rows) {
  Lanes even{}, odd{};
  int r = 0;
  for (; r + 2 * lanes <= rows; r += 2 * lanes) {
    even += Lanes::load(a + r) * Lanes::load(b + r);
    odd += Lanes::load(a + r + lanes) * Lanes::load(b + r + lanes);
  }
  if (r < rows) even += Lanes::load(a + r) * Lanes::load(b + r);
  return sum(even + odd);
}

/// w[p][c] = v_p . x_c over the rows: P columns against C.
template <int P, int C>
TORSOR_INLINE void dots(const double* const* v, const double* const* x, int rows,
                        double (&w)[P][C]) {
  Lanes acc[P][C] = {};
  for (int r = 0; r < rows; r += lanes) {
    Lanes at[C];
    for (int c = 0; c < C; ++c) at[c] = Lanes::load(x[c] + r);
    for (int p = 0; p < P; ++p) {
      const Lanes vp = Lanes::load(v[p] + r);
      for (int c = 0; c < C; ++c) acc[p][c] = acc[p][c] + vp * at[c];
    }
  }
  for (int p = 0; p < P; ++p)
    for (int c = 0; c < C; ++c) w[p][c] = sum(acc[p][c]);
}
/// x_c -= sum_p v_p w[p][c].
template <int P, int C>
TORSOR_INLINE void subtract(const double* const* v, double* const* x, int rows,
                            const double (&w)[P][C]) {
  Lanes by[P][C];
  for (int p = 0; p < P; ++p)
    for (int c = 0; c < C; ++c) by[p][c] = Lanes(w[p][c]);
  for (int r = 0; r < rows; r += lanes) {
    Lanes at[C];
    for (int c = 0; c < C; ++c) at[c] = Lanes::load(x[c] + r);
    for (int p = 0; p < P; ++p) {
      const Lanes vp = Lanes::load(v[p] + r);
      for (int c = 0; c < C; ++c) at[c] = at[c] - vp * by[p][c];
    }
    for (int c = 0; c < C; ++c) at[c].store(x[c] + r);
  }
}

/// (I - V T^T V^T) on columns of [R; B], with V = [I; v]: w = T^T (R + v^T B), R -= w, B -= v w.
/// R: the panel's first row at the first column.
template <int P, int C>
TORSOR_INLINE void apply(const double (&T)[P][P], const double* const* v, double* const* x,
                         int rows, double* R, int row_stride) {
  double w[P][C];
  dots<P, C>(v, x, rows, w);
  for (int c = 0; c < C; ++c) {
    double head[P];
    for (int p = 0; p < P; ++p) head[p] = R[p * row_stride + c] + w[p][c];
    for (int p = 0; p < P; ++p) {
      double all = 0;
      for (int k = 0; k <= p; ++k) all += T[k][p] * head[k];
      w[p][c] = all;
      R[p * row_stride + c] -= all;
    }
  }
  subtract<P, C>(v, x, rows, w);
}

}  // namespace

RowFactor::RowFactor(int columns) : columns_(columns), R_(columns, columns) {}

RowFactor::RowFactor(Matrix R, long long rows) : columns_(R.cols()), rows_(rows), R_(std::move(R)) {
  assert(R_.rows() == R_.cols());
  for (int r = 0; r < columns_; ++r)
    for (int c = 0; c < r; ++c) R_(r, c) = 0;
}

void RowFactor::prepare() {
  if (stride_ != 0) return;
  stride_ = padded(std::max(block_rows, columns_));
  block_.assign(stride_ * columns_, 0.0);
  tau_.assign(columns_, 0.0);
}

void RowFactor::add(In<double> row) { add(InMatrix<double>(row.data, 1, row.size, row.size, 1)); }

void RowFactor::add(InMatrix<double> rows) {
  assert(rows.cols == columns_);
  prepare();
  for (int first = 0; first < rows.rows;) {
    const int n = std::min(rows.rows - first, block_rows - waiting_);
    for (int c = 0; c < columns_; ++c) {
      const double* const from = rows.data + first * rows.row_stride + c * rows.col_stride;
      double* const to = column(c) + waiting_;
      if (rows.row_stride == 1)
        std::copy(from, from + n, to);
      else
        for (int r = 0; r < n; ++r) to[r] = from[r * rows.row_stride];
    }
    first += n;
    waiting_ += n;
    rows_ += n;
    if (waiting_ == block_rows) reduce();
  }
}

void RowFactor::add(const RowFactor& other, double weight) {
  assert(other.columns_ == columns_);
  prepare();
  const Matrix& R = other.R();
  reduce();
  for (int c = 0; c < columns_; ++c) {
    double* const to = column(c);
    for (int r = 0; r < columns_; ++r) to[r] = r <= c ? weight * R(r, c) : 0;
  }
  waiting_ = columns_;
  reduce(true);
  rows_ += other.rows_;
}

const Matrix& RowFactor::R() const {
  reduce();
  return R_;
}

/// The reflection of column k: v = (1 at row k of R, column k of the block), tau = 2 / |v|^2.
void RowFactor::reflect(int k, int rows) const {
  double* const b = column(k);
  const double below = dot(b, b, rows), top = R_(k, k);
  tau_[k] = 0;
  if (below == 0) return;
  const double beta = -std::copysign(std::sqrt(top * top + below), top);
  const Lanes scale(1 / (top - beta));
  for (int r = 0; r < rows; r += lanes) (Lanes::load(b + r) * scale).store(b + r);
  tau_[k] = (beta - top) / beta;
  R_(k, k) = beta;
}

/// Householder on [R; waiting rows], four columns at a time. `triangle`: column k of the waiting rows
/// ends with row k.
void RowFactor::reduce(bool triangle) const {
  if (waiting_ == 0) return;
  const int all = padded(waiting_), n = columns_;
  for (int c = 0; c < n; ++c) std::fill(column(c) + waiting_, column(c) + all, 0.0);
  waiting_ = 0;
  int k = 0;
  // Columns of zeros in front: bodies that a joint does not move.
  while (k < n && std::all_of(column(k), column(k) + all, [](double x) { return x == 0; })) ++k;
  while (k < n) {
    const int width = std::min(panel, n - k);
    const int rows = triangle ? std::min(all, padded(k + width)) : all;
    const double* v[panel];
    double T[panel][panel] = {};
    for (int p = 0; p < width; ++p) {
      v[p] = column(k + p);
      reflect(k + p, rows);
      const double tau = tau_[k + p];
      for (int c = k + p + 1; c < k + width; ++c) {
        double* x[1] = {column(c)};
        const double own[1][1] = {{tau}};
        apply<1, 1>(own, v + p, x, rows, &R_(k + p, c), n);
      }
      // H_1 ... H_p = I - V T V^T; the ones of V stand in different rows.
      T[p][p] = tau;
      double along[panel];
      for (int i = 0; i < p; ++i) along[i] = dot(v[i], v[p], rows);
      for (int i = 0; i < p; ++i)
        for (int j = i; j < p; ++j) T[i][p] -= tau * T[i][j] * along[j];
    }
    int c = k + width;
    if (width == panel) {
      for (; c + 1 < n; c += 2) {
        double* x[2] = {column(c), column(c + 1)};
        apply<panel, 2>(T, v, x, rows, &R_(k, c), n);
      }
      for (; c < n; ++c) {
        double* x[1] = {column(c)};
        apply<panel, 1>(T, v, x, rows, &R_(k, c), n);
      }
    }
    k += width;
  }
}

}  // namespace torsor
