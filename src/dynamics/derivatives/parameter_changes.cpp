#include "derivatives/parameter_changes.hpp"

#include "torsor/dynamics/derivatives/directional_inverse.hpp"
#include "torsor/model/spring_damper.hpp"

namespace torsor {
using namespace internal;
namespace {

using Of = Change::Of;

/// One end of a spring: its body's pose and twist, and the point on it.
template <class Number>
struct SpringEnd {
  SE3<Number> T;
  Twist<Number> V;
  Vec3<Number> point;

  Vec3<Number> position() const { return T * point; }
  Vec3<Number> velocity() const { return T.R * (V.v + cross(V.w, point)); }
  /// A force in world axes at the point, as a wrench on the body in its frame.
  Wrench<Number> wrench(const Vec3<Number>& force) const {
    const Vec3<Number> f = transpose_times(T.R, force);
    return {cross(point, f), f};
  }
};

template <class Real>
SpringEnd<Real> end_of(const ParameterWorkspace<Real>& ws, int body, const Vec3<double>& point) {
  return {ws.T_world[body], ws.motion.V[body], point.cast<Real>()};
}
template <class Real>
Vec3<Dual<Real, 1>> dual(const Vec3<Real>& value, const Vec3<Real>& slope) {
  Vec3<Dual<Real, 1>> u{value.x, value.y, value.z};
  u.x.d[0] = slope.x, u.y.d[0] = slope.y, u.z.d[0] = slope.z;
  return u;
}
/// The same end with its derivatives along the direction. `by`: of the point.
template <class Real>
SpringEnd<Dual<Real, 1>> moving_end(const ParameterWorkspace<Real>& ws, int body,
                                    const Vec3<double>& point, const Real* by) {
  const SE3<Real>& T = ws.T_world[body];
  const Twist<Real>&X = ws.dT_world[body], &V = ws.motion.V[body], &dV = ws.motion.dV[body];
  const SO3<Real> dR = T.R * skew(X.w);
  return {{{dual(T.R.c0, dR.c0), dual(T.R.c1, dR.c1), dual(T.R.c2, dR.c2)},
           dual(T.p, Vec3<Real>(T.R * X.v))},
          {dual(V.w, dV.w), dual(V.v, dV.v)},
          dual(point.cast<Real>(), Vec3<Real>{by[0], by[1], by[2]})};
}
template <class Real>
Vec3<Real> slope(const Vec3<Dual<Real, 1>>& u) {
  return {u.x.d[0], u.y.d[0], u.z.d[0]};
}
template <class Real>
Wrench<Real> slope(const Wrench<Dual<Real, 1>>& F) {
  return {slope(F.m), slope(F.f)};
}

template <class Number>
SpringDamperForce<Number> force_between(const SpringDamper& spring, const SpringEnd<Number>& a,
                                        const SpringEnd<Number>& b) {
  return spring_damper_force(spring, a.position(), a.velocity(), b.position(), b.velocity());
}

template <class Real>
void add_spring_wrenches(const Model<double>& model, ParameterWorkspace<Real>& ws) {
  ws.T_world[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i)
    ws.T_world[i] = ws.T_world[model.body(i).parent] * ws.motion.T[i];
  for (int s = 0; s < ws.springs.size(); ++s) {
    const internal::SpringEnds& e = ws.ends[s];
    const auto a = end_of(ws, e.body_a, e.point_a), b = end_of(ws, e.body_b, e.point_b);
    const Vec3<Real> f = force_between(ws.springs[s], a, b).on_a;
    ws.F_all[e.body_a] += a.wrench(f);
    ws.F_all[e.body_b] -= b.wrench(f);
  }
}

template <class Real>
void add_coordinate(const Model<double>& model, ParameterWorkspace<Real>& ws, int dof,
                    const Real& by) {
  const int i = ws.body_of_dof[dof], k = dof - model.body(i).v.first;
  if (internal::coordinate_of_dof(model.joint(i), k) >= 0)
    ws.djoint_tau[dof] = ws.djoint_tau[dof] + by * model.dof(dof).stiffness;
  if (!internal::has_sdot(model.joint(i).kind))
    return ws.direction.add_pose(i, ws.motion.S[dof] * by);
  Real dq[internal::max_joint_dofs]{}, dqd[internal::max_joint_dofs]{};
  dq[k] = by;
  add_joint_state<double, Real>(model, i, ws.q, ws.motion.qd, dq, dqd, ws.direction);
}

template <class Real>
Real friction_slope(const DofConstants<double>& dof, const Real& v) {
  return friction_torque(dof, Dual<Real, 1>::variable(v, 0)).d[0];
}

/// d/dv of load s.
template <class Real>
Real load_slope(const DofConstants<double>& dof, const Real& v) {
  if (!has_load_friction(dof)) return Real(0);
  return slip_direction(dof, Dual<Real, 1>::variable(v, 0)).d[0] * dof.load;
}

/// Friction of motors of several joints, of which velocity `dof` changes by `by`.
template <class Real>
void add_motor_friction(const Model<double>& model, ParameterWorkspace<Real>& ws, int dof,
                        const Real& by) {
  for (const CoupledMotor<double>& motor : model.motors())
    for (const auto& term : motor.terms)
      if (term.v == dof)
        motor.add(Real(friction_slope(motor.constants, Real(motor.along(ws.motion.qd))) * by *
                       term.ratio),
                  ws.djoint_tau);
}

template <class Real>
void add_velocity(const Model<double>& model, ParameterWorkspace<Real>& ws, int dof,
                  const Real& by) {
  const int i = ws.body_of_dof[dof];
  ws.direction.qd[dof] = ws.direction.qd[dof] + by;
  ws.djoint_tau[dof] = ws.djoint_tau[dof] + by * friction_slope(model.dof(dof), ws.motion.qd[dof]);
  ws.dload[dof] = ws.dload[dof] + by * load_slope(model.dof(dof), ws.motion.qd[dof]);
  add_motor_friction(model, ws, dof, by);
  if (!internal::has_sdot(model.joint(i).kind)) return;
  Real dq[internal::max_joint_dofs]{}, dqd[internal::max_joint_dofs]{};
  dqd[dof - model.body(i).v.first] = by;
  add_joint_state<double, Real>(model, i, ws.q, ws.motion.qd, dq, dqd, ws.direction);
}

/// T exp(Y), S with it.
template <class Real>
void add_child_side(const Model<double>& model, ParameterWorkspace<Real>& ws, int i,
                    const Twist<Real>& Y) {
  ws.direction.add_pose(i, Y);
  const Dofs v = model.body(i).v;
  const bool varies = internal::has_sdot(model.joint(i).kind);
  for (int k = v.first; k < v.first + v.count; ++k)
    ws.direction.add_column(i, k, -ad(Y, ws.motion.S[k]),
                            varies ? -ad(Y, ws.motion.Sdot[k]) : Twist<Real>{});
}

template <class Real>
void add_pitch(const Model<double>& model, ParameterWorkspace<Real>& ws, int i, double by) {
  using Tangent = Dual<Real, 1>;
  JointShape<Tangent> shape = constant_shape<double, Real>(model.joint(i));
  shape.pitch.d[0] = Real(by);
  const Tangent q(ws.q[model.body(i).q.first]), qd(0);
  add_joint_variation(model, i, shape, &q, &qd, ws.direction);
}

/// The constants that friction reads, as `by` changes them.
template <class Real>
DofConstants<Dual<Real, 1>> moving_constants(const DofConstants<double>& c,
                                             const FixedArray<double, 13>& by) {
  using Tangent = Dual<Real, 1>;
  const auto with = [](double value, double slope_of) {
    Tangent x{Real(value)};
    x.d[0] = Real(slope_of);
    return x;
  };
  DofConstants<Tangent> moving;
  moving.viscous = with(c.viscous, by[0]), moving.coulomb = with(c.coulomb, by[1]);
  moving.stiction = with(c.stiction, by[2]), moving.stribeck = with(c.stribeck, by[3]);
  moving.width = with(c.width, by[4]);
  moving.offset = with(c.offset, by[9]);
  moving.viscous_asymmetry = with(c.viscous_asymmetry, by[10]);
  moving.coulomb_asymmetry = with(c.coulomb_asymmetry, by[11]);
  moving.load = with(c.load, by[12]);
  return moving;
}
/// What changes of the constants, in their order, make of friction at the velocity v.
template <class Real>
Real friction_change(const DofConstants<double>& c, const FixedArray<double, 13>& by,
                     const Real& v) {
  return friction_torque(moving_constants<Real>(c, by), Dual<Real, 1>(v)).d[0];
}
/// And of load s.
template <class Real>
Real load_change(const DofConstants<double>& c, const FixedArray<double, 13>& by, const Real& v) {
  if (c.load == 0 && by[12] == 0) return Real(0);
  const auto moving = moving_constants<Real>(c, by);
  return (slip_direction(moving, Dual<Real, 1>(v)) * moving.load).d[0];
}

template <class Real>
void add_motor(const Model<double>& model, ParameterWorkspace<Real>& ws, int index,
               const FixedArray<double, 13>& by) {
  const CoupledMotor<double>& motor = model.motors()[index];
  motor.add(friction_change<Real>(motor.constants, by, motor.along(ws.motion.qd)), ws.djoint_tau);
  ws.drotor[index] = ws.drotor[index] + by[5];
}

template <class Real>
void add_dof(const Model<double>& model, ParameterWorkspace<Real>& ws, int dof,
             const FixedArray<double, 13>& by) {
  const DofConstants<double>& c = model.dof(dof);
  Real& tau = ws.djoint_tau[dof];
  tau = tau + friction_change<Real>(c, by, ws.motion.qd[dof]) - by[8];
  ws.dload[dof] = ws.dload[dof] + load_change<Real>(c, by, ws.motion.qd[dof]);
  ws.direction.armature[dof] = ws.direction.armature[dof] + by[5];
  const int i = ws.body_of_dof[dof];
  const int coordinate = internal::coordinate_of_dof(model.joint(i), dof - model.body(i).v.first);
  if (coordinate < 0) return;
  const Real stretch = ws.q[model.body(i).q.first + coordinate] - c.rest;
  tau = tau + stretch * by[6] - c.stiffness * by[7];
}

template <class Real>
void add_change(const Model<double>& model, ParameterWorkspace<Real>& ws, const Change& change) {
  Direction<Real>& d = ws.direction;
  const int i = change.index;
  const auto& by = change.by;
  const Twist<Real> X = change.twist().template cast<Real>();
  switch (change.what) {
    case Of::coordinate:
      return add_coordinate<Real>(model, ws, i, Real(by[0]));
    case Of::velocity:
      return add_velocity<Real>(model, ws, i, Real(by[0]));
    case Of::acceleration:
      d.qdd[i] = d.qdd[i] + by[0];
      return;
    case Of::torque:
      d.tau[i] = d.tau[i] + by[0];
      return;
    case Of::inertia:
      return d.add_inertia(i, inertia_of(by.data()).template cast<Real>());
    case Of::parent_side:
      return d.add_pose(i, Ad_inv(ws.motion.T[i], X));
    case Of::child_side:
      return add_child_side(model, ws, i, X);
    case Of::pitch:
      return add_pitch(model, ws, i, by[0]);
    case Of::gravity:
      d.Vdot_base.v = d.Vdot_base.v - X.w;
      return;
    case Of::wrench:
      return d.add_wrench(i, change.wrench().template cast<Real>());
    case Of::wrench_pose:
      return d.add_wrench(i, -ad_dual(X, ws.F_ext[i]));
    case Of::dof:
      return add_dof(model, ws, i, by);
    case Of::motor:
      return add_motor(model, ws, i, by);
    case Of::spring_damper:
      for (std::size_t k = 0; k < 10; ++k) ws.dspring[i][k] = ws.dspring[i][k] + by[k];
      return;
    case Of::loop_frame:  // rows alone: constrained_parameter_derivatives.cpp
      return;
  }
}

}  // namespace

template <class Real>
void internal::linearise_loads(const Model<double>& model, ParameterWorkspace<Real>& ws, In<Real> q,
                               In<Real> qd, In<Wrench<Real>> F_ext) {
  for (int k = 0; k < model.n_q(); ++k) ws.q[k] = q[k];
  linearise_velocities<double, Real>(model, ws.motion, q, qd);
  for (Real& x : ws.joint_tau) x = Real(0);
  add_joint_torques(model, q, qd, ws.joint_tau);
  for (int i = 0; i < model.n_bodies(); ++i)
    ws.F_all[i] = ws.F_ext[i] = F_ext.empty() ? Wrench<Real>{} : F_ext[i];
  if (!ws.springs.empty()) add_spring_wrenches(model, ws);
}

template <class Real>
void internal::begin_direction(const Model<double>& model, ParameterWorkspace<Real>& ws) {
  ws.direction.clear(model);
  for (Real& x : ws.djoint_tau) x = Real(0);
  for (Real& x : ws.dload) x = Real(0);
  for (auto& by : ws.dspring) by = {};
  for (Real& x : ws.drotor) x = Real(0);
}

template <class Real>
void internal::add_parameter(const Model<double>& model, ParameterWorkspace<Real>& ws,
                             const Parameter& parameter) {
  for (const Change& change : parameter.changes) add_change(model, ws, change);
}

template <class Real>
void internal::add_state_change(const Model<double>& model, ParameterWorkspace<Real>& ws,
                                In<Real> dq, In<Real> dqd) {
  add_state<double, Real>(model, ws.motion, ws.q, ws.motion.qd, dq, dqd, ws.direction);
  for (int dof = 0; dof < model.n_v(); ++dof) {
    const int i = ws.body_of_dof[dof];
    Real& tau = ws.djoint_tau[dof];
    tau = tau + dqd[dof] * friction_slope(model.dof(dof), ws.motion.qd[dof]);
    ws.dload[dof] = ws.dload[dof] + dqd[dof] * load_slope(model.dof(dof), ws.motion.qd[dof]);
    if (internal::coordinate_of_dof(model.joint(i), dof - model.body(i).v.first) >= 0)
      tau = tau + dq[dof] * model.dof(dof).stiffness;
    add_motor_friction<Real>(model, ws, dof, dqd[dof]);
  }
}

template <class Real>
void internal::add_spring_changes(const Model<double>& model, ParameterWorkspace<Real>& ws) {
  if (ws.springs.empty()) return;
  ws.dT_world[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    ws.dT_world[i] = Ad_inv(ws.motion.T[i], ws.dT_world[model.body(i).parent]);
    if (ws.direction.has(i, Direction<Real>::pose)) ws.dT_world[i] += ws.direction.h[i];
  }
  for (int s = 0; s < ws.springs.size(); ++s) {
    const internal::SpringEnds& e = ws.ends[s];
    const SpringDamper& spring = ws.springs[s];
    const auto& by = ws.dspring[s];
    const auto a = moving_end(ws, e.body_a, e.point_a, &by[3]),
               b = moving_end(ws, e.body_b, e.point_b, &by[6]);
    auto f = force_between(spring, a, b);
    // force = u tension: u = the unit vector, and what the constants add to the tension
    Dual<Real, 1> tension(0);
    tension.d[0] = by[0] * (f.length.value - spring.rest_length) - spring.stiffness * by[1] +
                   f.rate.value * by[2] + by[9];
    const Vec3<Dual<Real, 1>> x = b.position() - a.position();
    const auto apart = f.length > Dual<Real, 1>(0);
    const Dual<Real, 1> scale = tension / select(apart, f.length, Dual<Real, 1>(1));
    const Vec3<Dual<Real, 1>> on_a = f.on_a + x * scale;
    if (e.body_a > 0) ws.direction.add_wrench(e.body_a, slope(a.wrench(on_a)));
    if (e.body_b > 0) ws.direction.add_wrench(e.body_b, -slope(b.wrench(on_a)));
  }
}

#define TORSOR_PARAMETER_CHANGES(Real)                                                      \
  template void internal::linearise_loads(const Model<double>&, ParameterWorkspace<Real>&,  \
                                          In<Real>, In<Real>, In<Wrench<Real>>);            \
  template void internal::begin_direction(const Model<double>&, ParameterWorkspace<Real>&); \
  template void internal::add_parameter(const Model<double>&, ParameterWorkspace<Real>&,    \
                                        const Parameter&);                                  \
  template void internal::add_state_change(const Model<double>&, ParameterWorkspace<Real>&, \
                                           In<Real>, In<Real>);                             \
  template void internal::add_spring_changes(const Model<double>&, ParameterWorkspace<Real>&);
TORSOR_PARAMETER_CHANGES(double)

#undef TORSOR_PARAMETER_CHANGES

}  // namespace torsor
