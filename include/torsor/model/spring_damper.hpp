#pragma once
/// Force of a spring and damper between two points.
///
///   x = p_b - p_a,  l = |x|,  u = x / l,  l' = u . (v_b - v_a)
///   force on a = u (preload + stiffness (l - rest_length) + damping l'),   force on b = the opposite
///   energy     = preload l + 1/2 stiffness (l - rest_length)^2
///
/// At l = 0 the direction is not defined and the force is zero.
/// Frames   Points, velocities and forces in one common frame; the force acts at the point.
/// Cost     A handful of operations, no branch on a Real.
#include <vector>

#include "torsor/math/vec3.hpp"
#include "torsor/model/description.hpp"

namespace torsor {

struct Frame;

namespace internal {

/// Where the two ends of a spring are.
struct SpringEnds {
  int body_a = 0, body_b = 0;
  Vec3<double> point_a{}, point_b{};  ///< in the link frames of the bodies
};
/// Of all springs of a description with the frames of its Model. A spring without a link ends on the
/// ground: its point is in the root link's frame.
std::vector<SpringEnds> spring_ends(const RobotDescription& description,
                                    const std::vector<Frame>& frames);

}  // namespace internal

template <class Real>
struct SpringDamperForce {
  Vec3<Real> on_a{};  ///< N; on b: the opposite
  Real length{};      ///< m
  Real rate{};        ///< m/s, positive where it gets longer
  Real tension{};     ///< N, positive where it pulls
  Real energy{};      ///< J, of the spring and the preload
};

/// Positions p (m) and velocities v (m/s) of the two points.
template <class Real>
SpringDamperForce<Real> spring_damper_force(const SpringDamper& spring, const Vec3<Real>& p_a,
                                            const Vec3<Real>& v_a, const Vec3<Real>& p_b,
                                            const Vec3<Real>& v_b) {
  using Value = typename ScalarTraits<Real>::Value;
  const Value k(static_cast<Value>(spring.stiffness)), c(static_cast<Value>(spring.damping));
  const Vec3<Real> x = p_b - p_a;
  const Real l2 = squared_norm(x), zero(0);
  const auto apart = l2 > zero;
  const Real l1 = sqrt(select(apart, l2, Real(1)));
  const Vec3<Real> u{select(apart, x.x / l1, zero), select(apart, x.y / l1, zero),
                     select(apart, x.z / l1, zero)};

  SpringDamperForce<Real> force;
  force.length = select(apart, l1, zero);
  force.rate = dot(u, v_b - v_a);
  const Real stretch = force.length - static_cast<Value>(spring.rest_length);
  const Value preload(static_cast<Value>(spring.preload));
  force.tension = stretch * k + force.rate * c + preload;
  force.on_a = u * force.tension;
  force.energy = stretch * stretch * (k * Value(0.5)) + force.length * preload;
  return force;
}

}  // namespace torsor
