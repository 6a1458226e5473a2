#pragma once
/// What the sweeps of kinematics and dynamics ask of a joint, at no cost for what a joint does not do.
///
/// `prepare` evaluates all joints of a robot at q (all sines and cosines in wide registers); `visit` then
/// hands body i's joint to a generic lambda as one of four types with the same members:
///   to_child(u)   R^T u, from the parent's axes to the child's      to_parent(u)   R u, also of blocks
///   origin()      of the child frame in the parent's                n_v()
///   advance(R)    R_world_parent becomes R_world_child
///   S_w(x), S_v(x)   angular and linear part of S x                 (x: a slice of qd, qdd, ...)
///   project(F, y)    y = S^T F                                     (one_dof: column(I) = I S, component(F) = S^T F)
/// Members that are zero for a kind have type Zero, which adds and crosses away at compile time.
///
/// Frames   Canonical frames (canonical.hpp). S is written in the child's frame.
#include "torsor/math/view.hpp"
#include "torsor/model/internal/sweep_model.hpp"
#ifndef __CUDACC__
#include "torsor/model/model.hpp"  // of the host; a device has models of its own
#endif

namespace torsor::internal {

/// The zero vector as a type.
struct Zero {};
template <class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> operator+(const Vec3<Real>& a, Zero) {
  return a;
}
template <class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> operator+(Zero, const Vec3<Real>& a) {
  return a;
}
TORSOR_HD TORSOR_INLINE Zero operator+(Zero, Zero) { return {}; }
template <class Real>
TORSOR_HD TORSOR_INLINE Zero cross(const Vec3<Real>&, Zero) {
  return {};
}
/// s z: a vector along z.
template <class Real>
struct AlongZ {
  Real z;
};
template <class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> operator+(const Vec3<Real>& a, const AlongZ<Real>& b) {
  return {a.x, a.y, a.z + b.z};
}
/// A vector normal to z.
template <class Real>
struct NormalToZ {
  Real x, y;
};
template <class Real>
TORSOR_HD TORSOR_INLINE NormalToZ<Real> operator+(const NormalToZ<Real>& a, Zero) {
  return a;
}
template <class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> operator+(const Vec3<Real>& a, const NormalToZ<Real>& b) {
  return {a.x + b.x, a.y + b.y, a.z};
}
/// a x (s z)
template <class Real>
TORSOR_HD TORSOR_INLINE NormalToZ<Real> cross(const Vec3<Real>& a, const AlongZ<Real>& b) {
  return {a.y * b.z, -(a.x * b.z)};
}
/// Numbers to keep in memory.
template <class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> as_vector(Zero) {
  return {};
}
template <class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> as_vector(const NormalToZ<Real>& a) {
  return {a.x, a.y, Real(0)};
}
template <class Real>
TORSOR_HD TORSOR_INLINE const Vec3<Real>& as_vector(const Vec3<Real>& a) {
  return a;
}

/// Rz a Rz^T and Rx a Rx^T for symmetric and general a.
template <class Real, class Number>
TORSOR_HD TORSOR_INLINE Sym3<Real> turned_z(const Sym3<Real>& a, const Number& c, const Number& s) {
  const Number cs = c * s, cc = c * c;
  const Real e = a.xx - a.yy, k = cc * e - (cs + cs) * a.xy;
  return {
      a.yy + k, cs * e + (cc + cc - 1) * a.xy, a.xx - k, c * a.xz - s * a.yz, s * a.xz + c * a.yz,
      a.zz};
}
template <class Real, class Number>
TORSOR_HD TORSOR_INLINE Sym3<Real> turned_x(const Sym3<Real>& a, const Number& c, const Number& s) {
  const Number cs = c * s, cc = c * c;
  const Real e = a.yy - a.zz, k = cc * e - (cs + cs) * a.yz;
  return {
      a.xx,    c * a.xy - s * a.xz, a.zz + k, s * a.xy + c * a.xz, cs * e + (cc + cc - 1) * a.yz,
      a.yy - k};
}
template <class Real, class Number>
TORSOR_HD TORSOR_INLINE Mat3<Real> turned_z(const Mat3<Real>& a, const Number& c, const Number& s) {
  const Number cs = c * s, cc = c * c;
  const Real e = a.c0.x - a.c1.y, g = a.c1.x + a.c0.y, k = cc * e - cs * g, l = cs * e + cc * g;
  return {{a.c1.y + k, l - a.c1.x, c * a.c0.z - s * a.c1.z},
          {l - a.c0.y, a.c0.x - k, s * a.c0.z + c * a.c1.z},
          {c * a.c2.x - s * a.c2.y, s * a.c2.x + c * a.c2.y, a.c2.z}};
}
template <class Real, class Number>
TORSOR_HD TORSOR_INLINE Mat3<Real> turned_x(const Mat3<Real>& a, const Number& c, const Number& s) {
  const Number cs = c * s, cc = c * c;
  const Real e = a.c1.y - a.c2.z, g = a.c2.y + a.c1.z, k = cc * e - cs * g, l = cs * e + cc * g;
  return {{a.c0.x, c * a.c0.y - s * a.c0.z, s * a.c0.y + c * a.c0.z},
          {c * a.c1.x - s * a.c2.x, a.c2.z + k, l - a.c2.y},
          {s * a.c1.x + c * a.c2.x, l - a.c1.z, a.c1.y - k}};
}

/// All joints of a robot at one configuration.
template <class Real, class Storage = Heap>
struct JointStates {
  typename Storage::template PerCoordinate<Real> sin, cos;  // of hinges only
  typename Storage::template PerBody<SO3<Real>> R;          // turned hinges and general joints
  typename Storage::template PerBody<Vec3<Real>> p;         // sliders and general joints
  typename Storage::template PerVelocity<Twist<Real>> S;    // of general joints
  typename Storage::template PerBody<Twist<Real>> bias;     // Sdot qd, of general joints

  JointStates() = default;
  template <SweepModel Robot>
  TORSOR_HD explicit JointStates(const Robot& model) {
    allocate(model.n_q(), sin, cos);
    allocate(model.n_bodies(), R, p, bias);
    allocate(model.n_v(), S);
  }
};

/// Members common to all joints with the single column (z, 0), and to those with (0, z).
template <class Real>
struct TurnsAboutZ {
  static constexpr bool is_hinge = true, one_dof = true;

  TORSOR_HD TORSOR_INLINE AlongZ<Real> S_w(const Real* x) const { return {x[0]}; }
  TORSOR_HD TORSOR_INLINE Zero S_v(const Real*) const { return {}; }
  TORSOR_HD TORSOR_INLINE Zero bias_w() const { return {}; }
  TORSOR_HD TORSOR_INLINE Zero bias_v() const { return {}; }
  /// I S and S^T F.
  TORSOR_HD TORSOR_INLINE Wrench<Real> column(const ArticulatedInertia<Real>& I) const {
    return {{I.A.xz, I.A.yz, I.A.zz}, {I.B.c0.z, I.B.c1.z, I.B.c2.z}};
  }
  TORSOR_HD TORSOR_INLINE Real component(const Wrench<Real>& F) const { return F.m.z; }
  TORSOR_HD TORSOR_INLINE void project(const Wrench<Real>& F, Real* y) const { y[0] = F.m.z; }
};
template <class Real>
struct SlidesAlongZ {
  static constexpr bool is_hinge = false, one_dof = true;

  TORSOR_HD TORSOR_INLINE Zero S_w(const Real*) const { return {}; }
  TORSOR_HD TORSOR_INLINE AlongZ<Real> S_v(const Real* x) const { return {x[0]}; }
  TORSOR_HD TORSOR_INLINE Zero bias_w() const { return {}; }
  TORSOR_HD TORSOR_INLINE Zero bias_v() const { return {}; }
  TORSOR_HD TORSOR_INLINE Wrench<Real> column(const ArticulatedInertia<Real>& I) const {
    return {I.B.c2, {I.D.xz, I.D.yz, I.D.zz}};
  }
  TORSOR_HD TORSOR_INLINE Real component(const Wrench<Real>& F) const { return F.f.z; }
  TORSOR_HD TORSOR_INLINE void project(const Wrench<Real>& F, Real* y) const { y[0] = F.f.z; }
};

/// Members common to all joints that rotate by a matrix.
template <class Number, class Real>
struct RotatesByMatrix {
  const SO3<Number>& R;

  TORSOR_HD TORSOR_INLINE explicit RotatesByMatrix(const SO3<Number>& rotation) : R(rotation) {}
  TORSOR_HD TORSOR_INLINE Vec3<Real> to_child(const Vec3<Real>& u) const {
    return transpose_times(R, u);
  }
  template <class Other>
  TORSOR_HD TORSOR_INLINE Vec3<Other> to_parent(const Vec3<Other>& u) const {
    return R * u;
  }
  TORSOR_HD TORSOR_INLINE void advance(SO3<Real>& R_world) const { R_world = R_world * R; }
  TORSOR_HD TORSOR_INLINE Sym3<Real> to_parent(const Sym3<Real>& a) const { return rotated(R, a); }
  TORSOR_HD TORSOR_INLINE Mat3<Real> to_parent(const Mat3<Real>& a) const {
    return R * a * transpose(R);
  }
};

/// A revolute joint whose placement is Rx(alpha).
template <class Param, class Real>
struct Hinge : TurnsAboutZ<Real> {
  const CanonicalBody<Param>& b;
  const Real c, s;

  TORSOR_HD TORSOR_INLINE Hinge(const CanonicalBody<Param>& body, const Real& cosine,
                                const Real& sine)
      : b(body), c(cosine), s(sine) {}
  TORSOR_HD TORSOR_INLINE Vec3<Real> to_child(const Vec3<Real>& u) const {
    const Real y = b.cos_alpha * u.y + b.sin_alpha * u.z, z = b.cos_alpha * u.z - b.sin_alpha * u.y;
    return {c * u.x + s * y, c * y - s * u.x, z};
  }
  template <class Other>
  TORSOR_HD TORSOR_INLINE Vec3<Other> to_parent(const Vec3<Other>& u) const {
    const Other x = c * u.x - s * u.y, y = s * u.x + c * u.y;
    return {x, b.cos_alpha * y - b.sin_alpha * u.z, b.sin_alpha * y + b.cos_alpha * u.z};
  }
  /// R_world_child from R_world_parent.
  TORSOR_HD TORSOR_INLINE void advance(SO3<Real>& R) const {
    const Vec3<Real> y = R.c1 * b.cos_alpha + R.c2 * b.sin_alpha;
    R.c2 = R.c2 * b.cos_alpha - R.c1 * b.sin_alpha;
    R.c1 = y * c - R.c0 * s;
    R.c0 = R.c0 * c + y * s;
  }
  /// R a R^T by two plane rotations.
  TORSOR_HD TORSOR_INLINE Sym3<Real> to_parent(const Sym3<Real>& a) const {
    return turned_x(turned_z(a, c, s), b.cos_alpha, b.sin_alpha);
  }
  TORSOR_HD TORSOR_INLINE Mat3<Real> to_parent(const Mat3<Real>& a) const {
    return turned_x(turned_z(a, c, s), b.cos_alpha, b.sin_alpha);
  }
  TORSOR_HD TORSOR_INLINE const Vec3<Param>& origin() const { return b.p; }
};

/// A revolute joint whose placement is any rotation.
template <class Param, class Real>
struct TurnedHinge : TurnsAboutZ<Real>, RotatesByMatrix<Real, Real> {
  const CanonicalBody<Param>& b;

  TORSOR_HD TORSOR_INLINE TurnedHinge(const CanonicalBody<Param>& body, const SO3<Real>& rotation)
      : RotatesByMatrix<Real, Real>(rotation), b(body) {}
  TORSOR_HD TORSOR_INLINE const Vec3<Param>& origin() const { return b.p; }
};

/// A prismatic joint: the rotation is constant.
template <class Param, class Real>
struct Slider : SlidesAlongZ<Real>, RotatesByMatrix<Param, Real> {
  const Vec3<Real>& p;

  TORSOR_HD TORSOR_INLINE Slider(const CanonicalBody<Param>& body, const Vec3<Real>& at)
      : RotatesByMatrix<Param, Real>(body.R), p(at) {}
  TORSOR_HD TORSOR_INLINE const Vec3<Real>& origin() const { return p; }
};

/// Any other joint, with n <= 6 columns.
template <class Real>
struct GeneralJoint : RotatesByMatrix<Real, Real> {
  static constexpr bool is_hinge = false, one_dof = false;
  const Vec3<Real>& p;
  const Twist<Real>* S;
  const Twist<Real>& bias;
  const int n;

  TORSOR_HD TORSOR_INLINE GeneralJoint(const SO3<Real>& rotation, const Vec3<Real>& at,
                                       const Twist<Real>* columns, int count,
                                       const Twist<Real>& sdot_qd)
      : RotatesByMatrix<Real, Real>(rotation), p(at), S(columns), bias(sdot_qd), n(count) {}
  TORSOR_HD TORSOR_INLINE const Vec3<Real>& origin() const { return p; }
  TORSOR_HD TORSOR_INLINE Vec3<Real> S_w(const Real* x) const {
    Vec3<Real> u{};
    for (int k = 0; k < n; ++k) u += S[k].w * x[k];
    return u;
  }
  TORSOR_HD TORSOR_INLINE Vec3<Real> S_v(const Real* x) const {
    Vec3<Real> u{};
    for (int k = 0; k < n; ++k) u += S[k].v * x[k];
    return u;
  }
  TORSOR_HD TORSOR_INLINE const Vec3<Real>& bias_w() const { return bias.w; }
  TORSOR_HD TORSOR_INLINE const Vec3<Real>& bias_v() const { return bias.v; }
  TORSOR_HD TORSOR_INLINE void project(const Wrench<Real>& F, Real* y) const {
    for (int k = 0; k < n; ++k) y[k] = dot(S[k], F);
  }
};

/// True for revolute joints, turned or not: their bodies have lost m, h_z and S_zz to the parent.
template <class Joint>
inline constexpr bool is_hinge = std::remove_cvref_t<Joint>::is_hinge;

template <class Joint>
inline constexpr bool is_plain_hinge = false;
template <class Param, class Real>
inline constexpr bool is_plain_hinge<const Hinge<Param, Real>&> = true;

template <class Joint>
inline constexpr bool has_one_dof = std::remove_cvref_t<Joint>::one_dof;

/// S' v of body i's joint, in its canonical frame; zero where S is constant. Out of line: few
/// joints have one, and inlining its dual numbers would multiply the time to compile.
template <SweepModel Robot, class Real>
TORSOR_HD TORSOR_COLD Twist<Real> sdot_times(const Robot& model, int i, const Real* q,
                                             const Real* qd, const Real* v) {
  Twist<Real> sum{};
  if (!has_sdot(model.joint(i).kind)) return sum;
  const int first = model.first_v(i);
  const auto Sdot = joint_sdot(model.joint(i), q + model.first_q(i), qd + first);
  for (int c = 0; c < model.n_v(i); ++c) sum += Sdot[c] * v[first + c];
  return sum;
}

/// Evaluates one joint that is not a plain hinge. qd may be null: then the bias is zero.
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_COLD void prepare_joint(const Robot& model, JointStates<Real, Storage>& joints,
                                         int i, const Real* q, const Real* qd) {
  const auto& b = model.canonical(i);
  const int first = model.first_q(i);
  if (model.joint_class(i) == JointClass::turned_hinge) {
    const Real &c = joints.cos[first], &s = joints.sin[first];
    joints.R[i] = {b.R.c0 * c + b.R.c1 * s, b.R.c1 * c - b.R.c0 * s, b.R.c2 * Real(1)};
    return;
  }
  if (model.joint_class(i) == JointClass::slider) {
    joints.p[i] = b.p + b.R.c2 * q[first];
    return;
  }
  const JointMotion<Real> motion = joint_motion(model.joint(i), q + first);
  joints.R[i] = b.R * motion.T.R;
  joints.p[i] = b.R * motion.T.p + b.p;
  for (int c = 0; c < model.n_v(i); ++c) joints.S[model.first_v(i) + c] = motion.S[c];
  joints.bias[i] = {};
  if (qd) joints.bias[i] = sdot_times(model, i, q, qd, qd);
}

/// All joints at q (and the bias Sdot qd, if qd is given).
template <SweepModel Robot, class Real, class Storage>
TORSOR_HD TORSOR_INLINE void prepare(const Robot& model, JointStates<Real, Storage>& joints,
                                     In<Real> q, In<Real> qd = {}) {
  if constexpr (Plain<Real> && std::is_same_v<Real, ParamOf<Robot>> &&
                requires { model.offsets(); }) {
    sincos_many(q.data, model.offsets(), joints.sin.data(), joints.cos.data(), model.n_q());
  } else {
    model.for_each_hinge([&](int k) {
      const SinCos<Real> sc = sincos(Real(q[k] + model.offset(k)));
      joints.sin[k] = sc.sin;
      joints.cos[k] = sc.cos;
    });
  }
  // Generic, so that a model of hinges alone need not answer joint(i).
  model.for_each_not_hinge([&](auto i) { prepare_joint(model, joints, i, q.data, qd.data); });
}

/// f(joint of body i), with the type of the joint known to the compiler.
template <SweepModel Robot, class Real, class Storage, class Function>
TORSOR_HD TORSOR_INLINE void visit(const Robot& model, const JointStates<Real, Storage>& joints,
                                   int i, Function&& f) {
  using Param = ParamOf<Robot>;
  const CanonicalBody<Param>& b = model.canonical(i);
  switch (model.joint_class(i)) {
    case JointClass::hinge:
      return f(Hinge<Param, Real>(b, joints.cos[model.first_q(i)], joints.sin[model.first_q(i)]));
    case JointClass::turned_hinge:
      return f(TurnedHinge<Param, Real>(b, joints.R[i]));
    case JointClass::slider:
      return f(Slider<Param, Real>(b, joints.p[i]));
    case JointClass::general:
      return f(GeneralJoint<Real>(joints.R[i], joints.p[i], joints.S.data() + model.first_v(i),
                                  model.n_v(i), joints.bias[i]));
  }
}

}  // namespace torsor::internal
