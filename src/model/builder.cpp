#include "torsor/model/builder.hpp"

#include <utility>

namespace torsor {
namespace {

/// Two bodies as one, about their common centre of mass.
Inertial combined(const Inertial& a, const Inertial& b) {
  using Body = Inertia<double>;
  const Body sum =
      Body::at_com(a.mass, a.com, a.about_com) + Body::at_com(b.mass, b.com, b.about_com);
  if (sum.m == 0) return {0, b.com, a.about_com + b.about_com};
  const Vec3<double> com = sum.h * (1 / sum.m);
  return {sum.m, com, sum.J - Body::parallel_axes(sum.m, com)};
}

template <class Element>
std::vector<std::string> names_of(const std::vector<Element>& elements) {
  std::vector<std::string> names;
  for (const Element& e : elements) names.push_back(e.name);
  return names;
}

}  // namespace

template <class Entry>
JointBuilder& JointBuilder::set(std::vector<Entry> Joint::*entries, const Entry& entry) {
  Joint& joint = builder_->description_.joints[joint_];
  (joint.*entries).assign(static_cast<std::size_t>(n_v(joint)), entry);
  return *this;
}
template <class Entry>
JointBuilder& JointBuilder::set(std::vector<Entry> Joint::*entries, int dof, const Entry& entry) {
  Joint& joint = builder_->description_.joints[joint_];
  const int n = n_v(joint);
  if (dof < 0 || dof >= n)
    throw Error("joint \"" + joint.name + "\" has " + std::to_string(n) +
                " degrees of freedom; there is no number " + std::to_string(dof));
  (joint.*entries).resize(static_cast<std::size_t>(n));
  (joint.*entries)[static_cast<std::size_t>(dof)] = entry;
  return *this;
}

JointBuilder& JointBuilder::limits(double lower, double upper, double velocity, double effort) {
  Limits l;
  l.lower = lower, l.upper = upper, l.velocity = velocity, l.effort = effort;
  return limits(l);
}
JointBuilder& JointBuilder::limits(const Limits& limits) { return set(&Joint::limits, limits); }
JointBuilder& JointBuilder::limits(int dof, const Limits& limits) {
  return set(&Joint::limits, dof, limits);
}
JointBuilder& JointBuilder::friction(const Friction& friction) {
  return set(&Joint::friction, friction);
}
JointBuilder& JointBuilder::friction(int dof, const Friction& friction) {
  return set(&Joint::friction, dof, friction);
}
JointBuilder& JointBuilder::rotor(double inertia, double gear_ratio) {
  Actuator motor;
  motor.rotor_inertia = inertia, motor.gear_ratio = gear_ratio;
  return actuator(motor);
}
JointBuilder& JointBuilder::actuator(const Actuator& actuator) {
  return set(&Joint::actuator, actuator);
}
JointBuilder& JointBuilder::actuator(int dof, const Actuator& actuator) {
  return set(&Joint::actuator, dof, actuator);
}
JointBuilder& JointBuilder::spring(double stiffness, double rest) {
  return set(&Joint::spring, JointSpring{stiffness, rest});
}
JointBuilder& JointBuilder::spring(int dof, const JointSpring& spring) {
  return set(&Joint::spring, dof, spring);
}

Link& ModelBuilder::known_link(const std::string& name, const char* user) {
  for (Link& link : description_.links)
    if (link.name == name) return link;
  throw Error(std::string(user) + ": link \"" + name + "\" does not exist" +
              did_you_mean(name, names_of(description_.links)));
}
void ModelBuilder::need_joint(const std::string& name, const char* user) const {
  if (description_.find_joint(name)) return;
  throw Error(std::string(user) + ": joint \"" + name + "\" does not exist" +
              did_you_mean(name, names_of(description_.joints)));
}

ModelBuilder& ModelBuilder::link(const std::string& name) {
  if (!description_.find_link(name)) {
    description_.links.emplace_back();
    description_.links.back().name = name;
  }
  return *this;
}
ModelBuilder& ModelBuilder::inertia(const std::string& link, double mass, const Vec3<double>& com,
                                    const Sym3<double>& about_com) {
  Link& to = known_link(link, "inertia");
  const Inertial more{mass, com, about_com};
  to.inertial = to.has_inertial ? combined(to.inertial, more) : more;
  to.has_inertial = true;
  return *this;
}
ModelBuilder& ModelBuilder::geometry(const std::string& link, Geometry geometry) {
  known_link(link, "geometry").geometry.push_back(std::move(geometry));
  return *this;
}
ModelBuilder& ModelBuilder::frame(const std::string& name, const std::string& link,
                                  const Pose& placement) {
  known_link(link, "frame");
  description_.frames.push_back({name, link, placement, {}});
  return *this;
}
ModelBuilder& ModelBuilder::gravity(const Vec3<double>& g) {
  description_.gravity = g;
  return *this;
}
ModelBuilder& ModelBuilder::base(const Pose& T_world_root) {
  description_.base = T_world_root;
  return *this;
}

JointBuilder ModelBuilder::joint(Joint joint) {
  link(joint.parent);
  link(joint.child);
  description_.joints.push_back(std::move(joint));
  return {*this, description_.joints.size() - 1};
}
JointBuilder ModelBuilder::add(JointKind kind, const std::string& name, const std::string& parent,
                               const std::string& child, const Pose& placement, const Axis& axis) {
  Joint j;
  j.name = name;
  j.kind = kind;
  j.parent = parent;
  j.child = child;
  j.placement = placement;
  j.axis = axis;
  return joint(std::move(j));
}

JointBuilder ModelBuilder::fixed(const std::string& name, const std::string& parent,
                                 const std::string& child, const Pose& placement) {
  return add(JointKind::fixed, name, parent, child, placement);
}
JointBuilder ModelBuilder::revolute(const std::string& name, const std::string& parent,
                                    const std::string& child, const Pose& placement,
                                    const Axis& axis) {
  return add(JointKind::revolute, name, parent, child, placement, axis);
}
JointBuilder ModelBuilder::continuous(const std::string& name, const std::string& parent,
                                      const std::string& child, const Pose& placement,
                                      const Axis& axis) {
  return add(JointKind::continuous, name, parent, child, placement, axis);
}
JointBuilder ModelBuilder::prismatic(const std::string& name, const std::string& parent,
                                     const std::string& child, const Pose& placement,
                                     const Axis& axis) {
  return add(JointKind::prismatic, name, parent, child, placement, axis);
}
JointBuilder ModelBuilder::helical(const std::string& name, const std::string& parent,
                                   const std::string& child, double pitch, const Pose& placement,
                                   const Axis& axis) {
  JointBuilder added = add(JointKind::helical, name, parent, child, placement, axis);
  description_.joints.back().pitch = pitch;
  return added;
}
JointBuilder ModelBuilder::cylindrical(const std::string& name, const std::string& parent,
                                       const std::string& child, const Pose& placement,
                                       const Axis& axis) {
  return add(JointKind::cylindrical, name, parent, child, placement, axis);
}
JointBuilder ModelBuilder::universal(const std::string& name, const std::string& parent,
                                     const std::string& child, const Pose& placement) {
  return add(JointKind::universal, name, parent, child, placement);
}
JointBuilder ModelBuilder::planar(const std::string& name, const std::string& parent,
                                  const std::string& child, const Pose& placement,
                                  const Axis& normal) {
  return add(JointKind::planar, name, parent, child, placement, normal);
}
JointBuilder ModelBuilder::translational(const std::string& name, const std::string& parent,
                                         const std::string& child, const Pose& placement) {
  return add(JointKind::translational, name, parent, child, placement);
}
JointBuilder ModelBuilder::spherical(const std::string& name, const std::string& parent,
                                     const std::string& child, const Pose& placement) {
  return add(JointKind::spherical, name, parent, child, placement);
}
JointBuilder ModelBuilder::spherical_euler(const std::string& name, const std::string& parent,
                                           const std::string& child, EulerOrder order,
                                           const Pose& placement) {
  JointBuilder added = add(JointKind::spherical_euler, name, parent, child, placement);
  description_.joints.back().order = order;
  return added;
}
JointBuilder ModelBuilder::free(const std::string& name, const std::string& parent,
                                const std::string& child, const Pose& placement) {
  return add(JointKind::free, name, parent, child, placement);
}
JointBuilder ModelBuilder::free_euler(const std::string& name, const std::string& parent,
                                      const std::string& child, EulerOrder order,
                                      const Pose& placement) {
  JointBuilder added = add(JointKind::free_euler, name, parent, child, placement);
  description_.joints.back().order = order;
  return added;
}
JointBuilder ModelBuilder::composite(const std::string& name, const std::string& parent,
                                     const std::string& child, std::vector<JointPart> parts,
                                     const Pose& placement) {
  JointBuilder added = add(JointKind::composite, name, parent, child, placement);
  description_.joints.back().parts = std::move(parts);
  return added;
}

ModelBuilder& ModelBuilder::loop(const LoopJoint& loop) {
  known_link(loop.link_a, "loop");
  known_link(loop.link_b, "loop");
  description_.loops.push_back(loop);
  return *this;
}
ModelBuilder& ModelBuilder::coupling(const std::string& name, std::vector<Coupling::Term> terms,
                                     double offset) {
  for (const Coupling::Term& term : terms) need_joint(term.joint, "coupling");
  description_.couplings.push_back({name, std::move(terms), offset, {}});
  return *this;
}
ModelBuilder& ModelBuilder::mimic(const std::string& follower, const std::string& leader,
                                  double ratio, double offset) {
  return coupling(follower + "_mimic", {{follower, 1}, {leader, -ratio}}, offset);
}
ModelBuilder& ModelBuilder::motor(const Motor& motor) {
  for (const Coupling::Term& term : motor.ratios) need_joint(term.joint, "motor");
  description_.motors.push_back(motor);
  return *this;
}
ModelBuilder& ModelBuilder::spring_damper(const SpringDamper& spring) {
  for (const std::string& link : {spring.link_a, spring.link_b})
    if (!link.empty()) known_link(link, "spring");
  description_.springs.push_back(spring);
  return *this;
}

}  // namespace torsor
