#pragma once
/// One body in the sweeps of rnea.hpp, aba.hpp and hybrid.hpp: its motion, the wrench that this
/// motion needs, and what acts on it from outside.
///
/// Frames   Canonical frames: everything about body i in its own axes.
#ifndef __CUDACC__
#include "torsor/dynamics/internal/motor_coupling.hpp"
#endif
#include "torsor/model/internal/sweep.hpp"

namespace torsor::internal {

/// Angular velocity and acceleration, acceleration of the origin less gravity.
template <class Real>
struct BodyMotion {
  Vec3<Real> w{}, wd{}, a{};
};

/// a + U p = a + w' x p + w x (w x p): the acceleration of a point p of the body.
template <class Real, class Param>
TORSOR_HD TORSOR_INLINE Vec3<Real> acceleration_of(const BodyMotion<Real>& m,
                                                   const Vec3<Param>& p) {
  return m.a + cross(m.wd, p) + cross(m.w, cross(m.w, p));
}

/// Wrench that moves a body with mass moments I by the motion m. `hinged`: m = h_z = S_zz = 0.
template <bool hinged, class Param, class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> wrench_of(const MassMoments<Param>& I,
                                               const BodyMotion<Real>& motion) {
  const auto& [w, d, a] = motion;
  const auto& [m, h, S] = I;
  const Real xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const Real xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  const Vec3<Real> u0{-(yy + zz), xy + d.z, xz - d.y}, u1{xy - d.z, -(xx + zz), yz + d.x},
      u2{xz + d.y, yz - d.x, -(xx + yy)};  // columns of U
  // axial(U S) = sum over columns k of (S e_k) x (U e_k)
  const Vec3<Param> s0{S.xx, S.xy, S.xz}, s1{S.xy, S.yy, S.yz};
  if constexpr (hinged) {
    const Vec3<Real> f = u0 * h.x + u1 * h.y;
    const Vec3<Real> ha{h.y * a.z, -(h.x * a.z), h.x * a.y - h.y * a.x};
    const Vec3<Real> s2u2{S.yz * u2.z, -(S.xz * u2.z), S.xz * u2.y - S.yz * u2.x};
    return {(ha + cross(s0, u0)) + (cross(s1, u1) + s2u2), f};
  } else {
    const Vec3<Param> s2{S.xz, S.yz, S.zz};
    return {(cross(h, a) + cross(s0, u0)) + (cross(s1, u1) + cross(s2, u2)),
            (a * m + u0 * h.x) + (u1 * h.y + u2 * h.z)};
  }
}

/// F[i] -= F_ext[i], which is given in the file's link frames.
template <SweepModel Robot, class Real>
TORSOR_HD TORSOR_INLINE void subtract_external(const Robot& model, In<Wrench<Real>> F_ext,
                                               Wrench<Real>* F) {
  if (F_ext.empty()) return;
  TORSOR_UNROLL
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto& R = model.link_axes(i);
    F[i] -= Wrench<Real>{transpose_times(R, F_ext[i].m), transpose_times(R, F_ext[i].f)};
  }
}

/// tau += rotor qdd, the reflected inertia of each motor, and that of motors of several joints.
template <SweepModel Robot, class Real>
TORSOR_HD TORSOR_INLINE void add_rotor_torques(const Robot& model, View<const Real> qdd,
                                               View<Real> tau) {
  for (int k = 0; k < model.n_v(); ++k) tau[k] = tau[k] + qdd[k] * model.dof(k).armature;
#ifndef __CUDACC__
  if constexpr (requires { model.motors(); })
    if (!model.motors().empty()) add_motor_torques(model, qdd, tau);
#endif
}

}  // namespace torsor::internal
