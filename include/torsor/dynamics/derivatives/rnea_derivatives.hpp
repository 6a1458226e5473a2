#pragma once
/// Derivatives of inverse dynamics with respect to q, qd and qdd: exact, O(n d) for the depth d of
/// the tree.
///
///   d tau_k / dq_j    <S_k, Q_j>                     k carries j
///                     <IS_k, Y_j> + <T_k, X_j>       j carries k
///                     that + <D_jk, F_k>             k and j of one joint
///   d tau_k / dqd_j   <S_k, W_j>  and  <IS_k, Z_j> + <T_k, S_j>
///   d tau_k / dqdd_j  <S_k, IS_j> + rotor = M_kj     zero where neither carries the other
///
/// with the columns of motion_columns.hpp. Derivatives with respect to q are along the tangent, q
/// (+) dq: integrate() of configuration.hpp. External wrenches keep their numbers in the link
/// frames, so that they turn with the links. Friction and springs:
/// joint_torque_derivatives.hpp.
///
/// Second derivatives: the verb runs on Dual states. With q (+) eps u, qd + eps v, qdd + eps a, the
/// derivatives d[0] of its results are
///   d/d eps (d tau / dq) = (d2 tau / dq dq) u + (d2 tau / dq dqd) v + (d2 tau / dq dqdd) a, ...
/// Hessian-vector products where velocities are coordinate rates. Along body tangents (spherical,
/// planar, free joints) they are iterated derivatives along left-invariant fields: d2 tau / dq dq is
/// not symmetric there, X_u X_v - X_v X_u = X_[u,v].
///
/// Frames   World axes; results are of joints and have none.
/// Cost     O(n) for the columns, 30 multiply-adds for each pair of which one carries the other; no
///          allocation.
/// Source   Singh, Russell & Wensing 2022; Carpentier & Mansard 2018.
#include "torsor/dynamics/internal/matrix_output.hpp"
#include "torsor/dynamics/internal/motion_columns.hpp"

namespace torsor {

template <class Real>
struct InverseDynamicsDerivativesWorkspace {
  internal::MotionWorkspace<Real> motion;
  internal::Lines<Real> lines;  // columns by q, by qd and by qdd of velocity 0, then of 1, ...

  template <class Param>
  explicit InverseDynamicsDerivativesWorkspace(const Model<Param>& model)
      : motion(model), lines(3 * model.n_v(), internal::stride_of_lines<Real>(model.n_v())) {}
};

namespace internal {

/// The columns of one velocity, in every lane.
template <class Real>
struct SpreadColumn {
  Vec3<RowBlock<Real>> w, v;

  TORSOR_INLINE SpreadColumn(const Rows<Real>& rows, int r, int k)
      : w(rows.spread(r, k)), v(rows.spread(r + 3, k)) {}
  /// <column k ..., this>
  TORSOR_INLINE RowBlock<Real> dot_with(const Vec3<RowBlock<Real>>& a,
                                        const Vec3<RowBlock<Real>>& b) const {
    return (a.x * w.x + a.y * w.y + a.z * w.z) + (b.x * v.x + b.y * v.y + b.z * v.z);
  }
};

/// Zeros in whole registers.
template <class Real>
TORSOR_INLINE void clear(Real* line, int n) {
  for (int k = 0; k < n; k += row_lanes<Real>) store_block(line + k, RowBlock<Real>(Real(0)));
}

/// f(k, first, end) for the registers of velocities that carry h: of those at k ..., first ... end
/// - 1 do.
template <class Real, class Function>
TORSOR_INLINE void for_each_carrier(const MotionWorkspace<Real>& ws, int h, Function&& f) {
  for (int r = ws.first_run[h]; r < ws.first_run[h + 1]; ++r) {
    const auto [first, end] = ws.runs[r];
    for (int k = row_start<Real>(first); k < end; k += row_lanes<Real>) f(k, first, end);
  }
}
/// The same for h and the velocities that it carries.
template <class Real, class Function>
TORSOR_INLINE void for_each_carried(const MotionWorkspace<Real>& ws, int h, Function&& f) {
  const int end = ws.end[h];
  for (int k = row_start<Real>(h); k < end; k += row_lanes<Real>) f(k, h, end);
}

/// Columns of d tau / dq, d tau / dqd and, where wanted, M.
template <bool with_mass, class Real>
TORSOR_INLINE void torque_columns(const MotionWorkspace<Real>& ws, const Rows<Real>& rows,
                                  Lines<Real>& lines) {
  using Row = MotionRow;
  using Vec = Vec3<RowBlock<Real>>;
  using Column = SpreadColumn<Real>;
  const int n = ws.parent.size();
  for (int h = 0; h < n; ++h) {
    Real *const by_q = lines(3 * h), *const by_qd = lines(3 * h + 1),
                *const by_qdd = lines(3 * h + 2);
    if (ws.has_unrelated[h]) {
      clear(by_q, n), clear(by_qd, n);
      if (with_mass) clear(by_qdd, n);
    }
    {
      const Column Q(rows, Row::Q, h), W(rows, Row::W, h), IS(rows, Row::IS, h);
      for_each_carrier(ws, h, [&](int k, int first, int end) {
        const Vec s = rows.vectors(Row::S, k), s0 = rows.vectors(Row::S + 3, k);
        store_between(by_q, k, first, end, Q.dot_with(s, s0));
        store_between(by_qd, k, first, end, W.dot_with(s, s0));
        if (with_mass) store_between(by_qdd, k, first, end, IS.dot_with(s, s0));
      });
    }
    const Column S(rows, Row::S, h), Y(rows, Row::Y, h), Z(rows, Row::Z, h);
    const Vec x = rows.spread(Row::X, h);
    for_each_carried(ws, h, [&](int k, int first, int end) {
      const Vec m = rows.vectors(Row::IS, k), f = rows.vectors(Row::IS + 3, k);
      const Vec t = rows.vectors(Row::T, k);
      store_between(by_q, k, first, end, Y.dot_with(m, f) + dot(t, x));
      store_between(by_qd, k, first, end, Z.dot_with(m, f) + dot(t, S.w));
      if (with_mass) store_between(by_qdd, k, first, end, S.dot_with(m, f));
    });
  }
}

/// d tau_k / dq_j for k and j of one joint, body i's.
template <class Param, class Real>
TORSOR_COLD void own_torque_slopes(const Model<Param>& model, MotionWorkspace<Real>& ws, int i,
                                   Real* out) {
  using Row = MotionRow;
  const CanonicalBody<Param>& b = model.canonical(i);
  const Rows<Real> rows = ws.rows.view();
  const bool turns = has_sdot(model.joint(i).kind);
  for (int j = b.v; j < b.v + b.n_v; ++j)
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      Real sum = dot(rows.vector(Row::IS, k), rows.vector(Row::Y, j)) +
                 dot(rows.vector(Row::IS + 3, k), rows.vector(Row::Y + 3, j)) +
                 dot(rows.vector(Row::T, k), rows.vector(Row::X, j));
      if (turns) {
        const Twist<Real>& D = ws.D[j * max_joint_dofs + k - b.v];
        sum = sum + dot(D, Wrench<Real>{rows.vector(Row::F, k), rows.vector(Row::F + 3, k)});
      }
      *out++ = sum;
    }
}

/// Lines that are the columns of matrix m of three.
template <class Real>
TORSOR_INLINE void copy_columns(const Lines<Real>& lines, int m, OutMatrix<Real> to) {
  for (int c = 0; to.data && c < to.cols; ++c) {
    const Real* const from = lines(3 * c + m);
    if (to.row_stride == 1) {
      copy_line(from, to.rows, &to(0, c));
    } else {
      for (int k = 0; k < to.rows; ++k) to(k, c) = from[k];
    }
  }
}

}  // namespace internal

/// tau = M qdd + C qd + g - sum_i J_i^T F_ext[i] along the tangent of q, along qd and along qdd,
/// each n_v x n_v: column j is the derivative with respect to velocity j. An empty qd or qdd means
/// zero, an empty F_ext none; a matrix without data is not written. dtau_dqdd is M, with
/// rotors.
template <class Param, class Real>
TORSOR_FLATTEN void rigid_inverse_dynamics_derivatives(
    const Model<Param>& model, InverseDynamicsDerivativesWorkspace<Real>& ws, In<Real> q,
    In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext, OutMatrix<Real> dtau_dq,
    OutMatrix<Real> dtau_dqd, OutMatrix<Real> dtau_dqdd = {}) {
  using namespace internal;
  const Rows<Real> rows = ws.motion.rows.view();
  motion_columns<Param, Real>(model, ws.motion, q, qd.data, qdd.data, F_ext);
  carried_columns(ws.motion);
  if (dtau_dqdd.data)
    torque_columns<true>(ws.motion, rows, ws.lines);
  else
    torque_columns<false>(ws.motion, rows, ws.lines);
  for (const int i : model.canonical().not_hinges) {
    const internal::CanonicalBody<Param>& b = model.canonical(i);
    if (b.joint != internal::JointClass::general) continue;
    Real own[internal::max_joint_dofs * internal::max_joint_dofs];
    const Real* from = own;
    own_torque_slopes(model, ws.motion, i, own);
    for (int j = b.v; j < b.v + b.n_v; ++j)
      for (int k = b.v; k < b.v + b.n_v; ++k) ws.lines(3 * j)[k] = *from++;
  }
  copy_columns<Real>(ws.lines, 0, dtau_dq);
  copy_columns<Real>(ws.lines, 1, dtau_dqd);
  copy_columns<Real>(ws.lines, 2, dtau_dqdd);
  for (int k = 0; dtau_dqdd.data && k < model.n_v(); ++k)
    dtau_dqdd(k, k) = dtau_dqdd(k, k) + model.dof(k).armature;
  if (!dtau_dqdd.data) return;
  for (const CoupledMotor<Param>& motor : model.motors())
    for (const auto& a : motor.terms)
      for (const auto& b : motor.terms)
        dtau_dqdd(a.v, b.v) = dtau_dqdd(a.v, b.v) + motor.constants.armature * (a.ratio * b.ratio);
}

/// d g / dq of the gravity torque.
template <class Param, class Real>
void gravity_torque_derivatives(const Model<Param>& model,
                                InverseDynamicsDerivativesWorkspace<Real>& ws, In<Real> q,
                                OutMatrix<Real> dg_dq) {
  rigid_inverse_dynamics_derivatives<Param, Real>(model, ws, q, {}, {}, {}, dg_dq, {}, {});
}

/// Of the bias torque C qd + g.
template <class Param, class Real>
void bias_torque_derivatives(const Model<Param>& model,
                             InverseDynamicsDerivativesWorkspace<Real>& ws, In<Real> q, In<Real> qd,
                             OutMatrix<Real> dbias_dq, OutMatrix<Real> dbias_dqd) {
  rigid_inverse_dynamics_derivatives<Param, Real>(model, ws, q, qd, {}, {}, dbias_dq, dbias_dqd,
                                                  {});
}

/// Compiled once, in src/dynamics/derivatives/rnea_derivatives.cpp; other scalars where they are used.
#define TORSOR_RNEA_DERIVATIVES(Extern, Param, Real)                                       \
  Extern template void rigid_inverse_dynamics_derivatives(                                 \
      const Model<Param>&, InverseDynamicsDerivativesWorkspace<Real>&, In<Real>, In<Real>, \
      In<Real>, In<Wrench<Real>>, OutMatrix<Real>, OutMatrix<Real>, OutMatrix<Real>);
TORSOR_RNEA_DERIVATIVES(extern, double, double)
TORSOR_RNEA_DERIVATIVES(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_RNEA_DERIVATIVES
#endif

}  // namespace torsor
