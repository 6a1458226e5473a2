#pragma once
/// M^-1 A by recursions: articulated bodies once, then two sweeps for each column.
///
///   tip -> base   U = I^ S,  D = S^T U + rotor,  K = U / D,  I^_p += I^ - U K^T     once
///   tip -> base   r = x - S^T F,   e = r / D,   F_p += F + K r                      for a column x
///   base -> tip   y = e - K^T B,   B = B_p + S y                                    y = M^-1 x
///
/// The velocities of one joint are let go in turn, as if massless bodies lay between them.
///
/// Frames   World axes (world_sweep.hpp): F and the accelerations B are carried without transports.
/// Cost     O(n) for the bodies and O(n) for each column; no allocation.
/// Source   Featherstone 1983; Kim 2012 (seed 001), M^-1 A by recursions; as minverse.hpp.
#include "torsor/dynamics/minverse.hpp"

namespace torsor {

template <class Real>
struct MinverseTimesWorkspace {
  WorldSweep<Real> world;
  std::vector<ArticulatedInertia<Real>> I;  // what the children of branching bodies gave
  std::vector<Wrench<Real>> K;              // per velocity
  std::vector<Real> D, e;
  std::vector<Wrench<Real>> F;  // per body
  std::vector<Twist<Real>> B;

  template <class Param>
  explicit MinverseTimesWorkspace(const Model<Param>& model)
      : world(model),
        I(static_cast<std::size_t>(model.n_bodies())),
        K(static_cast<std::size_t>(model.n_v())),
        D(K.size()),
        e(K.size()),
        F(I.size()),
        B(I.size()) {}
};

/// out = M(q)^-1 A, M with rotor inertias; A and out are n_v x any, and may be the same matrix.
template <class Param, class Real>
ForwardDynamicsResult<Real> mass_matrix_inverse_times(const Model<Param>& model,
                                                      MinverseTimesWorkspace<Real>& ws, In<Real> q,
                                                      InMatrix<Real> A, OutMatrix<Real> out) {
  const auto at = [](int k) { return static_cast<std::size_t>(k); };
  const int n = model.n_bodies();
  prepare(model, ws.world.joints, q);
  world_sweep(model, ws.world);
  articulate(model, ws.world, ws.I, ws.K, ws.D, [](const auto&...) {});
  for (int c = 0; c < A.cols; ++c) {
    for (int i = 0; i < n; ++i) ws.F[at(i)] = {};
    for (int i = n - 1; i > 0; --i) {
      const CanonicalBody<Param>& b = model.canonical(i);
      Wrench<Real> F = ws.F[at(i)];
      for (int k = b.v + b.n_v - 1; k >= b.v; --k) {
        const Real r = A(k, c) - dot(ws.world.S.twist(k), F);
        ws.e[at(k)] = r * reciprocal_or_zero(ws.D[at(k)]);
        F += ws.K[at(k)] * r;
      }
      if (b.parent != 0) ws.F[at(b.parent)] += F;
    }
    ws.B[0] = {};
    for (int i = 1; i < n; ++i) {
      const CanonicalBody<Param>& b = model.canonical(i);
      Twist<Real> B = ws.B[at(b.parent)];
      for (int k = b.v; k < b.v + b.n_v; ++k) {
        const Real y = ws.e[at(k)] - dot(B, ws.K[at(k)]);
        B += ws.world.S.twist(k) * y;
        out(k, c) = y;
      }
      ws.B[at(i)] = B;
    }
  }
  return regularity(ws.D);
}

#define TORSOR_MINVERSE_TIMES(Param, Real)                                          \
  template ForwardDynamicsResult<Real> mass_matrix_inverse_times(                   \
      const Model<Param>&, MinverseTimesWorkspace<Real>&, In<Real>, InMatrix<Real>, \
      OutMatrix<Real>)
extern TORSOR_MINVERSE_TIMES(double, double);
extern TORSOR_MINVERSE_TIMES(float, float);

}  // namespace torsor
