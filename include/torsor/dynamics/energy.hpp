#pragma once
/// Energies, centre of mass, momentum.
///
///   K = 1/2 sum_i <V_i, I_i V_i> + 1/2 sum_k rotor_k qd_k^2 = 1/2 qd^T M qd
///   U = -sum_i g . (m_i p_i + R_i h_i),   com = sum_i (m_i p_i + R_i h_i) / m
///
/// Frames   Bodies in their link frames, results in the world: the momentum is (about the world's origin,
///          linear). Moving bodies count; potential energy is zero at the world's origin.
/// Cost     O(n), no allocation.
/// Source   Kim 2012, (15), (23), (24).
#include "torsor/kinematics/forward.hpp"
#include "torsor/math/array.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

template <class Real>
struct CentreOfMass {
  Real mass;
  Vec3<Real> position;  ///< in the world; zero for a robot without mass
};

namespace internal {

/// sum m p + R h over the moving bodies, after forward_kinematics.
template <class Param, class Real>
CentreOfMass<Real> first_moment(const Model<Param>& model, const KinematicsWorkspace<Real>& ws) {
  CentreOfMass<Real> sum{Real(0), {}};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Inertia<Param>& I = model.body(i).inertia;
    const SE3<Real>& T = ws.T_world_body[i];
    sum.mass = sum.mass + I.m;
    sum.position += T.p * I.m + T.R * I.h;
  }
  return sum;
}

}  // namespace internal

/// Of the moving bodies, after forward_kinematics.
template <class Param, class Real>
CentreOfMass<Real> centre_of_mass(const Model<Param>& model, const KinematicsWorkspace<Real>& ws) {
  const CentreOfMass<Real> sum = internal::first_moment(model, ws);
  const Real m = select(sum.mass > Real(0), sum.mass, Real(1));
  return {sum.mass, sum.position * (Real(1) / m)};
}

/// After forward_kinematics.
template <class Param, class Real>
Real potential_energy(const Model<Param>& model, const KinematicsWorkspace<Real>& ws) {
  return -dot(model.gravity(), internal::first_moment(model, ws).position);
}

template <class Real>
struct MomentumWorkspace {
  KinematicsWorkspace<Real> kinematics;
  Array<Twist<Real>> V;

  template <class Param>
  explicit MomentumWorkspace(const Model<Param>& model) : kinematics(model), V(model.n_bodies()) {}
};

namespace internal {

/// Poses and body twists of all bodies, in their link frames.
template <class Param, class Real>
void body_velocities(const Model<Param>& model, MomentumWorkspace<Real>& ws, In<Real> q,
                     In<Real> qd) {
  forward_kinematics(model, ws.kinematics, q);
  ws.V[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    const JointMotion<Real> motion = joint_motion(model.joint(i), q.data + b.q.first);
    Twist<Real> own{};
    for (int c = 0; c < b.v.count; ++c) own += motion.S[c] * qd[b.v.first + c];
    // From the joint itself: poses in the world have added up the rounding of the whole chain.
    const SO3<Param> R = b.placement.R * b.turn;
    const SE3<Real> T{R * motion.T.R * transpose(b.turn), R * motion.T.p + b.placement.p};
    ws.V[i] = Ad_inv(T, ws.V[b.parent]) + Twist<Real>{b.turn * own.w, b.turn * own.v};
  }
}

}  // namespace internal

/// J, what M contains: bodies and, unless `effects` leaves them out, rotors. Runs the velocities of
/// all bodies.
template <class Param, class Real>
Real kinetic_energy(const Model<Param>& model, MomentumWorkspace<Real>& ws, In<Real> q, In<Real> qd,
                    const Effects& effects = {}) {
  internal::body_velocities(model, ws, q, qd);
  Real twice(0);
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Twist<Real>& V = ws.V[i];
    twice = twice + dot(V, model.body(i).inertia * V);
  }
  for (int k = 0; effects.rotors && k < model.n_v(); ++k)
    twice = twice + qd[k] * qd[k] * model.dof(k).armature;
  if (effects.rotors)
    for (const CoupledMotor<Param>& motor : model.motors()) {
      const Real speed = motor.along(qd);
      twice = twice + speed * speed * motor.constants.armature;
    }
  return twice * typename ScalarTraits<Real>::Value(0.5);
}

/// Total momentum in world axes about the world's origin.
template <class Param, class Real>
Wrench<Real> momentum(const Model<Param>& model, MomentumWorkspace<Real>& ws, In<Real> q,
                      In<Real> qd) {
  internal::body_velocities(model, ws, q, qd);
  Wrench<Real> sum{};
  for (int i = 1; i < model.n_bodies(); ++i) {
    sum += Ad_dual_inv(ws.kinematics.T_world_body[i], model.body(i).inertia * ws.V[i]);
  }
  return sum;
}

/// Compiled once, in src/dynamics/centroidal.cpp.
#define TORSOR_ENERGY(Extern, Param, Real)                                                      \
  Extern template void internal::body_velocities(const Model<Param>&, MomentumWorkspace<Real>&, \
                                                 In<Real>, In<Real>);
TORSOR_ENERGY(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_ENERGY
#endif

}  // namespace torsor
