#pragma once
/// The forward dynamics of DH and MDH chains (Huo 2005): H by composite bodies or by unit
/// accelerations, b by inverse dynamics, and a symmetric triangular factorisation.
///
///   composite of links j ... n: mass m^c_j, mass centre c_j, inertia I_j about it
///     m^c_j = m_j + m^c_j+1                                                               (2-93)
///     c_j   = [m_j r_j + m^c_j+1 (s + R c_j+1)] / m^c_j                                   (2-98)
///     I_j   = I_Cj + m_j P(r_j - c_j) + R I_j+1 R^T + m^c_j+1 P(s + R c_j+1 - c_j)        (2-99)
///   f_j = m^c_j z x c_j (or m^c_j z),  n_j = I_j z (or 0) + c_j x f_j              (2-100)-(2-103)
///   H_ij = z . (n_i or f_i) with f_i = R f_i+1,  n_i = R n_i+1 + p x f_i           (2-104)-(2-106)
///
/// P(v) = v^T v - v v^T. The reference point of link j is O_j-1 (standard: r_j = p_j + r_Cj,
/// s = p_j) or O_j (modified: r_j = r_Cj, s = p_j+1).
///
/// Massless ends divide by no mass here: their centre is taken at the reference point.
/// Frames   Everything about link i in frame i of the table.
/// Cost     H O(n^2), the solution O(n^3); no allocation.
/// Source   Huo 2005, sec. 2.4 and exercise 2-17, to which the numbers of equations belong; Walker &
///          Orin 1982, method 3.
#include "torsor/dynamics/textbook/textbook_newton_euler.hpp"
#include "torsor/linear/internal/ldlt.hpp"

namespace torsor {

template <class Real>
struct TextbookForwardWorkspace {
  TextbookWorkspace<Real> newton_euler;
  Array<Real> rate, zero, column, H;

  explicit TextbookForwardWorkspace(const DhTable& table)
      : newton_euler(table),
        rate(static_cast<int>(table.rows.size())),
        zero(rate.size()),
        column(rate.size()),
        H(rate.size() * rate.size()) {}
};

/// Column j of H is the torque of the unit acceleration of joint j, at rest and without gravity.
template <class Real>
void unit_acceleration_mass_matrix(const DhTable& table, TextbookForwardWorkspace<Real>& ws,
                                   In<Real> q, OutMatrix<Real> H) {
  internal::assert_rows(table, q);
  const int n = static_cast<int>(table.rows.size());
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) ws.rate[k] = Real(k == j ? 1 : 0);
    textbook_outward<Real>(table, ws.newton_euler, q, ws.zero, ws.rate, {});
    textbook_inward<Real>(table, ws.newton_euler, {}, ws.column);
    for (int k = 0; k < n; ++k) H(k, j) = ws.column[k];
  }
}

/// H(q) by composite bodies.
template <class Real>
void composite_body_mass_matrix(const DhTable& table, TextbookForwardWorkspace<Real>& ws,
                                In<Real> q, OutMatrix<Real> H) {
  internal::assert_rows(table, q);
  using Value = typename ScalarTraits<Real>::Value;
  const bool standard = table.convention == DhTable::Convention::standard;
  const int n = static_cast<int>(table.rows.size());
  const auto row = [&](int i) -> const DhRow& { return table.rows.data()[i - 1]; };
  auto& links = ws.newton_euler.links;
  const auto A = [&](int i) -> const SE3<Real>& { return links[i].A; };
  for (int i = 1; i <= n; ++i) links[i].A = link_transform(table.convention, row(i), q[i - 1]);
  // Axis of joint i in frame i, and p_i in frame i (standard) or i-1 (modified).
  const auto axis = [&](int i) {
    return standard ? Vec3<Real>{A(i).R.c0.z, A(i).R.c1.z, A(i).R.c2.z} : Vec3<Real>::unit_z();
  };
  const auto arm = [&](int i) { return standard ? transpose_times(A(i).R, A(i).p) : A(i).p; };

  double mass = 0;
  Vec3<Real> centre{};
  Sym3<Real> inertia{};
  for (int j = n; j > 0; --j) {
    const Inertial& link = row(j).inertial;
    const Value own_mass = Value(link.mass), outer_mass = Value(mass);
    Vec3<Real> r = link.com.template cast<Real>(), outer{};
    if (standard) r = r + arm(j);
    if (j < n) {
      outer = (standard ? arm(j) : arm(j + 1)) + A(j + 1).R * centre;
      inertia = rotated(A(j + 1).R, inertia);
    }
    mass += link.mass;
    const Value inverse = mass > 0 ? Value(1 / mass) : Value(0);  // a constant of the robot
    centre = (r * own_mass + outer * outer_mass) * inverse;
    inertia = inertia + link.about_com.template cast<Real>() +
              Inertia<Real>::parallel_axes(Real(own_mass), r - centre) +
              Inertia<Real>::parallel_axes(Real(outer_mass), outer - centre);

    const Vec3<Real> z = axis(j);
    Vec3<Real> f = (row(j).prismatic ? z : cross(z, centre)) * Value(mass);
    Vec3<Real> moment = cross(centre, f);
    if (!row(j).prismatic) moment = moment + inertia * z;
    for (int i = j; i > 0; --i) {
      if (i < j) {
        f = A(i + 1).R * f;
        moment = A(i + 1).R * moment + cross(standard ? arm(i) : arm(i + 1), f);
      }
      H(i - 1, j - 1) = H(j - 1, i - 1) = dot(axis(i), row(i).prismatic ? f : moment);
    }
  }
}

/// Whether H could be factorised.
template <class Real>
struct [[nodiscard]] TextbookForwardResult {
  Real pivot_ratio;  ///< smallest over largest pivot
  MaskOf<Real> regular;

  explicit operator bool() const { return all(regular); }
};

/// qdd = H^-1 (tau - C qd - G). Rotors and friction are not included.
template <class Real>
TextbookForwardResult<Real> textbook_forward_dynamics(const DhTable& table,
                                                      TextbookForwardWorkspace<Real>& ws,
                                                      In<Real> q, In<Real> qd, In<Real> tau,
                                                      Out<Real> qdd) {
  internal::assert_rows(table, q, qd, tau, qdd);
  const int n = static_cast<int>(table.rows.size());
  textbook_inverse_dynamics<Real>(table, ws.newton_euler, q, qd, ws.zero, ws.column);
  const MatrixView<Real> H = column_major(ws.H.data(), n, n);
  composite_body_mass_matrix<Real>(table, ws, q, H);
  for (int k = 0; k < n; ++k) qdd[k] = tau[k] - ws.column[k];
  const internal::LdltPivots<Real> pivots = internal::ldlt_solve(H.data, qdd.data, n, n);
  const Real ratio = pivots.least / select(pivots.most > Real(0), pivots.most, Real(1));
  return {ratio, ratio > Real(8 * ScalarTraits<Real>::epsilon)};
}

}  // namespace torsor
