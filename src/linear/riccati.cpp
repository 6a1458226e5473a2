#include "torsor/linear/riccati.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/eigenvalues.hpp"
#include "torsor/linear/lu.hpp"
#include "torsor/linear/symmetric_eigen.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

Matrix operator+(Matrix a, const Matrix& b) {
  for (int k = 0; k < a.entries().size(); ++k) a.data()[k] += b.entries()[k];
  return a;
}
Matrix operator-(Matrix a, const Matrix& b) {
  for (int k = 0; k < a.entries().size(); ++k) a.data()[k] -= b.entries()[k];
  return a;
}
Matrix operator*(double x, Matrix a) {
  for (int k = 0; k < a.entries().size(); ++k) a.data()[k] *= x;
  return a;
}
Matrix operator*(const Matrix& a, const Matrix& b) { return product(a, b); }
Matrix copy(InMatrix<double> a) {
  Matrix b(a.rows, a.cols);
  for (int r = 0; r < a.rows; ++r)
    for (int c = 0; c < a.cols; ++c) b(r, c) = a(r, c);
  return b;
}
Matrix transposed(const Matrix& a) {
  return copy(InMatrix<double>(a.data(), a.cols(), a.rows(), 1, a.cols()));
}
Matrix symmetric(const Matrix& a) { return 0.5 * (a + transposed(a)); }
Matrix block(const Matrix& a, int row, int col, int rows, int cols) {
  return copy(InMatrix<double>(a.data() + row * a.cols() + col, rows, cols, a.cols(), 1));
}

double largest(const Matrix& a) {
  double most = 0;
  for (const double x : a.entries()) {
    if (!std::isfinite(x)) return std::numeric_limits<double>::infinity();
    most = std::fmax(most, std::abs(x));
  }
  return most;
}
/// A^-1 B; NaN where there is none.
Matrix solved(const Matrix& A, Matrix B) {
  Lu lu(A.rows());
  if (lu.factorise(A))
    lu.solve(B);
  else
    B = std::numeric_limits<double>::quiet_NaN() * B;
  return B;
}
/// (1 + A B)^-1 C.
Matrix solve_one_plus(const Matrix& A, const Matrix& B, const Matrix& C) {
  return solved(Matrix::identity(A.rows()) + A * B, C);
}

/// [-A S; Q A^T]
Matrix hamiltonian(const RiccatiProblem& p) {
  const int n = p.n();
  Matrix H(2 * n, 2 * n);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      H(r, c) = -p.A(r, c);
      H(r, n + c) = p.S(r, c);
      H(n + r, c) = p.Q(r, c);
      H(n + r, n + c) = p.A(c, r);
    }
  return H;
}
/// The largest sum along a row; a rate in 1/s.
double norm(const Matrix& H) {
  double most = 0;
  for (int r = 0; r < H.rows(); ++r) {
    double sum = 0;
    for (int c = 0; c < H.cols(); ++c) sum += std::abs(H(r, c));
    most = std::fmax(most, sum);
  }
  return most;
}

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

/// The move of K over one step backwards in time.
class RiccatiStep {
 public:
  /// Of h seconds.
  RiccatiStep(const RiccatiProblem& problem, double h);
  /// Two of these steps. False: the numbers have left the range of double.
  bool double_it();
  /// K(t - h) from K(t), symmetric.
  void move(Matrix& K) const;
  /// Whether K has escaped to infinity on that way: where 1 + G K has an eigenvalue <= 0. They are
  /// real, 1 for h = 0, and fall with h alone.
  [[nodiscard]] bool escapes(const Matrix& K) const;
  /// K after this step from P = 0.
  const Matrix& from_zero() const { return Y_; }

 private:
  Matrix E_, G_, Y_;
};

RiccatiStep::RiccatiStep(const RiccatiProblem& p, double h) {
  const int n = p.n();
  const Matrix H = hamiltonian(p);
  const int doublings = n == 0 ? 0 : std::max(0, std::ilogb(norm(H) * h) + 2);
  const Matrix M = matrix_exponential(std::ldexp(h, -doublings) * H);
  E_ = solved(block(M, 0, 0, n, n), Matrix::identity(n));
  G_ = E_ * block(M, 0, n, n, n);
  Y_ = block(M, n, 0, n, n) * E_;
  for (int k = 0; k < doublings; ++k) (void)double_it();
}

bool RiccatiStep::double_it() {
  const Matrix D_E = solve_one_plus(G_, Y_, E_), D_G = solve_one_plus(G_, Y_, G_);
  G_ = symmetric(G_ + E_ * D_G * transposed(E_));
  Y_ = symmetric(Y_ + transposed(E_) * Y_ * D_E);
  E_ = E_ * D_E;
  return largest(E_) < 1e100 && largest(G_) < 1e100 && largest(Y_) < 1e100;
}

void RiccatiStep::move(Matrix& K) const {
  const Matrix D_E = solve_one_plus(G_, K, E_);
  K = symmetric(Y_ + transposed(E_) * K * D_E);
}

bool RiccatiStep::escapes(const Matrix& K) const {
  Eigenvalues spectrum(K.rows());
  if (!spectrum.compute(Matrix::identity(K.rows()) + G_ * K)) return true;
  for (int k = 0; k < spectrum.size(); ++k)
    if (!(spectrum.real(k) > 0)) return true;
  return false;
}

/// -K' = K A + A^T K + Q - K S K.
Matrix riccati_rate(const RiccatiProblem& p, const Matrix& K) {
  const Matrix KA = K * p.A;
  return p.Q + KA + transposed(KA) - K * p.S * K;
}

}  // namespace

RiccatiProblem riccati_problem(InMatrix<double> A, InMatrix<double> B, InMatrix<double> Q,
                               InMatrix<double> R) {
  const int n = A.rows, m = B.cols;
  check_matrix("A", A, n, n);
  check_matrix("B", B, n, m);
  check_matrix("Q", Q, n, n);
  check_matrix("R", R, m, m);
  const Matrix R_ = copy(R);
  if (R_.entries() != transposed(R_).entries() || !Cholesky(m).factorise(R))
    throw Error("riccati: R is not symmetric positive definite");
  const Matrix gain = optimal_gain(B, R, Matrix::identity(n));
  return {copy(A), symmetric(copy(B) * gain), symmetric(copy(Q))};
}

Matrix optimal_gain(InMatrix<double> B, InMatrix<double> R, InMatrix<double> K) {
  return solved(copy(R), transposed(copy(B)) * copy(K));
}

RiccatiSolution solve_riccati(const RiccatiProblem& p) {
  const double rate = norm(hamiltonian(p));
  RiccatiStep step(p, rate > 0 ? 0.25 / rate : 1);
  RiccatiSolution s;
  for (int k = 0; k < 60 && !s.converged; ++k) {
    const Matrix before = step.from_zero();
    if (!step.double_it()) break;
    s.converged = largest(step.from_zero() - before) <= 1e-15 * largest(before);
  }
  s.K = step.from_zero();
  s.residual = largest(riccati_rate(p, s.K));
  return s;
}

RiccatiHistory::RiccatiHistory(const RiccatiProblem& p, InMatrix<double> P, double tf)
    : size_(p.n() * p.n()), tf_(tf) {
  check_matrix("P", P, p.n(), p.n());
  if (!(tf > 0) || !std::isfinite(tf))
    throw Error("riccati: the horizon is " + std::to_string(tf) + " s; it must be positive");
  // cubics err by (h rate)^4 / 384; rates of the optimal loop are about sqrt(|S| |Q|)^(1/2) + |A|
  const double S = largest(p.S), rate = std::sqrt(std::sqrt(S * largest(p.Q))) + largest(p.A) +
                                        S * largest(copy(P)) * 0.1;
  intervals_ = static_cast<int>(std::clamp(std::ceil(tf * rate * 100), 256.0, 8192.0));
  K_.resize((intervals_ + 1) * size_);
  slope_.resize(K_.size());
  const RiccatiStep step(p, tf / intervals_);
  Matrix K = symmetric(copy(P));
  const auto is_negative = [](const Matrix& a) {
    SymmetricEigen eigen(a.rows());
    eigen.factorise(a);
    return a.rows() > 0 && eigen.smallest() < 0;
  };
  const bool may_escape = is_negative(K) || is_negative(p.Q);
  for (int k = intervals_; k >= 0; --k) {
    const Matrix rate_back = riccati_rate(p, K);
    if (!std::isfinite(largest(K)) || (may_escape && k > 0 && step.escapes(K)))
      throw Error("riccati: the solution escapes to infinity " +
                  std::to_string(tf * (1 - static_cast<double>(k) / intervals_)) +
                  " s before the horizon of " + std::to_string(tf) + " s");
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
