// Robot: making one, frames and joints by handle or name, the checks at the door, configurations.
#include "torsor/robot.hpp"

#include "robot_workspaces.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/math/rotation.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

template <class Pointer>
auto& used(const Pointer& pointer) {
  if (!pointer) throw Error("this Robot was moved from");
  return *pointer;
}

/// As Model::dof_name and coordinate_name, all of them.
Robot::Names numbered(const Model<double>& model, Dofs Body<double>::*place) {
  Robot::Names out;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const int n = (model.body(i).*place).count;
    const std::string& joint = model.joint_name(i);
    for (int k = 0; k < n; ++k) out.push_back(n == 1 ? joint : joint + "." + std::to_string(k));
  }
  return out;
}

}  // namespace

Robot::Robot(Model<double> model, std::shared_ptr<const Findings> findings)
    : model_(std::make_shared<const Model<double>>(std::move(model))),
      findings_(std::move(findings)),
      workspaces_(std::make_unique<Workspaces>(*model_)) {}
Robot::Robot(const std::string& path_or_name, const LoadOptions& options) {
  Findings findings;
  Model<double> model = load_robot(path_or_name, &findings, options);
  *this = Robot(std::move(model), std::make_shared<const Findings>(std::move(findings)));
}
Robot::Robot(Model<double> model) : Robot(std::move(model), std::make_shared<const Findings>()) {}
Robot::Robot(const Robot& other)
    : model_(other.model_),
      findings_(other.findings_),
      workspaces_(std::make_unique<Workspaces>(other.model())) {}
Robot::Robot(Robot&& other) noexcept = default;
Robot& Robot::operator=(Robot other) noexcept {
  model_.swap(other.model_);
  findings_.swap(other.findings_);
  workspaces_.swap(other.workspaces_);
  return *this;
}
Robot::~Robot() = default;

const Model<double>& Robot::model() const { return used(model_); }
const Findings& Robot::findings() const { return used(findings_); }
Robot::Workspaces& Robot::workspaces() { return used(workspaces_); }

void Robot::refuse(const std::string& why) const {
  throw Error("robot \"" + name() + "\": " + why);
}
void Robot::check_size(const char* what, Eigen::Index size, int expected) const {
  if (size != expected)
    refuse(std::string(what) + " has " + std::to_string(size) + " numbers, expected " +
           std::to_string(expected));
}
void Robot::check_size(const char* what, const MatrixRef& matrix, int rows, int cols) const {
  const auto size = [](Eigen::Index r, Eigen::Index c) {
    return std::to_string(r) + " x " + std::to_string(c);
  };
  if (matrix.rows() != rows || matrix.cols() != cols)
    refuse(std::string(what) + " is " + size(matrix.rows(), matrix.cols()) + ", expected " +
           size(rows, cols));
}
void Robot::check(const char* what, ConstVector v) const {
  check_size(what, v.size(), n_v());
  check_velocity(model(), v, what);
}
Array<double> Robot::checked_copy(const char* what, ConstVector q) const {
  check_size(what, q.size(), n_q());
  Array<double> copy = internal::to_array(q);
  check_configuration(model(), copy);
  return copy;
}
View<const double> Robot::checked(ConstVector q) {
  check_size("q", q.size(), n_q());
  Array<double>& copy = workspaces().q;
  std::copy(q.data(), q.data() + q.size(), copy.begin());
  check_configuration(model(), copy);
  return copy;
}

Vec3<double> Robot::vec3(const char* what, const Vector3& x) const {
  if (!x.allFinite()) refuse(std::string(what) + " is not finite");
  return {x[0], x[1], x[2]};
}
Twist<double> Robot::twist(const char* what, const Vector6& x) const {
  return {vec3(what, x.head<3>()), vec3(what, x.tail<3>())};
}
Wrench<double> Robot::wrench(const char* what, const Vector6& x) const {
  return {vec3(what, x.head<3>()), vec3(what, x.tail<3>())};
}
SE3<double> Robot::pose(const char* what, const Pose& T) const {
  SE3<double> out;
  out.p = vec3(what, T.translation());
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) out.R(r, c) = T.matrix()(r, c);
  if (!is_rotation(out.R, 1e-6)) refuse(std::string(what) + " is not a pose: it has no rotation");
  return out;
}

const Frame& Robot::find(const FrameArgument& frame) const {
  const FrameHandle& handle = frame.handle_;
  if (!handle.frame_) return model().frame(frame.name_);
  if (handle.model_ != &model())
    refuse("the frame \"" + handle.name() + "\" is of another robot, \"" + handle.model_->name() +
           "\"");
  return *handle.frame_;
}
int Robot::find(const JointArgument& joint) const {
  const JointHandle& handle = joint.handle_;
  if (!handle.model_) return model().joint_index(joint.name_);
  if (handle.model_.get() != &model())
    refuse("the joint \"" + handle.name() + "\" is of another robot, \"" + handle.model_->name() +
           "\"");
  return handle.body_;
}
View<const char> Robot::body_flags(const JointSet& joints) {
  Array<char>& flags = workspaces().body_flags;
  std::fill(flags.begin(), flags.end(), char(0));
  for (const JointArgument& joint : joints.joints_) flags[find(joint)] = 1;
  return flags;
}
View<const char> Robot::velocity_flags(const JointSet& joints) {
  if (joints.empty()) return {};
  const View<const char> bodies = body_flags(joints);
  Array<char>& flags = workspaces().velocity_flags;
  for (int i = 1; i < model().n_bodies(); ++i)
    for (int k = 0; k < model().body(i).v.count; ++k)
      flags[model().body(i).v.first + k] = bodies[i];
  return flags;
}
View<const Wrench<double>> Robot::body_wrenches(const Wrenches& external) {
  if (external.empty()) return {};
  Array<Wrench<double>>& F = workspaces().wrenches;
  std::fill(F.begin(), F.end(), Wrench<double>{});
  for (const LinkWrench& x : external) {
    const Frame& frame = find(x.frame);
    if (!x.wrench.allFinite()) refuse("the wrench on \"" + frame.name + "\" is not finite");
    F[frame.body] += Ad_dual_inv(frame.placement, wrench("wrench", x.wrench));
  }
  return F;
}

FrameHandle Robot::frame(const std::string& name) const {
  const Frame& found = model().frame(name);
  return {model_.get(), {model_, &found}};
}
FrameHandle Robot::frame(const FrameArgument& frame, const Pose& T_frame_new,
                         const std::string& name) const {
  struct Owner {
    std::shared_ptr<const Model<double>> model;
    Frame frame;
  };
  const Frame& on = find(frame);
  const auto owner = std::make_shared<const Owner>(
      Owner{model_, {name, on.body, on.placement * pose("T_frame_new", T_frame_new)}});
  return {model_.get(), {owner, &owner->frame}};
}
JointHandle Robot::joint(const std::string& name) const {
  const int body = model().joint_index(name);
  return {model_, body};
}
std::vector<FrameHandle> Robot::frames() const {
  std::vector<FrameHandle> out;
  for (const Frame& frame : model().frames())
    out.push_back(FrameHandle(model_.get(), {model_, &frame}));
  return out;
}
std::vector<JointHandle> Robot::joints() const {
  std::vector<JointHandle> out;
  for (int i = 1; i < model().n_bodies(); ++i) out.push_back(JointHandle(model_, i));
  return out;
}

Robot::Names Robot::frame_names() const {
  Names out;
  for (const Frame& frame : model().frames()) out.push_back(frame.name);
  return out;
}
Robot::Names Robot::joint_names() const {
  Names out;
  for (int i = 1; i < model().n_bodies(); ++i) out.push_back(model().joint_name(i));
  return out;
}
Robot::Names Robot::body_names() const {
  Names out;
  for (int i = 1; i < model().n_bodies(); ++i) out.push_back(model().body_name(i));
  return out;
}
Robot::Names Robot::coordinate_names() const { return numbered(model(), &Body<double>::q); }
Robot::Names Robot::dof_names() const { return numbered(model(), &Body<double>::v); }
Robot::CoordinateLimits Robot::limits() const {
  const Vector none_q = Vector::Constant(n_q(), infinity),
               none_v = Vector::Constant(n_v(), infinity);
  CoordinateLimits out{-none_q, none_q, none_v, none_v, none_v, none_v};
  for (int i = 1; i < model().n_bodies(); ++i) {
    const Body<double>& body = model().body(i);
    for (int k = 0; k < body.q.count; ++k)
      if (const int dof = limits_of_coordinate(model().joint(i), k); dof >= 0) {
        const Limits& limits = model().limits(body.v.first + dof);
        out.lower[body.q.first + k] = limits.lower;
        out.upper[body.q.first + k] = limits.upper;
      }
  }
  for (int k = 0; k < n_v(); ++k) {
    const Limits& limits = model().limits(k);
    out.velocity[k] = limits.velocity;
    out.acceleration[k] = limits.acceleration;
    out.jerk[k] = limits.jerk;
    out.effort[k] = limits.effort;
  }
  return out;
}

Robot::Vector Robot::neutral() const {
  Vector q(n_q());
  torsor::neutral(model(), q);
  return q;
}
Robot::Vector Robot::random_configuration(unsigned seed) const {
  Vector q(n_q());
  torsor::random_configuration(model(), seed, q);
  return q;
}
Robot::Vector Robot::integrate(ConstVector q, ConstVector v) const {
  const Array<double> from = checked_copy("q", q);
  check("v", v);
  Vector out(n_q());
  torsor::integrate(model(), from, v, out);
  return out;
}
Robot::Vector Robot::difference(ConstVector q0, ConstVector q1) const {
  const Array<double> from = checked_copy("q0", q0), to = checked_copy("q1", q1);
  Vector out(n_v());
  torsor::difference(model(), from, to, out);
  return out;
}

}  // namespace torsor
