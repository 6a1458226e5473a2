#include "excitation/criterion.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/linear/symmetric_eigen.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal {
namespace {

/// What keeps C regular on the way from a poor start: conditions of more than 1e6 all look alike.
constexpr double ridge = 1e-12;

/// to = A B, all p x p and B symmetric or not; rows by rows, so that the inner loop runs along memory.
void multiply(const Matrix& A, const Matrix& B, Matrix& to) {
  const int n = A.rows(), p = B.cols();
  for (int r = 0; r < n; ++r) {
    double* const y = to.data() + r * p;
    std::fill(y, y + p, 0.0);
    for (int k = 0; k < A.cols(); ++k) {
      const double a = A(r, k);
      const double* const b = B.data() + k * p;
      for (int c = 0; c < p; ++c) y[c] += a * b[c];
    }
  }
}

/// C of G; false where a column is zero.
bool scaled(const Matrix& G, Matrix& C) {
  const int p = G.rows();
  for (int k = 0; k < p; ++k)
    if (!(G(k, k) > 0) || !std::isfinite(G(k, k))) return false;
  for (int r = 0; r < p; ++r)
    for (int c = 0; c < p; ++c) C(r, c) = G(r, c) / std::sqrt(G(r, r) * G(c, c));
  return true;
}

}  // namespace

InformationCriterion::InformationCriterion(int p, double information)
    : information_(information),
      factors_(p),
      column_(p),
      C_(p, p),
      inverse_(p, p),
      B_(p, p),
      slope_(p, p),
      power_(p, p),
      next_(p, p) {}

double InformationCriterion::log_trace(const Matrix& X, int s, Matrix& slope) {
  const int entries = X.rows() * X.cols();
  double norm = 0;  // X / norm stays within the range of doubles, whatever s
  for (int k = 0; k < entries; ++k) norm = std::hypot(norm, X.data()[k]);
  power_ = X;
  for (int k = 0; k < entries; ++k) power_.data()[k] /= norm;
  slope = power_;
  for (int e = 2; e < s; e *= 2) {  // power: X^e, slope: X^(2 e - 1)
    multiply(power_, power_, next_);
    std::swap(power_, next_);
    multiply(slope, power_, next_);
    std::swap(slope, next_);
  }
  double t = 0;  // tr X^s = <X^(s - 1), X>
  for (int k = 0; k < entries; ++k) t += slope.data()[k] * (X.data()[k] / norm);
  for (int k = 0; k < entries; ++k) slope.data()[k] /= t * norm;
  return std::log(t) + s * std::log(norm);
}

double InformationCriterion::operator()(const Matrix& G, int s, Matrix& dG) {
  const int p = G.rows();
  if (!scaled(G, C_)) return infinity;
  for (int k = 0; k < p; ++k) C_(k, k) += ridge;
  if (!factors_.factorise(C_)) return infinity;
  factors_.inverse(inverse_);
  std::fill(B_.data(), B_.data() + p * p, 0.0);
  double value = 0;
  if (s > 0) {
    value = log_trace(C_, s, slope_) / (2 * s);
    for (int k = 0; k < p * p; ++k) B_.data()[k] = slope_.data()[k] / 2;
    value += log_trace(inverse_, s, slope_) / (2 * s);
    // d tr X^s = s <X^(s - 1), dX>,  d(C^-1) = -C^-1 dC C^-1
    multiply(slope_, inverse_, next_);
    multiply(inverse_, next_, power_);
    for (int k = 0; k < p * p; ++k) B_.data()[k] -= power_.data()[k] / 2;
  }
  bound_ = s > 0 ? std::exp(value) : infinity;
  const double weight = (s > 0 ? information_ : 1) / p;
  for (int k = 0; k < p; ++k) {  // the determinant itself leaves the range
    std::fill(column_.begin(), column_.end(), 0.0);
    column_[k] = 1;
    factors_.solve_lower(column_);
    value += weight * (2 * std::log(column_[k]) - std::log(G(k, k)));  // 1 / L_kk
  }
  for (int k = 0; k < p * p; ++k) B_.data()[k] -= weight * inverse_.data()[k];
  if (!std::isfinite(value)) return infinity;
  if (dG.rows() != p) dG = Matrix(p, p);
  for (int r = 0; r < p; ++r) {
    double BC = 0;
    for (int c = 0; c < p; ++c) {
      BC += B_(r, c) * (C_(c, r) - (c == r ? ridge : 0));
      dG(r, c) = (B_(r, c) + B_(c, r)) / 2 / std::sqrt(G(r, r) * G(c, c));
    }
    dG(r, r) -= BC / G(r, r);
    dG(r, r) -= weight / G(r, r);
  }
  return value;
}

InformationFigures information_figures(const Matrix& G) {
  const int p = G.rows();
  InformationFigures result{infinity, -infinity};
  Matrix C(p, p);
  if (!scaled(G, C)) return result;
  SymmetricEigen eigen(p);
  eigen.factorise(C);
  if (!(eigen.smallest() > 1e-15 * p * eigen.largest())) return result;  // rounding of G
  result.condition = std::sqrt(eigen.largest() / eigen.smallest());
  result.log_det = 0;
  for (int k = 0; k < p; ++k) result.log_det += std::log(G(k, k)) + std::log(eigen.value(k));
  return result;
}

void gram(const Matrix& W, Matrix& G) {
  const int p = W.cols();
  G = Matrix(p, p);
  for (int r = 0; r < W.rows(); ++r) {
    const double* const w = W.data() + r * p;
    for (int i = 0; i < p; ++i) {
      const double x = w[i];
      if (x == 0) continue;  // a joint does not see what it carries not
      double* const g = G.data() + i * p;
      for (int j = i; j < p; ++j) g[j] += x * w[j];
    }
  }
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < i; ++j) G(i, j) = G(j, i);
}

void add_product(const Matrix& W, const Matrix& S, double factor, Matrix& A) {
  const int p = W.cols();
  for (int r = 0; r < W.rows(); ++r) {
    const double* const w = W.data() + r * p;
    double* const a = A.data() + r * p;
    for (int i = 0; i < p; ++i) {
      const double x = factor * w[i];
      if (x == 0) continue;
      const double* const s = S.data() + i * p;
      for (int j = 0; j < p; ++j) a[j] += x * s[j];
    }
  }
}

}  // namespace torsor::internal
