// Which bodies the rows of a robot move, and the multipliers.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "torsor/dynamics/constrained/constrained.hpp"
#include "torsor/math/pack.hpp"

namespace torsor {

using internal::ConstraintGroup;

namespace {

constexpr int lanes = ConstraintGroup::lanes;

/// The bodies from the ends to the root, tips first, and where wrenches wait.
void find_stops(const Model<double>& model, const Array<int>& ends, ConstraintGroup& group) {
  Array<char> on(model.n_bodies(), 0);
  for (const int end : ends)
    for (int i = end; i > 0; i = model.canonical(i).parent) on[i] = 1;
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    if (!on[i]) continue;
    const bool is_end = group.loop >= 0 && std::find(ends.begin(), ends.end(), i) != ends.end();
    group.stops.push_back({i, is_end, true});
    const internal::CanonicalBody<double>& b = model.canonical(i);
    for (int k = b.v; k < b.v + b.n_v; ++k) group.dofs.push_back(k);
  }
  for (int s = 0; s + 1 < group.stops.size(); ++s) {
    const int parent = model.canonical(group.stops[s].body).parent;
    if (parent == group.stops[s + 1].body)
      group.stops[s].store = false;
    else
      for (ConstraintGroup::Stop& stop : group.stops)
        if (stop.body == parent) stop.load = true;
  }
  std::sort(group.dofs.begin(), group.dofs.end());
}

}  // namespace

ConstrainedWorkspace::ConstrainedWorkspace(const Model<double>& model,
                                           const ConstraintSet& constraints)
    : set(constraints),
      world(model),
      tree(model.n_bodies()),
      origin(tree.size()),
      V(tree.size()),
      c(tree.size()),
      A(tree.size()),
      b(tree.size()),
      I(tree.size()),
      K(model.n_v()),
      U(K.size()),
      D(K.size()),
      D_inverse(K.size()),
      e(K.size()),
      S_b(K.size()),
      F(tree.size() * 6 * lanes),
      bias(set.n_rows() + model.motors().size()),
      omega(bias.size() * bias.size()),
      right(bias.size()),
      whitened(bias.size() * (K.size() + model.motors().size())),
      multipliers(bias.size()),
      factors(bias.size()),
      decomposition(std::max(model.n_v() + model.motors().size(), 1), std::max(bias.size(), 1)) {
  for (int i = 1; i < model.n_bodies(); ++i) {
    const int parent = model.canonical(i).parent;
    tree[i] = parent == 0 ? i : tree[parent];
  }
  Array<int> all;
  for (int i = 1; i < model.n_bodies(); ++i) all.push_back(i);
  for (const LoopConstraint& loop : set.loops()) {
    ConstraintGroup group;
    group.first_row = loop.first_row, group.n_rows = loop.n_rows;
    group.loop = static_cast<int>(groups.size());
    find_stops(model, {loop.body_a, loop.body_b}, group);
    groups.push_back(std::move(group));
  }
  for (const CouplingConstraint& row : set.couplings()) {
    ConstraintGroup group;
    group.first_row = row.first_row, group.n_rows = 1;
    group.x.resize(model.n_v() * lanes);
    Array<int> ends;
    for (const CouplingConstraint::Term& term : row.terms) {
      group.x[term.v * lanes] = term.factor;
      for (int i = 1; i < model.n_bodies(); ++i)
        if (model.canonical(i).v == term.v && model.canonical(i).n_v > 0) ends.push_back(i);
    }
    find_stops(model, ends, group);
    groups.push_back(std::move(group));
  }
  int most = 0;
  for (int j = 0; j < model.motors().size(); ++j) {
    ConstraintGroup group;
    group.first_row = set.n_rows() + j, group.n_rows = 1;
    group.motor = j;
    group.x.resize(model.n_v() * lanes);
    Array<int> ends;
    for (const auto& term : model.motors()[j].terms)
      for (int i = 1; i < model.n_bodies(); ++i)
        if (model.canonical(i).v == term.v && model.canonical(i).n_v > 0) ends.push_back(i);
    find_stops(model, ends, group);
    groups.push_back(std::move(group));
  }
  for (const UserConstraint& user : set.user()) {
    most = std::max(most, user.n_rows);
    for (int first = 0; first < user.n_rows; first += lanes) {
      ConstraintGroup group;
      group.first_row = user.first_row + first, group.n_rows = std::min(lanes, user.n_rows - first);
      group.x.resize(model.n_v() * lanes);
      find_stops(model, all, group);
      groups.push_back(std::move(group));
    }
  }
  user_rows.resize(most * K.size());
  user_bias.resize(most);
  user_phi.resize(most);
  r.resize(groups.size() * K.size() * lanes);
  for (int g = 0; g < groups.size(); ++g)
    for (int h = 0; h <= g; ++h) {
      Array<int>& both = common.emplace_back();
      std::set_intersection(groups[g].dofs.begin(), groups[g].dofs.end(), groups[h].dofs.begin(),
                            groups[h].dofs.end(), std::back_inserter(both));
    }
}

namespace {

constexpr int width = native_lanes < double >> lanes ? lanes
                      : native_lanes<double> < 2     ? 2
                                                     : native_lanes<double>;
using Lanes = Pack<double, width>;
constexpr int registers = lanes / width;

/// sum_k r_g(k) r_h(k)^T / D_k over the velocities that both move, into Omega. The number of rows
/// is a constant for the compiler, so that the sums stay in registers.
template <int Rows>
void omega_block(ConstrainedWorkspace& ws, int g, int h, int n_v) {
  const ConstraintGroup &rows = ws.groups[g], &cols = ws.groups[h];
  const int m = ws.n_rows();
  const Array<int>& both = ws.common[g * (g + 1) / 2 + h];
  const double* const r_g = ws.r.data() + g * n_v * lanes;
  const double* const r_h = ws.r.data() + h * n_v * lanes;
  for (int j = 0; j < registers && j * width < cols.n_rows; ++j) {
    Lanes sum[Rows];
    for (Lanes& x : sum) x = Lanes(0.0);
    for (const int k : both) {
      const double* const a = r_g + k * lanes;
      const Lanes scaled = Lanes::load(r_h + k * lanes + j * width) * Lanes(ws.D_inverse[k]);
      for (int i = 0; i < Rows; ++i) sum[i] += scaled * Lanes(a[i]);
    }
    double* out = ws.omega.data() + rows.first_row * m + cols.first_row + j * width;
    const int left = std::min(width, cols.n_rows - j * width);
    for (int i = 0; i < Rows; ++i, out += m)
      for (int l = 0; i < rows.n_rows && l < left; ++l) out[l] = sum[i][l];
  }
}
/// The next larger number of rows: lanes that a constraint does not use are zero.
void omega_block(ConstrainedWorkspace& ws, int g, int h, int n_v) {
  const int rows = ws.groups[g].n_rows;
  if (rows == 1) return omega_block<1>(ws, g, h, n_v);
  if (rows <= 3) return omega_block<3>(ws, g, h, n_v);
  if (rows <= 6) return omega_block<6>(ws, g, h, n_v);
  omega_block<8>(ws, g, h, n_v);
}

/// The rank of the rows from their whitened form.
void decompose(ConstrainedWorkspace& ws, double tolerance) {
  const int n = ws.set.n_v(), m = ws.set.n_rows(), r_all = ws.n_motors();
  const auto B = column_major(ws.whitened.data(), n + r_all, m + r_all);
  for (int c = 0; c < m + r_all; ++c)
    for (int j = 0; j < r_all; ++j) B(n + j, c) = c == m + j ? 1 : 0;
  const double* r = ws.r.data();
  for (const ConstraintGroup& group : ws.groups) {
    for (int j = 0; j < group.n_rows; ++j)
      for (int k = 0; k < n; ++k)
        B(k, group.first_row + j) = r[k * lanes + j] * std::sqrt(std::max(ws.D_inverse[k], 0.0));
    r += n * lanes;
  }
  ws.decomposition.factorise(B, tolerance);
}

}  // namespace

void internal::solve_multipliers(ConstrainedWorkspace& ws, const ConstrainedOptions& options,
                                 ConstrainedResult& result) {
  const int m = ws.n_rows();
  result.rows = result.rank = ws.set.n_rows();
  if (m == 0) return;
  for (int g = 0; g < ws.groups.size(); ++g)
    for (int h = 0; h <= g; ++h) omega_block(ws, g, h, ws.set.n_v());
  for (int k = ws.set.n_rows(); k < m; ++k) ws.omega[k * m + k] += 1;
  double scale = 1;
  for (int k = 0; k < m; ++k) {
    ws.right[k] = -ws.bias[k];
    scale += std::abs(ws.bias[k]);
  }
  ws.regular = ws.factors.factorise(row_major<const double>(ws.omega.data(), m, m), 1e-6);
  if (!ws.regular) {
    decompose(ws, options.rank_tolerance);
    result.rank = ws.decomposition.rank() - ws.n_motors();
  }
  result.inconsistency = apply_omega_inverse(ws);
  result.consistent = result.inconsistency <= 1e-6 * scale;
}
double internal::apply_omega_inverse(ConstrainedWorkspace& ws) {
  if (!ws.regular) return ws.decomposition.solve_gram(ws.right, ws.multipliers);
  ws.multipliers = ws.right;
  ws.factors.solve(ws.multipliers);
  return 0;
}

std::string message(const ConstraintSet& set, const ConstrainedResult& result) {
  char number[32];
  std::snprintf(number, sizeof number, "%.3g", result.inconsistency);
  if (!result.mass_regular) return "the mass matrix is singular: a joint moves no mass";
  if (!result.consistent)
    return "the constraints contradict each other: no acceleration satisfies all " +
           std::to_string(set.n_rows()) + " rows (" + number + " m/s^2 or rad/s^2 is left)";
  if (!result.unique())
    return std::to_string(result.rows - result.rank) + " of " + std::to_string(result.rows) +
           " rows are redundant: the multipliers are the shortest of many";
  return {};
}

}  // namespace torsor
