#include <algorithm>
#include <cmath>

#include "torsor/formats/internal/robot_file_parts.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::robot_file {
namespace {

std::string read_name(const YamlElement& element) {
  const std::string name = element.at("name").text();
  if (name.empty()) element.at("name").fail("is empty");
  return name;
}

JointKind read_kind(const YamlElement& element) {
  const std::string name = element.text();
  std::vector<std::string> known;
  for (const JointKind kind : joint_kinds) {
    known.emplace_back(name_of(kind));
    if (name == known.back()) return kind;
  }
  element.fail("unknown joint type " + in_quotes(name) + did_you_mean(name, known));
}

EulerOrder read_order(const YamlElement& element) {
  const std::string name = element.text();
  for (const EulerOrder order : {EulerOrder::zyx, EulerOrder::zyz, EulerOrder::zxz})
    if (name == name_of(order)) return order;
  element.fail("unknown order " + in_quotes(name) + "; it is zyx, zyz or zxz");
}

// An axis that is of unit length to rounding is kept, bit by bit.
Vec3<double> read_axis(const YamlElement& element) {
  const Vec3<double> axis = element.vec3();
  const double largest = std::max({std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)});
  if (largest < 1e-9) element.fail("is zero");
  if (std::abs(squared_norm(axis) - 1) <= 1e-15) return axis;
  return normalised(axis * (1 / largest));
}

/// axis, pitch and order: what a joint and a part of a composite one have in common.
template <class JointOrPart>
void read_shape(const YamlElement& element, JointOrPart& joint) {
  const auto only_for = [&](const char* key, bool fits) {
    if (element.has(key) && !fits)
      element.at(key).fail(std::string("does not belong to a ") + name_of(joint.kind) + " joint");
    return element.has(key);
  };
  if (only_for("axis", has_axis(joint.kind))) joint.axis = read_axis(element.at("axis"));
  if (only_for("pitch", has_pitch(joint.kind))) joint.pitch = element.at("pitch").number();
  if (only_for("order", has_order(joint.kind))) joint.order = read_order(element.at("order"));
}

Link read_body(const YamlElement& element, Units units) {
  element.allow_keys({"name", TORSOR_INERTIAL_KEYS, "geometry"});
  Link link;
  link.origin = element.origin();
  link.name = read_name(element);
  link.has_inertial = read_inertial(element, link.inertial);
  if (element.has("geometry")) link.geometry = read_geometry(element.at("geometry"), units);
  return link;
}

JointPart read_part(const YamlElement& element, Units units) {
  element.allow_keys({"type", "placement", "axis", "pitch", "order"});
  JointPart part;
  part.kind = read_kind(element.at("type"));
  if (n_v(part.kind) == 0)
    element.at("type").fail(std::string("a part cannot be ") + name_of(part.kind));
  part.placement = read_placement(element, units);
  read_shape(element, part);
  return part;
}

Joint read_joint(const YamlElement& element, Units units) {
  element.allow_keys({"name", "type", "parent", "child", "placement", "axis", "pitch", "order",
                      "parts", TORSOR_DOF_KEYS});
  Joint joint;
  joint.origin = element.origin();
  joint.name = read_name(element);
  joint.kind = read_kind(element.at("type"));
  joint.parent = element.at("parent").text();
  joint.child = element.at("child").text();
  joint.placement = read_placement(element, units);
  read_shape(element, joint);
  if (joint.kind == JointKind::composite) {
    for (const YamlElement& part : element.at("parts").items())
      joint.parts.push_back(read_part(part, units));
    if (joint.parts.empty()) element.at("parts").fail("is empty");
  } else if (element.has("parts")) {
    element.at("parts").fail("belongs to a composite joint");
  }
  read_dof_data(element, units, joint);
  return joint;
}

FrameOnLink read_frame(const YamlElement& element, Units units) {
  element.allow_keys({"name", "link", "placement"});
  return {read_name(element), element.at("link").text(), read_placement(element, units),
          element.origin()};
}

LoopJoint::Kind read_loop_kind(const YamlElement& element) {
  const std::string name = element.text();
  std::vector<std::string> known;
  for (int k = 0; k <= static_cast<int>(LoopJoint::Kind::distance); ++k) {
    known.emplace_back(name_of(static_cast<LoopJoint::Kind>(k)));
    if (name == known.back()) return static_cast<LoopJoint::Kind>(k);
  }
  element.fail("unknown loop type " + in_quotes(name) + did_you_mean(name, known));
}

LoopJoint read_loop(const YamlElement& element, Units units) {
  element.allow_keys(
      {"name", "type", "link_a", "link_b", "placement_a", "placement_b", "axis", "distance"});
  LoopJoint loop;
  loop.origin = element.origin();
  loop.name = read_name(element);
  loop.kind = read_loop_kind(element.at("type"));
  loop.link_a = element.at("link_a").text();
  loop.link_b = element.at("link_b").text();
  loop.placement_a = read_placement(element, units, "placement_a");
  loop.placement_b = read_placement(element, units, "placement_b");
  if (element.has("axis")) loop.axis = read_axis(element.at("axis"));
  if (loop.kind == LoopJoint::Kind::distance) {
    loop.distance = element.at("distance").number();
    if (loop.distance < 0)
      element.at("distance").fail(format_number(loop.distance) + " m is negative");
  } else if (element.has("distance")) {
    element.at("distance").fail("belongs to a loop of type distance");
  }
  return loop;
}

Coupling read_coupling(const YamlElement& element) {
  element.allow_keys({"name", "terms", "offset"});
  Coupling coupling;
  coupling.origin = element.origin();
  coupling.name = read_name(element);
  const YamlElement terms = element.at("terms");
  if (!terms.is_map()) terms.fail("must be a map from joints to factors");
  for (const YamlElement& factor : terms.entries()) {
    coupling.terms.push_back({terms.node().keys[coupling.terms.size()], factor.number()});
    if (coupling.terms.back().factor == 0) factor.fail("is zero: the joint does not take part");
  }
  if (coupling.terms.empty()) terms.fail("is empty");
  if (element.has("offset")) coupling.offset = element.at("offset").number();
  return coupling;
}

SpringDamper read_spring_damper(const YamlElement& element) {
  element.allow_keys(
      {"name", "link_a", "link_b", "point_a", "point_b", "stiffness", "rest_length", "damping"});
  SpringDamper spring;
  spring.origin = element.origin();
  spring.name = read_name(element);
  if (element.has("link_a")) spring.link_a = element.at("link_a").text();
  if (element.has("link_b")) spring.link_b = element.at("link_b").text();
  if (element.has("point_a")) spring.point_a = element.at("point_a").vec3();
  if (element.has("point_b")) spring.point_b = element.at("point_b").vec3();
  const auto read = [&](const char* key, double& value) {
    if (!element.has(key)) return;
    value = element.at(key).number();
    if (value < 0) element.at(key).fail(format_number(value) + " is negative");
  };
  read("stiffness", spring.stiffness);
  read("rest_length", spring.rest_length);
  read("damping", spring.damping);
  return spring;
}

Units read_units(const YamlElement& file, Findings* findings) {
  if (!file.has("unit")) return {false, findings};
  const std::string unit = file.at("unit").text();
  if (unit != "deg" && unit != "rad")
    file.at("unit").fail(in_quotes(unit) + " is neither \"deg\" nor \"rad\"");
  return {unit == "deg", findings};
}

void read_bodies_and_joints(const YamlElement& file, Units units, RobotDescription& robot) {
  for (const YamlElement& body : file.at("bodies").items("body"))
    robot.links.push_back(read_body(body, units));
  if (robot.links.empty()) file.at("bodies").fail("is empty");
  if (file.has("joints"))
    for (const YamlElement& joint : file.at("joints").items("joint"))
      robot.joints.push_back(read_joint(joint, units));
}

RobotDescription read(const YamlElement& file, Findings* findings) {
  file.allow_keys({"robot", "source", "unit", "gravity", "base", "root", "dh", "bodies", "joints",
                   "frames", "tool", "loops", "couplings", "springs"});
  const Units units = read_units(file, findings);
  if (file.has("dh") && (file.has("bodies") || file.has("joints")))
    file.fail("has both \"dh\" and \"bodies\" or \"joints\"; give one of them");
  if (!file.has("dh") && !file.has("bodies"))
    file.fail("has neither \"dh\" nor \"bodies\": there is no robot in it");

  RobotDescription robot;
  if (file.has("dh")) {
    if (file.has("root")) file.at("root").fail("a DH table has its own base");
    robot = read_dh(file.at("dh"), read_placement(file, units, "tool"), units);
  } else {
    read_bodies_and_joints(file, units, robot);
    if (file.has("tool"))
      file.at("tool").fail("belongs to a DH table; name the frame and its link under \"frames\"");
    if (file.has("root")) robot.root = file.at("root").text();
  }
  robot.origin = file.origin();
  robot.name = file.at("robot").text();
  if (file.has("source")) robot.source = file.at("source").text();
  if (file.has("gravity")) robot.gravity = file.at("gravity").vec3();
  robot.base = read_placement(file, units, "base");
  const auto each = [&](const char* key, const char* kind, const auto& take) {
    if (!file.has(key)) return;
    for (const YamlElement& element : file.at(key).items(kind)) take(element);
  };
  each("frames", "frame",
       [&](const YamlElement& e) { robot.frames.push_back(read_frame(e, units)); });
  each("loops", "loop", [&](const YamlElement& e) { robot.loops.push_back(read_loop(e, units)); });
  each("couplings", "coupling",
       [&](const YamlElement& e) { robot.couplings.push_back(read_coupling(e)); });
  each("springs", "spring",
       [&](const YamlElement& e) { robot.springs.push_back(read_spring_damper(e)); });
  check_structure(robot);
  return robot;
}

}  // namespace
}  // namespace torsor::internal::robot_file

namespace torsor {
namespace {
constexpr std::size_t robot_file_limit = std::size_t{16} << 20;  // bytes; a robot of 10,000 joints
}

RobotDescription read_robot_file(std::string_view text, const std::string& file_name,
                                 Findings* findings) {
  check_is_text(text, file_name, robot_file_limit);
  const internal::YamlNode root = internal::parse_yaml(text, file_name);
  if (root.kind != internal::YamlNode::Kind::map)
    throw Error(one_line(file_name) + ":" + std::to_string(root.line) +
                ": not a robot file: it must be a map with \"robot\" and \"dh\" or \"bodies\"");
  return internal::robot_file::read(internal::YamlElement(root, file_name, ""), findings);
}

Model<double> load_robot_file(const std::string& path, Findings* findings) {
  return Model<double>(read_robot_file(read_text_file(path, robot_file_limit), path, findings));
}

}  // namespace torsor
