#pragma once
/// Dynamics of DH and MDH chains in the ten parameters of each link, so that base parameters will do: what
/// is zero among them is not computed with.
///
///   U_i = [e_i] + [w_i]^2        a point r of link i accelerates by a_i + U_i r, gravity included
///   standard   a_i = R^T (a + z qdd*) + U_i p + 2 w_i x R^T z qd*
///   modified   a_i = R^T (a + U_i-1 p) + 2 w_i x z qd* + z qdd*
///   F_i = m a_i + U_i h,   N_i = h x a_i + J e_i + w_i x J w_i      about O_i          (2-129), (2-130)
///   f_i = F_i + R f_i+1,   n_i = N_i + (R n_i+1 about O_i)          tau_i = z . (n_i or f_i)
///
///   composite of links j ... n, about O_j:  m^c = m + m^c',  h^c = h + R h' + m^c' p,
///   J^c = J + R J' R^T + 2 (p . s) 1 - p s^T - s p^T + m^c' (p^T p 1 - p p^T),   s = R h'    (ex. 2-19)
///   f_j = z x h^c (or m^c z),  n_j = J^c z (or h^c x z);  H_ij = z . (n or f), carried to joint i
///
/// No mass is divided by: sums of base parameters have no mass, and no centre.
///
/// Frames   p: ten numbers per link (m, mx, my, mz, xx, xy, yy, xz, yz, zz) in frame i of the table.
/// Cost     O(n) and O(n^2), no allocation. With base parameters of a hinged arm the terms of m, mz and yy
///          are left out of every link: `base_operations` counts them.
/// Source   Huo 2005, sec. 2.5 and exercise 2-19, to which the numbers of equations belong; the columns
///          of J are those of its regressor.
#include "torsor/dynamics/textbook/textbook_newton_euler.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {

/// One link of the recursion, in its own frame.
template <class Real>
struct LinearLink {
  SE3<Real> A{};  ///< A_i = T_{i-1, i}
  Vec3<Real> omega{}, epsilon{}, a{};
  Vec3<Real> products{};  ///< w_y w_z, w_x w_z, w_x w_y
  Mat3<Real> U{};
};

template <class Real>
struct LinearDynamicsWorkspace {
  Array<LinearLink<Real>> links;  ///< i = 0 ... n

  explicit LinearDynamicsWorkspace(const DhTable& table)
      : links(static_cast<int>(table.rows.size()) + 1) {}
};

namespace internal {

/// U = [e] + [w]^2 and the products in it.
template <class Real>
void set_acceleration_matrix(LinearLink<Real>& at) {
  const Vec3<Real>&w = at.omega, &e = at.epsilon;
  const Real xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const Real yz = w.y * w.z, xz = w.x * w.z, xy = w.x * w.y;
  at.products = {yz, xz, xy};
  at.U = {{-(yy + zz), xy + e.z, xz - e.y},
          {xy - e.z, -(xx + zz), yz + e.x},
          {xz + e.y, yz - e.x, -(xx + yy)}};
}

/// F and N of a link.
template <class Real>
Wrench<Real> linear_wrench(const Inertia<double>& I, const LinearLink<Real>& at) {
  using Value = typename ScalarTraits<Real>::Value;
  const auto& [A, w, e, a, ww, U] = at;
  const Value m = Value(I.m), mx = Value(I.h.x), my = Value(I.h.y), mz = Value(I.h.z);
  const Value xx = Value(I.J.xx), xy = Value(I.J.xy), yy = Value(I.J.yy);
  const Value xz = Value(I.J.xz), yz = Value(I.J.yz), zz = Value(I.J.zz);
  Vec3<Real> f{}, n{};
  if (m != 0) f += a * m;
  if (mx != 0) f += U.c0 * mx, n.y -= a.z * mx, n.z += a.y * mx;
  if (my != 0) f += U.c1 * my, n.x += a.z * my, n.z -= a.x * my;
  if (mz != 0) f += U.c2 * mz, n.x -= a.y * mz, n.y += a.x * mz;
  if (xx != 0) n.x += e.x * xx, n.y += ww.y * xx, n.z -= ww.z * xx;
  if (yy != 0) n.x -= ww.x * yy, n.y += e.y * yy, n.z += ww.z * yy;
  if (zz != 0) n.x += ww.x * zz, n.y -= ww.y * zz, n.z += e.z * zz;
  if (xy != 0) n.x -= U.c0.z * xy, n.y += U.c1.z * xy, n.z += (U.c0.x - U.c1.y) * xy;
  if (xz != 0) n.x += U.c0.y * xz, n.y += (U.c2.z - U.c0.x) * xz, n.z -= U.c2.y * xz;
  if (yz != 0) n.x += (U.c1.y - U.c2.z) * yz, n.y -= U.c1.x * yz, n.z += U.c2.x * yz;
  return {n, f};
}

/// Whether frame i may lie away from frame i-1.
inline bool has_arm(const DhRow& row) { return row.prismatic || row.a != 0 || row.d != 0; }

/// m, h, J about a point from which p leads to the one they are about.
template <class Real>
Inertia<Real> shifted(const Vec3<Real>& p, const Inertia<Real>& I, bool has_mass) {
  const Vec3<Real>& s = I.h;
  const Real x = p.x * s.x, y = p.y * s.y, z = p.z * s.z;
  const auto twice = [](const Real& r) { return r + r; };
  Inertia<Real> out{
      I.m, s,
      I.J + Sym3<Real>{twice(y + z), -(p.x * s.y + p.y * s.x), twice(x + z),
                       -(p.x * s.z + p.z * s.x), -(p.y * s.z + p.z * s.y), twice(x + y)}};
  if (!has_mass) return out;
  out.h = out.h + p * I.m;
  out.J = out.J + Inertia<Real>::parallel_axes(I.m, p);
  return out;
}

}  // namespace internal

/// tau = H qdd + C qd + G of these parameters. Rotors and friction are not included.
template <class Real>
void linear_inverse_dynamics(const DhTable& table, LinearDynamicsWorkspace<Real>& ws, In<Real> q,
                             In<Real> qd, In<Real> qdd, In<double> parameters, Out<Real> tau) {
  internal::assert_rows(table, q, qd, qdd, tau);
  assert(parameters.size == parameters_per_body * q.size);
  const bool standard = table.convention == DhTable::Convention::standard;
  const auto row = [&](int i) -> const DhRow& { return table.rows.data()[i - 1]; };
  const int n = q.size;
  ws.links[0] = {};
  ws.links[0].a = (-internal::gravity_in_frame_0(table)).template cast<Real>();
  for (int i = 1; i <= n; ++i) {
    const LinearLink<Real>& before = ws.links[i - 1];
    LinearLink<Real>& at = ws.links[i];
    at.A = link_transform(table.convention, row(i), q[i - 1]);
    const SO3<Real>& R = at.A.R;
    const Real rate = qd[i - 1], rise = qdd[i - 1];
    const auto along_z = [](Vec3<Real> u, const Real& x) {
      u.z += x;
      return u;
    };
    const auto across = [&](const Vec3<Real>& w) {  // w x z qd
      return Vec3<Real>{w.y * rate, -(w.x * rate), Real(0)};
    };
    if (row(i).prismatic) {
      at.omega = transpose_times(R, before.omega);
      at.epsilon = transpose_times(R, before.epsilon);
    } else if (standard) {
      at.omega = transpose_times(R, along_z(before.omega, rate));
      at.epsilon = transpose_times(R, along_z(before.epsilon + across(before.omega), rise));
    } else {
      at.omega = transpose_times(R, before.omega);
      at.epsilon = along_z(transpose_times(R, before.epsilon) + across(at.omega), rise);
      at.omega = along_z(at.omega, rate);
    }
    internal::set_acceleration_matrix(at);
    if (standard) {
      Vec3<Real> a = before.a;
      if (row(i).prismatic) {
        const Vec3<Real> turn = across(before.omega);
        a = along_z(a + (turn + turn), rise);
      }
      at.a = transpose_times(R, a);
      if (internal::has_arm(row(i))) at.a += at.U * transpose_times(R, at.A.p);
    } else {
      at.a =
          transpose_times(R, internal::has_arm(row(i)) ? before.a + before.U * at.A.p : before.a);
      if (row(i).prismatic) {
        const Vec3<Real> turn = across(at.omega);
        at.a = along_z(at.a + (turn + turn), rise);
      }
    }
  }
  Wrench<Real> outer{};
  for (int i = n; i > 0; --i) {
    const LinearLink<Real>& at = ws.links[i];
    Wrench<Real> own = internal::linear_wrench<Real>(
        inertia_of(parameters.data + parameters_per_body * (i - 1)), at);
    own = {own.m + outer.m, own.f + outer.f};  // about O_i, in frame i
    if (standard) {
      if (internal::has_arm(row(i)))  // about O_i-1
        own.m = own.m + cross(transpose_times(at.A.R, at.A.p), own.f);
      outer = {at.A.R * own.m, at.A.R * own.f};
      tau[i - 1] = row(i).prismatic ? outer.f.z : outer.m.z;
    } else {
      tau[i - 1] = row(i).prismatic ? own.f.z : own.m.z;
      if (i == 1) break;
      outer = {at.A.R * own.m, at.A.R * own.f};
      if (internal::has_arm(row(i))) outer.m = outer.m + cross(at.A.p, outer.f);
    }
  }
}

/// H(q) of these parameters by composite bodies.
template <class Real>
void linear_mass_matrix(const DhTable& table, LinearDynamicsWorkspace<Real>& ws, In<Real> q,
                        In<double> parameters, OutMatrix<Real> H) {
  internal::assert_rows(table, q);
  assert(parameters.size == parameters_per_body * q.size);
  using Value = typename ScalarTraits<Real>::Value;
  const bool standard = table.convention == DhTable::Convention::standard;
  const auto slides = [&](int i) { return table.rows.data()[i - 1].prismatic; };
  const auto has_arm = [&](int i) { return internal::has_arm(table.rows.data()[i - 1]); };
  const int n = q.size;
  const auto A = [&](int i) -> SE3<Real>& { return ws.links[i].A; };
  const auto arm = [&](int i) -> Vec3<Real>& { return ws.links[i].a; };  // p_i
  const auto axis = [&](int i) -> Vec3<Real>& { return ws.links[i].omega; };
  for (int i = 1; i <= n; ++i) {
    A(i) = link_transform(table.convention, table.rows.data()[i - 1], q[i - 1]);
    arm(i) = standard ? transpose_times(A(i).R, A(i).p) : A(i).p;
    if (standard) axis(i) = {A(i).R.c0.z, A(i).R.c1.z, A(i).R.c2.z};
  }
  Inertia<Real> composite{};
  double mass = 0;  // a constant of the robot: where it is zero, so is every term of it
  for (int j = n; j > 0; --j) {
    const Inertia<double> own = inertia_of(parameters.data + parameters_per_body * (j - 1));
    mass += own.m;
    composite = {Real(Value(mass)), composite.h + own.h.template cast<Real>(),
                 composite.J + own.J.template cast<Real>()};
    if (standard && has_arm(j)) composite = internal::shifted(arm(j), composite, mass != 0);

    const auto& [m, h, J] = composite;
    Vec3<Real> f, moment;
    if (standard) {
      f = slides(j) ? axis(j) * m : cross(axis(j), h);
      moment = slides(j) ? cross(h, axis(j)) : J * axis(j);
    } else {  // z = (0, 0, 1)
      f = slides(j) ? Vec3<Real>{Real(0), Real(0), m} : Vec3<Real>{-h.y, h.x, Real(0)};
      moment = slides(j) ? Vec3<Real>{h.y, -h.x, Real(0)} : Vec3<Real>{J.xz, J.yz, J.zz};
    }
    for (int i = j; i > 0; --i) {
      if (i < j) {
        f = A(i + 1).R * f;
        moment = A(i + 1).R * moment;
        const int reach = standard ? i : i + 1;
        if (has_arm(reach)) moment = moment + cross(arm(reach), f);
      }
      const Vec3<Real>& drive = slides(i) ? f : moment;
      H(i - 1, j - 1) = H(j - 1, i - 1) = standard ? dot(axis(i), drive) : drive.z;
    }
    if (j == 1) break;
    composite.h = A(j).R * composite.h;
    composite.J = rotated(A(j).R, composite.J);
    if (!standard && has_arm(j)) composite = internal::shifted(arm(j), composite, mass != 0);
  }
}

}  // namespace torsor
