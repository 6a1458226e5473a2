#pragma once
/// The 4x4 matrix dynamics of DH and MDH chains (Huo 2005): another way to the numbers of rnea.hpp.
///
///   forward    A_0i, A'_0i, A''_0i                       kinematics/textbook_recursion.hpp
///   backward   D_i = J_i A''_0i^T + A_i+1 D_i+1                                             (2-68)
///              c_i = m_i r_Ci + A_i+1 c_i+1              homogeneous, 4 numbers            (2-69)
///              tau_i = tr(dA_0i/dq_i D_i) - g^T dA_0i/dq_i c_i                              (2-67)
///   H_jk = sum_{i >= j, k} tr(dA_0i/dq_j J_i dA_0i/dq_k^T)                                  (2-24)
///
///   kinetic energy of link i     1/2 tr(A'_0i J_i A'_0i^T)                                 (2-19)
///   potential energy of link i   u_i - m_i g^T r_0Ci                                       (2-25)
///
/// J_i = int r r^T dm is the pseudo-inertia with homogeneous r: [Sigma, m r_C; m r_C^T, m], (2-21).
/// The second form of exercise 2-13 drops c_i and lets frame 0 accelerate by -g instead.
///
/// Frames   Frame 0 to frame n of the table; gravity is turned into frame 0 by the table's base.
/// Cost     O(n) matrix products (H: O(n^3)); no allocation. Five times the work of three-vectors.
/// Source   Huo 2005, sec. 2.1 and 2.3, exercises 2-11 (modified convention) and 2-13. Numbers of
///          equations here are of that book.
#include "torsor/kinematics/textbook_recursion.hpp"
#include "torsor/math/array.hpp"
#include "torsor/math/inertia.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor {

/// J of a link, in its frame.
inline HomogeneousMatrix<double> pseudo_inertia(const Inertial& link) {
  const auto [m, h, S] = mass_moments(Inertia<double>::at_com(link.mass, link.com, link.about_com));
  return {S.xx, S.xy, S.xz, h.x, S.xy, S.yy, S.yz, h.y, S.xz, S.yz, S.zz, h.z, h.x, h.y, h.z, m};
}

namespace internal {

/// A B^T with a constant A.
template <class Real>
HomogeneousMatrix<Real> product_transposed(const HomogeneousMatrix<double>& A,
                                           const HomogeneousMatrix<Real>& B) {
  using Value = typename ScalarTraits<Real>::Value;
  HomogeneousMatrix<Real> c{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k)
        c[4 * i + j] = c[4 * i + j] + B[4 * j + k] * Value(A[4 * i + k]);
  return c;
}
/// tr(A B).
template <class Real>
Real trace_of_product(const HomogeneousMatrix<Real>& A, const HomogeneousMatrix<Real>& B) {
  Real sum(0);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 4; ++k) sum = sum + A[4 * i + k] * B[4 * k + i];
  return sum;
}

}  // namespace internal

template <class Real>
struct LagrangeWorkspace {
  HomogeneousMotion<Real> motion;
  Array<HomogeneousMatrix<double>> J;       // pseudo-inertias, i = 1 ... n
  Array<HomogeneousMatrix<Real>> link, dA;  // A_i and dA_0i/dq_i
  Array<HomogeneousMatrix<Real>> dA_0i;     // dA_0i/dq_j of one i, for H

  explicit LagrangeWorkspace(const DhTable& table)
      : motion(table), J(1), link(count(table)), dA(count(table)), dA_0i(count(table)) {
    for (const DhRow& row : table.rows) J.push_back(pseudo_inertia(row.inertial));
  }

 private:
  static int count(const DhTable& table) { return static_cast<int>(table.rows.size()) + 1; }
};

/// Where gravity enters: as a force on the mass centres, or as an acceleration of frame 0.
enum class GravityForm : unsigned char { force, acceleration };

namespace internal {

/// g in frame 0.
inline Vec3<double> gravity_in_frame_0(const DhTable& table) {
  return transpose_times(table.base.R, table.gravity);
}

}  // namespace internal

/// tau = H qdd + C qd + G, all n. Rotors and friction are not included.
template <class Real>
void lagrange_inverse_dynamics(const DhTable& table, LagrangeWorkspace<Real>& ws, In<Real> q,
                               In<Real> qd, In<Real> qdd, Out<Real> tau,
                               GravityForm form = GravityForm::force) {
  internal::assert_rows(table, q, qd, qdd, tau);
  using Value = typename ScalarTraits<Real>::Value;
  const int n = static_cast<int>(table.rows.size());
  const Vec3<double> g = internal::gravity_in_frame_0(table);
  auto& [motion, J, link, dA, unused] = ws;
  homogeneous_motion(table, q, qd, qdd, motion);
  for (int i = 1; i <= n; ++i) {
    const DhRow& row = table.rows.data()[i - 1];
    link[i] = homogeneous_matrix(link_transform(table.convention, row, q[i - 1]));
    dA[i] = internal::product(motion.A.data()[i - 1],
                              internal::link_derivative(table.convention, row.prismatic, link[i]));
  }
  HomogeneousMatrix<Real> D{};
  Real c[4] = {Real(0), Real(0), Real(0), Real(0)};
  for (int i = n; i > 0; --i) {
    HomogeneousMatrix<Real> Addot = motion.Addot.data()[i];
    if (form == GravityForm::acceleration)
      for (std::size_t r = 0; r < 3; ++r)
        Addot[4 * r + 3] = Addot[4 * r + 3] - Value(g[static_cast<int>(r)]);
    const HomogeneousMatrix<Real> own = internal::product_transposed(J[i], Addot);
    if (i < n) {
      D = internal::product(link[i + 1], D);
      Real moved[4];
      for (std::size_t r = 0; r < 4; ++r) {
        moved[r] = Real(0);
        for (std::size_t k = 0; k < 4; ++k) moved[r] = moved[r] + link[i + 1][4 * r + k] * c[k];
      }
      for (std::size_t r = 0; r < 4; ++r) c[r] = moved[r];
    }
    for (std::size_t e = 0; e < 16; ++e) D[e] = D[e] + own[e];
    for (std::size_t r = 0; r < 4; ++r) c[r] = c[r] + Value(J[i][4 * r + 3]);
    Real sum = internal::trace_of_product(dA[i], D);
    if (form == GravityForm::force)
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t k = 0; k < 4; ++k)
          sum = sum - dA[i][4 * r + k] * c[k] * Value(g[static_cast<int>(r)]);
    tau[i - 1] = sum;
  }
}

/// H(q) from the partial derivatives of A_0i.
template <class Real>
void lagrange_mass_matrix(const DhTable& table, LagrangeWorkspace<Real>& ws, In<Real> q,
                          OutMatrix<Real> H) {
  internal::assert_rows(table, q);
  const int n = static_cast<int>(table.rows.size());
  HomogeneousMatrix<Real> A = homogeneous_matrix(SE3<Real>{});
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) H(r, c) = Real(0);
  for (int i = 1; i <= n; ++i) {
    const DhRow& row = table.rows.data()[i - 1];
    const auto link = homogeneous_matrix(link_transform(table.convention, row, q[i - 1]));
    for (int j = 1; j < i; ++j) {
      auto& d = ws.dA_0i[j];
      d = internal::product(d, link);
    }
    ws.dA_0i[i] =
        internal::product(A, internal::link_derivative(table.convention, row.prismatic, link));
    A = internal::product(A, link);
    for (int k = 1; k <= i; ++k) {
      const auto J_dA = internal::product_transposed(ws.J[i], ws.dA_0i[k]);
      for (int j = 1; j <= i; ++j)
        H(j - 1, k - 1) = H(j - 1, k - 1) + internal::trace_of_product(ws.dA_0i[j], J_dA);
    }
  }
}

/// Energies of one link, J.
template <class Real>
struct LinkEnergy {
  Real kinetic{}, potential{};
};

/// Energies of the links 1 ... n. Potential energy is zero at the world's origin; `u_ref` adds a
/// constant to each link, so that its minimum can be zero. An empty one means zeros.
template <class Real>
void lagrange_energies(const DhTable& table, LagrangeWorkspace<Real>& ws, In<Real> q, In<Real> qd,
                       Out<LinkEnergy<Real>> energy, In<double> u_ref = {}) {
  internal::assert_rows(table, q, qd, energy, u_ref);
  using Value = typename ScalarTraits<Real>::Value;
  const Vec3<double> g = internal::gravity_in_frame_0(table);
  homogeneous_motion<Real>(table, q, qd, {}, ws.motion);
  for (int i = 1; i < ws.J.size(); ++i) {
    const auto &A = ws.motion.A.data()[i], &rate = ws.motion.Adot.data()[i];
    const HomogeneousMatrix<Real> J_rate = internal::product_transposed(ws.J[i], rate);
    const double origin = -ws.J[i][15] * dot(table.gravity, table.base.p);
    Real potential(Value(origin + (u_ref.empty() ? 0 : u_ref[i - 1])));
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 4; ++c)
        potential = potential - A[4 * r + c] * Value(ws.J[i][4 * c + 3] * g[static_cast<int>(r)]);
    energy[i - 1] = {internal::trace_of_product(rate, J_rate) * Value(0.5), potential};
  }
}

}  // namespace torsor
