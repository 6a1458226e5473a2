#include "consistency_newton.hpp"

#include <algorithm>
#include <cmath>

#include "factor_algebra.hpp"
#include "torsor/math/internal/symmetric_eigen.hpp"

namespace torsor::internal {

Matrix4 pseudo_inertia_matrix(const double* p) {
  const double half = 0.5 * (p[4] + p[6] + p[9]);
  return {{{half - p[4], -p[5], -p[7], p[1]},
           {-p[5], half - p[6], -p[8], p[2]},
           {-p[7], -p[8], half - p[9], p[3]},
           {p[1], p[2], p[3], p[0]}}};
}

bool cholesky4(const Matrix4& P, Matrix4& L) {
  L = {};
  for (std::size_t j = 0; j < 4; ++j) {
    double pivot = P[j][j];
    for (std::size_t k = 0; k < j; ++k) pivot -= L[j][k] * L[j][k];
    if (!(pivot > 1e-15 * P[j][j])) return false;
    L[j][j] = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < 4; ++i) {
      double sum = P[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
      L[i][j] = sum / L[j][j];
    }
  }
  return true;
}

namespace {

/// L^-1, lower triangular.
Matrix4 lower_inverse(const Matrix4& L) {
  Matrix4 inverse{};
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t r = c; r < 4; ++r) {
      double sum = r == c ? 1 : 0;
      for (std::size_t k = c; k < r; ++k) sum -= L[r][k] * inverse[k][c];
      inverse[r][c] = sum / L[r][r];
    }
  return inverse;
}

/// Entries of S in the order of a step; off the diagonal they count twice.
constexpr std::array<std::array<std::size_t, 2>, 10> entry_of = {
    {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
const double root_half = std::sqrt(0.5);

Matrix4 symmetric_from(const double* y) {
  Matrix4 S{};
  for (std::size_t k = 0; k < 10; ++k) {
    const auto [i, j] = entry_of[k];
    S[i][j] = S[j][i] = i == j ? y[k] : root_half * y[k];
  }
  return S;
}

/// The ten parameters of P = [Sigma h; h^T m].
std::array<double, 10> parameters_of_pseudo_inertia(const Matrix4& P) {
  return {P[3][3],  P[0][3],           P[1][3],  P[2][3],  P[1][1] + P[2][2],
          -P[0][1], P[0][0] + P[2][2], -P[0][2], -P[1][2], P[0][0] + P[1][1]};
}

Matrix4 product(const Matrix4& A, const Matrix4& B) {
  Matrix4 C{};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t c = 0; c < 4; ++c) C[r][c] += A[r][k] * B[k][c];
  return C;
}
Matrix4 transposed(const Matrix4& A) {
  Matrix4 B;
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 4; ++c) B[c][r] = A[r][c];
  return B;
}

double step_to_border(const std::array<double, 4>& lambda, const Matrix4& S) {
  const double least = border_eigenvalues(lambda, S)[0];
  return least < 0 ? -1 / least : std::numeric_limits<double>::infinity();
}

}  // namespace

Matrix4 inverse_from_cholesky4(const Matrix4& L) {
  const Matrix4 I = lower_inverse(L);
  Matrix4 M{};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c <= r; ++c) {
      double sum = 0;
      for (std::size_t k = r; k < 4; ++k) sum += I[k][r] * I[k][c];
      M[r][c] = M[c][r] = sum;
    }
  return M;
}

Matrix4 congruent(const Matrix4& L, const Matrix4& A) {
  const Matrix4 I = lower_inverse(L);
  Matrix4 half{}, result{};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 4; ++c)
      for (std::size_t k = 0; k <= r; ++k) half[r][c] += I[r][k] * A[k][c];
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 4; ++c)
      for (std::size_t k = 0; k <= c; ++k) result[r][c] += half[r][k] * I[c][k];
  return result;
}

std::array<double, 4> eigenvalues4(const Matrix4& A) {
  return symmetric_eigen<double, 4>(A).values;
}

std::array<double, 4> border_eigenvalues(const std::array<double, 4>& lambda, const Matrix4& S) {
  Matrix4 scaled;
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 4; ++c) scaled[r][c] = S[r][c] / std::sqrt(lambda[r] * lambda[c]);
  return eigenvalues4(scaled);
}

ConsistencyNewton::ConsistencyNewton(const ConsistencyProblem& problem)
    : x(problem.x0),
      problem_(problem),
      gram_(problem.N, problem.N),
      half_(problem.N, problem.N),
      H_(problem.N, problem.N),
      factor_(problem.N),
      g_(problem.N),
      data_(problem.N),
      y_(problem.N),
      dx_(problem.N),
      mass_(problem.N, 0.0),
      mass_in_steps_(problem.N),
      mass_step_(problem.N),
      Rx_(problem.N),
      unknown_(problem.N),
      bodies_(problem.bodies.size()),
      positive_(problem.positive.size()),
      scale_(problem.N, 1.0) {
  const int N = problem.N;
  for (int b = 0; b < problem.bodies.size(); ++b) {
    const ConsistentBody& body = problem.bodies[b];
    for (const int c : body.columns) order_.push_back(c);
    mass_[body.columns[0]] = 1;
    const Array<int> mass{body.columns[0]};
    if (body.least_mass > 0) bounds_.push_back({mass, {1.0}, -body.least_mass});
    if (std::isfinite(body.largest_mass)) bounds_.push_back({mass, {-1.0}, body.largest_mass});
    if (body.has_ellipsoid)
      bounds_.push_back({Array<int>(body.columns.begin(), body.columns.end()),
                         Array<double>(body.ellipsoid.begin(), body.ellipsoid.end())});
  }
  for (Bound& bound : bounds_) bound.in_steps.assign(N, 0.0);
  order_.insert(order_.end(), problem.positive.begin(), problem.positive.end());
  order_.insert(order_.end(), problem.free_columns.begin(), problem.free_columns.end());
  for (const int k : problem.free_columns) scale_[k] = problem.width[k];
  Matrix columns(N, N);  // of R, by position
  for (int r = 0; r < N; ++r)
    for (int c = 0; c < N; ++c) columns(r, c) = order_[c] >= r ? problem.R(r, order_[c]) : 0;
  for (int k = 0; k < N; ++k)
    for (int r = 0; r < N; ++r) {
      const double factor = 2 * columns(k, r);
      if (factor == 0) continue;
      for (int c = 0; c < N; ++c) gram_(r, c) += factor * columns(k, c);
    }
  start();
}

/// At the prior, with a gamma as large as the sum of squares: on the path, or near it.
void ConsistencyNewton::start() {
  x = problem_.x0;
  for (int b = 0; b < bodies_.size(); ++b)
    (void)cholesky4(pseudo_inertia_matrix(problem_.bodies[b].prior.data()), bodies_[b].F);
  for (int k = 0; k < positive_.size(); ++k) positive_[k].value = x[problem_.positive[k]];
  for (Bound& bound : bounds_) bound.slack.value = bound.at(x) + bound.constant;
  recentre(std::max(1e-12, squared_residual(problem_.R, x) / std::max(1, problem_.n_bounds)));
}

void ConsistencyNewton::scale() {
  for (int b = 0; b < bodies_.size(); ++b) {
    Body& body = bodies_[b];
    const auto pairs = symmetric_eigen<double, 4>(body.dual);
    Matrix4& G = body.G;
    for (std::size_t k = 0; k < 4; ++k) body.lambda[k] = std::sqrt(pairs.values[k]);
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < 4; ++k) sum += body.F[r][k] * pairs.vectors[c][k];
        G[r][c] = sum / std::sqrt(body.lambda[c]);
      }
    const Matrix4 half = product(problem_.bodies[b].prior_inverse, G);
    for (std::size_t e = 0; e < 10; ++e) {
      const auto [i, j] = entry_of[e];
      const double factor = i == j ? 0.5 : root_half;
      Matrix4 dP;
      for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t c = 0; c < 4; ++c)
          dP[r][c] = factor * (G[r][i] * G[c][j] + G[r][j] * G[c][i]);
      const std::array<double, 10> column = parameters_of_pseudo_inertia(dP);
      for (std::size_t k = 0; k < 10; ++k) body.T[k][e] = column[k];
      double pull = 0;
      for (std::size_t k = 0; k < 4; ++k) pull += G[k][i] * half[k][j];
      body.pull[e] = i == j ? pull : pull / root_half;
    }
  }
  for (int k = 0; k < positive_.size(); ++k)
    scale_[problem_.positive[k]] = std::sqrt(positive_[k].value / positive_[k].dual);
}

void ConsistencyNewton::to_unknowns(In<double> y, Out<double> dx) const {
  int at = 0;
  for (int b = 0; b < bodies_.size(); ++b, at += 10)
    for (std::size_t k = 0; k < 10; ++k) {
      double sum = 0;
      for (std::size_t e = 0; e < 10; ++e) sum += bodies_[b].T[k][e] * y[at + static_cast<int>(e)];
      dx[problem_.bodies[b].columns[k]] = sum;
    }
  for (; at < y.size; ++at) dx[order_[at]] = scale_[order_[at]] * y[at];
}
void ConsistencyNewton::to_steps(In<double> g, Out<double> y) const {
  int at = 0;
  for (int b = 0; b < bodies_.size(); ++b, at += 10)
    for (std::size_t e = 0; e < 10; ++e) {
      double sum = 0;
      for (std::size_t k = 0; k < 10; ++k)
        sum += bodies_[b].T[k][e] * g[problem_.bodies[b].columns[k]];
      y[at + static_cast<int>(e)] = sum;
    }
  for (; at < y.size; ++at) y[at] = scale_[order_[at]] * g[order_[at]];
}

/// data_ = T^T 2 R^T (R x - r), and the factors of H_ = T^T gram T + 1, by position.
void ConsistencyNewton::derivatives() {
  const int N = problem_.N, n_bodies = bodies_.size();
  const Matrix& R = problem_.R;
  for (int r = 0; r < N; ++r) {
    double sum = -R(r, N);
    for (int c = r; c < N; ++c) sum += R(r, c) * x[c];
    Rx_[r] = sum;
  }
  std::fill(unknown_.begin(), unknown_.end(), 0.0);
  for (int r = 0; r < N; ++r)
    for (int c = r; c < N; ++c) unknown_[c] += 2 * R(r, c) * Rx_[r];
  to_steps(unknown_, data_);

  for (int r = 0; r < N; ++r) {
    const double* const from = gram_.data() + r * N;
    double* const to = half_.data() + r * N;
    for (int b = 0; b < n_bodies; ++b) {
      double sum[10] = {};
      for (std::size_t k = 0; k < 10; ++k)
        for (std::size_t e = 0; e < 10; ++e)
          sum[e] += from[10 * b + static_cast<int>(k)] * bodies_[b].T[k][e];
      std::copy_n(sum, 10, to + 10 * b);
    }
    for (int c = 10 * n_bodies; c < N; ++c) to[c] = from[c] * scale_[order_[c]];
  }
  for (int b = 0; b < n_bodies; ++b)
    for (int e = 0; e < 10; ++e) {
      double* const to = H_.data() + (10 * b + e) * N;
      const int end = 10 * b + e + 1;
      std::fill_n(to, end, 0.0);
      for (int k = 0; k < 10; ++k) {
        const double factor =
            bodies_[b].T[static_cast<std::size_t>(k)][static_cast<std::size_t>(e)];
        const double* const from = half_.data() + (10 * b + k) * N;
        for (int c = 0; c < end; ++c) to[c] += factor * from[c];
      }
      to[end - 1] += 1;
    }
  for (int r = 10 * n_bodies; r < N; ++r) {
    for (int c = 0; c <= r; ++c) H_(r, c) = scale_[order_[r]] * half_(r, c);
    H_(r, r) += r < 10 * n_bodies + positive_.size() ? 1 : 2 * gamma_;
  }
  for (Bound& bound : bounds_) {
    std::fill(unknown_.begin(), unknown_.end(), 0.0);
    for (int k = 0; k < bound.columns.size(); ++k) unknown_[bound.columns[k]] = bound.row[k];
    to_steps(unknown_, bound.in_steps);
    const double factor = bound.slack.dual / bound.slack.value;
    for (int r = 0; r < N; ++r)
      for (int c = 0; bound.in_steps[r] != 0 && c <= r; ++c)
        H_(r, c) += factor * bound.in_steps[r] * bound.in_steps[c];
  }
  for (double more = 1e-15; !factor_.factorise(H_) && more < 1; more *= 100)  // rounding
    for (int k = 0; k < N; ++k) H_(k, k) *= 1 + more;
  if (problem_.mass_is_exact) {
    to_steps(mass_, mass_in_steps_);
    std::copy(mass_in_steps_.begin(), mass_in_steps_.end(), mass_step_.begin());
    factor_.solve(mass_step_);
  }
}

void ConsistencyNewton::aim(double gamma, bool corrected) {
  for (Body& body : bodies_) {
    Matrix4 both{};
    if (corrected) both = product(body.S, body.S_z);
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c)
        body.C[r][c] = 2 * ((r == c ? gamma : 0) - 0.5 * (both[r][c] + both[c][r])) /
                       (body.lambda[r] + body.lambda[c]);
  }
  const auto number = [&](Number& n) {
    n.c = (gamma - (corrected ? n.d_value * n.d_dual : 0)) / n.value;
  };
  for (Number& n : positive_) number(n);
  for (Bound& bound : bounds_) number(bound.slack);
}

/// y = -H^-1 (g - l T^T mass), l such that the mass stays where it is fixed; the duals follow.
void ConsistencyNewton::direction(double gamma) {
  const int N = problem_.N;
  int at = 0;
  for (const Body& body : bodies_)
    for (std::size_t e = 0; e < 10; ++e, ++at) {
      const auto [i, j] = entry_of[e];
      const double centre = i == j ? body.C[i][i] : body.C[i][j] / root_half;
      g_[at] = data_[at] + gamma * body.pull[e] - centre;
    }
  for (int k = 0; k < positive_.size(); ++k, ++at) {
    const int c = problem_.positive[k];
    g_[at] = data_[at] + scale_[c] * (gamma / problem_.x0[c] - positive_[k].c);
  }
  for (const int c : problem_.free_columns) {
    g_[at] = data_[at] + 2 * gamma_ * (x[c] - problem_.x0[c]) / problem_.width[c];
    ++at;
  }
  for (const Bound& bound : bounds_)
    for (int k = 0; k < N; ++k) g_[k] -= bound.slack.c * bound.in_steps[k];

  for (int k = 0; k < N; ++k) y_[k] = -g_[k];
  factor_.solve(y_);
  if (problem_.mass_is_exact) {
    double of_step = 0, of_mass = 0;
    for (int k = 0; k < N; ++k)
      of_step += mass_in_steps_[k] * y_[k], of_mass += mass_in_steps_[k] * mass_step_[k];
    for (int k = 0; k < N; ++k) y_[k] -= of_step / of_mass * mass_step_[k];
  }
  to_unknowns(y_, dx_);
  for (int b = 0; b < bodies_.size(); ++b) {
    Body& body = bodies_[b];
    body.S = symmetric_from(y_.data() + 10 * b);
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c)
        body.S_z[r][c] = body.C[r][c] - (r == c ? body.lambda[r] : 0) - body.S[r][c];
  }
  const auto follow = [](Number& n, double change) {
    n.d_value = change;
    n.d_dual = n.c - n.dual - n.dual / n.value * change;
  };
  for (int k = 0; k < positive_.size(); ++k) follow(positive_[k], dx_[problem_.positive[k]]);
  for (Bound& bound : bounds_) follow(bound.slack, bound.at(dx_));
}

std::array<double, 2> ConsistencyNewton::steps_to_border() const {
  double primal = 1e3, dual = 1e3;
  for (const Body& body : bodies_) {
    primal = std::min(primal, step_to_border(body.lambda, body.S));
    dual = std::min(dual, step_to_border(body.lambda, body.S_z));
  }
  const auto number = [&](const Number& n) {
    if (n.d_value < 0) primal = std::min(primal, -n.value / n.d_value);
    if (n.d_dual < 0) dual = std::min(dual, -n.dual / n.d_dual);
  };
  for (const Number& n : positive_) number(n);
  for (const Bound& bound : bounds_) number(bound.slack);
  return {primal, dual};
}

void ConsistencyNewton::move(double t, double t_z) {
  for (int k = 0; k < problem_.N; ++k) x[k] += t * dx_[k];
  for (int b = 0; b < bodies_.size(); ++b) {
    Body& body = bodies_[b];
    Matrix4 P, Z, C;
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c) {
        P[r][c] = (r == c ? body.lambda[r] : 0) + t * body.S[r][c];
        Z[r][c] = (r == c ? body.lambda[r] : 0) + t_z * body.S_z[r][c];
      }
    if (!cholesky4(P, C)) continue;  // rounding; the next step starts from the same body
    body.F = product(body.G, C);
    body.dual = product(transposed(C), product(Z, C));
    const std::array<double, 10> p =
        parameters_of_pseudo_inertia(product(body.F, transposed(body.F)));
    for (std::size_t k = 0; k < 10; ++k) x[problem_.bodies[b].columns[k]] = p[k];
  }
  for (int k = 0; k < positive_.size(); ++k) {
    positive_[k].value = x[problem_.positive[k]];
    positive_[k].dual += t_z * positive_[k].d_dual;
  }
  for (Bound& bound : bounds_) {
    bound.slack.value = bound.at(x) + bound.constant;
    bound.slack.dual += t_z * bound.slack.d_dual;
  }
  scale();
}

double ConsistencyNewton::complementarity() const {
  double sum = 0;
  for (const Body& body : bodies_)
    for (const double lambda : body.lambda) sum += lambda * lambda;
  for (const Number& n : positive_) sum += n.value * n.dual;
  for (const Bound& bound : bounds_) sum += bound.slack.value * bound.slack.dual;
  return sum / std::max(1, problem_.n_bounds);
}

/// Z = gamma P^-1: steps are then those of Newton's method on the sum alone.
void ConsistencyNewton::recentre(double gamma) {
  for (Body& body : bodies_) {
    body.dual = {};
    for (std::size_t k = 0; k < 4; ++k) body.dual[k][k] = gamma;
  }
  for (Number& n : positive_) n.dual = gamma / n.value;
  for (Bound& bound : bounds_) bound.slack.dual = gamma / bound.slack.value;
  scale();
}

double ConsistencyNewton::relative_gradient(double gamma) {
  derivatives();
  aim(gamma, false);
  direction(gamma);
  double l = 0, sum = 0, parts = 0;
  if (problem_.mass_is_exact) {
    double of_g = 0, of_mass = 0;
    for (int k = 0; k < problem_.N; ++k)
      of_g += mass_in_steps_[k] * g_[k], of_mass += mass_in_steps_[k] * mass_in_steps_[k];
    l = of_g / of_mass;
  }
  for (int k = 0; k < problem_.N; ++k) {
    const double free_part = g_[k] - (problem_.mass_is_exact ? l * mass_in_steps_[k] : 0);
    sum += free_part * free_part;
    parts += data_[k] * data_[k] + (g_[k] - data_[k]) * (g_[k] - data_[k]);
  }
  return parts > 0 ? std::sqrt(sum / parts) : 0;
}

}  // namespace torsor::internal
