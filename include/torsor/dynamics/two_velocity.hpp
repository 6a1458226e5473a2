#pragma once
/// Inverse dynamics with two velocities: tau = M(q) a + C(q, qd) v + g(q), C that of coriolis.hpp.
///
///   base -> tip   w_i  = R^T w_p + S_w qd,     x_i = R^T x_p + S_w v
///                 x'_i = R^T x'_p + w_i x S_w v + S'_w v + S_w a           U = [x'] + [x] [w]
///                 y'_i = R^T (y'_p + U_p p_i) + R^T x_p x S_v qd + w_i x S_v v + S'_v v + S_v a
///                 f_i  = m y' + U h,   n_i = h x y' + axial(U Sigma)
///   tip -> base   tau_i = S^T (n_i, f_i) + rotor a_i;  the parent gets (R n_i + p_i x R f_i, R f_i)
///
/// w is the angular velocity of the motion; x and y belong to v: J v of a particle at r is
/// y + cross(x, r), and its derivative along the motion, y' + U r, is what C = sum m J_r^T J'_r
/// multiplies with m. For v = qd this is rigid_inverse_dynamics.
///
/// axial as in rnea.hpp.
///
/// Frames   Canonical frames, as rnea.hpp; S' is the derivative of S along qd.
/// Gravity  y'_0 = -g.
/// Cost     O(n), no allocation, no branch on the state.
/// Source   Slotine & Li 1987 ask for it; Niemeyer & Slotine 1991 for the recursion; the form by
///          particles is that of coriolis.hpp.
#include "torsor/dynamics/gravity.hpp"
#include "torsor/math/array.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor {

namespace internal {

/// w; the angular part of J v with its derivative; the derivative of the origin's part of J v.
template <class Real>
struct TwoMotions {
  Vec3<Real> w{}, x{}, xd{}, yd{};
};

/// U r for U = [x'] + [x] [w].
template <class Real, class Param>
TORSOR_INLINE Vec3<Real> turned(const TwoMotions<Real>& m, const Vec3<Param>& r) {
  return cross(m.xd, r) + cross(m.x, cross(m.w, r));
}

}  // namespace internal

template <class Real>
struct TwoVelocityWorkspace {
  RneaWorkspace<Real> rnea;
  Array<internal::TwoMotions<Real>> motion;

  template <class Param>
  explicit TwoVelocityWorkspace(const Model<Param>& model)
      : rnea(model), motion(model.n_bodies()) {}
};

/// tau = M(q) a + C(q, qd) v + g(q), M with rotors.
template <class Param, class Real>
TORSOR_FLATTEN void two_velocity_inverse_dynamics(const Model<Param>& model,
                                                  TwoVelocityWorkspace<Real>& ws, In<Real> q,
                                                  In<Real> qd, In<Real> v, In<Real> a,
                                                  Out<Real> tau) {
  internal::assert_state(model, q, qd, v, a, tau);
  internal::assert_workspace(model, ws.rnea.joints);
  internal::prepare(model, ws.rnea.joints, q);
  using internal::turned;
  internal::TwoMotions<Real> m;
  m.yd = internal::lift<Real>(-model.gravity());
  ws.motion[0] = m;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const internal::CanonicalBody<Param>& b = model.canonical(i);
    if (b.parent != i - 1) m = ws.motion[b.parent];
    internal::visit(model, ws.rnea.joints, i, [&](const auto& joint) {
      const Vec3<Real> yd = joint.to_child(m.yd + turned(m, joint.origin()));
      const Vec3<Real> x_parent = joint.to_child(m.x);
      m.w = joint.to_child(m.w) + joint.S_w(&qd[b.v]);
      m.x = x_parent + joint.S_w(&v[b.v]);
      m.xd = joint.to_child(m.xd) + cross(m.w, joint.S_w(&v[b.v])) + joint.S_w(&a[b.v]);
      m.yd = yd + cross(x_parent, joint.S_v(&qd[b.v])) + cross(m.w, joint.S_v(&v[b.v])) +
             joint.S_v(&a[b.v]);
      if constexpr (!internal::has_one_dof<decltype(joint)>) {
        const Twist<Real> bias = internal::sdot_times(model, i, q.data, qd.data, v.data);
        m.xd = m.xd + bias.w;
        m.yd = m.yd + bias.v;
      }
    });
    ws.motion[i] = m;
    const auto& [mass, h, S] = b.moments;
    const Vec3<Param> s0{S.xx, S.xy, S.xz}, s1{S.xy, S.yy, S.yz}, s2{S.xz, S.yz, S.zz};
    const Vec3<Real> ex = Vec3<Real>::unit_x(), ey = Vec3<Real>::unit_y(),
                     ez = Vec3<Real>::unit_z();
    // axial(U S) = sum over columns k of (S e_k) x (U e_k)
    ws.rnea.F[i] = {(cross(h, m.yd) + cross(s0, turned(m, ex))) +
                        (cross(s1, turned(m, ey)) + cross(s2, turned(m, ez))),
                    m.yd * mass + turned(m, h)};
  }
  internal::project_wrenches(model, ws.rnea, tau);
  internal::add_rotor_torques(model, a, tau);
}

/// Compiled once, in src/dynamics/two_velocity.cpp; other scalars where they are used.
#define TORSOR_TWO_VELOCITY(Extern, Param, Real)                                            \
  Extern template void two_velocity_inverse_dynamics(const Model<Param>&,                   \
                                                     TwoVelocityWorkspace<Real>&, In<Real>, \
                                                     In<Real>, In<Real>, In<Real>, Out<Real>);
TORSOR_TWO_VELOCITY(extern, double, double)
TORSOR_TWO_VELOCITY(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_TWO_VELOCITY
#endif

}  // namespace torsor
