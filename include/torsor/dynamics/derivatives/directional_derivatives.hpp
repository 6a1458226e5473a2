#pragma once
/// What differentiating the dynamics with respect to one scalar p needs: the derivative of everything
/// that a sweep reads, and the motion about which it is taken.
///
///   dqd, dqdd, dtau          of the inputs
///   dS, dS'                  of the columns of a joint and of their time derivatives
///   dh = T^-1 dT             of the pose T of a body in its parent: placement, DH row, coordinate
///   dI, dF_ext               of a body's inertia and external wrench
///   dV_0, dV'_0              of the world's motion; gravity enters as dV'_0 = (0, -dg)
///   darmature                of a rotor's reflected inertia
///
/// A coordinate enters through add_coordinates: dh = S dq, and dS, dS' where S depends on q. Any p
/// at all is a sum of these; parameter_derivatives.hpp fills them for named parameters.
///
/// Frames   The physical form: everything about body i in its link frame (Model::body), T_i the pose
///          of body i in its parent. dI and dF_ext are componentwise in the link frame.
/// Cost     Parts that are not set cost nothing: `parts` of a body says what is. Clearing a direction
///          visits the bodies that were touched.
/// Source   Kim 2012, section 4, (81)-(92), as corrected in docs/derivatives.md.
#include "torsor/linear/internal/ldlt.hpp"
#include "torsor/math/array.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

/// d/dp of all that inverse, forward and hybrid dynamics read.
template <class Real>
struct Direction {
  enum Part : unsigned char { pose = 1, columns = 2, inertia = 4, wrench = 8 };

  Array<Real> qd, qdd, tau, armature;  ///< per velocity
  Array<Twist<Real>> S, Sdot;          ///< per velocity; count where `columns` is set
  Array<Twist<Real>> h;                ///< per body; counts where `pose` is set
  Array<Inertia<Real>> I;              ///< per body; counts where `inertia` is set
  Array<Wrench<Real>> F_ext;           ///< per body; counts where `wrench` is set
  Array<unsigned char> parts;          ///< per body: which of its derivatives are not zero
  Twist<Real> V_base{}, Vdot_base{};

  template <class Param>
  explicit Direction(const Model<Param>& model)
      : qd(model.n_v()),
        qdd(qd.size()),
        tau(qd.size()),
        armature(qd.size()),
        S(qd.size()),
        Sdot(qd.size()),
        h(model.n_bodies()),
        I(h.size()),
        F_ext(h.size()),
        parts(h.size()) {}

  bool has(int body, Part part) const { return (parts[body] & part) != 0; }
  void add_pose(int body, const Twist<Real>& dh) { h[touch(body, pose)] += dh; }
  void add_inertia(int body, const Inertia<Real>& dI) {
    Inertia<Real>& sum = I[touch(body, inertia)];
    sum = sum + dI;
  }
  void add_wrench(int body, const Wrench<Real>& dF) { F_ext[touch(body, wrench)] += dF; }
  /// Of velocity k, which belongs to `body`.
  void add_column(int body, int k, const Twist<Real>& dS, const Twist<Real>& dSdot) {
    (void)touch(body, columns);
    S[k] += dS;
    Sdot[k] += dSdot;
  }

  /// Back to zero.
  template <class Param>
  void clear(const Model<Param>& model) {
    for (auto* list : {&qd, &qdd, &tau, &armature})
      for (Real& x : *list) x = Real(0);
    for (int i = 0; i < model.n_bodies(); ++i) {
      if (parts[i] == 0) continue;
      h[i] = {}, I[i] = {}, F_ext[i] = {};
      const Dofs v = model.body(i).v;
      for (int k = v.first; has(i, columns) && k < v.first + v.count; ++k) S[k] = {}, Sdot[k] = {};
      parts[i] = 0;
    }
    V_base = {}, Vdot_base = {};
  }

 private:
  int touch(int body, Part part) {
    parts[body] = static_cast<unsigned char>(parts[body] | part);
    return body;
  }
};

/// The motion about which derivatives are taken, as linearise_* leaves it, and the latest derivative.
template <class Real>
struct DirectionalWorkspace {
  Array<Real> qd, qdd;                // per velocity
  Array<SE3<Real>> T;                 // T_parent_child
  Array<Twist<Real>> S, Sdot;         // per velocity
  Array<Twist<Real>> V_joint, V;      // S qd; body twist
  Array<Twist<Real>> Vdot_of_parent;  // Ad(T^-1) V'_p
  Array<Twist<Real>> Vdot;
  Array<Wrench<Real>> L, F;           // I V; through the joint
  Twist<Real> V_base{}, Vdot_base{};  // the world's own motion; gravity is added to it

  // Of hybrid dynamics: table 4 and table 3.
  Array<char> prescribed;                    // per body
  Array<ArticulatedInertia<Real>> I;         // articulated, per body
  Array<Wrench<Real>> B;                     // articulated bias, per body
  Array<Wrench<Real>> U, K;                  // per velocity: I^ S and I^ S D^-1
  Array<internal::SmallLdlt<Real>> factors;  // of D = S^T I^ S + rotors, per body
  Array<Real> e, pivots;                     // per velocity

  Array<Twist<Real>> dV, dVdot, A;
  Array<Wrench<Real>> dF;
  Array<Real> de;  // per velocity

  template <class Param>
  explicit DirectionalWorkspace(const Model<Param>& model)
      : qd(model.n_v()),
        qdd(qd.size()),
        T(model.n_bodies()),
        S(qd.size()),
        Sdot(qd.size()),
        V_joint(T.size()),
        V(T.size()),
        Vdot_of_parent(T.size()),
        Vdot(T.size()),
        L(T.size()),
        F(T.size()),
        prescribed(T.size()),
        I(T.size()),
        B(T.size()),
        U(qd.size()),
        K(qd.size()),
        factors(T.size()),
        e(qd.size()),
        pivots(qd.size()),
        dV(T.size()),
        dVdot(T.size()),
        A(T.size()),
        dF(T.size()),
        de(qd.size()) {}
};

namespace internal {

/// T, S and S' of body i's joint in link frames.
template <class Param, class Real>
TORSOR_COLD void evaluate_joint(const Model<Param>& model, DirectionalWorkspace<Real>& ws, int i,
                                const Real* q, const Real* qd) {
  const Body<Param>& b = model.body(i);
  const JointShape<Param>& shape = model.joint(i);
  const JointMotion<Real> motion = joint_motion(shape, q + b.q.first);
  SE3<Real>& T = ws.T[i];
  const SO3<Param> R = b.placement.R * b.turn;
  T.R = R * motion.T.R * transpose(b.turn);
  T.p = R * motion.T.p + b.placement.p;
  const auto turned = [&](const Twist<Real>& x) { return Twist<Real>{b.turn * x.w, b.turn * x.v}; };
  for (int c = 0; c < b.v.count; ++c) ws.S[b.v.first + c] = turned(motion.S.data()[c]);
  if (!has_sdot(shape.kind)) return;
  const auto Sdot = joint_sdot(shape, q + b.q.first, qd + b.v.first);
  for (int c = 0; c < b.v.count; ++c) ws.Sdot[b.v.first + c] = turned(Sdot.data()[c]);
}

/// Adds what a joint does when its constants, coordinates and velocities (duals along p) change:
/// dh = T^-1 dT, dS and dS'. T^-1 dT is read from T_z(q); the placement is not part of it.
template <class Param, class Real>
TORSOR_COLD void add_joint_variation(const Model<Param>& model, int i,
                                     const JointShape<Dual<Real, 1>>& shape, const Dual<Real, 1>* q,
                                     const Dual<Real, 1>* qd, Direction<Real>& direction) {
  using Tangent = Dual<Real, 1>;
  const SO3<Param>& turn = model.body(i).turn;
  const Dofs dofs = model.body(i).v;
  const auto slope = [](const Vec3<Tangent>& u) {
    return Vec3<Real>{u.x.d[0], u.y.d[0], u.z.d[0]};
  };
  const auto value = [](const Vec3<Tangent>& u) {
    return Vec3<Real>{u.x.value, u.y.value, u.z.value};
  };
  const auto turned = [&](const Twist<Tangent>& x) {
    return Twist<Real>{turn * slope(x.w), turn * slope(x.v)};
  };
  const auto [T, S] = joint_motion(shape, q);
  const SO3<Real> R{value(T.R.c0), value(T.R.c1), value(T.R.c2)},
      dR{slope(T.R.c0), slope(T.R.c1), slope(T.R.c2)};
  const SO3<Real> W = transpose_times(R, dR);  // skew: the axial vector
  direction.add_pose(
      i, {turn * Vec3<Real>{W.c1.z, W.c2.x, W.c0.y}, turn * transpose_times(R, slope(T.p))});
  JointColumns<Tangent> Sdot{};
  if (has_sdot(shape.kind)) Sdot = joint_sdot(shape, q, qd);
  for (int c = 0; c < dofs.count; ++c) {
    direction.add_column(i, dofs.first + c, turned(S.data()[c]), turned(Sdot.data()[c]));
  }
}

/// The joint's constants as duals with derivative zero.
template <class Param, class Real>
JointShape<Dual<Real, 1>> constant_shape(const JointShape<Param>& joint) {
  using Tangent = Dual<Real, 1>;
  JointShape<Tangent> s{joint.kind, joint.order,  joint.n_q, joint.n_v, Tangent(Real(joint.pitch)),
                        {},         joint.n_parts};
  for (int k = 0; k < joint.n_parts; ++k) {
    const PartShape<Param>& part = joint.parts.data()[k];
    s.parts.data()[k] = {part.kind, part.order, Tangent(Real(part.pitch)),
                         part.before.template cast<Real>().template cast<Tangent>(),
                         part.after.template cast<Real>().template cast<Tangent>()};
  }
  return s;
}

/// Adds the motion dq of body i's coordinates along the tangent of its joint (q exp(dq) on a group)
/// and dqd, the change of its velocities, as far as dS' sees it. dq and dqd are slices of the joint.
template <class Param, class Real>
TORSOR_COLD void add_joint_state(const Model<Param>& model, int i, In<Real> q, In<Real> qd,
                                 const Real* dq, const Real* dqd, Direction<Real>& direction) {
  using Tangent = Dual<Real, 1>;
  const Body<Param>& b = model.body(i);
  const JointShape<Param>& shape = model.joint(i);
  Real rates[max_joint_coordinates]{};
  coordinate_rates(shape, q.data + b.q.first, dq, rates);
  Tangent x[max_joint_coordinates], v[max_joint_dofs];
  for (int k = 0; k < b.q.count; ++k) x[k].value = q[b.q.first + k], x[k].d[0] = rates[k];
  for (int k = 0; k < b.v.count; ++k) v[k].value = qd[b.v.first + k], v[k].d[0] = dqd[k];
  add_joint_variation(model, i, constant_shape<Param, Real>(shape), static_cast<const Tangent*>(x),
                      static_cast<const Tangent*>(v), direction);
}

}  // namespace internal

/// Adds a change of the whole state: dq along the tangent of q (n_v numbers) and dqd. `ws` must hold
/// the motion at q, qd. Cost O(n); joints with constant S need no duals.
template <class Param, class Real>
void add_state(const Model<Param>& model, const DirectionalWorkspace<Real>& ws, In<Real> q,
               In<Real> qd, In<Real> dq, In<Real> dqd, Direction<Real>& direction) {
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Dofs v = model.body(i).v;
    for (int k = v.first; k < v.first + v.count; ++k) direction.qd[k] = direction.qd[k] + dqd[k];
    if (internal::has_sdot(model.joint(i).kind)) {
      internal::add_joint_state<Param, Real>(model, i, q, qd, &dq[v.first], &dqd[v.first],
                                             direction);
      continue;
    }
    Twist<Real> h{};
    for (int k = v.first; k < v.first + v.count; ++k) h += ws.S[k] * dq[k];
    direction.add_pose(i, h);
  }
}

/// Compiled once, in src/dynamics/derivatives/directional_derivatives.cpp; other scalars where they are used.
#define TORSOR_DIRECTIONAL_DERIVATIVES(Extern, Param, Real)                                        \
  Extern template void internal::evaluate_joint(const Model<Param>&, DirectionalWorkspace<Real>&,  \
                                                int, const Real*, const Real*);                    \
  Extern template void internal::add_joint_variation(                                              \
      const Model<Param>&, int, const JointShape<Dual<Real, 1>>&, const Dual<Real, 1>*,            \
      const Dual<Real, 1>*, Direction<Real>&);                                                     \
  Extern template void internal::add_joint_state(const Model<Param>&, int, In<Real>, In<Real>,     \
                                                 const Real*, const Real*, Direction<Real>&);      \
  Extern template void add_state(const Model<Param>&, const DirectionalWorkspace<Real>&, In<Real>, \
                                 In<Real>, In<Real>, In<Real>, Direction<Real>&);
TORSOR_DIRECTIONAL_DERIVATIVES(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_DIRECTIONAL_DERIVATIVES
#endif

}  // namespace torsor
