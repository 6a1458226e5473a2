#pragma once
/// What a joint does: pose, velocity columns S, their derivatives, and steps on its manifold.
///
///   T(q)  pose of the child frame in the joint frame        T^-1 T' = S(q) v
///   Sdot  d/dt S(q(t)) = sum_k dS/dq_k v_k                   (universal, Euler and composite joints)
///
/// The axis of every kind is z here; the model turns frames so (canonical.hpp). S, Sdot and dS/dq come
/// from one text: the derivatives are duals of `joint_motion`, along the coordinate rates of v.
///
/// Frames   S is written in the child frame, angular part first.
/// Source   Kim 2012 (seed 001), (37)-(41); kinds and coordinates: docs/conventions.md.
#include <array>

#include "torsor/math/dual.hpp"
#include "torsor/math/spatial.hpp"
#include "torsor/model/description.hpp"

namespace torsor {

inline constexpr int max_joint_dofs = 6;
inline constexpr int max_joint_coordinates = 12;

/// A factor of a composite joint, turned so that its axis is z: T = before T_z(q) after.
template <class Param>
struct PartShape {
  JointKind kind = JointKind::revolute;
  EulerOrder order = EulerOrder::zyx;
  Param pitch{};
  SE3<Param> before{}, after{};
};

/// The kind of a joint with its constants; the axis is z.
template <class Param>
struct JointShape {
  JointKind kind = JointKind::fixed;
  EulerOrder order = EulerOrder::zyx;
  int n_q = 0, n_v = 0;
  Param pitch{};
  std::array<PartShape<Param>, max_joint_dofs> parts{};
  int n_parts = 0;
};

/// True where S depends on q.
constexpr bool has_sdot(JointKind kind) {
  return kind == JointKind::universal || kind == JointKind::spherical_euler ||
         kind == JointKind::free_euler || kind == JointKind::composite;
}
/// True where velocities are the rates of the coordinates.
constexpr bool velocities_are_rates(JointKind kind) {
  return kind != JointKind::planar && kind != JointKind::spherical && kind != JointKind::free &&
         kind != JointKind::free_euler && kind != JointKind::composite;
}

/// Number of coordinates of a kind other than composite, usable on a device.
TORSOR_HD constexpr int n_q_of(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
    case JointKind::composite:
      return 0;
    case JointKind::revolute:
    case JointKind::continuous:
    case JointKind::prismatic:
    case JointKind::helical:
      return 1;
    case JointKind::cylindrical:
    case JointKind::universal:
      return 2;
    case JointKind::planar:
    case JointKind::translational:
    case JointKind::spherical_euler:
      return 3;
    case JointKind::spherical:
      return 4;
    case JointKind::free_euler:
      return 6;
    case JointKind::free:
      return 7;
  }
  return 0;
}
TORSOR_HD constexpr int n_v_of(JointKind kind) {
  return kind == JointKind::spherical ? 3 : kind == JointKind::free ? 6 : n_q_of(kind);
}

template <class Real>
struct JointMotion {
  SE3<Real> T{};
  std::array<Twist<Real>, max_joint_dofs> S{};
};

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

/// T and S of one kind other than composite. Returns the number of velocities.
template <class Param, class Real>
TORSOR_HD int simple_motion(JointKind kind, EulerOrder order, const Param& pitch, const Real* q,
                            JointMotion<Real>& motion) {
  auto& [T, S] = motion;
  const Real o(0), one(1);
  const Vec3<Real> x = Vec3<Real>::unit_x(), y = Vec3<Real>::unit_y(), z = Vec3<Real>::unit_z();
  switch (kind) {
    case JointKind::revolute:
    case JointKind::continuous:
      T = {rotation_z(q[0]), {}};
      S[0] = {z, {}};
      return 1;
    case JointKind::prismatic:
      T = {SO3<Real>::identity(), {o, o, q[0]}};
      S[0] = {{}, z};
      return 1;
    case JointKind::helical:
      T = {rotation_z(q[0]), {o, o, q[0] * pitch}};
      S[0] = {z, {o, o, one * pitch}};
      return 1;
    case JointKind::cylindrical:
      T = {rotation_z(q[0]), {o, o, q[1]}};
      S[0] = {z, {}};
      S[1] = {{}, z};
      return 2;
    case JointKind::universal: {
      const SO3<Real> Ry = rotation_y(q[1]);
      T = {rotation_x(q[0]) * Ry, {}};
      S[0] = {transpose_times(Ry, x), {}};
      S[1] = {y, {}};
      return 2;
    }
    case JointKind::planar:
      T = {rotation_z(q[2]), {q[0], q[1], o}};
      S[0] = {z, {}};
      S[1] = {{}, x};
      S[2] = {{}, y};
      return 3;
    case JointKind::translational:
      T = {SO3<Real>::identity(), {q[0], q[1], q[2]}};
      S[0] = {{}, x};
      S[1] = {{}, y};
      S[2] = {{}, z};
      return 3;
    case JointKind::spherical:
      T = {rotation(Quaternion<Real>{q[0], q[1], q[2], q[3]}), {}};
      S[0] = {x, {}};
      S[1] = {y, {}};
      S[2] = {z, {}};
      return 3;
    case JointKind::spherical_euler: {
      Vec3<Real> rates[3];
      euler_motion(order, q, T.R, rates);
      T.p = {};
      for (int k = 0; k < 3; ++k) S[static_cast<std::size_t>(k)] = {rates[k], {}};
      return 3;
    }
    case JointKind::free:
      T = {rotation(Quaternion<Real>{q[3], q[4], q[5], q[6]}), {q[0], q[1], q[2]}};
      S = {Twist<Real>{x, {}}, {y, {}}, {z, {}}, {{}, x}, {{}, y}, {{}, z}};
      return 6;
    case JointKind::free_euler: {
      Vec3<Real> rates[3];
      euler_motion(order, q + 3, T.R, rates);
      T.p = {q[0], q[1], q[2]};
      S = {Twist<Real>{{}, x}, {{}, y}, {{}, z}, {rates[0], {}}, {rates[1], {}}, {rates[2], {}}};
      return 6;
    }
    case JointKind::fixed:
    case JointKind::composite:
      T = {};
      return 0;
  }
  return 0;
}

/// T(q) and S(q) of any joint.
template <class Param, class Real>
TORSOR_HD JointMotion<Real> joint_motion(const JointShape<Param>& joint, const Real* q) {
  JointMotion<Real> motion;
  if (joint.kind != JointKind::composite) {
    simple_motion(joint.kind, joint.order, joint.pitch, q, motion);
    return motion;
  }
  int columns = 0;
  for (int k = 0; k < joint.n_parts; ++k) {
    const PartShape<Param>& part = joint.parts[static_cast<std::size_t>(k)];
    JointMotion<Real> own;
    const int n = simple_motion(part.kind, part.order, part.pitch, q, own);
    const SE3<Real> step = own.T * part.after, full = part.before * step;
    for (int c = 0; c < columns; ++c) {
      auto& S = motion.S[static_cast<std::size_t>(c)];
      S = Ad_inv(full, S);
    }
    for (int c = 0; c < n; ++c)
      motion.S[static_cast<std::size_t>(columns + c)] =
          Ad_inv(part.after, own.S[static_cast<std::size_t>(c)]);
    motion.T = motion.T * full;
    columns += n;
    q += n_q_of(part.kind);
  }
  return motion;
}

/// Rates of the coordinates q' at the velocity v, for a kind other than composite.
template <class Real>
TORSOR_HD void simple_rates(JointKind kind, EulerOrder order, const Real* q, const Real* v,
                            Real* rates) {
  const auto half = typename ScalarTraits<Real>::Value(0.5);
  const auto quaternion_rates = [&](const Real* x, const Vec3<Real>& w, Real* out) {
    const Quaternion<Real> r =
        Quaternion<Real>{x[0], x[1], x[2], x[3]} * Quaternion<Real>{w.x, w.y, w.z, Real(0)};
    out[0] = r.x * half, out[1] = r.y * half, out[2] = r.z * half, out[3] = r.w * half;
  };
  const auto set = [](Real* out, const Vec3<Real>& u) { out[0] = u.x, out[1] = u.y, out[2] = u.z; };
  switch (kind) {
    case JointKind::planar:
      set(rates,
          rotation_z(q[2]) * Vec3<Real>{v[1], v[2], v[0]});  // z passes the angle's rate through
      return;
    case JointKind::spherical:
      quaternion_rates(q, {v[0], v[1], v[2]}, rates);
      return;
    case JointKind::free: {
      const SO3<Real> R = rotation(Quaternion<Real>{q[3], q[4], q[5], q[6]});
      set(rates, R * Vec3<Real>{v[3], v[4], v[5]});
      quaternion_rates(q + 3, {v[0], v[1], v[2]}, rates + 3);
      return;
    }
    case JointKind::free_euler: {
      SO3<Real> R;
      Vec3<Real> unused[3];
      euler_motion(order, q + 3, R, unused);
      set(rates, R * Vec3<Real>{v[0], v[1], v[2]});
      for (int k = 3; k < 6; ++k) rates[k] = v[k];
      return;
    }
    default:
      for (int k = 0; k < n_v_of(kind); ++k) rates[k] = v[k];
  }
}
template <class Param, class Real>
TORSOR_HD void coordinate_rates(const JointShape<Param>& joint, const Real* q, const Real* v,
                                Real* rates) {
  if (joint.kind != JointKind::composite) return simple_rates(joint.kind, joint.order, q, v, rates);
  for (int k = 0; k < joint.n_parts; ++k) {
    const PartShape<Param>& part = joint.parts[static_cast<std::size_t>(k)];
    simple_rates(part.kind, part.order, q, v, rates);
    q += n_q_of(part.kind), rates += n_q_of(part.kind), v += n_v_of(part.kind);
  }
}

/// S and its derivative along v: columns of d/dt S. Zero where S is constant.
template <class Param, class Real>
TORSOR_HD std::array<Twist<Real>, max_joint_dofs> joint_sdot(const JointShape<Param>& joint,
                                                             const Real* q, const Real* v) {
  std::array<Twist<Real>, max_joint_dofs> Sdot{};
  if (!has_sdot(joint.kind)) return Sdot;
  using Tangent = Dual<Real, 1>;
  Real rates[max_joint_coordinates]{};
  coordinate_rates(joint, q, v, rates);
  Tangent x[max_joint_coordinates];
  for (int k = 0; k < joint.n_q; ++k) x[k].value = q[k], x[k].d[0] = rates[k];
  const JointMotion<Tangent> motion = joint_motion(joint, x);
  for (int k = 0; k < joint.n_v; ++k) {
    const Twist<Tangent>& S = motion.S[static_cast<std::size_t>(k)];
    Sdot[static_cast<std::size_t>(k)] = {{S.w.x.d[0], S.w.y.d[0], S.w.z.d[0]},
                                         {S.v.x.d[0], S.v.y.d[0], S.v.z.d[0]}};
  }
  return Sdot;
}

}  // namespace torsor
