#pragma once
/// What aba.hpp and hybrid.hpp are made of: biases from the base to the tips, articulated inertias on
/// the way back, and what a joint does to them: released, it obeys its torque; held, its
/// acceleration.
///
/// Frames, equations and symbols are those of aba.hpp.
#include "torsor/dynamics/internal/articulated.hpp"
#include "torsor/dynamics/internal/body_motion.hpp"
#include "torsor/linear/internal/ldlt.hpp"

namespace torsor {

template <class Real, class Storage>
struct AbaWorkspace;
template <class Real>
struct ForwardDynamicsResult;

namespace internal {

/// to = from, number by number: a copy of the whole struct would wait for its stores.
template <class Real>
TORSOR_HD TORSOR_INLINE void store(const Wrench<Real>& from, Wrench<Real>& to) {
  to.m.x = from.m.x, to.m.y = from.m.y, to.m.z = from.m.z;
  to.f.x = from.f.x, to.f.y = from.f.y, to.f.z = from.f.z;
}

/// Releases a joint with one degree of freedom: K and e as above, I^ - U K^T, and b^ + U e. True
/// where nothing of I^ along the joint is left, which makes that of a hinge flat (articulated.hpp).
template <class Joint, SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE bool release(const Joint& joint, const Robot& model, int i, In<Real> tau,
                                     ArticulatedInertia<Real>& I, Wrench<Real>& b,
                                     AbaWorkspace<Real, Storage>& ws) {
  const int v = model.first_v(i);
  const Wrench<Real> U = joint.column(I);
  const ParamOf<Robot> rotor = model.dof(v).armature * ParamOf<Robot>(ws.rotors ? 1 : 0);
  const Real D = joint.component(U) + rotor, inverse = reciprocal_or_zero(D);
  const Wrench<Real> K = U * inverse;
  const Real e = (tau[v] - joint.component(b)) * inverse;
  b += U * e;
  store(K, ws.K[v]);
  ws.e[v] = e;
  ws.D[v] = D;
  if constexpr (is_plain_hinge<const Joint&> && Plain<ParamOf<Robot>>) {
    if (rotor == 0) {
      I = deflated_flat(I, U, K);
      return true;
    }
  }
  I = deflated(I, U, K);
  return false;
}

/// The same for a joint with several, through the factors of D; what is left is never flat.
template <class Param, class Real>
TORSOR_HD TORSOR_COLD void release_several(const GeneralJoint<Real>& joint,
                                           const DofConstants<Param>* dof, bool rotors,
                                           const Real* tau, ArticulatedInertia<Real>& I,
                                           Wrench<Real>& b, Wrench<Real>* K, Real* e, Real* D) {
  const int n = joint.n;
  Wrench<Real> U[max_joint_dofs];
  SmallLdlt<Real> factors;
  for (int k = 0; k < n; ++k) U[k] = I * joint.S[k];
  for (int k = 0; k < n; ++k)
    for (int l = 0; l <= k; ++l) factors(k, l) = dot(joint.S[l], U[k]);
  for (int k = 0; rotors && k < n; ++k) factors(k, k) += dof[k].armature;
  factors.factorise(n);
  for (int k = 0; k < n; ++k) {
    e[k] = tau[k] - dot(joint.S[k], b);
    K[k] = U[k];
    D[k] = factors.pivot(k);
  }
  factors.solve(n, e);
  factors.solve(n, K);
  for (int k = 0; k < n; ++k) {
    I = deflated(I, U[k], K[k]);
    b += U[k] * e[k];
  }
}
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE bool release(const GeneralJoint<Real>& joint, const Robot& model, int i,
                                     In<Real> tau, ArticulatedInertia<Real>& I, Wrench<Real>& b,
                                     AbaWorkspace<Real, Storage>& ws) {
  const int v = model.first_v(i);
  // On copies: what a call may change through a reference does not stay in registers.
  ArticulatedInertia<Real> I_released = I;
  Wrench<Real> b_released = b;
  release_several(joint, &model.dof(v), ws.rotors, tau.data + v, I_released, b_released,
                  ws.K.data() + v, ws.e.data() + v, ws.D.data() + v);
  I = I_released;
  b = b_released;
  return false;
}

/// Smallest over largest pivot of M; regular where it exceeds what rounding leaves of zero.
template <class Vector>
TORSOR_HD TORSOR_INLINE ForwardDynamicsResult<RealOf<Vector>> regularity(const Vector& pivots) {
  using Real = RealOf<Vector>;
  const int n = static_cast<int>(pivots.size());
  Real least(1), most(0);
  TORSOR_UNROLL
  for (int k = 0; k < n; ++k) {
    const Real& D = pivots.data()[k];
    least = k == 0 ? D : min(least, D);
    most = max(most, D);
  }
  const Real ratio = least / select(most > Real(0), most, Real(1));
  return {ratio, ratio > Real(8 * ScalarTraits<Real>::epsilon)};
}

/// w, g, c and b of all bodies, base to tip, after `prepare`.
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE void bias_sweep(const Robot& model, AbaWorkspace<Real, Storage>& ws,
                                        In<Real> qd, In<Wrench<Real>> F_ext) {
  Vec3<Real> w{};  // of body i - 1, most often the parent
  ws.w[0] = w;
  TORSOR_UNROLL
  for (int i = 1; i < model.n_bodies(); ++i) {
    const int parent = model.parent(i), v = model.first_v(i);
    if (parent != i - 1) w = ws.w[parent];
    visit(model, ws.joints, i, [&](const auto& joint) {
      const auto w_joint = joint.S_w(qd.data + v);
      const auto v_joint = joint.S_v(qd.data + v);
      const Vec3<Real> w_parent = joint.to_child(w);
      ws.g[i] = w * dot(w, joint.origin()) - joint.origin() * squared_norm(w);
      w = w_parent + w_joint;
      ws.c[i].w = as_vector<Real>(cross(w, w_joint) + joint.bias_w());
      if constexpr (!is_hinge<decltype(joint)>)
        ws.c[i].v = as_vector<Real>(cross(w + w_parent, v_joint) + joint.bias_v());
      ws.b[i] = centrifugal_wrench<is_hinge<decltype(joint)>>(model.canonical(i).moments, w);
    });
    if (model.branching(i)) {
      ws.w[i] = w;
      ws.I[i] = {};
    }
  }
  subtract_external(model, F_ext, ws.b.data());
}

/// Articulated inertias and biases, tip to base: pass_joint(joint, i, I^, b^) makes of those of body i
/// what acts on its parent through the joint, and tells whether nothing of I^ along it is left.
template <SweepModel Robot, class Real, class Storage, class PassJoint>
TORSOR_HD TORSOR_INLINE void articulated_sweep(const Robot& model, AbaWorkspace<Real, Storage>& ws,
                                               PassJoint pass_joint) {
  // What the children gave to body i, then what it gives to its parent.
  ArticulatedInertia<Real> I{};
  Wrench<Real> b{};
  TORSOR_UNROLL
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const int parent = model.parent(i);
    if (model.branching(i)) I = I + ws.I[i];
    b += ws.b[i];
    visit(model, ws.joints, i, [&](const auto& joint) {
      add_moments<is_hinge<decltype(joint)>>(model.canonical(i).moments, I);
      const bool flat = pass_joint(joint, i, I, b);
      if (parent == 0) return;
      const Vec3<Real>& g = ws.g[i];
      const auto carry = [&](const Wrench<Real>& F, const ArticulatedInertia<Real>& I_parent) {
        const Vec3<Real> f = joint.to_parent(F.f);
        b = {joint.to_parent(F.m) + cross(joint.origin(), f) + I_parent.B * g, f + I_parent.D * g};
        I = I_parent;
      };
      if constexpr (is_plain_hinge<decltype(joint)>) {
        if (flat) return carry(plus_flat_times(b, I, ws.c[i].w), transported_flat(joint, I));
      }
      if constexpr (is_hinge<decltype(joint)>) {
        carry({b.m + I.A * ws.c[i].w, b.f + transpose_times(I.B, ws.c[i].w)},
              transported(joint, I));
      } else {
        carry(b + I * ws.c[i], transported(joint, I));
      }
    });
    if (parent != i - 1) {
      if (parent != 0) {
        ws.I[parent] = ws.I[parent] + I;
        ws.b[parent] += b;
      }
      I = {};
      b = {};
    }
  }
}

/// A' = X (A + (0, g)) + c: what a body would accelerate like if its joint did not.
template <class Joint, class Real>
TORSOR_HD TORSOR_INLINE Twist<Real> carried_along(const Joint& joint, const Twist<Real>& A,
                                                  const Vec3<Real>& g, const Twist<Real>& c) {
  const auto& p = joint.origin();
  const Vec3<Real> a{g.x + A.w.y * p.z - A.w.z * p.y, g.y + A.w.z * p.x - A.w.x * p.z,
                     g.z + A.w.x * p.y - A.w.y * p.x};  // g + w' x p
  const Twist<Real> XA{joint.to_child(A.w), joint.to_child(A.v + a)};
  if constexpr (is_hinge<Joint>) {
    return {XA.w + NormalToZ<Real>{c.w.x, c.w.y}, XA.v};
  } else {
    return XA + c;
  }
}

/// U = I^ S and S^T b^ of a prescribed joint, and b^ + I^ (c + S qdd), which its parent bears.
template <class Joint, class Real>
TORSOR_HD TORSOR_INLINE void hold(const Joint& joint, const ArticulatedInertia<Real>& I,
                                  const Real* qdd, Wrench<Real>& b, Wrench<Real>* U, Real* S_b) {
  joint.project(b, S_b);
  if constexpr (has_one_dof<Joint>) {
    U[0] = joint.column(I);
    b += U[0] * qdd[0];
  } else {
    for (int k = 0; k < joint.n; ++k) {
      U[k] = I * joint.S[k];
      b += U[k] * qdd[k];
    }
  }
}

/// Regularity over the pivots of the released joints; all prescribed counts as regular.
template <SweepModel Robot, class Vector>
TORSOR_HD ForwardDynamicsResult<RealOf<Vector>> released_regularity(const Robot& model,
                                                                    In<char> prescribed,
                                                                    Vector& pivots) {
  using Real = RealOf<Vector>;
  const View<Real> D = pivots;
  Real released(1);
  for (int i = 1; i < model.n_bodies(); ++i)
    if (!prescribed[i]) released = D[model.first_v(i)];
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; prescribed[i] && k < model.n_v(i); ++k) D[model.first_v(i) + k] = released;
  return regularity(pivots);
}

}  // namespace internal

}  // namespace torsor
