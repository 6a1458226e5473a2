#pragma once
/// State space form and configuration space form of the equations of motion.
///
///   tau = M(q) qdd + V(q, qd) + G(q)                         state_space_form
///   tau = M(q) qdd + B(q) [qd qd] + C(q) [qd^2] + G(q)       configuration_space_form
///   [qd qd] = (qd_1 qd_2, qd_1 qd_3, ..., qd_{n-1} qd_n),    [qd^2] = (qd_1^2, ..., qd_n^2)
///
/// With the Coriolis matrix C(q, qd) = sum_k qd_k C^k of coriolis.hpp:
///   B_i,(jk) = C^k_ij + C^j_ik   (j < k; 2 c_ijk with Christoffel symbols),      C_ij = C^j_ij
/// M, B, C and G depend on q alone: they may be computed at a lower rate than velocity products.
/// M has the rotor inertias on its diagonal.
///
/// Where    Every robot: V is quadratic in the velocities also where these are no coordinate rates.
/// Cost     n Coriolis matrices: O(n^2 d). No allocation.
/// Source   Craig 2005, sec. 6.8.
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor {

/// Rows and columns by columns, with the storage.
template <class Real>
struct StoredMatrix {
  int rows = 0, cols = 0;
  Array<Real> data;

  StoredMatrix() = default;
  StoredMatrix(int r, int c) : rows(r), cols(c), data(r * c) {}
  Real& operator()(int r, int c) { return data[c * rows + r]; }
  const Real& operator()(int r, int c) const { return data[c * rows + r]; }
  MatrixView<Real> view() { return column_major(data.data(), rows, cols); }
  MatrixView<const Real> view() const { return column_major(data.data(), rows, cols); }
};

namespace internal {

/// Number of products qd_j qd_k with j < k.
constexpr int n_velocity_products(int n) { return n * (n - 1) / 2; }

}  // namespace internal

template <class Real>
struct ConfigurationSpaceForm {
  StoredMatrix<Real> mass;           ///< M, n x n
  StoredMatrix<Real> coriolis_B;     ///< n x n(n-1)/2
  StoredMatrix<Real> centrifugal_C;  ///< n x n
  Array<Real> gravity;               ///< G

  template <class Param>
  explicit ConfigurationSpaceForm(const Model<Param>& model)
      : mass(model.n_v(), model.n_v()),
        coriolis_B(model.n_v(), internal::n_velocity_products(model.n_v())),
        centrifugal_C(model.n_v(), model.n_v()),
        gravity(model.n_v()) {}
};

template <class Real>
struct ConfigurationSpaceWorkspace {
  CoriolisWorkspace<Real> coriolis;
  CrbaWorkspace<Real> crba;
  RneaWorkspace<Real> rnea;
  Array<Real> unit, C;

  template <class Param>
  explicit ConfigurationSpaceWorkspace(const Model<Param>& model)
      : coriolis(model),
        crba(model),
        rnea(model),
        unit(model.n_v()),
        C(unit.size() * unit.size()) {}
};

/// [qd qd]: qd_j qd_k for j < k, in the order (1,2), (1,3), ..., (1,n), (2,3), ...
template <class Real>
void velocity_products(View<const Real> qd, Out<Real> out) {
  int at = 0;
  for (int j = 0; j < qd.size; ++j)
    for (int k = j + 1; k < qd.size; ++k) out[at++] = qd[j] * qd[k];
}

namespace internal {

/// [qd^2].
template <class Real>
void velocity_squares(View<const Real> qd, Out<Real> out) {
  for (int j = 0; j < qd.size; ++j) out[j] = qd[j] * qd[j];
}

}  // namespace internal

/// M(q), V(q, qd) = C(q, qd) qd, G(q).
template <class Param, class Real>
void state_space_form(const Model<Param>& model, ConfigurationSpaceWorkspace<Real>& ws, In<Real> q,
                      In<Real> qd, OutMatrix<Real> M, Out<Real> V, Out<Real> G) {
  mass_matrix(model, ws.crba, q, M);
  bias_torque(model, ws.rnea, q, qd, V);
  gravity_torque(model, ws.rnea, q, G);
  for (int k = 0; k < model.n_v(); ++k) V[k] = V[k] - G[k];
}

template <class Param, class Real>
void configuration_space_form(const Model<Param>& model, ConfigurationSpaceWorkspace<Real>& ws,
                              In<Real> q, ConfigurationSpaceForm<Real>& form) {
  const int n = model.n_v();
  mass_matrix(model, ws.crba, q, form.mass.view());
  gravity_torque(model, ws.rnea, q, form.gravity);
  const MatrixView<Real> C = column_major(ws.C.data(), n, n);
  for (Real& b : form.coriolis_B.data) b = Real(0);
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) ws.unit[j] = Real(j == k ? 1 : 0);
    coriolis_matrix(model, ws.coriolis, q, ws.unit, C);
    for (int j = 0; j < n; ++j) {
      if (j == k) continue;
      const int low = j < k ? j : k, high = j < k ? k : j;
      const int column = low * (2 * n - low - 1) / 2 + high - low - 1;
      for (int i = 0; i < n; ++i) form.coriolis_B(i, column) = form.coriolis_B(i, column) + C(i, j);
    }
    for (int i = 0; i < n; ++i) form.centrifugal_C(i, k) = C(i, k);
  }
}

/// tau = M qdd + B [qd qd] + C [qd^2] + G.
template <class Real>
void configuration_space_torque(const ConfigurationSpaceForm<Real>& form, In<Real> qd, In<Real> qdd,
                                Out<Real> tau) {
  const int n = form.mass.rows;
  for (int i = 0; i < n; ++i) {
    Real sum = form.gravity[i];
    int at = 0;
    for (int j = 0; j < n; ++j) {
      sum = sum + form.mass(i, j) * qdd[j] + form.centrifugal_C(i, j) * (qd[j] * qd[j]);
      for (int k = j + 1; k < n; ++k) sum = sum + form.coriolis_B(i, at++) * (qd[j] * qd[k]);
    }
    tau[i] = sum;
  }
}

}  // namespace torsor
