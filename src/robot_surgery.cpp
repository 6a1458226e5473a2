// Robot: new robots from this one, and files of it.
#include <Eigen/Eigenvalues>

#include "robot_workspaces.hpp"
#include "torsor/formats/convert.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

Robot Robot::lock_joints(const JointSet& joints, ConstVector q) const {
  Names names;
  for (const JointArgument& joint : joints.joints_)
    names.push_back(model().joint_name(find(joint)));
  return Robot(torsor::lock_joints(model(), names, checked_copy("q", q)));
}
Robot Robot::extract(const std::string& from_link, const std::string& to_link) const {
  return Robot(torsor::extract(model(), from_link, to_link));
}
Robot Robot::append(const Robot& other, const std::string& link, const Pose& T_link_other,
                    const std::string& prefix) const {
  return Robot(
      torsor::append(model(), other.model(), link, pose("T_link_other", T_link_other), prefix));
}
Robot Robot::with_base(JointKind kind, const std::string& joint) const {
  return Robot(torsor::with_base(model(), kind, joint));
}
Robot Robot::with_base(const Pose& T_world_root) const {
  return Robot(torsor::with_base(model(), pose("T_world_root", T_world_root)));
}
Robot Robot::with_gravity(const Vector3& gravity) const {
  return Robot(torsor::with_gravity(model(), vec3("gravity", gravity)));
}
Robot Robot::with_parameters(ConstVector parameters) const {
  check_size("parameters", parameters.size(), parameters_per_body * (model().n_bodies() - 1));
  return Robot(torsor::with_parameters(model(), parameters));
}
Robot Robot::with_effects(const Effects& effects) const {
  return Robot(torsor::with_effects(model(), effects));
}
Robot Robot::without_friction() const { return Robot(torsor::without_friction(model())); }
Robot Robot::add_frame(const std::string& frame, const std::string& link,
                       const Pose& T_link_frame) const {
  return Robot(torsor::add_frame(model(), frame, link, pose("T_link_frame", T_link_frame)));
}
Robot Robot::attach_payload(const std::string& link, double mass, const Vector3& com,
                            const Matrix3& inertia, const Pose& T_link_payload,
                            const std::string& payload) const {
  for (int k = 0; k < 3; ++k) (void)vec3("inertia", inertia.col(k));
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > 1e-12 * inertia.norm())
    refuse("inertia is not symmetric");
  const double least = Eigen::SelfAdjointEigenSolver<Matrix3>(inertia).eigenvalues()[0];
  if (least < -1e-12 * inertia.norm())
    refuse("inertia is that of no body: a principal moment is " + short_number(least) + " kg m^2");
  const Inertial body{
      mass,
      vec3("com", com),
      {inertia(0, 0), inertia(0, 1), inertia(1, 1), inertia(0, 2), inertia(1, 2), inertia(2, 2)}};
  return Robot(
      torsor::attach_payload(model(), link, body, pose("T_link_payload", T_link_payload), payload));
}

const RobotDescription& Robot::described() const {
  if (!model().is_described())
    refuse("has inertial parameters of no possible body; no file has them");
  return model().description();
}
std::string Robot::to_urdf() const { return write_urdf(described()); }
Robot::Names Robot::save(const std::string& path) const {
  const RobotFormat* const format = robot_format_of_path(path);
  if (!format) refuse("\"" + path + "\" names no format; end it in " + robot_extensions());
  Conversion file = convert(described(), *format);
  if (!file.ok()) refuse(file.message);
  write_text_file_atomically(path, file.text);
  return std::move(file.notes);
}

}  // namespace torsor
