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
///              of unit norm by construction.
///
/// Chart        D is singular where a joint turns by 2 pi within one step. `turn` is the largest
///              angle of a step: adaptive steps beyond `largest_turn` are rejected, and simulate()
///              stops a run whose fixed step turns further.
/// Quadratures  The last states may be integrals that no rate depends on. Integrators take them
///              along at the cost of their weights: they are left out of the stages and of the
///              error.
///
/// Cost     O(n), no allocation, no branch on a Real; FlatSpace costs an addition, and so does
///          RobotSpace where every joint's velocities are the rates of its coordinates (most arms).
/// Source   Munthe-Kaas 1999; Iserles, Munthe-Kaas, Norsett & Zanna 2000.
#include "torsor/math/spatial.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

namespace internal {

/// rad, of a joint within one step.
inline constexpr double largest_turn = 3.0;

}  // namespace internal

struct FlatSpace {
  int n = 0;

  int n_quadratures() const { return 0; }
  int n_state() const { return n; }
  int n_tangent() const { return n; }

  /// y_0 (+) z.
  template <class Real>
  void retract(const Real* y0, const Real* z, Real* y) const {
    for (int k = 0; k < n; ++k) y[k] = y0[k] + z[k];
  }
  /// The same but for the quadratures, which no rate depends on.
  template <class Real>
  void retract_coupled(const Real* y0, const Real* z, Real* y) const {
    retract(y0, z, y);
  }
  template <class Real>
  void chart_rates(const Real*, const Real*, Real*) const {}
  template <class Real>
  Real turn(const Real*) const {
    return Real(0);
  }
  template <class Real>
  void magnitudes(const Real* y, Real* m) const {
    for (int k = 0; k < n; ++k) m[k] = abs(y[k]);
  }
};

namespace internal {

/// Whether integrate is q + v for every joint of the robot.
template <class Param>
bool steps_add(const Model<Param>& model) {
  bool add = true;
  for (int i = 1; i < model.n_bodies(); ++i)
    for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int, int) {
      add = add && velocities_are_rates(kind);
    });
  return add;
}

}  // namespace internal

template <class Param>
struct RobotSpace {
  const Model<Param>* model;  ///< outlives the space
  int extra;                  ///< further states x
  int quadratures;            ///< the last of them, which no rate depends on
  bool steps_add;             ///< q (+) z = q + z and D = 1, for every joint

  explicit RobotSpace(const Model<Param>& robot, int further_states = 0,
                      int of_them_quadratures = 0)
      : model(&robot),
        extra(further_states),
        quadratures(of_them_quadratures),
        steps_add(internal::steps_add(robot)) {}

  int n_quadratures() const { return quadratures; }
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
    retract_first(y0, z, y, model->n_v() + extra);
  }
  template <class Real>
  void retract_coupled(const Real* y0, const Real* z, Real* y) const {
    retract_first(y0, z, y, model->n_v() + extra - quadratures);
  }
  template <class Real>
  void chart_rates(const Real* y0, const Real* z, Real* rates) const {
    if (steps_add) return;
    for (int i = 1; i < model->n_bodies(); ++i) {
      const int q = model->body(i).q.first, v = model->body(i).v.first;
      internal::for_each_part(model->joint(i), [&](auto kind, auto order, int iq, int iv) {
        internal::with_kind(kind, [&](auto type) {
          type.chart_rates(order, y0 + q + iq, z + v + iv, rates + v + iv);
        });
      });
    }
  }
  /// The largest angle (rad) by which chart coordinates z turn a joint whose D is not 1.
  template <class Real>
  Real turn(const Real* z) const {
    Real largest(0);
    if (steps_add) return largest;
    for (int i = 1; i < model->n_bodies(); ++i) {
      if (model->body(i).v.count < 3) continue;
      const int v = model->body(i).v.first;
      internal::for_each_part(model->joint(i), [&](JointKind kind, EulerOrder, int, int iv) {
        const Real* const w = z + v + iv;
        const bool ball = kind == JointKind::spherical || kind == JointKind::free;
        if (ball || kind == JointKind::planar)
          largest = std::fmax(largest, ball ? std::hypot(w[0], w[1], w[2]) : std::fabs(w[0]));
      });
    }
    return largest;
  }
  template <class Real>
  void magnitudes(const Real* y, Real* m) const {
    if (steps_add) return FlatSpace{n_state()}.magnitudes(y, m);
    const int n_q = model->n_q(), n_v = model->n_v();
    for (int i = 1; i < model->n_bodies(); ++i) {
      const int q = model->body(i).q.first, v = model->body(i).v.first;
      internal::for_each_part(model->joint(i), [&](JointKind kind, EulerOrder, int iq, int iv) {
        internal::with_kind(kind, [&](auto type) { type.magnitudes(y + q + iq, m + v + iv); });
      });
    }
    for (int k = 0; k < n_v + extra; ++k) m[n_v + k] = abs(y[n_q + k]);
  }

 private:
  /// q and the first `behind` numbers behind it.
  template <class Real>
  void retract_first(const Real* y0, const Real* z, Real* y, int behind) const {
    const int n_q = model->n_q(), n_v = model->n_v();
    if (steps_add) return FlatSpace{n_q + behind}.retract(y0, z, y);
    integrate(*model, View<const Real>(y0, n_q), View<const Real>(z, n_v), View<Real>(y, n_q));
    for (int k = 0; k < behind; ++k) y[n_q + k] = y0[n_q + k] + z[n_v + k];
  }
};

}  // namespace torsor
