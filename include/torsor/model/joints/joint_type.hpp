#pragma once
/// What a kind of joint is made of. Each kind is one type in one file of this folder and one entry
/// of list.hpp; nothing else in the library names the kinds one by one.
///
///   n_q, n_v             numbers of coordinates and of velocities
///   coordinates          what each coordinate measures
///   velocities           what the time integral of each velocity measures
///   motion               T(q) and S(q) with T^-1 T' = S v; the axis is z
///   rates                q' at the velocity v
///   integrate            q (+) v, the end of a step that starts with the velocity v
///   difference           the v with q0 (+) v = q1
///   chart_rates          z' of q(t) = q0 (+) z(t) at the velocity v, in place of v
///   subtract_bracket     d(q)' = d(v) - [v, d(q)] for a change d along the motion: subtracts [v, dq]
///   magnitudes           what errors of the step z are compared with: coordinates themselves, one
///                        radian for rotations, the distance from the joint frame for positions
///                        whose velocities are those of the body
///   moved_coordinate(k)  the coordinate that velocity k moves and whose limits are those of k, or -1
///   linear_in_child      the velocities that are components, in the child's axes, of the velocity
///                        of a position whose components are coordinates
///   urdf_type            the word of URDF; kinds that URDF lacks (in_urdf is false) are written
///                        with that word and an element of our own
///
/// Members that most kinds share are in JointDefaults and, for kinds whose velocities are the rates
/// of their coordinates, in RateJoint. `JointType` checks that nothing is missing.
#include <array>
#include <concepts>

#include "torsor/math/internal/fixed_array.hpp"
#include "torsor/math/spatial.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

/// Sequences of joint angles; math/euler.hpp has all twelve.
enum class EulerOrder : unsigned char { zyx, zyz, zxz };

/// What a coordinate measures; of a velocity, what its time integral measures.
enum class Measure : unsigned char { angle, length, quaternion };

/// How the sweeps treat a joint: a rotation about z, a translation along z, any other motion.
enum class JointMotionClass : unsigned char { turns, slides, general };

namespace internal {

inline constexpr int max_joint_dofs = 6;
inline constexpr int max_joint_coordinates = 12;

template <class Real>
using JointColumns = FixedArray<Twist<Real>, max_joint_dofs>;

}  // namespace internal

/// T(q), the pose of the child frame in the joint frame, and the columns of S(q) in the child frame.
template <class Real>
struct JointMotion {
  SE3<Real> T{};
  internal::JointColumns<Real> S{};
};

namespace internal {

/// The angle in (-pi, pi] that differs from x by whole turns. Exact where x is in there already.
template <class Real>
TORSOR_HD Real wrapped_angle(const Real& x) {
  const Real pi(typename ScalarTraits<Real>::Value(3.14159265358979323846));
  const auto [s, c] = sincos(x);
  const Real turned = atan2(s, c);
  // -pi becomes pi by a whole turn, not by a constant: derivatives stay.
  return select((x > -pi) & (x <= pi), x, select(turned > -pi, turned, turned + (pi + pi)));
}

/// R of three Euler angles and the body angular velocity of each angle's rate.
template <class Real>
TORSOR_HD void euler_motion(EulerOrder order, const Real* angle, SO3<Real>& R, Vec3<Real>* rates) {
  const SO3<Real> second = order == EulerOrder::zxz ? rotation_x(angle[1]) : rotation_y(angle[1]);
  const SO3<Real> third = order == EulerOrder::zyx ? rotation_x(angle[2]) : rotation_z(angle[2]);
  const Vec3<Real> axis2 = order == EulerOrder::zxz ? Vec3<Real>::unit_x() : Vec3<Real>::unit_y();
  const Vec3<Real> axis3 = order == EulerOrder::zyx ? Vec3<Real>::unit_x() : Vec3<Real>::unit_z();
  rates[0] = transpose_times(third, transpose_times(second, Vec3<Real>::unit_z()));
  rates[1] = transpose_times(third, axis2);
  rates[2] = axis3;
  R = rotation_z(angle[0]) * second * third;
}

template <class Real>
TORSOR_HD Vec3<Real> vec_at(const Real* x) {
  return {x[0], x[1], x[2]};
}
template <class Real>
TORSOR_HD Quaternion<Real> quaternion_at(const Real* q) {
  return {q[0], q[1], q[2], q[3]};
}
template <class Real>
TORSOR_HD void store(const Vec3<Real>& from, Real* to) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z;
}
template <class Real>
TORSOR_HD void store(const Quaternion<Real>& from, Real* to) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z, to[3] = from.w;
}
template <class Real>
TORSOR_HD void subtract(const Vec3<Real>& from, Real* to) {
  to[0] = to[0] - from.x, to[1] = to[1] - from.y, to[2] = to[2] - from.z;
}
/// 1/2 q (w, 0): the rates of a unit quaternion that turns with the body angular velocity w.
template <class Real>
TORSOR_HD void quaternion_rates(const Real* q, const Vec3<Real>& w, Real* rates) {
  const auto half = typename ScalarTraits<Real>::Value(0.5);
  const Quaternion<Real> r = quaternion_at(q) * Quaternion<Real>{w.x, w.y, w.z, Real(0)};
  store(Quaternion<Real>{r.x * half, r.y * half, r.z * half, r.w * half}, rates);
}
/// The translation of exp(w, v): the left dexp is the right one of -w.
template <class Real>
TORSOR_HD Vec3<Real> translation_of_exp(const Vec3<Real>& w, const Vec3<Real>& v) {
  return dexp(-w, v);
}
template <class Real>
TORSOR_HD SO3<Real> euler_rotation(EulerOrder order, const Real* angle) {
  SO3<Real> R;
  Vec3<Real> unused[3];
  euler_motion(order, angle, R, unused);
  return R;
}

}  // namespace internal

namespace joints {

struct JointDefaults {
  static constexpr JointMotionClass motion_class = JointMotionClass::general;
  static constexpr bool has_axis = false, has_pitch = false, has_order = false;
  static constexpr bool has_sdot = false;                ///< S depends on q
  static constexpr bool constant_velocity_steps = true;  ///< q (+) s v moves with the velocity v
  static constexpr int quaternion = -1;                  ///< place of a quaternion in q
  static constexpr Dofs linear_in_child{};
  static constexpr bool in_urdf = false;
  static constexpr const char* urdf_type = "fixed";
};

/// Of kinds whose velocities are the rates of their coordinates: steps add.
template <int n>
struct RateJoint : JointDefaults {
  static constexpr int n_q = n, n_v = n;
  static constexpr bool velocities_are_rates = true;

  static constexpr int moved_coordinate(int k) { return k; }
  template <class Real>
  TORSOR_HD static void rates(EulerOrder, const Real*, const Real* v, Real* out) {
    for (int k = 0; k < n; ++k) out[k] = v[k];
  }
  template <class Real>
  TORSOR_HD static void integrate(EulerOrder, const Real* q, const Real* v, Real* out) {
    for (int k = 0; k < n; ++k) out[k] = q[k] + v[k];
  }
  template <class Real>
  TORSOR_HD static void difference(EulerOrder, const Real* q0, const Real* q1, Real* v) {
    for (int k = 0; k < n; ++k) v[k] = q1[k] - q0[k];
  }
  template <class Real>
  TORSOR_HD static void chart_rates(EulerOrder, const Real*, const Real*, Real*) {}
  template <class Real>
  TORSOR_HD static void subtract_bracket(EulerOrder, const Real*, const Real*, const Real*, Real*) {
  }
  template <class Real>
  TORSOR_HD static void magnitudes(const Real* q, Real* m) {
    for (int k = 0; k < n; ++k) m[k] = abs(q[k]);
  }
};

/// Of kinds whose coordinates say nothing about their velocities: every member is the kind's own.
template <int coordinates, int velocities>
struct BodyVelocityJoint : JointDefaults {
  static constexpr int n_q = coordinates, n_v = velocities;
  static constexpr bool velocities_are_rates = false;
};

}  // namespace joints

/// A type that can stand in the list of kinds.
template <class Kind>
concept JointType = requires(EulerOrder order, double x, const double* q, double* out,
                             JointMotion<double>& motion) {
  Kind::motion(order, x, q, motion);
  Kind::rates(order, q, q, out);
  Kind::integrate(order, q, q, out);
  Kind::difference(order, q, q, out);
  Kind::chart_rates(order, q, q, out);
  Kind::subtract_bracket(order, q, q, q, out);
  Kind::magnitudes(q, out);
  { Kind::moved_coordinate(0) } -> std::same_as<int>;
  { Kind::motion_class } -> std::convertible_to<JointMotionClass>;
  { Kind::urdf_type } -> std::convertible_to<const char*>;
  requires Kind::coordinates.size() == Kind::n_q&& Kind::velocities.size() == Kind::n_v;
};

}  // namespace torsor
