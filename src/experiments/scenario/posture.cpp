#include "scenario/posture.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/kinematics/assemble.hpp"
#include "torsor/kinematics/jacobian.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::internal::scenario {

namespace {

constexpr int most_draws = 64;
constexpr double singular = 1e-3;  // of a row that counts

std::string end_frame(const Model<double>& model) {
  for (const char* name : {"tool", "tool0", "flange", "tip", "ee_link", "end_effector", "hand"})
    if (model.has_frame(name)) return name;
  return model.body_name(model.n_bodies() - 1);
}

double rounded(double x) { return std::round(1000 * x) / 1000; }

/// A range away from both limits, where there is room.
std::pair<double, double> comfortable(const Limits& limits) {
  const double gap = std::min(0.15, 0.2 * (limits.upper - limits.lower));
  return {limits.lower + gap, limits.upper - gap};
}

class Search {
 public:
  explicit Search(const Model<double>& model)
      : model_(model),
        kinematics_(model),
        crba_(model),
        rnea_(model),
        svd_(6, std::max(model.n_v(), 1)),
        J_(6 * model.n_v()),
        rows_(6 * model.n_v()) {}

  /// Angles nearer to zero than the limits allow, so that chains do not fold; loops closed.
  std::optional<Array<double>> draw(int k, bool within_limits) {
    Array<double> q(model_.n_q()), middle(model_.n_q());
    neutral(model_, q);
    middle = q;
    if (k > 0) random_configuration(model_, static_cast<std::uint64_t>(k), q);
    if (model_.n_q() == model_.n_v())
      for (int i = 0; i < q.size(); ++i) {
        const auto [lower, upper] = comfortable(model_.limits(i));
        q[i] = std::clamp(0.6 * q[i], lower, upper);
        const double round = rounded(q[i]);
        if (round >= lower && round <= upper) q[i] = round;
      }
    if (!closes(model_, q, within_limits)) return std::nullopt;
    return q;
  }

  /// Positions, then angular velocities: rows of the Jacobian of the frame.
  double smallest(const Posture& p, In<double> q) {
    jacobian<double, double>(model_, kinematics_, q, model_.frame(p.frame),
                             Reference::world_aligned, column_major(J_.data(), 6, model_.n_v()));
    const int m = p.size(), n = model_.n_v();
    if (m == 0 || n < m) return 0;
    int r = 0;
    const auto take = [&](int row) {
      for (int c = 0; c < n; ++c) rows_[c * m + r] = J_[6 * c + row];
      ++r;
    };
    for (const char axis : p.axes) take(3 + axis - 'x');
    for (int k = 0; k < p.turns(); ++k) take(p.angles == "planar" ? 2 : k);
    svd_.factorise(column_major<const double>(rows_.data(), m, n));
    return svd_.smallest();
  }
  SE3<double> pose(const Posture& p, In<double> q) {
    forward_kinematics(model_, kinematics_, q);
    return frame_pose(kinematics_, model_.frame(p.frame));
  }
  void add_inertia(In<double> q, Array<double>& largest) {
    const int n = model_.n_v();
    Array<double> M(n * n);
    mass_matrix(model_, crba_, q, column_major(M.data(), n, n));
    for (int k = 0; k < n; ++k)
      largest[k] = std::max(largest[k], M[k * n + k] + model_.dof(k).armature);
  }
  /// Sums over the rows of |dG/dq|, by central differences.
  void add_weight(In<double> q, Array<double>& largest) {
    const int n = model_.n_v();
    const double h = 1e-5;
    Array<double> step(n), moved(model_.n_q()), up(n), down(n), sum(n);
    for (int c = 0; c < n; ++c) {
      for (const double sign : {1.0, -1.0}) {
        step[c] = sign * h;
        integrate(model_, q, In<double>(step), Out<double>(moved));
        gravity_torque(model_, rnea_, In<double>(moved), Out<double>(sign > 0 ? up : down));
      }
      step[c] = 0;
      for (int r = 0; r < n; ++r) sum[r] += std::abs(up[r] - down[r]) / (2 * h);
    }
    for (int r = 0; r < n; ++r) largest[r] = std::max(largest[r], sum[r]);
  }
  void add_load(In<double> q, Array<double>& largest) {
    Array<double> G(model_.n_v());
    gravity_torque(model_, rnea_, q, Out<double>(G));
    for (int k = 0; k < G.size(); ++k) largest[k] = std::max(largest[k], std::abs(G[k]));
  }

 private:
  const Model<double>& model_;
  KinematicsWorkspace<double> kinematics_;
  CrbaWorkspace<double> crba_;
  RneaWorkspace<double> rnea_;
  Svd svd_;
  Array<double> J_, rows_;
};

/// What the joints can move: each position that is independent of those before it, then angles.
void choose_task(Search& search, const Array<double>& generic, int n_v, Posture& p) {
  for (const char axis : {'x', 'y', 'z'}) {
    p.axes += axis;
    if (!(search.smallest(p, generic) > singular)) p.axes.pop_back();
  }
  for (const char* angles : {"rotation", "planar"}) {
    p.angles = angles;
    const bool fits = p.angles == "rotation" ? p.axes == "xyz" : p.axes == "xy";
    if (fits && p.size() <= n_v && search.smallest(p, generic) > singular) return;
  }
  p.angles = "none";
}

}  // namespace

bool closes(const Model<double>& model, Array<double>& q, bool within_limits) {
  const ConstraintSet loops(model);
  if (loops.n_rows() > 0) {
    AssemblyWorkspace ws(model, loops);
    if (!assemble(model, loops, ws, q)) return false;
  }
  for (int k = 0; within_limits && k < q.size() && model.n_q() == model.n_v(); ++k)
    if (q[k] < model.limits(k).lower || q[k] > model.limits(k).upper) return false;
  return true;
}

Array<double> moved(const Model<double>& model, const Array<double>& q, double far) {
  Array<double> step(model.n_v()), at(model.n_q());
  for (int turn = 0; turn < 12; ++turn, far /= 2) {
    for (int k = 0; k < step.size(); ++k) {
      step[k] = far;
      if (model.n_q() != model.n_v()) continue;
      const auto [lower, upper] = comfortable(model.limits(k));
      const double up = upper - q[k], down = q[k] - lower;
      step[k] = far <= up ? far : far <= down ? -far : up >= down ? up : -down;
    }
    integrate(model, View<const double>(q), View<const double>(step), View<double>(at));
    for (double& x : at)
      if (model.n_q() == model.n_v()) x = rounded(x);
    if (closes(model, at)) return at;
  }
  return q;
}

Array<double> Posture::x() const {
  Array<double> x;
  for (const char axis : axes) x.push_back(T.p[axis - 'x']);
  if (angles == "planar") x.push_back(std::atan2(T.R.c0.y, T.R.c0.x));
  for (int k = 0; angles == "rotation" && k < 3; ++k) x.push_back(0);
  return x;
}

Posture good_posture(const Model<double>& model, std::string frame) {
  Search search(model);
  Posture best;
  best.frame = frame.empty() ? end_frame(model) : std::move(frame);
  best.inertia = best.weight = best.load = Array<double>(model.n_v());
  bool chosen = false;
  double score = -1;
  for (const bool within_limits : {true, false}) {  // some loops do not close inside them
    for (int k = 1; k <= most_draws; ++k) {
      const std::optional<Array<double>> q = search.draw(k % most_draws, within_limits);
      if (!q) continue;
      if (!chosen) choose_task(search, *q, model.n_v(), best), chosen = true;
      search.add_inertia(*q, best.inertia);
      search.add_weight(*q, best.weight);
      search.add_load(*q, best.load);
      if (const double x = search.smallest(best, *q); x > score) score = x, best.q = *q;
    }
    if (!best.q.empty()) break;
  }
  if (best.q.empty()) throw Error("robot \"" + model.name() + "\": no posture closes its loops");
  best.T = search.pose(best, best.q);
  for (double& x : best.inertia)
    if (!(x > 0)) x = 1;  // a joint that moves no mass: whatever comes
  return best;
}

}  // namespace torsor::internal::scenario
