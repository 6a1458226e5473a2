#pragma once
/// Derivatives of forward dynamics with respect to q, qd and tau: exact, O(n) for each column.
///
///   d qdd / dx = -M^-1 d tau / dx at the accelerations of tau,    d qdd / dtau = M^-1        x: q or qd
///
/// One sweep serves all: the accelerations come from the articulated bodies that solve for the columns
/// (articulated_columns.hpp), the columns are those of rnea_derivatives.hpp, by rows. Derivatives with respect to q
/// are along the tangent; external wrenches turn with their links.
///
/// Frames   World axes; results are of joints and have none.
/// Cost     rnea_derivatives.hpp and 24 multiply-adds for each entry of the three matrices; no allocation.
/// Source   Carpentier & Mansard 2018 (d qdd = -M^-1 d tau); M^-1 by recursion: minverse_times.hpp.
#include "torsor/dynamics/articulated_columns.hpp"
#include "torsor/dynamics/rnea_derivatives.hpp"

namespace torsor {

template <class Real>
struct ForwardDynamicsDerivativesWorkspace {
  MotionWorkspace<Real> motion;
  ArticulatedWorkspace<Real> bodies;
  Lines<Real> lines;  // rows by q, by qd, and by what is given
  std::vector<Real> qdd, tau;

  template <class Param>
  explicit ForwardDynamicsDerivativesWorkspace(const Model<Param>& model)
      : motion(model),
        bodies(model),
        lines(3, model.n_v()),
        qdd(static_cast<std::size_t>(model.n_v())),
        tau(qdd.size()) {}
};

/// Rows of d tau / dq, d tau / dqd and, where wanted, M.
template <class Real>
TORSOR_HD TORSOR_INLINE void torque_rows(const MotionWorkspace<Real>& ws, const Rows<Real>& rows,
                                         Lines<Real>& lines, bool with_mass) {
  using Row = MotionRow;
  using Vec = Vec3<LaneOf<Real>>;
  using Column = SpreadColumn<Real>;
  const int n = static_cast<int>(ws.parent.size());
  for (int h = 0; h < n; ++h) {
    const auto at = static_cast<std::size_t>(h);
    Real *const by_q = lines(0, h), *const by_qd = lines(1, h), *const by_qdd = lines(2, h);
    clear(by_qdd, 0, n);
    const Column IS(rows, Row::IS, h), S(rows, Row::S, h);
    const Vec t = rows.spread(Row::T, h);
    int done = 0;
    for (int r = ws.first_run[at]; r < ws.first_run[at + 1]; ++r) {
      const auto [first, end] = ws.runs[static_cast<std::size_t>(r)];
      clear(by_q, done, first), clear(by_qd, done, first);
      for (int k = first; k < end; k += lanes_of<Real>) {
        const Vec s = rows.vectors(Row::S, k), x = rows.vectors(Row::X, k);
        store_lanes(by_q + k,
                    IS.dot_with(rows.vectors(Row::Y, k), rows.vectors(Row::Y + 3, k)) + dot(t, x));
        store_lanes(by_qd + k,
                    IS.dot_with(rows.vectors(Row::Z, k), rows.vectors(Row::Z + 3, k)) + dot(t, s));
      }
      if (with_mass)
        for (int k = first; k < end; ++k)
          by_qdd[k] = dot(rows.vector(Row::S, k), rows.vector(Row::IS, h)) +
                      dot(rows.vector(Row::S + 3, k), rows.vector(Row::IS + 3, h));
      done = end;
    }
    clear(by_q, done, h), clear(by_qd, done, h);
    const int end = ws.end[at];
    for (int k = h; k < end; k += lanes_of<Real>) {
      store_lanes(by_q + k, S.dot_with(rows.vectors(Row::Q, k), rows.vectors(Row::Q + 3, k)));
      store_lanes(by_qd + k, S.dot_with(rows.vectors(Row::W, k), rows.vectors(Row::W + 3, k)));
    }
    if (with_mass)
      for (int k = h; k < end; ++k)
        by_qdd[k] = dot(rows.vector(Row::IS, k), rows.vector(Row::S, h)) +
                    dot(rows.vector(Row::IS + 3, k), rows.vector(Row::S + 3, h));
    clear(by_q, end, n), clear(by_qd, end, n);
  }
}

/// The common text of forward and hybrid dynamics: ws.bodies.released says which velocities are released,
/// ws.qdd and ws.tau hold what is given and receive the rest.
template <class Param, class Real>
TORSOR_FLATTEN ForwardDynamicsResult<Real> released_derivatives(
    const Model<Param>& model, ForwardDynamicsDerivativesWorkspace<Real>& ws, In<Real> q,
    In<Real> qd, In<Wrench<Real>> F_ext, bool with_prescribed) {
  const int n = model.n_v();
  const Rows<Real> rows = ws.motion.rows.view();
  motion_columns<Param, Real>(model, ws.motion, q, qd.data,
                              with_prescribed ? ws.qdd.data() : nullptr, F_ext);
  articulate(model, ws.motion, rows, ws.bodies);
  accelerate(model, ws.motion, rows, ws.bodies, ws.tau.data(), ws.qdd.data(), ws.tau.data());
  add_accelerations(model, ws.motion, rows, ws.bodies.released, ws.qdd.data());
  carried_columns(ws.motion);
  torque_rows(ws.motion, rows, ws.lines, with_prescribed);
  for (const int i : model.canonical().not_hinges) {
    const CanonicalBody<Param>& b = model.canonical(i);
    if (b.joint != JointClass::general) continue;
    Real own[max_joint_dofs * max_joint_dofs];
    const Real* from = own;
    own_torque_slopes(model, ws.motion, i, own);
    for (int j = b.v; j < b.v + b.n_v; ++j)
      for (int k = b.v; k < b.v + b.n_v; ++k) ws.lines(0, k)[j] = *from++;
  }
  // A torque that is given moves what M and the derivatives leave of it: -1 on the diagonal.
  for (int k = 0; k < n; ++k) {
    Real* const row = ws.lines(2, k);
    const auto& released = ws.bodies.released;
    if (with_prescribed)
      for (int j = 0; j < n; ++j) row[j] = released[static_cast<std::size_t>(j)] ? Real(0) : row[j];
    row[k] = released[static_cast<std::size_t>(k)] ? Real(-1) : row[k] + model.dof(k).armature;
  }
  for (int c = 0; c < n; c += lanes_of<Real>)
    solve_lanes(ws.motion, ws.bodies, [&](int m, int k) { return ws.lines(m, k) + c; });
  return regularity_of(ws.bodies);
}

template <class Real>
TORSOR_HD TORSOR_INLINE void copy_rows(Lines<Real>& lines, int m, OutMatrix<Real> to) {
  for (int k = 0; to.data && k < to.rows; ++k) {
    const Real* const from = lines(m, k);
    for (int j = 0; j < to.cols; ++j) to(k, j) = from[j];
  }
}

/// qdd = M^-1 (tau - C qd - g + sum_i J_i^T F_ext[i]), M with rotors, and its derivatives along the tangent of q,
/// along qd and along tau, each n_v x n_v: column j is the derivative with respect to velocity j. An empty qd
/// means zero, an empty F_ext none; outputs without data are not written. The result tells whether M could be
/// inverted.
template <class Param, class Real>
TORSOR_FLATTEN ForwardDynamicsResult<Real> forward_dynamics_derivatives(
    const Model<Param>& model, ForwardDynamicsDerivativesWorkspace<Real>& ws, In<Real> q,
    In<Real> qd, In<Real> tau, In<Wrench<Real>> F_ext, Out<Real> qdd, OutMatrix<Real> dqdd_dq,
    OutMatrix<Real> dqdd_dqd, OutMatrix<Real> dqdd_dtau) {
  for (int k = 0; k < model.n_v(); ++k) {
    ws.bodies.released[static_cast<std::size_t>(k)] = 1;
    ws.tau[static_cast<std::size_t>(k)] = tau[k];
  }
  const ForwardDynamicsResult<Real> result =
      released_derivatives<Param, Real>(model, ws, q, qd, F_ext, false);
  for (int k = 0; k < qdd.size; ++k) qdd[k] = ws.qdd[static_cast<std::size_t>(k)];
  copy_rows<Real>(ws.lines, 0, dqdd_dq);
  copy_rows<Real>(ws.lines, 1, dqdd_dqd);
  copy_rows<Real>(ws.lines, 2, dqdd_dtau);
  return result;
}

#define TORSOR_ABA_DERIVATIVES(Param, Real)                                                \
  template ForwardDynamicsResult<Real> forward_dynamics_derivatives(                       \
      const Model<Param>&, ForwardDynamicsDerivativesWorkspace<Real>&, In<Real>, In<Real>, \
      In<Real>, In<Wrench<Real>>, Out<Real>, OutMatrix<Real>, OutMatrix<Real>, OutMatrix<Real>);
#define TORSOR_RELEASED_DERIVATIVES(Param, Real)                                           \
  template ForwardDynamicsResult<Real> released_derivatives(                               \
      const Model<Param>&, ForwardDynamicsDerivativesWorkspace<Real>&, In<Real>, In<Real>, \
      In<Wrench<Real>>, bool);
extern TORSOR_RELEASED_DERIVATIVES(double, double) extern TORSOR_RELEASED_DERIVATIVES(
    float, float) extern TORSOR_ABA_DERIVATIVES(double, double) extern TORSOR_ABA_DERIVATIVES(float,
                                                                                              float)

}  // namespace torsor
