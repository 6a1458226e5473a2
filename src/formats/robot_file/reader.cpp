#include <algorithm>
#include <cmath>

#include "torsor/formats/internal/file_axis.hpp"
#include "torsor/formats/internal/robot_file_parts.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::robot_file {
namespace {

constexpr std::size_t robot_file_limit = std::size_t{16} << 20;  // bytes; a robot of 10,000 joints

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

Vec3<double> read_axis(const YamlElement& element) {
  const Vec3<double> axis = element.vec3();
  if (std::isnan(axis.x + axis.y + axis.z)) return Vec3<double>::unit_z();  // reported already
  if (std::max({std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)}) < 1e-9)
    element.fail("is zero");
  return file_axis(axis);
}

/// axis, pitch and order: what a joint and a part of a composite one have in common.
template <class JointOrPart>
void read_shape(const YamlElement& element, JointOrPart& joint) {
  const auto only_for = [&](const char* key, bool fits) {
    if (element.has(key) && !fits)
      element.at(key).complain(std::string("does not belong to a ") + name_of(joint.kind) +
                               " joint");
    return element.has(key) && fits;
  };
  const auto read = [&](const char* key, bool fits, const auto& take) {
    if (only_for(key, fits)) element.attempt([&] { take(element.at(key)); });
  };
  read("axis", has_axis(joint.kind), [&](const YamlElement& e) { joint.axis = read_axis(e); });
  read("pitch", has_pitch(joint.kind), [&](const YamlElement& e) { joint.pitch = e.number(); });
  read("order", has_order(joint.kind), [&](const YamlElement& e) { joint.order = read_order(e); });
}

Link read_body(const YamlElement& element, Units units) {
  element.allow_keys({"name", TORSOR_INERTIAL_KEYS, "geometry"});
  Link link;
  link.origin = element.origin();
  element.attempt([&] { link.name = read_name(element); });
  link.has_inertial = read_inertial(element, link.inertial);
  element.attempt([&] {
    if (element.has("geometry")) link.geometry = read_geometry(element.at("geometry"), units);
  });
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
  bool known_kind = false;
  element.attempt([&] { joint.name = read_name(element); });
  element.attempt([&] {
    joint.kind = read_kind(element.at("type"));
    known_kind = true;
  });
  element.attempt([&] { joint.parent = element.at("parent").text(); });
  element.attempt([&] { joint.child = element.at("child").text(); });
  element.attempt([&] { joint.placement = read_placement(element, units); });
  if (!known_kind) return joint;  // nobody knows what the rest should be
  read_shape(element, joint);
  element.attempt([&] {
    if (joint.kind == JointKind::composite) {
      for (const YamlElement& part : element.at("parts").items())
        joint.parts.push_back(read_part(part, units));
      if (joint.parts.empty()) element.at("parts").fail("is empty");
    } else if (element.has("parts")) {
      element.at("parts").fail("belongs to a composite joint");
    }
  });
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

/// A map from joints to numbers.
std::vector<Coupling::Term> read_terms(const YamlElement& element, const char* key,
                                       const char* numbers) {
  const YamlElement map = element.at(key);
  if (!map.is_map()) map.fail(std::string("must be a map from joints to ") + numbers);
  std::vector<Coupling::Term> terms;
  for (const YamlElement& factor : map.entries()) {
    terms.push_back({map.node().keys[terms.size()], factor.number()});
    if (terms.back().factor == 0) factor.fail("is zero: the joint does not take part");
  }
  if (terms.empty()) map.fail("is empty");
  return terms;
}

Coupling read_coupling(const YamlElement& element) {
  element.allow_keys({"name", "terms", "offset"});
  Coupling coupling;
  coupling.origin = element.origin();
  coupling.name = read_name(element);
  coupling.terms = read_terms(element, "terms", "factors");
  if (element.has("offset")) coupling.offset = element.at("offset").number();
  return coupling;
}

Motor read_motor(const YamlElement& element) {
  element.allow_keys({"name", "ratios", "rotor_inertia", "friction"});
  Motor motor;
  motor.origin = element.origin();
  motor.name = read_name(element);
  motor.ratios = read_terms(element, "ratios", "ratios");
  if (element.has("rotor_inertia")) {
    motor.rotor_inertia = element.at("rotor_inertia").number();
    if (motor.rotor_inertia < 0)
      element.at("rotor_inertia").fail(format_number(motor.rotor_inertia) + " is negative");
  }
  if (element.has("friction")) motor.friction = read_friction(element.at("friction"));
  return motor;
}

/// q: a number or a list for each joint; angles in the unit of the file.
NamedConfiguration read_configuration(const YamlElement& element, const RobotDescription& robot,
                                      Units units) {
  element.allow_keys({"name", "q"});
  NamedConfiguration configuration;
  configuration.origin = element.origin();
  configuration.name = read_name(element);
  const YamlElement q = element.at("q");
  if (!q.is_map()) q.fail("must be a map from joints to coordinates");
  for (const YamlElement& value : q.entries()) {
    const std::string& name = q.node().keys[configuration.entries.size()];
    std::vector<double> x{0};
    if (value.is_sequence())
      x = value.numbers();
    else
      x[0] = value.number();
    const Joint* joint = robot.find_joint(name);
    if (joint != nullptr && joint->kind != JointKind::composite &&
        x.size() == static_cast<std::size_t>(n_q(*joint)))
      for (std::size_t k = 0; k < x.size(); ++k)
        if (internal::coordinate_measure(joint->kind, static_cast<int>(k)) == Measure::angle)
          x[k] = units.angle(x[k]);
    configuration.entries.push_back({name, std::move(x)});
  }
  return configuration;
}

SpringDamper read_spring_damper(const YamlElement& element) {
  element.allow_keys({"name", "link_a", "link_b", "point_a", "point_b", "stiffness", "rest_length",
                      "damping", "preload"});
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
  if (element.has("preload")) spring.preload = element.at("preload").number();
  return spring;
}

Units read_units(const YamlElement& file, Findings* findings) {
  if (!file.has("unit")) return {false, findings};
  const std::string unit = file.at("unit").text();
  if (unit != "deg" && unit != "rad")
    file.at("unit").fail(in_quotes(unit) + " is neither \"deg\" nor \"rad\"");
  return {unit == "deg", findings};
}

/// Every member of a list; one that cannot be read does not keep the others from being read.
template <class Take>
void each(const YamlElement& file, const char* key, const char* kind, const Take& take) {
  if (!file.has(key)) return;
  file.attempt([&] {
    for (const YamlElement& element : file.at(key).items(kind))
      element.attempt([&] { take(element); });
  });
}

void read_bodies_and_joints(const YamlElement& file, Units units, RobotDescription& robot) {
  each(file, "bodies", "body",
       [&](const YamlElement& e) { robot.links.push_back(read_body(e, units)); });
  if (robot.links.empty()) file.at("bodies").fail("is empty");
  each(file, "joints", "joint",
       [&](const YamlElement& e) { robot.joints.push_back(read_joint(e, units)); });
}

RobotDescription read(const YamlElement& file, Findings* findings) {
  file.allow_keys({"robot", "source", "unit", "gravity", "base", "root", "dh", "bodies", "joints",
                   "frames", "tool", "loops", "couplings", "springs", "motors", "configurations"});
  Units units;
  units.findings = findings;
  file.attempt([&] { units = read_units(file, findings); });
  RobotDescription robot;
  if (file.has("dh") && (file.has("bodies") || file.has("joints")))
    file.complain("has both \"dh\" and \"bodies\" or \"joints\"; give one of them");
  if (!file.has("dh") && !file.has("bodies"))
    file.fail("has neither \"dh\" nor \"bodies\": there is no robot in it");
  file.attempt([&] {
    if (file.has("dh")) {
      if (file.has("root")) file.at("root").complain("a DH table has its own base");
      SE3<double> tool;
      file.attempt([&] { tool = read_placement(file, units, "tool"); });
      robot = read_dh(file.at("dh"), tool, units);
    } else if (file.has("bodies")) {
      read_bodies_and_joints(file, units, robot);
      if (file.has("tool"))
        file.at("tool").complain(
            "belongs to a DH table; name the frame and its link under \"frames\"");
      if (file.has("root")) robot.root = file.at("root").text();
    }
  });
  robot.origin = file.origin();
  file.attempt([&] { robot.name = file.at("robot").text(); });
  file.attempt([&] {
    if (file.has("source")) robot.source = file.at("source").text();
  });
  file.attempt([&] {
    if (file.has("gravity")) robot.gravity = file.at("gravity").vec3();
  });
  file.attempt([&] { robot.base = read_placement(file, units, "base"); });
  each(file, "frames", "frame",
       [&](const YamlElement& e) { robot.frames.push_back(read_frame(e, units)); });
  each(file, "loops", "loop",
       [&](const YamlElement& e) { robot.loops.push_back(read_loop(e, units)); });
  each(file, "couplings", "coupling",
       [&](const YamlElement& e) { robot.couplings.push_back(read_coupling(e)); });
  each(file, "springs", "spring",
       [&](const YamlElement& e) { robot.springs.push_back(read_spring_damper(e)); });
  each(file, "motors", "motor",
       [&](const YamlElement& e) { robot.motors.push_back(read_motor(e)); });
  each(file, "configurations", "configuration", [&](const YamlElement& e) {
    robot.configurations.push_back(read_configuration(e, robot, units));
  });
  if (!file.reads_on()) check_structure(robot);  // check_model says what is wrong with the tree
  return robot;
}

/// With `errors`, they are collected there and reading goes on; otherwise the first is thrown.
RobotDescription read_text(std::string_view text, const std::string& file_name, Findings* findings,
                           Findings* errors) {
  check_is_text(text, file_name, robot_file_limit);
  const YamlNode root = parse_yaml(text, file_name);
  if (root.kind != YamlNode::Kind::map)
    throw Error(one_line(file_name) + ":" + std::to_string(root.line) +
                ": not a robot file: it must be a map with \"robot\" and \"dh\" or \"bodies\"");
  return read(YamlElement(root, file_name, "", errors), findings);
}

}  // namespace

RobotDescription examine(const std::string& text, const std::string& file_name,
                         Findings& findings) {
  Findings errors;
  RobotDescription robot = read_text(text, file_name, &findings, &errors);
  findings.insert(findings.begin(), errors.begin(), errors.end());
  return robot;
}

}  // namespace torsor::internal::robot_file

namespace torsor {

RobotDescription read_robot_file(std::string_view text, const std::string& file_name,
                                 Findings* findings) {
  return internal::robot_file::read_text(text, file_name, findings, nullptr);
}

Model<double> load_robot_file(const std::string& path, Findings* findings) {
  using internal::robot_file::robot_file_limit;
  return Model<double>(read_robot_file(read_text_file(path, robot_file_limit), path, findings));
}

}  // namespace torsor
