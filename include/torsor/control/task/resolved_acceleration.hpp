#pragma once
/// Resolved acceleration: computed torque in the space of a frame.
///
///   tau = ID(q, qd, qdd*),   J qdd* = a_d + kd (V_d - V) + kp e - J' qd  Huo 2005, (3-39), (3-40)
///   e_p = p_d - p,   e_p'' + kd e_p' + kp e_p = 0  Huo 2005, (3-38)
///   R_d = R_k(theta) R,   e_o = k f(theta),   w~ = w_d - w,   w~' = -kd w~ - kp e_o
///   V = 1/2 |e_p'|^2 + kp/2 |e_p|^2 + 1/2 |w~|^2 + kp U(theta),   V' = -kd (|e_p'|^2 + |w~|^2)
///
///   OrientationError   f(theta)            U = int f
///   axis_sine          sin(theta) Huo 2005, (3-36)   1 - cos(theta)
///   quaternion         2 sin(theta / 2)    4 (1 - cos(theta / 2))
///   rotation_vector    theta               theta^2 / 2
///   euler              zyx angles x instead: x'' = x_d'' + kd (x_d' - x') + kp (x_d - x),
///                      V with |x_d' - x'|^2 / 2 + kp/2 |x_d - x|^2
///
/// Assumes  The exact model; J not singular at the start and along the reference; kp, kd > 0. Of
///          orientations 1/2 |w~|^2 + kp U(theta) < kp U(pi) at the start; euler: angles away from
///          theta_y = +-pi/2.
/// Claim    Positions, and Euler angles, decay by Huo 2005, (3-38). Other orientations do not move
///          linearly: w~ is not the rate of e_o. They converge where V starts below kp U(pi):
///          beyond it rotation_vector and quaternion jump at theta = pi, and axis_sine, which has
///          its other equilibrium there, converges from almost everywhere without a bound by this
///          V.
/// Evaluated  J at the start and at sampled postures along the reference.
/// Singular   Near singular J the directions about to be lost are damped; `near_singular` says so
///            after each torque. Redundant joints are damped by -kd qd.
/// Frames   World axes, origin of the frame. The reference is `pose`, or x of `axes` for positions.
/// Cost     J, its orthogonal rows (near singular J its singular values), inverse dynamics.
/// Source   Huo 2005, sec. 3.5, (3-37) corrected.
#include "torsor/control/control_law.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/kinematics/inverse_velocity.hpp"
#include "torsor/linear/internal/row_basis.hpp"
#include "torsor/math/array.hpp"
#include "torsor/trajectory/se3_path.hpp"

namespace torsor {

enum class OrientationError : unsigned char { axis_sine, quaternion, rotation_vector, euler };

struct ResolvedAccelerationOptions {
  std::string frame;
  double kp = 100, kd = 20;  ///< 1/s^2, 1/s
  std::string axes{};        ///< "xyz", "xy", ...: positions alone; empty: the whole pose
  OrientationError orientation = OrientationError::axis_sine;
  Effects effects{};
};

class ResolvedAcceleration final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for an unknown frame or axis or gains that are not
  /// finite.
  ResolvedAcceleration(const Model<double>& model, ResolvedAccelerationOptions options);

  void torque(const ControlInput& input, Out<double> tau) override;
  /// A pose, or x for each of `axes`; neither: stay.
  void check_reference(const ControlReference& reference) const override;
  Hypotheses hypotheses() const override { return {}; }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

  /// Orientation (as the law measures it) and position, or position along `axes`.
  int n_task_errors() const override { return rows(); }
  std::string task_error_name(int k) const override {
    constexpr const char* names[] = {"rx", "ry", "rz", "x", "y", "z"};
    return names[axes_.empty() ? k : 3 + axes_[k]];
  }
  void task_error(const ControlInput& input, Out<double> e) override;

  /// Of the last torque: some direction of the task is lost or damped, or Euler angles have no
  /// rates.
  bool near_singular() const { return near_singular_; }
  double smallest_singular_value();  ///< of its J

 private:
  /// Desired less actual, and the acceleration that the law wants; rows as those of J.
  struct Task {
    double e[6]{}, edot[6]{}, acceleration[6]{};
    double potential = 0;  // of everything
    double turn = 0;       // U of the orientation
  };
  Task task(const ControlInput& input);
  void orientation(const PoseMotion<double>& desired, const SE3<double>& T, const Twist<double>& V,
                   Task& task);
  int rows() const { return axes_.empty() ? 6 : axes_.size(); }
  void compute_jacobian(In<double> q);
  /// Smallest over largest singular value of J there; 0 where Euler angles have no rates.
  double regularity(In<double> q);

  ResolvedAccelerationOptions options_;
  Frame frame_;
  Array<int> axes_;
  DynamicsWorkspace<double> dynamics_;
  VelocityWorkspace<double> motion_;
  InverseVelocityWorkspace inverse_ws_;
  internal::RowBasis basis_;
  Array<double> J6_, J_, qdd_, part_;
  bool near_singular_ = false, euler_singular_ = false;
};

}  // namespace torsor
