#pragma once
/// Configurations of the tree: steps on its manifold, poses of its joints, and the door for q.
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

#include "torsor/model/model.hpp"
#include "torsor/model/vector.hpp"

namespace torsor {

/// The angle in (-pi, pi] that differs from x by whole turns. Exact where x is in there already.
template <class Real>
TORSOR_HD Real wrapped_angle(const Real& x) {
  const Real pi(typename ScalarTraits<Real>::Value(3.14159265358979323846));
  const auto [s, c] = sincos(x);
  const Real turned = atan2(s, c);
  // -pi becomes pi by a whole turn, not by a constant: derivatives stay.
  return select((x > -pi) & (x <= pi), x, select(turned > -pi, turned, turned + (pi + pi)));
}

namespace detail {

template <class Real>
TORSOR_HD Quaternion<Real> quaternion_at(const Real* q) {
  return {q[0], q[1], q[2], q[3]};
}
template <class Real>
TORSOR_HD void store(const Quaternion<Real>& from, Real* to) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z, to[3] = from.w;
}
template <class Real>
TORSOR_HD void store(const Vec3<Real>& from, Real* to) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z;
}
template <class Real>
TORSOR_HD Vec3<Real> vec_at(const Real* x) {
  return {x[0], x[1], x[2]};
}

/// The translation of exp(w, v): the left dexp is the right one of -w.
template <class Real>
TORSOR_HD Vec3<Real> translation_of_exp(const Vec3<Real>& w, const Vec3<Real>& v) {
  return dexp(-w, v);
}

/// T and S of joint i, z along its axis, in the type that constants and coordinates have together.
template <class Param, class Vector>
TORSOR_HD auto motion_of(const Model<Param>& model, int i, const Vector& q) {
  using Real = Prod<Param, RealOf<Vector>>;
  const In<RealOf<Vector>> from = q;
  Real x[max_joint_coordinates]{};
  for (int k = 0; k < model.joint(i).n_q; ++k) x[k] = Real(from[model.body(i).q.first + k]);
  return joint_motion(model.joint(i), static_cast<const Real*>(x));
}

}  // namespace detail

/// q (+) v of one kind other than composite.
template <class Real>
TORSOR_HD void integrate_simple(JointKind kind, EulerOrder order, const Real* q, const Real* v,
                                Real* out) {
  using namespace detail;
  const Real o(0);
  switch (kind) {
    case JointKind::planar: {
      const Vec3<Real> step = translation_of_exp<Real>({o, o, v[0]}, {v[1], v[2], o});
      store(Vec3<Real>{q[0], q[1], q[2] + v[0]} + rotation_z(q[2]) * step, out);
      return;
    }
    case JointKind::spherical:
      store(normalized(quaternion_at(q) * quaternion_exp(vec_at(v))), out);
      return;
    case JointKind::free: {
      const Quaternion<Real> R = quaternion_at(q + 3);
      const Vec3<Real> step = rotation(R) * translation_of_exp(vec_at(v), vec_at(v + 3));
      store(vec_at(q) + step, out);
      store(normalized(R * quaternion_exp(vec_at(v))), out + 3);
      return;
    }
    case JointKind::free_euler: {
      SO3<Real> R;
      Vec3<Real> unused[3];
      euler_motion(order, q + 3, R, unused);
      store(vec_at(q) + R * vec_at(v), out);
      store(vec_at(q + 3) + vec_at(v + 3), out + 3);
      return;
    }
    default:
      for (int k = 0; k < n_q_of(kind); ++k) out[k] = q[k] + v[k];
  }
}

/// The v of one kind other than composite with q0 (+) v = q1.
template <class Real>
TORSOR_HD void difference_simple(JointKind kind, EulerOrder order, const Real* q0, const Real* q1,
                                 Real* v) {
  using namespace detail;
  const Real o(0);
  switch (kind) {
    case JointKind::continuous:
      v[0] = wrapped_angle(q1[0] - q0[0]);
      return;
    case JointKind::planar: {
      const Real turn = wrapped_angle(q1[2] - q0[2]);
      const Vec3<Real> moved{q1[0] - q0[0], q1[1] - q0[1], o};
      const Vec3<Real> step =
          dexp_inv<Real>({o, o, -turn}, transpose_times(rotation_z(q0[2]), moved));
      v[0] = turn, v[1] = step.x, v[2] = step.y;
      return;
    }
    case JointKind::spherical:
      store(log(conjugate(quaternion_at(q0)) * quaternion_at(q1)), v);
      return;
    case JointKind::free: {
      const Quaternion<Real> R0 = quaternion_at(q0 + 3), R1 = quaternion_at(q1 + 3);
      const Vec3<Real> moved = transpose_times(rotation(R0), vec_at(q1) - vec_at(q0));
      const Vec3<Real> w = log(conjugate(R0) * R1);
      store(w, v);
      store(dexp_inv(-w, moved), v + 3);
      return;
    }
    case JointKind::free_euler: {
      SO3<Real> R;
      Vec3<Real> unused[3];
      euler_motion(order, q0 + 3, R, unused);
      const Vec3<Real> turn = vec_at(q1 + 3) - vec_at(q0 + 3);
      store(transpose_times(R, vec_at(q1) - vec_at(q0)), v);
      store(turn, v + 3);
      return;
    }
    default:
      for (int k = 0; k < n_q_of(kind); ++k) v[k] = q1[k] - q0[k];
  }
}

/// Compiled once, in src/model/configuration.cpp.
extern template void integrate_simple(JointKind, EulerOrder, const double*, const double*, double*);
extern template void integrate_simple(JointKind, EulerOrder, const float*, const float*, float*);
extern template void difference_simple(JointKind, EulerOrder, const double*, const double*,
                                       double*);
extern template void difference_simple(JointKind, EulerOrder, const float*, const float*, float*);

/// Calls f(kind, order, q, v) with the places of each part's coordinates and velocities in those of
/// the joint; a joint that is not composite is its only part.
template <class Param, class Function>
TORSOR_HD void for_each_part(const JointShape<Param>& joint, Function f) {
  if (joint.kind != JointKind::composite) return f(joint.kind, joint.order, 0, 0);
  int q = 0, v = 0;
  for (int k = 0; k < joint.n_parts; ++k) {
    const PartShape<Param>& part = joint.parts[static_cast<std::size_t>(k)];
    f(part.kind, part.order, q, v);
    q += n_q_of(part.kind), v += n_v_of(part.kind);
  }
}

/// out = q (+) v. Sizes n_q, n_v, n_q.
template <class Param, class Vector>
TORSOR_HD void integrate(const Model<Param>& model, In<RealOf<Vector>> q, In<RealOf<Vector>> v,
                         Vector&& out) {
  const Out<RealOf<Vector>> to = out;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto x = q.data + model.body(i).q.first, step = v.data + model.body(i).v.first;
    const auto y = to.data + model.body(i).q.first;
    for_each_part(model.joint(i), [&](JointKind kind, EulerOrder order, int iq, int iv) {
      integrate_simple(kind, order, x + iq, step + iv, y + iq);
    });
  }
}

/// out = the v with q0 (+) v = q1. Sizes n_q, n_q, n_v.
template <class Param, class Vector>
TORSOR_HD void difference(const Model<Param>& model, In<RealOf<Vector>> q0, In<RealOf<Vector>> q1,
                          Vector&& out) {
  const Out<RealOf<Vector>> to = out;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto x0 = q0.data + model.body(i).q.first, x1 = q1.data + model.body(i).q.first;
    const auto v = to.data + model.body(i).v.first;
    for_each_part(model.joint(i), [&](JointKind kind, EulerOrder order, int iq, int iv) {
      difference_simple(kind, order, x0 + iq, x1 + iq, v + iv);
    });
  }
}

/// Rates of the coordinates at the velocity v: qdot = d/dt q. Sizes n_q, n_v, n_q.
template <class Param, class Vector>
TORSOR_HD void configuration_rates(const Model<Param>& model, In<RealOf<Vector>> q,
                                   In<RealOf<Vector>> v, Vector&& qdot) {
  const Out<RealOf<Vector>> to = qdot;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& body = model.body(i);
    coordinate_rates(model.joint(i), q.data + body.q.first, v.data + body.v.first,
                     to.data + body.q.first);
  }
}

/// Calls f(q) with the place of each quaternion in the configuration.
template <class Param, class Function>
TORSOR_HD void for_each_quaternion(const Model<Param>& model, Function f) {
  for (int i = 1; i < model.n_bodies(); ++i)
    for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int iq, int) {
      if (kind == JointKind::spherical) f(model.body(i).q.first + iq);
      if (kind == JointKind::free) f(model.body(i).q.first + iq + 3);
    });
}

/// Zero angles and lengths, unit quaternions: every child frame on its joint frame.
template <class Param, class Vector>
TORSOR_HD void neutral(const Model<Param>& model, Vector&& out) {
  using Real = RealOf<Vector>;
  const Out<Real> to = out;
  for (Real& x : to) x = Real(0);
  for_each_quaternion(model, [&](int at) { to[at + 3] = Real(1); });
}

/// Quaternions scaled to unit norm, in place.
template <class Param, class Vector>
TORSOR_HD void normalize(const Model<Param>& model, Vector&& q) {
  const Out<RealOf<Vector>> x = q;
  for_each_quaternion(model, [&](int at) {
    detail::store(normalized(detail::quaternion_at(x.data + at)), x.data + at);
  });
}

/// The coordinate of a joint whose rate is its velocity k, or -1: there is none for the body
/// velocities of spherical, planar (x, y) and free joints.
template <class Param>
TORSOR_HD int coordinate_of_dof(const JointShape<Param>& joint, int k) {
  int found = -1;
  for_each_part(joint, [&](JointKind kind, EulerOrder, int iq, int iv) {
    if (k < iv || k >= iv + n_v_of(kind)) return;
    if (velocities_are_rates(kind)) found = iq + k - iv;
    if (kind == JointKind::planar && k == iv) found = iq + 2;
    if (kind == JointKind::free_euler && k >= iv + 3) found = iq + k - iv;
  });
  return found;
}
/// The degree of freedom whose position limits hold for coordinate k of a joint, or -1
/// (quaternions).
template <class Param>
TORSOR_HD int limits_of_coordinate(const JointShape<Param>& joint, int k) {
  int found = -1;
  for_each_part(joint, [&](JointKind kind, EulerOrder, int iq, int iv) {
    const int at = k - iq;
    if (at < 0 || at >= n_q_of(kind) || kind == JointKind::spherical) return;
    if (kind == JointKind::planar)
      found = iv + (at + 1) % 3;
    else if (kind == JointKind::free)
      found = at < 3 ? iv + 3 + at : -1;
    else
      found = iv + at;
  });
  return found;
}

/// Pose of body i's frame in its parent's: placement turn T_z(q) turn^T.
template <class Param, class Vector>
TORSOR_HD auto joint_pose(const Model<Param>& model, int i, const Vector& q) {
  const auto [T, S] = detail::motion_of(model, i, q);
  const Body<Param>& body = model.body(i);
  auto turned = body.placement * SE3<Param>{body.turn, {}} * T;
  turned.R = turned.R * transpose(body.turn);
  return turned;
}
/// Columns of S in the link frame of body i; the first n_v of the joint count.
template <class Param, class Vector>
TORSOR_HD auto joint_subspace(const Model<Param>& model, int i, const Vector& q) {
  auto S = detail::motion_of(model, i, q).S;
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

/// The door for q: throws Error, naming the joint, for a wrong size, a number that is not finite, an
/// angle of 2^48 or more, or a quaternion off unit norm by more than 1e-6; normalises the
/// quaternions that pass.
void check_configuration(const Model<double>& model, View<double> q);
/// The door for qd, qdd, tau: `what` is the word for the message.
void check_velocity(const Model<double>& model, View<const double> v,
                    const char* what = "velocity");

}  // namespace torsor
