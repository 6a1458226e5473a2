#pragma once
/// Inverse and forward dynamics and the mass matrix of a serial chain of hinges whose length the compiler
/// knows: the steps of rnea.hpp, aba.hpp and crba.hpp with the first body written out.
///
/// What carries the first body rests, so its motion is a turn about z: of rnea.hpp's sweeps 13 % and of
/// aba.hpp's 10 % of all instructions multiply by zeros that a compiler must not drop (0 x may be nan), and
/// registers hold them. Nothing else differs.
///
/// Frames   Canonical frames.
#include "composite.hpp"
#include "right_hinge.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/internal/aba_sweeps.hpp"

namespace torsor::internal::device {

template <class Model, class Real>
struct ChainJoints {
  Real c[Model::n_v()], s[Model::n_v()];

  /// The angle of joint k. A sweep asks for it when it comes to the joint: registers are few.
  template <class Numbers>
  TORSOR_HD TORSOR_INLINE void turn(const Model& model, const Numbers& q, int k) {
    const SinCos<Real> both = sincos(Real(q[k] + model.offset(k)));
    s[k] = both.sin, c[k] = both.cos;
  }
  TORSOR_HD TORSOR_INLINE Hinge<ParamOf<Model>, Real> first(const Model& model) const {
    return {model.canonical(1), c[0], s[0]};
  }
  TORSOR_HD TORSOR_INLINE ChainHinge<Model, Real> joint(const Model& model, int i) const {
    return {model.canonical(i), c[i - 1], s[i - 1]};
  }
};

/// tau = M qdd + C qd + g, rotors included. Inputs are anything with number k at [k].
template <class Model, class Numbers, class Real>
TORSOR_HD TORSOR_INLINE void chain_inverse_dynamics(const Model& model, const Numbers& q,
                                                    const Numbers& qd, const Numbers& qdd,
                                                    Real* tau) {
  constexpr int n = Model::n_v();
  ChainJoints<Model, Real> joints;
  Wrench<Real> F[n];
  BodyMotion<Real> m;
  Mat3<Real> U;
  TORSOR_UNROLL
  for (int i = 1; i <= n; ++i) {
    joints.turn(model, q, i - 1);
    const Real v = qd[i - 1];
    if (i == 1) {
      const Real d = qdd[0];
      m.a = joints.first(model).to_child(lift<Real>(-model.gravity()));
      m.w = {Real(0), Real(0), v};
      m.wd = {Real(0), Real(0), d};
      const Real vv = v * v;
      U = {{-vv, d, Real(0)}, {-d, -vv, Real(0)}, {Real(0), Real(0), Real(0)}};
      const auto& [mass, h, S] = model.canonical(1).moments;
      F[0].m.z = (h.x * m.a.y - h.y * m.a.x) + (S.xx + S.yy) * d;
      continue;
    }
    const ChainHinge<Model, Real> joint = joints.joint(model, i);
    const auto& p = joint.origin();
    if (i == 2) {  // U of a turn about z
      m.a = joint.to_child(Vec3<Real>{m.a.x + (U.c0.x * p.x + U.c1.x * p.y),
                                      m.a.y + (U.c0.y * p.x + U.c1.y * p.y), m.a.z});
      m.w = joint.axis_to_child(m.w.z);
      m.wd = joint.axis_to_child(m.wd.z);
    } else {
      m.a = joint.to_child(m.a + U * p);
      m.w = joint.to_child(m.w);
      m.wd = joint.to_child(m.wd);
    }
    m.w.z = m.w.z + v;
    m.wd.x = m.wd.x + m.w.y * v;
    m.wd.y = m.wd.y - m.w.x * v;
    m.wd.z = m.wd.z + qdd[i - 1];
    U = turning(m);
    F[i - 1] = wrench_of<true>(model.canonical(i).moments, m.a, U);
  }
  Wrench<Real> sum = F[n - 1];
  TORSOR_UNROLL
  for (int i = n; i > 1; --i) {
    const ChainHinge<Model, Real> joint = joints.joint(model, i);
    tau[i - 1] = sum.m.z + qdd[i - 1] * model.dof(i - 1).armature;
    if (i == 2) {  // of the first body the moment about z is needed alone
      const Vec3<Real> f = joint.to_parent(sum.f), m_z = joint.to_parent(sum.m);
      const auto& p = joint.origin();
      sum.m.z = F[0].m.z + (m_z.z + (p.x * f.y - p.y * f.x));
    } else {
      sum = F[i - 2] + passed_on(joint, sum);
    }
  }
  tau[0] = (n == 1 ? F[0].m.z : sum.m.z) + qdd[0] * model.dof(0).armature;
}

/// qdd = M^-1 (tau - C qd - g); the ratio of the smallest pivot of M to the largest.
template <bool with_rotors, class Model, class Numbers, class Real>
TORSOR_HD TORSOR_INLINE Real chain_forward_dynamics(const Model& model, const Numbers& q,
                                                    const Numbers& qd, const Numbers& tau,
                                                    Real* qdd) {
  constexpr int n = Model::n_v();
  using Param = ParamOf<Model>;
  ChainJoints<Model, Real> joints;
  Vec3<Real> w[n];
  TORSOR_UNROLL
  for (int i = 1; i <= n; ++i) {
    joints.turn(model, q, i - 1);
    if (i == 1) {
      w[0] = {Real(0), Real(0), qd[0]};
    } else {
      const ChainHinge<Model, Real> joint = joints.joint(model, i);
      w[i - 1] = i == 2 ? joint.axis_to_child(w[0].z) : joint.to_child(w[i - 2]);
      w[i - 1].z = w[i - 1].z + qd[i - 1];
    }
  }
  // w x (w x p) of the parent's motion, as often as it is needed: it costs less than to keep it.
  const auto pull = [&](int i) TORSOR_INLINE_LAMBDA {
    const auto& p = joints.joint(model, i).origin();
    const Vec3<Real>& u = w[i - 2];
    if (i == 2) {
      const Real zz = u.z * u.z;
      return Vec3<Real>{-(zz * p.x), -(zz * p.y), Real(0)};
    }
    return centripetal(u, p);
  };
  const auto coriolis = [&](int i) TORSOR_INLINE_LAMBDA {
    const Real rate = qd[i - 1];
    return Vec3<Real>{w[i - 1].y * rate, -(w[i - 1].x * rate), Real(0)};
  };
  Wrench<Real> K[n];  // of a joint without rotor K.m.z = 1
  Real e[n], least{}, most{};
  ArticulatedInertia<Real> I{};
  Wrench<Real> b{};
  TORSOR_UNROLL
  for (int i = n; i > 0; --i) {
    const ChainHinge<Model, Real> joint = joints.joint(model, i);
    const MassMoments<Param>& own = model.canonical(i).moments;
    if (i > 1) b += centrifugal_wrench<true>(own, w[i - 1]);
    add_moments<true>(own, I);
    const Wrench<Real> U = joint.column(I);
    Real D = U.m.z;
    if constexpr (with_rotors) D = D + model.dof(i - 1).armature;
    const Real inverse = reciprocal_or_zero(D);
    e[i - 1] = (tau[i - 1] - b.m.z) * inverse;
    K[i - 1] = U * inverse;
    least = i == n ? D : min(least, D);
    most = i == n ? D : max(most, D);
    if (i == 1) break;
    b += U * e[i - 1];
    I = with_rotors ? deflated(I, U, K[i - 1]) : deflated_flat(I, U, K[i - 1]);
    const Vec3<Real> c = coriolis(i);
    if constexpr (with_rotors) {
      b = {b.m + I.A * c, b.f + transpose_times(I.B, c)};
      I = transported(joint, I);
    } else {
      b = plus_flat_times(b, I, c);
      I = transported_flat(joint, I);
    }
    const Vec3<Real> f = joint.to_parent(b.f), g = pull(i);
    b = {joint.to_parent(b.m) + cross(joint.origin(), f) + I.B * g, f + I.D * g};
  }
  Twist<Real> A;
  TORSOR_UNROLL
  for (int i = 1; i <= n; ++i) {
    const Wrench<Real>& k = K[i - 1];
    if (i == 1) {
      A.v = joints.first(model).to_child(lift<Real>(-model.gravity()));
      qdd[0] = e[0] - dot(k.f, A.v);
      A.w = {Real(0), Real(0), qdd[0]};
      continue;
    }
    A = carried_along(joints.joint(model, i), A, pull(i), Twist<Real>{coriolis(i), {}});
    const Real turn = k.m.x * A.w.x + k.m.y * A.w.y;
    const Real along = with_rotors ? Real(turn + k.m.z * A.w.z) : turn;
    const Real rest = e[i - 1] - (along + dot(k.f, A.v));
    if constexpr (with_rotors) {
      qdd[i - 1] = rest;
      A.w.z = A.w.z + rest;
    } else {  // K.m.z = 1, so that w'_z is what K A leaves out
      qdd[i - 1] = rest - A.w.z;
      A.w.z = rest;
    }
  }
  return least / select(most > Real(0), most, Real(1));
}
/// The lower triangle of M by rows, rotors included.
template <class Model, class Real>
TORSOR_HD TORSOR_INLINE void chain_mass_matrix(const Model& model, const Real* q, Real* M) {
  constexpr int n = Model::n_v();
  ChainJoints<Model, Real> joints;
  TORSOR_UNROLL
  for (int k = 1; k < n; ++k) joints.turn(model, q, k);  // M does not depend on the first
  MassMoments<Real> I{};
  TORSOR_UNROLL
  for (int i = n; i > 0; --i) {
    accumulate(model.canonical(i).moments, I);
    Wrench<Real> F = of_hinge(I);
    Real* const row = M + (i - 1) * i / 2;
    row[i - 1] = F.m.z + model.dof(i - 1).armature;
    TORSOR_UNROLL
    for (int j = i; j > 1; --j) {
      F = passed_on(joints.joint(model, j), F);
      row[j - 2] = F.m.z;
    }
    if (i > 1) I = passed_on(joints.joint(model, i), I);
  }
}

}  // namespace torsor::internal::device
