#include "torsor/identification/constrained_regressor.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "torsor/dynamics/constrained/loop_dynamics.hpp"
#include "torsor/kinematics/mobility.hpp"

namespace torsor {
namespace {

/// Pivots below this part of the largest are what rounding left of dependent rows.
constexpr double rank_tolerance = 1e-8;

/// The velocities that the rows of A fix, given the others: column pivots, those with `late` 0 first.
Array<int> dependent_velocities(Matrix A, In<char> late) {
  Array<int> chosen;
  Array<char> taken(A.cols(), 0);
  double largest = 0;
  const auto length = [&](int c) {
    double sum = 0;
    for (int r = 0; r < A.rows(); ++r) sum += A(r, c) * A(r, c);
    return std::sqrt(sum);
  };
  for (int c = 0; c < A.cols(); ++c) largest = std::max(largest, length(c));
  for (const char turn : {char{0}, char{1}})
    for (;;) {
      int best = -1;
      double longest = rank_tolerance * largest;
      for (int c = 0; c < A.cols(); ++c)
        if (!taken[c] && (late[c] != 0) == (turn != 0) && length(c) > longest)
          best = c, longest = length(c);
      if (best < 0) break;
      taken[best] = 1;
      chosen.push_back(best);
      for (int c = 0; c < A.cols(); ++c) {  // what the chosen column has of the others goes
        if (taken[c]) continue;
        double along = 0;
        for (int r = 0; r < A.rows(); ++r) along += A(r, best) * A(r, c);
        along /= longest * longest;
        for (int r = 0; r < A.rows(); ++r) A(r, c) -= along * A(r, best);
      }
    }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

ConstrainedColumnWorkspace::ConstrainedColumnWorkspace(const Model<double>& model,
                                                       const ParameterColumns& columns,
                                                       In<double> q, In<char> actuated)
    : set(model),
      rows(model),
      tree(model),
      decomposition(set.n_rows(), model.n_v()),
      A(set.n_rows(), model.n_v()),
      W(model.n_v(), columns.size()),
      right(set.n_rows()),
      solution(model.n_v()) {
  AssemblyWorkspace assembly(model, set);
  if (const LoopStatus status = closure(model, set, assembly, q); !status)
    throw Error(message(model, status));
  constraint_jacobian(model, set, rows, q, A);
  Array<char> driven = actuated_velocities(model);
  if (!actuated.empty()) driven.assign(actuated.begin(), actuated.end());
  dependent = dependent_velocities(A, driven);
  for (int v = 0; v < model.n_v(); ++v)
    if (!std::binary_search(dependent.begin(), dependent.end(), v)) independent.push_back(v);
  G = Matrix(model.n_v(), independent.size());
  A_d = Matrix(set.n_rows(), dependent.size());
}

ConstrainedRegressorResult constrained_torque_regressor(const Model<double>& model,
                                                        ConstrainedColumnWorkspace& ws,
                                                        const ParameterColumns& columns,
                                                        In<double> q, In<double> qd, In<double> qdd,
                                                        OutMatrix<double> W, In<double> tau_load) {
  const int n_i = ws.independent.size(), n_d = ws.dependent.size(), m = ws.set.n_rows();
  assert(W.rows == n_i && W.cols == columns.size());
  ConstrainedRegressorResult result;
  for (int k = 0; k < n_i; ++k) ws.G(ws.independent[k], k) = 1;
  if (n_d > 0) {
    constraint_jacobian(model, ws.set, ws.rows, q, ws.A);
    for (int r = 0; r < m; ++r)
      for (int k = 0; k < n_d; ++k) ws.A_d(r, k) = ws.A(r, ws.dependent[k]);
    ws.decomposition.factorise(ws.A_d, rank_tolerance);
    result.rank = ws.decomposition.rank();
    result.regular = result.rank == n_d;
    result.pivot_ratio = result.regular ? ws.decomposition.pivot_ratio() : 0;
  }
  for (int k = 0; k < n_i && n_d > 0; ++k) {
    for (int r = 0; r < m; ++r) ws.right[r] = -ws.A(r, ws.independent[k]);
    ws.decomposition.solve(ws.right, {ws.solution.data(), n_d});
    for (int d = 0; d < n_d; ++d) ws.G(ws.dependent[d], k) = ws.solution[d];
  }
  torque_regressor(model, ws.tree, columns, q, qd, qdd, ws.W, tau_load);
  for (int k = 0; k < n_i; ++k)
    for (int c = 0; c < columns.size(); ++c) {
      double sum = ws.W(ws.independent[k], c);
      for (const int d : ws.dependent) sum += ws.G(d, k) * ws.W(d, c);
      W(k, c) = sum;
    }
  return result;
}

void project_torque(const ConstrainedColumnWorkspace& ws, In<double> tau, Out<double> projected) {
  for (int k = 0; k < ws.independent.size(); ++k) {
    double sum = tau[ws.independent[k]];
    for (const int d : ws.dependent) sum += ws.G(d, k) * tau[d];
    projected[k] = sum;
  }
}

}  // namespace torsor
