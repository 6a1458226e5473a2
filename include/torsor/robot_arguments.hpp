#pragma once
/// What the verbs of Robot take and give: frames and joints by handle or name, loads, targets,
/// trajectories.
///
/// A handle is found once and knows its robot: a Robot that is neither it nor a copy of it refuses
/// the handle. Names are convenient, and looked up in each call.
#include <Eigen/Geometry>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "torsor/formats/packages.hpp"
#include "torsor/kinematics/velocity.hpp"

namespace torsor {

/// A frame of a robot, found once. Valid for the robot and its copies; keeps their model alive.
class FrameHandle {
 public:
  const std::string& name() const { return frame_->name; }
  const Frame& frame() const { return *frame_; }

 private:
  friend class Robot;
  template <class Handle>
  friend class HandleOrName;
  FrameHandle() = default;
  FrameHandle(const Model<double>* model, std::shared_ptr<const Frame> frame)
      : model_(model), frame_(std::move(frame)) {}
  const Model<double>* model_ = nullptr;
  std::shared_ptr<const Frame> frame_;
};

/// A joint of a robot, found once, and the place of its numbers in q and in qd, qdd, tau.
class JointHandle {
 public:
  const std::string& name() const { return model_->joint_name(body_); }
  JointKind kind() const { return model_->body(body_).kind; }
  /// The body that the joint carries.
  int body() const { return body_; }
  Dofs q() const { return model_->body(body_).q; }
  Dofs v() const { return model_->body(body_).v; }

 private:
  friend class Robot;
  template <class Handle>
  friend class HandleOrName;
  JointHandle() = default;
  JointHandle(std::shared_ptr<const Model<double>> model, int body)
      : model_(std::move(model)), body_(body) {}
  std::shared_ptr<const Model<double>> model_;
  int body_ = 0;
};

/// What verbs take: a handle, or a name that is looked up in the call.
template <class Handle>
class HandleOrName {
 public:
  HandleOrName() = default;  ///< none, where it may be left out
  HandleOrName(const char* name) : name_(name) {}
  HandleOrName(std::string name) : name_(std::move(name)) {}
  HandleOrName(Handle handle) : handle_(std::move(handle)) {}
  HandleOrName(std::nullptr_t) = delete;
  bool empty() const { return name_.empty() && !handle_.model_; }

 private:
  friend class Robot;
  std::string name_;
  Handle handle_;
};
using FrameArgument = HandleOrName<FrameHandle>;
using JointArgument = HandleOrName<JointHandle>;

/// Joints by handles or names.
class JointSet {
 public:
  JointSet() = default;
  JointSet(std::initializer_list<JointArgument> joints) : joints_(joints) {}
  JointSet(const std::vector<std::string>& names) : joints_(names.begin(), names.end()) {}
  JointSet(const std::vector<JointHandle>& joints) : joints_(joints.begin(), joints.end()) {}
  bool empty() const { return joints_.empty(); }

 private:
  friend class Robot;
  std::vector<JointArgument> joints_;
};

/// (m, f) on a link, about the origin and in the axes of the frame.
struct LinkWrench {
  FrameArgument frame;
  Eigen::Matrix<double, 6, 1> wrench = Eigen::Matrix<double, 6, 1>::Zero();
};

/// A force at a point that is fixed in a frame, and a moment; in world axes.
struct PointLoad {
  FrameArgument frame;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< m, in the frame
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = Eigen::Vector3d::Zero();  ///< N, N m
};

/// Where inverse_kinematics shall put a frame; weights and priority as in IkTarget.
struct FrameTarget {
  FrameArgument frame;
  Eigen::Isometry3d T_world_frame = Eigen::Isometry3d::Identity();
  Eigen::Vector3d orientation_weight = Eigen::Vector3d::Ones();
  Eigen::Vector3d position_weight = Eigen::Vector3d::Ones();
  int priority = 0;
};

/// Numbers of a frame's motion as a task: OperationalTask.
struct FrameTask {
  FrameArgument frame;
  Reference reference = Reference::world_aligned;
  std::vector<int> rows{};  ///< of (wx, wy, wz, vx, vy, vz); none: all
  double damping = 0;
};

/// Whether the mass matrix could be inverted: smallest over largest pivot.
struct [[nodiscard]] Invertibility {
  bool regular = true;
  double pivot_ratio = 1;
  explicit operator bool() const { return regular; }
};

/// A motion of all coordinates in time. Copies share what was planned.
class JointTrajectory {
 public:
  struct Sample {
    Eigen::VectorXd q, qd, qdd;
  };
  using Function = std::function<void(double t, Out<double> q, Out<double> qd, Out<double> qdd)>;

  JointTrajectory() = default;
  JointTrajectory(int n_q, int n_v, double duration, Function function)
      : n_q_(n_q),
        n_v_(n_v),
        duration_(duration),
        function_(std::make_shared<const Function>(std::move(function))) {}

  int n_q() const { return n_q_; }
  int n_v() const { return n_v_; }
  double duration() const { return duration_; }  ///< s
  /// Before 0 and after the duration it stands still. Throws Error for a time that is not finite.
  Sample sample(double t) const;
  void sample(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> qd,
              Eigen::Ref<Eigen::VectorXd> qdd) const;

 private:
  int n_q_ = 0, n_v_ = 0;
  double duration_ = 0;
  std::shared_ptr<const Function> function_;
};

}  // namespace torsor
