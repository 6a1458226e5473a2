#pragma once
/// Where a simulated state lives, for integrators that know only vectors.
///
///   y(t) = y_0 (+) z(t),  z(0) = 0        the step's anchor y_0 and its chart z
///   z' = D(z)^-1 dy                       dy: given by the right-hand side, in the tangent at y
///
/// FlatSpace    y in R^n: y_0 + z, D = 1.
/// RobotSpace   y = (q, v, x): configuration, velocity, further states (of a controller,
///              integrals); dy = (v, v', x'). q_0 (+) z is the model's `integrate`, so D is the
///              exact dexp of each joint's group: any Runge-Kutta method run on z is the
///              Munthe-Kaas method of the same order, re-anchored at every step. Quaternions stay
///              of unit norm by construction and no step ever comes near the chart's end (a turn of
///              2 pi within one step).
///
/// Cost     O(n), no allocation, no branch on a Real; FlatSpace costs an addition.
/// Source   Munthe-Kaas 1999; Iserles, Munthe-Kaas, Norsett & Zanna 2000.
#include "torsor/math/spatial.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

struct FlatSpace {
  int n = 0;

  int n_state() const { return n; }
  int n_tangent() const { return n; }

  template <class Real>
  void retract(const Real* y0, const Real* z, Real* y) const {
    for (int k = 0; k < n; ++k) y[k] = y0[k] + z[k];
  }
  template <class Real>
  void chart_rates(const Real*, const Real*, Real*) const {}
  template <class Real>
  void magnitudes(const Real* y, Real* m) const {
    for (int k = 0; k < n; ++k) m[k] = abs(y[k]);
  }
};

/// z' = D(z)^-1 v of one kind other than composite, in place; q0 is the anchor.
template <class Real>
TORSOR_HD void chart_rates_simple(JointKind kind, EulerOrder order, const Real* q0, const Real* z,
                                  Real* rates) {
  using namespace detail;
  const Real o(0);
  switch (kind) {
    case JointKind::spherical:
      store(dexp_inv(vec_at(z), vec_at(rates)), rates);
      return;
    case JointKind::planar: {
      const Twist<Real> x{{o, o, z[0]}, {z[1], z[2], o}};
      const Twist<Real> u = dexp_inv(x, Twist<Real>{{o, o, rates[0]}, {rates[1], rates[2], o}});
      rates[0] = u.w.z, rates[1] = u.v.x, rates[2] = u.v.y;
      return;
    }
    case JointKind::free: {
      const Twist<Real> u = dexp_inv(Twist<Real>{vec_at(z), vec_at(z + 3)},
                                     Twist<Real>{vec_at(rates), vec_at(rates + 3)});
      store(u.w, rates);
      store(u.v, rates + 3);
      return;
    }
    case JointKind::free_euler: {  // p_0 + R_0 z: R_0 z' = R v
      const Real turned[3] = {q0[3] + z[3], q0[4] + z[4], q0[5] + z[5]};
      SO3<Real> R0, R;
      Vec3<Real> unused[3];
      euler_motion(order, q0 + 3, R0, unused);
      euler_motion(order, static_cast<const Real*>(turned), R, unused);
      store(transpose_times(R0, R * vec_at(rates)), rates);
      return;
    }
    default:
      return;
  }
}

/// The size that errors of one kind's chart are compared with: coordinates themselves, one radian
/// for rotations, the distance from the joint frame for positions with body velocities.
template <class Real>
TORSOR_HD void chart_magnitudes(JointKind kind, const Real* q, Real* m) {
  using namespace detail;
  const Real one(1);
  switch (kind) {
    case JointKind::spherical:
      m[0] = m[1] = m[2] = one;
      return;
    case JointKind::planar:
      m[0] = abs(q[2]), m[1] = m[2] = sqrt(q[0] * q[0] + q[1] * q[1]);
      return;
    case JointKind::free:
      m[0] = m[1] = m[2] = one;
      m[3] = m[4] = m[5] = norm(vec_at(q));
      return;
    case JointKind::free_euler:
      m[0] = m[1] = m[2] = norm(vec_at(q));
      for (int k = 3; k < 6; ++k) m[k] = abs(q[k]);
      return;
    default:
      for (int k = 0; k < n_q_of(kind); ++k) m[k] = abs(q[k]);
  }
}

template <class Param>
struct RobotSpace {
  const Model<Param>* model;  ///< outlives the space
  int extra;                  ///< further states x

  explicit RobotSpace(const Model<Param>& robot, int further_states = 0)
      : model(&robot), extra(further_states) {}

  int n_state() const { return model->n_q() + model->n_v() + extra; }
  int n_tangent() const { return 2 * model->n_v() + extra; }

  /// The parts of a state y, and of a rate dy.
  template <class Element>
  View<Element> q(View<Element> y) const {
    return {y.data, model->n_q()};
  }
  template <class Element>
  View<Element> v(View<Element> y) const {
    return {y.data + model->n_q(), model->n_v()};
  }
  template <class Element>
  View<Element> x(View<Element> y) const {
    return {y.data + model->n_q() + model->n_v(), extra};
  }
  template <class Element>
  View<Element> q_rate(View<Element> dy) const {
    return {dy.data, model->n_v()};
  }
  template <class Element>
  View<Element> v_rate(View<Element> dy) const {
    return {dy.data + model->n_v(), model->n_v()};
  }
  template <class Element>
  View<Element> x_rate(View<Element> dy) const {
    return {dy.data + 2 * model->n_v(), extra};
  }

  template <class Real>
  void retract(const Real* y0, const Real* z, Real* y) const {
    const int n_q = model->n_q(), n_v = model->n_v();
    integrate(*model, View<const Real>(y0, n_q), View<const Real>(z, n_v), View<Real>(y, n_q));
    for (int k = 0; k < n_v + extra; ++k) y[n_q + k] = y0[n_q + k] + z[n_v + k];
  }
  template <class Real>
  void chart_rates(const Real* y0, const Real* z, Real* rates) const {
    for (int i = 1; i < model->n_bodies(); ++i) {
      const int q = model->body(i).q.first, v = model->body(i).v.first;
      for_each_part(model->joint(i), [&](JointKind kind, EulerOrder order, int iq, int iv) {
        if (velocities_are_rates(kind)) return;
        chart_rates_simple(kind, order, y0 + q + iq, z + v + iv, rates + v + iv);
      });
    }
  }
  template <class Real>
  void magnitudes(const Real* y, Real* m) const {
    const int n_q = model->n_q(), n_v = model->n_v();
    for (int i = 1; i < model->n_bodies(); ++i) {
      const int q = model->body(i).q.first, v = model->body(i).v.first;
      for_each_part(model->joint(i), [&](JointKind kind, EulerOrder, int iq, int iv) {
        chart_magnitudes(kind, y + q + iq, m + v + iv);
      });
    }
    for (int k = 0; k < n_v + extra; ++k) m[n_v + k] = abs(y[n_q + k]);
  }
};

}  // namespace torsor
