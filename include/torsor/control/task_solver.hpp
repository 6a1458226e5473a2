#pragma once
/// Joint accelerations and velocities of a task, by the damped inverse of J~.
///
///   J~ qdd = X'' - J~' qd        redundant joints come to rest: qdd -= damping (1 - J~^+ J~) qd
///
/// Near singular J~ the directions about to be lost are damped; near_singular() says so.
/// Cost     One or two singular value decompositions of up to 6 x n; no allocation.
#include "torsor/control/task_coordinates.hpp"
#include "torsor/kinematics/inverse_velocity.hpp"

namespace torsor {

class TaskSolver {
 public:
  explicit TaskSolver(const Model<double>& model)
      : ws_(model), part_(static_cast<std::size_t>(model.n_v())) {}

  /// At the state of `task`; X'' and qdd are different vectors.
  void acceleration(const TaskCoordinates& task, View<const double> Xdd, View<const double> qd,
                    double damping, View<double> qdd) {
    TaskVector a{};
    const int m = task.size();
    for (int k = 0; k < m; ++k) a[static_cast<std::size_t>(k)] = Xdd[k] - task.bias()[k];
    velocity(task, View<const double>(a.data(), m), qdd);
    if (qdd.size <= m) return;
    (void)inverse_velocity(ws_, task.jacobian(), task.Xdot(), {}, part_);
    for (int k = 0; k < qdd.size; ++k)
      qdd[k] -= damping * (qd[k] - part_[static_cast<std::size_t>(k)]);
  }
  /// qd of least length with J~ qd = X'.
  void velocity(const TaskCoordinates& task, View<const double> Xdot, View<double> qd) {
    result_ = inverse_velocity(ws_, task.jacobian(), Xdot, {}, qd);
    const int full = task.size() < qd.size ? task.size() : qd.size;
    near_singular_ = !task.regular() || result_.damping > 0 || result_.rank < full;
  }

  bool near_singular() const { return near_singular_; }
  double smallest_singular_value() const { return result_.smallest; }

 private:
  InverseVelocityWorkspace ws_;
  InverseVelocity result_{};
  std::vector<double> part_;
  bool near_singular_ = false;
};

}  // namespace torsor
