#pragma once
/// Forward dynamics of rigid bodies and rotors: the articulated-body algorithm, with accelerations
/// of origins.
///
///   base -> tip   w_i = R^T w_p + S_w qd
///                 c_i = (w_i x S_w qd, R^T [w_p x (w_p x p_i)] + (w_i + R^T w_p) x S_v qd) + S' qd
///                 b_i = (axial([w]^2 Sigma), [w]^2 h) - F_ext
///   tip -> base   I^_i = I_i + sum_k X_k^T (I^_k - U_k K_k^T) X_k        U = I^ S,  D = S^T U + rotor
///                 b^_i = b_i + sum_k X_k^T (b^_k + (I^ - U K^T)_k c_k + U_k e_k)    K = U D^-1
///                 e_i  = D^-1 (tau_i - S^T b^_i)
///   base -> tip   A' = X A_p + c_i,   qdd_i = e_i - K^T A',   A_i = A' + S qdd_i
///
/// axial(A) = (A_32 - A_23, A_13 - A_31, A_21 - A_12), as in math/inertia.hpp.
///
/// Frames   Canonical frames; A = (w', a) with a the acceleration of the origin; X takes it from the parent
///          to the child: X (w', a) = (R^T w', R^T (a + w' x p)).
/// Gravity  A_0 = (0, -g).
/// Cost     O(n), no allocation, no branch on the state.
/// Source   Featherstone 1983; Kim 2012, table 3; the rewriting is that of rnea.hpp.
#include "torsor/dynamics/internal/articulated.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/linear/ldlt.hpp"

namespace torsor {

template <class Real, class Storage = Heap>
struct AbaWorkspace {
  template <class Element>
  using PerBody = typename Storage::template PerBody<Element>;
  template <class Element>
  using PerVelocity = typename Storage::template PerVelocity<Element>;

  JointStates<Real, Storage> joints;
  PerBody<Vec3<Real>> w;
  PerBody<Twist<Real>> c, A;
  PerBody<Wrench<Real>> b;              // bias; for branching bodies also what children gave
  PerBody<ArticulatedInertia<Real>> I;  // what the children of branching bodies gave
  PerVelocity<Wrench<Real>> K;
  PerVelocity<Real> e, D;
  bool rotors = true;  // false: M without them

  AbaWorkspace() = default;
  template <SweepModel Robot>
  TORSOR_HD explicit AbaWorkspace(const Robot& model) : joints(model) {
    internal::allocate(model.n_bodies(), w, c, A, b, I);
    internal::allocate(model.n_v(), K, e, D);
  }
};

/// Whether the mass matrix has an inverse.
template <class Real>
struct [[nodiscard]] ForwardDynamicsResult {
  Real pivot_ratio;  ///< smallest over largest pivot of M's factorisation
  MaskOf<Real> regular;

  TORSOR_HD explicit operator bool() const { return all(regular); }
};

/// Releases a joint with one degree of freedom: K and e as above, I^ - U K^T, and b^ + U e. True
/// where nothing of I^ along the joint is left, which makes that of a hinge flat (articulated.hpp).
template <class Joint, SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE bool release(const Joint& joint, const Robot& model, int i, In<Real> tau,
                                     ArticulatedInertia<Real>& I, Wrench<Real>& b,
                                     AbaWorkspace<Real, Storage>& ws) {
  const int v = model.first_v(i);
  const Wrench<Real> U = joint.column(I);
  const ParamOf<Robot> rotor = ws.rotors ? model.dof(v).armature : ParamOf<Robot>(0);
  const Real D = joint.component(U) + rotor, inverse = reciprocal_or_zero(D);
  const Wrench<Real> K = U * inverse;
  const Real e = (tau[v] - joint.component(b)) * inverse;
  I = deflated(I, U, K);
  b += U * e;
  ws.K[v].m = K.m, ws.K[v].f = K.f;
  ws.e[v] = e;
  ws.D[v] = D;
  if constexpr (Plain<ParamOf<Robot>>) return rotor == 0;
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

/// w, c and b of all bodies, base to tip, after `prepare`.
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE void bias_sweep(const Robot& model, AbaWorkspace<Real, Storage>& ws,
                                        In<Real> qd, In<Wrench<Real>> F_ext) {
  BodyMotion<Real> m;
  ws.w[0] = {};
  TORSOR_UNROLL
  for (int i = 1; i < model.n_bodies(); ++i) {
    const int parent = model.parent(i), v = model.first_v(i);
    if (parent != i - 1) m.w = ws.w[parent];
    visit(model, ws.joints, i, [&](const auto& joint) {
      const auto w_joint = joint.S_w(qd.data + v);
      const auto v_joint = joint.S_v(qd.data + v);
      const Vec3<Real> w_parent = joint.to_child(m.w);
      const Vec3<Real> centripetal = joint.to_child(cross(m.w, cross(m.w, joint.origin())));
      m.w = w_parent + w_joint;
      ws.c[i] = {Vec3<Real>{} + cross(m.w, w_joint) + joint.bias_w(),
                 centripetal + cross(m.w + w_parent, v_joint) + joint.bias_v()};
      ws.b[i] = wrench_of<is_hinge<decltype(joint)>>(model.canonical(i).moments, m);
    });
    ws.w[i] = m.w;
    if (model.branching(i)) ws.I[i] = {};
  }
  subtract_external(model, F_ext, ws.b.data());
}

/// Articulated inertias and biases, tip to base: pass_joint(joint, i, I^, b^) makes of those of body i
/// what acts on its parent through the joint, and tells whether nothing of I^ along it is left.
template <SweepModel Robot, class Real, class Storage, class PassJoint>
TORSOR_HD TORSOR_INLINE void articulated_sweep(const Robot& model, AbaWorkspace<Real, Storage>& ws,
                                               PassJoint pass_joint) {
  ArticulatedInertia<Real> I_child{};
  Wrench<Real> b_child{};
  TORSOR_UNROLL
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const int parent = model.parent(i);
    ArticulatedInertia<Real> I = I_child + inertia(model.canonical(i).moments);
    if (model.branching(i)) I = I + ws.I[i];
    Wrench<Real> bias = ws.b[i] + b_child;
    visit(model, ws.joints, i, [&](const auto& joint) {
      const bool flat = pass_joint(joint, i, I, bias);
      if (parent == 0) return;
      const auto carry = [&](const Wrench<Real>& F) {
        const Vec3<Real> f = joint.to_parent(F.f);
        b_child = {joint.to_parent(F.m) + cross(joint.origin(), f), f};
      };
      if constexpr (is_plain_hinge<decltype(joint)>) {
        if (flat) {
          carry(internal::plus_flat_times(bias, I, ws.c[i]));  // c has no angular part along z
          I_child = internal::transported_flat(joint, I);
          return;
        }
      }
      carry(bias + I * ws.c[i]);
      I_child = internal::transported(joint, I);
    });
    if (parent != i - 1) {
      if (parent != 0) {
        ws.I[parent] = ws.I[parent] + I_child;
        ws.b[parent] += b_child;
      }
      I_child = {};
      b_child = {};
    }
  }
}

/// qdd = M^-1 (tau - C qd - g + sum_i J_i^T F_ext[i]), M with rotors. An empty F_ext means none.
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_FLATTEN ForwardDynamicsResult<Real> rigid_forward_dynamics(
    const Robot& model, AbaWorkspace<Real, Storage>& ws, In<Real> q, In<Real> qd, In<Real> tau,
    In<Wrench<Real>> F_ext, Out<Real> qdd) {
  assert_state(model, q, qd, tau, qdd);
  assert_wrenches(model, F_ext);
  assert_workspace(model, ws.joints);
  prepare(model, ws.joints, q, qd);
  bias_sweep(model, ws, qd, F_ext);
  articulated_sweep(model, ws, [&](const auto& joint, int i, auto& I, auto& b) {
    return release(joint, model, i, tau, I, b, ws);
  });

  Twist<Real> A{{}, lift<Real>(-model.gravity())};
  ws.A[0] = A;
  TORSOR_UNROLL
  for (int i = 1; i < model.n_bodies(); ++i) {
    const int parent = model.parent(i), v = model.first_v(i);
    if (parent != i - 1) A = ws.A[parent];
    visit(model, ws.joints, i, [&](const auto& joint) {
      A.v = joint.to_child(A.v + cross(A.w, joint.origin())) + ws.c[i].v;
      A.w = joint.to_child(A.w) + ws.c[i].w;
      if constexpr (has_one_dof<decltype(joint)>) {
        qdd[v] = ws.e[v] - dot(A, ws.K[v]);
      } else {
        for (int j = v; j < v + joint.n; ++j) qdd[j] = ws.e[j] - dot(A, ws.K[j]);
      }
      A.w = A.w + joint.S_w(qdd.data + v);
      A.v = A.v + joint.S_v(qdd.data + v);
    });
    ws.A[i].w = A.w;
    ws.A[i].v = A.v;
  }
  return regularity(ws.D);
}

#ifndef __CUDACC__
#define TORSOR_ABA(Param, Real)                                                                 \
  template ForwardDynamicsResult<Real> rigid_forward_dynamics(                                  \
      const Model<Param>&, AbaWorkspace<Real>&, In<Real>, In<Real>, In<Real>, In<Wrench<Real>>, \
      Out<Real>)
extern TORSOR_ABA(double, double);
extern TORSOR_ABA(float, float);
#endif

}  // namespace torsor
