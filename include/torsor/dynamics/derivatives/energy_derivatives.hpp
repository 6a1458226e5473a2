#pragma once
/// Derivatives of energies, momentum and centre of mass along the tangent of q and along qd.
///
/// With the composites of what velocity j carries, its momentum H = int (r x u, u) dm, mass moments
/// I and the columns S, X of motion_columns.hpp:
///
///   kinetic     d K / dq_j = <X_j, H_j>              d K / dqd_j = <S_j, H_j> + (rotors qd)_j
///   potential   d U / dq_j = -g . (m com)' = -g . f(I S_j)
///   momentum    d h / dq_j = (s x m + s_0 x f, s x f)(H_j) + I X_j     d h / dqd_j = I S_j
///   com         d c / dq_j = f(I S_j) / m                                       f: the linear part
///
/// Frames   World axes; the momentum is about the world's origin, as momentum() of energy.hpp says.
/// Cost     O(n), no allocation.
/// Source   Kim 2012, (15), (23), (24), differentiated; Orin, Goswami & Lee 2013
///          (centroidal momentum).
#include "torsor/dynamics/internal/motion_columns.hpp"

namespace torsor {

template <class Real>
struct EnergyDerivativesWorkspace {
  internal::MotionWorkspace<Real> motion;

  template <class Param>
  explicit EnergyDerivativesWorkspace(const Model<Param>& model) : motion(model) {}
};

namespace internal {

/// Composite momentum of what velocity k carries, about the reference point of its tree.
template <class Real>
Wrench<Real> carried_momentum(const Rows<Real>& rows, int k) {
  using Row = MotionRow;
  const auto K = [&](int r, int c) -> const Real& { return *rows(Row::K + 3 * c + r, k); };
  return {{K(2, 1) - K(1, 2), K(0, 2) - K(2, 0), K(1, 0) - K(0, 1)}, rows.vector(Row::P, k)};
}

/// Mass moments of what velocity k carries.
template <class Real>
MassMoments<Real> carried_moments(const Rows<Real>& rows, int k) {
  using Row = MotionRow;
  const auto S = [&](int r) -> const Real& { return *rows(Row::Sigma + r, k); };
  return {*rows(Row::m, k), rows.vector(Row::h, k), {S(0), S(1), S(2), S(3), S(4), S(5)}};
}

}  // namespace internal

/// All of them in one sweep, n_v numbers or n_v columns each; outputs without data are not written.
/// An empty qd means zero.
template <class Real>
struct EnergyDerivatives {
  View<Real> kinetic_by_q, kinetic_by_qd, potential_by_q;
  MatrixView<Real> momentum_by_q, momentum_by_qd;  ///< 6 x n_v
  MatrixView<Real> com_by_q;                       ///< 3 x n_v; zero for a robot without mass
};

template <class Param, class Real>
void energy_derivatives(const Model<Param>& model, EnergyDerivativesWorkspace<Real>& ws, In<Real> q,
                        In<Real> qd, const EnergyDerivatives<std::type_identity_t<Real>>& out) {
  using namespace internal;
  using Row = MotionRow;
  motion_columns<Param, Real>(model, ws.motion, q, qd.data, nullptr, {});
  const Rows<Real> rows = ws.motion.rows.view();
  carried_columns(ws.motion);
  Real mass(0);
  for (int i = 1; i < model.n_bodies(); ++i) mass = mass + model.body(i).inertia.m;
  const Real per_mass =
      select(mass > Real(0), Real(1) / select(mass > Real(0), mass, Real(1)), Real(0));
  const auto set = [](const MatrixView<Real>& to, int k, const Wrench<Real>& x) {
    for (int r = 0; r < 3; ++r) to(r, k) = x.m[r], to(r + 3, k) = x.f[r];
  };
  Vec3<Real> origin{};  // of the first body of the tree: what the moments are about
  for (int i = 1; i < model.n_bodies(); ++i) {
    const internal::CanonicalBody<Param>& b = model.canonical(i);
    if (b.parent == 0)
      internal::visit(model, ws.motion.joints, i,
                      [&](const auto& joint) { origin = joint.origin() * Real(1); });
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      const Vec3<Real> s = rows.vector(Row::S, k), s0 = rows.vector(Row::S + 3, k);
      const Vec3<Real> x = rows.vector(Row::X, k), x0 = rows.vector(Row::X + 3, k);
      const Wrench<Real> H = carried_momentum(rows, k);
      const Wrench<Real> IS{rows.vector(Row::IS, k), rows.vector(Row::IS + 3, k)};
      const Wrench<Real> IX = times(carried_moments(rows, k), x, x0);
      Wrench<Real> by_q{cross(s, H.m) + cross(s0, H.f) + IX.m, cross(s, H.f) + IX.f};
      by_q.m = by_q.m + cross(origin, by_q.f);
      if (out.kinetic_by_q.data) out.kinetic_by_q[k] = dot(Twist<Real>{x, x0}, H);
      if (out.kinetic_by_qd.data)
        out.kinetic_by_qd[k] =
            dot(Twist<Real>{s, s0}, H) + (qd.data ? qd[k] * model.dof(k).armature : Real(0));
      if (out.potential_by_q.data) out.potential_by_q[k] = -dot(model.gravity(), IS.f);
      if (out.momentum_by_q.data) set(out.momentum_by_q, k, by_q);
      if (out.momentum_by_qd.data) set(out.momentum_by_qd, k, {IS.m + cross(origin, IS.f), IS.f});
      for (int r = 0; out.com_by_q.data && r < 3; ++r) out.com_by_q(r, k) = IS.f[r] * per_mass;
    }
  }
  if (out.kinetic_by_qd.data && qd.data) add_motor_torques(model, qd, out.kinetic_by_qd);
}

/// Compiled once, in src/dynamics/derivatives/energy_derivatives.cpp; other scalars where used.
extern template void energy_derivatives(const Model<double>&, EnergyDerivativesWorkspace<double>&,
                                        In<double>, In<double>, const EnergyDerivatives<double>&);

}  // namespace torsor
