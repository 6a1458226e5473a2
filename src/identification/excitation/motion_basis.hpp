#pragma once
/// Motions that are linear in their coefficients: q_i(t) = c_i + sum_m B_m(t) s_im z_im.
///
/// Every B_m begins and ends at rest; coordinate by coordinate the same functions. They are told by
/// their own parameters, column by column: offset, a, b of a Fourier series with sum a_l = 0 and
/// sum l b_l = 0, or the points of a quintic spline.
#include "torsor/identification/excitation.hpp"
#include "torsor/linear/matrix.hpp"

namespace torsor::internal {

/// Samples by row, coordinates by column.
struct MotionSamples {
  Matrix q{}, qd{}, qdd{}, jerk{};
};

class MotionBasis {
 public:
  MotionBasis(const ExcitationOptions& options, const std::vector<Limits>& limits, int samples);

  int coordinates() const { return scale_.rows(); }
  int functions() const { return columns_.cols(); }
  int samples() const { return values_.q.rows(); }
  /// Coefficients of one trajectory: function by function of coordinate 0, then of 1, ...
  int coefficients() const { return coordinates() * functions(); }
  /// 1 where B_0 is constant: the posture is free. Amplitudes are what follows.
  int constants() const { return constants_; }

  void sample(In<double> z, MotionSamples& out) const;
  /// gradient += (d samples / dz)^T bar.
  void add_gradient(const MotionSamples& bar, Out<double> gradient) const;

  FourierSeries<double> series(In<double> z) const;
  PiecewisePolynomial<double> spline(In<double> z) const;

 private:
  std::vector<double> parameters(In<double> z, int coordinate) const;

  double period_;
  int harmonics_ = 0, constants_ = 0;
  Array<double> times_{};  // of the points of splines
  Array<double> centre_{};
  Matrix columns_{};        // parameters of B_m in column m
  MotionSamples values_{};  // of B_m in column m
  Matrix scale_{};          // coordinates x functions
};

}  // namespace torsor::internal
