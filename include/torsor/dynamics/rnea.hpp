#pragma once
/// Inverse dynamics of rigid bodies and rotors: the recursive Newton-Euler algorithm, with
/// accelerations of origins.
///
/// rigid_inverse_dynamics, rigid_forward_dynamics (aba.hpp) and rigid_hybrid_dynamics (hybrid.hpp)
/// see the tree of rigid bodies and the rotors, M(q) as mass_matrix gives it, and are inverse to
/// each other. full_dynamics.hpp has the verbs with everything else that a model has.
///
///   base -> tip   w_i  = R^T w_p + S_w qd                                    U = [w'] + [w]^2
///                 w'_i = R^T w'_p + w_i x S_w qd + S'_w qd + S_w qdd
///                 a_i  = R^T (a_p + U_p p_i) + (w_i + R^T w_p) x S_v qd + S'_v qd + S_v qdd
///                 f_i  = m a + U h - f_ext,   n_i = h x a + axial(U Sigma) - n_ext
///   tip -> base   tau_i = S^T (n_i, f_i) + rotor qdd_i;  the parent gets (R n_i + p_i x R f_i, R f_i)
///
/// axial(A) = (A_32 - A_23, A_13 - A_31, A_21 - A_12), as in math/inertia.hpp.
///
/// Frames   Canonical frames of the model (canonical.hpp): all about body i in its own axes; R, p is the
///          pose of body i in its parent. S_w, S_v are the halves of S; S' its derivative along qd.
/// Gravity  a_0 = -g: the world accelerates upwards, so no body carries its own weight.
/// Cost     O(n), no allocation, no branch on the state: the same code runs on double, float, Dual and Pack.
/// Source   Luh, Walker & Paul 1980 and Kim 2012, table 2, rewritten with the classical
///          acceleration a = v' + w x v of the origin and second moments: no linear velocity is needed.
#include "torsor/model/assert_state.hpp"
#include "torsor/model/sweep.hpp"

namespace torsor {

/// Angular velocity and acceleration, acceleration of the origin less gravity.
template <class Real>
struct BodyMotion {
  Vec3<Real> w{}, wd{}, a{};
};

/// a + U p = a + w' x p + w x (w x p): the acceleration of a point p of the body.
template <class Real, class Param>
TORSOR_HD TORSOR_INLINE Vec3<Real> acceleration_of(const BodyMotion<Real>& m,
                                                   const Vec3<Param>& p) {
  return m.a + cross(m.wd, p) + cross(m.w, cross(m.w, p));
}

/// Wrench that moves a body with mass moments I by the motion m. `hinged`: m = h_z = S_zz = 0.
template <bool hinged, class Param, class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> wrench_of(const MassMoments<Param>& I,
                                               const BodyMotion<Real>& motion) {
  const auto& [w, d, a] = motion;
  const auto& [m, h, S] = I;
  const Real xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const Real xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  const Vec3<Real> u0{-(yy + zz), xy + d.z, xz - d.y}, u1{xy - d.z, -(xx + zz), yz + d.x},
      u2{xz + d.y, yz - d.x, -(xx + yy)};  // columns of U
  // axial(U S) = sum over columns k of (S e_k) x (U e_k)
  const Vec3<Param> s0{S.xx, S.xy, S.xz}, s1{S.xy, S.yy, S.yz};
  if constexpr (hinged) {
    const Vec3<Real> f = u0 * h.x + u1 * h.y;
    const Vec3<Real> ha{h.y * a.z, -(h.x * a.z), h.x * a.y - h.y * a.x};
    const Vec3<Real> s2u2{S.yz * u2.z, -(S.xz * u2.z), S.xz * u2.y - S.yz * u2.x};
    return {(ha + cross(s0, u0)) + (cross(s1, u1) + s2u2), f};
  } else {
    const Vec3<Param> s2{S.xz, S.yz, S.zz};
    return {(cross(h, a) + cross(s0, u0)) + (cross(s1, u1) + cross(s2, u2)),
            (a * m + u0 * h.x) + (u1 * h.y + u2 * h.z)};
  }
}

/// F[i] -= F_ext[i], which is given in the file's link frames.
template <SweepModel Robot, class Real>
TORSOR_HD TORSOR_INLINE void subtract_external(const Robot& model, In<Wrench<Real>> F_ext,
                                               Wrench<Real>* F) {
  if (F_ext.empty()) return;
  TORSOR_UNROLL
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto& R = model.link_axes(i);
    F[i] -= Wrench<Real>{transpose_times(R, F_ext[i].m), transpose_times(R, F_ext[i].f)};
  }
}

template <class Real, class Storage = Heap>
struct RneaWorkspace {
  JointStates<Real, Storage> joints;
  typename Storage::template PerBody<BodyMotion<Real>> motion;
  typename Storage::template PerBody<Wrench<Real>> F;
  bool rotors = true;  // false: tau without them

  RneaWorkspace() = default;
  template <SweepModel Robot>
  TORSOR_HD explicit RneaWorkspace(const Robot& model) : joints(model) {
    internal::allocate(model.n_bodies(), motion, F);
  }
};

/// Motions and wrenches of all bodies, base to tip; `accelerated`: qdd is not zero.
template <bool accelerated, SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE void motion_sweep(const Robot& model, RneaWorkspace<Real, Storage>& ws,
                                          In<Real> qd, In<Real> qdd) {
  BodyMotion<Real>* const motion = ws.motion.data();
  Wrench<Real>* const F = ws.F.data();
  const int n = model.n_bodies();
  BodyMotion<Real> m;  // of body i - 1, most often the parent: it stays in registers
  m.a = lift<Real>(-model.gravity());
  motion[0] = m;
  TORSOR_UNROLL
  for (int i = 1; i < n; ++i) {
    const int parent = model.parent(i), v = model.first_v(i);
    if (parent != i - 1) m = motion[parent];
    visit(model, ws.joints, i, [&](const auto& joint) {
      const auto w_joint = joint.S_w(qd.data + v);
      const auto v_joint = joint.S_v(qd.data + v);
      const Vec3<Real> w_parent = joint.to_child(m.w);
      const Vec3<Real> a_joint = joint.to_child(acceleration_of(m, joint.origin()));
      m.w = w_parent + w_joint;
      m.wd = joint.to_child(m.wd) + cross(m.w, w_joint) + joint.bias_w();
      m.a = a_joint + cross(m.w + w_parent, v_joint) + joint.bias_v();
      if constexpr (accelerated) {
        m.wd = m.wd + joint.S_w(qdd.data + v);
        m.a = m.a + joint.S_v(qdd.data + v);
      }
      F[i] = wrench_of<is_hinge<decltype(joint)>>(model.canonical(i).moments, m);
    });
    motion[i] = m;
  }
}

/// tau = S^T of the wrenches F of the bodies, summed from the tips.
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE void project_wrenches(const Robot& model, RneaWorkspace<Real, Storage>& ws,
                                              Out<Real> tau) {
  Wrench<Real>* const F = ws.F.data();
  Wrench<Real> from_child{};
  TORSOR_UNROLL
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const int parent = model.parent(i);
    visit(model, ws.joints, i, [&](const auto& joint) {
      const Wrench<Real> F_i = F[i] + from_child;
      joint.project(F_i, tau.data + model.first_v(i));
      const Vec3<Real> f = joint.to_parent(F_i.f);
      from_child = {joint.to_parent(F_i.m) + cross(joint.origin(), f), f};
    });
    if (parent != i - 1) {
      F[parent] += from_child;
      from_child = {};
    }
  }
}

/// tau += rotor qdd, the reflected inertia of each motor.
template <SweepModel Robot, class Real>
TORSOR_HD TORSOR_INLINE void add_rotor_torques(const Robot& model, View<const Real> qdd,
                                               View<Real> tau) {
  for (int k = 0; k < model.n_v(); ++k) tau[k] = tau[k] + qdd[k] * model.dof(k).armature;
}

/// tau = M(q) qdd + C(q, qd) qd + g(q) - sum_i J_i^T F_ext[i], M with rotors. An empty F_ext means
/// none.
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_FLATTEN void rigid_inverse_dynamics(const Robot& model,
                                                     RneaWorkspace<Real, Storage>& ws, In<Real> q,
                                                     In<Real> qd, In<Real> qdd,
                                                     In<Wrench<Real>> F_ext, Out<Real> tau) {
  assert_state(model, q, qd, qdd, tau);
  assert_wrenches(model, F_ext);
  assert_workspace(model, ws.joints);
  prepare(model, ws.joints, q, qd);
  motion_sweep<true>(model, ws, qd, qdd);
  subtract_external(model, F_ext, ws.F.data());
  project_wrenches(model, ws, tau);
  if (ws.rotors) add_rotor_torques(model, qdd, tau);
}

#ifndef __CUDACC__
#define TORSOR_RNEA(Param, Real)                                                            \
  template void rigid_inverse_dynamics(const Model<Param>&, RneaWorkspace<Real>&, In<Real>, \
                                       In<Real>, In<Real>, In<Wrench<Real>>, Out<Real>)
extern TORSOR_RNEA(double, double);
extern TORSOR_RNEA(float, float);
#endif

}  // namespace torsor
