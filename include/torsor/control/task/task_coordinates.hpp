#pragma once
/// Coordinates X of a task: positions and angles of a point of the robot.
///
///   X' = J~ qd,    X'' = J~ qdd + J~' qd,    tau = J~^T f_x  Huo 2005, (3-132), (3-133)
///
/// Positions first, as in Huo 2005: X = [x, y, z, phi, theta, psi], any positions left out.
///
///   TaskAngles   angles of X                          their rates in X'
///   none
///   planar       atan2(R_yx, R_xx), of a planar arm   w_z
///   euler        of R_world_frame, in `sequence`      B(angles) w; not near the sequence's
///                                                     singularity: regular() says so
///   rotation     r with R = exp(r) R_origin           w itself: quasi-velocities, never singular;
///                                                     r says where, r' is w at r = 0 alone
///
/// Errors   desired less actual; angles wrapped to (-pi, pi], rotations log(R_d R^T), and desired
///          rates of rotations are angular velocities.
/// Frames   World axes. Forces: f_x is what the robot exerts on the environment; moments are about
///          the point (euler: conjugate to the angles).
/// Cost     O(n) and one Jacobian; no allocation after it is made.
/// Source   Huo 2005, sec. 3.5, 3.12, with the twist-based variant where Euler angles fail.
#include <array>
#include <string>
#include <vector>

#include "torsor/control/control_law.hpp"
#include "torsor/kinematics/jacobian.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

enum class TaskAngles : unsigned char { none, planar, euler, rotation };

struct TaskCoordinateOptions {
  std::string frame;
  Vec3<double> point{};      ///< in the frame
  std::string axes = "xyz";  ///< positions of the point, in the world
  TaskAngles angles = TaskAngles::none;
  EulerSequence sequence = EulerSequence::zyx;
  SO3<double> origin = SO3<double>::identity();  ///< of rotation vectors
};

/// Up to six numbers of a task.
/// Six numbers, indexed by int.
struct TaskVector : std::array<double, 6> {
  using std::array<double, 6>::operator[];
  double& operator[](int k) { return data()[k]; }
  double operator[](int k) const { return data()[k]; }
};

/// Desired less actual, and the desired acceleration.
struct TaskError {
  TaskVector e{}, edot{}, xdd{};
};

class TaskCoordinates {
 public:
  static constexpr int max_size = 6;

  /// `model` outlives it. Throws Error for an unknown frame, an unknown or repeated axis, no
  /// coordinate at all.
  TaskCoordinates(const Model<double>& model, TaskCoordinateOptions options);

  int size() const { return names_.size(); }
  int n_positions() const { return axes_.size(); }
  /// 0, 1 or 2 for x, y or z of the k-th position.
  int axis(int k) const { return axes_[k]; }
  /// "x", "phi", ...
  const Array<std::string>& names() const { return names_; }
  const TaskCoordinateOptions& options() const { return options_; }
  /// These gains of X, where X has a rotation; else none.
  std::vector<RotationGain> rotation_gains(std::vector<RotationGain> gains) const {
    if (options_.angles != TaskAngles::rotation) return {};
    for (RotationGain& g : gains) g.first = n_positions();
    return gains;
  }

  /// All that follows, at a state.
  void evaluate(In<double> q, In<double> qd);
  In<double> X() const { return {X_.data(), size()}; }
  In<double> Xdot() const { return {Xdot_.data(), size()}; }
  In<double> bias() const { return {bias_.data(), size()}; }  ///< J~' qd
  /// J~, size() x n_v.
  InMatrix<double> jacobian() const { return column_major(J_.data(), size(), n_); }
  /// False: the Euler angles have no rates here; their rows are zero.
  bool regular() const { return regular_; }
  const SE3<double>& T_world_point() const { return T_; }

  /// J~', of the state evaluated: for velocities other than qd.
  InMatrix<double> jacobian_dot(In<double> q, In<double> qd);

  /// x_d - X.
  void error(In<double> x_d, Out<double> e) const;
  /// Of the reference's x, else of its pose (of the frame), else of standing here.
  TaskError error(const ControlReference& reference) const;

  /// f_x of the wrench measured on the frame's body; zeros for an empty view.
  void measured_force(View<const Wrench<double>> F_contact, Out<double> f_x) const;
  /// tau += J~^T f_x.
  void add_torque(In<double> f_x, Out<double> tau) const;

 private:
  Vec3<double> angles_of(const SO3<double>& R) const;

  const Model<double>* model_;
  Array<double> q_{}, qd_{};  // of the state evaluated
  TaskCoordinateOptions options_;
  Frame frame_;  // at the point
  Array<int> axes_;
  Array<std::string> names_;
  int n_;
  KinematicsWorkspace<double> kinematics_;
  VelocityWorkspace<double> motion_;
  Array<double> J6_, J_, Jdot_;
  TaskVector X_{}, Xdot_{}, bias_{};
  SE3<double> T_{};
  Mat3<double> E_{}, B_{}, Edot_{};  // of Euler angles: w = E x', x' = B w
  bool regular_ = true;
};

class LawParameters;

namespace internal {

/// From a law's parameters: frame, point, axes, angles (none, planar, euler, rotation), sequence,
/// origin_rpy (roll, pitch, yaw of the orientation from which rotations count).
TaskCoordinateOptions task_coordinate_options(LawParameters& parameters, std::string frame = {});

}  // namespace internal

}  // namespace torsor
