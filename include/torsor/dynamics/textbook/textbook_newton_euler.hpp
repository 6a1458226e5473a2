#pragma once
/// The three-vector dynamics of DH and MDH chains (Huo 2005), with the forces of all joints.
///
///   w_i, e_i, a_i   angular velocity and acceleration of link i, acceleration of O_i less gravity
///   standard   w_i = R^T (w + z qd),  e_i = R^T (e + w x z qd + z qdd)            (2-118), (2-119)
///              a_i = R^T (a + z qdd*) + e_i x p + w_i x (w_i x p) + 2 w_i x R^T z qd*      (2-120)
///              F_i = m a_C,  N_i = I_C e_i + w_i x I_C w_i                          (2-80), (2-73)
///              f_i = F_i + R f_i+1,  n_i = N_i + R n_i+1 + p x f_i + r_C x F_i      (2-72), (2-74)
///              tau_i = (R^T z) . (n_i or f_i)                                               (2-75)
///   modified   the same with z fixed to link i and p to link i-1                   (2-151)-(2-156)
///
/// p leads from O_i-1 to O_i; starred rates are those of prismatic joints, plain ones of revolute
/// joints.
///
/// Frames   Everything about link i in frame i of the table; f_i, n_i is what link i-1 exerts on
///          link i, **n_i about O_i-1 (standard) or O_i (modified)**. The base turns gravity.
/// Cost     O(n), no allocation. rnea.hpp gives the same torques for any robot, faster.
/// Source   Huo 2005, sec. 2.2 and 2.3, exercise 2-12, to which the numbers of equations belong; Luh,
///          Walker & Paul 1980.
#include "torsor/dynamics/textbook/lagrange.hpp"
#include "torsor/math/spatial.hpp"

namespace torsor {

/// One link of the recursion, in its own frame.
template <class Real>
struct TextbookLink {
  SE3<Real> A{};                                   ///< A_i = T_{i-1, i}
  Vec3<Real> omega{}, epsilon{}, a{}, a_centre{};  ///< a less gravity
  Vec3<Real> F{}, N{};                             ///< m a_C; rate of angular momentum about C
  Vec3<Real> f{}, n{};                             ///< through joint i
};

template <class Real>
struct TextbookWorkspace {
  Array<TextbookLink<Real>> links;  ///< i = 0 ... n

  explicit TextbookWorkspace(const DhTable& table)
      : links(static_cast<int>(table.rows.size()) + 1) {}
};

/// Motion of the links for a frame 0 that accelerates by a_0.
template <class Real>
void textbook_outward(const DhTable& table, TextbookWorkspace<Real>& ws, In<Real> q, In<Real> qd,
                      In<Real> qdd, const Vec3<double>& a_0) {
  internal::assert_rows(table, q, qd, qdd);
  using Value = typename ScalarTraits<Real>::Value;
  const bool standard = table.convention == DhTable::Convention::standard;
  const Vec3<Real> z = Vec3<Real>::unit_z();
  ws.links[0] = {};
  ws.links[0].a = a_0.template cast<Real>();
  for (int i = 1; i < ws.links.size(); ++i) {
    const DhRow& row = table.rows.data()[i - 1];
    const int k = i - 1;
    const TextbookLink<Real>& before = ws.links[i - 1];
    TextbookLink<Real>& at = ws.links[i];
    at.A = link_transform(table.convention, row, q[k]);
    const auto turned = [&](const Vec3<Real>& u) { return transpose_times(at.A.R, u); };
    const Vec3<Real> zqd = z * qd[k], zqdd = z * qdd[k];
    if (standard) {
      const Vec3<Real> p = turned(at.A.p);
      at.omega = turned(row.prismatic ? before.omega : before.omega + zqd);
      at.epsilon = turned(row.prismatic ? before.epsilon
                                        : before.epsilon + (cross(before.omega, zqd) + zqdd));
      at.a = turned(row.prismatic ? before.a + zqdd : before.a) + cross(at.epsilon, p) +
             cross(at.omega, cross(at.omega, p));
      if (row.prismatic) at.a = at.a + cross(at.omega, turned(zqd)) * Value(2);
    } else {
      at.omega = turned(before.omega);
      at.epsilon = turned(before.epsilon);
      at.a = turned(before.a + cross(before.epsilon, at.A.p) +
                    cross(before.omega, cross(before.omega, at.A.p)));
      if (row.prismatic) {
        at.a = at.a + (cross(at.omega, zqd) * Value(2) + zqdd);
      } else {
        at.epsilon = at.epsilon + (cross(at.omega, zqd) + zqdd);
        at.omega = at.omega + zqd;
      }
    }
    const Vec3<Real> r = row.inertial.com.template cast<Real>();
    at.a_centre = at.a + cross(at.epsilon, r) + cross(at.omega, cross(at.omega, r));
  }
}

/// Forces through the joints, from the tip; tau.
template <class Real>
void textbook_inward(const DhTable& table, TextbookWorkspace<Real>& ws,
                     const Wrench<Real>& on_world, Out<Real> tau) {
  internal::assert_rows(table, tau);
  const bool standard = table.convention == DhTable::Convention::standard;
  Vec3<Real> f = on_world.f, n = on_world.m;  // f_i+1, and n_i+1 about O_i, in frame i
  for (int i = ws.links.size() - 1; i > 0; --i) {
    const DhRow& row = table.rows.data()[i - 1];
    TextbookLink<Real>& at = ws.links[i];
    const Sym3<Real> I = row.inertial.about_com.template cast<Real>();
    const Vec3<Real> r = row.inertial.com.template cast<Real>();
    at.F = at.a_centre * Real(row.inertial.mass);
    at.N = I * at.epsilon + cross(at.omega, I * at.omega);
    at.f = at.F + f;
    at.n = at.N + n + cross(r, at.F);
    if (standard) at.n = at.n + cross(transpose_times(at.A.R, at.A.p), at.f);
    const Vec3<Real>& drive = row.prismatic ? at.f : at.n;
    const Vec3<Real> z = Vec3<Real>{at.A.R.c0.z, at.A.R.c1.z, at.A.R.c2.z};  // z_{i-1} in frame i
    tau[i - 1] = standard ? dot(z, drive) : drive.z;
    f = at.A.R * at.f;
    n = at.A.R * at.n;
    if (!standard) n = n + cross(at.A.p, f);
  }
}

/// tau = H qdd + C qd + G + J^T F. `on_environment` is what the hand exerts on the environment, in
/// frame n about O_n. ws then holds the motion of all links and the forces through all joints.
template <class Real>
void textbook_inverse_dynamics(const DhTable& table, TextbookWorkspace<Real>& ws, In<Real> q,
                               In<Real> qd, In<Real> qdd, Out<Real> tau,
                               const std::type_identity_t<Wrench<Real>>& on_environment = {}) {
  textbook_outward<Real>(table, ws, q, qd, qdd, -internal::gravity_in_frame_0(table));
  textbook_inward<Real>(table, ws, on_environment, tau);
}

}  // namespace torsor
