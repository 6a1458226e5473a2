#include "torsor/control/riccati.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "torsor/model/error.hpp"

namespace torsor {

namespace {

using Matrix = std::vector<double>;  // n x n by rows

std::size_t at(int r, int c, int n) { return static_cast<std::size_t>(r * n + c); }
Matrix zeros(int n) { return Matrix(static_cast<std::size_t>(n * n)); }

Matrix product(const Matrix& a, const Matrix& b, int n) {
  Matrix c = zeros(n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[at(i, j, n)] += a[at(i, k, n)] * b[at(k, j, n)];
  return c;
}
Matrix transposed(const Matrix& a, int n) {
  Matrix b = zeros(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) b[at(j, i, n)] = a[at(i, j, n)];
  return b;
}
void add(const Matrix& a, Matrix& to, double factor = 1) {
  for (std::size_t k = 0; k < a.size(); ++k) to[k] += factor * a[k];
}
void symmetrise(Matrix& a, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      a[at(i, j, n)] = a[at(j, i, n)] = (a[at(i, j, n)] + a[at(j, i, n)]) / 2;
}
double largest(const Matrix& a) {
  double x = 0;
  for (const double y : a)
    x = std::isfinite(y) ? std::max(x, std::abs(y)) : std::numeric_limits<double>::infinity();
  return x;
}

/// X of A X = B by Gauss with row exchanges; NaN where A is singular.
Matrix solve(Matrix a, Matrix b, int n) {
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r)
      if (std::abs(a[at(r, c, n)]) > std::abs(a[at(pivot, c, n)])) pivot = r;
    for (int j = 0; j < n; ++j) {
      std::swap(a[at(c, j, n)], a[at(pivot, j, n)]);
      std::swap(b[at(c, j, n)], b[at(pivot, j, n)]);
    }
    for (int r = 0; r < n; ++r) {
      if (r == c) continue;
      const double f = a[at(r, c, n)] / a[at(c, c, n)];
      for (int j = c; j < n; ++j) a[at(r, j, n)] -= f * a[at(c, j, n)];
      for (int j = 0; j < n; ++j) b[at(r, j, n)] -= f * b[at(c, j, n)];
    }
  }
  for (int r = 0; r < n; ++r)
    for (int j = 0; j < n; ++j) b[at(r, j, n)] /= a[at(r, r, n)];
  return b;
}

/// (1 + a b)^-1 c.
Matrix solve_one_plus(const Matrix& a, const Matrix& b, const Matrix& c, int n) {
  Matrix m = product(a, b, n);
  for (int i = 0; i < n; ++i) m[at(i, i, n)] += 1;
  return solve(std::move(m), c, n);
}

/// exp of a matrix of norm below one, by its series.
Matrix exponential(const Matrix& a, int n) {
  Matrix sum = zeros(n), term = zeros(n);
  for (int i = 0; i < n; ++i) sum[at(i, i, n)] = term[at(i, i, n)] = 1;
  for (int k = 1; k < 24; ++k) {
    term = product(term, a, n);
    for (double& x : term) x /= k;
    add(term, sum);
  }
  return sum;
}

/// Of the Hamiltonian matrix, by the largest sum along a row; a rate in 1/s.
double hamiltonian_norm(const RiccatiProblem& p) {
  double norm = 0;
  for (int i = 0; i < p.n; ++i) {
    double upper = 0, lower = 0;
    for (int j = 0; j < p.n; ++j) {
      upper += std::abs(p.A[at(i, j, p.n)]) + std::abs(p.S[at(i, j, p.n)]);
      lower += std::abs(p.Q[at(i, j, p.n)]) + std::abs(p.A[at(j, i, p.n)]);
    }
    norm = std::max({norm, upper, lower});
  }
  return norm;
}

void check_matrix(const char* what, const std::vector<double>& a, int rows, int cols) {
  if (a.size() != static_cast<std::size_t>(rows * cols))
    throw Error(std::string("riccati: ") + what + " has " + std::to_string(a.size()) +
                " entries; " + std::to_string(rows) + " x " + std::to_string(cols) + " are needed");
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!std::isfinite(a[k]))
      throw Error(std::string("riccati: ") + what + " is not finite at entry " +
                  std::to_string(k + 1));
}

}  // namespace

RiccatiProblem riccati_problem(int n, std::vector<double> A, const std::vector<double>& B,
                               std::vector<double> Q, const Gain& R) {
  const int m = R.size();
  check_matrix("A", A, n, n);
  check_matrix("B", B, n, m);
  check_matrix("Q", Q, n, n);
  R.check("riccati", "R", m);
  if (R.asymmetry() > 0 || !(R.smallest_eigenvalue() > 0))
    throw Error("riccati: R is not symmetric positive definite: smallest eigenvalue " +
                std::to_string(R.smallest_eigenvalue()));
  Matrix identity = zeros(n), S = zeros(n);
  for (int i = 0; i < n; ++i) identity[at(i, i, n)] = 1;
  const std::vector<double> RB = optimal_gain(n, B, R, identity);  // R^-1 B^T
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < m; ++k)
      for (int j = 0; j < n; ++j) S[at(i, j, n)] += B[at(i, k, m)] * RB[at(k, j, n)];
  symmetrise(S, n);
  symmetrise(Q, n);
  return {n, std::move(A), std::move(S), std::move(Q)};
}

std::vector<double> optimal_gain(int n, const std::vector<double>& B, const Gain& R,
                                 const std::vector<double>& K) {
  // R is widened with ones so that the square solver serves
  const int m = R.size(), size = std::max(n, m);
  Matrix wide = zeros(size), right = zeros(size);
  for (int i = 0; i < size; ++i) wide[at(i, i, size)] = 1;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) wide[at(i, j, size)] = R(i, j);
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) right[at(i, j, size)] += B[at(k, i, m)] * K[at(k, j, n)];
  }
  const Matrix x = solve(std::move(wide), std::move(right), size);
  std::vector<double> gain(static_cast<std::size_t>(m * n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) gain[at(i, j, n)] = x[at(i, j, size)];
  return gain;
}

RiccatiStep::RiccatiStep(const RiccatiProblem& p, double h) : n_(p.n) {
  const int n = p.n, two = 2 * n;
  const int doublings = std::max(0, std::ilogb(hamiltonian_norm(p) * h) + 2);
  const double step = std::ldexp(h, -doublings);
  Matrix M = zeros(two);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      M[at(i, j, two)] = -step * p.A[at(i, j, n)];
      M[at(i, n + j, two)] = step * p.S[at(i, j, n)];
      M[at(n + i, j, two)] = step * p.Q[at(i, j, n)];
      M[at(n + i, n + j, two)] = step * p.A[at(j, i, n)];
    }
  M = exponential(M, two);
  Matrix X = zeros(n), Z = zeros(n), W = zeros(n), identity = zeros(n);
  for (int i = 0; i < n; ++i) {
    identity[at(i, i, n)] = 1;
    for (int j = 0; j < n; ++j) {
      X[at(i, j, n)] = M[at(i, j, two)];
      Z[at(i, j, n)] = M[at(i, n + j, two)];
      W[at(i, j, n)] = M[at(n + i, j, two)];
    }
  }
  E_ = solve(X, std::move(identity), n);
  G_ = product(E_, Z, n);
  Y_ = product(W, E_, n);
  for (int k = 0; k < doublings; ++k) (void)double_it();
}

bool RiccatiStep::double_it() {
  const Matrix E_t = transposed(E_, n_);
  const Matrix D_E = solve_one_plus(G_, Y_, E_, n_);  // (1 + G Y)^-1 E
  const Matrix D_G = solve_one_plus(G_, Y_, G_, n_);
  add(product(E_, product(D_G, E_t, n_), n_), G_);
  add(product(E_t, product(Y_, D_E, n_), n_), Y_);
  E_ = product(E_, D_E, n_);
  symmetrise(G_, n_);
  symmetrise(Y_, n_);
  return largest(E_) < 1e100 && largest(G_) < 1e100 && largest(Y_) < 1e100;
}

void RiccatiStep::move(std::vector<double>& K) const {
  const Matrix D_E = solve_one_plus(G_, K, E_, n_);
  K = product(transposed(E_, n_), product(K, D_E, n_), n_);
  add(Y_, K);
  symmetrise(K, n_);
}

std::vector<double> riccati_rate(const RiccatiProblem& p, const std::vector<double>& K) {
  const Matrix KA = product(K, p.A, p.n);
  Matrix rate = p.Q;
  add(KA, rate);
  add(transposed(KA, p.n), rate);
  add(product(K, product(p.S, K, p.n), p.n), rate, -1);
  return rate;
}

RiccatiSolution solve_riccati(const RiccatiProblem& p) {
  const double norm = hamiltonian_norm(p);
  RiccatiStep step(p, norm > 0 ? 0.25 / norm : 1);
  RiccatiSolution s;
  for (int k = 0; k < 60 && !s.converged; ++k) {
    const Matrix before = step.from_zero();
    if (!step.double_it()) break;
    Matrix change = step.from_zero();
    add(before, change, -1);
    s.converged = largest(change) <= 1e-15 * largest(before);
  }
  s.K = step.from_zero();
  s.residual = largest(riccati_rate(p, s.K));
  return s;
}

RiccatiHistory::RiccatiHistory(const RiccatiProblem& p, std::vector<double> P, double tf)
    : n_(p.n), tf_(tf) {
  check_matrix("P", P, p.n, p.n);
  if (!(tf > 0) || !std::isfinite(tf))
    throw Error("riccati: the horizon is " + std::to_string(tf) + " s; it must be positive");
  // cubics err by (h rate)^4 / 384; rates of the optimal loop are about sqrt(|S| |Q|)^(1/2) + |A|
  const double rate = std::sqrt(std::sqrt(largest(p.S) * largest(p.Q))) + largest(p.A) +
                      largest(p.S) * largest(P) * 0.1;
  intervals_ = static_cast<int>(std::clamp(std::ceil(tf * rate * 100), 256.0, 8192.0));
  const std::size_t size = P.size(), count = static_cast<std::size_t>(intervals_);
  K_.resize((count + 1) * size);
  slope_.resize(K_.size());
  const RiccatiStep step(p, tf / intervals_);
  symmetrise(P, n_);
  for (std::size_t k = count + 1; k-- > 0;) {
    const Matrix rate_back = riccati_rate(p, P);
    if (!std::isfinite(largest(P)))
      throw Error("riccati: the solution escapes within " + std::to_string(tf) + " s");
    for (std::size_t j = 0; j < size; ++j) {
      K_[k * size + j] = P[j];
      slope_[k * size + j] = -rate_back[j];
    }
    if (k > 0) step.move(P);
  }
}

void RiccatiHistory::at(double t, View<double> K) const {
  const double place = std::clamp(t / tf_, 0.0, 1.0) * intervals_, h = tf_ / intervals_;
  const int k = std::min(static_cast<int>(place), intervals_ - 1);
  const double x = place - k, y = 1 - x;
  const double a = y * y * (1 + 2 * x), b = x * x * (1 + 2 * y), c = y * y * x * h,
               d = -x * x * y * h;
  const std::size_t size = static_cast<std::size_t>(n_ * n_), from = static_cast<std::size_t>(k);
  const double *K0 = &K_[from * size], *K1 = K0 + size, *S0 = &slope_[from * size], *S1 = S0 + size;
  for (int j = 0; j < K.size; ++j) K[j] = a * K0[j] + b * K1[j] + c * S0[j] + d * S1[j];
}

}  // namespace torsor
