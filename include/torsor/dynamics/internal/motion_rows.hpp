#pragma once
/// Where motion_columns.hpp keeps its numbers: rows by velocity, and what carries what.
///
/// The velocities of what velocity k carries are contiguous, k ... end - 1. Those that carry it are
/// a few runs of neighbours: one for a chain, one more for every branch that is passed on the way
/// to the base.
#include "torsor/dynamics/internal/lanes.hpp"
#include "torsor/model/sweep.hpp"

namespace torsor {

/// Places of the rows: matrices by columns, twists and wrenches angular part first.
struct MotionRow {
  enum : int {
    R = 0,  // of the body that the velocity belongs to
    p = 9,
    V_p = 12,
    A_p = 18,
    qd = 24,
    qdd = 25,
    S = 26,
    X = 32,
    Y = 38,
    Z = 44,
    V = 50,  // of the body
    A = 56,
    m = 62,  // from here: of the body, then of all that it carries
    h = 63,
    Sigma = 66,  // xx, xy, yy, xz, yz, zz
    P = 72,
    K = 75,
    F = 84,
    composites_end = 90,
    IS = 90,
    T = 96,
    Q = 99,
    W = 105,
    count = 111
  };
};

/// Pose and motion of a body.
template <class Real>
struct WorldState {
  SO3<Real> R = SO3<Real>::identity();
  Vec3<Real> p{}, w{}, v{}, wd{}, vd{};
};

/// Velocities first ... end - 1: each carried by the one before.
struct VelocityRun {
  int first, end;
};

template <class Real>
struct MotionWorkspace {
  JointStates<Real> joints;
  LaneRows<Real> rows;
  std::vector<WorldState<Real>> state;                     // of branching bodies
  std::vector<std::array<Twist<Real>, max_joint_dofs>> D;  // D_jk in the world, where S(q)
  std::vector<Real> zero;
  std::vector<int> parent,
      end;  // the velocity that carries k, or -1; those it carries: k ... end - 1
  std::vector<VelocityRun> runs;  // those that carry k: first_run[k] ... first_run[k + 1] - 1
  std::vector<int> first_run;
  std::vector<char> has_strangers;  // some velocity neither carries k nor is carried by it
  std::vector<char> branches;       // whether k carries another velocity than k + 1 as well

  template <class Param>
  explicit MotionWorkspace(const Model<Param>& model)
      : joints(model),
        rows(MotionRow::count, model.n_v()),
        state(static_cast<std::size_t>(model.n_bodies())),
        D(static_cast<std::size_t>(model.n_v())),
        zero(D.size(), Real(0)),
        parent(D.size(), -1),
        end(D.size()),
        branches(D.size(), 0) {
    first_run.push_back(0);
    for (int i = 1; i < model.n_bodies(); ++i) {
      const CanonicalBody<Param>& b = model.canonical(i);
      const CanonicalBody<Param>& p = model.canonical(b.parent);
      for (int k = b.v; k < b.v + b.n_v; ++k) {
        const int carrier = k > b.v ? k - 1 : b.parent > 0 ? p.v + p.n_v - 1 : -1;
        parent[static_cast<std::size_t>(k)] = carrier;
        end[static_cast<std::size_t>(k)] = b.v_end;
        if (carrier >= 0 && carrier != k - 1) branches[static_cast<std::size_t>(carrier)] = 1;
        add_runs(carrier);
        has_strangers.push_back(related(k) < model.n_v());
      }
    }
  }

 private:
  int related(int k) const {
    int count = end[static_cast<std::size_t>(k)] - k;
    for (auto r = static_cast<std::size_t>(first_run[static_cast<std::size_t>(k)]); r < runs.size();
         ++r)
      count += runs[r].end - runs[r].first;
    return count;
  }
  void add_runs(int carrier) {
    if (carrier >= 0) {
      const auto c = static_cast<std::size_t>(carrier);
      for (int r = first_run[c]; r < first_run[c + 1]; ++r)
        runs.push_back(VelocityRun(runs[static_cast<std::size_t>(r)]));
      const bool joins = first_run[c + 1] > first_run[c] && runs.back().end == carrier;
      if (joins)
        runs.back().end = carrier + 1;
      else
        runs.push_back({carrier, carrier + 1});
    }
    first_run.push_back(static_cast<int>(runs.size()));
  }
};

}  // namespace torsor
