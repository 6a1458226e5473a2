#pragma once
/// Principal moments and axes of a rotational inertia, its invariants, and what a real body obeys.
///
///   J = A diag(moments) A^T,  A = [axes] a rotation
///   invariants: tr J;  1/2 (tr(J)^2 - tr(J^2));  det J      the same in all axes about one point
///   J = sum_i m_i (|r_i|^2 1 - r_i r_i^T) for points; products are matrix entries (negative sums)
///   a real body: every principal moment >= 0, none larger than the sum of the other two
///
/// Cost     Jacobi rotations, about 6 sweeps; not a kernel (plain numbers only).
/// Source   Craig 2005, sec. 6.3.
#include <span>

#include "torsor/math/inertia.hpp"
#include "torsor/math/internal/symmetric_eigen.hpp"

namespace torsor {

template <class Real>
struct PrincipalAxes {
  Vec3<Real> moments;  ///< ascending
  SO3<Real> axes;      ///< columns: unit vectors of the axes; right-handed
};

template <Plain Real>
[[nodiscard]] PrincipalAxes<Real> principal_axes(const Sym3<Real>& J) {
  const internal::EigenPairs<Real, 3> e = internal::symmetric_eigen<Real, 3>(
      {{{J.xx, J.xy, J.xz}, {J.xy, J.yy, J.yz}, {J.xz, J.yz, J.zz}}});
  const auto& u = e.vectors;
  const Vec3<Real> n{u[0][0], u[0][1], u[0][2]}, o{u[1][0], u[1][1], u[1][2]};
  return {{e.values[0], e.values[1], e.values[2]}, {n, o, cross(n, o)}};
}

template <class Real>
struct InertiaInvariants {
  Real trace{}, minors{}, determinant{};
};
template <class Real>
TORSOR_HD constexpr InertiaInvariants<Real> invariants(const Sym3<Real>& J) {
  const Real x = J.yy * J.zz - J.yz * J.yz;
  return {trace(J), x + (J.xx * J.zz - J.xz * J.xz) + (J.xx * J.yy - J.xy * J.xy),
          J.xx * x - J.xy * (J.xy * J.zz - J.yz * J.xz) + J.xz * (J.xy * J.yz - J.yy * J.xz)};
}

/// Every principal moment is positive. False for NaN.
template <Plain Real>
[[nodiscard]] bool is_positive_definite(const Sym3<Real>& J) {
  return principal_axes(J).moments.x > Real(0);
}
/// No principal moment exceeds the sum of the other two by more than `tol` of the largest.
template <Plain Real>
[[nodiscard]] bool obeys_triangle_inequality(
    const Sym3<Real>& J, std::type_identity_t<Real> tol = 16 * ScalarTraits<Real>::epsilon) {
  const Vec3<Real> m = principal_axes(J).moments;  // ascending
  return m.x + m.y - m.z >= -tol * abs(m.z);
}

/// The inertia matrix about the centre of mass; the inverse of Inertia::at_com. Needs m > 0.
template <class Real>
TORSOR_HD constexpr Sym3<Real> inertia_about_com(const Inertia<Real>& I) {
  const Vec3<Real> com = I.h * (Real(1) / I.m);
  return I.J - Inertia<Real>::parallel_axes(I.m, com);
}
/// A mass distribution with positive mass exists that has this inertia (rods and points included).
template <Plain Real>
[[nodiscard]] bool is_physical(const Inertia<Real>& I,
                               std::type_identity_t<Real> tol = 16 * ScalarTraits<Real>::epsilon) {
  if (!(I.m > Real(0)) || !is_finite(trace(I.J)) || !is_finite(squared_norm(I.h))) return false;
  // Rounding of the parallel axes step scales with the inertia about the origin.
  const Vec3<Real> m = principal_axes(inertia_about_com(I)).moments;
  const Real slack = tol * abs(trace(I.J));
  return m.x >= -slack && m.x + m.y - m.z >= -slack;
}

template <class Real>
struct PointMass {
  Real mass{};            ///< kg
  Vec3<Real> position{};  ///< m
};
/// Mass, first moment and inertia about the origin of points.
template <class Real>
Inertia<Real> inertia_of_points(std::span<const PointMass<Real>> points) {
  Inertia<Real> sum{};
  for (const auto& [mass, r] : points) {
    sum = sum + Inertia<Real>{mass, r * mass, Inertia<Real>::parallel_axes(mass, r)};
  }
  return sum;
}

}  // namespace torsor
