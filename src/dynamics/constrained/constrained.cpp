#include "torsor/dynamics/constrained/constrained.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/math/pack.hpp"

namespace torsor {

using internal::ConstraintGroup;

namespace {

constexpr int lanes = ConstraintGroup::lanes;
/// A register of rows.
constexpr int width = native_lanes < double >> lanes ? lanes
                      : native_lanes<double> < 2     ? 2
                                                     : native_lanes<double>;
using Lanes = Pack<double, width>;

using World = const Model<double>&;

/// Twist and bias acceleration of every body, and what external wrenches leave in b.
void velocities(World model, ConstrainedWorkspace& ws, In<double> qd, In<Wrench<double>> F_ext) {
  ws.V[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const internal::CanonicalBody<double>& b = model.canonical(i);
    const SO3<double>& R = ws.world.R[i];
    const Vec3<double>& p = ws.world.p[i];
    Twist<double> V_joint{};
    for (int k = b.v; k < b.v + b.n_v; ++k) V_joint += ws.world.S.twist(k) * qd[k];
    const Twist<double> V = ws.V[b.parent] + V_joint;
    ws.V[i] = V;
    ws.c[i] = ad(V, V_joint);
    if (b.joint == internal::JointClass::general) {
      const Twist<double>& bias = ws.world.joints.bias[i];
      const Vec3<double> w = R * bias.w;
      ws.c[i] += Twist<double>{w, R * bias.v + cross(p, w)};
    }
    ws.b[i] = {};
    if (!F_ext.empty()) {
      const SO3<double> R_link = R * transpose(model.canonical().R_link_canonical[i]);
      const Vec3<double> f = R_link * F_ext[i].f;
      ws.b[i] = -Wrench<double>{R_link * F_ext[i].m + cross(p, f), f};
    }
    if (b.branching) ws.I[i] = {};
    if (b.parent == 0) {
      const bool moves =
          b.joint == internal::JointClass::slider || b.joint == internal::JointClass::general;
      ws.origin[i] = moves ? ws.world.joints.p[i] : b.p;
    }
  }
}

/// One velocity released: K, 1 / D and e; I^ and b^ of what remains.
void release(ConstrainedWorkspace& ws, int k, double rotor, double tau,
             ArticulatedInertia<double>& I, Wrench<double>& b) {
  const Vec3<double> s_w = ws.world.S.angular(k), s_v = ws.world.S.linear(k);
  const Wrench<double> U = internal::times(I, s_w, s_v);
  const double D = dot(s_w, U.m) + dot(s_v, U.f) + rotor, inverse = internal::reciprocal_or_zero(D);
  ws.D[k] = D;
  ws.D_inverse[k] = inverse;
  ws.K[k] = U * inverse;
  ws.e[k] = (tau - dot(s_w, b.m) - dot(s_v, b.f)) * inverse;
  b += U * ws.e[k];
  I = internal::deflated(I, U, ws.K[k]);
}
/// A joint held at given accelerations: U and S^T b^ for its torque; b^ bears I^ S qdd.
void hold(ConstrainedWorkspace& ws, const internal::CanonicalBody<double>& joint, In<double> qdd,
          const ArticulatedInertia<double>& I, Wrench<double>& b) {
  for (int k = joint.v; k < joint.v + joint.n_v; ++k) {
    const Twist<double> S = ws.world.S.twist(k);
    ws.U[k] = internal::times(I, S.w, S.v);
    ws.S_b[k] = dot(S, b);
    ws.K[k] = {};
    ws.D[k] = ws.D_inverse[k] = 0;
    ws.e[k] = qdd[k];
  }
  for (int k = joint.v; k < joint.v + joint.n_v; ++k) b += ws.U[k] * qdd[k];
}

void articulated_sweep(World model, ConstrainedWorkspace& ws, In<char> prescribed, In<double> qdd,
                       In<double> tau) {
  ArticulatedInertia<double> I{};
  Wrench<double> carried{};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const internal::CanonicalBody<double>& b = model.canonical(i);
    MassMoments<double> own{};
    internal::add_world_moments(b, ws.world.R[i], ws.world.p[i], own);
    I = I + inertia(own);
    if (b.branching) I = I + ws.I[i];
    const Twist<double>& V = ws.V[i];
    Wrench<double> bias = carried + ws.b[i] - ad_dual(V, internal::times(own, V.w, V.v));
    if (!prescribed.empty() && prescribed[i])
      hold(ws, b, qdd, I, bias);
    else
      for (int k = b.v + b.n_v - 1; k >= b.v; --k)
        release(ws, k, ws.rotors ? model.dof(k).armature : 0, tau[k], I, bias);
    if (b.parent == 0) {
      I = {}, carried = {};
      continue;
    }
    carried = bias + internal::times(I, ws.c[i].w, ws.c[i].v);
    if (b.parent != i - 1) {
      ws.I[b.parent] = ws.I[b.parent] + I;
      ws.b[b.parent] += carried;
      I = {}, carried = {};
    }
  }
}

/// Pose and velocity of a loop's frame about the origin of tree `about`.
internal::LoopFrame<double> frame_of(World model, const ConstrainedWorkspace& ws, int body,
                                     const SE3<double>& T_link, int about) {
  if (body == 0) return {{T_link.R, T_link.p - ws.origin[about]}, {}, {}};
  const SO3<double> R_link = ws.world.R[body] * transpose(model.canonical().R_link_canonical[body]);
  const Vec3<double> p = ws.world.p[body] + R_link * T_link.p;
  const Twist<double>& V = ws.V[body];
  const Vec3<double> shift = ws.origin[ws.tree[body]] - ws.origin[about];
  return {{R_link * T_link.R, p + shift}, V.w, V.v + cross(V.w, p)};
}

/// Waiting wrenches of a body: 6 rows of lanes.
double* waiting(ConstrainedWorkspace& ws, int body) { return &ws.F[body * 6 * lanes]; }
void put(double* F, int lane, const Wrench<double>& W) {
  for (int k = 0; k < 3; ++k) {
    F[k * lanes + lane] += W.m[k];
    F[(3 + k) * lanes + lane] += W.f[k];
  }
}

/// Wrenches of a loop on its two bodies, and the part of its bias that velocities give. Returns the
/// acceleration that the world's own (0, -g) gives a row, in `bias` too.
void load_loop(World model, ConstrainedWorkspace& ws, const ConstraintGroup& group,
               const Baumgarte& poles) {
  const LoopConstraint& loop = View<const LoopConstraint>(ws.set.loops())[group.loop];
  const int tree_a = ws.tree[loop.body_a], tree_b = ws.tree[loop.body_b];
  const int about = tree_b != 0 ? tree_b : tree_a;
  const internal::LoopFrame<double> a = frame_of(model, ws, loop.body_a, loop.T_a, about);
  const internal::LoopFrame<double> b = frame_of(model, ws, loop.body_b, loop.T_b, about);
  internal::LoopRow<double> rows[internal::max_loop_rows];
  internal::loop_rows(loop, a, b, rows);
  double phi[internal::max_loop_rows] = {};
  if (poles.p1 != 0 || poles.p2 != 0) internal::loop_residual(loop, a.T, b.T, phi);
  const Vec3<double> dw = b.w - a.w, dv = b.v - (a.v + cross(a.w, b.T.p - a.T.p));
  const Vec3<double> p_a = b.T.p + ws.origin[about] - ws.origin[tree_a];
  const Vec3<double> p_b = b.T.p + ws.origin[about] - ws.origin[tree_b];
  for (int k = 0; k < group.n_rows; ++k) {
    const internal::LoopRow<double>& row = rows[k];
    const double rate = dot(row.m, dw) + dot(row.f, dv);
    double& bias = ws.bias[group.first_row + k];
    bias = dot(row.mdot + cross(b.v, row.f), dw) + dot(row.fdot, dv) +
           (poles.p1 + poles.p2) * rate + poles.p1 * poles.p2 * phi[k];
    const double falls = dot(model.gravity(), row.f);
    if (loop.body_a != 0)
      put(waiting(ws, loop.body_a), k, -Wrench<double>{row.m + cross(p_a, row.f), row.f});
    else
      bias += falls;
    if (loop.body_b != 0)
      put(waiting(ws, loop.body_b), k, {row.m + cross(p_b, row.f), row.f});
    else
      bias -= falls;
  }
}

Wrench<Lanes> load(const double* F) {
  const auto row = [&](int k) { return Lanes::load(F + k * lanes); };
  return {{row(0), row(1), row(2)}, {row(3), row(4), row(5)}};
}
void add_to(double* F, const Wrench<Lanes>& W) {
  for (int k = 0; k < 3; ++k) {
    (Lanes::load(F + k * lanes) + W.m[k]).store(F + k * lanes);
    (Lanes::load(F + (3 + k) * lanes) + W.f[k]).store(F + (3 + k) * lanes);
  }
}

/// r of every velocity for the lanes from `first` on, and A qdd_r added to the bias.
void row_sweep(World model, ConstrainedWorkspace& ws, const ConstraintGroup& group, double* r,
               int first) {
  Lanes sum(0.0);
  Wrench<Lanes> F{};
  const Vec3<double>& g = model.gravity();
  for (const ConstraintGroup::Stop& stop : group.stops) {
    const internal::CanonicalBody<double>& b = model.canonical(stop.body);
    if (stop.load) F += load(waiting(ws, stop.body) + first);
    for (int k = b.v + b.n_v - 1; k >= b.v; --k) {
      Lanes rk = dot(ws.world.S.twist(k), F);
      if (!group.x.empty()) rk += Lanes::load(&group.x[k * lanes + first]);
      rk.store(r + k * lanes + first);
      F -= ws.K[k] * rk;
      sum += rk * ws.e[k];
    }
    sum += dot(ws.c[stop.body], F);
    if (b.parent == 0) sum -= dot(g, F.f);
    if (stop.store) {
      if (b.parent != 0) add_to(waiting(ws, b.parent) + first, F);
      F = {};
    }
  }
  for (int k = 0; k < width && first + k < group.n_rows; ++k)
    ws.bias[group.first_row + first + k] += sum[k];
}

void user_rows(ConstrainedWorkspace& ws, In<double> q, In<double> qd, const Baumgarte& poles) {
  const int n = ws.set.n_v();
  for (const UserConstraint& user : ws.set.user()) {
    const auto A = column_major(ws.user_rows.data(), user.n_rows, n);
    user.rows(q, qd, ws.user_phi.data(), A, ws.user_bias.data());
    for (ConstraintGroup& group : ws.groups)
      for (int k = 0; k < group.n_rows; ++k) {
        const int row = group.first_row + k - user.first_row;
        if (group.loop >= 0 || row < 0 || row >= user.n_rows) continue;
        double rate = 0;
        for (int c = 0; c < n; ++c) {
          group.x[c * lanes + k] = A(row, c);
          rate += A(row, c) * qd[c];
        }
        ws.bias[group.first_row + k] = ws.user_bias[row] + (poles.p1 + poles.p2) * rate +
                                       poles.p1 * poles.p2 * ws.user_phi[row];
      }
  }
}
void coupling_rows(ConstrainedWorkspace& ws, In<double> q, In<double> qd, const Baumgarte& poles) {
  for (const CouplingConstraint& row : ws.set.couplings()) {
    double phi = -row.offset, rate = 0;
    for (const CouplingConstraint::Term& term : row.terms)
      phi += term.factor * q[term.q], rate += term.factor * qd[term.v];
    ws.bias[row.first_row] = (poles.p1 + poles.p2) * rate + poles.p1 * poles.p2 * phi;
  }
}

/// a = I^1/2 n of motors that turn with several joints; their right-hand side is zero.
void motor_rows(World model, ConstrainedWorkspace& ws) {
  for (ConstraintGroup& group : ws.groups) {
    if (group.motor < 0) continue;
    const CoupledMotor<double>& motor = model.motors()[group.motor];
    const double root = ws.rotors ? std::sqrt(motor.constants.armature) : 0;
    for (const auto& term : motor.terms) group.x[term.v * lanes] = root * term.ratio;
    ws.bias[group.first_row] = 0;
  }
}

/// r and the right-hand side of every row.
void sweep_rows(World model, ConstrainedWorkspace& ws, In<double> q, In<double> qd,
                const Baumgarte& poles) {
  coupling_rows(ws, q, qd, poles);
  user_rows(ws, q, qd, poles);
  motor_rows(model, ws);
  double* r = ws.r.data();
  for (const ConstraintGroup& group : ws.groups) {
    for (const ConstraintGroup::Stop& stop : group.stops)
      if (stop.load) std::fill_n(waiting(ws, stop.body), 6 * lanes, 0.0);
    if (group.loop >= 0) load_loop(model, ws, group, poles);
    for (int first = 0; first < group.n_rows; first += width) row_sweep(model, ws, group, r, first);
    r += model.n_v() * lanes;
  }
}

/// e += r lambda / D; of prescribed joints S^T b^ -= r lambda.
void apply_multipliers(World model, ConstrainedWorkspace& ws) {
  const double* r = ws.r.data();
  for (const ConstraintGroup& group : ws.groups) {
    for (const int k : group.dofs) {
      double sum = 0;
      for (int j = 0; j < group.n_rows; ++j)
        sum += r[k * lanes + j] * ws.multipliers[group.first_row + j];
      ws.e[k] += sum * ws.D_inverse[k];
      ws.S_b[k] -= sum;
    }
    r += model.n_v() * lanes;
  }
}

void accelerations(World model, ConstrainedWorkspace& ws, In<char> prescribed, Out<double> qdd,
                   Out<double> tau) {
  ws.A[0] = {{}, -model.gravity()};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const internal::CanonicalBody<double>& b = model.canonical(i);
    Twist<double> A = ws.A[b.parent] + ws.c[i];
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      const double y = ws.e[k] - dot(A, ws.K[k]);
      qdd[k] = y;
      A += ws.world.S.twist(k) * y;
    }
    ws.A[i] = A;
    if (!prescribed.empty() && prescribed[i])
      for (int k = b.v; k < b.v + b.n_v; ++k)
        tau[k] = dot(A, ws.U[k]) + ws.S_b[k] + (ws.rotors ? model.dof(k).armature * qdd[k] : 0);
  }
}

ConstrainedResult solve(World model, ConstrainedWorkspace& ws, In<char> prescribed, In<double> q,
                        In<double> qd, Out<double> qdd, Out<double> tau, In<Wrench<double>> F_ext,
                        Out<double> lambda, const ConstrainedOptions& options) {
  internal::assert_state(model, q, qd, qdd, tau);
  internal::assert_wrenches(model, F_ext);
  internal::assert_workspace(model, ws.world.joints);
  assert(lambda.size == ws.set.n_rows() && "one multiplier for each row");
  internal::prepare(model, ws.world.joints, q, qd);
  internal::world_sweep(model, ws.world);
  velocities(model, ws, qd, F_ext);
  articulated_sweep(model, ws, prescribed, qdd, tau);
  ConstrainedResult result;
  result.mass_regular =
      prescribed.empty()
          ? static_cast<bool>(internal::regularity(ws.D))
          : static_cast<bool>(internal::released_regularity(model, prescribed, ws.D));
  sweep_rows(model, ws, q, qd, options.stabilisation);
  internal::solve_multipliers(ws, options, result);
  apply_multipliers(model, ws);
  for (int k = 0; k < lambda.size; ++k) lambda[k] = ws.multipliers[k];
  accelerations(model, ws, prescribed, qdd, tau);
  return result;
}

}  // namespace

ConstrainedResult constrained_forward_dynamics(const Model<double>& model, ConstrainedWorkspace& ws,
                                               In<double> q, In<double> qd, In<double> tau,
                                               In<Wrench<double>> F_ext, Out<double> qdd,
                                               Out<double> lambda,
                                               const ConstrainedOptions& options) {
  // tau is written for prescribed joints alone, and there are none.
  const Out<double> unwritten{const_cast<double*>(tau.data), tau.size};
  return solve(model, ws, {}, q, qd, qdd, unwritten, F_ext, lambda, options);
}

ConstrainedResult constrained_hybrid_dynamics(const Model<double>& model, ConstrainedWorkspace& ws,
                                              In<char> prescribed, In<double> q, In<double> qd,
                                              Out<double> qdd, Out<double> tau,
                                              In<Wrench<double>> F_ext, Out<double> lambda,
                                              const ConstrainedOptions& options) {
  return solve(model, ws, prescribed, q, qd, qdd, tau, F_ext, lambda, options);
}

}  // namespace torsor
