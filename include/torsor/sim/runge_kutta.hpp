#pragma once
/// Fixed steps of the classical Runge-Kutta method of order 4, on any space of state_space.hpp.
///
///   k_1 = f(t, 0)   k_2 = f(t + h/2, h/2 k_1)   k_3 = f(t + h/2, h/2 k_2)   k_4 = f(t + h, h k_3)
///   z_1 = h/6 (k_1 + 2 k_2 + 2 k_3 + k_4),      y_1 = y_0 (+) z_1
///   f(t, z) = D(z)^-1 rates(t, y_0 (+) z)
///
/// On a RobotSpace with quaternion, planar or free joints this is RKMK4, the Lie-group method of
/// Munthe-Kaas with the exact dexp^-1.
///
/// rates    any callable (t, View<const Real> y, View<Real> dy); see state_space.hpp for dy.
/// Cost     Four evaluations; no allocation, no branch on a Real: Dual and Pack run through.
/// Source   Kutta 1901; Munthe-Kaas 1999; Huo 2005, sec. 2.4.III recommends it.
#include "torsor/math/array.hpp"
#include "torsor/sim/state_space.hpp"

namespace torsor {

/// Stages of an explicit Runge-Kutta method, as rows of n_tangent numbers.
template <class Real>
struct RungeKuttaWorkspace {
  int n = 0;          ///< of tangent vectors
  int n_coupled = 0;  ///< without the quadratures behind them
  Array<Real> k;      ///< rows k_1, k_2, ...
  Array<Real> z, y0;  ///< chart coordinates and anchor of the step
  Array<Real> stage;  ///< the state y_0 (+) z of a stage

  template <class Space>
  explicit RungeKuttaWorkspace(const Space& space, int stages = 4)
      : n(space.n_tangent()),
        n_coupled(n - space.n_quadratures()),
        k(stages * n),
        z(n),
        y0(space.n_state()),
        stage(y0.size()) {}

  Real* row(int stage_number) { return k.data() + stage_number * n; }
  const Real* row(int stage_number) const { return k.data() + stage_number * n; }
};

namespace internal {

/// k[to] = f(t, z) at ws.z.
template <class Space, class Real, class Rates, class Time>
void evaluate_stage(const Space& space, RungeKuttaWorkspace<Real>& ws, Rates&& rates, Time t,
                    int to) {
  space.retract_coupled(ws.y0.data(), ws.z.data(), ws.stage.data());
  rates(t, View<const Real>(ws.stage), View<Real>(ws.row(to), ws.n));
  space.chart_rates(ws.y0.data(), ws.z.data(), ws.row(to));
}

/// ws.z = h sum_i a[i] k_i over the first `stages` rows, of the first n components; zeros of the
/// table cost nothing.
template <class Real, class Time>
void combine_stages(RungeKuttaWorkspace<Real>& ws, Time h, const double* a, int stages, int n) {
  Real* const z = ws.z.data();
  bool begun = false;
  for (int s = 0; s < stages; ++s) {
    if (a[s] == 0) continue;
    const Time factor = h * static_cast<Time>(a[s]);
    const Real* const k = ws.row(s);
    if (begun)
      for (int i = 0; i < n; ++i) z[i] = z[i] + k[i] * factor;
    else
      for (int i = 0; i < n; ++i) z[i] = k[i] * factor;
    begun = true;
  }
  for (int i = 0; !begun && i < n; ++i) z[i] = Real(0);
}

}  // namespace internal

/// y(t + h) from y(t), in place. `first_known`: k_1 is in ws already.
template <class Space, class Real, class Rates>
void rk4_step(const Space& space, RungeKuttaWorkspace<Real>& ws, Rates&& rates,
              typename ScalarTraits<Real>::Value t, typename ScalarTraits<Real>::Value h,
              Out<Real> y, bool first_known = false) {
  using Time = typename ScalarTraits<Real>::Value;
  static constexpr double c[4] = {0, 0.5, 0.5, 1};  // the weight of the stage before, too
  for (int k = 0; k < y.size; ++k) ws.y0[k] = y[k];
  Real* const z = ws.z.data();
  for (int s = first_known ? 1 : 0; s < 4; ++s) {
    const Time reach = static_cast<Time>(c[s]) * h;
    const Real* const before = ws.row(s == 0 ? 0 : s - 1);
    for (int i = 0; i < ws.n_coupled; ++i) z[i] = s == 0 ? Real(0) : Real(before[i] * reach);
    internal::evaluate_stage(space, ws, rates, t + reach, s);
  }
  const Time outer = h / Time(6), inner = h / Time(3);
  const Real *const k1 = ws.row(0), *const k2 = ws.row(1), *const k3 = ws.row(2),
                    *const k4 = ws.row(3);
  for (int i = 0; i < ws.n; ++i) z[i] = (k1[i] + k4[i]) * outer + (k2[i] + k3[i]) * inner;
  space.retract(ws.y0.data(), z, y.data);
}

}  // namespace torsor
