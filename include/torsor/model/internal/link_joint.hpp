#pragma once
/// The joint of a body in the file's link frames, as kinematics asks for it: the counterpart of `visit`
/// (sweep.hpp), which is in the canonical frames of dynamics.
///
/// `visit_link` hands body i's joint to a generic lambda as one of three types with the same members:
///   advance(T, q, sine, cosine)                   T becomes T T_joint(q)
///   step(link, q, qd, qdd, sine, cosine)          the same with link.T, and S qd, S' qd + S qdd
///   columns(R, q, f)                              f(velocity k, R S_w, R S_v)
/// where q, qd, qdd are those of the robot, sine and cosine those of a hinge's angle.
///
/// Frames   S in the child's link frame. Columns in the axes of the world, R being R_world_child.
#include "torsor/model/model.hpp"

namespace torsor::internal {

/// One joint in its link frame: pose of the body in its parent, S qd, and S' qd + S qdd.
template <class Real>
struct LinkStep {
  SE3<Real> T{};
  Twist<Real> V{}, A{};
};

/// R times the rotation about the joint's axis; about a coordinate axis two columns turn.
template <class Param, class Real>
TORSOR_INLINE void turn_about(const Body<Param>& body, SO3<Real>& R, const Real& sine,
                              const Real& c) {
  const Real s = body.axis_code < 0 ? -sine : sine;
  const Vec3<Real> c0 = R.c0, c1 = R.c1, c2 = R.c2;
  switch (body.axis_code) {
    case 1:
    case -1:
      R.c1 = c1 * c + c2 * s;
      R.c2 = c2 * c - c1 * s;
      return;
    case 2:
    case -2:
      R.c2 = c2 * c + c0 * s;
      R.c0 = c0 * c - c2 * s;
      return;
    case 3:
    case -3:
      R.c0 = c0 * c + c1 * s;
      R.c1 = c1 * c - c0 * s;
      return;
    default:
      R = R * rotation_about(body.turn.c2, SinCos<Real>{s, c});
  }
}

/// The joint's axis in the axes of the world. Along a coordinate axis it is a column of R.
template <class Param, class Real>
TORSOR_INLINE Vec3<Real> world_axis(const Body<Param>& b, const SO3<Real>& R) {
  switch (b.axis_code) {
    case 1:
      return R.c0;
    case 2:
      return R.c1;
    case 3:
      return R.c2;
    default:
      return R * b.turn.c2;
  }
}

template <class Param>
struct LinkHinge {
  const Body<Param>& b;

  template <class Real>
  TORSOR_INLINE void advance(SE3<Real>& T, const Real*, const Real& sine,
                             const Real& cosine) const {
    turn_about(b, T.R, sine, cosine);
  }
  template <class Real>
  TORSOR_INLINE void step(LinkStep<Real>& link, In<Real>, In<Real> qd, In<Real> qdd,
                          const Real& sine, const Real& cosine) const {
    turn_about(b, link.T.R, sine, cosine);
    link.V.w = b.turn.c2 * qd[b.v.first];
    link.A.w = b.turn.c2 * (qdd.empty() ? Real(0) : qdd[b.v.first]);
  }
  template <class Real, class Column>
  TORSOR_INLINE void columns(const SO3<Real>& R, const Real*, Column&& column) const {
    column(b.v.first, world_axis(b, R), Vec3<Real>{});
  }
};

template <class Param>
struct LinkSlider {
  const Body<Param>& b;

  template <class Real>
  TORSOR_INLINE void advance(SE3<Real>& T, const Real* q, const Real&, const Real&) const {
    T.p = T.p + T.R * b.turn.c2 * q[b.q.first];
  }
  template <class Real>
  TORSOR_INLINE void step(LinkStep<Real>& link, In<Real> q, In<Real> qd, In<Real> qdd, const Real&,
                          const Real&) const {
    link.T.p = link.T.p + link.T.R * b.turn.c2 * q[b.q.first];
    link.V.v = b.turn.c2 * qd[b.v.first];
    link.A.v = b.turn.c2 * (qdd.empty() ? Real(0) : qdd[b.v.first]);
  }
  template <class Real, class Column>
  TORSOR_INLINE void columns(const SO3<Real>& R, const Real*, Column&& column) const {
    column(b.v.first, Vec3<Real>{}, world_axis(b, R));
  }
};

/// Any other joint. What it does is out of line, and on copies: arms seldom come here, and what a call
/// may change through a reference does not stay in registers.
template <class Param>
struct LinkGeneral {
  const Body<Param>& b;
  const JointShape<Param>& shape;

  template <class Real>
  TORSOR_INLINE void advance(SE3<Real>& T, const Real* q, const Real&, const Real&) const {
    T = placed(SE3<Real>(T), q);
  }
  template <class Real>
  TORSOR_INLINE void step(LinkStep<Real>& link, In<Real> q, In<Real> qd, In<Real> qdd, const Real&,
                          const Real&) const {
    link = stepped<Real>(SE3<Real>(link.T), q, qd, qdd);
  }
  template <class Real, class Column>
  TORSOR_INLINE void columns(const SO3<Real>& R, const Real* q, Column&& column) const {
    Twist<Real> S[max_joint_dofs];
    world_columns(R, q, S);
    for (int c = 0; c < b.v.count; ++c) column(b.v.first + c, S[c].w, S[c].v);
  }

 private:
  template <class Real>
  SE3<Real> times(const SE3<Real>& T, const SE3<Real>& T_joint) const {
    if (b.axis_code == 3) return {T.R * T_joint.R, T.p + T.R * T_joint.p};  // no turn
    const SO3<Real> R = T.R * b.turn;
    return {R * T_joint.R * transpose(b.turn), T.p + R * T_joint.p};
  }
  template <class Real>
  TORSOR_COLD TORSOR_FLATTEN SE3<Real> placed(const SE3<Real>& T, const Real* q) const {
    return times(T, joint_motion(shape, q + b.q.first).T);
  }
  template <class Real>
  TORSOR_COLD LinkStep<Real> stepped(const SE3<Real>& T, In<Real> q, In<Real> qd,
                                     In<Real> qdd) const {
    const int k = b.v.first;
    const JointMotion<Real> motion = joint_motion(shape, q.data + b.q.first);
    const JointColumns<Real> Sdot = joint_sdot(shape, q.data + b.q.first, qd.data + k);
    Twist<Real> V{}, A{};
    for (int c = 0; c < b.v.count; ++c) {
      V += motion.S[c] * qd[k + c];
      A += Sdot[c] * qd[k + c];
      if (!qdd.empty()) A += motion.S[c] * qdd[k + c];
    }
    return {times(T, motion.T), {b.turn * V.w, b.turn * V.v}, {b.turn * A.w, b.turn * A.v}};
  }
  template <class Real>
  TORSOR_COLD TORSOR_FLATTEN void world_columns(const SO3<Real>& R, const Real* q,
                                                Twist<Real>* columns) const {
    const JointMotion<Real> motion = joint_motion(shape, q + b.q.first);
    const SO3<Real> R_turned = b.axis_code == 3 ? R : R * b.turn;
    for (int c = 0; c < b.v.count; ++c)
      columns[c] = {R_turned * motion.S[c].w, R_turned * motion.S[c].v};
  }
};

/// f(joint of body i), with the type of the joint known to the compiler.
template <class Param, class Function>
TORSOR_INLINE void visit_link(const Model<Param>& model, int i, Function&& f) {
  const Body<Param>& b = model.body(i);
  switch (b.motion) {
    case JointMotionClass::turns:
      return f(LinkHinge<Param>{b});
    case JointMotionClass::slides:
      return f(LinkSlider<Param>{b});
    case JointMotionClass::general:
      return f(LinkGeneral<Param>{b, model.joint(i)});
  }
}

}  // namespace torsor::internal
