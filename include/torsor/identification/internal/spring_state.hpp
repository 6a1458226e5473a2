#pragma once
/// Where a spring and damper between links pulls, and how far it is stretched.
///
///   x = p_b - p_a,  l = |x|,  u = x / l (0 where l = 0),  stretch = l - rest_length,  rate = u . x'
///
/// Frames   World axes.
#include "torsor/dynamics/spring_dampers.hpp"
#include "torsor/identification/parameter_columns.hpp"

namespace torsor::internal {

/// Direction, stretch and rate of a spring and damper, after forward_velocity.
template <class Real>
struct SpringState {
  Vec3<Real> u{};
  Vec3<Real> r_a{}, r_b{};  ///< ends, world axes, from the bodies' origins
  Real length{}, stretch{}, rate{};
};
template <class Param, class Real>
SpringState<Real> spring_state(const Model<Param>& model, const SpringDamperWorkspace<Real>& ws,
                               int k) {
  using Value = typename ScalarTraits<Real>::Value;
  const auto at = static_cast<std::size_t>(k);
  const auto& [a, b, point_a, point_b] = ws.ends[at];
  const auto& T = ws.velocity.T_world_body;
  const auto& V = ws.velocity.V;
  const Vec3<Real> r_a = point_a.template cast<Real>(), r_b = point_b.template cast<Real>();
  SpringState<Real> s;
  s.r_a = T[a].R * r_a, s.r_b = T[b].R * r_b;
  const Vec3<Real> x = (T[b].p - T[a].p) + (s.r_b - s.r_a);
  const Real l2 = squared_norm(x), zero(0);
  const auto apart = l2 > zero;
  const Real l = sqrt(select(apart, l2, Real(1)));
  s.u = {select(apart, x.x / l, zero), select(apart, x.y / l, zero), select(apart, x.z / l, zero)};
  s.rate =
      dot(s.u, T[b].R * (V[b].v + cross(V[b].w, r_b)) - T[a].R * (V[a].v + cross(V[a].w, r_a)));
  s.length = select(apart, l, zero);
  s.stretch = s.length - static_cast<Value>(model.description().springs[at].rest_length);
  return s;
}

/// What a unit of a parameter has of the tension.
template <class Real>
Real tension_column(ColumnKind kind, const SpringState<Real>& at) {
  if (kind == ColumnKind::spring_damper_stiffness) return at.stretch;
  if (kind == ColumnKind::spring_damper_damping) return at.rate;
  return Real(1);
}

}  // namespace torsor::internal
