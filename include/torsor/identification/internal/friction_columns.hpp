#pragma once
/// What one degree of freedom's friction and rotor have per unit of each parameter.
///
///   s = sgn(v) or tanh(v / width),  e = exp(-(v / stribeck)^2), 0 without a Stribeck velocity
///   viscous v, viscous_asymmetry v s, coulomb s (1 - e) or s, stiction s e, coulomb_asymmetry s^2,
///   offset 1, load s |t|, rotor vdot                           t: the transmitted torque
#include "torsor/identification/parameter_columns.hpp"
#include "torsor/math/scalar.hpp"
#include "torsor/model/friction.hpp"

namespace torsor::internal {

/// exp(-(v / stribeck)^2), 0 where there is no Stribeck velocity.
template <class Param, class Real>
Real stribeck_decay(const Param& stribeck, const Real& v) {
  const auto decays = stribeck > Param(0);
  if (!any(decays)) return Real(0);
  const Real ratio = v / select(decays, stribeck, Param(1));
  return select(decays, Real(exp(-(ratio * ratio))), Real(0));
}

/// s and e of one velocity, evaluated once for all of its columns.
template <class Real>
struct Slip {
  Real v{}, s{}, e{};
};
template <class Param, class Real>
Slip<Real> slip(const DofConstants<Param>& dof, const Real& v) {
  return {v, slip_direction(dof, v), stribeck_decay(dof.stribeck, v)};
}

/// The friction columns; 0 for those of other kinds.
template <class Real>
Real friction_column(const ColumnTerm& term, const Slip<Real>& at, const Real& tau_load) {
  switch (term.kind) {
    case ColumnKind::viscous:
      return at.v;
    case ColumnKind::viscous_asymmetry:
      return at.v * at.s;
    case ColumnKind::coulomb:
      return term.decays ? Real(at.s * (Real(1) - at.e)) : at.s;
    case ColumnKind::stiction:
      return at.s * at.e;
    case ColumnKind::coulomb_asymmetry:
      return at.s * at.s;
    case ColumnKind::offset:
      return Real(1);
    case ColumnKind::load:
      return at.s * abs(tau_load);
    default:
      return Real(0);
  }
}

}  // namespace torsor::internal
