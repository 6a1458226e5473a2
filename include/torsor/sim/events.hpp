#pragma once
/// Where something ends inside a step: a velocity passes zero, a point touches, a logic switches.
///
///   first_fraction          bisects a step for the first fraction at which `ended` holds
///   integrate_with_events   steps on; after each event the caller changes what it must and goes on
///
/// `ended` is a predicate, so any number of conditions of either sign can be watched at once. It is
/// asked at the ends of steps and inside the steps at whose end it holds: what comes and goes
/// within one step is missed, and StepControl::largest_step bounds that.
/// After an event the right-hand side is another one: the pair restarts.
///
/// Cost     About log2(h / resolution) evaluations of the state and of `ended`.
#include "torsor/sim/adaptive.hpp"

namespace torsor {

/// ended(u) at fractions u of a step of length h; holds at 1. The least u found at which it holds,
/// to `resolution` seconds.
template <class Real, class Ended>
Real first_fraction(Real h, double resolution, Ended&& ended) {
  Real low(0), high(1);
  while ((high - low) * h > static_cast<Real>(resolution) &&
         high - low > 4 * std::numeric_limits<Real>::epsilon()) {
    const Real middle = (low + high) / 2;
    (ended(middle) ? high : low) = middle;
  }
  return high;
}

/// From t to `end`; at every event, at(t, y) may change y and what `rates` and `ended` do, and
/// returns whether to go on.
template <class Space, class Pair, class Real, class Rates, class Ended, class At>
StepResult<Real> integrate_with_events(const Space& space, PairWorkspace<Pair, Real>& ws,
                                       const StepControl& control, Rates&& rates, Ended&& ended,
                                       At&& at, Real& t, std::type_identity_t<Real> end,
                                       Out<Real> y, double resolution = 1e-12) {
  while (t < end) {
    const StepResult<Real> step = internal::adaptive_step(space, ws, control, rates, t, end, y);
    if (!step) return step;
    if (!ended(t, View<const Real>(y))) continue;
    prepare_dense(space, ws, rates);
    const Real u = first_fraction(ws.h, resolution, [&](Real middle) {
      dense_state(space, ws, middle, y);
      return ended(ws.t0 + middle * ws.h, View<const Real>(y));
    });
    dense_state(space, ws, u, y);
    t = ws.t0 + u * ws.h;
    ws.restart();
    if (!at(t, y)) break;
  }
  return {StepEnd::reached, t};
}

}  // namespace torsor
