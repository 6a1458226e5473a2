#include "torsor/linear/eigenvalues.hpp"

#include <cassert>
#include <cmath>
#include <utility>

namespace torsor {
namespace {

constexpr double eps = 2.3e-16;
constexpr int max_steps = 60;  // for one eigenvalue or pair

struct Square {
  double* first;
  int stride;
  double* operator[](int r) const { return first + r * stride; }
};

/// Scales rows and columns by powers of two until their sizes agree.
void balance(Square A, int n) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < n; ++i) {
      double row = 0, col = 0;
      for (int j = 0; j < n; ++j)
        if (j != i) row += std::abs(A[i][j]), col += std::abs(A[j][i]);
      if (!(row > 0 && col > 0)) continue;
      double f = 1;
      const double sum = row + col;
      while (col < row / 2 && f < 1e30) f *= 2, col *= 4;
      while (col > row * 2 && f > 1e-30) f /= 2, col /= 4;
      if ((col + row) / f < 0.9 * sum) {
        changed = true;
        for (int j = 0; j < n; ++j) A[i][j] /= f;
        for (int j = 0; j < n; ++j) A[j][i] *= f;
      }
    }
  }
}

/// Similarity by elimination: zero below the first subdiagonal. `factor` is scratch of n numbers.
void to_hessenberg(Square A, int n, double* factor) {
  for (int m = 1; m < n - 1; ++m) {
    int p = m;
    for (int i = m + 1; i < n; ++i)
      if (std::abs(A[i][m - 1]) > std::abs(A[p][m - 1])) p = i;
    if (A[p][m - 1] == 0) continue;
    if (p != m) {
      for (int j = m - 1; j < n; ++j) std::swap(A[p][j], A[m][j]);
      for (int i = 0; i < n; ++i) std::swap(A[i][p], A[i][m]);
    }
    const double inverse = 1 / A[m][m - 1];
    for (int i = m + 1; i < n; ++i) {
      factor[i] = A[i][m - 1] * inverse;
      A[i][m - 1] = 0;
      for (int j = m; j < n; ++j) A[i][j] -= factor[i] * A[m][j];
    }
    for (int i = 0; i < n; ++i) {
      double sum = A[i][m];
      for (int j = m + 1; j < n; ++j) sum += factor[j] * A[i][j];
      A[i][m] = sum;
    }
  }
}

/// Where the block that ends at `hi` begins: its subdiagonal entry is set to zero.
int first_of_block(Square A, int hi, double size) {
  for (int lo = hi; lo > 0; --lo) {
    double s = std::abs(A[lo - 1][lo - 1]) + std::abs(A[lo][lo]);
    if (s == 0) s = size;
    if (std::abs(A[lo][lo - 1]) <= eps * s) {
      A[lo][lo - 1] = 0;
      return lo;
    }
  }
  return 0;
}

/// A reflection of three rows from k on, as 1 - (1, q, r)^T (x, y, z); the first entry of the
/// column that it clears becomes -length.
struct Reflection {
  double length, x, y, z, q, r;

  Reflection(double p, double q_in, double r_in)
      : length(std::copysign(std::sqrt(p * p + q_in * q_in + r_in * r_in), p)) {
    const double first = p + length;
    x = first / length, y = q_in / length, z = r_in / length;
    q = q_in / first, r = r_in / first;
  }
};

/// The double step on rows and columns lo ... hi, whose shifts have the sum x + y and the product
/// x y - w.
void double_step(Square A, int lo, int hi, double x, double y, double w) {
  double p = 0, q = 0, r = 0;
  int m = hi - 2;
  for (; m >= lo; --m) {  // two small subdiagonal entries in a row start the step
    const double z = A[m][m], a = x - z, b = y - z;
    p = (a * b - w) / A[m + 1][m] + A[m][m + 1];
    q = A[m + 1][m + 1] - z - a - b;
    r = A[m + 2][m + 1];
    const double s = 1 / (std::abs(p) + std::abs(q) + std::abs(r));
    p *= s, q *= s, r *= s;
    if (m == lo) break;
    const double u = std::abs(A[m][m - 1]) * (std::abs(q) + std::abs(r));
    const double v =
        std::abs(p) * (std::abs(A[m - 1][m - 1]) + std::abs(z) + std::abs(A[m + 1][m + 1]));
    if (u <= eps * v) break;
  }
  for (int i = m + 2; i <= hi; ++i) {
    A[i][i - 2] = 0;
    if (i > m + 2) A[i][i - 3] = 0;
  }
  for (int k = m; k < hi; ++k) {  // chase the bulge
    const bool three = k != hi - 1;
    double scale = 1;
    if (k != m) {
      p = A[k][k - 1];
      q = A[k + 1][k - 1];
      r = three ? A[k + 2][k - 1] : 0;
      scale = std::abs(p) + std::abs(q) + std::abs(r);
      if (scale == 0) continue;
      const double s = 1 / scale;
      p *= s, q *= s, r *= s;
    }
    const Reflection h(p, q, r);
    if (h.length == 0) continue;
    if (k != m)
      A[k][k - 1] = -h.length * scale;
    else if (lo != m)
      A[k][k - 1] = -A[k][k - 1];
    if (three) {
      for (int j = k; j <= hi; ++j) {
        const double t = A[k][j] + h.q * A[k + 1][j] + h.r * A[k + 2][j];
        A[k][j] -= t * h.x, A[k + 1][j] -= t * h.y, A[k + 2][j] -= t * h.z;
      }
      const int last = hi < k + 3 ? hi : k + 3;
      for (int i = lo; i <= last; ++i) {
        const double t = h.x * A[i][k] + h.y * A[i][k + 1] + h.z * A[i][k + 2];
        A[i][k] -= t, A[i][k + 1] -= t * h.q, A[i][k + 2] -= t * h.r;
      }
    } else {
      for (int j = k; j <= hi; ++j) {
        const double t = A[k][j] + h.q * A[k + 1][j];
        A[k][j] -= t * h.x, A[k + 1][j] -= t * h.y;
      }
      for (int i = lo; i <= hi; ++i) {
        const double t = h.x * A[i][k] + h.y * A[i][k + 1];
        A[i][k] -= t, A[i][k + 1] -= t * h.q;
      }
    }
  }
}

/// Eigenvalues of [y c; d x] with w = c d.
void solve_pair(double x, double y, double w, double* re, double* im) {
  const double p = 0.5 * (y - x), q = p * p + w, z = std::sqrt(std::abs(q));
  if (q >= 0) {
    const double far = p + std::copysign(z, p);
    re[0] = re[1] = x + far;
    if (far != 0) re[1] = x - w / far;
    im[0] = im[1] = 0;
  } else {
    re[0] = re[1] = x + p;
    im[0] = z, im[1] = -z;
  }
}

}  // namespace

bool internal::eigenvalues(double* first, int stride, int n, double* re, double* im) {
  const Square A{first, stride};
  balance(A, n);
  to_hessenberg(A, n, re);
  double size = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i > 0 ? i - 1 : 0; j < n; ++j) size += std::abs(A[i][j]);
  if (!std::isfinite(size)) return false;
  double shift = 0;
  for (int hi = n - 1; hi >= 0;) {
    int lo = first_of_block(A, hi, size);
    for (int steps = 0; lo < hi - 1; ++steps, lo = first_of_block(A, hi, size)) {
      if (steps == max_steps) return false;
      double x = A[hi][hi], y = A[hi - 1][hi - 1], w = A[hi][hi - 1] * A[hi - 1][hi];
      if (steps == 10 || steps == 20) {  // an exceptional shift against cycles
        shift += x;
        for (int i = 0; i <= hi; ++i) A[i][i] -= x;
        const double s = std::abs(A[hi][hi - 1]) + std::abs(A[hi - 1][hi - 2]);
        x = y = 0.75 * s;
        w = -0.4375 * s * s;
      }
      double_step(A, lo, hi, x, y, w);
    }
    const double x = A[hi][hi] + shift;
    if (lo == hi) {
      re[hi] = x, im[hi] = 0;
      --hi;
      continue;
    }
    solve_pair(x, A[hi - 1][hi - 1] + shift, A[hi][hi - 1] * A[hi - 1][hi], re + hi - 1,
               im + hi - 1);
    hi -= 2;
  }
  return true;
}

bool Eigenvalues::compute(InMatrix<double> A) {
  assert(A.rows == A.cols && A.rows <= real_.size());
  n_ = A.rows;
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c < n_; ++c) a_[r * n_ + c] = A(r, c);
  return internal::eigenvalues(a_.data(), n_, n_, real_.data(), imaginary_.data());
}

}  // namespace torsor
