#pragma once
/// One step of an embedded Runge-Kutta pair, its error, and the solution inside the step.
///
///   k_s = f(t + c_s h, h sum_r a_sr k_r),   z_1 = h sum b_s k_s,   y_1 = y_0 (+) z_1
///   error  e = h sum e_s k_s over scale_i = absolute + relative max(|y_0i|, |y_1i|), root mean
///          square; with two estimates |e5|^2 / sqrt(|e5|^2 + 0.01 |e3|^2)
///   dense  z(u) = u (r_1 + (1-u) (r_2 + u (r_3 + (1-u) (r_4 + ...))))    0 <= u <= 1
///          r_1 = z_1,  r_2 = h k_1 - r_1,  r_3 = r_1 - h k_end - r_2,  r_4.. = h sum d_s k_s
///
/// In a RobotSpace all of it happens in the chart of the step's anchor y_0 (state_space.hpp), so
/// the pair keeps its order, its error estimate and its dense output on quaternion joints.
///
/// Cost     Pair::stages evaluations, the dense output total_stages - stages - 1 more, on demand.
///          The rates at the end are the first stage of the next step. No allocation.
/// Source   Hairer, Norsett & Wanner 1993, sec. II.4 to II.6; Munthe-Kaas 1999 for the chart.
#include <cmath>

#include "torsor/sim/dormand_prince5.hpp"
#include "torsor/sim/dormand_prince8.hpp"
#include "torsor/sim/runge_kutta.hpp"

namespace torsor {

template <class Pair, class Real>
struct PairWorkspace : RungeKuttaWorkspace<Real> {
  Array<Real> y1, z1;               ///< end of the last step
  Array<Real> m0, m1;               ///< magnitudes at both ends
  Array<Real> first, last;          ///< rates at both ends, in the tangent spaces there
  Array<Real> r;                    ///< rows of the dense output
  Real t0{}, h{};                   ///< the last step
  bool first_known = false;         ///< `first` holds the rates at the next step's start
  int dense_ready = 0;              ///< components of `r` that belong to the last step
  Real h_next{0};                   ///< proposed by the step-size control; 0: none yet
  Real error{0};                    ///< of the last accepted step, in units of the tolerance
  Real error_before{Real(1e-4)};    ///< the same for the step-size control
  long accepted = 0, rejected = 0;  ///< steps since the workspace was made

  template <class Space>
  explicit PairWorkspace(const Space& space)
      : RungeKuttaWorkspace<Real>(space, Pair::total_stages),
        y1(this->y0.size()),
        z1(this->z.size()),
        m0(this->z.size()),
        m1(this->z.size()),
        first(this->z.size()),
        last(this->z.size()),
        r((3 + Pair::dense_rows) * this->n) {}

  /// The right-hand side or the state jumped: nothing known of the last step holds.
  void restart() {
    first_known = false;
    dense_ready = 0;
    error_before = Real(1e-4);
  }
};

namespace detail {

/// sum over components of (h sum_s e[s] k_s / scale)^2.
template <class Pair, class Real>
Real squared_error(const PairWorkspace<Pair, Real>& ws, const double* e, Real relative,
                   Real absolute) {
  Real sum(0);
  for (int i = 0; i < ws.n_coupled; ++i) {
    Real x(0);
    for (int s = 0; s < Pair::error_stages; ++s)
      if (e[s] != 0) x += static_cast<Real>(e[s]) * ws.row(s)[i];
    const Real ratio = ws.h * x / (absolute + relative * std::fmax(ws.m0[i], ws.m1[i]));
    sum += ratio * ratio;
  }
  return sum;
}

/// Rates at the end of the step, kept for the next one, and in the step's chart as row `stages`.
template <class Space, class Pair, class Real, class Rates>
void evaluate_end(const Space& space, PairWorkspace<Pair, Real>& ws, Rates&& rates) {
  rates(ws.t0 + ws.h, View<const Real>(ws.y1), View<Real>(ws.last));
  for (int i = 0; i < ws.n; ++i) ws.row(Pair::stages)[i] = ws.last[i];
  space.chart_rates(ws.y0.data(), ws.z1.data(), ws.row(Pair::stages));
}

}  // namespace detail

namespace internal {

/// Tries a step from y at t: the end is in ws.y1, and the error in units of the tolerance is
/// returned (at most 1: good). y stays as it is; NaN or infinity inside gives a NaN.
template <class Space, class Pair, class Real, class Rates>
Real try_step(const Space& space, PairWorkspace<Pair, Real>& ws, Rates&& rates, Real t, Real h,
              Real relative, Real absolute, In<Real> y) {
  for (int k = 0; k < y.size; ++k) ws.y0[k] = y[k];
  ws.t0 = t, ws.h = h;
  ws.dense_ready = 0;
  if (!ws.first_known) rates(t, View<const Real>(ws.y0), View<Real>(ws.first));
  ws.first_known = true;
  for (int i = 0; i < ws.n; ++i) ws.row(0)[i] = ws.first[i];
  for (int s = 1; s < Pair::stages; ++s) {
    combine_stages(ws, h, Pair::a[s], s, ws.n_coupled);
    evaluate_stage(space, ws, rates, t + static_cast<Real>(Pair::c[s]) * h, s);
  }
  combine_stages(ws, h, Pair::a[Pair::stages], Pair::stages, ws.n);
  ws.z1 = ws.z;
  space.retract(ws.y0.data(), ws.z1.data(), ws.y1.data());
  if (Pair::error_stages > Pair::stages) detail::evaluate_end(space, ws, rates);

  space.magnitudes(ws.y0.data(), ws.m0.data());
  space.magnitudes(ws.y1.data(), ws.m1.data());
  const Real fine = detail::squared_error(ws, Pair::error[0], relative, absolute);
  const Real n = static_cast<Real>(ws.n_coupled > 0 ? ws.n_coupled : 1);
  // Beyond the chart's reach no estimate means anything: the step is too long.
  if (space.turn(ws.z1.data()) > Real(largest_turn)) return Real(256);
  if (Pair::error_rows == 1) return std::sqrt(fine / n);
  const Real coarse =
      detail::squared_error(ws, Pair::error[Pair::error_rows - 1], relative, absolute);
  const Real both = fine + Real(0.01) * coarse;
  return both == 0 ? Real(0) : fine / std::sqrt(both * n);  // a NaN stays one
}

/// Makes the end of the tried step the new state.
template <class Space, class Pair, class Real, class Rates>
void accept_step(const Space& space, PairWorkspace<Pair, Real>& ws, Rates&& rates, Real& t,
                 Out<Real> y) {
  if (Pair::error_stages <= Pair::stages) detail::evaluate_end(space, ws, rates);
  ws.first = ws.last;
  t = ws.t0 + ws.h;
  for (int k = 0; k < y.size; ++k) y[k] = ws.y1[k];
}

}  // namespace internal

/// Prepares dense_state for the last accepted step; with its quadratures where they are asked for.
template <class Space, class Pair, class Real, class Rates>
void prepare_dense(const Space& space, PairWorkspace<Pair, Real>& ws, Rates&& rates,
                   bool quadratures = true) {
  const int n = quadratures ? ws.n : ws.n_coupled;
  if (ws.dense_ready >= n) return;
  const Real h = ws.h;
  for (int s = Pair::stages + 1; s < Pair::total_stages && ws.dense_ready == 0; ++s) {
    internal::combine_stages(ws, h, Pair::a[s], s, ws.n_coupled);
    internal::evaluate_stage(space, ws, rates, ws.t0 + static_cast<Real>(Pair::c[s]) * h, s);
  }
  Real* const r = ws.r.data();
  const int rows = ws.n;
  for (int i = 0; i < n; ++i) {
    r[i] = ws.z1[i];
    r[rows + i] = h * ws.row(0)[i] - r[i];
    r[2 * rows + i] = r[i] - h * ws.row(Pair::stages)[i] - r[rows + i];
  }
  for (int row = 0; row < Pair::dense_rows; ++row) {
    internal::combine_stages(ws, h, Pair::dense[row], Pair::total_stages, n);
    for (int i = 0; i < n; ++i) r[(3 + row) * rows + i] = ws.z[i];
  }
  ws.dense_ready = n;
}

/// y(t0 + u h) inside the last step, after prepare_dense; quadratures that it has not prepared are
/// those of the end.
template <class Space, class Pair, class Real>
void dense_state(const Space& space, PairWorkspace<Pair, Real>& ws, std::type_identity_t<Real> u,
                 Out<Real> y) {
  const int n = ws.n;
  for (int i = 0; i < ws.dense_ready; ++i) {
    Real sum(0);
    for (int j = 2 + Pair::dense_rows; j > 0; --j)
      sum = (ws.r[j * n + i] + sum) * (j % 2 == 1 ? Real(1) - u : u);
    ws.z[i] = u * (ws.r[i] + sum);
  }
  for (int i = ws.dense_ready; i < n; ++i) ws.z[i] = ws.z1[i];
  space.retract(ws.y0.data(), ws.z.data(), y.data);
}

}  // namespace torsor
