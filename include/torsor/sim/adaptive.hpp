#pragma once
/// Step-size control for the embedded pairs: integration to a given accuracy.
///
///   h_new = h min(grow, max(shrink, 0.9 err^-(1/order - 0.75 b) err_before^b)),   accept err <= 1
///
/// b is the pair's smoothing. The first step comes from the sizes of y, its rates and their change
/// over an Euler step. A step whose error is not a number is cut to a tenth until it is one or the
/// step falls below what the time t can resolve, however far the end is: a solution that ceases to
/// exist is reported, not continued.
///
/// Cost     One try per call of try_step; no allocation.
/// Source   Hairer, Norsett & Wanner 1993, sec. II.4; Gustafsson 1991 (the smoothing).
#include <algorithm>
#include <limits>

#include "torsor/sim/embedded_pair.hpp"

namespace torsor {

struct StepControl {
  double relative = 1e-10, absolute = 1e-12;  ///< error of a step, in the units of the state
  double first_step = 0;                      ///< s; 0: found
  double largest_step = std::numeric_limits<double>::infinity();  ///< s
  long most_steps = 10'000'000;                                   ///< tries of one call
};

enum class StepEnd {
  reached,     ///< an accepted step, or the end asked for
  too_small,   ///< the step fell below the resolution of time: a singularity or a jump
  not_finite,  ///< the same, because the rates are not numbers near here
  too_many     ///< tries
};

template <class Real>
struct [[nodiscard]] StepResult {
  StepEnd end = StepEnd::reached;
  Real t{};  ///< where the state is

  explicit operator bool() const { return end == StepEnd::reached; }
};

namespace detail {

template <class Real>
Real scaled_norm(const Array<Real>& x, const Array<Real>& m, int n, Real relative, Real absolute) {
  Real sum(0);
  for (int i = 0; i < n; ++i) {
    const Real ratio = x[i] / (absolute + relative * m[i]);
    sum += ratio * ratio;
  }
  return std::sqrt(sum / static_cast<Real>(std::max(n, 1)));
}

/// Length of a first step of good order of magnitude; needs ws.first.
template <class Space, class Pair, class Real, class Rates>
Real first_step(const Space& space, PairWorkspace<Pair, Real>& ws, Rates&& rates, Real t,
                Real relative, Real absolute, In<Real> y) {
  for (int k = 0; k < y.size; ++k) ws.y0[k] = y[k];
  space.magnitudes(ws.y0.data(), ws.m0.data());
  const Real size = scaled_norm(ws.m0, ws.m0, ws.n_coupled, relative, absolute);
  const Real speed = scaled_norm(ws.first, ws.m0, ws.n_coupled, relative, absolute);
  const Real h0 = size < Real(1e-5) || speed < Real(1e-5) ? Real(1e-6) : Real(0.01) * size / speed;
  for (int i = 0; i < ws.n; ++i) ws.z[i] = h0 * ws.first[i];
  internal::evaluate_stage(space, ws, rates, t + h0, 1);
  for (int i = 0; i < ws.n; ++i) ws.z[i] = ws.row(1)[i] - ws.first[i];
  const Real change = scaled_norm(ws.z, ws.m0, ws.n_coupled, relative, absolute) / h0;
  const Real fastest = std::max(speed, change);
  const Real h1 = fastest <= Real(1e-15)
                      ? std::max(Real(1e-6), h0 * Real(1e-3))
                      : std::pow(Real(0.01) / fastest, Real(1) / static_cast<Real>(Pair::order));
  const Real h = std::min(Real(100) * h0, h1);
  return std::isfinite(h) ? h : Real(1e-6);
}

}  // namespace detail

namespace internal {

/// One accepted step forward from t, not beyond `limit`; t and y move. The rest of the step is in
/// ws for prepare_dense and dense_state.
template <class Space, class Pair, class Real, class Rates>
StepResult<Real> adaptive_step(const Space& space, PairWorkspace<Pair, Real>& ws,
                               const StepControl& control, Rates&& rates, Real& t,
                               std::type_identity_t<Real> limit, Out<Real> y) {
  const Real relative = static_cast<Real>(control.relative);
  const Real absolute = static_cast<Real>(control.absolute);
  if (!ws.first_known) {
    rates(t, View<const Real>(y), View<Real>(ws.first));
    ws.first_known = true;
  }
  if (ws.h_next <= 0)
    ws.h_next = control.first_step > 0
                    ? static_cast<Real>(control.first_step)
                    : detail::first_step(space, ws, rates, t, relative, absolute, In<Real>(y));
  Real h = std::min(ws.h_next, static_cast<Real>(control.largest_step));
  bool last_was_rejected = false;
  for (long tries = 0; tries < control.most_steps; ++tries) {
    const bool to_limit = t + Real(1.01) * h >= limit;
    if (to_limit) h = limit - t;
    const Real error = try_step(space, ws, rates, t, h, relative, absolute, In<Real>(y));
    if (error <= 1) {
      accept_step(space, ws, rates, t, y);
      if (to_limit) t = limit;
      const Real e = std::max(error, Real(1e-10));
      Real factor = Real(0.9) * std::pow(e, Real(-1.0 / Pair::order + 0.75 * Pair::smoothing)) *
                    std::pow(ws.error_before, Real(Pair::smoothing));
      factor = std::clamp(factor, Real(Pair::shrink), Real(Pair::grow));
      if (last_was_rejected) factor = std::min(factor, Real(1));
      // A step cut short at the limit says little about what is possible.
      ws.h_next =
          to_limit ? std::max(h * factor, last_was_rejected ? Real(0) : ws.h_next) : h * factor;
      ws.error = error;
      ws.error_before = std::max(error, Real(1e-4));
      ++ws.accepted;
      return {StepEnd::reached, t};
    }
    ++ws.rejected;
    last_was_rejected = true;
    const bool finite = std::isfinite(error);
    h *= finite
             ? std::max(Real(Pair::shrink), Real(0.9) * std::pow(error, Real(-1.0 / Pair::order)))
             : Real(0.1);
    if (!(h > std::max(Real(4) * std::numeric_limits<Real>::epsilon() * std::fabs(t),
                       std::numeric_limits<Real>::min())))
      return {finite ? StepEnd::too_small : StepEnd::not_finite, t};
    ws.h_next = h;
  }
  return {StepEnd::too_many, t};
}

}  // namespace internal

/// y from t to `end` by accepted steps; after each, observe() may look into the step (dense_state).
template <class Space, class Pair, class Real, class Rates, class Observe>
StepResult<Real> integrate_adaptive(const Space& space, PairWorkspace<Pair, Real>& ws,
                                    const StepControl& control, Rates&& rates, Real& t,
                                    std::type_identity_t<Real> end, Out<Real> y,
                                    Observe&& observe) {
  while (t < end) {
    const StepResult<Real> step = internal::adaptive_step(space, ws, control, rates, t, end, y);
    if (!step) return step;
    observe();
  }
  return {StepEnd::reached, t};
}
template <class Space, class Pair, class Real, class Rates>
StepResult<Real> integrate_adaptive(const Space& space, PairWorkspace<Pair, Real>& ws,
                                    const StepControl& control, Rates&& rates, Real& t,
                                    std::type_identity_t<Real> end, Out<Real> y) {
  return integrate_adaptive(space, ws, control, rates, t, end, y, [] {});
}

}  // namespace torsor
