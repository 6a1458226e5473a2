#pragma once
/// Christoffel symbols of the first kind, and the Coriolis matrices that are made of them.
///
///   c_ijk = 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i)        symmetric in j, k
///   christoffel_matrix   C_ij = sum_k c_ijk qd_k          Mdot - 2C skew; the C of coriolis.hpp
///   quadratic_matrix     C_jk = sum_i (dM_jk/dq_i - 1/2 dM_ki/dq_j) qd_i    same C qd, not skew
///
/// C of coriolis.hpp is linear in qd, so c_ijk is C_ij at the k-th unit velocity: no derivative is
/// taken. dM_ij/dq_k = c_ijk + c_jik gives the derivatives of M back.
///
/// Where    Only for robots whose velocities are rates of coordinates: else there is no dM/dq_k to
///          speak of, and the workspace refuses the robot. configuration_space.hpp serves all.
/// Cost     n Coriolis matrices: O(n^2 d). No allocation.
/// Source   Huo 2005, (2-29), (2-34); Craig 2005, ch. 6.
#include "torsor/dynamics/coriolis.hpp"

namespace torsor {

namespace internal {

/// Throws Error naming the first joint whose velocities are not rates of its coordinates.
/// Models of double and float.
template <class Param>
void require_coordinate_rates(const Model<Param>& model);

}  // namespace internal

template <class Real>
struct ChristoffelWorkspace {
  CoriolisWorkspace<Real> coriolis;
  Array<Real> unit, C;

  /// Throws Error where velocities are not rates.
  template <class Param>
  explicit ChristoffelWorkspace(const Model<Param>& model)
      : coriolis(model), unit(model.n_v()), C(unit.size() * unit.size()) {
    internal::require_coordinate_rates(model);
  }
};

/// n x n x n symbols in the caller's storage: c(i, j, k).
template <class Element>
struct SymbolView {
  Element* data = nullptr;
  int n = 0;

  constexpr Element& operator()(int i, int j, int k) const { return data[(i * n + j) * n + k]; }
};

/// Fills c with n_v^3 numbers.
template <class Param, class Real>
void christoffel(const Model<Param>& model, ChristoffelWorkspace<Real>& ws, In<Real> q,
                 SymbolView<std::type_identity_t<Real>> c) {
  assert(c.n == model.n_v() && "the symbols have the size of another model");
  const int n = model.n_v();
  const MatrixView<Real> C = column_major(ws.C.data(), n, n);
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) ws.unit[j] = Real(j == k ? 1 : 0);
    coriolis_matrix(model, ws.coriolis, q, ws.unit, C);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) c(i, j, k) = C(i, j);
  }
}

namespace internal {

/// dM_ij / dq_k from the symbols.
template <class Element>
auto mass_matrix_slope(const SymbolView<Element>& c, int i, int j, int k) {
  return c(i, j, k) + c(j, i, k);
}

}  // namespace internal

/// C_ij = sum_k c_ijk qd_k.
template <class Real>
void christoffel_matrix(const SymbolView<const Real>& c, In<Real> qd, OutMatrix<Real> C) {
  internal::assert_matrix(C, c.n, c.n);
  for (int i = 0; i < c.n; ++i)
    for (int j = 0; j < c.n; ++j) {
      Real sum(0);
      for (int k = 0; k < c.n; ++k) sum = sum + c(i, j, k) * qd[k];
      C(i, j) = sum;
    }
}

/// The other C of Huo 2005, read off the quadratic form qd^T C_j qd of (2-29); not skew with Mdot.
template <class Real>
void quadratic_matrix(const SymbolView<const Real>& c, In<Real> qd, OutMatrix<Real> C) {
  internal::assert_matrix(C, c.n, c.n);
  const auto half = typename ScalarTraits<Real>::Value(0.5);
  for (int j = 0; j < c.n; ++j)
    for (int k = 0; k < c.n; ++k) {
      Real sum(0);
      for (int i = 0; i < c.n; ++i)
        sum = sum + (internal::mass_matrix_slope(c, j, k, i) -
                     internal::mass_matrix_slope(c, k, i, j) * half) *
                        qd[i];
      C(j, k) = sum;
    }
}

}  // namespace torsor
