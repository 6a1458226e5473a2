#pragma once
/// Splines through several points: cubic (continuous acceleration) and quintic (continuous to the
/// fourth derivative).
///
/// Cubic, with h_i = t_{i+1} - t_i and m_i the acceleration at point i:
///   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (D_i / h_i - D_{i-1} / h_{i-1}),
///   D_i = q_{i+1} - q_i
/// and two rows for the ends: tridiagonal (periodic: with two corners), one solve per coordinate.
/// Quintic: velocity and acceleration at each inner point make jerk and snap continuous there:
/// block tridiagonal with 2 x 2 blocks.
///
/// Cost     O(points) per coordinate.
/// Source   Biagiotti & Melchiorri 2008, sec. 4.4; de Boor 1978, ch. IV (not-a-knot).
#include "torsor/linear/internal/tridiagonal.hpp"
#include "torsor/trajectory/limits.hpp"

namespace torsor {

enum class SplineEnds : unsigned char {
  natural,     ///< acceleration zero
  clamped,     ///< velocity given
  periodic,    ///< velocity and acceleration equal at both ends; the last point is the first
  not_a_knot,  ///< one polynomial on the first two segments, and one on the last two
};

/// Cubic through points[k] at times[k]. `start.qd` and `end.qd`, empty for zero, belong to clamped.
template <class Param = double>
PiecewisePolynomial<Param> spline(const std::vector<Param>& times,
                                  const std::vector<std::vector<Param>>& points,
                                  SplineEnds ends = SplineEnds::natural,
                                  const Boundary<std::type_identity_t<Param>>& start = {},
                                  const Boundary<std::type_identity_t<Param>>& end = {});

/// Quintic through points[k] at times[k], with the velocities and accelerations of start and end.
template <class Param = double>
PiecewisePolynomial<Param> quintic_spline(const std::vector<Param>& times,
                                          const std::vector<std::vector<Param>>& points,
                                          const Boundary<std::type_identity_t<Param>>& start = {},
                                          const Boundary<std::type_identity_t<Param>>& end = {});

namespace internal {

/// Times for the points: each segment as long as its slowest coordinate needs from rest to rest at
/// full velocity or acceleration. A first guess for the retiming below.
std::vector<double> spline_times(const std::vector<std::vector<double>>& points,
                                 View<const Limits> limits);

}  // namespace internal

/// The same splines at times chosen from limits: spline_times, then the uniform stretch that just
/// keeps every limit. Start and end at rest (or periodic). Not the fastest timing of the path.
PiecewisePolynomial<double> spline(const std::vector<std::vector<double>>& points,
                                   View<const Limits> limits,
                                   SplineEnds ends = SplineEnds::clamped);
PiecewisePolynomial<double> quintic_spline(const std::vector<std::vector<double>>& points,
                                           View<const Limits> limits);

namespace internal::check {

/// As many points as times, all of one size, two at least; returns that size.
template <class Param>
int points(const char* planner, const std::vector<Param>& at,
           const std::vector<std::vector<Param>>& points) {
  times(planner, plain(View<const Param>(at)));
  size(planner, "points", static_cast<int>(points.size()), static_cast<int>(at.size()));
  const int n = static_cast<int>(points.front().size());
  for (std::size_t k = 0; k < points.size(); ++k)
    numbers_of(planner, "points[" + std::to_string(k) + "]", points[k], n);
  return n;
}
/// One derivative at one end: empty means zeros.
template <class Param>
Array<Param> or_zero(const char* planner, const char* what, const std::vector<Param>& x, int n) {
  if (x.empty()) return Array<Param>(n, Param(0));
  numbers_of(planner, what, x, n);
  return x;
}

/// Accelerations m at the points of one coordinate.
template <class Param>
Array<Param> spline_accelerations(const Array<Param>& h, const Array<Param>& D, SplineEnds ends,
                                  const Param& v0, const Param& v1) {
  const int last = h.size();  // index of the last point
  const Param two(2), six(6);
  tridiagonal::System<Param> rows(ends == SplineEnds::periodic ? last : last + 1);
  Array<Param> m(rows.diagonal.size());
  for (int i = 1; i < last; ++i) {
    rows.below[i] = h[i - 1];
    rows.diagonal[i] = two * (h[i - 1] + h[i]);
    rows.above[i] = h[i];
    m[i] = six * (D[i] / h[i] - D[i - 1] / h[i - 1]);
  }
  const int e = last - 1;  // last segment
  switch (ends) {
    case SplineEnds::natural:
      rows.diagonal[0] = rows.diagonal[last] = Param(1);
      break;
    case SplineEnds::clamped:
      rows.diagonal[0] = two * h[0], rows.above[0] = h[0];
      rows.diagonal[last] = two * h[e], rows.below[last] = h[e];
      m[0] = six * (D[0] / h[0] - v0);
      m[last] = six * (v1 - D[e] / h[e]);
      break;
    case SplineEnds::periodic:  // the unknowns are points 0 ... last - 1
      rows.diagonal[0] = two * (h[e] + h[0]);
      rows.below[0] = h[e], rows.above[0] = h[0];
      m[0] = six * (D[0] / h[0] - D[e] / h[e]);
      tridiagonal::solve_cyclic(rows, m);
      m.push_back(m.front());
      return m;
    case SplineEnds::not_a_knot: {
      if (last == 1) {  // a straight line
        rows.diagonal[0] = rows.diagonal[1] = Param(1);
        break;
      }
      if (last == 2) {  // one parabola
        const Param a = m[1] / (Param(3) * (h[0] + h[1]));
        return {a, a, a};
      }
      // m_0 = m_1 + (m_1 - m_2) h_0 / h_1, put into row 1; the same at the other end.
      const Param r = h[0] / h[1], s = h[e] / h[e - 1];
      rows.diagonal[1] = rows.diagonal[1] + h[0] * (Param(1) + r);
      rows.above[1] = rows.above[1] - h[0] * r;
      rows.below[1] = Param(0), rows.diagonal[0] = Param(1);
      rows.diagonal[e] = rows.diagonal[e] + h[e] * (Param(1) + s);
      rows.below[e] = rows.below[e] - h[e] * s;
      rows.above[e] = Param(0), rows.diagonal[last] = Param(1);
      tridiagonal::solve(rows, m);
      m[0] = m[1] + (m[1] - m[2]) * r;
      m[last] = m[e] + (m[e] - m[e - 1]) * s;
      return m;
    }
  }
  tridiagonal::solve(rows, m);
  return m;
}

}  // namespace internal::check

template <class Param>
PiecewisePolynomial<Param> spline(const std::vector<Param>& times,
                                  const std::vector<std::vector<Param>>& points, SplineEnds ends,
                                  const Boundary<std::type_identity_t<Param>>& start,
                                  const Boundary<std::type_identity_t<Param>>& end) {
  namespace check = internal::check;
  const int n = check::points("spline", times, points);
  const auto v0 = check::or_zero("spline", "start.qd", start.qd, n);
  const auto v1 = check::or_zero("spline", "end.qd", end.qd, n);
  if (ends != SplineEnds::clamped && !(start.qd.empty() && end.qd.empty()))
    throw Error("spline: end velocities belong to the clamped spline");
  const View<const Param> t(times);
  const int segments = t.size - 1;
  const auto point = [&](int k) { return View<const Param>(points[static_cast<std::size_t>(k)]); };
  if (ends == SplineEnds::periodic)
    for (int i = 0; i < n; ++i)
      if (value_of(point(0)[i]) != value_of(point(segments)[i]))
        throw Error("spline: coordinate " + std::to_string(i) + " is periodic but goes from " +
                    check::number(static_cast<double>(value_of(point(0)[i]))) + " to " +
                    check::number(static_cast<double>(value_of(point(segments)[i]))));

  Array<Param> h(segments), D(segments), c(segments * n * 4);
  for (int s = 0; s < segments; ++s) h[s] = t[s + 1] - t[s];
  for (int i = 0; i < n; ++i) {
    for (int s = 0; s < segments; ++s) D[s] = point(s + 1)[i] - point(s)[i];
    const auto m = check::spline_accelerations(h, D, ends, v0[i], v1[i]);
    for (int s = 0; s < segments; ++s) {
      Param* piece = c.data() + (s * n + i) * 4;
      piece[0] = point(s)[i];
      piece[1] = D[s] / h[s] - h[s] * (Param(2) * m[s] + m[s + 1]) / Param(6);
      piece[2] = m[s] / Param(2);
      piece[3] = (m[s + 1] - m[s]) / (Param(6) * h[s]);
    }
  }
  return {n, 3, times, std::move(c),
          ends == SplineEnds::periodic ? Outside::repeat : Outside::hold};
}

template <class Param>
PiecewisePolynomial<Param> quintic_spline(const std::vector<Param>& times,
                                          const std::vector<std::vector<Param>>& points,
                                          const Boundary<std::type_identity_t<Param>>& start,
                                          const Boundary<std::type_identity_t<Param>>& end) {
  namespace check = internal::check;
  const int n = check::points("quintic_spline", times, points);
  const auto v0 = check::or_zero("quintic_spline", "start.qd", start.qd, n);
  const auto v1 = check::or_zero("quintic_spline", "end.qd", end.qd, n);
  const auto a0 = check::or_zero("quintic_spline", "start.qdd", start.qdd, n);
  const auto a1 = check::or_zero("quintic_spline", "end.qdd", end.qdd, n);
  const View<const Param> t(times);
  const int segments = t.size - 1;
  const auto point = [&](int k) { return View<const Param>(points[static_cast<std::size_t>(k)]); };
  const auto k = [](double x) { return Param(x); };

  Array<Param> h(segments), D(segments), c(segments * n * 6);
  for (int s = 0; s < segments; ++s) h[s] = t[s + 1] - t[s];
  for (int i = 0; i < n; ++i) {
    for (int s = 0; s < segments; ++s) D[s] = point(s + 1)[i] - point(s)[i];
    // Row p: jerk, then snap, equal on both sides of point p; unknowns (velocity, acceleration).
    internal::tridiagonal::BlockSystem<Param> rows(segments + 1);
    rows.diagonal.front() = rows.diagonal.back() = {k(1), k(0), k(0), k(1)};
    rows.right.front() = {v0[i], a0[i]};
    rows.right.back() = {v1[i], a1[i]};
    for (int p = 1; p < segments; ++p) {
      const Param l = h[p - 1], r = h[p], l2 = l * l, r2 = r * r;
      rows.below[p] = {k(24) / l2, k(3) / l, k(168) / (l2 * l), k(24) / l2};
      rows.diagonal[p] = {k(36) / l2 - k(36) / r2, k(-9) / l - k(9) / r,
                          k(192) / (l2 * l) + k(192) / (r2 * r), k(36) / r2 - k(36) / l2};
      rows.above[p] = {k(-24) / r2, k(3) / r, k(168) / (r2 * r), k(-24) / r2};
      rows.right[p] = {k(60) * (D[p - 1] / (l2 * l) - D[p] / (r2 * r)),
                       k(360) * (D[p - 1] / (l2 * l2) + D[p] / (r2 * r2))};
    }
    internal::tridiagonal::solve(rows);
    for (int s = 0; s < segments; ++s) {
      const auto [vs, as] = rows.right[s];
      const auto [ve, ae] = rows.right[s + 1];
      internal::quintic_coefficients<Param>({point(s)[i], vs, as, k(0)},
                                            {point(s + 1)[i], ve, ae, k(0)}, h[s],
                                            c.data() + (s * n + i) * 6);
    }
  }
  return {n, 5, times, std::move(c)};
}

}  // namespace torsor
