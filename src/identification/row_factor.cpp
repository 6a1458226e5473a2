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
/// R[p][c]: the entries of R in the rows of the reflections.
template <int P, int C>
TORSOR_INLINE void apply(const double (&T)[P][P], const double* const* v, double* const* x,
                         int rows, double* (&R)[P][C]) {
  double w[P][C];
  dots<P, C>(v, x, rows, w);
  for (int c = 0; c < C; ++c) {
    double head[P];
    for (int p = 0; p < P; ++p) head[p] = *R[p][c] + w[p][c];
    for (int p = 0; p < P; ++p) {
      double all = 0;
      for (int k = 0; k <= p; ++k) all += T[k][p] * head[k];
      w[p][c] = all;
      *R[p][c] -= all;
    }
  }
  subtract<P, C>(v, x, rows, w);
}

bool all_zero(const double* x, int n) {
  return std::all_of(x, x + n, [](double e) { return e == 0; });
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
  ends_.reserve(columns_);
  used_.reserve(columns_);
  for (int c = 0; c < columns_; ++c) {
    bool zero = true;
    for (int r = 0; r <= c; ++r) zero = zero && R_(r, c) == 0;
    if (!zero) used_.push_back(c);
  }
}

void RowFactor::add(In<double> row) { add(InMatrix<double>(row.data, 1, row.size, row.size, 1)); }

void RowFactor::add(InMatrix<double> rows) {
  add(rows, InMatrix<double>(nullptr, rows.rows, 0, 1, 1));
}

void RowFactor::add(InMatrix<double> left, InMatrix<double> right) {
  assert(left.cols + right.cols == columns_ && left.rows == right.rows);
  prepare();
  for (int first = 0; first < left.rows;) {
    const int n = std::min(left.rows - first, block_rows - waiting_);
    for (int c = 0; c < columns_; ++c) {
      const InMatrix<double>& rows = c < left.cols ? left : right;
      const double* const from = rows.data + first * rows.row_stride +
                                 (c < left.cols ? c : c - left.cols) * rows.col_stride;
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
  // The rows that are not zero; column c of them ends with row c of R.
  ends_.assign(columns_, 0);
  for (int r = 0; r < columns_; ++r) {
    if (all_zero(R.data() + r * columns_ + r, columns_ - r)) continue;
    for (int c = 0; c < columns_; ++c) column(c)[waiting_] = c < r ? 0 : weight * R(r, c);
    ++waiting_;
    ends_[r] = waiting_;
  }
  for (int c = 1; c < columns_; ++c) ends_[c] = std::max(ends_[c], ends_[c - 1]);
  reduce();
  ends_.clear();
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
  if (below < 1e-280) return;  // nothing, or rounding of rounding, whose squares underflow
  const double beta = -std::copysign(std::sqrt(top * top + below), top);
  const Lanes scale(1 / (top - beta));
  for (int r = 0; r < rows; r += lanes) (Lanes::load(b + r) * scale).store(b + r);
  tau_[k] = (beta - top) / beta;
  R_(k, k) = beta;
}

/// Reflections of the columns used_[k] ... used_[k + width - 1], applied to those that follow.
void RowFactor::reflect_panel(int k, int width, int rows) const {
  const int* const at = used_.data() + k;
  const double* v[panel];
  double T[panel][panel] = {};
  for (int p = 0; p < width; ++p) {
    v[p] = column(at[p]);
    reflect(at[p], rows);
    const double tau[1][1] = {{tau_[at[p]]}};
    for (int c = p + 1; c < width; ++c) {
      double* x[1] = {column(at[c])};
      double* R[1][1] = {{&R_(at[p], at[c])}};
      apply<1, 1>(tau, v + p, x, rows, R);
    }
    // H_1 ... H_p = I - V T V^T; the ones of V stand in different rows.
    T[p][p] = tau[0][0];
    double along[panel];
    for (int i = 0; i < p; ++i) along[i] = dot(v[i], v[p], rows);
    for (int i = 0; i < p; ++i)
      for (int j = i; j < p; ++j) T[i][p] -= tau[0][0] * T[i][j] * along[j];
  }
  if (width < panel) return;  // nothing follows
  const int left = used_.size() - k;
  int c = width;
  for (; c + 1 < left; c += 2) {
    double* x[2] = {column(at[c]), column(at[c + 1])};
    double* R[panel][2];
    for (int p = 0; p < panel; ++p) R[p][0] = &R_(at[p], at[c]), R[p][1] = &R_(at[p], at[c + 1]);
    apply<panel, 2>(T, v, x, rows, R);
  }
  if (c < left) {
    double* x[1] = {column(at[c])};
    double* R[panel][1];
    for (int p = 0; p < panel; ++p) R[p][0] = &R_(at[p], at[c]);
    apply<panel, 1>(T, v, x, rows, R);
  }
}

/// Householder on [R; waiting rows], four columns at a time.
void RowFactor::reduce() const {
  if (waiting_ == 0) return;
  const int all = padded(waiting_);
  int first = columns_, known = 0;  // the first column of the waiting rows that is not zero
  for (int c = 0; c < columns_; ++c) {
    std::fill(column(c) + waiting_, column(c) + all, 0.0);
    const bool used = known < used_.size() && used_[known] == c;
    if (first == columns_ || !used) {
      const bool zero = all_zero(column(c), all);
      if (!zero) first = std::min(first, c);
      if (!used && !zero) used_.insert(used_.begin() + known, c);
      if (!used && zero) continue;
    }
    ++known;
  }
  waiting_ = 0;
  int k = static_cast<int>(std::lower_bound(used_.begin(), used_.end(), first) - used_.begin());
  while (k < used_.size()) {
    const int width = std::min(panel, used_.size() - k), last = used_[k + width - 1];
    reflect_panel(k, width, ends_.empty() ? all : std::min(all, padded(ends_[last])));
    k += width;
  }
}

}  // namespace torsor
