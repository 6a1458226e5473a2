#pragma once
/// Jacobians of any frame and their exact derivatives, column by column from poses and velocities.
///
/// A joint of body i moves it by (s, u) = R_i S, in the axes of the world and about the origin p_i
/// of the body. Its column in (w, v) = J qd, with the reference point x, and the derivative:
///
///   w  = s                      w' = w_i x s + R_i S'_w
///   v  = u + s x (x - p_i)      v' = w_i x u + R_i S'_v + w' x (x - p_i) + s x (x' - p_i')
///
/// where w_i and p_i' are the velocity of body i.
///
///   Reference      x, and the axes of the columns
///   body           origin of the frame, axes of the frame
///   world          origin of the world, which rests while the frame moves, axes of the world
///   world_aligned  origin of the frame, axes of the world
///
/// Order    **Angular rows first.** Huo 2005 has linear rows first: textbook_order() converts.
/// Columns  Of joints that do not carry the frame: zero.
/// Cost     O(n): poses of the bodies that carry the frame and one cross product for each of their
///          columns. No allocation.
/// Source   Huo 2005, (1-56)-(1-59), (1-80)-(1-84) with (1-83) corrected: the velocity of the
///          reference point relative to p_i contains w_i x (x - p_i), which the book omits.
#include <array>

#include "torsor/kinematics/velocity.hpp"
#include "torsor/math/euler.hpp"

namespace torsor {

namespace internal {

template <class Real>
TORSOR_INLINE void store_column(const MatrixView<Real>& out, int k, const Vec3<Real>& w,
                                const Vec3<Real>& v) {
  Real* const column = out.data + k * out.col_stride;
  const int r = out.row_stride;
  column[0] = w.x, column[r] = w.y, column[2 * r] = w.z;
  column[3 * r] = v.x, column[4 * r] = v.y, column[5 * r] = v.z;
}

/// Derivatives of the columns of S for an observer who turns with the body, in the axes of the
/// world: R S'.
template <class Param, class Real>
TORSOR_COLD void world_columns_dot(const Model<Param>& model, int i, const SO3<Real>& R,
                                   const Real* q, const Real* qd, Twist<Real>* columns) {
  const Body<Param>& b = model.body(i);
  const auto Sdot = joint_sdot(model.joint(i), q + b.q.first, qd + b.v.first);
  const SO3<Real> R_turned = R * b.turn;
  for (int c = 0; c < b.v.count; ++c) {
    const Twist<Real>& S = Sdot[c];
    columns[c] = {R_turned * S.w, R_turned * S.v};
  }
}

/// column(k, i, s, u) for every degree of freedom k that moves `body`, zero(k) for the others, from
/// the last to the first: those between two bodies that carry it follow each other.
template <class Param, class Real, class Column, class Zero>
TORSOR_INLINE void for_each_column(const Model<Param>& model, const SE3<Real>* T_world,
                                   const Real* q, int body, Column&& column, Zero&& zero) {
  int done = model.n_v();
  for (int i = body; i > 0; i = model.body(i).parent) {
    const Body<Param>& b = model.body(i);
    for (int k = b.v.first + b.v.count; k < done; ++k) zero(k);
    done = b.v.first;
    visit_link(model, i, [&](const auto& joint) TORSOR_INLINE_LAMBDA {
      joint.columns(T_world[i].R, q,
                    [&](int k, const Vec3<Real>& s, const Vec3<Real>& u)
                        TORSOR_INLINE_LAMBDA { column(k, i, s, u); });
    });
  }
  for (int k = 0; k < done; ++k) zero(k);
}

}  // namespace internal

/// J (6 x n_v) of a frame, after forward_kinematics at the same q.
template <class Param, class Real>
TORSOR_FLATTEN void jacobian_of_pose(const Model<Param>& model, const KinematicsWorkspace<Real>& ws,
                                     In<Real> q, const Frame& frame, Reference reference,
                                     OutMatrix<Real> out) {
  internal::assert_state(model, q);
  internal::assert_workspace(model, ws.T_world_body, ws.sin);
  internal::assert_matrix(out, 6, model.n_v());
  const SE3<Real>* const T = ws.T_world_body.data();
  const SE3<Real> T_frame = T[frame.body] * frame.placement.cast<Real>();
  const Vec3<Real> none{};
  const auto zero = [&](int k) { internal::store_column(out, k, none, none); };
  switch (reference) {
    case Reference::body:
      return internal::for_each_column(
          model, T, q.data, frame.body,
          [&](int k, int i, const Vec3<Real>& s, const Vec3<Real>& u) TORSOR_INLINE_LAMBDA {
            const Vec3<Real> v = u + cross(s, T_frame.p - T[i].p);
            internal::store_column(out, k, transpose_times(T_frame.R, s),
                                   transpose_times(T_frame.R, v));
          },
          zero);
    case Reference::world:
      return internal::for_each_column(
          model, T, q.data, frame.body,
          [&](int k, int i, const Vec3<Real>& s, const Vec3<Real>& u)
              TORSOR_INLINE_LAMBDA { internal::store_column(out, k, s, u + cross(T[i].p, s)); },
          zero);
    case Reference::world_aligned:
      return internal::for_each_column(
          model, T, q.data, frame.body,
          [&](int k, int i, const Vec3<Real>& s, const Vec3<Real>& u) TORSOR_INLINE_LAMBDA {
            internal::store_column(out, k, s, u + cross(s, T_frame.p - T[i].p));
          },
          zero);
  }
}

/// Poses of the bodies that carry the frame, then its J (6 x n_v).
template <class Param, class Real>
void jacobian(const Model<Param>& model, KinematicsWorkspace<Real>& ws, In<Real> q,
              const Frame& frame, Reference reference, OutMatrix<Real> out) {
  forward_kinematics<Param, Real>(model, ws, q, frame.body);
  jacobian_of_pose<Param, Real>(model, ws, q, frame, reference, out);
}

/// Poses of the bodies that carry the frame, then J (3 x n_v) of a point fixed in it: its velocity
/// in the world.
template <class Param, class Real>
void point_jacobian(const Model<Param>& model, KinematicsWorkspace<Real>& ws, In<Real> q,
                    const Frame& frame, const std::type_identity_t<Vec3<Real>>& point_in_frame,
                    OutMatrix<Real> out) {
  forward_kinematics<Param, Real>(model, ws, q, frame.body);
  internal::assert_matrix(out, 3, model.n_v());
  const SE3<Real>* const T = ws.T_world_body.data();
  const Vec3<Real> x = frame_pose(ws, frame) * point_in_frame;
  const auto store = [&](int k, const Vec3<Real>& v) {
    for (int r = 0; r < 3; ++r) out(r, k) = v[r];
  };
  internal::for_each_column(
      model, T, q.data, frame.body,
      [&](int k, int i, const Vec3<Real>& s, const Vec3<Real>& u)
          TORSOR_INLINE_LAMBDA { store(k, u + cross(s, x - T[i].p)); },
      [&](int k) { store(k, {}); });
}

/// Where the three angles stand, and whether their rates exist there.
template <class Real>
struct [[nodiscard]] AnalyticJacobian {
  EulerAngles<Real> angles{};  ///< of R_world_frame: the first of the two triples of euler_angles
  MaskOf<Real> singular{};     ///< the angles have no rates for some w; their rows are then zero
};

/// Poses of those bodies, then J (6 x n_v) of (phi, theta, psi, x, y, z): the rates of the Euler
/// angles of R_world_frame and the velocity of the frame's origin, in the axes of the world.
template <class Param, class Real>
AnalyticJacobian<Real> analytic_jacobian(const Model<Param>& model, KinematicsWorkspace<Real>& ws,
                                         In<Real> q, const Frame& frame, EulerSequence sequence,
                                         OutMatrix<Real> out) {
  jacobian<Param, Real>(model, ws, q, frame, Reference::world_aligned, out);
  const EulerAngles<Real> angles = euler_angles(sequence, frame_pose(ws, frame).R).first;
  const EulerRateInverse<Real> rates = euler_rate_inverse(sequence, angles);
  for (int k = 0; k < model.n_v(); ++k) {
    const Vec3<Real> x = rates.B * Vec3<Real>{out(0, k), out(1, k), out(2, k)};
    for (int r = 0; r < 3; ++r) out(r, k) = x[r];
  }
  return {angles, rates.singular};
}

/// Poses and velocities, then J' (6 x n_v) of a frame: the derivative of each entry of J along qd.
template <class Param, class Real>
void jacobian_dot(const Model<Param>& model, VelocityWorkspace<Real>& ws, In<Real> q, In<Real> qd,
                  const Frame& frame, Reference reference, OutMatrix<Real> out) {
  internal::assert_matrix(out, 6, model.n_v());
  forward_velocity<Param, Real>(model, ws, q, qd);
  const auto& T = ws.T_world_body;
  const SO3<Real> R = frame_pose(ws, frame).R;
  const Twist<Real> V = frame_velocity(ws, frame, Reference::world_aligned);
  const bool at_frame = reference != Reference::world;
  const Vec3<Real> none{}, x = at_frame ? frame_pose(ws, frame).p : none,
                           xdot = at_frame ? V.v : none;
  int last = -1;  // the body whose S' is at hand; columns of one body follow each other
  Twist<Real> own[internal::max_joint_dofs];
  internal::for_each_column(
      model, T.data(), q.data, frame.body,
      [&](int k, int i, const Vec3<Real>& s, const Vec3<Real>& u) TORSOR_INLINE_LAMBDA {
        const Body<Param>& b = model.body(i);
        const auto at = i;
        const SO3<Real>& R_i = T[at].R;
        const Vec3<Real> w_i = R_i * ws.V[at].w, v_i = R_i * ws.V[at].v, arm = x - T[at].p;
        Vec3<Real> wdot = cross(w_i, s), udot = cross(w_i, u);
        if (b.motion == JointMotionClass::general && internal::has_sdot(b.kind)) {
          if (i != last) internal::world_columns_dot(model, i, R_i, q.data, qd.data, own);
          last = i;
          wdot += own[k - b.v.first].w;
          udot += own[k - b.v.first].v;
        }
        const Vec3<Real> vdot = udot + cross(wdot, arm) + cross(s, xdot - v_i);
        if (reference != Reference::body) return internal::store_column(out, k, wdot, vdot);
        const Vec3<Real> v = u + cross(s, arm);  // the axes of the columns turn with the frame
        internal::store_column(out, k, transpose_times(R, wdot - cross(V.w, s)),
                               transpose_times(R, vdot - cross(V.w, v)));
      },
      [&](int k) { internal::store_column(out, k, none, none); });
}

/// J' qd without J': the frame's acceleration at qdd = 0.
template <class Param, class Real>
Twist<Real> jacobian_dot_times_velocity(const Model<Param>& model, VelocityWorkspace<Real>& ws,
                                        In<Real> q, In<Real> qd, const Frame& frame,
                                        Reference reference = Reference::body) {
  forward_velocity<Param, Real>(model, ws, q, qd);
  return frame_acceleration(ws, frame, reference);
}

/// The order of Huo 2005, **linear first**: rows v, then w. Its own inverse. In place.
template <class Real>
void textbook_order(MatrixView<Real> J) {
  for (int k = 0; k < J.cols; ++k)
    for (int r = 0; r < 3; ++r) {
      const Real w = J(r, k);
      J(r, k) = J(r + 3, k);
      J(r + 3, k) = w;
    }
}
/// (v, w): linear first.
template <class Real>
std::array<Real, 6> textbook_order(const Twist<Real>& V) {
  return {V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z};
}
/// (f, m): force first.
template <class Real>
std::array<Real, 6> textbook_order(const Wrench<Real>& F) {
  return {F.f.x, F.f.y, F.f.z, F.m.x, F.m.y, F.m.z};
}

/// Compiled once, in src/kinematics/jacobian.cpp. Other scalars are instantiated where they are
/// used.
#define TORSOR_JACOBIAN(Extern, Param, Real)                                                   \
  Extern template void jacobian_of_pose(const Model<Param>&, const KinematicsWorkspace<Real>&, \
                                        In<Real>, const Frame&, Reference, OutMatrix<Real>);   \
  Extern template void jacobian_dot(const Model<Param>&, VelocityWorkspace<Real>&, In<Real>,   \
                                    In<Real>, const Frame&, Reference, OutMatrix<Real>);
TORSOR_JACOBIAN(extern, double, double)
TORSOR_JACOBIAN(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_JACOBIAN
#endif

}  // namespace torsor
