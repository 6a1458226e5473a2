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
#include "torsor/model/internal/assert_state.hpp"

namespace torsor::internal {

/// Of one body in world axes; a less gravity. nu is that of the second velocity.
template <class Real>
struct WorldMotion {
  Vec3<Real> w{}, nu{}, alpha{}, a{};
};

/// Poses, columns and motions of all bodies. `two`: v differs from qd.
template <bool two, class Param, class Real>
void world_motion(const Model<Param>& model, WorldSweep<Real>& world,
                  Array<WorldMotion<Real>>& motion, In<Real> q, In<Real> qd, In<Real> v,
                  In<Real> a) {
  struct State : WorldPose<Real> {
    WorldMotion<Real> m{};
  };
  assert_state(model, q, qd, v, a);
  assert_workspace(model, world.joints);
  prepare(model, world.joints, q);
  State base;
  base.m.a = lift<Real>(-model.gravity());
  motion[0] = base.m;
  const auto resume = [&](int i, State& at) {
    world.resume(i, at);
    at.m = motion[i];
  };
  const auto move = [&](int i, const auto& b, const auto& joint, const Vec3<Real>& d, State& at) {
    const SO3<Real>& R = at.R;
    WorldMotion<Real>& m = at.m;
    set_columns(b, joint, at, world.S);
    world.store(i, at);
    const Vec3<Real> nu_p = two ? m.nu : m.w;
    m.a = m.a + cross(m.alpha, d) + cross(nu_p, cross(m.w, d));
    if constexpr (is_hinge<decltype(joint)>) {
      const Vec3<Real> s_v = R.c2 * v[b.v];
      m.w = m.w + R.c2 * qd[b.v];
      if constexpr (two) m.nu = m.nu + s_v;
      m.alpha = m.alpha + cross(m.w, s_v) + R.c2 * a[b.v];
    } else if constexpr (has_one_dof<decltype(joint)>) {
      const Vec3<Real> turning = cross(nu_p, R.c2) * qd[b.v] + cross(m.w, R.c2) * v[b.v];
      m.a = m.a + turning + R.c2 * a[b.v];
    } else {
      const Twist<Real> bias = sdot_times(model, i, q.data, qd.data, v.data);
      const Vec3<Real> s_v = R * joint.S_w(&v[b.v]);
      m.w = m.w + R * joint.S_w(&qd[b.v]);
      if constexpr (two) m.nu = m.nu + s_v;
      m.alpha = m.alpha + cross(m.w, s_v) + R * (joint.S_w(&a[b.v]) + bias.w);
      m.a = m.a + cross(nu_p, R * joint.S_v(&qd[b.v])) + cross(m.w, R * joint.S_v(&v[b.v])) +
            R * (joint.S_v(&a[b.v]) + bias.v);
    }
    motion[i].w = m.w, motion[i].alpha = m.alpha, motion[i].a = m.a;
    motion[i].nu = two ? m.nu : m.w;
  };
  world_sweep(model, world.joints, base, resume, move);
}

/// Axes of body i's link frame in the world.
template <class Param, class Real>
TORSOR_INLINE SO3<Real> world_link_axes(const Model<Param>& model, const WorldSweep<Real>& world,
                                        int i) {
  return world.R[i] * transpose(model.canonical().R_link_canonical[i]);
}

}  // namespace torsor::internal
