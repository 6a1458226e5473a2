#pragma once
/// Piecewise polynomials: the one form of every joint trajectory that is not a Fourier series.
///
///   q_i(t) = sum_k c[s][i][k] u^k,   u = t - knot[s],   knot[s] <= t < knot[s + 1],   segment s
///
/// cubic, quintic, septic, trapezoid, double_s and spline all return one, so that extremes, limits
/// and time scaling are written once. The coordinates are Euclidean: angles, lengths, a path
/// parameter.
///
/// Time     Before 0 and after the duration the end position is held, with derivatives zero; a
///          periodic trajectory repeats. Time may be Dual: the derivatives come out in q.
/// Param    double, float or Dual: then derivatives with respect to ends, points or durations.
/// Cost     sample: a binary search and 4 Horner schemes per coordinate; no allocation.
#include <cmath>
#include <vector>

#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

enum class Outside : unsigned char { hold, repeat };

template <class Param = double>
class PiecewisePolynomial {
 public:
  static constexpr int max_degree = 7;

  PiecewisePolynomial() = default;
  /// `coefficients` by segment, then coordinate, then power. The planners check what they pass.
  PiecewisePolynomial(int size, int degree, std::vector<Param> knots,
                      std::vector<Param> coefficients, Outside outside = Outside::hold)
      : size_(size),
        degree_(degree),
        outside_(outside),
        knots_(std::move(knots)),
        coefficients_(std::move(coefficients)) {}

  int size() const { return size_; }
  int degree() const { return degree_; }
  int segments() const { return knots_.size() - 1; }
  Param duration() const { return knots_.back(); }
  const std::vector<Param>& knots() const { return knots_; }
  Outside outside() const { return outside_; }
  /// The degree() + 1 coefficients of one coordinate on one segment.
  const Param* coefficients(int segment, int coordinate) const {
    return coefficients_.data() + (segment * size_ + coordinate) * (degree_ + 1);
  }

  /// Position, velocity, acceleration and jerk at time t (s). An empty view leaves its part out.
  template <class Real>
  void sample(const Real& t, Out<Prod<Param, Real>> q, Out<Prod<Param, Real>> qd = {},
              Out<Prod<Param, Real>> qdd = {}, Out<Prod<Param, Real>> jerk = {}) const {
    using Result = Prod<Param, Real>;
    const Place<Result> at = locate(Result(t));
    const Result moving(at.inside ? 1 : 0);
    for (int i = 0; i < size_; ++i) {
      const Param* c = coefficients(at.segment, i);
      Result p(c[degree_]), p1(0), p2(0), p3(0);  // p_k = (k-th derivative) / k!
      for (int k = degree_ - 1; k >= 0; --k) {
        p3 = p3 * at.u + p2;
        p2 = p2 * at.u + p1;
        p1 = p1 * at.u + p;
        p = p * at.u + c[k];
      }
      if (!q.empty()) q[i] = p;
      if (!qd.empty()) qd[i] = p1 * moving;
      if (!qdd.empty()) qdd[i] = p2 * moving * Result(2);
      if (!jerk.empty()) jerk[i] = p3 * moving * Result(6);
    }
  }

 private:
  template <class Result>
  struct Place {
    int segment = 0;
    Result u{};
    bool inside = true;
  };

  static double plain(const Param& x) { return static_cast<double>(value_of(x)); }

  template <class Result>
  Place<Result> locate(Result t) const {
    const double end = plain(knots_.back());
    if (outside_ == Outside::repeat)
      t = t - Result(std::floor(static_cast<double>(value_of(t)) / end)) * knots_.back();
    const double x = static_cast<double>(value_of(t));
    if (x < 0) return {0, Result(0), false};
    const int last = segments() - 1;
    if (x > end) {
      // A time that is past the end by rounding still has the derivatives of the end.
      const double rounding = 4 * static_cast<double>(ScalarTraits<Result>::epsilon) * end;
      return {last, Result(knots_.back() - knots_[last]), x <= end + rounding};
    }
    int low = 0, high = last;  // the last segment that starts at or before x
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (plain(knots_[middle]) <= x) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return {low, t - knots_[low], true};
  }

  int size_ = 0, degree_ = 0;
  Outside outside_ = Outside::hold;
  Array<Param> knots_{Param(0), Param(0)}, coefficients_;
};

namespace internal {

/// The same path with every time multiplied by duration / trajectory.duration(): velocities go down
/// with that factor, accelerations with its square, jerks with its cube.
template <class Param>
PiecewisePolynomial<Param> scaled_in_time(const PiecewisePolynomial<Param>& trajectory,
                                          const std::type_identity_t<Param>& factor) {
  std::vector<Param> knots = trajectory.knots(), c;
  for (Param& knot : knots) knot = knot * factor;
  const int n = trajectory.size(), degree = trajectory.degree();
  for (int s = 0; s < trajectory.segments(); ++s)
    for (int i = 0; i < n; ++i) {
      Param power(1);
      for (int k = 0; k <= degree; ++k, power = power / factor)
        c.push_back(trajectory.coefficients(s, i)[k] * power);
    }
  return {n, degree, std::move(knots), std::move(c), trajectory.outside()};
}

}  // namespace internal

extern template class PiecewisePolynomial<double>;
extern template class PiecewisePolynomial<float>;

}  // namespace torsor
