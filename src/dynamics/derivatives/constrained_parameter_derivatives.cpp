#include "torsor/dynamics/derivatives/constrained_parameter_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "constrained/constrained_residuals.hpp"
#include "derivatives/parameter_changes.hpp"

namespace torsor {
using namespace internal;
namespace {

using Work = ConstrainedParameterWorkspace;
using Tangent = ConstrainedDerivativeWorkspace::Tangent;
using Of = Change::Of;

Vec3<Tangent> dual(const Vec3<double>& value, const Vec3<double>& slope) {
  Vec3<Tangent> u = value.cast<Tangent>();
  u.x.d[0] = slope.x, u.y.d[0] = slope.y, u.z.d[0] = slope.z;
  return u;
}
Twist<Tangent> dual(const Twist<double>& value, const Twist<double>& slope) {
  return {dual(value.w, slope.w), dual(value.v, slope.v)};
}
Wrench<double> value_of(const Wrench<Tangent>& F) {
  return {{F.m.x.value, F.m.y.value, F.m.z.value}, {F.f.x.value, F.f.y.value, F.f.z.value}};
}
Wrench<double> slope_of(const Wrench<Tangent>& F) {
  return {{F.m.x.d[0], F.m.y.d[0], F.m.z.d[0]}, {F.f.x.d[0], F.f.y.d[0], F.f.z.d[0]}};
}
double norm_of(In<double> x) {
  double sum = 0;
  for (const double e : x) sum += e * e;
  return std::sqrt(sum);
}

/// The linearisation at the solution: qdd in ws.constrained.qdd_value, lambda beside it.
void linearise(const Model<double>& model, Work& work, Out<double> tau) {
  ConstrainedDerivativeWorkspace& ws = work.constrained;
  ParameterWorkspace<double>& p = work.parameter;
  work.T_world[0] = {};
  for (int i = 0; i < model.n_bodies(); ++i) {
    if (i > 0) work.T_world[i] = work.T_world[model.body(i).parent] * p.motion.T[i];
    ws.motion.T_world_body[i] = work.T_world[i].cast<Tangent>();
    ws.motion.V[i] = p.motion.V[i].cast<Tangent>();
    ws.F[i] = {};
  }
  for (Twist<double>& X : ws.loop_shift) X = {};
  loop_terms(ws.dynamics.set, ws, ws.lambda, {});
  for (int i = 1; i < model.n_bodies(); ++i) p.F_all[i] += value_of(ws.F[i]);
  linearise_inverse_forces<double, double>(model, p.motion, ws.qdd_value, p.F_all, tau);
}

/// The poses' slopes, and the motion of the rows' ends with the given velocities.
void set_poses(const Model<double>& model, Work& work) {
  const ParameterWorkspace<double>& p = work.parameter;
  work.dT_world[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    Twist<double> X = Ad_inv(p.motion.T[i], work.dT_world[model.body(i).parent]);
    if (p.direction.has(i, Direction<double>::pose)) X += p.direction.h[i];
    work.dT_world[i] = X;
    const SE3<double>& T = work.T_world[i];
    const SO3<double> dR = T.R * skew(X.w);
    work.constrained.motion.T_world_body[i] = {
        {dual(T.R.c0, dR.c0), dual(T.R.c1, dR.c1), dual(T.R.c2, dR.c2)}, dual(T.p, T.R * X.v)};
  }
}

/// d(A v) along the direction, in ws.dA; joint_space_terms adds the user's rows.
void velocity_terms(const Model<double>& model, Work& work, In<double> v) {
  const ParameterWorkspace<double>& p = work.parameter;
  using D = Direction<double>;
  ConstrainedDerivativeWorkspace& ws = work.constrained;
  work.V[0] = work.dV[0] = {};
  ws.motion.V[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<double>& b = model.body(i);
    const Twist<double> from_parent = Ad_inv(p.motion.T[i], work.V[b.parent]);
    Twist<double> V = from_parent, dV = Ad_inv(p.motion.T[i], work.dV[b.parent]);
    if (p.direction.has(i, D::pose)) dV = dV - ad(p.direction.h[i], from_parent);
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) {
      V += p.motion.S[k] * v[k];
      if (p.direction.has(i, D::columns)) dV += p.direction.S[k] * v[k];
    }
    work.V[i] = V, work.dV[i] = dV;
    ws.motion.V[i] = dual(V, dV);
  }
  std::fill(ws.dA.begin(), ws.dA.end(), 0.0);
  loop_velocities(ws.dynamics.set, ws);
}

/// The direction of a parameter. What it changes of the given qdd and tau goes to work.dqdd, dtau.
void begin(const Model<double>& model, Work& work, const Parameter& parameter) {
  ConstrainedDerivativeWorkspace& ws = work.constrained;
  ParameterWorkspace<double>& p = work.parameter;
  internal::begin_direction(model, p);
  internal::add_parameter(model, p, parameter);
  for (auto* list : {&ws.dq, &ws.dqd, &ws.dqdd}) std::fill(list->begin(), list->end(), 0.0);
  for (Twist<double>& X : ws.loop_shift) X = {};
  for (const Change& c : parameter.changes) {
    if (c.what == Of::coordinate) ws.dq[c.index] += c.by[0];
    if (c.what == Of::velocity) ws.dqd[c.index] += c.by[0];
    if (c.what != Of::loop_frame) continue;
    const std::string& name = View<const LoopJoint>(model.description().loops)[c.index / 2].name;
    for (int l = 0; const auto& loop : ws.dynamics.set.loops()) {
      if (loop.name == name) ws.loop_shift[2 * l + c.index % 2] += c.twist();
      ++l;
    }
  }
  std::copy(p.direction.qdd.begin(), p.direction.qdd.end(), work.dqdd.begin());
  std::copy(p.direction.tau.begin(), p.direction.tau.end(), work.dtau.begin());
}

/// dR1 (rigid bodies, rotors, spring-dampers) and dR2 at fixed lambda, along the direction and its
/// dqdd; dA v where v is given.
void residuals_along(const Model<double>& model, Work& work, In<double> q, In<double> qd,
                     In<double> v, const Baumgarte& poles) {
  ConstrainedDerivativeWorkspace& ws = work.constrained;
  ParameterWorkspace<double>& p = work.parameter;
  directional_motion(model, p.motion, p.direction);
  add_spring_changes(model, p);
  set_poses(model, work);
  for (int i = 0; i < model.n_bodies(); ++i) {
    ws.motion.V[i] = dual(p.motion.V[i], p.motion.dV[i]);
    ws.motion.Vdot[i] = dual(p.motion.Vdot[i], p.motion.dVdot[i]);
    ws.F[i] = {};
  }
  loop_terms(ws.dynamics.set, ws, ws.lambda, poles);
  for (int i = 1; i < model.n_bodies(); ++i) p.direction.add_wrench(i, slope_of(ws.F[i]));
  directional_inverse_forces<double, double>(model, p.motion, p.direction, ws.residual);
  for (int k = 0; k < model.n_v(); ++k)
    ws.residual[k] +=
        p.direction.qdd[k] * model.dof(k).armature + p.direction.armature[k] * ws.qdd_value[k];
  internal::add_motor_torques<double, double>(model, p.direction.qdd, ws.residual);
  for (int j = 0; j < model.motors().size(); ++j)
    model.motors()[j].add(model.motors()[j].along(In<double>(ws.qdd_value)) * p.drotor[j],
                          View<double>(ws.residual));
  if (v.empty())
    std::fill(ws.dA.begin(), ws.dA.end(), 0.0);
  else
    velocity_terms(model, work, v);
  joint_space_terms(model, ws.dynamics.set, ws, q, qd, ws.qdd_value, ws.lambda, v, poles);
}

/// Whether the rows keep their rank: (1 - P) dA x = 0 for motions x that they allow.
bool rank_kept(const ConstrainedDerivativeWorkspace& ws, In<double> probe, In<double> projected) {
  double outside = 0;
  for (int r = 0; r < projected.size; ++r) outside += std::pow(ws.dA[r] - projected[r], 2);
  return std::sqrt(outside) <= 1e-7 * norm_of(ws.dA) + 1e-9 * (1 + norm_of(probe));
}
/// Numbers without any regularity that a robot could share.
void fill_probe(Out<double> x) {
  for (int k = 0; k < x.size; ++k) x[k] = std::cos(1.0 + 2.3 * k);
}

}  // namespace

ConstrainedParameterDerivatives::ConstrainedParameterDerivatives(const Model<double>& model,
                                                                 const ConstraintSet& set,
                                                                 int n_parameters)
    : dqdd(model.n_v(), n_parameters),
      dtau(dqdd),
      dlambda(set.n_rows(), n_parameters),
      defined(n_parameters, 1) {}

ConstrainedParameterWorkspace::ConstrainedParameterWorkspace(const Model<double>& model,
                                                             const ConstraintSet& set)
    : constrained(model, set),
      parameter(model),
      T_world(model.n_bodies()),
      dT_world(T_world.size()),
      V(T_world.size()),
      dV(T_world.size()),
      probe(model.n_v()),
      left(probe.size()),
      dqdd(probe.size()),
      dtau(probe.size()),
      tau(probe.size()) {}

ConstrainedResult constrained_hybrid_dynamics_derivatives(
    const Model<double>& model, ConstrainedParameterWorkspace& work, In<Parameter> parameters,
    In<char> prescribed, In<double> q, In<double> qd, Out<double> qdd, Out<double> tau,
    In<Wrench<double>> F_ext, Out<double> lambda, ConstrainedParameterDerivatives& out,
    const ConstrainedOptions& options) {
  internal::assert_state(model, q, qd, qdd, tau);
  ConstrainedDerivativeWorkspace& ws = work.constrained;
  ParameterWorkspace<double>& p = work.parameter;
  const int n = model.n_v(), m = ws.dynamics.set.n_rows();
  const auto held = [&](int k) { return !prescribed.empty() && prescribed[p.body_of_dof[k]] != 0; };
  linearise_loads<double>(model, p, q, qd, F_ext);
  for (int k = 0; k < n; ++k) work.left[k] = tau[k] - p.joint_tau[k];
  subtract_load_friction(model, qd, work.left);
  const ConstrainedResult result =
      prescribed.empty() ? constrained_forward_dynamics(model, ws.dynamics, q, qd, work.left,
                                                        p.F_all, qdd, lambda, options)
                         : constrained_hybrid_dynamics(model, ws.dynamics, prescribed, q, qd, qdd,
                                                       work.left, p.F_all, lambda, options);
  for (int k = 0; k < n; ++k)
    if (held(k)) tau[k] = with_load_friction(model.dof(k), qd[k], work.left[k]) + p.joint_tau[k];
  p.transmitted = work.left;
  if (!result) return result;
  std::copy(qdd.begin(), qdd.end(), ws.qdd_value.begin());
  std::copy(lambda.begin(), lambda.end(), ws.lambda.begin());
  linearise(model, work, ws.x);
  const bool redundant = !result.unique();
  if (redundant) {
    find_least(model, ws, prescribed);
    fill_probe(ws.x);
    std::fill(ws.dynamics.right.begin(), ws.dynamics.right.end(), 0.0);
    for (int k = 0; k < n; ++k) ws.x[k] = held(k) ? 0 : ws.x[k];
    (void)solve_linear(model, ws, prescribed, ws.x, work.probe, ws.y);
    for (int k = 0; k < n; ++k) work.probe[k] = held(k) ? 0 : work.probe[k];
  }
  for (int c = 0; c < parameters.size; ++c) {
    begin(model, work, parameters[c]);
    std::fill(p.direction.qdd.begin(), p.direction.qdd.end(), 0.0);
    out.defined[c] = 1;
    if (redundant) {
      residuals_along(model, work, q, qd, work.probe, options.stabilisation);
      ws.dynamics.decomposition.project_on_rows(ws.dA, ws.y);
      out.defined[c] = rank_kept(ws, work.probe, {ws.y.data(), m});
      begin(model, work, parameters[c]);
      std::fill(p.direction.qdd.begin(), p.direction.qdd.end(), 0.0);
    }
    residuals_along(model, work, q, qd, redundant ? In<double>(ws.least) : In<double>{},
                    options.stabilisation);
    for (int k = 0; k < n; ++k) {
      const double dt = without_load_change(model, p, k, work.dtau[k] - p.djoint_tau[k]);
      ws.x[k] = held(k) ? work.dqdd[k] : dt - ws.residual[k];
    }
    for (int r = 0; r < m; ++r) ws.dynamics.right[r] = -ws.row_residual[r];
    const Out<double> dlambda{out.dlambda.data.data() + c * m, m};
    const double scale = 1e-7 * norm_of(ws.row_residual) + 1e-9 * (norm_of(ws.qdd_value) + 1);
    const double left = solve_linear(model, ws, prescribed, ws.x, work.left, dlambda);
    if (redundant && left > scale) out.defined[c] = 0;
    for (int k = 0; k < n; ++k)
      if (held(k)) work.left[k] += ws.residual[k];
    if (redundant) keep_shortest(model, ws, prescribed, work.left, dlambda);
    for (int k = 0; k < n; ++k) {
      out.dqdd(k, c) = held(k) ? work.dqdd[k] : work.left[k];
      out.dtau(k, c) =
          held(k) ? with_load_change(model, p, k, work.left[k]) + p.djoint_tau[k] : work.dtau[k];
    }
  }
  return result;
}

ConstrainedResult constrained_forward_dynamics_derivatives(
    const Model<double>& model, ConstrainedParameterWorkspace& ws, In<Parameter> parameters,
    In<double> q, In<double> qd, In<double> tau, In<Wrench<double>> F_ext, Out<double> qdd,
    Out<double> lambda, ConstrainedParameterDerivatives& out, const ConstrainedOptions& options) {
  ws.tau.assign(tau.begin(), tau.end());
  return constrained_hybrid_dynamics_derivatives(model, ws, parameters, {}, q, qd, qdd, ws.tau,
                                                 F_ext, lambda, out, options);
}

ConstrainedInverseResult constrained_inverse_dynamics_derivatives(
    const Model<double>& model, ConstrainedParameterWorkspace& work, In<Parameter> parameters,
    In<char> actuated, In<double> q, In<double> qd, In<double> qdd, In<Wrench<double>> F_ext,
    Out<double> tau, Out<double> lambda, ConstrainedParameterDerivatives& out,
    const ActuationOptions& options) {
  internal::assert_state(model, q, qd, qdd, tau);
  ConstrainedDerivativeWorkspace& ws = work.constrained;
  ParameterWorkspace<double>& p = work.parameter;
  const ConstraintSet& set = ws.dynamics.set;
  const int n = model.n_v(), m = set.n_rows();
  linearise_loads<double>(model, p, q, qd, F_ext);
  for (int k = 0; k < n; ++k) ws.tau_value[k] = tau[k] - p.joint_tau[k];
  subtract_load_friction(model, qd, ws.tau_value);
  const ConstrainedInverseResult result = constrained_inverse_dynamics(
      model, set, ws.inverse, actuated, q, qd, qdd, p.F_all, ws.tau_value, lambda, options);
  for (int k = 0; k < n; ++k)
    if (actuated[k])
      tau[k] = with_load_friction(model.dof(k), qd[k], ws.tau_value[k]) + p.joint_tau[k];
  std::copy(ws.tau_value.begin(), ws.tau_value.end(), p.transmitted.begin());
  if (!result) return result;
  std::copy(qdd.begin(), qdd.end(), ws.qdd_value.begin());
  std::copy(lambda.begin(), lambda.end(), ws.lambda.begin());
  linearise(model, work, ws.x);
  InverseColumns columns{model, ws, actuated, options};
  columns.prepare();
  // a motion x of the velocities that the rows hold, less the part that they do not allow
  OrthogonalDecomposition& rows = ws.inverse.passive;
  const auto A = column_major(ws.inverse.A.data(), m, n);
  fill_probe(work.probe);
  for (int k = 0; k < n; ++k)
    if (!columns.by_torque() && actuated[k]) work.probe[k] = 0;
  for (int r = 0; r < m; ++r) {
    ws.y[r] = 0;
    for (int k = 0; k < n; ++k) ws.y[r] += A(r, k) * work.probe[k];
  }
  (void)rows.solve_transposed({ws.y.data(), m}, ws.x);
  for (int k = 0, next = 0; k < n; ++k)
    if (columns.by_torque() || !actuated[k]) work.probe[k] -= ws.x[next++];
  for (int c = 0; c < parameters.size; ++c) {
    const auto along = [&](In<double> v) {
      begin(model, work, parameters[c]);
      std::copy(work.dqdd.begin(), work.dqdd.end(), ws.dqdd.begin());
      residuals_along(model, work, q, qd, v, {});
    };
    along(work.probe);
    rows.project_on_rows(ws.dA, ws.y);
    out.defined[c] = rank_kept(ws, work.probe, {ws.y.data(), m});
    std::fill(ws.kkt_right.begin(), ws.kkt_right.end(), 0.0);
    if (columns.by_torque()) {
      along(ws.z);
      for (int r = 0; r < m; ++r) ws.kkt_right[n + r] = -ws.dA[r];
    }
    along(ws.least);
    for (int k = 0; k < n; ++k)
      if (!actuated[k])
        ws.residual[k] -= without_load_change(model, p, k, work.dtau[k] - p.djoint_tau[k]);
    columns.solve(true, {out.dlambda.data.data() + c * m, m}, work.left);
    for (int k = 0; k < n; ++k) {
      out.dqdd(k, c) = work.dqdd[k];
      out.dtau(k, c) = actuated[k] ? with_load_change(model, p, k, work.left[k]) + p.djoint_tau[k]
                                   : work.dtau[k];
    }
  }
  return result;
}

}  // namespace torsor
