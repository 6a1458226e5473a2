/// Gains of drives that nobody knows. What is measured then, with noise, are currents i, and rows of torque
///
///   r_j = W_j x - sum_m N_mj g_m i_m + known_j
///
/// have them as columns. Least squares would shrink the gains, since that shrinks the noise; of a joint that
/// little ties to the others they would leave nothing at all. Measured in currents,
///
///   min over x, g of  sum_j rows_j log(|r_j|^2 / s_j^2),    s_j^2 = sum_m (N_mj g_m |i_m|)^2
///
/// which is the likelihood of noise of unknown size in the currents of each joint, they do not: scaling a
/// joint's part of x and its gain changes nothing. By damped Gauss-Newton steps on the factors of the joints,
/// from the gains with which the file's bodies and loads would need these currents, or, of joints whose
/// currents they do not resemble, from those of the others. These count as one observation, off by a factor of
/// ten: where nothing ties a joint to the others its gain stays about there, and its deviation says that it is
/// not determined.
///
/// Scale    Without a load that was weighed the rows say x and g up to a common factor. It is then that of
///          the file's bodies b0: of the torque W b0, the bodies that are found explain as much.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "factor_algebra.hpp"
#include "identifying.hpp"

namespace torsor::internal {
namespace {

/// What is less than this part of a joint's torque is rounding: exact data.
constexpr double exact = 1e-9;
constexpr double decade = std::numbers::ln10;

double dot(In<double> a, In<double> b) {
  double sum = 0;
  for (int k = 0; k < a.size; ++k) sum += a[k] * b[k];
  return sum;
}
/// R (z, -1).
Array<double> left_of(const Matrix& R, In<double> z) {
  const int n = z.size;
  Array<double> left(n + 1);
  for (int r = 0; r <= n; ++r) {
    left[r] = -R(r, n);
    for (int k = r; k < n; ++k) left[r] += R(r, k) * z[k];
  }
  return left;
}
double length(const Array<double>& x) { return std::sqrt(dot(x, x)); }

/// The rows of all joints, and what their currents are worth.
struct CurrentFit {
  Array<Matrix> R{};      // of the joints: kept columns, right-hand side
  Array<double> rows{};   // of each
  Matrix current{};       // lengths of the columns of currents, zero of others
  Array<double> scale{};  // a row, scale (z, -1) = 0; empty: none
  Array<double> near{};   // gains to begin with; 0 of other columns
  Matrix factor{};        // of the last step, without damping

  int n() const { return current.cols(); }
  double size(int j, In<double> z) const {
    double s = 0;
    for (int k = 0; k < n(); ++k) s = std::hypot(s, z[k] * current(j, k));
    return s > 0 ? s : 1;
  }
  double off_scale(In<double> z) const {
    return scale.empty() ? 0 : dot({scale.data(), n()}, z) - scale[n()];
  }
  double objective(In<double> z) const {
    double sum = off_scale(z) * off_scale(z);
    for (int k = 0; k < n(); ++k) {
      if (near[k] == 0) continue;
      if (!(z[k] / near[k] > 0)) return std::numeric_limits<double>::infinity();
      sum += std::pow(std::log(z[k] / near[k]) / decade, 2);
    }
    for (int j = 0; j < R.size(); ++j)
      if (rows[j] > 0)
        sum += 2 * rows[j] * std::log(std::max(exact, length(left_of(R[j], z)) / size(j, z)));
    return sum;
  }
  /// Normal equations of a step as a factor, damped by `damping` times its columns.
  Array<double> step(In<double> z, double damping);
  int solve(Array<double>& z);
};

Array<double> CurrentFit::step(In<double> z, double damping) {
  RowFactor all(n() + 1);
  Matrix lines(n() + 1, n() + 1);
  for (int j = 0; j < R.size(); ++j) {
    if (rows[j] == 0) continue;
    const Array<double> left = left_of(R[j], z);
    const double s = size(j, z), w = std::sqrt(rows[j]) / std::max(exact * s, length(left));
    for (int r = 0; r <= n(); ++r) {
      for (int k = 0; k < n(); ++k)
        lines(r, k) = w * ((k < r ? 0 : R[j](r, k)) -
                           left[r] * z[k] * current(j, k) * current(j, k) / (s * s));
      lines(r, n()) = -w * left[r];
    }
    all.add(InMatrix<double>(lines));
  }
  if (!scale.empty()) {
    Array<double> line = scale;
    line[n()] = -off_scale(z);
    all.add(line);
  }
  for (int k = 0; k < n(); ++k) {
    if (near[k] == 0) continue;
    Array<double> line(n() + 1, 0.0);
    line[k] = 1 / (z[k] * decade), line[n()] = -std::log(z[k] / near[k]) / decade;
    all.add(line);
  }
  factor = all.R();
  for (int k = 0; k < n() && damping > 0; ++k) {
    Array<double> line(n() + 1, 0.0);
    line[k] = std::sqrt(damping) * column_length(factor, k);
    all.add(line);
  }
  return solution(all.R(), n());
}

int CurrentFit::solve(Array<double>& z) {
  constexpr int most = 200;
  double now = objective(z), damping = 1e-3;
  int rounds = 0;
  for (; rounds < most; ++rounds) {
    const Array<double> d = step(z, damping);
    Array<double> next = z;
    double change = 0;
    for (int k = 0; k < n(); ++k) {
      next[k] += d[k];
      change = std::max(change, std::abs(d[k]) / (std::abs(z[k]) + 1e-3));
    }
    const double then = objective(next);
    if (!(then <= now + 1e-9)) {
      damping = std::max(1e-9, 10 * damping);
      if (damping > 1e9) break;
      continue;
    }
    z = next, now = then;
    damping = damping < 1e-12 ? 0 : damping / 10;
    if (change < 1e-10) break;
  }
  (void)step(z, 0);
  return rounds;
}

/// Gains with which currents are the torques of `before`, of which the gains are zero.
Array<double> first_gains(const CurrentFit& fit, In<double> before) {
  const int n = fit.n();
  Array<double> gains(n, 0.0), like(n, 0.0);
  Array<char> is_gain(n, 0);
  for (int j = 0; j < fit.R.size(); ++j) {
    const Array<double> torque = left_of(fit.R[j], before);
    for (int k = 0; k < n; ++k) {
      const double size = fit.current(j, k);
      if (size == 0) continue;
      is_gain[k] = 1;
      double along = 0;
      for (int r = 0; r <= k; ++r) along -= fit.R[j](r, k) * torque[r];
      const double cosine = std::abs(along) / std::max(size * length(torque), 1e-300);
      if (cosine > like[k]) like[k] = cosine, gains[k] = along / (size * size);
    }
  }
  double sum = 0, alike = 0;
  for (int k = 0; k < n; ++k)
    if (like[k] > 0.5) sum += std::log(std::abs(gains[k])), ++alike;
  for (int k = 0; k < n; ++k)
    if (is_gain[k] != 0 && like[k] <= 0.5) gains[k] = alike > 0 ? std::exp(sum / alike) : 1;
  return gains;
}

/// These gains, and what goes with them near `before`.
Array<double> first_fit(const CurrentFit& fit, In<double> before) {
  const int n = fit.n();
  RowFactor all(n + 1);
  for (int j = 0; j < fit.R.size(); ++j)
    if (fit.rows[j] > 0) all.add(RowFactor(fit.R[j], 1), 1 / fit.size(j, fit.near));
  const Matrix R = all.R();
  for (int k = 0; k < n; ++k) {
    Array<double> line(n + 1, 0.0);
    line[k] = (fit.near[k] == 0 ? 0.1 : 1e6) * std::max(column_length(R, k), 1e-300);
    line[n] = line[k] * (fit.near[k] == 0 ? before[k] : fit.near[k]);
    all.add(line);
  }
  return solution(all.R(), n);
}

}  // namespace

/// A row for the scale of gains and bodies by the file's bodies, of the columns of `log`; empty where it
/// is not needed.
Array<double> Identifying::scale_by_file(const Array<RowFactor>& joints) const {
  if (!problem_.file_scale) return {};
  const int n = fitted_.size();
  const Array<double> before = base_.values(before_);
  const auto of_robot = [&](int k) {
    const int c = base_.kept[fitted_[k]];
    return c < problem_.n_columns() && problem_.of_robot[c] != 0;
  };
  Array<double> file(n + 1, 0.0), row(n + 1, 0.0);
  for (int k = 0; k < n; ++k)
    if (of_robot(k)) file[k] = before[fitted_[k]];
  for (const RowFactor& joint : joints) {
    const Matrix& R = joint.R();
    double square = 0;
    for (int k = 0; k <= n; ++k) square += std::pow(column_length(R, k), 2);
    for (int r = 0; r < n && square > 0; ++r) {
      double torque = 0;
      for (int k = r; k < n; ++k) torque += R(r, k) * file[k];
      for (int k = r; k < n; ++k)
        if (of_robot(k)) row[k] += torque * R(r, k) / square;
    }
  }
  row[n] = dot({row.data(), n}, {file.data(), n});
  if (!(row[n] > 0)) throw Error("identify: the file's bodies explain none of these currents");
  for (int k = 0; k <= n; ++k)
    row[k] *= 1e4 / std::abs(row[n]) * std::sqrt(static_cast<double>(joints[0].rows()));
  row[n] = std::abs(row[n]);
  return row;
}

double Identifying::scale_deviation() const {
  constexpr double off = 0.5;
  if (!problem_.file_scale) return 0;
  const Array<double> row = scale_by_file(joint_factors(reduced_));
  const int n = fitted_.size();
  Array<double> part(problem_.n_columns(), 0.0);
  for (int c = 0; c < part.size(); ++c)
    for (int k = 0; k < n; ++k) part[c] += row[k] * base_.regrouping(fitted_[k], c) * before_[c];
  // The ten of a body together, others each alone.
  Array<double> bodies;
  for (const ColumnTerm& term : problem_.columns.plan().inertial) {
    if (term.of >= bodies.size()) bodies.resize(term.of + 1, 0.0);
    bodies[term.of] += part[term.column];
    part[term.column] = 0;
  }
  double square = 0;
  for (const Array<double>* all : {&bodies, &part})
    for (const double x : *all) square += off * off * x * x;
  return std::sqrt(square) / row[n];
}

Estimate Identifying::gain_fit(const CompressedLog& log, In<int> times, In<double> start) const {
  const Array<RowFactor> joints = joint_factors(log, times);
  const int N = log.n_unknowns();
  const Array<double> scale = scale_by_file(times.empty() ? joints : joint_factors(log));
  RowFactor together(N + 1);
  for (const RowFactor& joint : joints) {
    double square = 0;
    for (int k = 0; k <= N; ++k) square += std::pow(column_length(joint.R(), k), 2);
    together.add(joint, square > 0 ? 1 / std::sqrt(square) : 1);
  }
  if (!scale.empty()) together.add(scale);
  Estimate e;
  e.base = determined_columns(together.R(), log.names);
  const Array<int>& kept = e.base.kept;
  const int n = kept.size();
  const auto is_gain = [&](int k) { return base_.kept[fitted_[kept[k]]] >= problem_.n_columns(); };

  CurrentFit fit;
  fit.current = Matrix(joints.size(), n);
  for (int j = 0; j < joints.size(); ++j) {
    fit.R.push_back(selected(joints[j].R(), with_last(kept, N)));
    fit.rows.push_back(static_cast<double>(joints[j].rows()));
    e.rows += joints[j].rows();
    for (int k = 0; k < n; ++k)
      if (is_gain(k)) fit.current(j, k) = column_length(fit.R[j], k);
  }
  if (!scale.empty())
    for (const int c : with_last(kept, N)) fit.scale.push_back(scale[c]);

  const Array<double> of_file = base_.values(before_);
  Array<double> before(N), z(n);
  for (int k = 0; k < N; ++k) before[k] = of_file[fitted_[k]];
  before = e.base.values(before);
  fit.near = first_gains(fit, before);
  if (!start.empty())
    for (int k = 0; k < n; ++k) z[k] = start[kept[k]];
  else
    z = first_fit(fit, before);
  const int rounds = fit.solve(z);
  if (!scale.empty() && !problem_.has_known()) {  // any multiple fits as well: exactly that one
    const double factor = fit.scale[n] / dot({fit.scale.data(), n}, z);
    for (double& x : z) x *= factor;
  }
  for (const double x : z)
    if (!std::isfinite(x)) throw Error("identify: the gains of the drives were not found");

  internal::spread(e, z, gram_inverse(fit.factor, n));
  e.condition = scaled_condition(fit.factor, n);
  for (int j = 0; j < joints.size(); ++j) {
    const double s = fit.size(j, z);
    e.noise.push_back(fit.rows[j] > 0 ? std::max(exact * s, length(left_of(fit.R[j], z))) /
                                            std::sqrt(fit.rows[j])
                                      : 1);
  }
  e.residual = residual(log, e.x, times);
  e.method = "least squares weighted by joint, noise counted at the currents, " +
             std::to_string(rounds) + " rounds";
  return e;
}

RowFactor Identifying::with_gains(const RowFactor& factor, In<double> x) const {
  const int N = problem_.n_unknowns();
  Matrix R = factor.R();
  for (int k = problem_.n_columns(); k < N; ++k)
    for (int r = 0; r <= k; ++r) {
      R(r, N) -= R(r, k) * x[k];
      R(r, k) = 0;
    }
  return {std::move(R), factor.rows()};
}
CompressedLog Identifying::with_gains(const CompressedLog& log, In<double> x) const {
  CompressedLog out = log;
  for (int b = 0; b < log.n_blocks(); ++b)
    for (int j = 0; j < log.n_joints(); ++j) out.factor(b, j) = with_gains(log.factor(b, j), x);
  return out;
}

}  // namespace torsor::internal
