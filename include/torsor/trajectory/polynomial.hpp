#pragma once
/// Point to point in one polynomial: cubic (positions and velocities at both ends), quintic (also
/// accelerations), septic (also jerks).
///
/// With D = q1 - q0 and the duration T, quintic:
///   c0 = q0,  c1 = v0,  c2 = a0 / 2
///   c3 = ( 20 D - ( 8 v1 + 12 v0) T + (  a1 - 3 a0) T^2) / (2 T^3)
///   c4 = (-30 D + (14 v1 + 16 v0) T - (2 a1 - 3 a0) T^2) / (2 T^4)
///   c5 = ( 12 D -  6 (v1 +    v0) T + (  a1 -   a0) T^2) / (2 T^5)
///
/// From rest to rest the peaks are, for a distance D: cubic 3/2 D/T and 6 D/T^2; quintic 15/8 D/T,
/// 10/sqrt(3) D/T^2 and 60 D/T^3.
/// Source   Huo 2005, exercise 3-7; Biagiotti & Melchiorri 2008, sec. 2.1.
#include "torsor/trajectory/internal/check_input.hpp"
#include "torsor/trajectory/piecewise.hpp"

namespace torsor {

/// The motion at one end, in rad or m and seconds. An empty qd, qdd or jerk means zero.
template <class Param = double>
struct Boundary {
  std::vector<Param> q{}, qd{}, qdd{}, jerk{};
};

/// Motion of one coordinate at one end.
template <class Param>
struct BoundaryPoint {
  Param q{}, v{}, a{}, j{};
};

namespace internal {

template <class Param>
void cubic_coefficients(const BoundaryPoint<Param>& s, const BoundaryPoint<Param>& e,
                        const Param& T, Param* c) {
  const Param D = e.q - s.q, T2 = T * T;
  c[0] = s.q;
  c[1] = s.v;
  c[2] = (Param(3) * D - (Param(2) * s.v + e.v) * T) / T2;
  c[3] = (Param(-2) * D + (s.v + e.v) * T) / (T2 * T);
}

template <class Param>
void quintic_coefficients(const BoundaryPoint<Param>& s, const BoundaryPoint<Param>& e,
                          const Param& T, Param* c) {
  const Param D = e.q - s.q, T2 = T * T, T3 = T2 * T, two(2), three(3);
  c[0] = s.q;
  c[1] = s.v;
  c[2] = s.a / two;
  c[3] = (Param(20) * D - (Param(8) * e.v + Param(12) * s.v) * T + (e.a - three * s.a) * T2) /
         (two * T3);
  c[4] =
      (Param(-30) * D + (Param(14) * e.v + Param(16) * s.v) * T - (two * e.a - three * s.a) * T2) /
      (two * T3 * T);
  c[5] = (Param(12) * D - Param(6) * (e.v + s.v) * T + (e.a - s.a) * T2) / (two * T3 * T2);
}

template <class Param>
void septic_coefficients(const BoundaryPoint<Param>& s, const BoundaryPoint<Param>& e,
                         const Param& T, Param* c) {
  const Param D = e.q - s.q, T2 = T * T, T3 = T2 * T, T4 = T2 * T2, two(2), six(6);
  const auto row = [&](double d, double v0, double v1, double a0, double a1, double j0, double j1) {
    return D * Param(d) + (s.v * Param(v0) + e.v * Param(v1)) * T +
           (s.a * Param(a0) + e.a * Param(a1)) * T2 + (s.j * Param(j0) + e.j * Param(j1)) * T3;
  };
  c[0] = s.q;
  c[1] = s.v;
  c[2] = s.a / two;
  c[3] = s.j / six;
  c[4] = row(210, -120, -90, -30, 15, -4, -1) / (six * T4);
  c[5] = row(-168, 90, 78, 20, -14, 2, 1) / (two * T4 * T);
  c[6] = row(420, -216, -204, -45, 39, -4, -3) / (six * T4 * T2);
  c[7] = row(-120, 60, 60, 12, -12, 1, 1) / (six * T4 * T3);
}

}  // namespace internal

namespace internal::check {

/// Sizes and numbers of both ends; derivatives above `order` (1: qd, 2: qdd, 3: jerk) are refused.
template <class Param>
int ends(const char* planner, int order, const Boundary<Param>& start, const Boundary<Param>& end,
         double duration) {
  const int n = static_cast<int>(start.q.size());
  positive(planner, "duration", duration);
  if (n == 0) throw Error(std::string(planner) + ": start.q is empty");
  const auto check = [&](const char* name, const Boundary<Param>& b) {
    const std::string at = name;
    numbers_of(planner, at + ".q", b.q, n);
    const std::vector<Param>* parts[] = {&b.qd, &b.qdd, &b.jerk};
    const char* words[] = {".qd", ".qdd", ".jerk"};
    for (int k = 0; k < 3; ++k) {
      if (parts[k]->empty()) continue;
      if (k >= order)
        throw Error(std::string(planner) + ": " + at + words[k] +
                    " cannot be prescribed; take a polynomial of higher degree");
      numbers_of(planner, at + words[k], *parts[k], n);
    }
  };
  check("start", start);
  check("end", end);
  return n;
}

template <class Param>
BoundaryPoint<Param> point(const Boundary<Param>& b, int i) {
  const auto k = static_cast<std::size_t>(i);
  const auto part = [&](const std::vector<Param>& x) { return x.empty() ? Param(0) : x[k]; };
  return {b.q[k], part(b.qd), part(b.qdd), part(b.jerk)};
}

template <class Param, class Coefficients>
PiecewisePolynomial<Param> one_piece(const char* planner, int order, const Boundary<Param>& start,
                                     const Boundary<Param>& end, const Param& duration,
                                     Coefficients coefficients) {
  const int n = ends(planner, order, start, end, static_cast<double>(value_of(duration)));
  const int degree = 2 * order + 1;
  std::vector<Param> c(static_cast<std::size_t>(n * (degree + 1)));
  for (int i = 0; i < n; ++i)
    coefficients(point(start, i), point(end, i), duration, c.data() + i * (degree + 1));
  return {n, degree, {Param(0), duration}, std::move(c)};
}

}  // namespace internal::check

/// Positions and velocities at both ends. The acceleration jumps at the ends.
template <class Param = double>
PiecewisePolynomial<Param> cubic(const Boundary<Param>& start, const Boundary<Param>& end,
                                 const std::type_identity_t<Param>& duration) {
  return internal::check::one_piece("cubic", 1, start, end, duration,
                                    internal::cubic_coefficients<Param>);
}
/// Positions, velocities and accelerations at both ends.
template <class Param = double>
PiecewisePolynomial<Param> quintic(const Boundary<Param>& start, const Boundary<Param>& end,
                                   const std::type_identity_t<Param>& duration) {
  return internal::check::one_piece("quintic", 2, start, end, duration,
                                    internal::quintic_coefficients<Param>);
}
/// Positions, velocities, accelerations and jerks at both ends.
template <class Param = double>
PiecewisePolynomial<Param> septic(const Boundary<Param>& start, const Boundary<Param>& end,
                                  const std::type_identity_t<Param>& duration) {
  return internal::check::one_piece("septic", 3, start, end, duration,
                                    internal::septic_coefficients<Param>);
}

}  // namespace torsor
