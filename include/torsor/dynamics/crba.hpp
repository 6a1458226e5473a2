#pragma once
/// Mass matrix: the composite-rigid-body algorithm in world axes.
///
///   tip -> base   I_p += I_i                          composite moments
///                 F_j  = I_j S_j                      for each velocity j of body i
///                 M_kj = <S_k, F_j>                   j in the subtree of k;  M symmetric, zero elsewhere
///                 M_kk += rotor
///
/// Frames   World axes (world_sweep.hpp).
/// Cost     O(n) for the composites and 6 multiply-adds per entry of a subtree's block; no allocation.
/// Source   Walker & Orin 1982; Featherstone 2008, sec. 6.2.
#include "torsor/dynamics/world_sweep.hpp"

namespace torsor {

template <class Real>
struct CrbaWorkspace {
  WorldSweep<Real> world;
  std::vector<MassMoments<Real>> I;
  Columns<Real> F;
  std::vector<Real> column;

  template <class Param>
  explicit CrbaWorkspace(const Model<Param>& model)
      : world(model),
        I(static_cast<std::size_t>(model.n_bodies())),
        F(model.n_v()),
        column(static_cast<std::size_t>(model.n_v())) {}
};

/// M(q) with rotor inertias on its diagonal; both triangles.
template <class Param, class Real>
TORSOR_FLATTEN void mass_matrix(const Model<Param>& model, CrbaWorkspace<Real>& ws, In<Real> q,
                                OutMatrix<Real> M) {
  const int n = model.n_bodies(), n_v = model.n_v();
  prepare(model, ws.world.joints, q);
  for (const int i : model.canonical().branching) ws.I[static_cast<std::size_t>(i)] = {};
  world_sweep(model, ws.world);
  MassMoments<Real> I{};  // of body i and all it carries
  for (int i = n - 1; i > 0; --i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    const auto k = static_cast<std::size_t>(i), p = static_cast<std::size_t>(b.parent);
    if (b.branching) add(ws.I[k], I);
    add_world_moments(b, ws.world.R[k], ws.world.p[k], I);
    for (int c = b.v; c < b.v + b.n_v; ++c) {
      const Wrench<Real> F = times(I, ws.world.S.angular(c), ws.world.S.linear(c));
      ws.F.set(c, F.m, F.f);
    }
    if (b.parent != i - 1) {
      if (b.parent != 0) add(I, ws.I[p]);
      I.m = Real(0), I.h = {}, I.S = {};
    }
  }
  Real* const column = ws.column.data();
  for (int i = 1; i < n; ++i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      dot_columns(ws.F, ws.world.S.angular(k), ws.world.S.linear(k), k, b.v_end, column);
      column[k] = column[k] + model.dof(k).armature;
      for (int j = k; j < b.v_end; ++j) M(j, k) = column[j];
      for (int j = k + 1; j < b.v_end; ++j) M(k, j) = column[j];
      for (int j = b.v_end; j < n_v; ++j) M(j, k) = M(k, j) = Real(0);
    }
  }
}

#define TORSOR_CRBA(Param, Real) \
  template void mass_matrix(const Model<Param>&, CrbaWorkspace<Real>&, In<Real>, OutMatrix<Real>);
extern TORSOR_CRBA(double, double) extern TORSOR_CRBA(float, float)

}  // namespace torsor
