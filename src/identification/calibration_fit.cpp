#include "calibration_fit.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"
#include "torsor/linear/svd.hpp"

namespace torsor::internal {
namespace {

constexpr double smallest_sigma = 1e-12;

double norm_of(const Array<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

void CalibrationFit::begin(CalibrationState from) {
  state = std::move(from);
  change.assign(problem_.n(), 0.0);
  weights.pose.assign(problem_.n_poses(), 1.0);
  for (int i = 0; i < problem_.n_poses(); ++i) weights.pose[i] = problem_.measurement(i).weight;
}

void CalibrationFit::run(bool geometry, bool huber) {
  const Array<double> given = weights.pose;
  for (int round = 0; round < 4 && !stopped;
       ++round) {  // columns that separate may change on the way
    linearise();
    const Array<int> before = separation.kept;
    separate(geometry);
    if (round > 0 && separation.kept == before) break;
    descend(huber, given);
  }
  weights.pose = given;
}

void CalibrationFit::update_sigmas() {
  problem_.evaluate(state, rows_, nullptr);
  double p = 0, r = 0, n_p = 0, n_r = 0;
  for (int i = 0; i < problem_.n_poses(); ++i) {
    const double w = weights.pose[i];
    if (w == 0) continue;
    p += w * squared_norm(row(i).position), n_p += std::min(3, n_rows(i));
    if (n_rows(i) == 6) r += w * squared_norm(row(i).rotation), n_r += 3;
  }
  const double n = n_p + n_r, share = std::max(1.0, n - separation.kept.size()) / n;
  weights.sigma_p = std::max(smallest_sigma, std::sqrt(p / (n_p * share)));
  weights.sigma_r = n_r > 0 ? std::max(smallest_sigma, std::sqrt(r / (n_r * share))) : 1;
}

double CalibrationFit::factor(int r) const {
  return std::sqrt(weights.pose[r / 6]) / (r % 6 < 3 ? weights.sigma_p : weights.sigma_r);
}

double CalibrationFit::scaled_residual(int r) const {
  const PoseRows& e = row(r / 6);
  return (r % 6 < 3 ? e.position[r % 3] : e.rotation[r % 3]) * factor(r);
}

void CalibrationFit::separate(bool geometry) {
  const int n = geometry ? problem_.n() : problem_.n_outside(), m = J_.rows();
  Array<Array<double>> Q;
  std::vector<Array<double>> R;  // of each column: its shares of Q
  separation = {};
  Array<double> length;
  double longest[2] = {0, 0};  // of turns and of shifts
  for (int c = 0; c < n; ++c) {
    Array<double> v(m);
    for (int r = 0; r < m; ++r) v[r] = scaled(r, c);
    length.push_back(norm_of(v));
    double& most = longest[problem_.is_angle(c) ? 0 : 1];
    most = std::max(most, length[c]);
  }
  for (int c = 0; c < n; ++c) {
    Array<double> v(m), shares(Q.size(), 0.0);
    for (int r = 0; r < m; ++r) v[r] = scaled(r, c);
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < Q.size(); ++k) {
        double dot = 0;
        for (int r = 0; r < m; ++r) dot += Q[k][r] * v[r];
        for (int r = 0; r < m; ++r) v[r] -= dot * Q[k][r];
        shares[k] += dot;
      }
    const double left = norm_of(v), most = longest[problem_.is_angle(c) ? 0 : 1];
    const bool keep = length[c] > 1e-9 * most && left > options_.separation * length[c];
    if (keep) {
      for (double& x : v) x /= left;
      shares.push_back(left);
      Q.push_back(std::move(v));
      separation.kept.push_back(c);
    } else {
      separation.held.push_back(c);
    }
    R.push_back(std::move(shares));
  }
  finish_separation(R);
}

/// Shares, covariance and condition from the triangular factor.
void CalibrationFit::finish_separation(const std::vector<Array<double>>& R) {
  const int k = separation.kept.size(), h = separation.held.size();
  const auto upper = [&](int row, int column) {
    const Array<double>& of = R[static_cast<std::size_t>(separation.kept[column])];
    return row < of.size() ? of[row] : 0.0;
  };
  const auto solve = [&](Array<double> x) {  // R x = given
    for (int r = k - 1; r >= 0; --r) {
      for (int c = r + 1; c < k; ++c) x[r] -= upper(r, c) * x[c];
      x[r] /= upper(r, r);
    }
    return x;
  };
  separation.share = Matrix(k, h);
  for (int c = 0; c < h; ++c) {
    Array<double> shares = R[static_cast<std::size_t>(separation.held[c])];
    shares.resize(k, 0.0);
    const Array<double> x = solve(shares);
    for (int r = 0; r < k; ++r) separation.share(r, c) = x[r];
  }
  Matrix inverse(k, k), unit(k, k);
  for (int c = 0; c < k; ++c) {
    Array<double> e(k, 0.0);
    e[c] = 1;
    const Array<double> x = solve(e);
    double length = 0;
    for (int r = 0; r < k; ++r) inverse(r, c) = x[r], length += upper(r, c) * upper(r, c);
    for (int r = 0; r < k; ++r) unit(r, c) = upper(r, c) / std::sqrt(length);
  }
  separation.covariance = Matrix(k, k);
  for (int a = 0; a < k; ++a)
    for (int b = 0; b < k; ++b)
      for (int c = 0; c < k; ++c) separation.covariance(a, b) += inverse(a, c) * inverse(b, c);
  if (k == 0) return;
  Svd svd(k, k);
  svd.factorise(unit);
  separation.condition = svd.largest() / svd.smallest();
}

PoseResiduals CalibrationFit::residuals(const Array<double>& used) {
  problem_.evaluate(state, rows_, nullptr);
  PoseResiduals out;
  double p = 0, r = 0;
  int turns = 0;
  for (int i = 0; i < problem_.n_poses(); ++i) {
    if (used[i] == 0) continue;
    ++out.poses;
    const double position = norm(row(i).position), rotation = norm(row(i).rotation);
    p += position * position, r += rotation * rotation;
    turns += n_rows(i) == 6 ? 1 : 0;
    out.position_max = std::max(out.position_max, position);
    out.rotation_max = std::max(out.rotation_max, rotation);
  }
  if (out.poses > 0) out.position_rms = std::sqrt(p / out.poses);
  if (turns > 0) out.rotation_rms = std::sqrt(r / turns);
  return out;
}

/// Of one row, from the median of the poses: half of |e|^2 of n rows lie below about n (1 - 2/(9 n))^3.
double CalibrationFit::scatter() const {
  Array<double> sizes;
  for (int i = 0; i < problem_.n_poses(); ++i)
    if (weights.pose[i] > 0)
      sizes.push_back(std::sqrt(weights.square(i, row(i)) /
                                (n_rows(i) * std::pow(1 - 2.0 / (9 * n_rows(i)), 3))));
  if (sizes.empty()) return 1;
  std::nth_element(sizes.begin(), sizes.begin() + sizes.size() / 2, sizes.end());
  return sizes[sizes.size() / 2];
}

Array<int> CalibrationFit::strays() {
  problem_.evaluate(state, rows_, nullptr);
  const double sigma = scatter();
  Array<int> found;
  for (int i = 0; i < problem_.n_poses(); ++i) {
    if (weights.pose[i] == 0) continue;
    const double size = std::sqrt(weights.square(i, row(i)));
    const double rounding = 1e-9 / std::min(weights.sigma_p, weights.sigma_r);
    if (size > std::max((std::sqrt(n_rows(i)) + 3.5) * sigma, rounding)) found.push_back(i);
  }
  return found;
}

double CalibrationFit::cost(const std::vector<PoseRows>& rows) const {
  double sum = 0;
  for (int i = 0; i < problem_.n_poses(); ++i)
    sum += weights.square(i, rows[static_cast<std::size_t>(i)]);
  return sum;
}

void CalibrationFit::set_huber(const Array<double>& given) {
  weights.pose = given;
  const double sigma = scatter();
  for (int i = 0; i < problem_.n_poses(); ++i) {
    if (given[i] == 0) continue;
    const double rows = n_rows(i);
    const double size = std::sqrt(weights.square(i, row(i))),
                 corner = (std::sqrt(rows) + 1) * sigma;
    if (size > corner && corner > 0) weights.pose[i] *= corner / size;
  }
}

/// Levenberg's steps on the kept columns.
void CalibrationFit::descend(bool huber, const Array<double>& given) {
  const int k = separation.kept.size(), m = J_.rows();
  if (k == 0) return;
  double damping = 1e-9;
  OrthogonalDecomposition factors(m + k, k);
  for (int step = 0; step < 60 && tell_step(); ++step) {
    if (huber) set_huber(given);
    const double before = cost(rows_);
    Matrix A(m + k, k);
    Array<double> b(m + k, 0.0), x(k), lengths(k, 0.0);
    for (int r = 0; r < m; ++r) b[r] = scaled_residual(r);
    for (int c = 0; c < k; ++c) {
      for (int r = 0; r < m; ++r) {
        A(r, c) = scaled(r, separation.kept[c]);
        lengths[c] += A(r, c) * A(r, c);
      }
      lengths[c] = std::sqrt(lengths[c]);
      for (int r = 0; r < m; ++r) A(r, c) /= lengths[c];
    }
    bool better = false;
    double gain = 0, size = 0;
    for (int trial = 0; trial < 12 && !better && tell_step(); ++trial) {
      for (int c = 0; c < k; ++c) A(m + c, c) = std::sqrt(damping);
      factors.factorise(A, 1e-14);
      factors.solve(b, x);
      Array<double> dx(problem_.n(), 0.0);
      for (int c = 0; c < k; ++c) dx[separation.kept[c]] = x[c] / lengths[c];
      CalibrationState next = state;
      problem_.move(next, dx);
      std::vector<PoseRows> rows;
      problem_.evaluate(next, rows, nullptr);
      const double after = cost(rows);
      better = after < before;
      if (!better) {
        damping = std::max(1e-9, damping * 10);
        continue;
      }
      damping = std::max(1e-15, damping * 0.1);
      gain = before - after;
      size = norm_of(dx);
      state = std::move(next);
      for (int c = 0; c < dx.size(); ++c) change[c] += dx[c];
      ++steps;
    }
    if (!better) return;
    linearise();
    if (gain <= 1e-14 * before || size < 1e-15) return;
  }
}

Array<double> CalibrationFit::bootstrap(int wanted, unsigned seed) {
  linearise();
  const int k = separation.kept.size();
  std::vector<Matrix> squares_of;  // J^T J of each used pose, and J^T e in the last column
  for (int i = 0; i < problem_.n_poses(); ++i) {
    if (weights.pose[i] == 0) continue;
    Matrix G(k, k + 1);
    for (int r = 6 * i; r < 6 * i + 6; ++r)
      for (int a = 0; a < k; ++a) {
        const double x = scaled(r, separation.kept[a]);
        G(a, k) += x * scaled_residual(r);
        for (int c = 0; c <= a; ++c) G(a, c) += x * scaled(r, separation.kept[c]);
      }
    squares_of.push_back(std::move(G));
  }
  std::mt19937_64 random(seed);
  Array<double> sum(k, 0.0), squares(k, 0.0), g(k);
  Cholesky factors(std::max(1, k));
  int done = 0;
  for (; resamples < wanted; ++resamples) {
    if (!tell(share_of_fit + share_of_bootstrap * resamples / wanted)) break;
    Matrix H(k, k);
    g.assign(k, 0.0);
    for (std::size_t draw = 0; draw < squares_of.size(); ++draw) {
      const Matrix& G = squares_of[random() % squares_of.size()];
      for (int a = 0; a < k; ++a) {
        g[a] += G(a, k);
        for (int c = 0; c <= a; ++c) H(a, c) += G(a, c);
      }
    }
    if (!factors.factorise(H, 1e-13)) continue;
    factors.solve(g);
    for (int a = 0; a < k; ++a) sum[a] += g[a], squares[a] += g[a] * g[a];
    ++done;
  }
  Array<double> sigma(k, 0.0);
  for (int a = 0; a < k && done > 1; ++a)
    sigma[a] = std::sqrt(std::max(0.0, (squares[a] - sum[a] * sum[a] / done) / (done - 1)));
  return sigma;
}

}  // namespace torsor::internal
