#pragma once
/// The friendly robot: Eigen vectors in, Eigen vectors out. It owns its workspaces and adds no mathematics.
///
///   torsor::Robot robot("puma560");                      // a built-in name, or a .urdf or .yaml file
///   Eigen::VectorXd q = robot.neutral();
///   Eigen::Isometry3d T = robot.frame_pose("tool", q);
///
/// One Robot per thread (copies share the immutable model); the verbs of the rooms run on many states, other
/// number types and without allocation. Vectors of the wrong size are refused with a message.
#include <Eigen/Geometry>
#include <memory>
#include <string>

#include "torsor/dynamics/rnea.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

class Robot {
 public:
  using Vector = Eigen::VectorXd;
  using ConstVector = Eigen::Ref<const Eigen::VectorXd>;

  /// A built-in name or a file; throws Error.
  explicit Robot(const std::string& path_or_name);
  explicit Robot(Model<double> model);

  const Model<double>& model() const { return *model_; }
  int n_q() const { return model_->n_q(); }
  int n_v() const { return model_->n_v(); }

  Vector neutral() const;
  /// Inside the limits; the same seed gives the same configuration.
  Vector random_configuration(unsigned seed) const;
  /// q moved by the tangent step v, on the manifold of the tree.
  Vector integrate(ConstVector q, ConstVector v) const;
  /// The tangent step from q0 to q1.
  Vector difference(ConstVector q0, ConstVector q1) const;

  /// Pose of a link, joint or further frame in the world.
  Eigen::Isometry3d frame_pose(const std::string& frame, ConstVector q);

  /// tau = M qdd + C qd + g of the rigid bodies.
  Vector inverse_dynamics(ConstVector q, ConstVector qd, ConstVector qdd);

 private:
  void check(const char* what, Eigen::Index size, int expected) const;

  std::shared_ptr<const Model<double>> model_;
  KinematicsWorkspace<double> kinematics_;
  RneaWorkspace<double> rnea_;
};

}  // namespace torsor
