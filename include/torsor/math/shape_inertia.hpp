#pragma once
/// Inertia of homogeneous shapes, about their centre, in their own axes.
///
/// Place one elsewhere with transported(T, I). Mass in kg, lengths in m.
///
///   box          m/12 (b^2 + c^2), ...               edges a, b, c along x, y, z
///   cylinder     m r^2/2 about its axis z, m (3 r^2 + l^2)/12 across
///   sphere       2/5 m r^2
///   rod          m l^2/12 across, 0 along z
///   capsule      cylinder of length l along z between two half spheres
#include "torsor/math/inertia.hpp"

namespace torsor {

template <class Real>
TORSOR_HD constexpr Inertia<Real> box_inertia(const Real& mass, const Vec3<Real>& edges) {
  const Real k = mass / Real(12);
  const Real a = edges.x * edges.x, b = edges.y * edges.y, c = edges.z * edges.z;
  return {mass, {}, Sym3<Real>::diagonal(k * (b + c), k * (a + c), k * (a + b))};
}
template <class Real>
TORSOR_HD constexpr Inertia<Real> cylinder_inertia(const Real& mass, const Real& radius,
                                                   const Real& length) {
  const Real rr = radius * radius;
  const Real across = mass * (Real(3) * rr + length * length) / Real(12);
  return {mass, {}, Sym3<Real>::diagonal(across, across, mass * rr / Real(2))};
}
template <class Real>
TORSOR_HD constexpr Inertia<Real> sphere_inertia(const Real& mass, const Real& radius) {
  const Real k = Real(2) * mass * radius * radius / Real(5);
  return {mass, {}, Sym3<Real>::diagonal(k, k, k)};
}
template <class Real>
TORSOR_HD constexpr Inertia<Real> rod_inertia(const Real& mass, const Real& length) {
  return cylinder_inertia(mass, Real(0), length);
}
template <class Real>
TORSOR_HD constexpr Inertia<Real> capsule_inertia(const Real& mass, const Real& radius,
                                                  const Real& length) {
  // Volumes over pi r^2: l and 4 r / 3. Both half spheres together have the inertia of a sphere
  // about its centre; each is then moved out by l/2, its own centre of mass being 3 r / 8 further.
  const Real caps = mass * (Real(4) * radius) / (Real(3) * length + Real(4) * radius);
  const Real shift = caps * length * (length / Real(4) + Real(3) * radius / Real(8));
  const Inertia<Real> sum =
      cylinder_inertia(mass - caps, radius, length) + sphere_inertia(caps, radius);
  return {mass, {}, sum.J + Sym3<Real>::diagonal(shift, shift, Real(0))};
}

}  // namespace torsor
