#pragma once
/// Steps that evaluate the accelerations once.
///
///   Taylor         v_1 = v_0 + a h,   q_1 = q_0 (+) (v_0 h + 1/2 a h^2)         (2-107), (2-108)
///   semi-implicit  v_1 = v_0 + a h,   q_1 = q_0 (+) v_1 h
///   further states x_1 = x_0 + x' h
///
/// Both are of order 1 (the Taylor step's q of order 2 within a step); (+) is the model's
/// `integrate`. The semi-implicit step is symplectic, and keeps energy bounded, only where M is
/// constant and no force depends on velocity. The M(q) of a robot brings Coriolis terms, taken at
/// the old velocity: its energy drifts at a rate proportional to h, as under the Taylor step.
/// Note     (2-108) has the old velocity; with the new one it would count a h^2 three halves times.
/// Cost     One evaluation, no allocation, no branch on a Real.
/// Source   Huo 2005, sec. 2.4.III; Hairer, Lubich & Wanner 2006, ch. I (semi-implicit Euler).
#include "torsor/sim/runge_kutta.hpp"

namespace torsor {

namespace detail {

template <class Param, class Real, class Rates, class Time>
void one_evaluation_step(const RobotSpace<Param>& space, RungeKuttaWorkspace<Real>& ws,
                         Rates&& rates, Time t, Time h, Time acceleration_weight, View<Real> y,
                         bool first_known) {
  if (!first_known) rates(t, View<const Real>(y), View<Real>(ws.row(0), ws.n));
  const int n_v = space.model->n_v();
  const Real *const v = ws.row(0), *const a = v + n_v;
  for (int k = 0; k < n_v; ++k) ws.z[k] = (v[k] + a[k] * (acceleration_weight * h)) * h;
  for (int k = n_v; k < ws.n; ++k) ws.z[k] = ws.row(0)[k] * h;
  space.retract(y.data, ws.z.data(), y.data);
}

}  // namespace detail

/// y(t + h) from y(t), in place, by the step of Huo 2005. `first_known`: the rates at t are in the
/// first row of ws already.
template <class Param, class Real, class Rates>
void taylor_step(const RobotSpace<Param>& space, RungeKuttaWorkspace<Real>& ws, Rates&& rates,
                 typename ScalarTraits<Real>::Value t, typename ScalarTraits<Real>::Value h,
                 Out<Real> y, bool first_known = false) {
  using Time = typename ScalarTraits<Real>::Value;
  detail::one_evaluation_step(space, ws, rates, t, h, Time(0.5), y, first_known);
}

/// The same with the new velocity in the positions.
template <class Param, class Real, class Rates>
void semi_implicit_euler_step(const RobotSpace<Param>& space, RungeKuttaWorkspace<Real>& ws,
                              Rates&& rates, typename ScalarTraits<Real>::Value t,
                              typename ScalarTraits<Real>::Value h, Out<Real> y,
                              bool first_known = false) {
  using Time = typename ScalarTraits<Real>::Value;
  detail::one_evaluation_step(space, ws, rates, t, h, Time(1), y, first_known);
}

}  // namespace torsor
