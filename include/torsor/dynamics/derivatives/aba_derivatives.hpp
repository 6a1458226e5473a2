#pragma once
/// Derivatives of forward dynamics with respect to q, qd and tau: exact, O(n) for each column.
///
///   d qdd / dx = -M^-1 d tau / dx at the accelerations of tau,   d qdd / dtau = M^-1     x: q or qd
///
/// One sweep serves all: the accelerations come from the articulated bodies that solve for the
/// columns (column_solver.hpp), the columns are those of rnea_derivatives.hpp, by rows. Derivatives
/// with respect to q are along the tangent; external wrenches turn with their links.
///
/// Motors of several joints (motor_coupling.hpp): with qdd known, lambda = I N qdd is a given torque,
/// and d lambda = I N d qdd corrects the columns, Y from d qdd / dtau of the tree.
///
/// Frames   World axes; results are of joints and have none.
/// Cost     rnea_derivatives.hpp and 24 multiply-adds for each entry of the three matrices; no
///          allocation.
/// Source   Carpentier & Mansard 2018 (d qdd = -M^-1 d tau); M^-1 by recursion: minverse_times.hpp.
#include "torsor/dynamics/derivatives/rnea_derivatives.hpp"
#include "torsor/dynamics/hybrid.hpp"
#include "torsor/dynamics/internal/column_solver.hpp"

namespace torsor {

template <class Real>
struct ForwardDynamicsDerivativesWorkspace {
  internal::MotionWorkspace<Real> motion;
  internal::ArticulatedWorkspace<Real> bodies;
  internal::Lines<Real> lines;  // rows by q, by qd and by what is given of velocity 0, of 1, ...
  Array<Real> qdd, tau;
  AbaWorkspace<Real> aba;  // these three where motors turn with several joints
  Array<Real> qd;
  Array<char> prescribed;

  template <class Param>
  explicit ForwardDynamicsDerivativesWorkspace(const Model<Param>& model)
      : motion(model),
        bodies(model),
        lines(3 * model.n_v(), internal::stride_of_lines<Real>(model.n_v())),
        qdd(model.n_v()),
        tau(qdd.size()) {
    if (model.motors().empty()) return;
    aba = AbaWorkspace<Real>(model);
    qd.resize(model.n_v());
    prescribed.resize(model.n_bodies());
  }
};

namespace internal {

/// Rows of d tau / dq and d tau / dqd; those of the third matrix become zero.
template <class Real>
TORSOR_INLINE void torque_rows(const MotionWorkspace<Real>& ws, const Rows<Real>& rows,
                               Lines<Real>& lines) {
  using Row = MotionRow;
  using Vec = Vec3<RowBlock<Real>>;
  using Column = SpreadColumn<Real>;
  const int n = ws.parent.size();
  for (int h = 0; h < n; ++h) {
    Real *const by_q = lines(3 * h), *const by_qd = lines(3 * h + 1),
                *const third = lines(3 * h + 2);
    if (ws.has_unrelated[h]) clear(by_q, n), clear(by_qd, n);
    clear(third, n);
    {
      const Column IS(rows, Row::IS, h);
      const Vec t = rows.spread(Row::T, h);
      for_each_carrier(ws, h, [&](int k, int first, int end) {
        const Vec s = rows.vectors(Row::S, k), x = rows.vectors(Row::X, k);
        const RowBlock<Real> by_y =
            IS.dot_with(rows.vectors(Row::Y, k), rows.vectors(Row::Y + 3, k));
        const RowBlock<Real> by_z =
            IS.dot_with(rows.vectors(Row::Z, k), rows.vectors(Row::Z + 3, k));
        store_between(by_q, k, first, end, by_y + dot(t, x));
        store_between(by_qd, k, first, end, by_z + dot(t, s));
      });
    }
    const Column S(rows, Row::S, h);
    for_each_carried(ws, h, [&](int k, int first, int end) {
      const auto along = [&](int r) {
        return S.dot_with(rows.vectors(r, k), rows.vectors(r + 3, k));
      };
      store_between(by_q, k, first, end, along(Row::Q));
      store_between(by_qd, k, first, end, along(Row::W));
    });
  }
}

/// Columns of M of the prescribed velocities, whose accelerations are given.
template <class Param, class Real>
TORSOR_COLD void add_prescribed(const Model<Param>& model,
                                ForwardDynamicsDerivativesWorkspace<Real>& ws) {
  using Row = MotionRow;
  const Rows<Real> rows = ws.motion.rows.view();
  for (int j = 0; j < model.n_v(); ++j) {
    if (ws.bodies.released[j]) continue;
    for (int k = 0; k < model.n_v(); ++k) {
      const int up = k < j ? k : j, down = k < j ? j : k;  // the one that carries, if one does
      if (down >= ws.motion.end[up]) continue;
      ws.lines(3 * k + 2)[j] = dot(rows.vector(Row::S, up), rows.vector(Row::IS, down)) +
                               dot(rows.vector(Row::S + 3, up), rows.vector(Row::IS + 3, down));
    }
    ws.lines(3 * j + 2)[j] = ws.lines(3 * j + 2)[j] + model.dof(j).armature;
  }
}

/// Given torques less what rotors of motors of several joints take; that is kept in lambda.
template <class Param, class Real>
TORSOR_COLD void subtract_motors(const Model<Param>& model,
                                 ForwardDynamicsDerivativesWorkspace<Real>& ws, In<Real> q,
                                 In<Real> qd, In<Wrench<Real>> F_ext) {
  for (int k = 0; k < model.n_v(); ++k) ws.qd[k] = qd.data ? qd[k] : Real(0);
  for (int i = 1; i < model.n_bodies(); ++i)
    ws.prescribed[i] = model.n_v(i) > 0 && !ws.bodies.released[model.first_v(i)];
  (void)rigid_hybrid_dynamics(model, ws.aba, ws.prescribed, q, ws.qd, ws.qdd, ws.tau, F_ext);
  for (int j = 0; j < model.motors().size(); ++j) {
    const CoupledMotor<Param>& motor = model.motors()[j];
    const Real lambda = ws.aba.motors.lambda[j] = motor.along(ws.qdd) * motor.constants.armature;
    for (const auto& term : motor.terms)
      if (ws.bodies.released[term.v]) ws.tau[term.v] = ws.tau[term.v] - lambda * term.ratio;
  }
  for (int k = 0; k < model.n_v(); ++k)
    if (ws.bodies.released[k]) ws.qdd[k] = Real(0);  // as they were: not found yet
}
/// Torques with those that move the rotors, and the columns with what they change by.
template <class Param, class Real>
TORSOR_COLD void add_motors(const Model<Param>& model,
                            ForwardDynamicsDerivativesWorkspace<Real>& ws) {
  const int n = model.n_v(), r = model.motors().size();
  MotorScratch<Real>& m = ws.aba.motors;
  const auto released = [&](int k) { return ws.bodies.released[k] != 0; };
  for (int j = 0; j < r; ++j) model.motors()[j].add(m.lambda[j], ws.tau);
  for (int j = 0; j < r; ++j) {
    set_row(model.motors()[j], m, released);
    for (int k = 0; k < n; ++k) {
      Real& y = m.response(j)[k] = Real(0);
      for (const auto& term : model.motors()[j].terms)
        y = y + ws.lines(3 * k + 2)[term.v] * m.x[term.v];
    }
  }
  factorise_motors(model, m, released);
  for (int by = 0; by < 3; ++by)
    for (int c = 0; c < n; ++c) {
      const auto entry = [&](int k) -> Real& { return ws.lines(3 * k + by)[c]; };
      for (int j = 0; j < r; ++j) {
        const CoupledMotor<Param>& motor = model.motors()[j];
        Real dqdd = along_some<Real>(motor, entry, released);
        if (by == 2 && !released(c))  // along a given acceleration
          for (const auto& term : motor.terms)
            if (term.v == c) dqdd = dqdd + term.ratio;
        m.lambda[j] = dqdd * motor.constants.armature;
      }
      solve_motors(m);
      couple(model, m, released, entry);
    }
}

/// Common to forward and hybrid dynamics: ws.bodies.released says which velocities are
/// released, ws.qdd and ws.tau hold what is given and receive the rest.
template <class Param, class Real>
TORSOR_FLATTEN ForwardDynamicsResult<Real> released_derivatives(
    const Model<Param>& model, ForwardDynamicsDerivativesWorkspace<Real>& ws, In<Real> q,
    In<Real> qd, In<Wrench<Real>> F_ext, bool with_prescribed) {
  const int n = model.n_v();
  const Rows<Real> rows = ws.motion.rows.view();
  const bool coupled = !model.motors().empty();
  if (coupled) subtract_motors<Param, Real>(model, ws, q, qd, F_ext);
  motion_columns<Param, Real>(model, ws.motion, q, qd.data,
                              with_prescribed ? ws.qdd.data() : nullptr, F_ext);
  articulate(model, ws.motion, rows, ws.bodies);
  accelerate(model, ws.motion, rows, ws.bodies, ws.tau.data(), ws.qdd.data(), ws.tau.data());
  add_accelerations(model, ws.motion, rows, ws.bodies.released, ws.qdd.data());
  carried_columns(ws.motion);
  torque_rows(ws.motion, rows, ws.lines);
  for (const int i : model.canonical().not_hinges) {
    const CanonicalBody<Param>& b = model.canonical(i);
    if (b.joint != JointClass::general) continue;
    Real own[max_joint_dofs * max_joint_dofs];
    const Real* from = own;
    own_torque_slopes(model, ws.motion, i, own);
    for (int j = b.v; j < b.v + b.n_v; ++j)
      for (int k = b.v; k < b.v + b.n_v; ++k) ws.lines(3 * k)[j] = *from++;
  }
  // A given torque takes from what has to be moved: -1 on the diagonal.
  for (int k = 0; k < n; ++k)
    if (ws.bodies.released[k]) ws.lines(3 * k + 2)[k] = Real(-1);
  if (with_prescribed) add_prescribed(model, ws);
  for (int c = 0; c < n; c += row_lanes<Real>) {
    solve_columns(ws.motion, ws.bodies, c, !with_prescribed,
                  [&](int m, int k) { return ws.lines(3 * k + m) + c; });
    if (!with_prescribed)  // M^-1 is symmetric: what is above the diagonal is below it too
      copy_transposed<Real>([&](int k) { return ws.lines(3 * k + 2) + c; }, c,
                            n - c < row_lanes<Real> ? n - c : row_lanes<Real>, ws.lines(3 * c + 2),
                            3 * ws.lines.stride());
  }
  if (coupled) add_motors(model, ws);
  return regularity_of(ws.bodies);
}

/// Lines that are the rows of three matrices.
template <class Real>
TORSOR_INLINE void copy_rows(const Lines<Real>& lines, const std::array<MatrixView<Real>, 3>& to) {
  for (int m = 0; m < 3; ++m) {
    const auto& [data, rows, cols, row_stride, col_stride] = to.data()[m];
    if (!data) continue;
    if (row_stride == 1) {
      copy_transposed<Real>([&](int k) { return lines(3 * k + m); }, rows, cols, data, col_stride);
    } else {
      for (int k = 0; k < rows; ++k)
        for (int j = 0; j < cols; ++j) data[k * row_stride + j * col_stride] = lines(3 * k + m)[j];
    }
  }
}

}  // namespace internal

/// qdd = M^-1 (tau - C qd - g + sum_i J_i^T F_ext[i]), M with rotors, and its derivatives along the
/// tangent of q, along qd and along tau, each n_v x n_v: column j is the derivative with respect to
/// velocity j. An empty qd means zero, an empty F_ext none; outputs without data are not written.
/// The result tells whether M could be inverted.
template <class Param, class Real>
TORSOR_FLATTEN ForwardDynamicsResult<Real> rigid_forward_dynamics_derivatives(
    const Model<Param>& model, ForwardDynamicsDerivativesWorkspace<Real>& ws, In<Real> q,
    In<Real> qd, In<Real> tau, In<Wrench<Real>> F_ext, Out<Real> qdd, OutMatrix<Real> dqdd_dq,
    OutMatrix<Real> dqdd_dqd, OutMatrix<Real> dqdd_dtau) {
  internal::assert_state(model, q, tau);
  for (int k = 0; k < model.n_v(); ++k) {
    ws.bodies.released[k] = 1;
    ws.tau[k] = tau[k];
  }
  const ForwardDynamicsResult<Real> result =
      internal::released_derivatives<Param, Real>(model, ws, q, qd, F_ext, false);
  for (int k = 0; k < qdd.size; ++k) qdd[k] = ws.qdd[k];
  internal::copy_rows<Real>(ws.lines, {dqdd_dq, dqdd_dqd, dqdd_dtau});
  return result;
}

/// Compiled once for each scalar, in src/dynamics/derivatives/; other scalars where they are used.
#define TORSOR_ABA_DERIVATIVES(Extern, Param, Real)                                        \
  Extern template ForwardDynamicsResult<Real> internal::released_derivatives(              \
      const Model<Param>&, ForwardDynamicsDerivativesWorkspace<Real>&, In<Real>, In<Real>, \
      In<Wrench<Real>>, bool);                                                             \
  Extern template ForwardDynamicsResult<Real> rigid_forward_dynamics_derivatives(          \
      const Model<Param>&, ForwardDynamicsDerivativesWorkspace<Real>&, In<Real>, In<Real>, \
      In<Real>, In<Wrench<Real>>, Out<Real>, OutMatrix<Real>, OutMatrix<Real>, OutMatrix<Real>);
TORSOR_ABA_DERIVATIVES(extern, double, double)
TORSOR_ABA_DERIVATIVES(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_ABA_DERIVATIVES
#endif

}  // namespace torsor
