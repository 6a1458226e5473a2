#include "torsor/dynamics/derivatives/constrained_derivatives.hpp"

#include <algorithm>

#include "constrained/constrained_residuals.hpp"

namespace torsor {

using internal::ConstraintGroup;

namespace {

using Work = ConstrainedDerivativeWorkspace;

/// All columns of hybrid (or, with nothing prescribed, forward) dynamics.
template <class Derivatives>
void fill(const Model<double>& model, Work& ws, In<char> prescribed, In<double> q, In<double> qd,
          In<Wrench<double>> F_ext, const ConstrainedOptions& options, bool redundant,
          Derivatives&& columns) {
  const int n = model.n_v(), m = ws.dynamics.set.n_rows();
  const auto held = [&](int k) {
    for (int i = 1; !prescribed.empty() && i < model.n_bodies(); ++i)
      if (prescribed[i] && k >= model.body(i).v.first &&
          k < model.body(i).v.first + model.body(i).v.count)
        return true;
    return false;
  };
  const In<double> qdd = ws.qdd_value, lambda = ws.lambda;
  In<double> v{};
  if (redundant) {
    find_least(model, ws, prescribed);
    v = ws.least;
  }
  for (int k = 0; k < n; ++k) {
    for (const Vary vary : {Vary::q, Vary::qd}) {
      residuals(model, ws.dynamics.set, ws, vary, k, q, qd, qdd, lambda, F_ext, v,
                options.stabilisation);
      for (int i = 0; i < n; ++i) ws.x[i] = held(i) ? 0 : -ws.residual[i];
      for (int r = 0; r < m; ++r) ws.dynamics.right[r] = -ws.row_residual[r];
      const auto [out, dlambda] = columns(vary, k);
      (void)solve_linear(model, ws, prescribed, ws.x, out, dlambda);
      for (int i = 0; i < n; ++i)
        if (held(i)) out[i] += ws.residual[i];
      if (redundant && vary == Vary::q) keep_shortest(model, ws, prescribed, out, dlambda);
    }
    std::fill(ws.x.begin(), ws.x.end(), 0.0);
    std::fill(ws.dynamics.right.begin(), ws.dynamics.right.end(), 0.0);
    ws.x[k] = 1;
    const auto [out, dlambda] = columns(Vary::qdd, k);
    (void)solve_linear(model, ws, prescribed, ws.x, out, dlambda);
  }
}

struct ColumnPair {
  Out<double> out, lambda;
};
ColumnPair columns_of(StoredMatrix<double>& out, StoredMatrix<double>& lambda, int k) {
  return {{out.data.data() + k * out.rows, out.rows},
          {lambda.data.data() + k * lambda.rows, lambda.rows}};
}

}  // namespace

double solve_linear(const Model<double>& model, Work& work, In<char> prescribed, In<double> f,
                    Out<double> y, Out<double> l) {
  ConstrainedWorkspace& ws = work.dynamics;
  constexpr int lanes = ConstraintGroup::lanes;
  const auto held = [&](int i) { return !prescribed.empty() && prescribed[i] != 0; };
  for (auto& F : work.carried) F = {};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const internal::CanonicalBody<double>& b = model.canonical(i);
    Wrench<double> F = work.carried[i];
    for (int k = b.v + b.n_v - 1; k >= b.v; --k) {
      work.S_b[k] = dot(ws.world.S.twist(k), work.carried[i]);
      const double r = f[k] - dot(ws.world.S.twist(k), F);
      work.e[k] = held(i) ? f[k] : r * ws.D_inverse[k];
      F += held(i) ? ws.U[k] * f[k] : ws.K[k] * r;
    }
    work.carried[b.parent] += F;
  }
  for (int k = ws.set.n_rows(); k < ws.n_rows(); ++k) ws.right[k] = 0;
  const double* r = ws.r.data();
  for (const ConstraintGroup& group : ws.groups) {
    for (const int k : group.dofs)
      for (int j = 0; j < group.n_rows; ++j)
        ws.right[group.first_row + j] -= r[k * lanes + j] * work.e[k];
    r += model.n_v() * lanes;
  }
  const double left = ws.n_rows() > 0 ? internal::apply_omega_inverse(ws) : 0;
  for (int k = 0; k < ws.set.n_rows(); ++k) l[k] = ws.multipliers[k];
  r = ws.r.data();
  for (const ConstraintGroup& group : ws.groups) {
    for (const int k : group.dofs) {
      double sum = 0;
      for (int j = 0; j < group.n_rows; ++j)
        sum += r[k * lanes + j] * ws.multipliers[group.first_row + j];
      work.e[k] += sum * ws.D_inverse[k];
      work.S_b[k] -= sum;
    }
    r += model.n_v() * lanes;
  }
  work.acceleration[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const internal::CanonicalBody<double>& b = model.canonical(i);
    Twist<double> A = work.acceleration[b.parent];
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      y[k] = work.e[k] - (held(i) ? 0 : dot(A, ws.K[k]));
      A += ws.world.S.twist(k) * y[k];
    }
    work.acceleration[i] = A;
    for (int k = b.v; held(i) && k < b.v + b.n_v; ++k)
      y[k] = dot(A, ws.U[k]) + work.S_b[k] + model.dof(k).armature * f[k];
  }
  return left;
}

void find_least(const Model<double>& model, Work& ws, In<char> prescribed) {
  std::fill(ws.x.begin(), ws.x.end(), 0.0);
  std::copy(ws.lambda.begin(), ws.lambda.end(), ws.dynamics.right.begin());
  (void)solve_linear(model, ws, prescribed, ws.x, ws.least, ws.y);
  for (int i = 1; !prescribed.empty() && i < model.n_bodies(); ++i)
    if (prescribed[i]) std::fill_n(&ws.least[model.body(i).v.first], model.body(i).v.count, 0.0);
}

void keep_shortest(const Model<double>& model, Work& ws, In<char> prescribed, Out<double> y,
                   Out<double> dlambda) {
  ws.dynamics.decomposition.project_on_rows(ws.dA, ws.y);
  for (int r = 0; r < ws.dynamics.n_rows(); ++r) ws.y[r] = ws.dA[r] - ws.y[r];
  for (int r = 0; r < dlambda.size; ++r) dlambda[r] += ws.y[r];
  if (prescribed.empty()) return;
  // The change does nothing to the released joints, so at a prescribed one r is its column of A.
  constexpr int lanes = ConstraintGroup::lanes;
  const double* r = ws.dynamics.r.data();
  for (const ConstraintGroup& group : ws.dynamics.groups) {
    for (int i = 1; i < model.n_bodies(); ++i)
      for (int k = model.body(i).v.first;
           prescribed[i] && k < model.body(i).v.first + model.body(i).v.count; ++k)
        if (std::find(group.dofs.begin(), group.dofs.end(), k) != group.dofs.end())
          for (int j = 0; j < group.n_rows; ++j)
            y[k] -= r[k * lanes + j] * ws.y[group.first_row + j];
    r += model.n_v() * lanes;
  }
}

ConstrainedDerivatives::ConstrainedDerivatives(const Model<double>& model, const ConstraintSet& set)
    : dqdd_dq(model.n_v(), model.n_v()),
      dqdd_dqd(dqdd_dq),
      dqdd_dtau(dqdd_dq),
      dlambda_dq(set.n_rows(), model.n_v()),
      dlambda_dqd(dlambda_dq),
      dlambda_dtau(dlambda_dq) {}
ConstrainedHybridDerivatives::ConstrainedHybridDerivatives(const Model<double>& model,
                                                           const ConstraintSet& set)
    : dout_dq(model.n_v(), model.n_v()),
      dout_dqd(dout_dq),
      dout_din(dout_dq),
      dlambda_dq(set.n_rows(), model.n_v()),
      dlambda_dqd(dlambda_dq),
      dlambda_din(dlambda_dq) {}

ConstrainedDerivativeWorkspace::ConstrainedDerivativeWorkspace(const Model<double>& model,
                                                               const ConstraintSet& set)
    : dynamics(model, set),
      inverse(model, set),
      rnea(model),
      motion(model),
      q(model.n_q()),
      qd(model.n_v()),
      qdd(qd.size()),
      step(qd.size()),
      tau(qd.size()),
      F(model.n_bodies()),
      residual(qd.size()),
      row_residual(set.n_rows()),
      dA(dynamics.n_rows()),
      qdd_value(qd.size()),
      tau_value(qd.size()),
      lambda(row_residual.size()),
      x(qd.size()),
      y(std::max(qd.size(), dynamics.n_rows())),
      least(qd.size()),
      carried(F.size()),
      acceleration(F.size()),
      e(qd.size()),
      S_b(qd.size()),
      dq(qd.size()),
      dqd(qd.size()),
      dqdd(qd.size()),
      loop_shift(2 * static_cast<int>(set.loops().size())),
      system(model.n_v() + set.n_rows(), model.n_v() + set.n_rows()),
      kkt((qd.size() + row_residual.size()) * (qd.size() + row_residual.size())),
      kkt_right(qd.size() + row_residual.size()),
      kkt_solution(kkt_right.size()),
      z(qd.size()) {
  int most = 0;
  for (const UserConstraint& c : set.user()) most = std::max(most, c.n_rows);
  user.resize(most * (2 + qd.size()) + q.size() + 2 * qd.size());
}

ConstrainedResult constrained_forward_dynamics_derivatives(const Model<double>& model,
                                                           ConstrainedDerivativeWorkspace& ws,
                                                           In<double> q, In<double> qd,
                                                           In<double> tau, In<Wrench<double>> F_ext,
                                                           ConstrainedDerivatives& out,
                                                           const ConstrainedOptions& options) {
  const ConstrainedResult result = constrained_forward_dynamics(
      model, ws.dynamics, q, qd, tau, F_ext, ws.qdd_value, ws.lambda, options);
  fill(model, ws, {}, q, qd, F_ext, options, !result.unique(), [&](Vary vary, int k) {
    return vary == Vary::q    ? columns_of(out.dqdd_dq, out.dlambda_dq, k)
           : vary == Vary::qd ? columns_of(out.dqdd_dqd, out.dlambda_dqd, k)
                              : columns_of(out.dqdd_dtau, out.dlambda_dtau, k);
  });
  return result;
}

ConstrainedResult constrained_hybrid_dynamics_derivatives(
    const Model<double>& model, ConstrainedDerivativeWorkspace& ws, In<char> prescribed,
    In<double> q, In<double> qd, In<double> qdd, In<double> tau, In<Wrench<double>> F_ext,
    ConstrainedHybridDerivatives& out, const ConstrainedOptions& options) {
  internal::assert_state(model, q, qd, qdd, tau);
  std::copy(qdd.begin(), qdd.end(), ws.qdd_value.begin());
  std::copy(tau.begin(), tau.end(), ws.tau_value.begin());
  const ConstrainedResult result = constrained_hybrid_dynamics(
      model, ws.dynamics, prescribed, q, qd, ws.qdd_value, ws.tau_value, F_ext, ws.lambda, options);
  fill(model, ws, prescribed, q, qd, F_ext, options, !result.unique(), [&](Vary vary, int k) {
    return vary == Vary::q    ? columns_of(out.dout_dq, out.dlambda_dq, k)
           : vary == Vary::qd ? columns_of(out.dout_dqd, out.dlambda_dqd, k)
                              : columns_of(out.dout_din, out.dlambda_din, k);
  });
  return result;
}

}  // namespace torsor
