#pragma once
/// What a run is like as it starts, as laws ask for it in their conditions.
#include "torsor/control/run.hpp"
#include "torsor/model/error.hpp"

namespace torsor::internal {

/// V of the law there; NaN where it has none, or where the reference is not one of the law's.
inline double lyapunov_at_start(ControlLaw& law, const Run& run) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Array<double> x_c(law.n_states());
  law.reset(x_c);
  ReferencePoint point;
  if (run.reference) run.reference(run.start, point);
  try {
    law.check_reference(point.view());
  } catch (const Error&) {
    return none;
  }
  const LyapunovValue V =
      law.lyapunov({run.start, {.q = run.q0, .qd = run.v0}, x_c, point.view()}, *run.plant);
  return V.given ? V.value : none;
}

/// q_d as the run starts: that of all its time where the reference is constant. The start itself
/// where there is none.
inline Array<double> set_point(const Run& run) {
  ReferencePoint point;
  if (run.reference) run.reference(run.start, point);
  return point.q.empty() ? run.q0 : point.q;
}

}  // namespace torsor::internal
