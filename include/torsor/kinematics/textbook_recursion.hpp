#pragma once
/// Velocity and acceleration as Huo 2005, sec. 1.4 and 1.5, writes them, from a DH or MDH table: 4x4 homogeneous
/// recursions, three-vector recursions, and the Jacobian by columns. velocity.hpp and jacobian.hpp
/// compute the same for any robot; this is the form to compare with a book.
///
/// Q_i is the generator of joint i: rotation about z, or translation along it. The factor stands on
/// the left of A_i in the standard convention and on its right in the modified one.
///
///   standard   dA_i/dq_i = Q_i A_i          z_{i-1} is the axis of joint i
///   modified   dA_i/dq_i = A_i Q_i          z_i is the axis of joint i
///
///   A'_0i  = A'_0,i-1 A_i + A_0,i-1 dA_i qd_i                                           (1-45)
///   A''_0i = A''_0,i-1 A_i + 2 A'_0,i-1 dA_i qd_i + A_0,i-1 (ddA_i qd_i^2 + dA_i qdd_i)  (1-67)
///
/// Frames   Frame 0, which rests, to frame n: base and tool of the table are not used.
/// Order    The Jacobian has its **linear rows first**.
/// Cost     O(n), no allocation once the results have their size.
/// Source   Huo 2005, (1-34)-(1-59), (1-66)-(1-84); exercises 1-28, 1-29, 1-32, 1-36, 1-38, 1-40 for
///          the modified convention. (1-83) is corrected: see textbook_jacobian_dot.
#include <utility>
#include <vector>

#include "torsor/math/array.hpp"
#include "torsor/math/homogeneous.hpp"
#include "torsor/math/view.hpp"
#include "torsor/model/dh.hpp"

namespace torsor {

/// (1-34): R' = S(w) R, with w in the fixed frame.
template <class Real>
Mat3<Real> Rdot_from_omega(const SO3<Real>& R, const Vec3<Real>& omega) {
  return skew(omega) * R;
}
template <class Real>
Vec3<Real> omega_from_Rdot(const SO3<Real>& R, const Mat3<Real>& Rdot) {
  return vee(Rdot * transpose(R));
}
/// w of the rotation by theta about an axis k that moves itself; theta' k alone holds for a fixed
/// axis.
template <class Real>
Vec3<Real> omega_of_moving_axis(const Vec3<Real>& k, const Vec3<Real>& kdot, const Real& theta,
                                const Real& thetadot) {
  const auto [s, c] = sincos(theta);
  return k * thetadot + kdot * s + cross(k, kdot) * (Real(1) - c);
}

namespace internal {

/// The 4x4 product, of matrices row by row.
template <class Real>
HomogeneousMatrix<Real> product(const HomogeneousMatrix<Real>& a,
                                const HomogeneousMatrix<Real>& b) {
  HomogeneousMatrix<Real> c{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) c[4 * i + j] = c[4 * i + j] + a[4 * i + k] * b[4 * k + j];
  return c;
}
/// (1-41), (1-46): Q_R for a revolute joint, Q_T for a prismatic one.
template <class Real>
HomogeneousMatrix<Real> joint_generator(bool prismatic) {
  HomogeneousMatrix<Real> Q{};
  if (prismatic) {
    Q[11] = Real(1);
  } else {
    Q[1] = Real(-1);
    Q[4] = Real(1);
  }
  return Q;
}
/// d A_i / d q_i from A_i, and with A_i := that again the second derivative.
template <class Real>
HomogeneousMatrix<Real> link_derivative(DhTable::Convention convention, bool prismatic,
                                        const HomogeneousMatrix<Real>& A) {
  const HomogeneousMatrix<Real> Q = joint_generator<Real>(prismatic);
  return convention == DhTable::Convention::standard ? product(Q, A) : product(A, Q);
}

}  // namespace internal

/// A_0i and its derivatives, i = 0 ... n.
template <class Real>
struct HomogeneousMotion {
  Array<HomogeneousMatrix<Real>> A, Adot, Addot;

  explicit HomogeneousMotion(const DhTable& table)
      : A(static_cast<int>(table.rows.size()) + 1), Adot(A.size()), Addot(A.size()) {}
};

/// (1-44), (1-45), (1-67). An empty qdd means zero.
template <class Real>
void homogeneous_motion(const DhTable& table, In<Real> q, In<Real> qd, In<Real> qdd,
                        HomogeneousMotion<Real>& motion) {
  auto& [A, Adot, Addot] = motion;
  A[0] = homogeneous_matrix(SE3<Real>{});
  Adot[0] = Addot[0] = {};
  const auto two = typename ScalarTraits<Real>::Value(2);
  for (int i = 1; const DhRow& row : table.rows) {
    const int k = i - 1;
    const Real rate = qd[k], rate2 = qdd.empty() ? Real(0) : qdd[k];
    const auto link = homogeneous_matrix(link_transform(table.convention, row, q[k]));
    const auto d = internal::link_derivative(table.convention, row.prismatic, link);
    const auto dd = internal::link_derivative(table.convention, row.prismatic, d);
    const auto AL = internal::product(A[i - 1], link), Ad = internal::product(A[i - 1], d),
               Add = internal::product(A[i - 1], dd);
    const auto BL = internal::product(Adot[i - 1], link), Bd = internal::product(Adot[i - 1], d);
    const auto CL = internal::product(Addot[i - 1], link);
    for (std::size_t e = 0; e < 16; ++e) {
      A[i][e] = AL[e];
      Adot[i][e] = BL[e] + Ad[e] * rate;
      Addot[i][e] = CL[e] + Bd[e] * (rate * two) + Add[e] * (rate * rate) + Ad[e] * rate2;
    }
    ++i;
  }
}

/// d A_0n / d q_i = A_0,i-1 Q_i A_i-1,n (standard), A_0i Q_i A_in (modified); i counts from 1.
template <class Vector>
HomogeneousMatrix<RealOf<Vector>> dA_dq(const DhTable& table, const Vector& configuration, int i) {
  using Real = RealOf<Vector>;
  const In<Real> q = configuration;
  const View<const DhRow> rows = table.rows;
  HomogeneousMatrix<Real> A = homogeneous_matrix(SE3<Real>{});
  for (int k = 1; k <= rows.size; ++k) {
    const DhRow& row = rows[k - 1];
    const auto link = homogeneous_matrix(link_transform(table.convention, row, q[k - 1]));
    A = internal::product(
        A, k == i ? internal::link_derivative(table.convention, row.prismatic, link) : link);
  }
  return A;
}

/// Angular velocity, velocity of the frame's origin, and their derivatives (classical
/// acceleration).
template <class Real>
struct LinkMotion {
  Vec3<Real> omega{}, v{}, epsilon{}, a{};
};

/// Every link in its own frame (the book's tilde), i = 0 ... n: (1-53), (1-54), (1-74), (1-75) and
/// the modified counterparts. An empty qdd means zero.
template <class Real>
void link_frame_motion(const DhTable& table, In<Real> q, In<Real> qd, In<Real> qdd,
                       Array<LinkMotion<Real>>& motion) {
  const bool standard = table.convention == DhTable::Convention::standard;
  const Vec3<Real> z = Vec3<Real>::unit_z(), none{};
  const auto two = typename ScalarTraits<Real>::Value(2);
  const View<const DhRow> rows = table.rows;
  motion[0] = {};
  for (int i = 1; i < motion.size(); ++i) {
    const int k = i - 1;
    const DhRow& row = rows[k];
    const SE3<Real> A = link_transform(table.convention, row, q[k]);
    const auto turned = [&](const Vec3<Real>& u) { return transpose_times(A.R, u); };  // iR_{i-1} u
    const Vec3<Real> zqd = z * qd[k], zqdd = qdd.empty() ? none : z * qdd[k];
    const Vec3<Real> turn = row.prismatic ? none : zqd, turn2 = row.prismatic ? none : zqdd;
    const Vec3<Real> slide = row.prismatic ? zqd : none, slide2 = row.prismatic ? zqdd : none;
    const auto& [w0, v0, e0, a0] = motion[i - 1];
    auto& [w, v, e, a] = motion[i];
    if (standard) {
      const Vec3<Real> p = turned(A.p);  // the constant [a, d sin(alpha), d cos(alpha)]
      w = turned(w0 + turn);
      v = turned(v0 + slide) + cross(w, p);
      e = turned(e0 + cross(w0, turn) + turn2);
      a = turned(a0 + slide2) + cross(e, p) + cross(w, cross(w, p)) + cross(w, turned(slide)) * two;
    } else {
      const Vec3<Real> w0_here = turned(w0);
      w = w0_here + turn;
      v = turned(v0 + cross(w0, A.p)) + slide;
      e = turned(e0) + cross(w0_here, turn) + turn2;
      a = turned(a0 + cross(e0, A.p) + cross(w0, cross(w0, A.p))) + cross(w0_here, slide) * two +
          slide2;
    }
  }
}

/// Every link in frame 0, i = 0 ... n: (1-51), (1-52), (1-70), (1-73) and the modified
/// counterparts.
template <class Real>
void base_frame_motion(const DhTable& table, In<Real> q, In<Real> qd, In<Real> qdd,
                       Array<LinkMotion<Real>>& motion) {
  const bool standard = table.convention == DhTable::Convention::standard;
  const Vec3<Real> none{};
  const auto two = typename ScalarTraits<Real>::Value(2);
  const View<const DhRow> rows = table.rows;
  motion[0] = {};
  SE3<Real> T;  // T_0i
  for (int i = 1; i < motion.size(); ++i) {
    const int k = i - 1;
    const DhRow& row = rows[k];
    const SE3<Real> before = T;
    T = T * link_transform(table.convention, row, q[k]);
    const Vec3<Real> p = T.p - before.p, z = standard ? before.R.c2 : T.R.c2;
    const Vec3<Real> zqd = z * qd[k], zqdd = qdd.empty() ? none : z * qdd[k];
    const Vec3<Real> turn = row.prismatic ? none : zqd, turn2 = row.prismatic ? none : zqdd;
    const Vec3<Real> slide = row.prismatic ? zqd : none, slide2 = row.prismatic ? zqdd : none;
    const auto& [w0, v0, e0, a0] = motion[i - 1];
    auto& [w, v, e, a] = motion[i];
    w = w0 + turn;
    e = e0 + cross(w0, turn) + turn2;
    const Vec3<Real>& w_arm = standard ? w : w0;  // p* is fixed to link i, or to link i-1
    const Vec3<Real>& e_arm = standard ? e : e0;
    v = v0 + cross(w_arm, p) + slide;
    a = a0 + cross(e_arm, p) + cross(w_arm, cross(w_arm, p)) + cross(w_arm, slide) * two + slide2;
  }
}

/// (1-56)-(1-58), 6 x n, linear rows first, in frame 0 and of the origin of frame n.
template <class Vector>
void textbook_jacobian(const DhTable& table, const Vector& configuration,
                       OutMatrix<RealOf<Vector>> J) {
  using Real = RealOf<Vector>;
  const In<Real> q = configuration;
  const bool standard = table.convention == DhTable::Convention::standard;
  const View<const DhRow> rows = table.rows;
  const int n = rows.size;
  SE3<Real> end, T;
  for (int k = 0; k < n; ++k) end = end * link_transform(table.convention, rows[k], q[k]);
  for (int k = 0; k < n; ++k) {
    const SE3<Real> before = T;
    T = T * link_transform(table.convention, rows[k], q[k]);
    const auto& [z, p] = standard ? std::pair{before.R.c2, before.p} : std::pair{T.R.c2, T.p};
    const Vec3<Real> b = rows[k].prismatic ? z : cross(z, end.p - p);
    const Vec3<Real> c = rows[k].prismatic ? Vec3<Real>{} : z;
    for (int r = 0; r < 3; ++r) J(r, k) = b[r], J(r + 3, k) = c[r];
  }
}

/// (1-80), (1-84), the same size and order. With column i of J = (b_i, c_i),
///   b'_i = w_{i-1} x b_i + c_i x sum_{k >= i} b_k qd_k,    c'_i = w_{i-1} x c_i,
/// in both conventions. This is (1-83) with the term w_{i-1} x (p_n - p_{i-1}) that the book leaves
/// out.
template <class Vector>
void textbook_jacobian_dot(const DhTable& table, const Vector& configuration, In<RealOf<Vector>> qd,
                           OutMatrix<RealOf<Vector>> Jdot) {
  using Real = RealOf<Vector>;
  textbook_jacobian(table, configuration, Jdot);
  const int n = static_cast<int>(table.rows.size());
  const auto column = [&](int k, int first) {
    return Vec3<Real>{Jdot(first, k), Jdot(first + 1, k), Jdot(first + 2, k)};
  };
  Vec3<Real> omega{}, behind{};  // w_{i-1}; sum of b_k qd_k over k >= i
  for (int k = 0; k < n; ++k) omega += column(k, 3) * qd[k];
  for (int k = n - 1; k >= 0; --k) {
    const Vec3<Real> b = column(k, 0), c = column(k, 3);
    omega -= c * qd[k];
    behind += b * qd[k];
    const Vec3<Real> bdot = cross(omega, b) + cross(c, behind), cdot = cross(omega, c);
    for (int r = 0; r < 3; ++r) Jdot(r, k) = bdot[r], Jdot(r + 3, k) = cdot[r];
  }
}

}  // namespace torsor
