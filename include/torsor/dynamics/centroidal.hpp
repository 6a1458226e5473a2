#pragma once
/// Centre of mass and momentum about it: maps from joint velocities, and their derivatives.
///
///   (k_G, l) = A_G(q) qd          k_G about the centre of mass G, l linear
///   v_G      = J_G(q) qd = l / m
///   column j of body i      A_j  = I_i S_j              I_i: body i with all that it carries
///   its derivative          A'_j = I'_i S_j + I_i S'_j - (v_G x l_j, 0)
///     I' of a body with twist (w, v):   h' = m v + w x h,
///     J' = [w] J - J [w] + 2 (v . h) 1 - v h^T - h v^T,          S' = ad(V_i) S + S'_joint
///
/// The last term is there because G moves; A_G' qd + A_G qdd is the rate of the momentum, which
/// only weight and contact change.
///
/// Frames   World axes; twists, inertias and angular momenta about G as it stands. Angular first.
///          Moving bodies count; rotors do not.
/// Cost     O(n), no allocation, no branch on the state.
/// Source   Orin, Goswami & Lee 2013; Kim 2012 (centre of mass and momentum).
#include "torsor/dynamics/energy.hpp"
#include "torsor/kinematics/velocity.hpp"
#include "torsor/math/array.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor {

template <class Real>
struct CentroidalWorkspace {
  KinematicsWorkspace<Real> kinematics;
  VelocityWorkspace<Real> velocity;
  Array<Inertia<Real>> I, Idot;  // composites

  template <class Param>
  explicit CentroidalWorkspace(const Model<Param>& model)
      : kinematics(model), velocity(model), I(model.n_bodies()), Idot(I.size()) {}
};

/// Position, velocity and acceleration of the centre of mass, in the world.
template <class Real>
struct CentreOfMassMotion {
  Real mass{};
  Vec3<Real> position{}, velocity{}, acceleration{};
};

/// Momentum about the centre of mass and its rate.
template <class Real>
struct CentroidalMomentum {
  CentreOfMassMotion<Real> com{};
  Wrench<Real> momentum{}, rate{};  ///< (angular about G, linear)
};

namespace internal {

/// I' of a body that moves by V, in fixed axes about a fixed point.
template <class Real>
Inertia<Real> rate_of(const Inertia<Real>& I, const Twist<Real>& V) {
  const auto& [w, v] = V;
  const Vec3<Real>& h = I.h;
  // [w] J - J [w] = [w] J + ([w] J)^T, of which the upper triangle is kept.
  const Mat3<Real> K = skew(w) * I.J.matrix();
  const Real vh = dot(v, h) + dot(v, h);
  return {Real(0),
          v * I.m + cross(w, h),
          {K(0, 0) + K(0, 0) + vh - (v.x * h.x + v.x * h.x),
           K(0, 1) + K(1, 0) - (v.x * h.y + v.y * h.x),
           K(1, 1) + K(1, 1) + vh - (v.y * h.y + v.y * h.y),
           K(0, 2) + K(2, 0) - (v.x * h.z + v.z * h.x), K(1, 2) + K(2, 1) - (v.y * h.z + v.z * h.y),
           K(2, 2) + K(2, 2) + vh - (v.z * h.z + v.z * h.z)}};
}

/// 1 / mass, or zero where there is none.
template <class Real>
Real inverse_mass(const Real& mass) {
  const auto some = mass > Real(0);
  return select(some, Real(1) / select(some, mass, Real(1)), Real(0));
}

/// Column k of A_G and, with `rates`, of its derivative: f(k, A_k, A'_k). Poses are those of T;
/// with `rates` the body twists are those of ws.velocity.
template <bool rates, class Param, class Real, class Column>
void centroidal_columns(const Model<Param>& model, CentroidalWorkspace<Real>& ws, In<SE3<Real>> T,
                        In<Real> q, In<Real> qd, Column&& column) {
  CentreOfMass<Real> sum{Real(0), {}};
  Vec3<Real> l{};  // linear momentum
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Inertia<Param>& I = model.body(i).inertia;
    sum.mass = sum.mass + I.m;
    sum.position += T[i].p * I.m + T[i].R * I.h;
    if constexpr (rates) l += T[i].R * (I * ws.velocity.V[i]).f;
  }
  const Real inverse = inverse_mass(sum.mass);
  const Vec3<Real> G = sum.position * inverse, v_G = l * inverse;
  for (int i = 0; i < model.n_bodies(); ++i) ws.I[i] = ws.Idot[i] = {};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const Body<Param>& b = model.body(i);
    const SE3<Real> T_G{T[i].R, T[i].p - G};
    const Inertia<Real> own = transported(T_G, b.inertia);
    ws.I[i] = ws.I[i] + own;
    Twist<Real> V{};
    if constexpr (rates) {
      V = Ad(T_G, ws.velocity.V[i]);
      ws.Idot[i] = ws.Idot[i] + rate_of(own, V);
    }
    const JointMotion<Real> motion = joint_motion(model.joint(i), q.data + b.q.first);
    JointColumns<Real> Sdot{};
    if constexpr (rates) Sdot = joint_sdot(model.joint(i), q.data + b.q.first, qd.data + b.v.first);
    const SE3<Real> turned{T_G.R * b.turn, T_G.p};
    for (int c = 0; c < b.v.count; ++c) {
      const Twist<Real> S = Ad(turned, motion.S.data()[c]);
      const Wrench<Real> A = ws.I[i] * S;
      Wrench<Real> Adot{};
      if constexpr (rates) {
        Adot = ws.Idot[i] * S + ws.I[i] * (ad(V, S) + Ad(turned, Sdot.data()[c]));
        Adot.m = Adot.m - cross(v_G, A.f);
      }
      column(b.v.first + c, A, Adot, inverse);
    }
    ws.I[b.parent] = ws.I[b.parent] + ws.I[i];
    if constexpr (rates) ws.Idot[b.parent] = ws.Idot[b.parent] + ws.Idot[i];
  }
}

template <class Real>
void store(const Wrench<Real>& F, int k, const MatrixView<Real>& out) {
  for (int r = 0; r < 3; ++r) out(r, k) = F.m[r], out(r + 3, k) = F.f[r];
}

}  // namespace internal

/// A_G, 6 x n_v: momentum about the centre of mass, angular rows first.
template <class Param, class Real>
void centroidal_map(const Model<Param>& model, CentroidalWorkspace<Real>& ws, In<Real> q,
                    OutMatrix<Real> A) {
  internal::assert_matrix(A, 6, model.n_v());
  forward_kinematics(model, ws.kinematics, q);
  internal::centroidal_columns<false>(model, ws, ws.kinematics.T_world_body, q, {},
                                      [&](int k, const Wrench<Real>& a, const Wrench<Real>&,
                                          const Real&) { internal::store<Real>(a, k, A); });
}

/// A_G' along qd, 6 x n_v.
template <class Param, class Real>
void centroidal_map_dot(const Model<Param>& model, CentroidalWorkspace<Real>& ws, In<Real> q,
                        In<Real> qd, OutMatrix<Real> Adot) {
  internal::assert_state(model, q, qd);
  internal::assert_matrix(Adot, 6, model.n_v());
  forward_velocity(model, ws.velocity, q, qd);
  internal::centroidal_columns<true>(model, ws, ws.velocity.T_world_body, q, qd,
                                     [&](int k, const Wrench<Real>&, const Wrench<Real>& rate,
                                         const Real&) { internal::store<Real>(rate, k, Adot); });
}

/// J_G, 3 x n_v: velocity of the centre of mass in the world.
template <class Param, class Real>
void com_jacobian(const Model<Param>& model, CentroidalWorkspace<Real>& ws, In<Real> q,
                  OutMatrix<Real> J) {
  internal::assert_matrix(J, 3, model.n_v());
  forward_kinematics(model, ws.kinematics, q);
  internal::centroidal_columns<false>(
      model, ws, ws.kinematics.T_world_body, q, {},
      [&](int k, const Wrench<Real>& a, const Wrench<Real>&, const Real& inverse) {
        for (int r = 0; r < 3; ++r) J(r, k) = a.f[r] * inverse;
      });
}

/// J_G' along qd, 3 x n_v.
template <class Param, class Real>
void com_jacobian_dot(const Model<Param>& model, CentroidalWorkspace<Real>& ws, In<Real> q,
                      In<Real> qd, OutMatrix<Real> Jdot) {
  internal::assert_state(model, q, qd);
  internal::assert_matrix(Jdot, 3, model.n_v());
  forward_velocity(model, ws.velocity, q, qd);
  internal::centroidal_columns<true>(
      model, ws, ws.velocity.T_world_body, q, qd,
      [&](int k, const Wrench<Real>&, const Wrench<Real>& rate, const Real& inverse) {
        for (int r = 0; r < 3; ++r) Jdot(r, k) = rate.f[r] * inverse;
      });
}

/// Motion of the centre of mass, momentum about it and its rate, without forming the maps. An
/// empty qdd means zero.
template <class Param, class Real>
CentroidalMomentum<Real> centroidal_momentum(const Model<Param>& model,
                                             CentroidalWorkspace<Real>& ws, In<Real> q, In<Real> qd,
                                             In<Real> qdd) {
  forward_acceleration(model, ws.velocity, q, qd, qdd);
  const auto& [T, V, Vdot, sines, cosines] = ws.velocity;
  CentroidalMomentum<Real> out;
  auto& [com, momentum, rate] = out;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Inertia<Param>& I = model.body(i).inertia;
    com.mass = com.mass + I.m;
    com.position += T[i].p * I.m + T[i].R * I.h;
  }
  const Real inverse = internal::inverse_mass(com.mass);
  com.position = com.position * inverse;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Inertia<Param>& I = model.body(i).inertia;
    const SE3<Real> T_G{T[i].R, T[i].p - com.position};
    const Wrench<Real> h = I * V[i];
    momentum += Ad_dual_inv(T_G, h);
    rate += Ad_dual_inv(T_G, I * Vdot[i] - ad_dual(V[i], h));
  }
  com.velocity = momentum.f * inverse;
  com.acceleration = rate.f * inverse;
  return out;
}

/// Compiled once, in src/dynamics/centroidal.cpp. Other scalars are instantiated where used.
#define TORSOR_CENTROIDAL(Extern, Param, Real)                                                     \
  Extern template void centroidal_map(const Model<Param>&, CentroidalWorkspace<Real>&, In<Real>,   \
                                      OutMatrix<Real>);                                            \
  Extern template void centroidal_map_dot(const Model<Param>&, CentroidalWorkspace<Real>&,         \
                                          In<Real>, In<Real>, OutMatrix<Real>);                    \
  Extern template void com_jacobian(const Model<Param>&, CentroidalWorkspace<Real>&, In<Real>,     \
                                    OutMatrix<Real>);                                              \
  Extern template void com_jacobian_dot(const Model<Param>&, CentroidalWorkspace<Real>&, In<Real>, \
                                        In<Real>, OutMatrix<Real>);                                \
  Extern template CentroidalMomentum<Real> centroidal_momentum(                                    \
      const Model<Param>&, CentroidalWorkspace<Real>&, In<Real>, In<Real>, In<Real>);
TORSOR_CENTROIDAL(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_CENTROIDAL
#endif

}  // namespace torsor
