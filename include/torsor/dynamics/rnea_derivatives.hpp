#pragma once
/// Derivatives of inverse dynamics with respect to q, qd and qdd: exact, O(n d).
///
///   d tau_k / dq_j    <S_k, Q_j>                     k carries j
///                     <IS_k, Y_j> + <T_k, X_j>       j carries k
///                     that + <D_jk, F_k>             k and j of one joint
///   d tau_k / dqd_j   <S_k, W_j>  and  <IS_k, Z_j> + <T_k, S_j>
///   d tau_k / dqdd_j  <S_k, IS_j> = M_kj             zero where neither carries the other
///
/// with the columns of motion_columns.hpp. Derivatives with respect to q are along the tangent, q (+) dq:
/// integrate() of configuration.hpp. External wrenches keep their numbers in the link frames, so that they
/// turn with the links. Friction, springs and rotors: joint_torque_derivatives.hpp.
///
/// Second derivatives: the verb runs on Dual states. With q (+) eps u, qd + eps v, qdd + eps a, the
/// derivatives d[0] of its results are the Hessian-vector products
///   d/d eps (d tau / dq) = (d2 tau / dq dq) u + (d2 tau / dq dqd) v + (d2 tau / dq dqdd) a,   and so on.
///
/// Frames   World axes; results are of joints and have none.
/// Cost     O(n) for the columns, 30 multiply-adds for each pair of which one carries the other; no allocation.
/// Source   Singh, Russo & Wensing 2022; Carpentier & Mansard 2018.
#include "torsor/dynamics/motion_columns.hpp"

namespace torsor {

/// Lines of results: line h holds column h (or row h) of each matrix, and room for a register past
/// its end.
template <class Real>
class Lines {
 public:
  Lines() = default;
  Lines(int matrices, int n) : matrices_(matrices), rows_(n * matrices, n + 15) {}
  /// Line h of matrix m.
  TORSOR_INLINE Real* operator()(int m, int h) { return rows_.view()(h * matrices_ + m); }

 private:
  int matrices_ = 0;
  LaneRows<Real> rows_;
};

template <class Real>
struct InverseDynamicsDerivativesWorkspace {
  MotionWorkspace<Real> motion;
  Lines<Real> lines;

  template <class Param>
  explicit InverseDynamicsDerivativesWorkspace(const Model<Param>& model)
      : motion(model), lines(3, model.n_v()) {}
};

/// The columns of one velocity, in every lane.
template <class Real>
struct SpreadColumn {
  Vec3<LaneOf<Real>> w, v;

  TORSOR_HD TORSOR_INLINE SpreadColumn(const Rows<Real>& rows, int r, int k)
      : w(rows.spread(r, k)), v(rows.spread(r + 3, k)) {}
  /// <column k ..., this>
  TORSOR_HD TORSOR_INLINE LaneOf<Real> dot_with(const Vec3<LaneOf<Real>>& a,
                                                const Vec3<LaneOf<Real>>& b) const {
    return (a.x * w.x + a.y * w.y + a.z * w.z) + (b.x * v.x + b.y * v.y + b.z * v.z);
  }
};

template <class Real>
TORSOR_HD TORSOR_INLINE void clear(Real* line, int first, int end) {
  for (int k = first; k < end; ++k) line[k] = Real(0);
}

/// Columns of d tau / dq, d tau / dqd and, where wanted, M.
template <class Real>
TORSOR_HD TORSOR_INLINE void torque_columns(const MotionWorkspace<Real>& ws, const Rows<Real>& rows,
                                            Lines<Real>& lines, bool with_mass) {
  using Row = MotionRow;
  using Vec = Vec3<LaneOf<Real>>;
  using Column = SpreadColumn<Real>;
  const int n = static_cast<int>(ws.parent.size());
  for (int h = 0; h < n; ++h) {
    const auto at = static_cast<std::size_t>(h);
    Real *const by_q = lines(0, h), *const by_qd = lines(1, h), *const by_qdd = lines(2, h);
    const Column IS(rows, Row::IS, h), S(rows, Row::S, h);
    int done = 0;
    {
      const Column Q(rows, Row::Q, h), W(rows, Row::W, h);
      for (int r = ws.first_run[at]; r < ws.first_run[at + 1]; ++r) {
        const auto [first, end] = ws.runs[static_cast<std::size_t>(r)];
        clear(by_q, done, first), clear(by_qd, done, first);
        if (with_mass) clear(by_qdd, done, first);
        for (int k = first; k < end; k += lanes_of<Real>) {
          const Vec s = rows.vectors(Row::S, k), s0 = rows.vectors(Row::S + 3, k);
          store_lanes(by_q + k, Q.dot_with(s, s0));
          store_lanes(by_qd + k, W.dot_with(s, s0));
          if (with_mass) store_lanes(by_qdd + k, IS.dot_with(s, s0));
        }
        done = end;
      }
      clear(by_q, done, h), clear(by_qd, done, h);
      if (with_mass) clear(by_qdd, done, h);
    }
    const Column Y(rows, Row::Y, h), Z(rows, Row::Z, h);
    const Vec x = rows.spread(Row::X, h);
    const int end = ws.end[at];
    for (int k = h; k < end; k += lanes_of<Real>) {
      const Vec m = rows.vectors(Row::IS, k), f = rows.vectors(Row::IS + 3, k),
                t = rows.vectors(Row::T, k);
      store_lanes(by_q + k, Y.dot_with(m, f) + dot(t, x));
      store_lanes(by_qd + k, Z.dot_with(m, f) + dot(t, S.w));
      if (with_mass) store_lanes(by_qdd + k, S.dot_with(m, f));
    }
    clear(by_q, end, n), clear(by_qd, end, n);
    if (with_mass) clear(by_qdd, end, n);
  }
}

/// d tau_k / dq_j for k and j of one joint, body i's.
template <class Param, class Real>
TORSOR_HD TORSOR_COLD void own_torque_slopes(const Model<Param>& model, MotionWorkspace<Real>& ws,
                                             int i, Real* out) {
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
        const Twist<Real>& D = ws.D[static_cast<std::size_t>(j)][static_cast<std::size_t>(k - b.v)];
        sum = sum + dot(D, Wrench<Real>{rows.vector(Row::F, k), rows.vector(Row::F + 3, k)});
      }
      *out++ = sum;
    }
}

template <class Real>
TORSOR_HD TORSOR_INLINE void copy_column(const Real* from, OutMatrix<Real> to, int c) {
  for (int k = 0; k < to.rows; ++k) to(k, c) = from[k];
}

/// tau = M qdd + C qd + g - sum_i J_i^T F_ext[i] along the tangent of q, along qd and along qdd, each n_v x n_v:
/// column j is the derivative with respect to velocity j. An empty qd or qdd means zero, an empty F_ext none; a
/// matrix without data is not written. dtau_dqdd is M without rotors.
template <class Param, class Real>
TORSOR_FLATTEN void inverse_dynamics_derivatives(const Model<Param>& model,
                                                 InverseDynamicsDerivativesWorkspace<Real>& ws,
                                                 In<Real> q, In<Real> qd, In<Real> qdd,
                                                 In<Wrench<Real>> F_ext, OutMatrix<Real> dtau_dq,
                                                 OutMatrix<Real> dtau_dqd,
                                                 OutMatrix<Real> dtau_dqdd = {}) {
  const int n = model.n_v();
  const Rows<Real> rows = ws.motion.rows.view();
  motion_columns<Param, Real>(model, ws.motion, q, qd.data, qdd.data, F_ext);
  carried_columns(ws.motion);
  torque_columns(ws.motion, rows, ws.lines, dtau_dqdd.data != nullptr);
  for (const int i : model.canonical().not_hinges) {
    const CanonicalBody<Param>& b = model.canonical(i);
    if (b.joint != JointClass::general) continue;
    Real own[max_joint_dofs * max_joint_dofs];
    const Real* from = own;
    own_torque_slopes(model, ws.motion, i, own);
    for (int j = b.v; j < b.v + b.n_v; ++j)
      for (int k = b.v; k < b.v + b.n_v; ++k) ws.lines(0, j)[k] = *from++;
  }
  const OutMatrix<Real> out[3] = {dtau_dq, dtau_dqd, dtau_dqdd};
  for (int m = 0; m < 3; ++m)
    for (int j = 0; out[m].data && j < n; ++j) copy_column<Real>(ws.lines(m, j), out[m], j);
}

/// d g / dq of the gravity torque.
template <class Param, class Real>
void gravity_torque_derivatives(const Model<Param>& model,
                                InverseDynamicsDerivativesWorkspace<Real>& ws, In<Real> q,
                                OutMatrix<Real> dg_dq) {
  inverse_dynamics_derivatives<Param, Real>(model, ws, q, {}, {}, {}, dg_dq, {}, {});
}

/// Of the bias torque C qd + g.
template <class Param, class Real>
void bias_torque_derivatives(const Model<Param>& model,
                             InverseDynamicsDerivativesWorkspace<Real>& ws, In<Real> q, In<Real> qd,
                             OutMatrix<Real> dbias_dq, OutMatrix<Real> dbias_dqd) {
  inverse_dynamics_derivatives<Param, Real>(model, ws, q, qd, {}, {}, dbias_dq, dbias_dqd, {});
}

#define TORSOR_RNEA_DERIVATIVES(Param, Real)                                               \
  template void inverse_dynamics_derivatives(                                              \
      const Model<Param>&, InverseDynamicsDerivativesWorkspace<Real>&, In<Real>, In<Real>, \
      In<Real>, In<Wrench<Real>>, OutMatrix<Real>, OutMatrix<Real>, OutMatrix<Real>);
extern TORSOR_RNEA_DERIVATIVES(double, double) extern TORSOR_RNEA_DERIVATIVES(float, float)

}  // namespace torsor
