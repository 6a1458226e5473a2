#include "torsor/linear/riccati.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "torsor/linear/cholesky.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Map;

Map<const Dense> map(const Matrix& a) { return {a.data(), a.rows(), a.cols()}; }
Map<Dense> map(Matrix& a) { return {a.data(), a.rows(), a.cols()}; }
Dense copy(InMatrix<double> a) {
  Dense b(a.rows, a.cols);
  for (int r = 0; r < a.rows; ++r)
    for (int c = 0; c < a.cols; ++c) b(r, c) = a(r, c);
  return b;
}
Matrix owned(const Dense& a) {
  Matrix b(static_cast<int>(a.rows()), static_cast<int>(a.cols()));
  map(b) = a;
  return b;
}
Matrix symmetric(const Dense& a) { return owned((a + a.transpose()) / 2); }

double largest(const Dense& a) {
  if (!a.allFinite()) return std::numeric_limits<double>::infinity();
  return a.size() > 0 ? a.cwiseAbs().maxCoeff() : 0;
}
/// (1 + A B)^-1 C; NaN where there is none.
Dense solve_one_plus(const Dense& A, const Dense& B, const Dense& C) {
  return (Dense::Identity(A.rows(), A.rows()) + A * B).partialPivLu().solve(C);
}

/// exp of a matrix of norm below one, by its series.
Dense exponential(const Dense& a) {
  Dense term = Dense::Identity(a.rows(), a.rows()), sum = term;
  for (int k = 1; k < 24; ++k) {
    term = (term * a / k).eval();
    sum += term;
  }
  return sum;
}

Dense hamiltonian(const RiccatiProblem& p) {
  Dense H(2 * p.n(), 2 * p.n());
  H << -map(p.A), map(p.S), map(p.Q), map(p.A).transpose();
  return H;
}
/// The largest sum along a row; a rate in 1/s.
double norm(const Dense& H) { return H.size() > 0 ? H.cwiseAbs().rowwise().sum().maxCoeff() : 0; }

void check_matrix(const char* what, InMatrix<double> a, int rows, int cols) {
  const auto size = [](int r, int c) { return std::to_string(r) + " x " + std::to_string(c); };
  if (a.rows != rows || a.cols != cols)
    throw Error(std::string("riccati: ") + what + " is " + size(a.rows, a.cols) + "; " +
                size(rows, cols) + " is needed");
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      if (!std::isfinite(a(r, c)))
        throw Error(std::string("riccati: ") + what + " is not finite at row " +
                    std::to_string(r + 1) + ", column " + std::to_string(c + 1));
}

}  // namespace

RiccatiProblem riccati_problem(InMatrix<double> A, InMatrix<double> B, InMatrix<double> Q,
                               InMatrix<double> R) {
  const int n = A.rows, m = B.cols;
  check_matrix("A", A, n, n);
  check_matrix("B", B, n, m);
  check_matrix("Q", Q, n, n);
  check_matrix("R", R, m, m);
  const Dense R_ = copy(R);
  if (R_ != R_.transpose() || !Cholesky(m).factorise(R))
    throw Error("riccati: R is not symmetric positive definite");
  const Matrix gain = optimal_gain(B, R, Matrix::identity(n));
  return {owned(copy(A)), symmetric(copy(B) * map(gain)), symmetric(copy(Q))};
}

Matrix optimal_gain(InMatrix<double> B, InMatrix<double> R, InMatrix<double> K) {
  return owned(copy(R).partialPivLu().solve(copy(B).transpose() * copy(K)));
}

RiccatiStep::RiccatiStep(const RiccatiProblem& p, double h) {
  const int n = p.n();
  const Dense H = hamiltonian(p);
  const int doublings = n == 0 ? 0 : std::max(0, std::ilogb(norm(H) * h) + 2);
  const Dense M = exponential(std::ldexp(h, -doublings) * H);
  const Dense E = M.topLeftCorner(n, n).partialPivLu().inverse();
  E_ = owned(E);
  G_ = owned(E * M.topRightCorner(n, n));
  Y_ = owned(M.bottomLeftCorner(n, n) * E);
  for (int k = 0; k < doublings; ++k) (void)double_it();
}

bool RiccatiStep::double_it() {
  const Dense E = map(E_), G = map(G_), Y = map(Y_);
  const Dense D_E = solve_one_plus(G, Y, E), D_G = solve_one_plus(G, Y, G);
  G_ = symmetric(G + E * D_G * E.transpose());
  Y_ = symmetric(Y + E.transpose() * Y * D_E);
  E_ = owned(E * D_E);
  return largest(map(E_)) < 1e100 && largest(map(G_)) < 1e100 && largest(map(Y_)) < 1e100;
}

void RiccatiStep::move(Matrix& K) const {
  const Dense D_E = solve_one_plus(map(G_), map(K), map(E_));
  K = symmetric(map(Y_) + map(E_).transpose() * map(K) * D_E);
}

Matrix riccati_rate(const RiccatiProblem& p, const Matrix& K) {
  const Dense KA = map(K) * map(p.A);
  return owned(map(p.Q) + KA + KA.transpose() - map(K) * map(p.S) * map(K));
}

RiccatiSolution solve_riccati(const RiccatiProblem& p) {
  const double rate = norm(hamiltonian(p));
  RiccatiStep step(p, rate > 0 ? 0.25 / rate : 1);
  RiccatiSolution s;
  for (int k = 0; k < 60 && !s.converged; ++k) {
    const Dense before = map(step.from_zero());
    if (!step.double_it()) break;
    s.converged = largest(map(step.from_zero()) - before) <= 1e-15 * largest(before);
  }
  s.K = step.from_zero();
  s.residual = largest(map(riccati_rate(p, s.K)));
  return s;
}

RiccatiHistory::RiccatiHistory(const RiccatiProblem& p, InMatrix<double> P, double tf)
    : size_(p.n() * p.n()), tf_(tf) {
  check_matrix("P", P, p.n(), p.n());
  if (!(tf > 0) || !std::isfinite(tf))
    throw Error("riccati: the horizon is " + std::to_string(tf) + " s; it must be positive");
  // cubics err by (h rate)^4 / 384; rates of the optimal loop are about sqrt(|S| |Q|)^(1/2) + |A|
  const double S = largest(map(p.S)), rate = std::sqrt(std::sqrt(S * largest(map(p.Q)))) +
                                             largest(map(p.A)) + S * largest(copy(P)) * 0.1;
  intervals_ = static_cast<int>(std::clamp(std::ceil(tf * rate * 100), 256.0, 8192.0));
  K_.resize((intervals_ + 1) * size_);
  slope_.resize(K_.size());
  const RiccatiStep step(p, tf / intervals_);
  Matrix K = symmetric(copy(P));
  for (int k = intervals_; k >= 0; --k) {
    const Matrix rate_back = riccati_rate(p, K);
    if (!std::isfinite(largest(map(K))))
      throw Error("riccati: the solution escapes within " + std::to_string(tf) + " s");
    for (int j = 0; j < size_; ++j) {
      K_[k * size_ + j] = K.entries()[j];
      slope_[k * size_ + j] = -rate_back.entries()[j];
    }
    if (k > 0) step.move(K);
  }
}

void RiccatiHistory::at(double t, Out<double> K) const {
  const double place = std::clamp(t / tf_, 0.0, 1.0) * intervals_, h = tf_ / intervals_;
  const int k = std::min(static_cast<int>(place), intervals_ - 1);
  const double x = place - k, y = 1 - x;
  const double a = y * y * (1 + 2 * x), b = x * x * (1 + 2 * y), c = y * y * x * h,
               d = -x * x * y * h;
  const double *K0 = K_.data() + k * size_, *K1 = K0 + size_;
  const double *S0 = slope_.data() + k * size_, *S1 = S0 + size_;
  for (int j = 0; j < K.size; ++j) K[j] = a * K0[j] + b * K1[j] + c * S0[j] + d * S1[j];
}

}  // namespace torsor
