#pragma once
/// Mass matrix: the composite-rigid-body algorithm.
///
///   tip -> base   I_p += X^T I_i X             composite moments, in body axes
///                 F_j  = I_j S_j               for each velocity j of body i
///                 M_kj = <S_k, F_j>            j in the subtree of k;  M symmetric, zero elsewhere
///                 M_kk += rotor,  M += rotor n^T n for motors of several joints
///
/// Frames   Composites in canonical frames, where I S of a hinge is read off and a transport is two
///          plane rotations. Where few velocities are in the mean subtree, F_j goes on to the base in
///          body axes, F_j <- X^T F_j, and <S_k, F_j> of a hinge is read off too; else S and F are in
///          world axes (world_sweep.hpp), where the products need no transports. The first takes 0.85
///          of the time of the second for seven joints, 0.9 for humanoid38, 1.35 for a chain of 100.
/// Cost     O(n) for the composites and 22 or 6 multiply-adds per entry of a subtree, several
///          entries at a time; no allocation.
/// Source   Walker & Orin 1982; Featherstone 2008, sec. 6.2.
#include "torsor/dynamics/internal/composite_wrenches.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor {

template <class Real>
struct CrbaWorkspace {
  internal::WorldSweep<Real> world;
  Array<MassMoments<Real>> I;
  internal::Columns<Real> F;
  bool long_chains = false;

  template <class Param>
  explicit CrbaWorkspace(const Model<Param>& model)
      : world(model), I(model.n_bodies()), F(model.n_v()) {
    int entries = 0;  // of one triangle
    for (int i = 1; i < model.n_bodies(); ++i)
      entries += (model.canonical(i).v_end - model.canonical(i).v) * model.canonical(i).n_v;
    long_chains = entries > 14 * model.n_v();
  }
};

namespace internal {

/// What is on and below the diagonal of M at q, without rotors, by products in world axes.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE void composite_products(const Model<Param>& model, CrbaWorkspace<Real>& ws,
                                                In<Real> q, const OutMatrix<Real>& M) {
  composite_columns<Param, Real>(model, ws, q);
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      const Vec3<Real> w = ws.world.S.angular(k), v = ws.world.S.linear(k);
      write_column<Real, true>(M, k, k, b.v_end, [&](int j) { return ws.F.dots(j, w, v); });
    }
  }
}

}  // namespace internal

/// M(q) with rotor inertias; both triangles.
template <class Param, class Real>
TORSOR_FLATTEN void mass_matrix(const Model<Param>& model, CrbaWorkspace<Real>& ws, In<Real> q,
                                OutMatrix<Real> M) {
  using namespace internal;
  internal::assert_state(model, q);
  internal::assert_matrix(M, model.n_v(), model.n_v());
  internal::assert_workspace(model, ws.world.joints);
  M = by_columns<Real>(M);
  if (ws.long_chains) {
    composite_products<Param, Real>(model, ws, q, M);
  } else {
    composite_wrenches<Param, Real>(model, ws, q, M);
  }
  for (int k = 0; k < model.n_v(); ++k) M(k, k) = M(k, k) + model.dof(k).armature;
  mirror_below<Real>(M);
  for (const CoupledMotor<Param>& motor : model.motors())
    for (const auto& a : motor.terms)
      for (const auto& b : motor.terms)
        M(a.v, b.v) = M(a.v, b.v) + motor.constants.armature * (a.ratio * b.ratio);
}

/// Compiled once, in src/dynamics/crba.cpp; other scalars where they are used.
#define TORSOR_CRBA(Extern, Param, Real)                                                \
  Extern template void mass_matrix(const Model<Param>&, CrbaWorkspace<Real>&, In<Real>, \
                                   OutMatrix<Real>);
TORSOR_CRBA(extern, double, double)
TORSOR_CRBA(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_CRBA
#endif

}  // namespace torsor
