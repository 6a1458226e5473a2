#pragma once
/// Inverse of the mass matrix, by articulated bodies: M is never formed or factorised.
///
///   tip -> base   U = I^ S,  D = S^T U + rotor,  K = U D^-1,  I^_p += I^_i - U K^T
///                 r_ij = 1_ij - S_i^T F_j,   X_ij = D^-1 r_ij,   F_j += K_i r_ij
///                                                                  j in the subtree of i
///   base -> tip   X_ij -= K_i^T A_j(p),   A_j(i) = A_j(p) + S_i X_ij    j >= i;  X symmetric
///
///   then          X -= y y^T rotor / (1 + rotor n y),  y = X n^T    each motor of several joints
///
/// Frames   World axes (world_sweep.hpp), so F and A are carried without transports.
/// Cost     O(n d) in blocks of neighbouring columns (columns.hpp); no allocation.
/// Source   Carpentier 2018 (analytical inverse of the inertia matrix); Featherstone 1983.
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/internal/matrix_output.hpp"
#include "torsor/dynamics/internal/world_sweep.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor {

template <class Real>
struct MinverseWorkspace {
  internal::WorldSweep<Real> world;
  Array<ArticulatedInertia<Real>> I;  // what the children of branching bodies gave
  Array<Wrench<Real>> K;              // per velocity: I^ S D^-1
  Array<Real> D;
  internal::Columns<Real> F;
  Array<internal::Columns<Real>>
      A;                    // [0] zero; one for the bodies of a run, another after a branch
  Array<int> level;         // of each body: which A
  internal::Lines<Real> X;  // rows, in blocks from the one with the diagonal on
  internal::AlignedArray<Real> step;  // ones, then zeros
  internal::MotorScratch<Real> motors;

  template <class Param>
  explicit MinverseWorkspace(const Model<Param>& model)
      : world(model),
        I(model.n_bodies()),
        K(model.n_v()),
        D(K.size()),
        F(model.n_v()),
        level(I.size()),
        X(model.n_v(), internal::stride_with_room<Real>(model.n_v())),
        step(2 * X.stride(), Real(0)),
        motors(model) {
    int levels = 1;
    for (int i = 1; i < model.n_bodies(); ++i) {
      const int p = model.canonical(i).parent;
      const bool kept = p == 0 || model.canonical(p).branching;  // others will need the parent's
      const int at = level[p] + (kept ? 1 : 0);
      level[i] = at;
      levels = at >= levels ? at + 1 : levels;
    }
    A.assign(levels, internal::Columns<Real>(model.n_v()));
    for (int k = 0; k < X.stride(); ++k) step[k] = Real(1);
  }
};

namespace internal {

/// I^ S of a column in world axes.
template <class Real>
TORSOR_INLINE Wrench<Real> times(const ArticulatedInertia<Real>& I, const Vec3<Real>& w,
                                 const Vec3<Real>& v) {
  return {I.A * w + I.B * v, transpose_times(I.B, w) + I.D * v};
}

/// Articulated inertias from the tips; for each velocity k of body b its D and K, and
/// released(b, k, S_w, S_v, K, 1 / D).
/// The velocities of one joint are released in turn, as if massless bodies lay between them.
template <class Param, class Real, class Released>
TORSOR_INLINE void articulate(const Model<Param>& model, const WorldSweep<Real>& world,
                              Array<ArticulatedInertia<Real>>& branches, Array<Wrench<Real>>& K,
                              Array<Real>& D, Released released) {
  for (const int i : model.canonical().branching) branches[i] = {};
  ArticulatedInertia<Real> I{};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    MassMoments<Real> own{};
    add_world_moments(b, world.R[i], world.p[i], own);
    I = I + inertia(own);
    if (b.branching) I = I + branches[i];
    for (int k = b.v + b.n_v - 1; k >= b.v; --k) {
      const Vec3<Real> s_w = world.S.angular(k), s_v = world.S.linear(k);
      const Wrench<Real> U = times(I, s_w, s_v);
      const Real pivot = dot(s_w, U.m) + dot(s_v, U.f) + model.dof(k).armature;
      const Real inverse = reciprocal_or_zero(pivot);
      const Wrench<Real> gain = U * inverse;
      I = deflated(I, U, gain);
      D[k] = pivot;
      K[k].m = gain.m, K[k].f = gain.f;
      released(b, k, s_w, s_v, gain, inverse);
    }
    if (b.parent != i - 1) {
      if (b.parent != 0) branches[b.parent] = branches[b.parent] + I;
      I = {};
    }
  }
}

}  // namespace internal

/// M(q)^-1 with rotor inertias; both triangles.
template <class Param, class Real>
TORSOR_FLATTEN ForwardDynamicsResult<Real> mass_matrix_inverse(const Model<Param>& model,
                                                               MinverseWorkspace<Real>& ws,
                                                               In<Real> q, OutMatrix<Real> out) {
  using namespace internal;
  using Block = ColumnBlock<Real>;
  internal::assert_state(model, q);
  internal::assert_matrix(out, model.n_v(), model.n_v());
  internal::assert_workspace(model, ws.world.joints);
  constexpr int lanes = column_lanes<Real>;
  const auto aligned = [](int k) { return k / lanes * lanes; };
  internal::prepare(model, ws.world.joints, q);
  world_sweep(model, ws.world);
  ws.F.clear();
  const int n_v = model.n_v(), stride = ws.X.stride();
  Real* const X = ws.X(0);
  const Real* const step = ws.step.data() + stride;  // 1 before this place, 0 from it on
  // Blocks are aligned: lanes before k have F = 0 so far, those past the subtree get r = 0.
  const auto spread = [&](const internal::CanonicalBody<Param>& b, int k, const Vec3<Real>& s_w,
                          const Vec3<Real>& s_v, const Wrench<Real>& K, const Real& inverse) {
    for (int j = aligned(k); j < b.v_end; j += lanes) {
      const Block one = load_block<Block>(step + j - k - 1) - load_block<Block>(step + j - k);
      const Block inside = load_block<Block>(step + j - b.v_end);
      const Block r = (one - ws.F.dots(j, s_w, s_v)) * inside;
      store_block<Block>(X + k * stride + j, r * inverse);
      ws.F.set_sum(j, ws.F, K.m, K.f, r);
    }
  };
  articulate(model, ws.world, ws.I, ws.K, ws.D, spread);

  out = by_columns<Real>(out);
  for (int i = 1; i < model.n_bodies(); ++i) {
    const internal::CanonicalBody<Param>& b = model.canonical(i);
    Columns<Real>& A = ws.A[ws.level[i]];
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      const Columns<Real>& from = k == b.v ? ws.A[ws.level[b.parent]] : A;
      const Vec3<Real> s_w = ws.world.S.angular(k), s_v = ws.world.S.linear(k);
      const Vec3<Real> m = ws.K[k].m, f = ws.K[k].f;
      const auto spread_row = [&](int j) {
        const Block r = j < b.v_end ? load_block<Block>(X + k * stride + j) : Block(0);
        const Block x = r - from.dots(j, m, f);
        A.set_sum(j, from, s_w, s_v, x);
        return x;
      };
      write_column<Real>(out, k, aligned(k), n_v, spread_row);
    }
  }
  mirror_below<Real>(out);
  for (const CoupledMotor<Param>& motor : model.motors()) {
    Array<Real>& y = ws.motors.x;
    for (int k = 0; k < n_v; ++k)
      y[k] = along_some<Real>(
          motor, [&](int r) { return out(r, k); }, [](int) { return true; });
    const Real share =
        motor.constants.armature / (motor.along(y) * motor.constants.armature + Real(1));
    for (int c = 0; c < n_v; ++c)
      for (int r = 0; r < n_v; ++r) out(r, c) = out(r, c) - y[r] * y[c] * share;
  }
  return internal::regularity(ws.D);
}

/// Compiled once, in src/dynamics/minverse.cpp; other scalars where they are used.
#define TORSOR_MINVERSE(Extern, Param, Real)                       \
  Extern template ForwardDynamicsResult<Real> mass_matrix_inverse( \
      const Model<Param>&, MinverseWorkspace<Real>&, In<Real>, OutMatrix<Real>);
TORSOR_MINVERSE(extern, double, double)
TORSOR_MINVERSE(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_MINVERSE
#endif

}  // namespace torsor
