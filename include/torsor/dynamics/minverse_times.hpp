#pragma once
/// M^-1 A by recursions: articulated bodies once, then two sweeps for each column.
///
///   tip -> base   U = I^ S,  D = S^T U + rotor,  K = U / D,  I^_p += I^ - U K^T     once
///   tip -> base   r = x - S^T F,   e = r / D,   F_p += F + K r                      for a column x
///   base -> tip   y = e - K^T B,   B = B_p + S y                                    y = M^-1 x
///
/// The velocities of one joint are released in turn, as if massless bodies lay between them. Motors
/// of several joints: motor_coupling.hpp.
///
/// Frames   World axes (world_sweep.hpp): F and the accelerations B are carried without transports.
/// Cost     O(n) for the bodies and O(n) for each column; no allocation.
/// Source   Featherstone 1983; Kim 2012 (M^-1 A by recursions); as minverse.hpp.
#include "torsor/dynamics/minverse.hpp"

namespace torsor {

template <class Real>
struct MinverseTimesWorkspace {
  internal::WorldSweep<Real> world;
  Array<ArticulatedInertia<Real>> I;  // what the children of branching bodies gave
  Array<Wrench<Real>> K;              // per velocity
  Array<Real> D, e;
  Array<Wrench<Real>> F;  // per body
  Array<Twist<Real>> B;
  internal::MotorScratch<Real> motors;

  template <class Param>
  explicit MinverseTimesWorkspace(const Model<Param>& model)
      : world(model),
        I(model.n_bodies()),
        K(model.n_v()),
        D(K.size()),
        e(K.size()),
        F(I.size()),
        B(I.size()),
        motors(model) {}
};

namespace internal {

/// The two sweeps of a column, x(k) to y(k), which may be the same.
template <class Param, class Real, class From, class To>
TORSOR_INLINE void solve_column(const Model<Param>& model, MinverseTimesWorkspace<Real>& ws, From x,
                                To y_of) {
  const int n = model.n_bodies();
  for (int i = 0; i < n; ++i) ws.F[i] = {};
  for (int i = n - 1; i > 0; --i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    Wrench<Real> F = ws.F[i];
    for (int k = b.v + b.n_v - 1; k >= b.v; --k) {
      const Real r = x(k) - dot(ws.world.S.twist(k), F);
      ws.e[k] = r * reciprocal_or_zero(ws.D[k]);
      F += ws.K[k] * r;
    }
    if (b.parent != 0) ws.F[b.parent] += F;
  }
  ws.B[0] = {};
  for (int i = 1; i < n; ++i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    Twist<Real> B = ws.B[b.parent];
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      const Real y = ws.e[k] - dot(B, ws.K[k]);
      B += ws.world.S.twist(k) * y;
      y_of(k) = y;
    }
    ws.B[i] = B;
  }
}

}  // namespace internal

/// out = M(q)^-1 A, M with rotor inertias; A and out are n_v x any, and may be the same matrix.
template <class Param, class Real>
ForwardDynamicsResult<Real> mass_matrix_inverse_times(const Model<Param>& model,
                                                      MinverseTimesWorkspace<Real>& ws, In<Real> q,
                                                      InMatrix<Real> A, OutMatrix<Real> out) {
  internal::assert_state(model, q);
  internal::assert_matrix(A, model.n_v(), out.cols);
  internal::assert_matrix(out, model.n_v(), A.cols);
  internal::assert_workspace(model, ws.world.joints);
  internal::prepare(model, ws.world.joints, q);
  internal::world_sweep(model, ws.world);
  internal::articulate(model, ws.world, ws.I, ws.K, ws.D, [](const auto&...) {});
  for (int c = 0; c < A.cols; ++c)
    internal::solve_column(
        model, ws, [&](int k) { return A(k, c); }, [&](int k) -> Real& { return out(k, c); });
  if (model.motors().empty()) return internal::regularity(ws.D);

  internal::MotorScratch<Real>& m = ws.motors;
  const auto all = [](int) { return true; };
  for (int j = 0; j < model.motors().size(); ++j) {
    internal::set_row(model.motors()[j], m, all);
    internal::solve_column(
        model, ws, [&](int k) { return m.x[k]; }, [&](int k) -> Real& { return m.response(j)[k]; });
  }
  internal::factorise_motors(model, m, all);
  for (int c = 0; c < A.cols; ++c) {
    const auto entry = [&](int k) -> Real& { return out(k, c); };
    for (int j = 0; j < model.motors().size(); ++j)
      m.lambda[j] = internal::along_some<Real>(model.motors()[j], entry, all) *
                    model.motors()[j].constants.armature;
    internal::solve_motors(m);
    internal::couple(model, m, all, entry);
  }
  return internal::regularity(ws.D);
}

/// Compiled once, in src/dynamics/minverse_times.cpp; other scalars where they are used.
#define TORSOR_MINVERSE_TIMES(Extern, Param, Real)                                  \
  Extern template ForwardDynamicsResult<Real> mass_matrix_inverse_times(            \
      const Model<Param>&, MinverseTimesWorkspace<Real>&, In<Real>, InMatrix<Real>, \
      OutMatrix<Real>);
TORSOR_MINVERSE_TIMES(extern, double, double)
TORSOR_MINVERSE_TIMES(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_MINVERSE_TIMES
#endif

}  // namespace torsor
