#pragma once
/// Euler angles: all twelve sequences, both ways, with their rates, in one implementation.
///
///   R = R_i(phi) R_j(theta) R_k(psi)         relative rotations about the axes i, j, k
///   w = E [phi' theta' psi']^T,  E = [ e_i, R_i e_j, R_i R_j e_k ],  det E = -sin(theta) if k = i,
///                                                                    e cos(theta) otherwise
/// With l the axis that is neither i nor j, e = e_i x e_j . e_l, and R_rc the entries of R:
///   sine and cosine of phi     R_jk, -e R_lk            times sin(theta); -e cos(theta) if k = l
///   sine and cosine of theta   from R_ik and the length of the pair above
///   psi                        from row j of R_i(-phi) R, so that phi and psi fit together
///   degenerate (length 0)      R_ik = +-1: only phi +- psi = atan2(e R_lj, R_jj) is determined
///
/// Only atan2 is used: no digit is lost near a degenerate theta, and the angles returned reproduce
/// R to rounding there.
/// Frames   R takes coordinates in the turned frame to the fixed one; w is in the fixed frame, the
///          "body" versions in the turned one. Angles in rad.
/// Source   Huo 2005, sec. 1.1, (1-3), exercises 1-10 to 1-13, for zyz, zxz, zyx; the other
///          nine by the same derivation.
#include "torsor/math/so3.hpp"

namespace torsor {

/// First, second and third axis. The first six repeat an axis, the last six do not.
enum class EulerSequence : unsigned char {
  xyx,
  xzx,
  yxy,
  yzy,
  zxz,
  zyz,
  xyz,
  xzy,
  yxz,
  yzx,
  zxy,
  zyx
};

/// First, second and third angle (rad).
template <class Real>
struct EulerAngles {
  Real phi{}, theta{}, psi{};
};

namespace internal {

inline constexpr int n_euler_sequences = 12;

/// The indices i, j, k, l and the sign e of the header comment.
struct EulerAxes {
  int i, j, k, l, e;

  TORSOR_HD constexpr explicit EulerAxes(EulerSequence sequence)
      : i(static_cast<int>(sequence) % 6 / 2),
        // The second axis is one of the two others, the lower first.
        j(static_cast<int>(sequence) % 2 == 0 ? (i == 0 ? 1 : 0) : (i == 2 ? 1 : 2)),
        k(static_cast<int>(sequence) < 6 ? i : 3 - i - j),
        l(3 - i - j),
        e((j - i + 3) % 3 == 1 ? 1 : -1) {}
  TORSOR_HD constexpr bool repeats() const { return i == k; }
};

/// Rotation about the coordinate axis 0, 1 or 2.
template <class Real>
TORSOR_HD SO3<Real> rotation_about_axis(int axis, const Real& angle) {
  return axis == 0 ? rotation_x(angle) : axis == 1 ? rotation_y(angle) : rotation_z(angle);
}

}  // namespace internal

template <class Real>
TORSOR_HD SO3<Real> rotation(EulerSequence sequence, const EulerAngles<Real>& angles) {
  const internal::EulerAxes a(sequence);
  return internal::rotation_about_axis(a.i, angles.phi) *
         internal::rotation_about_axis(a.j, angles.theta) *
         internal::rotation_about_axis(a.k, angles.psi);
}

template <class Real>
struct EulerSolutions {
  EulerAngles<Real> first;    ///< theta in [0, pi], or in [-pi/2, pi/2] where no axis repeats
  EulerAngles<Real> second;   ///< the other triple; all angles in (-pi, pi]
  MaskOf<Real> degenerate{};  ///< only phi + sign psi is determined; one of many is given
  Real sign{};                ///< +1 or -1; meaningful where degenerate
  Real combination{};         ///< phi + sign psi, in (-pi, pi]; meaningful where degenerate
};

/// Degenerate where |sin(theta)| (|cos(theta)| if no axis repeats) is at most `tol`; then phi = 0
/// is chosen. Derivatives exist elsewhere.
template <class Real>
TORSOR_HD EulerSolutions<Real> euler_angles(
    EulerSequence sequence, const SO3<Real>& R,
    std::type_identity_t<typename ScalarTraits<Real>::Value> tol = 16 *
                                                                   ScalarTraits<Real>::epsilon) {
  using Value = typename ScalarTraits<Real>::Value;
  const internal::EulerAxes a(sequence);
  const int i = a.i, j = a.j, k = a.k, l = a.l;
  const Value e = static_cast<Value>(a.e), g = a.repeats() ? Value(1) : -e;
  const Real y = R(j, k) * g, x = R(l, k) * (-e * g);
  const Real length = sqrt(x * x + y * y), zero(0), one(1), pi(Value(3.14159265358979323846));
  // -pi becomes pi by a whole turn, not by a constant: derivatives stay.
  const auto wrapped = [&](const Real& angle) {
    return select(angle <= -pi, angle + (pi + pi), angle);
  };

  EulerSolutions<Real> result;
  result.degenerate = length <= Real(tol);
  result.sign = select(R(i, k) < zero, -one, one);
  result.combination = wrapped(atan2(R(l, j) * e, R(j, j)));

  const Real sin_phi = select(result.degenerate, zero, y);
  const Real cos_phi = select(result.degenerate, one, x);
  const auto solve = [&](Value s) {
    EulerAngles<Real> angles;
    angles.phi = atan2(sin_phi * s, cos_phi * s);
    angles.theta = a.repeats() ? atan2(length * s, R(i, k)) : atan2(R(i, k) * e, length * s);
    const auto [sp, cp] = sincos(angles.phi);
    const int m = a.repeats() ? l : i;  // neither j nor k
    angles.psi = atan2((R(j, m) * cp + R(l, m) * (sp * e)) * (a.repeats() ? -e : e),
                       R(j, j) * cp + R(l, j) * (sp * e));
    return EulerAngles<Real>{wrapped(angles.phi), wrapped(angles.theta), wrapped(angles.psi)};
  };
  result.first = solve(Value(1));
  result.second = solve(Value(-1));
  return result;
}

/// E: angular velocity in the fixed frame from the rates of the three angles.
template <class Real>
TORSOR_HD Mat3<Real> euler_rate_matrix(EulerSequence sequence, const EulerAngles<Real>& angles) {
  const internal::EulerAxes a(sequence);
  const Mat3<Real> one = Mat3<Real>::identity(),
                   Ri = internal::rotation_about_axis(a.i, angles.phi);
  return {one[a.i], Ri[a.j], Ri * internal::rotation_about_axis(a.j, angles.theta)[a.k]};
}
/// R^T E: angular velocity in the turned frame.
template <class Real>
TORSOR_HD Mat3<Real> euler_rate_matrix_body(EulerSequence sequence,
                                            const EulerAngles<Real>& angles) {
  const internal::EulerAxes a(sequence);
  const Mat3<Real> one = Mat3<Real>::identity(),
                   Rk = internal::rotation_about_axis(a.k, -angles.psi);
  return {Rk * internal::rotation_about_axis(a.j, -angles.theta)[a.i], Rk[a.j], one[a.k]};
}

template <class Real>
struct EulerRateInverse {
  Mat3<Real> B;             ///< rates = B w; zero where singular
  Real determinant{};       ///< of E, the same in both frames
  MaskOf<Real> singular{};  ///< |determinant| within tolerance of zero
};

/// The inverse of E or of R^T E, whichever is given.
template <class Real>
[[nodiscard]] TORSOR_HD EulerRateInverse<Real> euler_rate_inverse(
    const Mat3<Real>& E,
    std::type_identity_t<typename ScalarTraits<Real>::Value> tol = 16 *
                                                                   ScalarTraits<Real>::epsilon) {
  const Vec3<Real> r0 = cross(E.c1, E.c2), r1 = cross(E.c2, E.c0), r2 = cross(E.c0, E.c1);
  EulerRateInverse<Real> result;
  result.determinant = dot(E.c0, r0);
  result.singular = abs(result.determinant) <= Real(tol);
  const Real d = select(result.singular, Real(1), result.determinant);
  const Real k = select(result.singular, Real(0), Real(1) / d);
  result.B = Mat3<Real>::rows(r0 * k, r1 * k, r2 * k);
  return result;
}
template <class Real>
[[nodiscard]] TORSOR_HD EulerRateInverse<Real> euler_rate_inverse(EulerSequence sequence,
                                                                  const EulerAngles<Real>& angles) {
  return euler_rate_inverse(euler_rate_matrix(sequence, angles));
}
template <class Real>
[[nodiscard]] TORSOR_HD EulerRateInverse<Real> euler_rate_inverse_body(
    EulerSequence sequence, const EulerAngles<Real>& angles) {
  return euler_rate_inverse(euler_rate_matrix_body(sequence, angles));
}

}  // namespace torsor
