#include "constrained_residuals.hpp"

#include <algorithm>

#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

using Tangent = ConstrainedDerivativeWorkspace::Tangent;
using Work = ConstrainedDerivativeWorkspace;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

void seed(const Model<double>& model, Work& ws, Vary vary, int k, In<double> q, In<double> qd,
          In<double> qdd) {
  for (int i = 0; i < model.n_v(); ++i) {
    ws.qd[at(i)] = qd[i], ws.qdd[at(i)] = qdd[i], ws.step[at(i)] = 0.0;
  }
  for (int i = 0; i < model.n_q(); ++i) ws.q[at(i)] = q[i];
  if (vary == Vary::qd) ws.qd[at(k)].d[0] = 1;
  if (vary == Vary::qdd) ws.qdd[at(k)].d[0] = 1;
  if (vary != Vary::q) return;
  ws.step[at(k)].d[0] = 1;
  integrate(model, ws.q, ws.step, ws.q);
}

/// Terms of the user's rows: A^T lambda, A qdd + A' qd + ..., and A v, each along the direction.
void user_terms(const Model<double>& model, const ConstraintSet& set, Work& ws, Vary vary, int k,
                In<double> q, In<double> qd, In<double> qdd, In<double> lambda, In<double> v,
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
    for (const double sign : {1.0, -1.0}) {
      for (int i = 0; i < n; ++i) step[i] = 0, rate[i] = qd[i];
      if (vary == Vary::q) step[k] = sign * h;
      if (vary == Vary::qd) rate[k] += sign * h;
      integrate(model, q, View<double>{step, n}, View<double>{x, model.n_q()});
      user.rows({x, model.n_q()}, {rate, n}, phi, A, bias);
      const double scale = sign / (2 * h);
      for (int r = 0; r < m; ++r) {
        const int row = user.first_row + r;
        double sum = bias[r] + poles.p1 * poles.p2 * phi[r], along_v = 0;
        for (int c = 0; c < n; ++c) {
          sum += A(r, c) * (qdd[c] + (poles.p1 + poles.p2) * rate[c]);
          along_v += v.empty() ? 0 : A(r, c) * v[c];
          ws.residual[at(c)] -= scale * A(r, c) * lambda[row];
        }
        ws.row_residual[at(row)] += scale * sum;
        ws.dA[at(row)] += scale * along_v;
      }
    }
    if (vary != Vary::qdd) continue;
    user.rows(q, qd, nullptr, A, nullptr);
    for (int r = 0; r < m; ++r) ws.row_residual[at(user.first_row + r)] = A(r, k);
  }
}

}  // namespace

void residuals(const Model<double>& model, const ConstraintSet& set, Work& ws, Vary vary, int k,
               In<double> q, In<double> qd, In<double> qdd, In<double> lambda,
               In<Wrench<double>> F_ext, In<double> v, const Baumgarte& poles) {
  seed(model, ws, vary, k, q, qd, qdd);
  for (std::size_t i = 0; i < ws.F.size(); ++i)
    ws.F[i] = F_ext.empty() ? Wrench<Tangent>{} : F_ext[static_cast<int>(i)].cast<Tangent>();
  forward_acceleration<double, Tangent>(model, ws.motion, ws.q, ws.qd, ws.qdd);
  const double sum = poles.p1 + poles.p2, product = poles.p1 * poles.p2;
  LoopRow<Tangent> rows[max_loop_rows];
  for (const LoopConstraint& loop : set.loops()) {
    const LoopFrame<Tangent> a = detail::loop_frame(ws.motion, loop.body_a, loop.T_a);
    const LoopFrame<Tangent> b = detail::loop_frame(ws.motion, loop.body_b, loop.T_b);
    loop_rows(loop, a, b, rows);
    detail::add_loop_wrench<Tangent>(loop, ws.motion, rows, b, lambda, ws.F);
    Tangent bias[max_loop_rows], phi[max_loop_rows];
    detail::loop_bias(loop, ws.motion, rows, b, bias);
    loop_residual(loop, a.T, b.T, phi);
    const Vec3<Tangent> dw = b.w - a.w, dv = b.v - (a.v + cross(a.w, b.T.p - a.T.p));
    for (int r = 0; r < loop.n_rows; ++r)
      ws.row_residual[at(loop.first_row + r)] =
          (bias[r] + (dot(rows[r].m, dw) + dot(rows[r].f, dv)) * Tangent(sum) +
           phi[r] * Tangent(product))
              .d[0];
  }
  inverse_dynamics<double, Tangent>(model, ws.rnea, ws.q, ws.qd, ws.qdd, ws.F, ws.tau);
  for (int i = 0; i < model.n_v(); ++i)
    ws.residual[at(i)] = (ws.tau[at(i)] + ws.qdd[at(i)] * Tangent(model.dof(i).armature)).d[0];
  for (const CouplingConstraint& row : set.couplings()) {
    double& x = ws.row_residual[at(row.first_row)];
    x = 0;
    for (const CouplingConstraint::Term& term : row.terms)
      if (term.v == k) x = term.factor * (vary == Vary::q ? product : vary == Vary::qd ? sum : 1.0);
  }
  std::fill(ws.dA.begin(), ws.dA.end(), 0.0);
  for (const UserConstraint& user : set.user())
    std::fill_n(ws.row_residual.begin() + user.first_row, user.n_rows, 0.0);
  if (!v.empty() && vary == Vary::q) {  // A(q) v: the rows' velocities at the velocity v
    for (int i = 0; i < model.n_v(); ++i) ws.qd[at(i)] = v[i];
    forward_velocity<double, Tangent>(model, ws.motion, ws.q, ws.qd);
    for (const LoopConstraint& loop : set.loops()) {
      const LoopFrame<Tangent> a = detail::loop_frame(ws.motion, loop.body_a, loop.T_a);
      const LoopFrame<Tangent> b = detail::loop_frame(ws.motion, loop.body_b, loop.T_b);
      loop_rows(loop, a, b, rows);
      const Vec3<Tangent> dw = b.w - a.w, dv = b.v - (a.v + cross(a.w, b.T.p - a.T.p));
      for (int r = 0; r < loop.n_rows; ++r)
        ws.dA[at(loop.first_row + r)] = (dot(rows[r].m, dw) + dot(rows[r].f, dv)).d[0];
    }
  }
  user_terms(model, set, ws, vary, k, q, qd, qdd, lambda, v, poles);
}

}  // namespace torsor
