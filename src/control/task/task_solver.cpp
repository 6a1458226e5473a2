#include "torsor/control/task/task_solver.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {

namespace {

// As InverseVelocityOptions: damping begins at this ratio of singular values, and is this large.
constexpr double near = 1e-3, max_damping = 1e-2, lost = 1e-10;
/// With complete pivoting a 6 x 6 matrix whose pivots are within this ratio is no nearer to a
/// singular one than `near`.
constexpr double good_pivots = 0.05;

}  // namespace

void TaskSolver::factorise(const TaskCoordinates& task) {
  const MatrixView<const double> J = task.jacobian();
  m_ = J.rows;
  eliminated_ = J.rows == J.cols && factors_.factorise(J, good_pivots);
  near_singular_ = !task.regular();
  if (eliminated_) return;
  svd_.factorise(J);
  rank_ = svd_.rank(lost);
  near_singular_ = near_singular_ || rank_ < std::min(J.rows, J.cols);
  for (int k = 0; k < rank_; ++k) {
    const double sigma = svd_.sigma(k), ratio = sigma / (svd_.largest() * near);
    gain_[k] = 1 / sigma;
    if (ratio >= 1) continue;
    const double lambda = svd_.largest() * max_damping * std::sqrt((1 - ratio) * (1 + ratio));
    gain_[k] = 1 / (sigma + lambda / sigma * lambda);
    near_singular_ = true;
  }
}

void TaskSolver::solve(View<const double> xdot, View<double> qd) const {
  if (eliminated_) {
    factors_.solve(xdot, qd);
    return;
  }
  for (double& x : qd) x = 0;
  for (int k = 0; k < rank_; ++k) {
    double along = 0;
    for (int r = 0; r < m_; ++r) along += svd_.left(r, k) * xdot[r];
    for (int c = 0; c < qd.size; ++c) qd[c] += svd_.right(c, k) * (along * gain_[k]);
  }
}

void TaskSolver::acceleration(const TaskCoordinates& task, View<const double> Xdd,
                              View<const double> qd, double damping, View<double> qdd) {
  factorise(task);
  TaskVector a{};
  for (int k = 0; k < m_; ++k) a[k] = Xdd[k] - task.bias()[k];
  solve(a, qdd);
  if (qdd.size <= m_) return;
  solve(task.Xdot(), part_);
  for (int k = 0; k < qdd.size; ++k) qdd[k] -= damping * (qd[k] - part_[k]);
}

}  // namespace torsor
