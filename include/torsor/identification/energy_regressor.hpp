#pragma once
/// Energy regressors: kinetic and potential energy, linear in the ten parameters of each body.
///
///   T = t(q, qd) p,   V = v(q) p                      p as in model/inertial_parameters.hpp, body by body
///   m      1/2 v . v             -g . p_i             (w, v): body twist, in the link frame
///   m_k    (v x w)_k             -g . r_k             r_k: axes of the link frame in the world
///   xx     1/2 w_x^2    xy   w_x w_y    ...           0
///
/// The torque regressor is Y = d/dt (dt/dqd) - dt/dq + dv/dq.
///
/// Frames   Link frames, parameters about their origins; potential energy is zero at the world's.
/// Cost     O(n), no allocation.
/// Source   Huo 2005, (2-109)-(2-112); Gautier & Khalil 1988.
#include "torsor/dynamics/energy.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor {

/// Fills both rows, 10 (n_bodies - 1) numbers each.
template <class Param, class Real>
void energy_regressor(const Model<Param>& model, MomentumWorkspace<Real>& ws, In<Real> q,
                      In<Real> qd, Out<Real> kinetic, Out<Real> potential) {
  const auto half = typename ScalarTraits<Real>::Value(0.5);
  internal::assert_state(model, q, qd);
  internal::body_velocities(model, ws, q, qd);
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto& [w, v] = ws.V[i];
    const SE3<Real>& T = ws.kinematics.T_world_body[i];
    Real* const t = &kinetic[parameters_per_body * (i - 1)];
    Real* const u = &potential[parameters_per_body * (i - 1)];
    const Vec3<Real> vw = cross(v, w);
    t[0] = dot(v, v) * half;
    t[1] = vw.x, t[2] = vw.y, t[3] = vw.z;
    t[4] = w.x * w.x * half, t[5] = w.x * w.y, t[6] = w.y * w.y * half;
    t[7] = w.x * w.z, t[8] = w.y * w.z, t[9] = w.z * w.z * half;
    u[0] = -dot(model.gravity(), T.p);
    u[1] = -dot(model.gravity(), T.R.c0);
    u[2] = -dot(model.gravity(), T.R.c1);
    u[3] = -dot(model.gravity(), T.R.c2);
    for (int k = 4; k < parameters_per_body; ++k) u[k] = Real(0);
  }
}

}  // namespace torsor
