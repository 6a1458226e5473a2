// The robot of an inverse kinematics question, with what it holds still.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "frame_option.hpp"
#include "ik.hpp"
#include "text_output.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::command {
namespace {

Model<double> load_ik_model(const IkOptions& o) {
  RobotDescription d = load(o.robot);
  if (o.ignore_limits)
    for (Joint& joint : d.joints)
      for (Limits& limits : joint.limits) limits.lower = -infinity, limits.upper = infinity;
  const Model<double> model(std::move(d));
  return o.robot.floating ? with_base(model, JointKind::free) : model;
}

/// "elbow=0.5": the joint's body, and its coordinate set in q.
int read_lock(const std::string& text, bool degrees, const Model<double>& model, Array<double>& q) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string::npos)
    throw Error("--lock " + in_quotes(text) + ": is not JOINT=VALUE, such as elbow=0.5");
  const std::string name = text.substr(0, sign);
  int body = 0;
  try {
    body = model.joint_index(name);
  } catch (const Error& refused) {
    throw Error("--lock: " + std::string(refused.what()));
  }
  const Dofs at = model.body(body).q;
  if (at.count != 1)
    throw Error("--lock " + in_quotes(name) + ": has " + std::to_string(at.count) +
                " coordinates; one can be locked by a value");
  std::string why;
  const std::optional<double> value = parse_number(text.substr(sign + 1), &why);
  if (!value) throw Error("--lock " + in_quotes(name) + ": " + why);
  const bool angle = Array<Measure>(coordinate_measures(model))[at.first] == Measure::angle;
  q[at.first] = degrees && angle ? *value * std::numbers::pi / 180 : *value;
  const Limits limits = model.limits(model.body(body).v.first);
  const double x = q[at.first];
  if (x < limits.lower - 1e-9 || x > limits.upper + 1e-9)
    throw Error("--lock " + in_quotes(text) + ": is beyond the joint's limits " +
                number(limits.lower) + " to " + number(limits.upper) + (angle ? " rad" : " m") +
                "; --ignore-limits takes it");
  return body;
}

}  // namespace

IkRobot::IkRobot(const IkOptions& o) : robot_(load_ik_model(o)), model_(robot_) {
  rest_ = parse_configuration(o.near, o.degrees, robot_, "--near");
  frames_ = o.frames;
  if (frames_.empty()) (void)frame_of_option(robot_, "");
  for (const std::string& name : frames_) {
    const Frame& frame = robot_.frame(name);
    if (frame.body == 0)
      throw Error("no joint moves frame " + in_quotes(frame.name) + ": it is fixed to the world");
    if (std::count(frames_.begin(), frames_.end(), name) > 1)
      throw Error("--frame " + in_quotes(name) + ": is given twice");
  }
  std::vector<std::string> locked;
  for (const std::string& text : o.lock) {
    const std::string name = robot_.joint_name(read_lock(text, o.degrees, robot_, rest_));
    if (std::count(locked.begin(), locked.end(), name) > 0)
      throw Error("--lock " + in_quotes(name) + ": is given twice");
    locked.push_back(name);
  }
  if (!o.root.empty()) place_root(o, locked);
  if (!locked.empty()) model_ = lock_joints(robot_, locked, rest_);
  for (int k = 0; k < model_.n_q(); ++k)
    for (int c = 0; c < robot_.n_q(); ++c)
      if (robot_.coordinate_name(c) == model_.coordinate_name(k)) coordinates_.push_back(c);
  for (const std::string& name : frames_)
    if (model_.frame(name).body == 0)
      throw Error("no joint is left to move frame " + in_quotes(name) + ": all are locked");
}

/// Joints from the world to the root stand still, and poses are the root's.
void IkRobot::place_root(const IkOptions& o, std::vector<std::string>& locked) {
  root_ = o.root;
  const Frame& root = robot_.frame(root_);
  for (const std::string& name : frames_) {
    int body = robot_.frame(name).body;
    while (body > root.body) body = robot_.body(body).parent;
    if (body != root.body)
      throw Error("--root " + in_quotes(root_) + ": does not carry frame " + in_quotes(name) +
                  "; a chain goes from a link outwards");
  }
  for (int body = root.body; body > 0; body = robot_.body(body).parent)
    if (std::count(locked.begin(), locked.end(), robot_.joint_name(body)) == 0)
      locked.push_back(robot_.joint_name(body));
  KinematicsWorkspace<double> ws(robot_);
  forward_kinematics(robot_, ws, rest_);
  T_world_root_ = frame_pose(ws, root);
}

std::vector<double> IkRobot::configuration(const std::string& option, const std::string& text,
                                           bool degrees) const {
  Array<double> given = rest_;
  if (!text.empty()) given = parse_configuration(text, degrees, robot_, option);
  std::vector<double> q;
  for (const int c : coordinates_) q.push_back(given[c]);
  return q;
}

Array<double> IkRobot::whole(In<double> q) const {
  Array<double> out = rest_;
  for (int k = 0; k < q.size; ++k) out[coordinates_[k]] = q[k];
  return out;
}

}  // namespace torsor::command
