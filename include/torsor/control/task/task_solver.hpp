#pragma once
/// Joint accelerations and velocities of a task, by the damped inverse of J~.
///
///   J~ qdd = X'' - J~' qd        redundant joints come to rest: qdd -= damping (1 - J~^+ J~) qd
///
/// A square J~ with good pivots is eliminated; any other goes through its singular values, and
/// those about to be lost are damped as kinematics/inverse_velocity.hpp does. Where J~ is good both
/// give the same.
///
/// Cost     An elimination of 6 x 6, or one singular value decomposition of up to 6 x n; further
///          right-hand sides O(n). No allocation.
#include "torsor/control/task/task_coordinates.hpp"
#include "torsor/linear/internal/small_matrix.hpp"
#include "torsor/linear/svd.hpp"

namespace torsor {

class TaskSolver {
 public:
  explicit TaskSolver(const Model<double>& model) : svd_(6, model.n_v()), part_(model.n_v()) {}

  /// Of J~ at the state of `task`.
  void factorise(const TaskCoordinates& task);
  /// J~ qd = xdot of the last J~, least |qd|; different vectors.
  void solve(View<const double> xdot, View<double> qd) const;
  /// Both, for the acceleration X''.
  void acceleration(const TaskCoordinates& task, View<const double> Xdd, View<const double> qd,
                    double damping, View<double> qdd);

  /// The last J~ has directions that are lost or damped, or Euler angles without rates.
  bool near_singular() const { return near_singular_; }

 private:
  Svd svd_;
  Array<double> part_;
  int m_ = 0, rank_ = 0;
  bool eliminated_ = false, near_singular_ = false;
  internal::SmallLu<6> factors_;
  double gain_[6]{};  // per singular value
};

}  // namespace torsor
