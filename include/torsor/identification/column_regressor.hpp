#pragma once
/// Torque regressors of any columns: what each unit of the unknowns has of every torque.
///
///   tau = W(q, qd, qdd) x,      tau = W(q, qd, v, a) x   two velocities: M a + C(q, qd) v + g + friction(qd)
///
///   LINK            Y of regressor.hpp, in the frame of the body's link or of a link fixed to it:
///                   a point at d of body i accelerates by a_i + alpha x d + nu x (w x d)
///   rotor           qdd_k                 friction     internal/friction_columns.hpp
///   spring          q_k - rest
///   spring_damper   -J^T u of unit tension along u = (p_b - p_a) / l, times l - rest_length, 1, l'
///   motor           n times rotor and friction columns of n . qd, n . qdd    n: its ratios
///
/// Load     tau_load, one number per velocity, is what columns of load take: the torque t that joints
///          transmit to bodies and rotors (model/friction.hpp), from elsewhere: it depends on the
///          unknowns itself, and identify() finds it. Where it is empty these columns are zero.
/// Frames   As regressor.hpp.
/// Cost     O(n) for the motion, at most 6 multiply-adds for each velocity that a column acts on; no
///          allocation, no branch on the state: packs hold a sample in each lane.
/// Source   as regressor.hpp.
#include "torsor/dynamics/energy.hpp"
#include "torsor/identification/internal/friction_columns.hpp"
#include "torsor/identification/internal/spring_state.hpp"
#include "torsor/identification/parameter_columns.hpp"
#include "torsor/identification/regressor.hpp"

namespace torsor {

template <class Real>
struct ColumnWorkspace {
  RegressorWorkspace<Real> bodies;
  SpringDamperWorkspace<Real> springs;
  MomentumWorkspace<Real> momentum;
  Array<Twist<Real>> twist;  // of bodies, world axes, about the reference points

  template <class Param>
  explicit ColumnWorkspace(const Model<Param>& model)
      : bodies(model), springs(model), momentum(model), twist(model.n_bodies()) {}
};

namespace internal {

/// Wrenches of a unit of each parameter of a link, after world_motion.
template <bool two, class Param, class Real>
ParameterWrenches<Real> link_wrenches(const Model<Param>& model, const RegressorWorkspace<Real>& ws,
                                      const ColumnLink& link) {
  if (link.carries) return parameter_wrenches<two>(model, ws, link.body);
  WorldMotion<Real> m = ws.motion[link.body];
  const SO3<Real> R = world_link_axes(model, ws.world, link.body);
  const Vec3<Real> d = R * link.placement.p.template cast<Real>();
  m.a = m.a + cross(m.alpha, d) + cross(m.nu, cross(m.w, d));
  return parameter_wrenches<two>(m, R * link.placement.R.template cast<Real>(),
                                 ws.world.p[link.body] + d);
}

template <bool two, class Param, class Real>
void link_columns(const Model<Param>& model, const RegressorWorkspace<Real>& ws,
                  const ColumnPlan& plan, const MatrixView<Real>& W) {
  for (const ColumnLink& link : plan.links) {
    const ParameterWrenches<Real> unit = link_wrenches<two>(model, ws, link);
    if (link.complete) {
      Real* const first = W.data + plan.inertial[link.first].column * W.col_stride;
      project_ten(model, ws, link.body, unit, first, first + parameters_per_body * W.col_stride,
                  W.row_stride, W.col_stride);
      continue;
    }
    for (int k = link.first; k < link.end; ++k)
      project_parameter(model, ws, link.body, unit, plan.inertial[k].entry,
                        W.data + plan.inertial[k].column * W.col_stride, W.row_stride);
  }
}

/// Rotors, friction and springs of joints; W is zero there.
template <class Param, class Real>
void joint_columns(const Model<Param>& model, const ColumnPlan& plan, In<Real> q, In<Real> qd,
                   In<Real> a, In<Real> tau_load, const MatrixView<Real>& W) {
  Slip<Real> at;
  int last = -1;
  for (const ColumnTerm& term : plan.of_joints) {
    const int k = term.of;
    Real& to = W(k, term.column);
    if (term.kind == ColumnKind::rotor) {
      to = a[k];
    } else if (term.kind == ColumnKind::spring) {
      to = q[term.entry] - model.dof(k).rest;
    } else {
      if (k != last) at = slip(model.dof(k), qd[k]);
      last = k;
      to = friction_column(term, at, tau_load.empty() ? Real(0) : tau_load[k]);
    }
  }
}

/// The torque of a unit of tension, column by column; W is zero there.
template <class Param, class Real>
void spring_damper_columns(const Model<Param>& model, const ColumnWorkspace<Real>& ws,
                           const ColumnPlan& plan, const MatrixView<Real>& W) {
  SpringState<Real> at;
  int last = -1;
  for (const ColumnTerm& term : plan.spring_dampers) {
    if (term.of != last) at = spring_state(model, ws.springs, term.of);
    last = term.of;
    const Vec3<Real> f = at.u * tension_column(term.kind, at);
    const SpringEnds& ends = ws.springs.ends[static_cast<std::size_t>(term.of)];
    const auto resist = [&](int body, const Vec3<Real>& arm, const Vec3<Real>& pull) {
      const Wrench<Real> F{cross(ws.bodies.world.p[body] + arm, pull), pull};
      for (int i = body; i > 0; i = model.canonical(i).parent) {
        const CanonicalBody<Param>& b = model.canonical(i);
        for (int k = b.v; k < b.v + b.n_v; ++k)
          W(k, term.column) = W(k, term.column) - dot(ws.bodies.world.S.twist(k), F);
      }
    };
    if (ends.body_a > 0) resist(ends.body_a, at.r_a, f);
    if (ends.body_b > 0) resist(ends.body_b, at.r_b, -f);
  }
}

/// sum_k ratio_k x_k.
template <class Real>
Real turned(const CoupledMotor<double>& motor, In<Real> x) {
  using Value = typename ScalarTraits<Real>::Value;
  Real sum(0);
  for (const auto& term : motor.terms) sum = sum + x[term.v] * static_cast<Value>(term.ratio);
  return sum;
}
/// At the motor: of its velocity and acceleration.
template <class Real>
Real motor_column(const ColumnTerm& term, const Slip<Real>& at, const Real& wdot) {
  return term.kind == ColumnKind::rotor ? wdot : friction_column(term, at, Real(0));
}
template <class Real>
Slip<Real> motor_slip(const CoupledMotor<double>& motor, const Real& w) {
  return slip(motor.constants.template cast<typename ScalarTraits<Real>::Value>(), w);
}
/// W is zero there.
template <class Real>
void motor_columns(const ColumnPlan& plan, In<Real> qd, In<Real> a, const MatrixView<Real>& W) {
  using Value = typename ScalarTraits<Real>::Value;
  Slip<Real> at;
  int last = -1;
  for (const ColumnTerm& term : plan.of_motors) {
    const CoupledMotor<double>& motor = plan.motors[term.of];
    if (term.of != last) at = motor_slip(motor, turned<Real>(motor, qd));
    last = term.of;
    const Real tau = motor_column(term, at, turned<Real>(motor, a));
    for (const auto& t : motor.terms)
      W(t.v, term.column) = W(t.v, term.column) + tau * static_cast<Value>(t.ratio);
  }
}

template <bool two, class Param, class Real>
void columns_at(const Model<Param>& model, ColumnWorkspace<Real>& ws,
                const ParameterColumns& columns, In<Real> q, In<Real> qd, In<Real> v, In<Real> a,
                In<Real> tau_load, const MatrixView<Real>& W) {
  assert_matrix(W, model.n_v(), columns.size());
  const ColumnPlan& plan = columns.plan();
  if (!plan.links.empty() || !plan.spring_dampers.empty())
    world_motion<two>(model, ws.bodies, q, qd, v, a);
  link_columns<two>(model, ws.bodies, plan, W);
  for (const Array<ColumnTerm>* terms : {&plan.of_joints, &plan.spring_dampers, &plan.of_motors})
    for (const ColumnTerm& term : *terms)
      for (int k = 0; k < model.n_v(); ++k) W(k, term.column) = Real(0);
  joint_columns<Param, Real>(model, plan, q, qd, a, tau_load, W);
  if (!plan.spring_dampers.empty()) {
    forward_velocity(model, ws.springs.velocity, q, qd);
    spring_damper_columns(model, ws, plan, W);
  }
  motor_columns<Real>(plan, qd, a, W);
}

}  // namespace internal

/// W, n_v x columns.size().
template <class Param, class Real>
void torque_regressor(const Model<Param>& model, ColumnWorkspace<Real>& ws,
                      const ParameterColumns& columns, In<Real> q, In<Real> qd, In<Real> qdd,
                      OutMatrix<Real> W, In<Real> tau_load = {}) {
  internal::columns_at<false, Param, Real>(model, ws, columns, q, qd, qd, qdd, tau_load, W);
}
/// W(q, qd, v, a): M a + C(q, qd) v + g + friction(qd) + springs = W x.
template <class Param, class Real>
void two_velocity_torque_regressor(const Model<Param>& model, ColumnWorkspace<Real>& ws,
                                   const ParameterColumns& columns, In<Real> q, In<Real> qd,
                                   In<Real> v, In<Real> a, OutMatrix<Real> W,
                                   In<Real> tau_load = {}) {
  internal::columns_at<true, Param, Real>(model, ws, columns, q, qd, v, a, tau_load, W);
}

/// Compiled once, in src/identification/column_regressor.cpp; other scalars where they are used.
#define TORSOR_COLUMN_REGRESSOR(Extern, Param, Real)                                            \
  Extern template void torque_regressor(const Model<Param>&, ColumnWorkspace<Real>&,            \
                                        const ParameterColumns&, In<Real>, In<Real>, In<Real>,  \
                                        OutMatrix<Real>, In<Real>);                             \
  Extern template void two_velocity_torque_regressor(                                           \
      const Model<Param>&, ColumnWorkspace<Real>&, const ParameterColumns&, In<Real>, In<Real>, \
      In<Real>, In<Real>, OutMatrix<Real>, In<Real>);
TORSOR_COLUMN_REGRESSOR(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_COLUMN_REGRESSOR
#endif

}  // namespace torsor
