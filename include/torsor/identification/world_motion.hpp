#pragma once
/// Motion of all bodies in world axes, for one velocity or two.
///
///   What M a + C(q, qd) v + g needs: a point r of body i (from its origin) accelerates by
///   a + alpha x r + nu x (w x r), with w the angular velocity of qd and nu that of v.
///   With (s, u) = R_i S, (s', u') its joint's own derivative, d = p_i - p_p and p the parent:
///   base -> tip   w_i     = w_p + s qd,   nu_i = nu_p + s v
///                 alpha_i = alpha_p + w_i x s v + s' v + s a
///                 a_i     = a_p + alpha_p x d + nu_p x (w_p x d)
///                           + nu_p x u qd + w_i x u v + u' v + u a
///   With v = qd and a = qdd this is the motion itself, less gravity.
///
/// Frames   World axes; positions from the reference points of world_sweep.hpp.
/// Gravity  a_0 = -g.
/// Cost     O(n), no allocation, no branch on the state.
/// Source   J_r a + Jdot_r v of every particle: C is sum m J_r^T Jdot_r (docs/conventions.md).
#include "torsor/dynamics/internal/world_sweep.hpp"

namespace torsor {

/// Of one body in world axes; a less gravity. nu is that of the second velocity.
template <class Real>
struct WorldMotion {
  Vec3<Real> w{}, nu{}, alpha{}, a{};
};

template <class Real>
struct RegressorWorkspace {
  WorldSweep<Real> world;
  std::vector<WorldMotion<Real>> motion;
  std::vector<Wrench<Real>> F;  // of inverse_dynamics
  // Velocities on the way to body i: run_first[i] ... v + n_v - 1 of i, then those of run_above[i].
  std::vector<int> run_first, run_above;

  template <class Param>
  explicit RegressorWorkspace(const Model<Param>& model)
      : world(model),
        motion(static_cast<std::size_t>(model.n_bodies())),
        F(motion.size()),
        run_first(motion.size()),
        run_above(motion.size()) {
    for (int i = 1; i < model.n_bodies(); ++i) {
      const CanonicalBody<Param>&b = model.canonical(i), &above = model.canonical(b.parent);
      const auto k = static_cast<std::size_t>(i), p = static_cast<std::size_t>(b.parent);
      const bool joined = b.parent != 0 && above.v + above.n_v == b.v;
      run_first[k] = joined ? run_first[p] : b.v;
      run_above[k] = joined ? run_above[p] : b.parent;
    }
  }
};

/// Poses, columns and motions of all bodies. `two`: v differs from qd.
template <bool two, class Param, class Real>
TORSOR_HD void world_motion(const Model<Param>& model, RegressorWorkspace<Real>& ws, In<Real> q,
                            In<Real> qd, In<Real> v, In<Real> a) {
  prepare(model, ws.world.joints, q);
  world_sweep(model, ws.world);
  const Vec3<Real>* const p = ws.world.p.data();
  WorldMotion<Real>* const motion = ws.motion.data();
  motion[0].a = lift<Real>(-model.gravity());
  WorldMotion<Real> m = motion[0];  // of body i - 1, most often the parent
  for (int i = 1; i < model.n_bodies(); ++i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    const SO3<Real>& R = ws.world.R[static_cast<std::size_t>(i)];
    if (b.parent != i - 1) m = motion[b.parent];
    const Vec3<Real> nu_p = two ? m.nu : m.w;
    if (b.parent != 0) {
      const Vec3<Real> d = p[i] - p[b.parent];
      m.a = m.a + cross(m.alpha, d) + cross(nu_p, cross(m.w, d));
    }
    if (b.joint == JointClass::hinge || b.joint == JointClass::turned_hinge) {
      const Vec3<Real> s_v = R.c2 * v[b.v];
      m.w = m.w + R.c2 * qd[b.v];
      if constexpr (two) m.nu = m.nu + s_v;
      m.alpha = m.alpha + cross(m.w, s_v) + R.c2 * a[b.v];
    } else if (b.joint == JointClass::slider) {
      const Vec3<Real> turning = cross(nu_p, R.c2) * qd[b.v] + cross(m.w, R.c2) * v[b.v];
      m.a = m.a + turning + R.c2 * a[b.v];
    } else {
      Twist<Real> S_qd{}, S_v{}, S_a = sdot_times(model, i, q.data, qd.data, v.data);
      for (int c = b.v; c < b.v + b.n_v; ++c) {
        const Twist<Real>& S = ws.world.joints.S[static_cast<std::size_t>(c)];
        S_qd += S * qd[c], S_v += S * v[c], S_a += S * a[c];
      }
      const Vec3<Real> s_v = R * S_v.w;
      m.w = m.w + R * S_qd.w;
      if constexpr (two) m.nu = m.nu + s_v;
      m.alpha = m.alpha + cross(m.w, s_v) + R * S_a.w;
      m.a = m.a + cross(nu_p, R * S_qd.v) + cross(m.w, R * S_v.v) + R * S_a.v;
    }
    motion[i].w = m.w, motion[i].alpha = m.alpha, motion[i].a = m.a;
    motion[i].nu = two ? m.nu : m.w;
  }
}

/// Axes of body i's link frame in the world.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE SO3<Real> world_link_axes(const Model<Param>& model,
                                                  const WorldSweep<Real>& world, int i) {
  const auto k = static_cast<std::size_t>(i);
  return world.R[k] * transpose(model.canonical().R_link_canonical[k]);
}

}  // namespace torsor
