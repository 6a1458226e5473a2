#pragma once
/// What the verbs of Robot scribble on, and Eigen's side of SE(3).
#include <atomic>

#include "torsor/math/array.hpp"
#include "torsor/robot.hpp"

namespace torsor {

namespace internal {

inline std::atomic<int> workspace_types{0};
/// A number for each type, counted from 0.
template <class Workspace>
int number_of_type() {
  static const int number = workspace_types++;
  return number;
}

}  // namespace internal

/// One workspace of each type that was asked for, and scratch of the checks at the door.
struct Robot::Workspaces {
  Array<std::shared_ptr<void>> slots;  // by number_of_type
  Array<double> q;
  Array<Wrench<double>> wrenches;  // per body
  Array<char> body_flags, velocity_flags;

  explicit Workspaces(const Model<double>& model)
      : q(model.n_q()),
        wrenches(model.n_bodies()),
        body_flags(model.n_bodies()),
        velocity_flags(model.n_v()) {}
};

template <class Workspace>
Workspace& Robot::work() {
  Array<std::shared_ptr<void>>& slots = workspaces().slots;
  const int k = internal::number_of_type<Workspace>();
  if (k >= slots.size()) slots.resize(k + 1);
  if (!slots[k]) slots[k] = std::make_shared<Workspace>(model());
  return *static_cast<Workspace*>(slots[k].get());
}

namespace internal {

inline Eigen::Vector3d to_eigen(const Vec3<double>& x) { return {x.x, x.y, x.z}; }
inline Eigen::Isometry3d to_eigen(const SE3<double>& T) {
  Eigen::Isometry3d out = Eigen::Isometry3d::Identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out.matrix()(r, c) = T.R(r, c);
    out.matrix()(r, 3) = T.p[r];
  }
  return out;
}
inline Robot::Vector6 six(const Vec3<double>& angular, const Vec3<double>& linear) {
  Robot::Vector6 out;
  out << angular.x, angular.y, angular.z, linear.x, linear.y, linear.z;
  return out;
}
inline Robot::Vector6 to_eigen(const Twist<double>& V) { return six(V.w, V.v); }
inline Robot::Vector6 to_eigen(const Wrench<double>& F) { return six(F.m, F.f); }
inline Robot::Vector to_eigen(View<const double> x) {
  return Eigen::Map<const Robot::Vector>(x.data, x.size);
}
inline Robot::Matrix to_eigen(const StoredMatrix<double>& A) {
  return Eigen::Map<const Robot::Matrix>(A.data.data(), A.rows, A.cols);
}
/// Throws where loops and couplings have something against the state, or what is asked of it.
inline void require(const Model<double>& model, const LoopStatus& loops) {
  if (!loops) throw Error(message(model, loops));
}
inline Array<double> to_array(Robot::ConstVector x) { return {x.data(), x.data() + x.size()}; }

}  // namespace internal
}  // namespace torsor
