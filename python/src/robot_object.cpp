#include "robot_object.hpp"

#include "torsor/model/text.hpp"

namespace torsor::python {

FrameArgument read_frame(const char* what, py::handle value) {
  if (py::isinstance<py::str>(value)) return FrameArgument(py::cast<std::string>(value));
  if (value && py::isinstance<FrameHandle>(value))
    return FrameArgument(py::cast<const FrameHandle&>(value));
  throw Error(std::string(what) + " is " +
              (value ? std::string(py::repr(value)) : std::string("missing")) +
              ", expected the name of a frame or a Frame");
}
JointArgument read_joint(py::handle value) {
  if (py::isinstance<py::str>(value)) return JointArgument(py::cast<std::string>(value));
  if (py::isinstance<JointHandle>(value)) return JointArgument(py::cast<JointHandle&>(value));
  throw Error("joint is " + std::string(py::repr(value)) +
              ", expected the name of a joint or a Joint");
}
JointSet read_joints(py::handle value) {
  if (!value || value.is_none()) return {};
  std::vector<std::string> names;
  if (py::isinstance<py::str>(value) || py::isinstance<JointHandle>(value))
    return JointSet({read_joint(value)});
  std::vector<JointHandle> handles;
  for (const py::object& item : read_items("joints", value, "names of joints")) {
    if (py::isinstance<JointHandle>(item))
      handles.push_back(py::cast<JointHandle&>(item));
    else
      names.push_back(read_text("joint", item));
  }
  if (!names.empty() && !handles.empty())
    for (const JointHandle& joint : handles) names.push_back(joint.name());
  return names.empty() ? JointSet(handles) : JointSet(names);
}

Robot::Pose read_pose(const char* what, py::handle value) {
  const Eigen::MatrixXd M = read_matrix(what, value);
  if (M.rows() != 4 || M.cols() != 4)
    throw Error(std::string(what) + " is " + std::to_string(M.rows()) + " x " +
                std::to_string(M.cols()) + ", expected a pose as 4 x 4");
  if (M(3, 0) != 0 || M(3, 1) != 0 || M(3, 2) != 0 || M(3, 3) != 1)
    throw Error(std::string(what) + " is not a pose: its last row is not 0, 0, 0, 1");
  Robot::Pose T;
  T.matrix() = M;
  return T;
}

Robot::Wrenches read_wrenches(py::handle value) {
  Robot::Wrenches wrenches;
  if (!value || value.is_none()) return wrenches;
  if (!py::isinstance<py::dict>(value))
    throw Error("external is " + std::string(py::repr(value)) +
                ", expected {frame: (mx, my, mz, fx, fy, fz)}");
  for (const auto& [frame, wrench] : py::reinterpret_borrow<py::dict>(value))
    wrenches.push_back({read_frame("external", frame), read_vector("external", wrench, 6)});
  return wrenches;
}

Effects read_effects(py::handle value) {
  Effects effects;
  if (!value || value.is_none()) return effects;
  const auto flag = [&](const char* name) {
    if (!py::hasattr(value, name))
      throw Error("effects is " + std::string(py::repr(value)) + ", expected torsor.Effects(...)");
    return read_flag(name, value.attr(name));
  };
  effects.rotors = flag("rotors");
  effects.friction = flag("friction");
  effects.springs = flag("springs");
  effects.disturbance = flag("disturbance");
  effects.loops = flag("loops");
  return effects;
}

int read_word(const char* what, py::handle value, const std::vector<std::string>& words) {
  const std::string given = read_text(what, value);
  std::string known;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == given) return static_cast<int>(k);
    known += (k == 0 ? "" : k + 1 < words.size() ? ", " : " or ") + words[k];
  }
  throw Error(std::string(what) + " is \"" + given + "\", expected " + known);
}

namespace {
const std::vector<std::string> reference_words{"body", "world", "world_aligned"};
}
Reference read_reference(py::handle value) {
  if (!value) return Reference::body;
  return static_cast<Reference>(read_word("reference", value, reference_words));
}
std::string text_of(Reference reference) {
  return reference_words[static_cast<std::size_t>(reference)];
}

py::object new_robot(Robot robot) {
  return py::cast(new PyRobot(std::move(robot)), py::return_value_policy::take_ownership);
}
PyRobot& robot_of(py::handle value) {
  if (!value || !py::isinstance<PyRobot>(value))
    throw Error((value ? std::string(py::repr(value)) : std::string("None")) +
                " is no torsor.Robot");
  return py::cast<PyRobot&>(value);
}

}  // namespace torsor::python
