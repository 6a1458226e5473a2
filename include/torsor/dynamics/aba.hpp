#pragma once
/// Forward dynamics of rigid bodies and rotors: the articulated-body algorithm, with accelerations
/// of origins.
///
///   base -> tip   w_i = R^T w_p + S_w qd,   g_i = w_p x (w_p x p_i)
///                 c_i = (w_i x S_w qd, (w_i + R^T w_p) x S_v qd) + S' qd
///                 b_i = (axial([w]^2 Sigma), [w]^2 h) - F_ext
///   tip -> base   I^_i = I_i + sum_k I_k,   I_k = X_k^T (I^_k - U_k K_k^T) X_k      U = I^ S,  K = U D^-1
///                 b^_i = b_i + sum_k X_k^T (b^_k + (I^ - U K^T)_k c_k + U_k e_k) + I_k (0, g_k)
///                 e_i  = D^-1 (tau_i - S^T b^_i)                                    D = S^T U + rotor
///   base -> tip   A' = X (A_p + (0, g_i)) + c_i,   qdd_i = e_i - K^T A',   A_i = A' + S qdd_i
/// and where motors turn with several joints motor_coupling.hpp.
///
/// axial(A) = (A_32 - A_23, A_13 - A_31, A_21 - A_12), as in math/inertia.hpp.
///
/// Frames   Canonical frames; A = (w', a) with a the acceleration of the origin; X takes it from the parent
///          to the child: X (w', a) = (R^T w', R^T (a + w' x p)).
/// Gravity  A_0 = (0, -g).
/// Cost     O(n), no allocation, no branch on the state.
/// Source   Featherstone 1983; Kim 2012, table 3; the rewriting is that of rnea.hpp.
#include "torsor/dynamics/internal/aba_sweeps.hpp"
#include "torsor/dynamics/rnea.hpp"

namespace torsor {

template <class Real, class Storage = internal::Heap>
struct AbaWorkspace {
  template <class Element>
  using PerBody = typename Storage::template PerBody<Element>;
  template <class Element>
  using PerVelocity = typename Storage::template PerVelocity<Element>;

  internal::JointStates<Real, Storage> joints;
  PerBody<Vec3<Real>> g, w;             // w and A: of branching bodies
  PerBody<Twist<Real>> c, A;            // c of a hinge: its angular part, which has no z
  PerBody<Wrench<Real>> b;              // bias; for branching bodies also what children gave
  PerBody<ArticulatedInertia<Real>> I;  // what the children of branching bodies gave
  PerVelocity<Wrench<Real>> K;
  PerVelocity<Real> e, D;
  bool rotors = true;  // false: M without them
#ifndef __CUDACC__
  internal::MotorScratch<Real> motors;
#endif

  AbaWorkspace() = default;
  template <internal::SweepModel Robot>
  TORSOR_HD explicit AbaWorkspace(const Robot& model) : joints(model) {
#ifndef __CUDACC__
    if constexpr (requires { model.motors(); }) motors = internal::MotorScratch<Real>(model);
#endif
    internal::allocate(model.n_bodies(), g, w, c, A, b, I);
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

#ifndef __CUDACC__
namespace internal {

/// What the tree answers to torques x at rest and without gravity, in y: accelerations of released
/// joints, torques of held ones. An empty `held` means none. K, e, D and A are those of the response.
template <class Param, class Real>
void tree_response(const Model<Param>& model, AbaWorkspace<Real>& ws, In<char> held, In<Real> x,
                   Real* y) {
  const Real still[max_joint_dofs]{};
  const auto holds = [&](int i) { return !held.empty() && held[i]; };
  for (int i = 1; i < model.n_bodies(); ++i) {
    ws.g[i] = {};
    ws.c[i] = {};
    ws.b[i] = {};
    if (model.branching(i)) ws.I[i] = {};
  }
  articulated_sweep(model, ws, [&](const auto& joint, int i, auto& I, auto& b) {
    const int v = model.first_v(i);
    if (!holds(i)) return release(joint, model, i, x, I, b, ws);
    hold(joint, I, still, b, ws.K.data() + v, ws.e.data() + v);
    return false;
  });
  ws.A[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const int v = model.first_v(i), end = v + model.n_v(i);
    Twist<Real> A = ws.A[model.parent(i)];
    visit(model, ws.joints, i, [&](const auto& joint) {
      A = {joint.to_child(A.w), joint.to_child(A.v + cross(A.w, joint.origin()))};
      for (int j = v; j < end; ++j)
        y[j] = holds(i) ? Real(ws.e[j] + dot(A, ws.K[j])) : Real(ws.e[j] - dot(A, ws.K[j]));
      if (holds(i)) return;
      A.w = A.w + joint.S_w(y + v);
      A.v = A.v + joint.S_v(y + v);
    });
    ws.A[i] = A;
  }
}

/// Accelerations of released joints and torques of held ones, found without the motors of several
/// joints, with them. An empty `held` means none.
template <class Real, class Param>
TORSOR_COLD void couple_motors(const Model<Param>& model, AbaWorkspace<Real>& ws, In<char> held,
                               Out<Real> qdd, Out<Real> tau) {
  MotorScratch<Real>& m = ws.motors;
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = model.first_v(i); k < model.first_v(i) + model.n_v(i); ++k)
      m.held[k] = !held.empty() && held[i];
  const auto released = [&](int k) { return !m.held[k]; };
  for (int j = 0; j < model.motors().size(); ++j) {
    set_row(model.motors()[j], m, released);
    tree_response<Param, Real>(model, ws, held, m.x, m.response(j));
  }
  factorise_motors(model, m, released);
  for (int j = 0; j < model.motors().size(); ++j)
    m.lambda[j] = model.motors()[j].along(qdd) * model.motors()[j].constants.armature;
  solve_motors(m);
  couple(model, m, released, [&](int k) -> Real& { return m.held[k] ? tau[k] : qdd[k]; });
}

}  // namespace internal
#endif

namespace internal {

/// I^, b^, K and e of all bodies, tip to base, every joint released.
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE void release_sweep(const Robot& model, AbaWorkspace<Real, Storage>& ws,
                                           In<Real> tau) {
  articulated_sweep(model, ws, [&](const auto& joint, int i, auto& I, auto& b) {
    return release(joint, model, i, tau, I, b, ws);
  });
}

/// A of all bodies and qdd, base to tip.
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE void acceleration_sweep(const Robot& model, AbaWorkspace<Real, Storage>& ws,
                                                Out<Real> qdd) {
  Twist<Real> A{{}, lift<Real>(-model.gravity())};
  ws.A[0] = A;
  TORSOR_UNROLL
  for (int i = 1; i < model.n_bodies(); ++i) {
    const int parent = model.parent(i), v = model.first_v(i);
    if (parent != i - 1) A = ws.A[parent];
    visit(model, ws.joints, i, [&](const auto& joint) {
      A = carried_along(joint, A, ws.g[i], ws.c[i]);
      if constexpr (has_one_dof<decltype(joint)>) {
        qdd[v] = ws.e[v] - dot(A, ws.K[v]);
      } else {
        for (int j = v; j < v + joint.n; ++j) qdd[j] = ws.e[j] - dot(A, ws.K[j]);
      }
      A.w = A.w + joint.S_w(qdd.data + v);
      A.v = A.v + joint.S_v(qdd.data + v);
    });
    if (model.branching(i)) ws.A[i] = A;
  }
}

/// The sweeps: rigid_forward_dynamics without motors of several joints. A function of its own, so that
/// what those need does not reach the registers of robots without them.
template <SweepModel Robot, class Real, class Storage>
TORSOR_COLD TORSOR_HD TORSOR_FLATTEN ForwardDynamicsResult<Real> forward_sweeps(
    const Robot& model, AbaWorkspace<Real, Storage>& ws, In<Real> q, In<Real> qd, In<Real> tau,
    In<Wrench<Real>> F_ext, Out<Real> qdd) {
  internal::assert_state(model, q, qd, tau, qdd);
  internal::assert_wrenches(model, F_ext);
  internal::assert_workspace(model, ws.joints);
  internal::prepare(model, ws.joints, q, qd);
  internal::bias_sweep(model, ws, qd, F_ext);
  internal::release_sweep(model, ws, tau);
  internal::acceleration_sweep(model, ws, qdd);
  return internal::regularity(ws.D);
}

}  // namespace internal

/// qdd = M^-1 (tau - C qd - g + sum_i J_i^T F_ext[i]), M with rotors. An empty F_ext means none.
template <internal::SweepModel Robot, class Real, class Storage>
TORSOR_HD ForwardDynamicsResult<Real> rigid_forward_dynamics(const Robot& model,
                                                             AbaWorkspace<Real, Storage>& ws,
                                                             In<Real> q, In<Real> qd, In<Real> tau,
                                                             In<Wrench<Real>> F_ext,
                                                             Out<Real> qdd) {
  const ForwardDynamicsResult<Real> result =
      internal::forward_sweeps(model, ws, q, qd, tau, F_ext, qdd);
#ifndef __CUDACC__
  if constexpr (requires { model.motors(); })
    if (!model.motors().empty() && ws.rotors)
      internal::couple_motors<Real>(model, ws, {}, qdd, qdd);
#endif
  return result;
}

#ifndef __CUDACC__
#define TORSOR_ABA(Extern, Param, Real)                                                         \
  Extern template void internal::couple_motors<Real>(const Model<Param>&, AbaWorkspace<Real>&,  \
                                                     In<char>, Out<Real>, Out<Real>);           \
  Extern template ForwardDynamicsResult<Real> internal::forward_sweeps(                         \
      const Model<Param>&, AbaWorkspace<Real>&, In<Real>, In<Real>, In<Real>, In<Wrench<Real>>, \
      Out<Real>);                                                                               \
  Extern template ForwardDynamicsResult<Real> rigid_forward_dynamics(                           \
      const Model<Param>&, AbaWorkspace<Real>&, In<Real>, In<Real>, In<Real>, In<Wrench<Real>>, \
      Out<Real>);
TORSOR_ABA(extern, double, double)
TORSOR_ABA(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_ABA
#endif
#endif

}  // namespace torsor
