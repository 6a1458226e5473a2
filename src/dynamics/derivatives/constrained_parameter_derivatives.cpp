#include "torsor/dynamics/derivatives/constrained_parameter_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "constrained/constrained_residuals.hpp"
#include "derivatives/parameter_changes.hpp"

namespace torsor {
namespace {

using Work = ConstrainedParameterWorkspace;
using Tangent = ConstrainedDerivativeWorkspace::Tangent;
using Of = Change::Of;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

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
void linearize(const Model<double>& model, Work& work, Out<double> tau) {
  ConstrainedDerivativeWorkspace& ws = work.constrained;
  ParameterWorkspace<double>& p = work.parameter;
  work.T_world[0] = {};
  for (int i = 0; i < model.n_bodies(); ++i) {
    if (i > 0) work.T_world[at(i)] = work.T_world[at(model.body(i).parent)] * p.motion.T[at(i)];
    ws.motion.T_world_body[at(i)] = work.T_world[at(i)].cast<Tangent>();
    ws.motion.V[at(i)] = p.motion.V[at(i)].cast<Tangent>();
    ws.F[at(i)] = {};
  }
  for (Twist<double>& X : ws.loop_shift) X = {};
  loop_terms(ws.dynamics.set, ws, ws.lambda, {});
  for (int i = 1; i < model.n_bodies(); ++i) p.F_all[at(i)] += value_of(ws.F[at(i)]);
  linearize_inverse_forces<double, double>(model, p.motion, ws.qdd_value, p.F_all, tau);
}

/// The poses' slopes, and the motion of the rows' ends with the given velocities.
void set_poses(const Model<double>& model, Work& work) {
  const ParameterWorkspace<double>& p = work.parameter;
  work.dT_world[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    Twist<double> X = Ad_inv(p.motion.T[at(i)], work.dT_world[at(model.body(i).parent)]);
    if (p.direction.has(i, Direction<double>::pose)) X += p.direction.h[at(i)];
    work.dT_world[at(i)] = X;
    const SE3<double>& T = work.T_world[at(i)];
    const SO3<double> dR = T.R * skew(X.w);
    work.constrained.motion.T_world_body[at(i)] = {
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
    const Twist<double> from_parent = Ad_inv(p.motion.T[at(i)], work.V[at(b.parent)]);
    Twist<double> V = from_parent, dV = Ad_inv(p.motion.T[at(i)], work.dV[at(b.parent)]);
    if (p.direction.has(i, D::pose)) dV = dV - ad(p.direction.h[at(i)], from_parent);
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) {
      V += p.motion.S[at(k)] * v[k];
      if (p.direction.has(i, D::columns)) dV += p.direction.S[at(k)] * v[k];
    }
    work.V[at(i)] = V, work.dV[at(i)] = dV;
    ws.motion.V[at(i)] = dual(V, dV);
  }
  std::fill(ws.dA.begin(), ws.dA.end(), 0.0);
  loop_velocities(ws.dynamics.set, ws);
}

/// The direction of a parameter. What it changes of the given qdd and tau goes to work.dqdd, dtau.
void begin(const Model<double>& model, Work& work, const Parameter& parameter) {
  ConstrainedDerivativeWorkspace& ws = work.constrained;
  ParameterWorkspace<double>& p = work.parameter;
  begin_direction(model, p);
  add_parameter(model, p, parameter);
  for (auto* list : {&ws.dq, &ws.dqd, &ws.dqdd}) std::fill(list->begin(), list->end(), 0.0);
  for (Twist<double>& X : ws.loop_shift) X = {};
  for (const Change& c : parameter.changes) {
    if (c.what == Of::coordinate) ws.dq[at(c.index)] += c.by[0];
    if (c.what == Of::velocity) ws.dqd[at(c.index)] += c.by[0];
    if (c.what != Of::loop_frame) continue;
    const std::string& name = model.description().loops[at(c.index / 2)].name;
    for (std::size_t l = 0; l < ws.dynamics.set.loops().size(); ++l)
      if (ws.dynamics.set.loops()[l].name == name)
        ws.loop_shift[2 * l + at(c.index % 2)] += c.twist();
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
    ws.motion.V[at(i)] = dual(p.motion.V[at(i)], p.motion.dV[at(i)]);
    ws.motion.Vdot[at(i)] = dual(p.motion.Vdot[at(i)], p.motion.dVdot[at(i)]);
    ws.F[at(i)] = {};
  }
  loop_terms(ws.dynamics.set, ws, ws.lambda, poles);
  for (int i = 1; i < model.n_bodies(); ++i) p.direction.add_wrench(i, slope_of(ws.F[at(i)]));
  directional_inverse_forces<double, double>(model, p.motion, p.direction, ws.residual);
  for (int k = 0; k < model.n_v(); ++k)
    ws.residual[at(k)] += p.direction.qdd[at(k)] * model.dof(k).armature +
                          p.direction.armature[at(k)] * ws.qdd_value[at(k)];
  if (v.empty())
    std::fill(ws.dA.begin(), ws.dA.end(), 0.0);
  else
    velocity_terms(model, work, v);
  joint_space_terms(model, ws.dynamics.set, ws, q, qd, ws.qdd_value, ws.lambda, v, poles);
}

/// Whether the rows keep their rank: (1 - P) dA x = 0 for motions x that they allow.
bool rank_kept(const ConstrainedDerivativeWorkspace& ws, In<double> probe, In<double> projected) {
  double outside = 0;
  for (int r = 0; r < projected.size; ++r) outside += std::pow(ws.dA[at(r)] - projected[r], 2);
  return std::sqrt(outside) <= 1e-7 * norm_of(ws.dA) + 1e-9 * (1 + norm_of(probe));
}
/// Numbers that no structure of a robot knows.
void fill_probe(std::vector<double>& x) {
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::cos(1.0 + 2.3 * static_cast<double>(k));
}

}  // namespace

ConstrainedParameterDerivatives::ConstrainedParameterDerivatives(const Model<double>& model,
                                                                 const ConstraintSet& set,
                                                                 int n_parameters)
    : dqdd(model.n_v(), n_parameters),
      dtau(dqdd),
      dlambda(set.n_rows(), n_parameters),
      defined(at(n_parameters), 1) {}

ConstrainedParameterWorkspace::ConstrainedParameterWorkspace(const Model<double>& model,
                                                             const ConstraintSet& set)
    : constrained(model, set),
      parameter(model),
      T_world(at(model.n_bodies())),
      dT_world(T_world.size()),
      V(T_world.size()),
      dV(T_world.size()),
      probe(at(model.n_v())),
      left(probe.size()),
      dqdd(probe.size()),
      dtau(probe.size()) {}

ConstrainedResult constrained_hybrid_dynamics_derivatives(
    const Model<double>& model, ConstrainedParameterWorkspace& work,
    View<const Parameter> parameters, In<char> prescribed, In<double> q, In<double> qd,
    Out<double> qdd, Out<double> tau, In<Wrench<double>> F_ext, Out<double> lambda,
    ConstrainedParameterDerivatives& out, const ConstrainedOptions& options) {
  ConstrainedDerivativeWorkspace& ws = work.constrained;
  ParameterWorkspace<double>& p = work.parameter;
  const int n = model.n_v(), m = ws.dynamics.set.n_rows();
  const auto held = [&](int k) {
    return !prescribed.empty() && prescribed[p.body_of_dof[at(k)]] != 0;
  };
  linearize_loads<double>(model, p, q, qd, F_ext);
  for (int k = 0; k < n; ++k) work.left[at(k)] = tau[k] - p.joint_tau[at(k)];
  const ConstrainedResult result =
      prescribed.empty() ? constrained_forward_dynamics(model, ws.dynamics, q, qd, work.left,
                                                        p.F_all, qdd, lambda, options)
                         : constrained_hybrid_dynamics(model, ws.dynamics, prescribed, q, qd, qdd,
                                                       work.left, p.F_all, lambda, options);
  for (int k = 0; k < n; ++k)
    if (held(k)) tau[k] = work.left[at(k)] + p.joint_tau[at(k)];
  if (!result) return result;
  std::copy(qdd.begin(), qdd.end(), ws.qdd_value.begin());
  std::copy(lambda.begin(), lambda.end(), ws.lambda.begin());
  linearize(model, work, ws.x);
  const bool redundant = !result.unique();
  if (redundant) {
    find_least(model, ws, prescribed);
    fill_probe(ws.x);
    std::fill(ws.dynamics.right.begin(), ws.dynamics.right.end(), 0.0);
    for (int k = 0; k < n; ++k) ws.x[at(k)] = held(k) ? 0 : ws.x[at(k)];
    (void)solve_linear(model, ws, prescribed, ws.x, work.probe, ws.y);
    for (int k = 0; k < n; ++k) work.probe[at(k)] = held(k) ? 0 : work.probe[at(k)];
  }
  for (int c = 0; c < parameters.size; ++c) {
    begin(model, work, parameters[c]);
    std::fill(p.direction.qdd.begin(), p.direction.qdd.end(), 0.0);
    out.defined[at(c)] = 1;
    if (redundant) {
      residuals_along(model, work, q, qd, work.probe, options.stabilisation);
      ws.dynamics.decomposition.project_on_rows(ws.dA, ws.y);
      out.defined[at(c)] = rank_kept(ws, work.probe, {ws.y.data(), m});
      begin(model, work, parameters[c]);
      std::fill(p.direction.qdd.begin(), p.direction.qdd.end(), 0.0);
    }
    residuals_along(model, work, q, qd, redundant ? In<double>(ws.least) : In<double>{},
                    options.stabilisation);
    for (int k = 0; k < n; ++k) {
      ws.residual[at(k)] += p.djoint_tau[at(k)];
      ws.x[at(k)] = held(k) ? work.dqdd[at(k)] : work.dtau[at(k)] - ws.residual[at(k)];
    }
    for (int r = 0; r < m; ++r) ws.dynamics.right[at(r)] = -ws.row_residual[at(r)];
    const Out<double> dlambda{out.dlambda.data.data() + c * m, m};
    const double scale = 1e-7 * norm_of(ws.row_residual) + 1e-9 * (norm_of(ws.qdd_value) + 1);
    const double left = solve_linear(model, ws, prescribed, ws.x, work.left, dlambda);
    if (redundant && left > scale) out.defined[at(c)] = 0;
    for (int k = 0; k < n; ++k)
      if (held(k)) work.left[at(k)] += ws.residual[at(k)];
    if (redundant) keep_shortest(model, ws, prescribed, work.left, dlambda);
    for (int k = 0; k < n; ++k) {
      out.dqdd(k, c) = held(k) ? work.dqdd[at(k)] : work.left[at(k)];
      out.dtau(k, c) = held(k) ? work.left[at(k)] : work.dtau[at(k)];
    }
  }
  return result;
}

ConstrainedResult constrained_forward_dynamics_derivatives(
    const Model<double>& model, ConstrainedParameterWorkspace& ws, View<const Parameter> parameters,
    In<double> q, In<double> qd, In<double> tau, In<Wrench<double>> F_ext, Out<double> qdd,
    Out<double> lambda, ConstrainedParameterDerivatives& out, const ConstrainedOptions& options) {
  // Without a prescribed joint tau is only read.
  const Out<double> given(const_cast<double*>(tau.data), tau.size);
  return constrained_hybrid_dynamics_derivatives(model, ws, parameters, {}, q, qd, qdd, given,
                                                 F_ext, lambda, out, options);
}

ConstrainedInverseResult constrained_inverse_dynamics_derivatives(
    const Model<double>& model, ConstrainedParameterWorkspace& work,
    View<const Parameter> parameters, In<char> actuated, In<double> q, In<double> qd,
    In<double> qdd, In<Wrench<double>> F_ext, Out<double> tau, Out<double> lambda,
    ConstrainedParameterDerivatives& out, const ActuationOptions& options) {
  ConstrainedDerivativeWorkspace& ws = work.constrained;
  ParameterWorkspace<double>& p = work.parameter;
  const ConstraintSet& set = ws.dynamics.set;
  const int n = model.n_v(), m = set.n_rows();
  linearize_loads<double>(model, p, q, qd, F_ext);
  for (int k = 0; k < n; ++k) ws.tau_value[at(k)] = tau[k] - p.joint_tau[at(k)];
  const ConstrainedInverseResult result = constrained_inverse_dynamics(
      model, set, ws.inverse, actuated, q, qd, qdd, p.F_all, ws.tau_value, lambda, options);
  for (int k = 0; k < n; ++k)
    if (actuated[k]) tau[k] = ws.tau_value[at(k)] + p.joint_tau[at(k)];
  if (!result) return result;
  std::copy(qdd.begin(), qdd.end(), ws.qdd_value.begin());
  std::copy(lambda.begin(), lambda.end(), ws.lambda.begin());
  linearize(model, work, ws.x);
  InverseColumns columns{model, ws, actuated, options};
  columns.prepare();
  // a motion x of the velocities that the rows hold, less the part that they do not allow
  OrthogonalDecomposition& rows = ws.inverse.passive;
  const auto A = column_major(ws.inverse.A.data(), m, n);
  fill_probe(work.probe);
  for (int k = 0; k < n; ++k)
    if (!columns.by_torque() && actuated[k]) work.probe[at(k)] = 0;
  for (int r = 0; r < m; ++r) {
    ws.y[at(r)] = 0;
    for (int k = 0; k < n; ++k) ws.y[at(r)] += A(r, k) * work.probe[at(k)];
  }
  (void)rows.solve_transposed({ws.y.data(), m}, ws.x);
  for (int k = 0, next = 0; k < n; ++k)
    if (columns.by_torque() || !actuated[k]) work.probe[at(k)] -= ws.x[at(next++)];
  for (int c = 0; c < parameters.size; ++c) {
    const auto along = [&](In<double> v) {
      begin(model, work, parameters[c]);
      std::copy(work.dqdd.begin(), work.dqdd.end(), ws.dqdd.begin());
      residuals_along(model, work, q, qd, v, {});
    };
    along(work.probe);
    rows.project_on_rows(ws.dA, ws.y);
    out.defined[at(c)] = rank_kept(ws, work.probe, {ws.y.data(), m});
    std::fill(ws.kkt_right.begin(), ws.kkt_right.end(), 0.0);
    if (columns.by_torque()) {
      along(ws.z);
      for (int r = 0; r < m; ++r) ws.kkt_right[at(n + r)] = -ws.dA[at(r)];
    }
    along(ws.least);
    for (int k = 0; k < n; ++k)
      if (!actuated[k]) ws.residual[at(k)] += p.djoint_tau[at(k)] - work.dtau[at(k)];
    columns.solve(true, {out.dlambda.data.data() + c * m, m}, work.left);
    for (int k = 0; k < n; ++k) {
      out.dqdd(k, c) = work.dqdd[at(k)];
      out.dtau(k, c) = actuated[k] ? work.left[at(k)] + p.djoint_tau[at(k)] : work.dtau[at(k)];
    }
  }
  return result;
}

}  // namespace torsor
