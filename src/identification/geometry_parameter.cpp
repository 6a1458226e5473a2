#include "geometry_parameter.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "torsor/model/parameter_name.hpp"

namespace torsor::internal {
namespace {

using Side = GeometryParameter::Side;

[[noreturn]] void fail(const Model<double>& model, const std::string& message) {
  throw Error("robot \"" + model.name() + "\": " + message);
}

int joint_index(const Model<double>& model, const std::string& name) {
  const auto& joints = model.description().joints;
  std::vector<std::string> known;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (joints[k].name == name) return static_cast<int>(k);
    known.push_back(joints[k].name);
  }
  fail(model, "no joint \"" + name + "\"" + did_you_mean(name, known));
}

/// The twist of one unit of the joint's coordinate, in the joint frame; zero where it has no single axis.
Twist<double> axis_of(const Joint& joint) {
  const Vec3<double> a = joint.axis * (1 / norm(joint.axis));
  if (joint.kind == JointKind::prismatic) return {{}, a};
  if (joint.kind == JointKind::helical) return {a, a * joint.pitch};
  if (joint.kind == JointKind::revolute || joint.kind == JointKind::continuous) return {a, {}};
  return {};
}
bool is_zero(const Twist<double>& V) { return squared_norm(V.w) + squared_norm(V.v) < 1e-20; }

GeometryParameter offset_of(const Model<double>& model, const std::string& name) {
  const int k = joint_index(model, name);
  const Joint& joint = model.description().joints[static_cast<std::size_t>(k)];
  const Twist<double> S = axis_of(joint);
  if (is_zero(S))
    fail(model, "joint \"" + name + "\" is " + name_of(joint.kind) + " and has no single offset");
  return {"offset." + name, k, Side::joint, S, squared_norm(S.w) > 0};
}

/// A row of a DH table, from the change that the grammar's parameter makes.
GeometryParameter of_row(const Model<double>& model, const Parameter& parameter) {
  const Change& change = parameter.changes.at(0);
  const int body = change.index;
  const Joint& joint = model.joint_description(body);
  const int k = joint_index(model, joint.name);
  const bool angle = parameter.name.ends_with("alpha") || parameter.name.ends_with("theta");
  if (change.what == Change::Of::parent_side) {
    const SE3<double> T_body_link = model.frame(joint.parent).body == model.body(body).parent
                                        ? model.frame(joint.parent).placement
                                        : SE3<double>{};
    return {parameter.name, k, Side::parent, Ad_inv(T_body_link, change.twist()), angle};
  }
  const Twist<double> Y = change.twist();
  const bool along = is_zero(ad(axis_of(joint), Y));
  return {parameter.name, k, along ? Side::joint : Side::link, Y, angle};
}

void add(const Model<double>& model, const std::string& name, std::vector<GeometryParameter>& all) {
  const auto& joints = model.description().joints;
  if (name == "dh") {  // of the file's own convention
    const bool standard = model.has_frame("frame_1") && model.frame("frame_1").body == 1;
    for (const Parameter& p : parse_parameter(model, standard ? "dh" : "mdh"))
      all.push_back(of_row(model, p));
    return;
  }
  if (name == "offsets") {
    for (const Joint& joint : joints)
      if (!is_zero(axis_of(joint))) all.push_back(offset_of(model, joint.name));
    return;
  }
  if (name == "placement") {
    for (const Joint& joint : joints) add(model, "placement." + joint.name, all);
    return;
  }
  if (name.starts_with("offset.")) {
    all.push_back(offset_of(model, name.substr(7)));
    return;
  }
  for (const Parameter& p : parse_parameter(model, name)) {
    if (p.name.starts_with("dh.") || p.name.starts_with("mdh.")) {
      all.push_back(of_row(model, p));
    } else if (p.name.starts_with("placement.")) {
      const std::size_t dot = p.name.rfind('.');
      const std::string word = p.name.substr(dot + 1);
      const std::string joint = p.name.substr(10, dot - 10);
      const auto at = std::find(placement_words.begin(), placement_words.end(), word);
      const auto axis = static_cast<int>(at - placement_words.begin());
      Twist<double> xi;
      (axis < 3 ? xi.w : xi.v)[axis % 3] = 1;
      all.push_back({p.name, joint_index(model, joint), Side::joint, xi, axis < 3});
    } else {
      fail(model, "\"" + p.name +
                      "\" is no parameter of calibration; there are dh, mdh, placement and offset");
    }
  }
}

SE3<double> moved(const Twist<double>& xi, double amount) {
  return exp(Twist<double>{xi.w * amount, xi.v * amount});
}

}  // namespace

std::vector<GeometryParameter> geometry_parameters(const Model<double>& model,
                                                   const std::vector<std::string>& names) {
  std::vector<GeometryParameter> all, once;
  for (const std::string& name : names) add(model, name, all);
  std::set<std::string> seen;
  for (GeometryParameter& p : all)
    if (seen.insert(p.name).second) once.push_back(std::move(p));
  return once;
}

void apply(const GeometryParameter& parameter, double amount, RobotDescription& robot) {
  const SE3<double> E = moved(parameter.xi, amount);
  Joint& joint = robot.joints[static_cast<std::size_t>(parameter.joint)];
  if (parameter.side == Side::parent) joint.placement = E * joint.placement;
  if (parameter.side == Side::joint) joint.placement = joint.placement * E;
  if (parameter.side != Side::link) return;
  const std::string& name = joint.child;
  const auto move = [&](const std::string& link, SE3<double>& placement) {
    if (link == name) placement = E * placement;
  };
  for (Link& link : robot.links) {
    if (link.name != name) continue;
    link.inertial.com = E * link.inertial.com;
    link.inertial.about_com = rotated(E.R, link.inertial.about_com);
    for (Geometry& g : link.geometry) g.placement = E * g.placement;
  }
  for (Joint& next : robot.joints) move(next.parent, next.placement);
  for (FrameOnLink& frame : robot.frames) move(frame.link, frame.placement);
  for (LoopJoint& loop : robot.loops) {
    move(loop.link_a, loop.placement_a);
    move(loop.link_b, loop.placement_b);
  }
  for (SpringDamper& spring : robot.springs) {
    if (spring.link_a == name) spring.point_a = E * spring.point_a;
    if (spring.link_b == name) spring.point_b = E * spring.point_b;
  }
}

Array<bool> links_beyond(const RobotDescription& robot, int joint) {
  std::set<std::string> names{robot.joints[static_cast<std::size_t>(joint)].child};
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    for (const Joint& j : robot.joints)
      if (names.contains(j.parent)) names.insert(j.child);
  }
  Array<bool> beyond;
  for (const Link& link : robot.links) beyond.push_back(names.contains(link.name));
  return beyond;
}

}  // namespace torsor::internal
