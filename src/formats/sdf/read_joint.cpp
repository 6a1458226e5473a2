// Joints, their axes and limits, and how the tree hangs on the world.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "rpy.hpp"
#include "sdf/reader.hpp"
#include "torsor/formats/internal/file_axis.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::sdf {
namespace {

constexpr double unlimited = 1e15;  // SDF before 1.10 writes 1e16

SE3<double> translation(const Vec3<double>& p) { return {SO3<double>::identity(), p}; }

bool same(const Vec3<double>& a, const Vec3<double>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

}  // namespace

/// In the axes of the world. `usual`, in those of the joint, is what Gazebo takes where there is none.
Vec3<double> Reader::read_axis(Model& model, const XmlElement& at, const XmlElement& joint,
                               const Vec3<double>& usual, const SE3<double>& T_joint,
                               const SE3<double>& T_world) {
  if (!at) {
    const std::string letter = usual.x != 0 ? "x" : usual.y != 0 ? "y" : "z";
    notes_.say(joint, Finding::Severity::warning,
               letter == "y" ? "has no <axis2>; it is y" : "has no <axis>; it is " + letter,
               "that is what Gazebo takes, in the frame of the joint", "write the axis");
    return T_joint.R * usual;
  }
  check_names(at, notes_);
  const XmlElement xyz = first(at, "xyz");
  Vec3<double> axis{0, 0, 1};
  if (xyz) {
    const std::vector<double> v = xyz.text_numbers(3);
    axis = {v[0], v[1], v[2]};
  }
  if (std::isnan(norm(axis))) axis = {0, 0, 1};  // reported already
  if (same(axis, {})) at.fail("axis is zero");
  SO3<double> R = T_joint.R;
  const std::string in = xyz ? xyz.attribute("expressed_in").value_or("") : "";
  if (!in.empty() && in != "world")
    R = (T_world * pose_of(model, in)).R;
  else if (in == "world")
    R = SO3<double>::identity();
  else if (model.version < 5 || truth_in(at, "use_parent_model_frame", false))
    R = T_world.R;
  return R * axis;
}

void Reader::read_dof(const XmlElement& axis, Joint& joint, std::size_t dof) {
  if (!axis) return;
  const auto size = static_cast<std::size_t>(n_v(joint));
  if (const XmlElement limit = first(axis, "limit")) {
    check_names(limit, notes_);
    Limits l;
    l.lower = number_in(limit, "lower", -infinity);
    l.upper = number_in(limit, "upper", infinity);
    l.effort = number_in(limit, "effort", infinity);
    l.velocity = number_in(limit, "velocity", infinity);
    if (l.lower <= -unlimited) l.lower = -infinity;
    if (l.upper >= unlimited) l.upper = infinity;
    if (l.effort < 0 || l.effort >= unlimited) l.effort = infinity;
    if (l.velocity < 0 || l.velocity >= unlimited) l.velocity = infinity;
    if (joint.kind == JointKind::continuous) l.lower = -infinity, l.upper = infinity;
    const bool any =
        l.lower > -infinity || l.upper < infinity || l.effort < infinity || l.velocity < infinity;
    if (any) {
      joint.limits.resize(size);
      joint.limits[dof] = l;
    }
  }
  const XmlElement dynamics = first(axis, "dynamics");
  if (!dynamics) return;
  check_names(dynamics, notes_);
  Friction f;
  f.damping = number_in(dynamics, "damping", 0);
  f.coulomb = number_in(dynamics, "friction", 0);
  const JointSpring s{number_in(dynamics, "spring_stiffness", 0),
                      number_in(dynamics, "spring_reference", 0)};
  for (const double x : {f.damping, f.coulomb, s.stiffness})
    if (x < 0 || std::isinf(x))
      dynamics.fail("damping, friction and stiffness are finite and 0 or more, not " +
                    format_number(x));
  if (std::isinf(s.rest)) dynamics.fail("<spring_reference> is not finite");
  if (f.damping != 0 || f.coulomb != 0) {
    joint.friction.resize(size);
    joint.friction[dof] = f;
  }
  if (s.stiffness != 0) {
    joint.spring.resize(size);
    joint.spring[dof] = s;
  }
}

/// q_follower = multiplier (q_leader - reference) + offset
void Reader::read_mimic(const XmlElement& axis, const std::string& follower,
                        const std::string& prefix) {
  const XmlElement mimic = axis ? first(axis, "mimic") : XmlElement{};
  if (!mimic) return;
  check_names(mimic, notes_);
  const std::string which = mimic.attribute("axis").value_or("axis");
  if (which != "axis")
    return notes_.dropped(mimic, "<mimic> of a second axis", "couplings are of whole joints",
                          "remove it");
  const double multiplier = number_in(mimic, "multiplier", 1);
  Coupling row;
  row.name = follower + "_mimic";
  row.origin = mimic.origin();
  row.terms = {{follower, 1}};
  if (multiplier != 0) row.terms.push_back({prefix + mimic.required("joint"), -multiplier});
  row.offset = number_in(mimic, "offset", 0) - multiplier * number_in(mimic, "reference", 0);
  robot_.couplings.push_back(std::move(row));
}

/// `point`: the joint's origin in the child's frame, where the axis does not go through that of the child.
void Reader::place(Joint joint, const SE3<double>& T_parent_child, const Vec3<double>& point,
                   const std::string& child) {
  joint.placement = T_parent_child * translation(point);
  joint.child = child;
  carried_.insert(child);
  if (same(point, {})) {
    robot_.joints.push_back(std::move(joint));
    return;
  }
  Link between;
  between.name = fresh(joint.name + "_link", link_names_);
  between.origin = joint.origin;
  Joint fixed;
  fixed.kind = JointKind::fixed;
  fixed.name = fresh(joint.name + "_fixed", joint_names_);
  fixed.parent = between.name;
  fixed.child = child;
  fixed.placement = translation(-point);
  fixed.origin = joint.origin;
  joint.child = between.name;
  robot_.links.push_back(std::move(between));
  robot_.joints.push_back(std::move(joint));
  robot_.joints.push_back(std::move(fixed));
}

void Reader::read_joint(Model& model, const std::string& entity, const XmlElement& at,
                        const SE3<double>& T_world) {
  check_names(at, notes_);
  Joint joint;
  joint.origin = at.origin();
  const std::string own = at.required("name"), type = at.required("type");
  joint.name = model.prefix + own;
  joint_names_.insert(joint.name);
  for (const char* end : {"parent", "child"})
    if (text_in(at, end).empty()) at.fail("<joint> has no <" + std::string(end) + ">");
  const auto [parent_model, parent] = carrier(model, text_in(at, "parent"), at);
  const auto [child_model, child_link] = carrier(model, text_in(at, "child"), at);
  if (child_link.empty()) at.fail("the child of a joint cannot be the world; exchange the two");
  const std::string child = child_model->prefix + child_link;
  joint.parent = parent.empty() ? "world" : parent_model->prefix + parent;
  if (joint.parent == child) at.fail("parent and child are both " + in_quotes(child));
  if (!T_world_.contains(child) || !T_world_.contains(joint.parent)) return;  // reported already
  const SE3<double> T_child = T_world_.at(child), T_joint = T_world * pose_of(model, entity);
  const SE3<double> T_parent_child = between(T_world_.at(joint.parent), T_child);
  const Vec3<double> point = between(T_child, T_joint).p;
  const auto axis_of = [&](const char* name, const Vec3<double>& usual = {0, 0, 1}) {
    const Vec3<double> axis = read_axis(model, first(at, name), at, usual, T_joint, T_world);
    return file_axis(tidied(transpose(T_child.R) * axis, 1e-15 * norm(axis)));
  };
  const XmlElement axis = first(at, "axis"), axis2 = first(at, "axis2");
  /// Along an axis, a joint may stand anywhere.
  const auto off_axis = [](const Vec3<double>& p, const Vec3<double>& a) {
    const Vec3<double> u = a * (1 / norm(a));
    return norm(p - u * dot(u, p)) <= 1e-15 * norm(p) ? Vec3<double>{} : p;
  };
  if (type == "fixed" && carried_.contains(child)) {  // a second joint: it closes a loop
    LoopJoint weld;
    weld.name = joint.name;
    weld.origin = joint.origin;
    weld.link_a = joint.parent;
    weld.link_b = child;
    weld.placement_a = T_parent_child;
    robot_.loops.push_back(std::move(weld));
  } else if (type == "fixed") {
    joint.kind = JointKind::fixed;
    place(std::move(joint), T_parent_child, {}, child);
  } else if (type == "ball") {
    joint.kind = JointKind::spherical;
    if (axis) notes_.unused(axis, "<axis> of a ball joint", Finding::Topic::motion);
    place(std::move(joint), T_parent_child, point, child);
  } else if (type == "prismatic") {
    joint.kind = JointKind::prismatic;
    joint.axis = axis_of("axis");
    read_dof(axis, joint, 0);
    read_mimic(axis, joint.name, model.prefix);
    place(std::move(joint), T_parent_child, {}, child);
  } else if (type == "revolute" || type == "continuous" || type == "screw") {
    joint.kind = type == "revolute"     ? JointKind::revolute
                 : type == "continuous" ? JointKind::continuous
                                        : JointKind::helical;
    joint.axis = axis_of("axis");
    if (type == "screw") {
      if (first(at, "screw_thread_pitch"))  // m per turn, right-handed
        joint.pitch = number_in(at, "screw_thread_pitch", 1) / (2 * std::numbers::pi);
      else  // rad/m, left-handed
        joint.pitch = -1 / number_in(at, "thread_pitch", 1);
      if (!std::isfinite(joint.pitch)) at.fail("the pitch of the thread is not finite");
    }
    read_dof(axis, joint, 0);
    read_mimic(axis, joint.name, model.prefix);
    const Vec3<double> off = off_axis(point, joint.axis);
    place(std::move(joint), T_parent_child, off, child);
  } else if (type == "universal" || type == "revolute2") {
    const Vec3<double> a = axis_of("axis", {1, 0, 0}), b = axis_of("axis2", {0, 1, 0});
    joint.kind = JointKind::universal;
    if (!same(a, {1, 0, 0}) || !same(b, {0, 1, 0})) {
      joint.kind = JointKind::composite;
      joint.parts = {{JointKind::revolute, {}, a, 0, EulerOrder::zyx},
                     {JointKind::revolute, {}, b, 0, EulerOrder::zyx}};
    }
    read_dof(axis, joint, 0);
    read_dof(axis2, joint, 1);
    for (const XmlElement& one : {axis, axis2})
      if (one && first(one, "mimic"))
        notes_.dropped(first(one, "mimic"), "<mimic> of a joint with two axes",
                       "couplings are of joints with one coordinate", "make it two joints");
    place(std::move(joint), T_parent_child, point, child);
  } else if (type == "gearbox") {
    notes_.dropped(at, "joint of type gearbox", "it couples two other joints",
                   "write <mimic> in one of them");
  } else {
    at.fail("unknown joint type " + in_quotes(type) +
            did_you_mean(type, {"revolute", "continuous", "prismatic", "fixed", "ball", "screw",
                                "universal", "revolute2", "gearbox"}));
  }
}

void Reader::add_joints(Model& model, const SE3<double>& T_world) {
  for (const std::string& name : model.order) {
    Entity& entity = model.entities.at(name);
    notes_.attempt([&] {
      if (entity.kind == Entity::Kind::joint) {
        read_joint(model, name, entity.xml, T_world);
      } else if (entity.model) {
        add_joints(*entity.model, T_world * pose_of(model, name));
      } else if (entity.kind == Entity::Kind::frame && !name.starts_with("_merged__")) {
        const auto [owner, link] = carrier(model, name, entity.xml);
        const std::string on = link.empty() ? "world" : owner->prefix + link;
        if (T_world_.contains(on))
          robot_.frames.push_back({model.prefix + name, on,
                                   between(T_world_.at(on), T_world * pose_of(model, name)),
                                   entity.xml.origin()});
      }
    });
  }
}

/// Links that no joint carries stand still, if their model is static, or move freely.
void Reader::hold_roots() {
  std::set<std::string> carried = {"world"};
  for (const Joint& joint : robot_.joints) carried.insert(joint.child);
  const std::set<std::string> still(static_links_.begin(), static_links_.end());
  std::vector<Joint> held;
  for (const Link& link : robot_.links) {
    if (carried.contains(link.name)) continue;
    Joint joint;
    joint.kind = still.contains(link.name) ? JointKind::fixed : JointKind::free;
    joint.name =
        fresh(joint.kind == JointKind::fixed ? link.name + "_static" : "root_joint", joint_names_);
    joint.parent = "world";
    joint.child = link.name;
    joint.placement = between({}, T_world_.at(link.name));
    joint.origin = link.origin;
    held.push_back(std::move(joint));
  }
  robot_.joints.insert(robot_.joints.begin(), held.begin(), held.end());
  // What hangs on the world comes in the order of the links.
  std::unordered_map<std::string, std::size_t> place_of;
  for (std::size_t k = 0; k < robot_.links.size(); ++k) place_of[robot_.links[k].name] = k;
  for (const Joint& joint : robot_.joints)  // a link between a joint and its child
    if (joint.kind == JointKind::fixed && !T_world_.contains(joint.parent))
      place_of[joint.parent] = place_of[joint.child];
  std::stable_sort(robot_.joints.begin(), robot_.joints.end(), [&](const Joint& a, const Joint& b) {
    const bool first = a.parent == "world", second = b.parent == "world";
    return first && second ? place_of[a.child] < place_of[b.child] : first && !second;
  });
}

}  // namespace torsor::internal::sdf
