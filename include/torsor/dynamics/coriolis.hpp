#pragma once
/// Coriolis matrix: the one C of docs/conventions.md, with Mdot - 2C skew.
///
///   C = sum over particles m J_r^T Jdot_r, J_r the Jacobian of the particle at r. With u its velocity,
///   P = int u dm, K = int u r^T dm and B (s, .) = (s tr K - K s, s x P):
///   tip -> base   I_p += I_i,  K_p += K_i,  P_p += P_i
///                 F1_j = I_j Sdot_j + B_j S_j,   F2_j = I_j S_j,   F3_j = B_j^T S_j
///                 C_kj = <S_k, F1_j>,  C_jk = <Sdot_k, F2_j> + <S_k, F3_j>       j in the subtree of k
///
/// Frames   World axes (world_sweep.hpp); Sdot_j = ad(V) S_j (+ the joint's own) is the derivative there.
/// Cost     O(n) for the composites and 18 multiply-adds per pair of a subtree; no allocation.
/// Source   Echeandia & Wensing 2021 for the composites. B needs twelve numbers only, because Jdot of a
///          particle in world axes differs from that of its body by s x u, s the angular part of S.
#include "torsor/dynamics/internal/matrix_output.hpp"
#include "torsor/dynamics/internal/world_sweep.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor {
namespace internal {

/// Moments with those of the velocity: P = int u dm, K = int u r^T dm (columns).
template <class Real>
struct VelocityMoments {
  MassMoments<Real> I{};
  Vec3<Real> P{};
  Mat3<Real> K{};
};

/// Pose and twist of a body, about the reference point.
template <class Real>
struct WorldTwist : WorldPose<Real> {
  Vec3<Real> w{}, v{};
};

/// b += a, number by number.
template <class Real>
TORSOR_INLINE void add(const VelocityMoments<Real>& a, VelocityMoments<Real>& b) {
  add(a.I, b.I);
  b.P = b.P + a.P;
  b.K.c0 = b.K.c0 + a.K.c0;
  b.K.c1 = b.K.c1 + a.K.c1;
  b.K.c2 = b.K.c2 + a.K.c2;
}

}  // namespace internal

template <class Real>
struct CoriolisWorkspace {
  internal::JointStates<Real> joints;
  Array<internal::WorldTwist<Real>> bodies;
  Array<internal::VelocityMoments<Real>> moments;  // what the children of branching bodies gave
  internal::Columns<Real> S, Sdot, F1, F2, F3;

  template <class Param>
  explicit CoriolisWorkspace(const Model<Param>& model)
      : joints(model),
        bodies(model.n_bodies()),
        moments(model.n_bodies()),
        S(model.n_v()),
        Sdot(model.n_v()),
        F1(model.n_v()),
        F2(model.n_v()),
        F3(model.n_v()) {}
};

namespace internal {

/// Adds the joint's own S' to Sdot, in world axes. Kept out of line: few joints have one.
template <class Param, class Real>
TORSOR_COLD void add_own_sdot(const Model<Param>& model, const WorldPose<Real>& at, int i,
                              In<Real> q, In<Real> qd, Columns<Real>& Sdot) {
  const CanonicalBody<Param>& b = model.canonical(i);
  const auto own = joint_sdot(model.joint(i), q.data + b.q, qd.data + b.v);
  for (int c = 0; c < b.n_v; ++c) {
    const Twist<Real>& s = own.data()[c];
    const Vec3<Real> w = at.R * s.w, v = at.R * s.v + cross(at.p, w);
    Sdot.set(b.v + c, Sdot.angular(b.v + c) + w, Sdot.linear(b.v + c) + v);
  }
}

/// Poses and twists of every body, S and Sdot of every velocity.
template <class Param, class Real>
TORSOR_INLINE void velocity_sweep(const Model<Param>& model, CoriolisWorkspace<Real>& ws,
                                  In<Real> q, In<Real> qd) {
  using State = WorldTwist<Real>;
  const auto resume = [&](int i, State& at) { at = ws.bodies[i]; };
  const auto move = [&](int i, const auto& b, const auto& joint, const Vec3<Real>&, State& at) {
    const Vec3<Real>& s = at.R.c2;
    if constexpr (is_hinge<decltype(joint)>) {
      const Vec3<Real> s0 = cross(at.p, s);
      at.w = at.w + s * qd[b.v];
      at.v = at.v + s0 * qd[b.v];
      ws.S.set(b.v, s, s0);
      ws.Sdot.set(b.v, cross(at.w, s), cross(at.w, s0) + cross(at.v, s));
    } else if constexpr (has_one_dof<decltype(joint)>) {
      at.v = at.v + s * qd[b.v];
      ws.S.set(b.v, {}, s);
      ws.Sdot.set(b.v, {}, cross(at.w, s));
    } else {
      set_columns(b, joint, at, ws.S);
      for (int c = b.v; c < b.v + b.n_v; ++c) {
        at.w = at.w + ws.S.angular(c) * qd[c];
        at.v = at.v + ws.S.linear(c) * qd[c];
      }
      for (int c = b.v; c < b.v + b.n_v; ++c) {
        const Vec3<Real> w = ws.S.angular(c), v = ws.S.linear(c);
        ws.Sdot.set(c, cross(at.w, w), cross(at.w, v) + cross(at.v, w));
      }
      if (has_sdot(model.joint(i).kind)) add_own_sdot<Param, Real>(model, at, i, q, qd, ws.Sdot);
    }
    ws.bodies[i] = at;
  };
  world_sweep(model, ws.joints, State{}, resume, move);
}

}  // namespace internal

/// C(q, qd), n_v x n_v.
template <class Param, class Real>
TORSOR_FLATTEN void coriolis_matrix(const Model<Param>& model, CoriolisWorkspace<Real>& ws,
                                    In<Real> q, In<Real> qd, OutMatrix<Real> C) {
  using namespace internal;
  internal::assert_state(model, q, qd);
  internal::assert_matrix(C, model.n_v(), model.n_v());
  internal::assert_workspace(model, ws.joints);
  const int n = model.n_bodies();
  internal::prepare(model, ws.joints, q);
  velocity_sweep<Param, Real>(model, ws, q, qd);
  const Columns<Real>& S = ws.S;
  for (const int i : model.canonical().branching) ws.moments[i] = {};

  VelocityMoments<Real> at{};  // of body i and all it carries
  for (int i = n - 1; i > 0; --i) {
    const internal::CanonicalBody<Param>& b = model.canonical(i);
    const WorldTwist<Real>& body = ws.bodies[i];
    MassMoments<Real> own{};
    add_world_moments(b, body.R, body.p, own);
    const Vec3<Real> w = body.w, v = body.v;
    at.P = at.P + v * own.m + cross(w, own.h);
    at.K.c0 = at.K.c0 + v * own.h.x + cross(w, Vec3<Real>{own.S.xx, own.S.xy, own.S.xz});
    at.K.c1 = at.K.c1 + v * own.h.y + cross(w, Vec3<Real>{own.S.xy, own.S.yy, own.S.yz});
    at.K.c2 = at.K.c2 + v * own.h.z + cross(w, Vec3<Real>{own.S.xz, own.S.yz, own.S.zz});
    add(own, at.I);
    if (b.branching) add(ws.moments[i], at);
    const Real trace_K = trace(at.K);
    for (int c = b.v; c < b.v + b.n_v; ++c) {
      const Vec3<Real> s_w = S.angular(c), s_v = S.linear(c);
      const Wrench<Real> IS = times(at.I, s_w, s_v);
      const Wrench<Real> ISdot = times(at.I, ws.Sdot.angular(c), ws.Sdot.linear(c));
      const Vec3<Real> turned = s_w * trace_K;
      ws.F1.set(c, ISdot.m + turned - at.K * s_w, ISdot.f + cross(s_w, at.P));
      ws.F2.set(c, IS.m, IS.f);
      ws.F3.set(c, turned - transpose_times(at.K, s_w) + cross(at.P, s_v), {});
    }
    if (b.parent != i - 1) {
      if (b.parent != 0) add(at, ws.moments[b.parent]);
      at = {};
    }
  }
  // Column k below the joint, then row k from the joint on; pairs inside one joint are in its rows.
  for (int i = 1; i < n; ++i) {
    const internal::CanonicalBody<Param>& b = model.canonical(i);
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      const Vec3<Real> s_w = S.angular(k), s_v = S.linear(k), d_w = ws.Sdot.angular(k),
                       d_v = ws.Sdot.linear(k);
      write_column<Real>(C, k, b.v + b.n_v, b.v_end,
                         [&](int j) { return ws.F2.dots(j, d_w, d_v) + ws.F3.dots(j, s_w); });
      write_column<Real>(transposed(C), k, b.v, b.v_end,
                         [&](int j) { return ws.F1.dots(j, s_w, s_v); });
    }
  }
}

/// Compiled once, in src/dynamics/coriolis.cpp; other scalars where they are used.
#define TORSOR_CORIOLIS(Extern, Param, Real)                                                    \
  Extern template void coriolis_matrix(const Model<Param>&, CoriolisWorkspace<Real>&, In<Real>, \
                                       In<Real>, OutMatrix<Real>);
TORSOR_CORIOLIS(extern, double, double)
TORSOR_CORIOLIS(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_CORIOLIS
#endif

}  // namespace torsor
