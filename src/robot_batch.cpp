#include "torsor/robot_batch.hpp"

namespace torsor {
namespace {

using Matrix = RobotBatch::Matrix;

StatesView<const double> view(RobotBatch::States x) {
  return {x.data(), x.cols(), static_cast<int>(x.rows()), x.outerStride(), 1};
}

/// rows x columns for each of n states.
struct Answer {
  Matrix all;
  int rows, columns;

  Answer(Eigen::Index n, int r, int c = 1) : all(r, n * c), rows(r), columns(c) {}
  StatesView<double> view() { return by_state(all.data(), all.cols() / columns, rows * columns); }
  /// Batch writes matrices by rows.
  Matrix by_columns() {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    for (Eigen::Index s = 0; s < all.cols(); s += columns) {
      const RowMajor state = Eigen::Map<const RowMajor>(all.data() + s * rows, rows, columns);
      all.middleCols(s, columns) = state;
    }
    return std::move(all);
  }
};

}  // namespace

RobotBatch::RobotBatch(const Robot& robot, BatchOptions options) : batch_(robot.model(), options) {}

Matrix RobotBatch::frame_pose(const std::string& frame, States q) {
  Answer T(q.cols(), 4, 4);
  batch_.frame_pose(view(q), batch_.model().frame(frame), T.view());
  return T.by_columns();
}
Matrix RobotBatch::jacobian(const std::string& frame, States q, Reference reference) {
  Answer J(q.cols(), 6, batch_.model().n_v());
  batch_.jacobian(view(q), batch_.model().frame(frame), reference, J.view());
  return J.by_columns();
}
Matrix RobotBatch::inverse_dynamics(States q, States qd, States qdd, const Effects& effects) {
  Answer tau(q.cols(), batch_.model().n_v());
  (void)batch_.inverse_dynamics(view(q), view(qd), view(qdd), tau.view(), {.effects = effects});
  return tau.all;
}
Matrix RobotBatch::forward_dynamics(States q, States qd, States tau, const Effects& effects) {
  Answer qdd(q.cols(), batch_.model().n_v());
  (void)batch_.forward_dynamics(view(q), view(qd), view(tau), qdd.view(), {.effects = effects});
  return qdd.all;
}
Matrix RobotBatch::mass_matrix(States q) {
  Answer M(q.cols(), batch_.model().n_v(), batch_.model().n_v());
  batch_.mass_matrix(view(q), M.view());
  return M.all;  // symmetric
}
Matrix RobotBatch::mass_matrix_inverse(States q) {
  Answer inverse(q.cols(), batch_.model().n_v(), batch_.model().n_v());
  (void)batch_.mass_matrix_inverse(view(q), inverse.view());
  return inverse.all;
}
Matrix RobotBatch::coriolis_matrix(States q, States qd) {
  Answer C(q.cols(), batch_.model().n_v(), batch_.model().n_v());
  batch_.coriolis_matrix(view(q), view(qd), C.view());
  return C.by_columns();
}
Matrix RobotBatch::gravity_torque(States q) {
  Answer tau(q.cols(), batch_.model().n_v());
  batch_.gravity_torque(view(q), tau.view());
  return tau.all;
}
Matrix RobotBatch::bias_torque(States q, States qd) {
  Answer tau(q.cols(), batch_.model().n_v());
  batch_.bias_torque(view(q), view(qd), tau.view());
  return tau.all;
}

RobotBatch::Derivatives RobotBatch::inverse_dynamics_derivatives(States q, States qd, States qdd) {
  const int n = batch_.model().n_v();
  Answer by_q(q.cols(), n, n), by_qd(by_q);
  (void)batch_.inverse_dynamics_derivatives(view(q), view(qd), view(qdd), by_q.view(),
                                            by_qd.view());
  return {by_q.by_columns(), by_qd.by_columns(), {}};
}
RobotBatch::Derivatives RobotBatch::forward_dynamics_derivatives(States q, States qd, States tau) {
  const int n = batch_.model().n_v();
  Answer by_q(q.cols(), n, n), by_qd(by_q), by_tau(by_q);
  (void)batch_.forward_dynamics_derivatives(view(q), view(qd), view(tau), by_q.view(), by_qd.view(),
                                            by_tau.view());
  return {by_q.by_columns(), by_qd.by_columns(), by_tau.by_columns()};
}

}  // namespace torsor
