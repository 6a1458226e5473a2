#pragma once
/// Velocity and acceleration seen from another frame: points and frames that move in moving frames.
///
///   v_A = v_B0 + R v + w x R q                              q, v, a: of the point, in B
///   a_A = a_B0 + R a + 2 w x R v + w' x R q + w x (w x R q)   2 w x R v: Coriolis
///   w_AC  = w_AB + R w_BC
///   w'_AC = w'_AB + R w'_BC + w_AB x R w_BC
///
/// Frames   FrameMotion is the motion of frame B in frame A, every vector in A's axes;
///          accelerations are second derivatives of positions, not derivatives of twists.
/// Source   Craig 2005, sec. 6.2.
#include "torsor/math/spatial.hpp"

namespace torsor {

/// A point's position (m), velocity (m/s), acceleration (m/s^2) relative to a frame, in its axes.
template <class Real>
struct PointMotion {
  Vec3<Real> position{}, velocity{}, acceleration{};
};

/// Pose of b in a, angular velocity and acceleration of b, velocity and acceleration of b's origin.
template <class Real>
struct FrameMotion {
  SE3<Real> T_ab{};
  Vec3<Real> w{}, w_dot{};                ///< rad/s, rad/s^2
  Vec3<Real> velocity{}, acceleration{};  ///< m/s, m/s^2
};

/// The motion in a of a point whose motion in b is given.
template <class A, class B>
TORSOR_HD constexpr PointMotion<Prod<A, B>> operator*(const FrameMotion<A>& b,
                                                      const PointMotion<B>& point) {
  const auto& [R, p] = b.T_ab;
  const auto Rq = R * point.position, Rv = R * point.velocity;
  const auto turning = cross(b.w, Rq);
  return {Rq + p, b.velocity + Rv + turning,
          b.acceleration + R * point.acceleration + cross(b.w + b.w, Rv) + cross(b.w_dot, Rq) +
              cross(b.w, turning)};
}
/// The motion of c in a from that of b in a and of c in b.
template <class A, class B>
TORSOR_HD constexpr FrameMotion<Prod<A, B>> operator*(const FrameMotion<A>& b,
                                                      const FrameMotion<B>& c) {
  const auto Rw = b.T_ab.R * c.w;
  const PointMotion<Prod<A, B>> origin = b * PointMotion<B>{c.T_ab.p, c.velocity, c.acceleration};
  return {b.T_ab * c.T_ab, b.w + Rw, b.w_dot + b.T_ab.R * c.w_dot + cross(b.w, Rw), origin.velocity,
          origin.acceleration};
}

/// The same motion from the body twist V (written in b) and its componentwise derivative.
template <class Real>
TORSOR_HD constexpr FrameMotion<Real> frame_motion(const SE3<Real>& T_ab, const Twist<Real>& V,
                                                   const Twist<Real>& Vdot) {
  return {T_ab, T_ab.R * V.w, T_ab.R * Vdot.w, T_ab.R * V.v, T_ab.R * (Vdot.v + cross(V.w, V.v))};
}

}  // namespace torsor
