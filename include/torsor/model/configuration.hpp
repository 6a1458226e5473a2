#pragma once
/// Configurations of the tree: steps on its manifold, poses of its joints, and the check of q.
///
///   integrate(q, v)      q (+) v: T exp(v) on the group of each joint
///   difference(q0, q1)   the v with integrate(q0, v) = q1
///
///   angles, lengths, Euler angles   q + v
///   spherical                       quaternion q exp(v / 2), renormalised
///   planar, free                    T exp(v) on SE(2) and SE(3)
///   free Euler                      p + R v_linear, angles + rates
///   composite                       the parts
///
/// Turns    difference of continuous and planar joints turns by an angle in (-pi, pi], of spherical
///          and free ones by at most pi; other angles count every turn.
/// Frames   joint_pose and joint_subspace are in the file's link frames: T_i = T_parent_child from
///          the frame of the parent's body to that of body i, and T_i^-1 T_i' = S_i v in the child.
/// Cost     O(n), no allocation, no branch on a Real. The output of integrate may be q itself.
/// Source   Murray, Li & Sastry 1994, ch. 2; Sola, Deray & Atchuthan 2018 (plus and minus).
#include <cstdint>
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

namespace internal {

/// T and S of joint i, z along its axis, in the type that constants and coordinates have together.
template <class Param, class Vector>
auto motion_of(const Model<Param>& model, int i, const Vector& q) {
  using Real = Prod<Param, RealOf<Vector>>;
  const In<RealOf<Vector>> from = q;
  Real x[max_joint_coordinates]{};
  for (int k = 0; k < model.joint(i).n_q; ++k) x[k] = Real(from[model.body(i).q.first + k]);
  return joint_motion(model.joint(i), static_cast<const Real*>(x));
}

}  // namespace internal

/// out = q (+) v. Sizes n_q, n_v, n_q.
template <class Param, class Vector>
void integrate(const Model<Param>& model, In<RealOf<Vector>> q, In<RealOf<Vector>> v,
               Vector&& out) {
  const Out<RealOf<Vector>> to = out;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto x = q.data + model.body(i).q.first, step = v.data + model.body(i).v.first;
    const auto y = to.data + model.body(i).q.first;
    internal::for_each_part(model.joint(i), [&](JointKind kind, EulerOrder order, int iq, int iv) {
      internal::integrate_part(kind, order, x + iq, step + iv, y + iq);
    });
  }
}

/// out = the v with q0 (+) v = q1. Sizes n_q, n_q, n_v.
template <class Param, class Vector>
void difference(const Model<Param>& model, In<RealOf<Vector>> q0, In<RealOf<Vector>> q1,
                Vector&& out) {
  const Out<RealOf<Vector>> to = out;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto x0 = q0.data + model.body(i).q.first, x1 = q1.data + model.body(i).q.first;
    const auto v = to.data + model.body(i).v.first;
    internal::for_each_part(model.joint(i), [&](JointKind kind, EulerOrder order, int iq, int iv) {
      internal::difference_part(kind, order, x0 + iq, x1 + iq, v + iv);
    });
  }
}

/// Rates of the coordinates at the velocity v: qdot = d/dt q. Sizes n_q, n_v, n_q.
template <class Param, class Vector>
void configuration_rates(const Model<Param>& model, In<RealOf<Vector>> q, In<RealOf<Vector>> v,
                         Vector&& qdot) {
  const Out<RealOf<Vector>> to = qdot;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& body = model.body(i);
    internal::coordinate_rates(model.joint(i), q.data + body.q.first, v.data + body.v.first,
                               to.data + body.q.first);
  }
}

namespace internal {

/// Calls f(q) with the place of each quaternion in the configuration.
template <class Param, class Function>
void for_each_quaternion(const Model<Param>& model, Function f) {
  for (int i = 1; i < model.n_bodies(); ++i)
    for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int iq, int) {
      const int place = quaternion_of(kind);
      if (place >= 0) f(model.body(i).q.first + iq + place);
    });
}

}  // namespace internal

/// Zero angles and lengths, unit quaternions: every child frame on its joint frame.
template <class Param, class Vector>
void neutral(const Model<Param>& model, Vector&& out) {
  using Real = RealOf<Vector>;
  const Out<Real> to = out;
  for (Real& x : to) x = Real(0);
  internal::for_each_quaternion(model, [&](int at) { to[at + 3] = Real(1); });
}

/// Quaternions scaled to unit norm, in place.
template <class Param, class Vector>
void normalise(const Model<Param>& model, Vector&& q) {
  const Out<RealOf<Vector>> x = q;
  internal::for_each_quaternion(model, [&](int at) {
    internal::store(normalised(internal::quaternion_at(x.data + at)), x.data + at);
  });
}

namespace internal {

/// The coordinate of a joint whose rate is its velocity k, or -1: there is none for the body
/// velocities of spherical, planar (x, y) and free joints.
template <class Param>
int coordinate_of_dof(const JointShape<Param>& joint, int k) {
  int found = -1;
  for_each_part(joint, [&](JointKind kind, EulerOrder, int iq, int iv) {
    if (k < iv || k >= iv + n_v(kind)) return;
    const int at = rate_coordinate(kind, k - iv);
    if (at >= 0) found = iq + at;
  });
  return found;
}

}  // namespace internal

/// The degree of freedom whose position limits hold for coordinate k of a joint, or -1
/// (quaternions).
template <class Param>
int limits_of_coordinate(const JointShape<Param>& joint, int k) {
  int found = -1;
  internal::for_each_part(joint, [&](JointKind kind, EulerOrder, int iq, int iv) {
    for (int v = 0; v < n_v(kind); ++v)
      if (const int at = internal::moved_coordinate(kind, v); at >= 0 && iq + at == k)
        found = iv + v;
  });
  return found;
}

/// Pose of body i's frame in its parent's: placement turn T_z(q) turn^T.
template <class Param, class Vector>
auto joint_pose(const Model<Param>& model, int i, const Vector& q) {
  const auto [T, S] = internal::motion_of(model, i, q);
  const Body<Param>& body = model.body(i);
  auto turned = body.placement * SE3<Param>{body.turn, {}} * T;
  turned.R = turned.R * transpose(body.turn);
  return turned;
}
/// Columns of S in the link frame of body i; the first n_v of the joint count.
template <class Param, class Vector>
auto joint_subspace(const Model<Param>& model, int i, const Vector& q) {
  auto S = internal::motion_of(model, i, q).S;
  for (auto& column : S) {
    column.w = model.body(i).turn * column.w;
    column.v = model.body(i).turn * column.v;
  }
  return S;
}

/// A configuration inside the limits where they are finite, else angles in [-pi, pi] and lengths in
/// [-1, 1]; limits beyond 1e4 count as none. Orientations uniform. The same for the same seed on
/// every machine.
void random_configuration(const Model<double>& model, std::uint64_t seed, View<double> out);

/// Checks q: throws Error, naming the joint, for a wrong size, a number that is not finite, an
/// angle of 2^48 or more, or a quaternion off unit norm by more than 1e-6; normalises the
/// quaternions that pass.
void check_configuration(const Model<double>& model, View<double> q);
/// The configuration that the robot's description has under that name; throws Error with the names
/// that there are.
std::vector<double> named_configuration(const Model<double>& model, const std::string& name);
/// Checks qd, qdd or tau: `what` names it in the message.
void check_velocity(const Model<double>& model, View<const double> v,
                    const char* what = "velocity");

}  // namespace torsor
