#include "robot_file/fields.hpp"
#include "torsor/formats/internal/robot_file_parts.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

using internal::yaml_scalar;
using internal::YamlFields;
using internal::robot_file::add_inertial;
using internal::robot_file::dof_fields;
using internal::robot_file::frame_fields;

/// One map, or a list of them below the key.
template <class Entry>
void add_per_dof(YamlFields& joint, const char* key, const std::vector<Entry>& entries) {
  if (entries.empty()) return;
  if (entries.size() == 1) {
    joint.raw(key, dof_fields(joint, entries[0]).flow());
    return;
  }
  std::string list(1, '[');
  for (const Entry& entry : entries)
    (list += list.size() > 1 ? ",\n      " : "") += dof_fields(joint, entry).flow();
  joint.raw(key, list + ']');
}

YamlFields fields(const YamlFields& of, const Geometry& g) {
  using Shape = Geometry::Shape;
  YamlFields f(of.element());
  switch (g.shape) {
    case Shape::box:
      f.raw("shape", "box").required("size", g.size);
      break;
    case Shape::cylinder:
    case Shape::capsule:
      f.raw("shape", g.shape == Shape::cylinder ? "cylinder" : "capsule")
          .required("radius", g.size.x)
          .required("length", g.size.y);
      break;
    case Shape::sphere:
      f.raw("shape", "sphere").required("radius", g.size.x);
      break;
    case Shape::mesh:
      f.raw("shape", "mesh").raw("file", yaml_scalar(g.mesh_file, of.element()));
      f.vector("scale", g.size, {1, 1, 1});
      break;
  }
  if (g.collision) f.raw("collision", "true");
  f.text("name", g.name).text("material", g.material);
  if (!g.rgba.empty()) f.raw("rgba", f.list(g.rgba, "rgba"));
  return f.pose("placement", g.placement);
}

template <class Element>
YamlFields named(const char* kind, const Element& element) {
  YamlFields f(std::string(kind) + " " + in_quotes(element.name));
  f.raw("name", yaml_scalar(element.name, f.element()));
  return f;
}

YamlFields fields(const Link& link) {
  YamlFields f = named("body", link);
  if (link.has_inertial) add_inertial(f, link.inertial);
  if (!link.geometry.empty()) {
    std::string list;
    for (const Geometry& g : link.geometry) list += "\n      - " + fields(f, g).flow();
    f.raw("geometry", list);
  }
  return f;
}

template <class JointOrPart>
void add_shape(YamlFields& f, const JointOrPart& joint) {
  f.pose("placement", joint.placement);
  if (has_axis(joint.kind)) f.vector("axis", joint.axis, {0, 0, 1});
  if (has_pitch(joint.kind)) f.number("pitch", joint.pitch);
  if (has_order(joint.kind) && joint.order != EulerOrder::zyx) f.raw("order", name_of(joint.order));
}

YamlFields fields(const Joint& joint) {
  YamlFields f = named("joint", joint);
  f.raw("type", name_of(joint.kind));
  f.raw("parent", yaml_scalar(joint.parent, f.element()));
  f.raw("child", yaml_scalar(joint.child, f.element()));
  add_shape(f, joint);
  if (joint.kind == JointKind::composite) {
    std::string list;
    for (const JointPart& part : joint.parts) {
      YamlFields p(f.element());
      p.raw("type", name_of(part.kind));
      add_shape(p, part);
      list += "\n      - " + p.flow();
    }
    f.raw("parts", list);
  }
  add_per_dof(f, "limits", joint.limits);
  add_per_dof(f, "friction", joint.friction);
  add_per_dof(f, "actuator", joint.actuator);
  add_per_dof(f, "spring", joint.spring);
  return f;
}

YamlFields fields(const FrameOnLink& frame) { return frame_fields(frame); }

YamlFields fields(const LoopJoint& loop) {
  YamlFields f = named("loop", loop);
  f.raw("type", name_of(loop.kind));
  f.raw("link_a", yaml_scalar(loop.link_a, f.element()));
  f.raw("link_b", yaml_scalar(loop.link_b, f.element()));
  f.pose("placement_a", loop.placement_a).pose("placement_b", loop.placement_b);
  f.vector("axis", loop.axis, {0, 0, 1});
  if (loop.kind == LoopJoint::Kind::distance) f.required("distance", loop.distance);
  return f;
}

YamlFields fields(const Coupling& coupling) {
  YamlFields f = named("coupling", coupling), terms(f.element());
  for (const Coupling::Term& term : coupling.terms)
    terms.required(yaml_scalar(term.joint, f.element()).c_str(), term.factor);
  f.raw("terms", terms.flow());
  return f.number("offset", coupling.offset);
}

YamlFields fields(const SpringDamper& spring) {
  YamlFields f = named("spring", spring);
  f.text("link_a", spring.link_a).text("link_b", spring.link_b);
  f.vector("point_a", spring.point_a).vector("point_b", spring.point_b);
  return f.number("stiffness", spring.stiffness)
      .number("rest_length", spring.rest_length)
      .number("damping", spring.damping)
      .number("preload", spring.preload);
}

YamlFields fields(const Motor& motor) { return internal::robot_file::motor_fields(motor); }

YamlFields fields(const NamedConfiguration& configuration) {
  YamlFields f = named("configuration", configuration), q(f.element());
  for (const NamedConfiguration::Entry& entry : configuration.entries) {
    const std::string joint = yaml_scalar(entry.joint, f.element());
    if (entry.q.size() == 1)
      q.required(joint.c_str(), entry.q[0]);
    else
      q.raw(joint.c_str(), q.list(entry.q, "q"));
  }
  f.raw("q", q.flow());
  return f;
}

template <class Element>
std::string section(const char* key, const std::vector<Element>& elements) {
  if (elements.empty()) return {};
  std::string out = std::string(key) + ":\n";
  for (const Element& element : elements) out += fields(element).block(2, "- ");
  return out;
}

}  // namespace

std::string write_robot_file(const RobotDescription& robot) {
  YamlFields head("robot " + in_quotes(robot.name));
  head.raw("robot", yaml_scalar(robot.name, head.element())).text("source", robot.source);
  head.required("gravity", robot.gravity).pose("base", robot.base);
  head.raw("root", yaml_scalar(robot.root, head.element()));
  return head.block(0) + section("bodies", robot.links) + section("joints", robot.joints) +
         section("frames", robot.frames) + section("loops", robot.loops) +
         section("couplings", robot.couplings) + section("springs", robot.springs) +
         section("motors", robot.motors) + section("configurations", robot.configurations);
}

void save_robot_file(const RobotDescription& robot, const std::string& path) {
  write_text_file_atomically(path, write_robot_file(robot));
}

}  // namespace torsor
