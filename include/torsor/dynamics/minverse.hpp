#pragma once
/// Inverse of the mass matrix, by articulated bodies: M is never formed or factorised.
///
///   tip -> base   U = I^ S,  D = S^T U + rotor
///                 X_ij = D^-1 (1_ij - S_i^T F_j),   F_j += U_i X_ij        j in the subtree of i
///                 I^_p += I^_i - U D^-1 U^T
///   base -> tip   X_ij -= D^-1 U_i^T A_j(p),   A_j(i) = A_j(p) + S_i X_ij   j >= i;  X symmetric
///
/// Frames   World axes (world_sweep.hpp), so F and A are carried without transports.
/// Cost     O(n d) with contiguous inner loops; no allocation.
/// Source   Carpentier 2018 (analytical inverse of the joint space inertia matrix); Featherstone 1983.
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/world_sweep.hpp"

namespace torsor {

template <class Real>
struct MinverseWorkspace {
  WorldSweep<Real> world;
  std::vector<ArticulatedInertia<Real>> I;  // what the children of branching bodies gave
  std::vector<Wrench<Real>> U, K;           // per velocity: I^ S and I^ S D^-1
  std::vector<Real> D;
  Columns<Real> F;
  std::vector<Columns<Real>> A;  // per depth
  std::vector<int> depth;        // of each body
  std::vector<Real> X;           // rows of the result, n_v x n_v

  template <class Param>
  explicit MinverseWorkspace(const Model<Param>& model)
      : world(model),
        I(static_cast<std::size_t>(model.n_bodies())),
        U(static_cast<std::size_t>(model.n_v())),
        K(U.size()),
        D(U.size()),
        F(model.n_v()),
        depth(I.size()),
        X(U.size() * U.size()) {
    int deepest = 0;
    for (int i = 1; i < model.n_bodies(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      depth[k] = depth[static_cast<std::size_t>(model.canonical(i).parent)] + 1;
      deepest = depth[k] > deepest ? depth[k] : deepest;
    }
    A.assign(static_cast<std::size_t>(deepest + 1), Columns<Real>(model.n_v()));
  }
};

/// row[j] -= <column j, (a, b)>, from first to end.
template <class Real>
TORSOR_HD TORSOR_INLINE void subtract_dots(const Columns<Real>& columns, const Vec3<Real>& a,
                                           const Vec3<Real>& b, int first, int end, Real* row) {
  const Real *x0 = columns.row(0), *x1 = columns.row(1), *x2 = columns.row(2), *x3 = columns.row(3),
             *x4 = columns.row(4), *x5 = columns.row(5);
  for (int j = first; j < end; ++j)
    row[j] = row[j] - ((x0[j] * a.x + x1[j] * a.y + x2[j] * a.z) +
                       (x3[j] * b.x + x4[j] * b.y + x5[j] * b.z));
}
/// to(j) = from(j) + (a, b) row[j], from first to end.
template <class Real>
TORSOR_HD TORSOR_INLINE void add_outer(const Columns<Real>& from, const Vec3<Real>& a,
                                       const Vec3<Real>& b, const Real* row, int first, int end,
                                       Columns<Real>& to) {
  const Real factor[6] = {a.x, a.y, a.z, b.x, b.y, b.z};
  for (int component = 0; component < 6; ++component) {
    const Real* x = from.row(component);
    Real* y = to.row(component);
    for (int j = first; j < end; ++j) y[j] = x[j] + factor[component] * row[j];
  }
}

/// to(j) = (a, b) row[j], from first to end.
template <class Real>
TORSOR_HD TORSOR_INLINE void set_outer(const Vec3<Real>& a, const Vec3<Real>& b, const Real* row,
                                       int first, int end, Columns<Real>& to) {
  const Real factor[6] = {a.x, a.y, a.z, b.x, b.y, b.z};
  for (int component = 0; component < 6; ++component) {
    Real* y = to.row(component);
    for (int j = first; j < end; ++j) y[j] = factor[component] * row[j];
  }
}

/// I^ S of a column in world axes.
template <class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> times(const ArticulatedInertia<Real>& I, const Vec3<Real>& w,
                                           const Vec3<Real>& v) {
  return {I.A * w + I.B * v, transpose_times(I.B, w) + I.D * v};
}

/// M(q)^-1 with rotor inertias; both triangles.
template <class Param, class Real>
TORSOR_FLATTEN ForwardDynamicsResult<Real> mass_matrix_inverse(const Model<Param>& model,
                                                               MinverseWorkspace<Real>& ws,
                                                               In<Real> q, OutMatrix<Real> out) {
  const int n = model.n_bodies(), n_v = model.n_v();
  const auto at = [](int k) { return static_cast<std::size_t>(k); };
  prepare(model, ws.world.joints, q);
  world_sweep(model, ws.world);
  const Columns<Real>& S = ws.world.S;
  for (const int i : model.canonical().branching) ws.I[at(i)] = {};
  for (int component = 0; component < 6; ++component) {
    Real* const F = ws.F.row(component);
    for (int j = 0; j < n_v; ++j) F[j] = Real(0);
  }

  ArticulatedInertia<Real> I{};
  for (int i = n - 1; i > 0; --i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    MassMoments<Real> own{};
    add_world_moments(b, ws.world.R[at(i)], ws.world.p[at(i)], own);
    I = I + inertia(own);
    if (b.branching) I = I + ws.I[at(i)];
    // One velocity at a time: those of one joint are released in turn, as if massless bodies lay between.
    for (int k = b.v + b.n_v - 1; k >= b.v; --k) {
      const Vec3<Real> s_w = S.angular(k), s_v = S.linear(k);
      const Wrench<Real> U = times(I, s_w, s_v);
      const Real D = dot(s_w, U.m) + dot(s_v, U.f) + model.dof(k).armature;
      const Real inverse = reciprocal_or_zero(D);
      ws.D[at(k)] = D;
      ws.K[at(k)] = U * inverse;
      I = deflated(I, U, ws.K[at(k)]);
      Real* const X = ws.X.data() + at(k) * at(n_v);
      X[k] = inverse;
      for (int j = k + 1; j < b.v_end; ++j) X[j] = Real(0);
      subtract_dots(ws.F, s_w * inverse, s_v * inverse, k + 1, b.v_end, X);
      add_outer(ws.F, U.m, U.f, X, k, b.v_end, ws.F);
    }
    if (b.parent != i - 1) {
      if (b.parent != 0) ws.I[at(b.parent)] = ws.I[at(b.parent)] + I;
      I = {};
    }
  }
  for (int i = 1; i < n; ++i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    Columns<Real>& A = ws.A[at(ws.depth[at(i)])];
    const Columns<Real>& A_parent = ws.A[at(ws.depth[at(i)] - 1)];
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      Real* const X = ws.X.data() + at(k) * at(n_v);
      const bool first = k == b.v;
      for (int j = b.v_end; j < n_v; ++j) X[j] = Real(0);
      if (b.parent != 0 || !first)
        subtract_dots(first ? A_parent : A, ws.K[at(k)].m, ws.K[at(k)].f, k, n_v, X);
      if (b.parent == 0 && first) {
        set_outer(S.angular(k), S.linear(k), X, k, n_v, A);
      } else {
        add_outer(first ? A_parent : A, S.angular(k), S.linear(k), X, k, n_v, A);
      }
      for (int j = k; j < n_v; ++j) out(k, j) = X[j];
      for (int j = k + 1; j < n_v; ++j) out(j, k) = X[j];
    }
  }
  return regularity(ws.D);
}

#define TORSOR_MINVERSE(Param, Real)                        \
  template ForwardDynamicsResult<Real> mass_matrix_inverse( \
      const Model<Param>&, MinverseWorkspace<Real>&, In<Real>, OutMatrix<Real>);
extern TORSOR_MINVERSE(double, double) extern TORSOR_MINVERSE(float, float)

}  // namespace torsor
