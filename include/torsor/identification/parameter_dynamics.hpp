#pragma once
/// Torques of given parameters, without forming the regressor, and the columns of the joints.
///
///   inverse_dynamics on p                 tau = Y(q, qd, qdd) p, in O(n)
///   two_velocity_inverse_dynamics on p    tau = Y(q, qd, v, a) p
///   joint_regressor                       friction(qd) + armature qdd = sum of Y_block p_block
///
///   f = m a + alpha x h + nu x (w x h),   n = h x a + J alpha + w x J nu + 1/2 tr(J) nu x w
///
/// An adaptive controller runs on its estimate with these, whatever the model's own parameters are.
///
/// Frames   p: ten numbers per body in link frames (model/inertial_parameters.hpp); the sums in world axes.
/// Cost     O(n), no allocation.
/// Source   as regressor.hpp; the friction model is that of model/friction.hpp.
#include "torsor/identification/regressor.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

namespace internal {

/// tau = Y p after world_motion.
template <bool two, class Param, class Real>
void torque_of_parameters(const Model<Param>& model, RegressorWorkspace<Real>& ws,
                          In<Real> parameters, Out<Real> tau) {
  for (Wrench<Real>& F : ws.F) F = {};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    const auto& [w, nu, alpha, a] = ws.motion[i];
    const auto I = inertia_of(parameters.data + (i - 1) * parameters_per_body);
    const SO3<Real> R = world_link_axes(model, ws.world, i);
    const Vec3<Real> h = R * I.h, J_nu = R * (I.J * transpose_times(R, nu));
    const Vec3<Real> f = a * I.m + cross(alpha, h) + cross(nu, cross(w, h));
    Vec3<Real> n = cross(h, a) + R * (I.J * transpose_times(R, alpha)) + cross(w, J_nu);
    if constexpr (two)
      n = n + cross(nu, w) * (trace(I.J) * typename ScalarTraits<Real>::Value(0.5));
    ws.F[i] += Wrench<Real>{n + cross(ws.world.p[i], f), f};
    for (int c = b.v; c < b.v + b.n_v; ++c) tau[c] = dot(ws.world.S.twist(c), ws.F[i]);
    ws.F[b.parent] += ws.F[i];
  }
}

}  // namespace internal

/// tau = M qdd + C qd + g of the robot with these parameters.
template <class Param, class Real>
void rigid_inverse_dynamics(const Model<Param>& model, RegressorWorkspace<Real>& ws, In<Real> q,
                            In<Real> qd, In<Real> qdd, In<Real> parameters, Out<Real> tau) {
  internal::world_motion<false>(model, ws, q, qd, qd, qdd);
  internal::torque_of_parameters<false>(model, ws, parameters, tau);
}
/// tau = M a + C(q, qd) v + g of the robot with these parameters.
template <class Param, class Real>
void two_velocity_inverse_dynamics(const Model<Param>& model, RegressorWorkspace<Real>& ws,
                                   In<Real> q, In<Real> qd, In<Real> v, In<Real> a,
                                   In<Real> parameters, Out<Real> tau) {
  internal::world_motion<true>(model, ws, q, qd, v, a);
  internal::torque_of_parameters<true>(model, ws, parameters, tau);
}

/// Parameters of a degree of freedom in which its torque is linear.
enum class JointParameter : unsigned char { viscous, coulomb, stiction, rotor };

namespace internal {

inline constexpr std::array<const char*, 4> joint_parameter_words = {"viscous", "coulomb",
                                                                     "stiction", "rotor"};

}  // namespace internal

/// The entry of one degree of freedom: v, sgn(v) (1 - e), sgn(v) e, vdot with
/// e = exp(-(v / stribeck)^2) and the model's smooth sign. Without a Stribeck velocity e = 0.
template <class Param, class Real>
Real joint_regressor(const DofConstants<Param>& dof, JointParameter parameter, const Real& v,
                     const Real& vdot) {
  DofConstants<Param> unit{};
  unit.stribeck = dof.stribeck;
  unit.width = dof.width;
  switch (parameter) {
    case JointParameter::viscous:
      return v;
    case JointParameter::rotor:
      return vdot;
    case JointParameter::coulomb:
      unit.coulomb = Param(1);
      break;
    case JointParameter::stiction:
      unit.stiction = Param(1);
      break;
  }
  return friction_torque(unit, v);
}
/// One block, n_v x n_v and diagonal.
template <class Param, class Vector>
void joint_regressor(const Model<Param>& model, JointParameter parameter, const Vector& qd,
                     In<RealOf<Vector>> qdd, OutMatrix<RealOf<Vector>> Y) {
  using Real = RealOf<Vector>;
  const In<Real> v = qd;
  for (int c = 0; c < model.n_v(); ++c) {
    for (int r = 0; r < model.n_v(); ++r) Y(r, c) = Real(0);
    Y(c, c) = joint_regressor(model.dof(c), parameter, v[c], qdd[c]);
  }
}

namespace internal {

/// The model's own value.
template <class Param>
Param joint_parameter(const DofConstants<Param>& dof, JointParameter parameter) {
  switch (parameter) {
    case JointParameter::viscous:
      return dof.viscous;
    case JointParameter::coulomb:
      return dof.coulomb;
    case JointParameter::stiction:
      return dof.stiction;
    case JointParameter::rotor:
      break;
  }
  return dof.armature;
}

}  // namespace internal

/// Compiled once, in src/identification/parameter_dynamics.cpp.
#define TORSOR_PARAMETER_DYNAMICS(Extern, Param, Real)                                            \
  Extern template void rigid_inverse_dynamics(const Model<Param>&, RegressorWorkspace<Real>&,     \
                                              In<Real>, In<Real>, In<Real>, In<Real>, Out<Real>); \
  Extern template void two_velocity_inverse_dynamics(                                             \
      const Model<Param>&, RegressorWorkspace<Real>&, In<Real>, In<Real>, In<Real>, In<Real>,     \
      In<Real>, Out<Real>);
TORSOR_PARAMETER_DYNAMICS(extern, double, double)
TORSOR_PARAMETER_DYNAMICS(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_PARAMETER_DYNAMICS
#endif

}  // namespace torsor
