#pragma once
/// Finite Fourier series, the excitation of identification.
///
///   q_i(t)   = offset_i + sum_l  a_il / (w l) sin(w l t) - b_il / (w l) cos(w l t),   l = 1 ... H
///   qd_i(t)  = sum_l a_il cos(w l t) + b_il sin(w l t)
///   qdd_i(t) = sum_l w l (-a_il sin(w l t) + b_il cos(w l t))
///
/// a and b have the unit of a velocity; the period is 2 pi / w. `at_rest` makes velocity and
/// acceleration zero at t = 0 (and after each period): sum_l a_l = 0, sum_l l b_l = 0.
///
/// Cost     sample: one sincos, then 2 H multiply-adds per coordinate and derivative; no
///          allocation.
/// Source   Swevers, Ganseman, Tukel, De Schutter & Van Brussel 1997.
#include <vector>

#include "torsor/trajectory/internal/check_input.hpp"

namespace torsor {

template <class Param = double>
class FourierSeries {
 public:
  /// `parameters`: for each coordinate offset, a_1 ... a_H, b_1 ... b_H.
  FourierSeries(int size, int harmonics, const Param& frequency, std::vector<Param> parameters)
      : size_(size), harmonics_(harmonics), w_(frequency), parameters_(std::move(parameters)) {}

  int size() const { return size_; }
  int harmonics() const { return harmonics_; }
  Param frequency() const { return w_; }  ///< w, rad/s
  /// One period, s.
  Param duration() const { return Param(6.283185307179586) / w_; }
  const std::vector<Param>& parameters() const { return parameters_; }

  template <class Real>
  void sample(const Real& t, Out<Prod<Param, Real>> q, Out<Prod<Param, Real>> qd = {},
              Out<Prod<Param, Real>> qdd = {}, Out<Prod<Param, Real>> jerk = {}) const {
    using Result = Prod<Param, Real>;
    const SinCos<Result> one = sincos(Result(w_ * t));
    const Result zero(0);
    for (int i = 0; i < size_; ++i) {
      const Param* p = parameters_.data() + i * (2 * harmonics_ + 1);
      Result x(p[0]), v = zero, a = zero, j = zero, s = zero, c(1);
      for (int l = 1; l <= harmonics_; ++l) {
        const Result next = s * one.cos + c * one.sin;  // sin(w l t)
        c = c * one.cos - s * one.sin;
        s = next;
        const Param wl = w_ * Param(l);
        const Result rate = c * p[l] + s * p[harmonics_ + l];
        const Result turned = c * p[harmonics_ + l] - s * p[l];  // rate' / wl
        x = x - turned / wl;
        v = v + rate;
        a = a + turned * wl;
        j = j - rate * (wl * wl);
      }
      if (!q.empty()) q[i] = x;
      if (!qd.empty()) qd[i] = v;
      if (!qdd.empty()) qdd[i] = a;
      if (!jerk.empty()) jerk[i] = j;
    }
  }

 private:
  int size_, harmonics_;
  Param w_;
  std::vector<Param> parameters_;
};

/// Coordinates offset.size(); a and b by coordinate, each with one number per harmonic; w in rad/s.
template <class Param = double>
FourierSeries<Param> fourier(const std::vector<Param>& offset,
                             const std::vector<std::vector<Param>>& a,
                             const std::vector<std::vector<Param>>& b,
                             const std::type_identity_t<Param>& frequency) {
  namespace check = internal::check;
  const int n = static_cast<int>(offset.size());
  check::positive("fourier", "frequency", static_cast<double>(value_of(frequency)));
  check::numbers_of("fourier", "offset", offset, n);
  check::size("fourier", "a", static_cast<int>(a.size()), n);
  check::size("fourier", "b", static_cast<int>(b.size()), n);
  const int harmonics = n == 0 ? 0 : static_cast<int>(a.front().size());
  std::vector<Param> parameters;
  for (std::size_t i = 0; i < offset.size(); ++i) {
    check::numbers_of("fourier", "a[" + std::to_string(i) + "]", a[i], harmonics);
    check::numbers_of("fourier", "b[" + std::to_string(i) + "]", b[i], harmonics);
    parameters.push_back(offset[i]);
    parameters.insert(parameters.end(), a[i].begin(), a[i].end());
    parameters.insert(parameters.end(), b[i].begin(), b[i].end());
  }
  return {n, harmonics, frequency, std::move(parameters)};
}

/// The nearest series (in its parameters) with velocity and acceleration zero at t = 0 and after
/// each period. Two harmonics at least.
template <class Param>
FourierSeries<Param> at_rest(const FourierSeries<Param>& series) {
  const int n = series.harmonics();
  if (n < 2)
    throw Error("at_rest: a series with " + std::to_string(n) +
                " harmonics stands still when its ends do; at least 2 are needed");
  std::vector<Param> p = series.parameters();
  double squares = 0;
  for (int l = 1; l <= n; ++l) squares += l * l;
  for (int i = 0; i < series.size(); ++i) {
    Param *a = p.data() + i * (2 * n + 1), *b = a + n;
    Param velocity(0), acceleration(0);
    for (int l = 1; l <= n; ++l) {
      velocity = velocity + a[l];
      acceleration = acceleration + b[l] * Param(l);
    }
    for (int l = 1; l <= n; ++l) {
      a[l] = a[l] - velocity / Param(n);
      b[l] = b[l] - acceleration * Param(l / squares);
    }
  }
  return {series.size(), n, series.frequency(), std::move(p)};
}

/// The same path, each period in `duration` seconds.
template <class Param>
FourierSeries<Param> stretched(const FourierSeries<Param>& series,
                               const std::type_identity_t<Param>& duration) {
  internal::check::positive("stretched", "duration", static_cast<double>(value_of(duration)));
  const Param factor = duration / series.duration();
  std::vector<Param> p = series.parameters();
  const int row = 2 * series.harmonics() + 1;
  for (int k = 0; k < series.size() * row; ++k)
    if (k % row != 0) p[static_cast<std::size_t>(k)] = p[static_cast<std::size_t>(k)] / factor;
  return {series.size(), series.harmonics(), series.frequency() / factor, std::move(p)};
}

/// Per coordinate: extremes of q, |qd|, |qdd|, |jerk|. Sign changes of the derivative between 64 H
/// samples of a period are refined to rounding.
std::vector<Limits> attained(const FourierSeries<double>& series);
/// As of a piecewise polynomial (limits.hpp).
double minimum_duration(const FourierSeries<double>& series, View<const Limits> limits);
FourierSeries<double> retimed(const FourierSeries<double>& series, View<const Limits> limits);

extern template class FourierSeries<double>;

}  // namespace torsor
