#pragma once
/// Energies and powers of any columns: what identification can do without accelerations.
///
///   K = k(q, qd) x,   U = u(q) x                      kinetic and potential energy
///   P = d(q, qd) x                                    power that friction, offsets and dampers take
///   qd . tau = p(q, qd, qdd) x,   p = qd^T W = d/dt (k + u) + d
///
///   LINK            energy_regressor.hpp, in the link's frame
///   rotor           1/2 qd_k^2, motor: 1/2 (n . qd)^2       spring   1/2 (q_k - rest)^2
///   spring_damper   1/2 (l - rest_length)^2, preload l, damping 0
///   power           of a LINK <V, F>: the body's twist and the wrench of a unit of its parameter
///
/// Between two instants, k + u at the second less that at the first plus the integral of d is one row
/// against the integral of qd . tau: no acceleration is needed. Filtered, it is a row for each instant.
///
/// Load     as column_regressor.hpp.
/// Frames   Link frames; potential energy of weight is zero at the world's origin.
/// Cost     O(n), no allocation.
/// Source   Gautier & Khalil 1988 (energy); Gautier 1997 (power).
#include "torsor/identification/column_regressor.hpp"

namespace torsor {

namespace internal {

/// Both rows of a link at the pose T with the body twist V.
template <class Param, class Real>
void link_energies(const Vec3<Param>& gravity, const ColumnPlan& plan, const ColumnLink& link,
                   const SE3<Real>& T, const Twist<Real>& V, Out<Real> kinetic,
                   Out<Real> potential) {
  const auto half = typename ScalarTraits<Real>::Value(0.5);
  const auto& [w, v] = V;
  const Vec3<Real> vw = cross(v, w);
  const std::array<Real, parameters_per_body> t = {dot(v, v) * half,
                                                   vw.x,
                                                   vw.y,
                                                   vw.z,
                                                   w.x * w.x * half,
                                                   w.x * w.y,
                                                   w.y * w.y * half,
                                                   w.x * w.z,
                                                   w.y * w.z,
                                                   w.z * w.z * half};
  const std::array<Real, 4> u = {-dot(gravity, T.p), -dot(gravity, T.R.c0), -dot(gravity, T.R.c1),
                                 -dot(gravity, T.R.c2)};
  for (int k = link.first; k < link.end; ++k) {
    const ColumnTerm& term = plan.inertial[k];
    kinetic[term.column] = t.data()[term.entry];
    potential[term.column] = term.entry < 4 ? u.data()[term.entry] : Real(0);
  }
}

inline bool is_conservative(ColumnKind kind) {
  return kind == ColumnKind::inertial || kind == ColumnKind::rotor || kind == ColumnKind::spring ||
         kind == ColumnKind::spring_damper_stiffness || kind == ColumnKind::spring_damper_preload;
}

/// qd^T W of the columns that are no links'; `all`: of those with an energy too, else 0 for them.
template <class Param, class Real>
void power_of_rest(const Model<Param>& model, ColumnWorkspace<Real>& ws, const ColumnPlan& plan,
                   In<Real> q, In<Real> qd, In<Real> qdd, In<Real> tau_load, bool all,
                   Out<Real> power) {
  const auto asked = [all](const ColumnTerm& term) { return all || !is_conservative(term.kind); };
  for (const ColumnTerm& term : plan.of_joints) {
    const int k = term.of;
    Real tau(0);
    if (!asked(term))
      tau = Real(0);
    else if (term.kind == ColumnKind::rotor)
      tau = qdd[k];
    else if (term.kind == ColumnKind::spring)
      tau = q[term.entry] - model.dof(k).rest;
    else
      tau = friction_column(term, slip(model.dof(k), qd[k]),
                            tau_load.empty() ? Real(0) : tau_load[k]);
    power[term.column] = qd[k] * tau;
  }
  if (!plan.spring_dampers.empty()) forward_velocity(model, ws.springs.velocity, q, qd);
  for (const ColumnTerm& term : plan.spring_dampers) {
    const SpringState<Real> at = spring_state(model, ws.springs, term.of);
    power[term.column] = asked(term) ? Real(tension_column(term.kind, at) * at.rate) : Real(0);
  }
  for (const ColumnTerm& term : plan.of_motors) {
    const CoupledMotor<double>& motor = plan.motors[term.of];
    const Real w = turned<Real>(motor, qd);
    const Real wdot = all ? turned<Real>(motor, qdd) : Real(0);
    power[term.column] =
        asked(term) ? Real(w * motor_column(term, motor_slip(motor, w), wdot)) : Real(0);
  }
}

}  // namespace internal

/// k and u, columns.size() numbers each.
template <class Param, class Real>
void energy_regressor(const Model<Param>& model, ColumnWorkspace<Real>& ws,
                      const ParameterColumns& columns, In<Real> q, In<Real> qd, Out<Real> kinetic,
                      Out<Real> potential) {
  const auto half = typename ScalarTraits<Real>::Value(0.5);
  const internal::ColumnPlan& plan = columns.plan();
  internal::assert_state(model, q, qd);
  for (int c = 0; c < columns.size(); ++c) kinetic[c] = potential[c] = Real(0);
  if (!plan.links.empty()) internal::body_velocities(model, ws.momentum, q, qd);
  for (const internal::ColumnLink& link : plan.links) {
    SE3<Real> T = ws.momentum.kinematics.T_world_body[link.body];
    Twist<Real> V = ws.momentum.V[link.body];
    if (!link.carries) {
      const SE3<Real> T_body_link = link.placement.template cast<Real>();
      T = T * T_body_link;
      V = Ad_inv(T_body_link, V);
    }
    internal::link_energies<Param, Real>(model.gravity(), plan, link, T, V, kinetic, potential);
  }
  for (const internal::ColumnTerm& term : plan.of_joints) {
    if (term.kind == internal::ColumnKind::rotor)
      kinetic[term.column] = qd[term.of] * qd[term.of] * half;
    if (term.kind != internal::ColumnKind::spring) continue;
    const Real stretch = q[term.entry] - model.dof(term.of).rest;
    potential[term.column] = stretch * stretch * half;
  }
  if (!plan.spring_dampers.empty()) forward_velocity(model, ws.springs.velocity, q, qd);
  for (const internal::ColumnTerm& term : plan.spring_dampers) {
    const auto at = internal::spring_state(model, ws.springs, term.of);
    if (term.kind == internal::ColumnKind::spring_damper_stiffness)
      potential[term.column] = at.stretch * at.stretch * half;
    if (term.kind == internal::ColumnKind::spring_damper_preload)
      potential[term.column] = at.length;
  }
  for (const internal::ColumnTerm& term : plan.of_motors) {
    if (term.kind != internal::ColumnKind::rotor) continue;
    const Real w = internal::turned<Real>(plan.motors[term.of], qd);
    kinetic[term.column] = w * w * half;
  }
}

/// d: the power of friction, offsets and dampers; 0 for columns that have an energy.
template <class Param, class Real>
void dissipation_regressor(const Model<Param>& model, ColumnWorkspace<Real>& ws,
                           const ParameterColumns& columns, In<Real> q, In<Real> qd,
                           Out<Real> power, In<Real> tau_load = {}) {
  internal::assert_state(model, q, qd);
  for (const internal::ColumnTerm& term : columns.plan().inertial) power[term.column] = Real(0);
  internal::power_of_rest<Param, Real>(model, ws, columns.plan(), q, qd, {}, tau_load, false,
                                       power);
}

/// p = qd^T W.
template <class Param, class Real>
void power_regressor(const Model<Param>& model, ColumnWorkspace<Real>& ws,
                     const ParameterColumns& columns, In<Real> q, In<Real> qd, In<Real> qdd,
                     Out<Real> power, In<Real> tau_load = {}) {
  const internal::ColumnPlan& plan = columns.plan();
  internal::assert_state(model, q, qd, qdd);
  if (!plan.links.empty()) {
    internal::world_motion<false>(model, ws.bodies, q, qd, qd, qdd);
    for (int i = 1; i < model.n_bodies(); ++i) {
      const internal::CanonicalBody<Param>& b = model.canonical(i);
      Twist<Real> V = b.parent == 0 ? Twist<Real>{} : ws.twist[b.parent];
      for (int k = b.v; k < b.v + b.n_v; ++k) V += ws.bodies.world.S.twist(k) * qd[k];
      ws.twist[i] = V;
    }
  }
  for (const internal::ColumnLink& link : plan.links) {
    const auto unit = internal::link_wrenches<false>(model, ws.bodies, link);
    const Twist<Real>& V = ws.twist[link.body];
    for (int k = link.first; k < link.end; ++k) {
      const int e = plan.inertial[k].entry;
      Real p = dot(V.w, unit.n(e));
      if (e < 4) p = p + dot(V.v, unit.f(e));
      power[plan.inertial[k].column] = p;
    }
  }
  internal::power_of_rest<Param, Real>(model, ws, plan, q, qd, qdd, tau_load, true, power);
}

/// Compiled once, in src/identification/power_regressor.cpp; other scalars where they are used.
#define TORSOR_POWER_REGRESSOR(Extern, Param, Real)                                             \
  Extern template void energy_regressor(const Model<Param>&, ColumnWorkspace<Real>&,            \
                                        const ParameterColumns&, In<Real>, In<Real>, Out<Real>, \
                                        Out<Real>);                                             \
  Extern template void dissipation_regressor(const Model<Param>&, ColumnWorkspace<Real>&,       \
                                             const ParameterColumns&, In<Real>, In<Real>,       \
                                             Out<Real>, In<Real>);                              \
  Extern template void power_regressor(const Model<Param>&, ColumnWorkspace<Real>&,             \
                                       const ParameterColumns&, In<Real>, In<Real>, In<Real>,   \
                                       Out<Real>, In<Real>);
TORSOR_POWER_REGRESSOR(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_POWER_REGRESSOR
#endif

}  // namespace torsor
