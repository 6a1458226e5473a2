#pragma once
/// Input-output form of a nonlinear system by automatic differentiation: relative degrees, and the
/// feedback that decouples it with free poles (Freund).
///
///   x' = A(x, t) + B(x, t) u,   y = c(x, t) + D(x, t) u,   as many outputs as inputs
///   N^0 c = c,   N^k c = d/dt N^(k-1) c + (d/dx N^(k-1) c) A
///   d_i: 0 if D_i != 0, else the smallest k with (d/dx N^(k-1) c_i) B != 0
///   y_i^(k) = N^k c_i for k < d_i,     y_i^(d_i) = C*_i + D*_i u
///   u = D*^-1 (K v - C* - M*),   M*_i = sum_(k < d_i) alpha_ki N^k c_i
///
/// N^k c is the derivative of N^(k-1) c along (A, 1): one dual number around the evaluation for
/// each k, so a system is written once, as a template:
///
///   struct System {
///     static constexpr int n_x = 3, n_u = 2;
///     template <class Real> void drift(const Real& t, const Real* x, Real* A) const;
///     template <class Real> void inputs(const Real& t, const Real* x, Real* B) const;
///     template <class Real> void outputs(const Real& t, const Real* x, Real* c) const;
///     void feedthrough(double t, const double* x, double* D) const;  // may be absent
///   };                                                               // B, D by rows
///
/// Limits   Degrees are those of the point asked for; D* may be singular elsewhere. Where they sum
///          to less than n_x, the rest of the state is the zero dynamics, which the outputs do not
///          show and which must be stable by itself.
/// Cost     The evaluation of order k costs 2^k of the plain one; no allocation.
/// Source   Huo 2005, sec. 3.7, (3-56) to (3-61); Freund 1975; Isidori 1995, ch. 5.
#include <cmath>

#include "torsor/linear/internal/small_matrix.hpp"
#include "torsor/math/dual.hpp"

namespace torsor {

namespace internal {

/// N^k c of all outputs.
template <int k, class System, class Real>
void lie_derivative(const System& system, const Real& t, const Real* x, Real* y) {
  if constexpr (k == 0) {
    system.outputs(t, x, y);
  } else {
    using D = Dual<Real, 1>;
    Real A[System::n_x];
    system.drift(t, x, A);
    D time = D::variable(t, 0), along[System::n_x], result[System::n_u];
    for (int i = 0; i < System::n_x; ++i) {
      along[i] = D(x[i]);
      along[i].d[0] = A[i];
    }
    lie_derivative<k - 1>(system, time, along, result);
    for (int i = 0; i < System::n_u; ++i) y[i] = result[i].d[0];
  }
}

}  // namespace internal

/// At one point. Outputs without a degree up to n_x have degree -1.
template <class System>
struct InputOutputForm {
  static constexpr int n_x = System::n_x, n_u = System::n_u;
  int degree[n_u];
  double N[n_u][n_x + 1];     ///< N^k c_i for k = 0 ... d_i; C* is the last
  double D[n_u][n_u];         ///< D*
  double smallest_pivot = 0;  ///< of D* over the largest, by elimination; 0: singular
  InMatrix<double> decoupling() const { return {&D[0][0], n_u, n_u, n_u, 1}; }
  bool has_degrees() const {
    for (const int d : degree)
      if (d < 0) return false;
    return true;
  }
  int sum_of_degrees() const {
    int sum = 0;
    for (const int d : degree) sum += d;
    return sum;
  }
};

namespace internal {

/// Orders k, k + 1, ...: fills in the outputs whose degree is found there.
template <int k, class System>
void find_degrees(const System& system, double t, const double* x, double tolerance,
                  InputOutputForm<System>& form) {
  constexpr int n_x = System::n_x, n_u = System::n_u;
  using D = Dual<double, n_u>;
  D along[n_x], y[n_u];
  double B[n_x * n_u], next[n_u];
  system.inputs(t, x, B);
  for (int i = 0; i < n_x; ++i) {
    along[i] = D(x[i]);
    for (int j = 0; j < n_u; ++j) along[i].d[j] = B[i * n_u + j];
  }
  lie_derivative<k>(system, D(t), along, y);
  bool open = false;
  for (int i = 0; i < n_u; ++i) {
    if (form.degree[i] >= 0) continue;
    form.N[i][k] = y[i].value;
    bool acts = false;
    for (int j = 0; j < n_u; ++j) acts = acts || std::abs(y[i].d[j]) > tolerance;
    if (!acts) {
      open = true;
      continue;
    }
    form.degree[i] = k + 1;
    for (int j = 0; j < n_u; ++j) form.D[i][j] = y[i].d[j];
    lie_derivative<k + 1>(system, t, x, next);
    form.N[i][k + 1] = next[i];
  }
  if constexpr (k + 1 < n_x)
    if (open) find_degrees<k + 1>(system, t, x, tolerance, form);
}

}  // namespace internal

/// `tolerance`: entries of (d/dx N^k c) B that count as zero.
template <class System>
InputOutputForm<System> input_output_form(const System& system, double t, const double* x,
                                          double tolerance = 1e-9) {
  InputOutputForm<System> form{};
  for (int& d : form.degree) d = -1;
  if constexpr (requires(double* D) { system.feedthrough(t, x, D); }) {
    double D[System::n_u * System::n_u], c[System::n_u];
    system.feedthrough(t, x, D);
    system.outputs(t, x, c);
    for (int k = 0; k < System::n_u * System::n_u; ++k) {
      const int i = k / System::n_u;
      form.D[i][k % System::n_u] = D[k];
      form.N[i][0] = c[i];
      if (std::abs(D[k]) > tolerance) form.degree[i] = 0;
    }
  }
  internal::find_degrees<0>(system, t, x, tolerance, form);
  if (!form.has_degrees()) return form;
  internal::SmallLu<System::n_u> factors;
  if (factors.factorise(form.decoupling(), 0))
    form.smallest_pivot = factors.pivot(System::n_u - 1) / factors.pivot(0);
  return form;
}

/// The law of Huo 2005, (3-61). alpha[i] holds alpha_0i ... of output i (pole_coefficients), K the gains of v.
/// False: no degrees, or D* is singular; u is not written.
template <class System>
[[nodiscard]] bool decoupling_input(const InputOutputForm<System>& form,
                                    const double* const (&alpha)[System::n_u], const double* K,
                                    const double* v, double* u) {
  constexpr int n = System::n_u;
  if (!form.has_degrees() || !(form.smallest_pivot > 1e-14)) return false;
  double b[n];
  for (int i = 0; i < n; ++i) {
    b[i] = K[i] * v[i] - form.N[i][form.degree[i]];
    for (int k = 0; k < form.degree[i]; ++k) b[i] -= alpha[i][k] * form.N[i][k];
  }
  internal::SmallLu<n> factors;
  (void)factors.factorise(form.decoupling(), 0);
  factors.solve(b, View<double>(u, n));
  return true;
}

}  // namespace torsor
