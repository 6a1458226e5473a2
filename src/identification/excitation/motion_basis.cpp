#include "excitation/motion_basis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torsor/trajectory/spline.hpp"

namespace torsor::internal {
namespace {

/// H - 1 orthonormal vectors that are orthogonal to x, x_l > 0: (x_1, ..., x_r, -sum x^2 / x_{r+1}, 0, ...).
Matrix complement(const Array<double>& x) {
  Matrix basis(x.size(), x.size() - 1);
  double squares = 0;
  for (int r = 0; r + 1 < x.size(); ++r) {
    squares += x[r] * x[r];
    const double last = -squares / x[r + 1], norm = std::sqrt(squares + last * last);
    for (int l = 0; l <= r; ++l) basis(l, r) = x[l] / norm;
    basis(r + 1, r) = last / norm;
  }
  return basis;
}

/// Offset, a_1 ... a_H, b_1 ... b_H of functions that rest at the ends, in columns.
Matrix fourier_columns(int harmonics, bool free_posture, double w) {
  Array<double> one(harmonics, 1.0), l(harmonics);
  for (int k = 0; k < harmonics; ++k) l[k] = k + 1;
  const Matrix a = complement(one), b = complement(l);
  const int constants = free_posture ? 1 : 0, half = harmonics - 1;
  Matrix columns(2 * harmonics + 1, constants + 2 * half);
  if (free_posture) columns(0, 0) = 1;
  for (int m = 0; m < half; ++m)
    for (int k = 0; k < harmonics; ++k) {
      columns(1 + k, constants + m) = a(k, m);
      columns(1 + harmonics + k, constants + half + m) = b(k, m);
      // q(0) = offset - sum b_l / (w l)
      if (!free_posture) columns(0, half + m) += b(k, m) / (w * l[k]);
    }
  return columns;
}

/// Points 0 ... n + 1, the last of which is the first.
Matrix spline_columns(int points, bool free_posture) {
  const int constants = free_posture ? 1 : 0;
  Matrix columns(points + 2, constants + points);
  if (free_posture)
    for (int k = 0; k < points + 2; ++k) columns(k, 0) = 1;
  for (int m = 0; m < points; ++m) columns(m + 1, constants + m) = 1;
  return columns;
}

PiecewisePolynomial<double> spline_through(const Array<double>& times,
                                           const std::vector<std::vector<double>>& rows) {
  std::vector<std::vector<double>> points(rows.front().size());
  for (const std::vector<double>& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) points[k].push_back(row[k]);
  return quintic_spline<double>(times, points);
}

double peak(const Matrix& x, int column) {
  double most = 0;
  for (int k = 0; k < x.rows(); ++k) most = std::max(most, std::abs(x(k, column)));
  return most;
}

}  // namespace

MotionBasis::MotionBasis(const ExcitationOptions& options, const std::vector<Limits>& limits,
                         int samples)
    : period_(options.period), constants_(options.start.empty() ? 1 : 0) {
  const bool fourier = options.motion == ExcitationMotion::fourier;
  const bool free_posture = options.start.empty();
  if (fourier) {
    harmonics_ = options.harmonics;
    columns_ = fourier_columns(harmonics_, free_posture, 2 * std::numbers::pi / period_);
  } else {
    columns_ = spline_columns(options.points, free_posture);
    for (int k = 0; k < options.points + 2; ++k)
      times_.push_back(period_ * k / (options.points + 1));
  }
  for (std::size_t i = 0; i < limits.size(); ++i)
    centre_.push_back(free_posture ? (limits[i].lower + limits[i].upper) / 2 : options.start[i]);

  // Of Fourier series the end is the start; splines have a jerk of their own at the end.
  const double step = fourier ? period_ / samples : period_ / (samples - 1);
  for (Matrix* x : {&values_.q, &values_.qd, &values_.qdd, &values_.jerk})
    *x = Matrix(samples, functions());
  for (int m = 0; m < functions(); ++m) {
    std::vector<double> own;
    for (int k = 0; k < columns_.rows(); ++k) own.push_back(columns_(k, m));
    const auto fill = [&](const auto& function) {
      for (int k = 0; k < samples; ++k) {
        double q, qd, qdd, jerk;
        function.sample(std::min(k * step, period_), View<double>(&q, 1), View<double>(&qd, 1),
                        View<double>(&qdd, 1), View<double>(&jerk, 1));
        values_.q(k, m) = q, values_.qd(k, m) = qd, values_.qdd(k, m) = qdd;
        values_.jerk(k, m) = jerk;
      }
    };
    if (fourier)
      fill(FourierSeries<double>(1, harmonics_, 2 * std::numbers::pi / period_, own));
    else
      fill(spline_through(times_, {own}));
  }

  scale_ = Matrix(static_cast<int>(limits.size()), functions());
  for (int m = 0; m < functions(); ++m) {
    const double peaks[] = {peak(values_.q, m), peak(values_.qd, m), peak(values_.qdd, m),
                            peak(values_.jerk, m)};
    for (int i = 0; i < coordinates(); ++i) {
      const Limits& l = limits[static_cast<std::size_t>(i)];
      const double most[] = {(l.upper - l.lower) / 2, l.velocity, l.acceleration, l.jerk};
      double scale = infinity;
      for (int d = 0; d < 4; ++d)
        if (peaks[d] > 0) scale = std::min(scale, most[d] / peaks[d]);
      scale_(i, m) = scale;
    }
  }
}

void MotionBasis::sample(In<double> z, MotionSamples& out) const {
  const auto combine = [&](const Matrix& B, bool positions, Matrix& x) {
    if (x.rows() != samples()) x = Matrix(samples(), coordinates());
    for (int k = 0; k < samples(); ++k)
      for (int i = 0; i < coordinates(); ++i) {
        double sum = positions ? centre_[i] : 0;
        for (int m = 0; m < functions(); ++m)
          sum += B(k, m) * (scale_(i, m) * z[i * functions() + m]);
        x(k, i) = sum;
      }
  };
  combine(values_.q, true, out.q);
  combine(values_.qd, false, out.qd);
  combine(values_.qdd, false, out.qdd);
  combine(values_.jerk, false, out.jerk);
}

void MotionBasis::add_gradient(const MotionSamples& bar, Out<double> gradient) const {
  for (int i = 0; i < coordinates(); ++i)
    for (int m = 0; m < functions(); ++m) {
      double sum = 0;
      for (int k = 0; k < samples(); ++k)
        sum += values_.q(k, m) * bar.q(k, i) + values_.qd(k, m) * bar.qd(k, i) +
               values_.qdd(k, m) * bar.qdd(k, i) + values_.jerk(k, m) * bar.jerk(k, i);
      gradient[i * functions() + m] += scale_(i, m) * sum;
    }
}

std::vector<double> MotionBasis::parameters(In<double> z, int i) const {
  std::vector<double> result;
  for (int k = 0; k < columns_.rows(); ++k) {
    double sum = harmonics_ == 0 || k == 0 ? centre_[i] : 0;
    for (int m = 0; m < functions(); ++m)
      sum += columns_(k, m) * (scale_(i, m) * z[i * functions() + m]);
    result.push_back(sum);
  }
  return result;
}

FourierSeries<double> MotionBasis::series(In<double> z) const {
  std::vector<double> all;
  for (int i = 0; i < coordinates(); ++i)
    for (const double x : parameters(z, i)) all.push_back(x);
  return {coordinates(), harmonics_, 2 * std::numbers::pi / period_, std::move(all)};
}

PiecewisePolynomial<double> MotionBasis::spline(In<double> z) const {
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < coordinates(); ++i) rows.push_back(parameters(z, i));
  return spline_through(times_, rows);
}

}  // namespace torsor::internal
