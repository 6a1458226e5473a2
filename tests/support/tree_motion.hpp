#pragma once
/// Motion of every body by products of joint poses: an independent truth for the sweeps.
#include <string>
#include <vector>

#include "torsor/model/configuration.hpp"

namespace torsor::testing {

/// Poses in the world and body twists; body 0 is the world, which may move itself.
struct TreeMotion {
  std::vector<SE3<double>> T;
  std::vector<Twist<double>> V;
};

inline TreeMotion tree_motion(const Model<double>& model, const std::vector<double>& q,
                              const std::vector<double>& v, const Twist<double>& V_0 = {}) {
  TreeMotion m{{SE3<double>{}}, {V_0}};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto parent = static_cast<std::size_t>(model.body(i).parent);
    const SE3<double> T = joint_pose(model, i, q);
    Twist<double> V = Ad_inv(T, m.V[parent]);
    const auto S = joint_subspace(model, i, q);
    for (int k = 0; k < model.joint(i).n_v; ++k)
      V += S[static_cast<std::size_t>(k)] * v[static_cast<std::size_t>(model.body(i).v.first + k)];
    m.T.push_back(m.T[parent] * T);
    m.V.push_back(V);
  }
  return m;
}

/// Pose in the world of a link, frame or joint.
inline SE3<double> world_pose(const Model<double>& model, const TreeMotion& m,
                              const std::string& frame) {
  const Frame& f = model.frame(frame);
  return m.T[static_cast<std::size_t>(f.body)] * f.placement;
}

/// Of the moving bodies: energy, mass, and mass times centre of mass in the world.
struct TreeTotals {
  double energy = 0, mass = 0;
  Vec3<double> moment{};
};
inline TreeTotals tree_totals(const Model<double>& model, const TreeMotion& m) {
  TreeTotals sum;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Inertia<double>& I = model.body(i).inertia;
    sum.energy += dot(m.V[k], I * m.V[k]) / 2;
    sum.mass += I.m;
    sum.moment += transported(m.T[k], I).h;
  }
  return sum;
}

}  // namespace torsor::testing
