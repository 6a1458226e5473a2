#pragma once
/// Where motion_columns.hpp keeps its numbers: rows by velocity, and what carries what.
///
/// The velocities of what velocity k carries are contiguous, k ... end - 1. Those that carry it are
/// a few runs of neighbours: one for a chain, one more for every branch that is passed on the way
/// to the base.
#include "torsor/dynamics/internal/world_sweep.hpp"

namespace torsor::internal {

/// Places of the rows, each after the one before: matrices by columns, twists and wrenches angular
/// part first.
struct MotionRow {
  enum : int {
    R,  // of the body that the velocity belongs to
    p = R + 9,
    V_p = p + 3,
    A_p = V_p + 6,
    qd = A_p + 6,
    qdd,
    S,
    X = S + 6,
    Y = X + 6,
    Z = Y + 6,
    V = Z + 6,  // of the body
    A = V + 6,
    m = A + 6,  // from here: of the body, then of all that it carries
    h,
    Sigma = h + 3,  // xx, xy, yy, xz, yz, zz
    P = Sigma + 6,
    K = P + 3,
    F = K + 9,
    composites_end = F + 6,
    IS = composites_end,
    T = IS + 6,
    Q = T + 3,
    W = Q + 6,
    count = W + 6
  };
};

/// Pose and motion of a body.
template <class Real>
struct WorldState : WorldPose<Real> {
  Vec3<Real> w{}, v{}, wd{}, vd{};
};

/// Velocities first ... end - 1: each carried by the one before.
struct VelocityRun {
  int first, end;
};

template <class Real>
struct MotionWorkspace {
  JointStates<Real> joints;
  RowStorage<Real> rows;
  Array<WorldState<Real>> state;  // of branching bodies
  Array<Twist<Real>> D;           // D_jk in the world, where S(q): at j max_joint_dofs + k
  Array<Real> zero;
  Array<int> parent;        // the velocity that carries k, or -1
  Array<int> end;           // those that k carries: k ... end - 1
  Array<VelocityRun> runs;  // those that carry k: first_run[k] ... first_run[k + 1] - 1
  Array<int> first_run;
  Array<char> has_unrelated;  // some velocity neither carries k nor is carried by it
  Array<char> branches;       // whether k carries another velocity than k + 1 as well

  template <class Param>
  explicit MotionWorkspace(const Model<Param>& model)
      : joints(model),
        rows(MotionRow::count, model.n_v()),
        state(model.n_bodies()),
        D(model.n_v() * max_joint_dofs),
        zero(model.n_v(), Real(0)),
        parent(model.n_v(), -1),
        end(model.n_v()),
        branches(model.n_v(), 0) {
    first_run.push_back(0);
    for (int i = 1; i < model.n_bodies(); ++i) {
      const CanonicalBody<Param>& b = model.canonical(i);
      const CanonicalBody<Param>& p = model.canonical(b.parent);
      for (int k = b.v; k < b.v + b.n_v; ++k) {
        const int carrier = k > b.v ? k - 1 : b.parent > 0 ? p.v + p.n_v - 1 : -1;
        parent[k] = carrier;
        end[k] = b.v_end;
        if (carrier >= 0 && carrier != k - 1) branches[carrier] = 1;
        add_runs(carrier);
        has_unrelated.push_back(related(k) < model.n_v());
      }
    }
  }

 private:
  int related(int k) const {
    int count = end[k] - k;
    for (int r = first_run[k]; r < runs.size(); ++r) count += runs[r].end - runs[r].first;
    return count;
  }
  void add_runs(int carrier) {
    if (carrier >= 0) {
      for (int r = first_run[carrier]; r < first_run[carrier + 1]; ++r)
        runs.push_back(VelocityRun(runs[r]));
      const bool joins = first_run[carrier + 1] > first_run[carrier] && runs.back().end == carrier;
      if (joins)
        runs.back().end = carrier + 1;
      else
        runs.push_back({carrier, carrier + 1});
    }
    first_run.push_back(runs.size());
  }
};

}  // namespace torsor::internal
