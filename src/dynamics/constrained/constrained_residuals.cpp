#include "constrained/constrained_residuals.hpp"

#include <algorithm>

#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

using Tangent = ConstrainedDerivativeWorkspace::Tangent;
using Work = ConstrainedDerivativeWorkspace;

void seed(const Model<double>& model, Work& ws, Vary vary, int k, In<double> q, In<double> qd,
          In<double> qdd) {
  for (int i = 0; i < model.n_v(); ++i) {
    ws.qd[i] = qd[i], ws.qdd[i] = qdd[i], ws.step[i] = 0.0;
    ws.dq[i] = ws.dqd[i] = ws.dqdd[i] = 0;
  }
  for (int i = 0; i < model.n_q(); ++i) ws.q[i] = q[i];
  (vary == Vary::q ? ws.dq : vary == Vary::qd ? ws.dqd : ws.dqdd)[k] = 1;
  for (Twist<double>& X : ws.loop_shift) X = {};
  if (vary == Vary::qd) ws.qd[k].d[0] = 1;
  if (vary == Vary::qdd) ws.qdd[k].d[0] = 1;
  if (vary != Vary::q) return;
  ws.step[k].d[0] = 1;
  integrate(model, ws.q, ws.step, ws.q);
}

/// Terms of the user's rows: A^T lambda, A qdd + A' qd + ..., and A v, each along the direction.
void user_terms(const Model<double>& model, const ConstraintSet& set, Work& ws, In<double> q,
                In<double> qd, In<double> qdd, In<double> lambda, In<double> v,
                const Baumgarte& poles) {
  constexpr double h = 1e-6;
  const int n = model.n_v();
  for (const UserConstraint& user : set.user()) {
    const int m = user.n_rows;
    double* const phi = ws.user.data();
    double* const bias = phi + m;
    const auto A = column_major(bias + m, m, n);
    double* const x = bias + m + m * n;
    double *const step = x + model.n_q(), *const rate = step + n;
    user.rows(q, qd, nullptr, A, nullptr);
    for (int r = 0; r < m; ++r) {
      double& sum = ws.row_residual[user.first_row + r];
      sum = 0;
      for (int c = 0; c < n; ++c) sum += A(r, c) * ws.dqdd[c];
    }
    for (const double sign : {1.0, -1.0}) {
      for (int i = 0; i < n; ++i)
        step[i] = sign * h * ws.dq[i], rate[i] = qd[i] + sign * h * ws.dqd[i];
      integrate(model, q, View<double>{step, n}, View<double>{x, model.n_q()});
      user.rows({x, model.n_q()}, {rate, n}, phi, A, bias);
      const double scale = sign / (2 * h);
      for (int r = 0; r < m; ++r) {
        const int row = user.first_row + r;
        double sum = bias[r] + poles.p1 * poles.p2 * phi[r], along_v = 0;
        for (int c = 0; c < n; ++c) {
          sum += A(r, c) * (qdd[c] + (poles.p1 + poles.p2) * rate[c]);
          along_v += v.empty() ? 0 : A(r, c) * v[c];
          ws.residual[c] -= scale * A(r, c) * lambda[row];
        }
        ws.row_residual[row] += scale * sum;
        ws.dA[row] += scale * along_v;
      }
    }
  }
}

/// Pose and velocity of end 0 or 1 of loop number `l`, whose placement may change, too.
internal::LoopFrame<Tangent> loop_end(const Work& ws, const LoopConstraint& loop, int l, int end) {
  const auto body = end == 0 ? loop.body_a : loop.body_b;
  const SE3<double>& place = end == 0 ? loop.T_a : loop.T_b;
  const Twist<double>& X = ws.loop_shift[2 * l + end];
  SE3<Tangent> P = place.cast<Tangent>();
  const auto turn = [&](Vec3<Tangent>& u, const Vec3<double>& d) {
    u.x.d[0] = d.x, u.y.d[0] = d.y, u.z.d[0] = d.z;
  };
  turn(P.R.c0, cross(X.w, place.R.c0));
  turn(P.R.c1, cross(X.w, place.R.c1));
  turn(P.R.c2, cross(X.w, place.R.c2));
  turn(P.p, X.v + cross(X.w, place.p));
  const SE3<Tangent>& T = ws.motion.T_world_body[body];
  const Twist<Tangent>& V = ws.motion.V[body];
  return {T * P, T.R * V.w, T.R * (V.v + cross(V.w, P.p))};
}

}  // namespace

void loop_terms(const ConstraintSet& set, Work& ws, In<double> lambda, const Baumgarte& poles) {
  const double sum = poles.p1 + poles.p2, product = poles.p1 * poles.p2;
  internal::LoopRow<Tangent> rows[internal::max_loop_rows];
  for (int l = -1; const LoopConstraint& loop : set.loops()) {
    ++l;
    const internal::LoopFrame<Tangent> a = loop_end(ws, loop, l, 0), b = loop_end(ws, loop, l, 1);
    internal::loop_rows(loop, a, b, rows);
    internal::add_loop_wrench<Tangent>(loop, ws.motion, rows, b, lambda, ws.F);
    Tangent bias[internal::max_loop_rows], phi[internal::max_loop_rows];
    internal::loop_bias(loop, ws.motion, rows, b, bias);
    internal::loop_residual(loop, a.T, b.T, phi);
    const Vec3<Tangent> dw = b.w - a.w, dv = b.v - (a.v + cross(a.w, b.T.p - a.T.p));
    for (int r = 0; r < loop.n_rows; ++r)
      ws.row_residual[loop.first_row + r] =
          (bias[r] + (dot(rows[r].m, dw) + dot(rows[r].f, dv)) * Tangent(sum) +
           phi[r] * Tangent(product))
              .d[0];
  }
}

void loop_velocities(const ConstraintSet& set, Work& ws) {
  internal::LoopRow<Tangent> rows[internal::max_loop_rows];
  for (int l = -1; const LoopConstraint& loop : set.loops()) {
    ++l;
    const internal::LoopFrame<Tangent> a = loop_end(ws, loop, l, 0), b = loop_end(ws, loop, l, 1);
    internal::loop_rows(loop, a, b, rows);
    const Vec3<Tangent> dw = b.w - a.w, dv = b.v - (a.v + cross(a.w, b.T.p - a.T.p));
    for (int r = 0; r < loop.n_rows; ++r)
      ws.dA[loop.first_row + r] = (dot(rows[r].m, dw) + dot(rows[r].f, dv)).d[0];
  }
}

void joint_space_terms(const Model<double>& model, const ConstraintSet& set, Work& ws, In<double> q,
                       In<double> qd, In<double> qdd, In<double> lambda, In<double> v,
                       const Baumgarte& poles) {
  for (const CouplingConstraint& row : set.couplings()) {
    double& x = ws.row_residual[row.first_row];
    x = 0;
    for (const CouplingConstraint::Term& term : row.terms)
      x += term.factor * (ws.dqdd[term.v] + (poles.p1 + poles.p2) * ws.dqd[term.v] +
                          poles.p1 * poles.p2 * ws.dq[term.v]);
  }
  user_terms(model, set, ws, q, qd, qdd, lambda, v, poles);
}

void residuals(const Model<double>& model, const ConstraintSet& set,
               ConstrainedDerivativeWorkspace& ws, Vary vary, int k, In<double> q, In<double> qd,
               In<double> qdd, In<double> lambda, In<Wrench<double>> F_ext, In<double> v,
               const Baumgarte& poles) {
  seed(model, ws, vary, k, q, qd, qdd);
  for (int i = 0; i < model.n_bodies(); ++i)
    ws.F[i] = F_ext.empty() ? Wrench<Tangent>{} : F_ext[i].cast<Tangent>();
  forward_acceleration<double, Tangent>(model, ws.motion, ws.q, ws.qd, ws.qdd);
  loop_terms(set, ws, lambda, poles);
  rigid_inverse_dynamics(model, ws.rnea, ws.q, ws.qd, ws.qdd, ws.F, ws.tau);
  for (int i = 0; i < model.n_v(); ++i) ws.residual[i] = ws.tau[i].d[0];
  std::fill(ws.dA.begin(), ws.dA.end(), 0.0);
  if (!v.empty() && vary == Vary::q) {  // A(q) v: the rows' velocities at the velocity v
    for (int i = 0; i < model.n_v(); ++i) ws.qd[i] = v[i];
    forward_velocity<double, Tangent>(model, ws.motion, ws.q, ws.qd);
    loop_velocities(set, ws);
  }
  joint_space_terms(model, set, ws, q, qd, qdd, lambda, v, poles);
}

}  // namespace torsor
