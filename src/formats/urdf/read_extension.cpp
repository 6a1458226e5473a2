#include "torsor/formats/text.hpp"
#include "urdf/elements.hpp"

namespace torsor::internal::urdf {
namespace {

LoopJoint::Kind read_loop_kind(const XmlElement& element) {
  using Kind = LoopJoint::Kind;
  const std::string kind = element.required("kind");
  std::vector<std::string> known;
  for (const Kind k : {Kind::weld, Kind::revolute, Kind::prismatic, Kind::universal,
                       Kind::cylindrical, Kind::spherical, Kind::distance}) {
    if (kind == name_of(k)) return k;
    known.emplace_back(name_of(k));
  }
  element.fail("unknown loop kind " + in_quotes(kind) + did_you_mean(kind, known));
}

FrameOnLink read_frame(const XmlElement& element, Notes& notes) {
  notes.check_names(element, {"origin"}, {"name", "link"});
  return {element.required("name"), element.required("link"),
          read_pose(element.child("origin"), notes), element.origin()};
}

LoopJoint read_loop(const XmlElement& element, Notes& notes) {
  notes.check_names(element, {"torsor:a", "torsor:b", "axis"}, {"name", "kind", "distance"});
  LoopJoint loop;
  loop.name = element.attribute("name").value_or("");
  loop.kind = read_loop_kind(element);
  const XmlElement a = element.required_child("torsor:a"), b = element.required_child("torsor:b");
  loop.link_a = a.required("link");
  loop.link_b = b.required("link");
  loop.placement_a = read_pose(a, notes, {"link"});
  loop.placement_b = read_pose(b, notes, {"link"});
  if (const XmlElement axis = element.child("axis")) loop.axis = read_axis(axis, notes);
  loop.distance = element.number("distance", 0);
  if (loop.distance < 0)
    element.fail("distance is negative (" + format_number(loop.distance) + " m)");
  loop.origin = element.origin();
  return loop;
}

CouplingRow read_coupling(const XmlElement& element, Notes& notes) {
  notes.check_names(element, {"torsor:term"}, {"name", "offset", "row"});
  CouplingRow row;
  row.coupling.name = element.attribute("name").value_or("");
  row.coupling.offset = element.number("offset", 0);
  row.coupling.origin = element.origin();
  for (const XmlElement& term : element.children("torsor:term")) {
    notes.check_names(term, {}, {"joint", "factor"});
    row.coupling.terms.push_back({term.required("joint"), term.number("factor", 1)});
    if (row.coupling.terms.back().factor == 0)
      term.fail("<torsor:term> factor is 0: joint " + in_quotes(term.required("joint")) +
                " does not take part");
  }
  if (row.coupling.terms.empty()) element.fail("has no <torsor:term>");
  row.placed = element.attribute("row").has_value();
  row.row = element.number("row", 0);
  return row;
}

Motor read_motor(const XmlElement& element, Notes& notes) {
  notes.check_names(element, {"torsor:term", "torsor:friction"}, {"name", "rotor_inertia"});
  Motor motor;
  motor.name = element.required("name");
  motor.origin = element.origin();
  motor.rotor_inertia = element.number("rotor_inertia", 0);
  if (motor.rotor_inertia < 0)
    element.fail("rotor_inertia is negative (" + format_number(motor.rotor_inertia) + " kg m^2)");
  for (const XmlElement& term : element.children("torsor:term")) {
    notes.check_names(term, {}, {"joint", "ratio"});
    motor.ratios.push_back({term.required("joint"), term.number("ratio", 1)});
    if (motor.ratios.back().factor == 0)
      term.fail("<torsor:term> ratio is 0: joint " + in_quotes(term.required("joint")) +
                " does not turn the motor");
  }
  if (motor.ratios.empty()) element.fail("has no <torsor:term>");
  if (const XmlElement friction = notes.child(element, "torsor:friction")) {
    std::vector<std::string> attributes;
    for (const auto& field : friction_fields) {
      attributes.emplace_back(field.name);
      motor.friction.*field.member = friction.number(field.name, 0);
    }
    notes.check_names(friction, {}, attributes);
    refuse_negative(motor.friction, friction, notes);
  }
  return motor;
}

SpringDamper read_spring(const XmlElement& element, Notes& notes) {
  notes.check_names(element, {"torsor:a", "torsor:b"},
                    {"name", "stiffness", "rest_length", "damping", "preload"});
  SpringDamper spring;
  spring.name = element.attribute("name").value_or("");
  const XmlElement a = element.required_child("torsor:a"), b = element.required_child("torsor:b");
  for (const XmlElement& end : {a, b}) notes.check_names(end, {}, {"link", "xyz"});
  spring.link_a = a.required("link");
  spring.link_b = b.required("link");
  spring.point_a = a.vec3("xyz", {});
  spring.point_b = b.vec3("xyz", {});
  spring.stiffness = element.number("stiffness", 0);
  spring.rest_length = element.number("rest_length", 0);
  spring.damping = element.number("damping", 0);
  spring.preload = element.number("preload", 0);
  spring.origin = element.origin();
  return spring;
}

NamedConfiguration read_configuration(const XmlElement& element, Notes& notes) {
  notes.check_names(element, {"torsor:position"}, {"name"});
  NamedConfiguration configuration;
  configuration.name = element.required("name");
  configuration.origin = element.origin();
  for (const XmlElement& at : element.children("torsor:position")) {
    notes.check_names(at, {}, {"joint", "q"});
    configuration.entries.push_back({at.required("joint"), at.numbers("q", 1, 100)});
  }
  return configuration;
}

}  // namespace

void read_extension(const XmlElement& element, Notes& notes, RobotDescription& robot,
                    std::vector<CouplingRow>& couplings) {
  const std::string name = element.name();
  if (name == "torsor:gravity") {
    notes.check_names(element, {}, {"xyz"});
    robot.gravity = element.vec3("xyz");
  } else if (name == "torsor:base") {
    notes.check_names(element, {"origin"}, {});
    robot.base = read_pose(element.child("origin"), notes);
  } else if (name == "torsor:frame") {
    robot.frames.push_back(read_frame(element, notes));
  } else if (name == "torsor:loop") {
    robot.loops.push_back(read_loop(element, notes));
  } else if (name == "torsor:coupling") {
    couplings.push_back(read_coupling(element, notes));
  } else if (name == "torsor:spring_damper") {
    robot.springs.push_back(read_spring(element, notes));
  } else if (name == "torsor:motor") {
    robot.motors.push_back(read_motor(element, notes));
  } else if (name == "torsor:configuration") {
    robot.configurations.push_back(read_configuration(element, notes));
  }
}

}  // namespace torsor::internal::urdf
