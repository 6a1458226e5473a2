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

/// U = [w'] + [w]^2: a point r of the body accelerates by a + U r.
template <class Real>
TORSOR_HD TORSOR_INLINE Mat3<Real> turning(const BodyMotion<Real>& motion) {
  const auto& [w, d, a] = motion;
  const Real xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const Real xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {{-(yy + zz), xy + d.z, xz - d.y},
          {xy - d.z, -(xx + zz), yz + d.x},
          {xz + d.y, yz - d.x, -(xx + yy)}};
}

/// Wrench that moves a body with mass moments I so that its points accelerate by a + U r.
/// `hinged`: m = h_z = S_zz = 0.
template <bool hinged, class Param, class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> wrench_of(const MassMoments<Param>& I, const Vec3<Real>& a,
                                               const Mat3<Real>& U) {
  const auto& [m, h, S] = I;
  const auto& [u0, u1, u2] = U;
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

/// The same of a steady turn, U = [w]^2 and a = 0: (axial([w]^2 S), [w]^2 h) with [w]^2 r = (w.r) w - |w|^2 r.
template <bool hinged, class Param, class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> centrifugal_wrench(const MassMoments<Param>& I,
                                                        const Vec3<Real>& w) {
  const auto& [m, h, S] = I;
  const Real ww = squared_norm(w);
  if constexpr (hinged) {
    const Real wh = h.x * w.x + h.y * w.y;
    const Vec3<Real> Sw{S.xx * w.x + S.xy * w.y + S.xz * w.z, S.xy * w.x + S.yy * w.y + S.yz * w.z,
                        S.xz * w.x + S.yz * w.y};
    return {cross(Sw, w), {w.x * wh - ww * h.x, w.y * wh - ww * h.y, w.z * wh}};
  } else {
    return {cross(S * w, w), w * dot(h, w) - h * ww};
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
