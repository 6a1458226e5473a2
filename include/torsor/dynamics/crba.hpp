#pragma once
/// Mass matrix: the composite-rigid-body algorithm.
///
///   tip -> base   I_p += X^T I_i X             composite moments, in body axes
///                 F_j  = I_j S_j               for each velocity j of body i, then in world axes
///                 M_kj = <S_k, F_j>            j in the subtree of k;  M symmetric, zero elsewhere
///                 M_kk += rotor,  M += rotor n^T n for motors of several joints
///
/// Frames   Composites in canonical frames, where I S of a hinge is read off and a transport is two
///          plane rotations; S and F in world axes (world_sweep.hpp), where the products need none.
/// Cost     O(n) for the composites and 6 multiply-adds per entry of a subtree; no allocation.
/// Source   Walker & Orin 1982; Featherstone 2008, sec. 6.2.
#include "torsor/dynamics/internal/composite_columns.hpp"
#include "torsor/dynamics/internal/matrix_output.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor {

template <class Real>
struct CrbaWorkspace {
  internal::WorldSweep<Real> world;
  Array<MassMoments<Real>> I;
  internal::Columns<Real> F;

  template <class Param>
  explicit CrbaWorkspace(const Model<Param>& model)
      : world(model), I(model.n_bodies()), F(model.n_v()) {}
};

/// M(q) with rotor inertias; both triangles.
template <class Param, class Real>
TORSOR_FLATTEN void mass_matrix(const Model<Param>& model, CrbaWorkspace<Real>& ws, In<Real> q,
                                OutMatrix<Real> M) {
  using namespace internal;
  internal::assert_state(model, q);
  internal::assert_matrix(M, model.n_v(), model.n_v());
  internal::assert_workspace(model, ws.world.joints);
  composite_columns<Param, Real>(model, ws, q);
  M = by_columns<Real>(M);
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const internal::CanonicalBody<Param>& b = model.canonical(i);
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      const Vec3<Real> w = ws.world.S.angular(k), v = ws.world.S.linear(k);
      write_column<Real, true>(M, k, k, b.v_end, [&](int j) { return ws.F.dots(j, w, v); });
      M(k, k) = M(k, k) + model.dof(k).armature;
    }
  }
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
