#include "torsor/model/surgery.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "torsor/model/configuration.hpp"
#include "torsor/model/internal/loop_rows.hpp"
#include "torsor/model/text.hpp"

namespace torsor {
namespace {

using Names = std::unordered_set<std::string>;

/// The description to cut, where it says all about the model.
RobotDescription description_of(const Model<double>& model) {
  if (!model.is_described())
    throw Error("robot \"" + model.name() +
                "\" has inertial parameters of no possible body; it cannot be changed");
  return model.description();
}

const Link& link_of(const RobotDescription& robot, const std::string& name) {
  if (const Link* link = robot.find_link(name)) return *link;
  std::vector<std::string> known;
  for (const Link& link : robot.links) known.push_back(link.name);
  throw Error("robot \"" + robot.name + "\" has no link \"" + name + "\"" +
              did_you_mean(name, known));
}

std::string root_of(const RobotDescription& robot) {
  Names children;
  for (const Joint& joint : robot.joints) children.insert(joint.child);
  for (const Link& link : robot.links)
    if (!children.contains(link.name)) return link.name;
  return {};
}

Names link_and_frame_names(const RobotDescription& robot) {
  Names names;
  for (const Link& link : robot.links) names.insert(link.name);
  for (const FrameOnLink& frame : robot.frames) names.insert(frame.name);
  return names;
}
template <class Element>
Names names_of(const std::vector<Element>& elements) {
  Names names;
  for (const Element& e : elements) names.insert(e.name);
  return names;
}
std::string unused(const std::string& name, const Names& taken) {
  std::string result = name;
  for (int k = 1; taken.contains(result); ++k) result = name + "_" + std::to_string(k);
  return result;
}

[[noreturn]] void refuse(const Origin& origin, const char* type, const std::string& name,
                         const std::string& kept, const std::string& dropped) {
  throw Error(origin.prefix() + type + " \"" + name + "\" ties \"" + kept +
              "\", which stays, to \"" + dropped + "\", which does not");
}

/// Keeps the elements all of whose `uses` are kept, drops those with none, refuses the others.
template <class Element, class Uses>
void keep_whole(std::vector<Element>& elements, const char* type, const Names& kept, Uses uses) {
  std::vector<Element> result;
  for (Element& e : elements) {
    std::string in, out;
    for (const std::string& name : uses(e)) (kept.contains(name) ? in : out) = name;
    if (!in.empty() && !out.empty()) refuse(e.origin, type, e.name, in, out);
    if (out.empty()) result.push_back(std::move(e));
  }
  elements = std::move(result);
}

/// Locked joints enter a coupling as constants.
void lock_couplings(RobotDescription& robot, const std::unordered_map<std::string, double>& value) {
  std::vector<Coupling> result;
  for (Coupling& c : robot.couplings) {
    std::vector<Coupling::Term> terms;
    double scale = std::abs(c.offset);
    for (const Coupling::Term& term : c.terms) {
      const auto locked = value.find(term.joint);
      if (locked == value.end()) {
        terms.push_back(term);
        continue;
      }
      c.offset -= term.factor * locked->second;
      scale += std::abs(term.factor * locked->second);
    }
    c.terms = std::move(terms);
    if (c.terms.empty() && std::abs(c.offset) > 1e-9 * (1 + scale))
      throw Error(c.origin.prefix() + "coupling \"" + c.name +
                  "\" does not hold where its joints are locked: it is off by " + number(c.offset));
    if (!c.terms.empty()) result.push_back(std::move(c));
  }
  robot.couplings = std::move(result);
}

/// Loops whose two ends are now on one body: they hold always and are removed, or can never hold.
void lock_loops(RobotDescription& robot) {
  if (robot.loops.empty()) return;
  std::vector<LoopJoint> loops = std::move(robot.loops);
  robot.loops.clear();
  const Model<double> tree(robot);
  for (LoopJoint& loop : loops) {
    const Frame &a = tree.frame(loop.link_a), &b = tree.frame(loop.link_b);
    if (a.body != b.body) {
      robot.loops.push_back(std::move(loop));
      continue;
    }
    const SE3<double> turn{internal::turn_to(loop.axis * (1 / norm(loop.axis))), {}};
    const SE3<double> T_a = a.placement * loop.placement_a * turn;
    const SE3<double> T_b = b.placement * loop.placement_b * turn;
    LoopConstraint row;
    row.kind = loop.kind, row.distance = loop.distance;
    double phi[internal::max_loop_rows]{}, off = 0;
    const int n = internal::loop_residual(row, T_a, T_b, phi);
    for (int k = 0; k < n; ++k)
      if (!(std::abs(phi[k]) <= off)) off = std::abs(phi[k]);
    constexpr double closed = 1e-6;  // m and rad
    if (!(off <= closed))
      throw Error(loop.origin.prefix() + "loop \"" + loop.name +
                  "\" is not closed where its joints are locked: it is off by " + number(off));
  }
}

[[noreturn]] void not_below(const RobotDescription& robot, const std::string& from,
                            const std::string& to) {
  throw Error("robot \"" + robot.name + "\": link \"" + to + "\" is not below link \"" + from +
              "\"");
}

/// The children of links that are kept, by the joints that count.
template <class Counts>
void add_below(const RobotDescription& robot, Names& kept, Counts counts) {
  for (bool grown = true; grown;) {
    grown = false;
    for (const Joint& joint : robot.joints)
      if (counts(joint) && kept.contains(joint.parent))
        grown = kept.insert(joint.child).second || grown;
  }
}

/// The links from `to` up to `from`, and all that is fixed to them.
Names chain_links(const RobotDescription& robot, const std::string& from, const std::string& to) {
  std::unordered_map<std::string, const Joint*> above;
  for (const Joint& joint : robot.joints) above[joint.child] = &joint;
  Names kept{to};
  for (std::string at = to; at != from;) {
    const auto joint = above.find(at);
    if (joint == above.end()) not_below(robot, from, to);
    kept.insert(at = joint->second->parent);
  }
  add_below(robot, kept, [](const Joint& joint) { return joint.kind == JointKind::fixed; });
  return kept;
}

template <class Element, class Keep>
void keep_if(std::vector<Element>& elements, Keep keep) {
  std::vector<Element> result;
  for (Element& e : elements)
    if (keep(e)) result.push_back(std::move(e));
  elements = std::move(result);
}

/// Pose of a link in the world at the neutral configuration.
SE3<double> neutral_pose(const Model<double>& model, const std::string& link) {
  Array<double> q(model.n_q());
  neutral(model, q);
  const Frame& frame = model.frame(link);
  SE3<double> T = frame.placement;
  for (int i = frame.body; i > 0; i = model.body(i).parent) T = joint_pose(model, i, q) * T;
  return T;
}

/// New names for the elements of an appended robot: those that are taken get the prefix.
class Renaming {
 public:
  Renaming(std::string prefix, Names taken)
      : prefix_(std::move(prefix)), taken_(std::move(taken)) {}

  std::string add(const std::string& name, const char* type) {
    const std::string fresh = taken_.contains(name) ? prefix_ + name : name;
    if (!taken_.insert(fresh).second)
      throw Error(std::string(type) + " \"" + fresh + "\" is in both robots; give another prefix");
    return new_name_[name] = fresh;
  }
  /// The empty name stays: it stands for the ground.
  const std::string& operator()(const std::string& name) const {
    const auto found = new_name_.find(name);
    return found == new_name_.end() ? name : found->second;
  }

 private:
  std::string prefix_;
  Names taken_;
  std::unordered_map<std::string, std::string> new_name_;
};

/// An unnamed element stays unnamed.
template <class Element>
void append_named(std::vector<Element>& to, std::vector<Element> from, const char* type,
                  const std::string& prefix) {
  Renaming names(prefix, names_of(to));
  for (Element& e : from) {
    if (!e.name.empty()) e.name = names.add(e.name, type);
    to.push_back(std::move(e));
  }
}

}  // namespace

Model<double> lock_joints(const Model<double>& model, const std::vector<std::string>& joints,
                          In<double> q) {
  RobotDescription robot = description_of(model);
  Array<double> x(q.begin(), q.end());
  check_configuration(model, x);
  std::unordered_map<std::string, double> value;
  for (const std::string& name : joints) {
    const int i = model.joint_index(name);
    value[name] = x[model.body(i).q.first];
    // Relative to the file's joint frame: the model's placement starts at the parent's body.
    const SE3<double> T_joint_child =
        inverse_times(model.body(i).placement, joint_pose(model, i, x));
    for (Joint& joint : robot.joints) {
      if (joint.name != name || joint.kind == JointKind::fixed) continue;  // named twice
      Joint fixed;
      fixed.name = name;
      fixed.kind = JointKind::fixed;
      fixed.parent = joint.parent;
      fixed.child = joint.child;
      fixed.placement = joint.placement * T_joint_child;
      fixed.origin = joint.origin;
      joint = std::move(fixed);
    }
  }
  lock_couplings(robot, value);
  for (Motor& motor : robot.motors)  // a joint that stands still does not turn it
    std::erase_if(motor.ratios, [&](const auto& term) { return value.contains(term.joint); });
  std::erase_if(robot.motors, [](const Motor& motor) { return motor.ratios.empty(); });
  for (NamedConfiguration& c : robot.configurations)
    std::erase_if(c.entries, [&](const auto& entry) { return value.contains(entry.joint); });
  lock_loops(robot);
  return Model<double>(std::move(robot));
}

Model<double> extract(const Model<double>& model, const std::string& from,
                      const std::string& to_link) {
  RobotDescription robot = description_of(model);
  const std::string root = root_of(robot), from_link = from.empty() ? root : from;
  link_of(robot, from_link);
  Names kept{from_link};
  if (to_link.empty())
    add_below(robot, kept, [](const Joint&) { return true; });
  else
    kept = chain_links(robot, from_link, link_of(robot, to_link).name);

  keep_if(robot.links, [&](const Link& link) { return kept.contains(link.name); });
  keep_if(robot.joints, [&](const Joint& joint) {
    return kept.contains(joint.child) && joint.child != from_link;
  });
  keep_if(robot.frames, [&](const FrameOnLink& frame) { return kept.contains(frame.link); });
  const Names joints = names_of(robot.joints);
  using Uses = std::vector<std::string>;
  keep_whole(robot.loops, "loop", kept, [](const LoopJoint& l) {
    return Uses{l.link_a, l.link_b};
  });
  const auto joints_of = [](const std::vector<Coupling::Term>& terms) {
    Uses uses;
    for (const Coupling::Term& term : terms) uses.push_back(term.joint);
    return uses;
  };
  keep_whole(robot.couplings, "coupling", joints,
             [&](const Coupling& c) { return joints_of(c.terms); });
  keep_whole(robot.motors, "motor", joints, [&](const Motor& m) { return joints_of(m.ratios); });
  keep_whole(robot.springs, "spring", kept, [&](const SpringDamper& s) {
    return Uses{s.link_a.empty() ? root : s.link_a, s.link_b.empty() ? root : s.link_b};
  });
  for (NamedConfiguration& c : robot.configurations)
    std::erase_if(c.entries, [&](const auto& entry) { return !joints.contains(entry.joint); });
  robot.base = neutral_pose(model, from_link);
  robot.root = from_link;
  return Model<double>(std::move(robot));
}

Model<double> append(const Model<double>& model, const Model<double>& other,
                     const std::string& link, const SE3<double>& placement,
                     const std::string& prefix) {
  RobotDescription robot = description_of(model), more = description_of(other);
  const auto frame = std::find_if(robot.frames.begin(), robot.frames.end(),
                                  [&](const FrameOnLink& f) { return f.name == link; });
  const bool on_frame = robot.find_link(link) == nullptr && frame != robot.frames.end();
  const std::string mount = on_frame ? frame->link : link_of(robot, link).name;
  const std::string root = root_of(more), front = prefix.empty() ? more.name + "_" : prefix;

  Renaming links(front, link_and_frame_names(robot)), joints(front, names_of(robot.joints));
  for (Link& l : more.links) l.name = links.add(l.name, "link");
  for (FrameOnLink& f : more.frames) {
    f.link = links(f.link);
    f.name = links.add(f.name, "frame");
  }
  for (Joint& j : more.joints) {
    j.name = joints.add(j.name, "joint");
    j.parent = links(j.parent), j.child = links(j.child);
  }
  for (LoopJoint& l : more.loops) l.link_a = links(l.link_a), l.link_b = links(l.link_b);
  for (Coupling& c : more.couplings)
    for (Coupling::Term& term : c.terms) term.joint = joints(term.joint);
  for (Motor& m : more.motors)
    for (Coupling::Term& term : m.ratios) term.joint = joints(term.joint);
  for (NamedConfiguration& c : more.configurations)
    for (NamedConfiguration::Entry& entry : c.entries) entry.joint = joints(entry.joint);
  for (SpringDamper& s : more.springs) {  // its ground is its root link
    s.link_a = links(s.link_a.empty() ? root : s.link_a);
    s.link_b = links(s.link_b.empty() ? root : s.link_b);
  }

  Joint joint;
  joint.kind = JointKind::fixed;
  joint.parent = mount;
  joint.child = links(root);
  joint.placement = on_frame ? frame->placement * placement : placement;
  robot.links.insert(robot.links.end(), more.links.begin(), more.links.end());
  robot.frames.insert(robot.frames.end(), more.frames.begin(), more.frames.end());
  robot.joints.insert(robot.joints.end(), more.joints.begin(), more.joints.end());
  joint.name = unused(joint.child + "_mount", names_of(robot.joints));
  robot.joints.push_back(joint);
  append_named(robot.loops, std::move(more.loops), "loop", front);
  append_named(robot.couplings, std::move(more.couplings), "coupling", front);
  append_named(robot.springs, std::move(more.springs), "spring", front);
  append_named(robot.motors, std::move(more.motors), "motor", front);
  append_named(robot.configurations, std::move(more.configurations), "configuration", front);
  return Model<double>(std::move(robot));
}

Model<double> with_base(const Model<double>& model, JointKind kind, const std::string& name) {
  RobotDescription robot = description_of(model);
  if (kind == JointKind::composite) throw Error("with_base: a composite joint needs parts");
  Link world;
  world.name = unused("world", link_and_frame_names(robot));
  Joint joint;
  joint.name = unused(name, names_of(robot.joints));
  joint.kind = kind;
  joint.parent = world.name;
  joint.child = root_of(robot);
  robot.root = world.name;
  robot.links.insert(robot.links.begin(), world);
  robot.joints.insert(robot.joints.begin(), joint);
  return Model<double>(std::move(robot));
}
Model<double> with_base(const Model<double>& model, const SE3<double>& T_world_root) {
  RobotDescription robot = description_of(model);
  robot.base = T_world_root;
  return Model<double>(std::move(robot));
}

Model<double> add_frame(const Model<double>& model, const std::string& name,
                        const std::string& link, const SE3<double>& T_link_frame) {
  RobotDescription robot = description_of(model);
  robot.frames.push_back({name, link, T_link_frame, {}});
  return Model<double>(std::move(robot));
}

Model<double> attach_payload(const Model<double>& model, const std::string& link,
                             const Inertial& payload, const SE3<double>& placement,
                             const std::string& name) {
  RobotDescription robot = description_of(model);
  Link body;
  body.name = unused(name, link_and_frame_names(robot));
  body.inertial = payload;
  body.has_inertial = true;
  Joint joint;
  joint.name = unused(body.name + "_mount", names_of(robot.joints));
  joint.kind = JointKind::fixed;
  joint.parent = link_of(robot, link).name;
  joint.child = body.name;
  joint.placement = placement;
  robot.links.push_back(body);
  robot.joints.push_back(joint);
  return Model<double>(std::move(robot));
}

Model<double> hold_object(const Model<double>& arms, const std::string& object,
                          const Inertial& inertial, const std::vector<GraspPlace>& grasps) {
  if (grasps.empty()) throw Error("no hand holds object \"" + object + "\"");
  RobotDescription robot = description_of(arms);
  for (const GraspPlace& g : grasps) link_of(robot, g.hand);
  Link& link = robot.links.emplace_back();
  link.name = object;
  link.inertial = inertial;
  link.has_inertial = true;
  Joint& joint = robot.joints.emplace_back();
  joint.name = object + "_grasp_1";
  joint.kind = JointKind::fixed;
  joint.parent = grasps[0].hand;
  joint.child = object;
  joint.placement = grasps[0].T_hand_grasp * inverse(grasps[0].T_object_grasp);
  for (std::size_t k = 1; k < grasps.size(); ++k) {
    LoopJoint& weld = robot.loops.emplace_back();
    weld.name = object + "_grasp_" + std::to_string(k + 1);
    weld.link_a = grasps[k].hand;
    weld.link_b = object;
    weld.placement_a = grasps[k].T_hand_grasp;
    weld.placement_b = grasps[k].T_object_grasp;
  }
  return Model<double>(std::move(robot));
}

Model<double> with_gravity(const Model<double>& model, const Vec3<double>& gravity) {
  RobotDescription robot = description_of(model);
  robot.gravity = gravity;
  return Model<double>(std::move(robot));
}

RobotDescription with_effects(RobotDescription robot, const Effects& effects) {
  if (!effects.loops) robot = internal::split_loops(std::move(robot));
  for (Joint& joint : robot.joints) {
    if (!effects.friction) joint.friction.clear();
    if (!effects.springs) joint.spring.clear();
    for (Actuator& motor : joint.actuator) {
      if (!effects.rotors) motor.rotor_inertia = 0;
      if (!effects.friction) motor.motor_viscous = 0;
      if (!effects.disturbance) motor.disturbance = 0;
    }
  }
  if (!effects.springs) robot.springs.clear();
  for (Motor& motor : robot.motors) {
    if (!effects.rotors) motor.rotor_inertia = 0;
    if (!effects.friction) motor.friction = {};
  }
  if (!effects.rotors && !effects.friction) robot.motors.clear();
  if (!effects.loops) robot.loops.clear(), robot.couplings.clear();
  return robot;
}
Model<double> with_effects(const Model<double>& model, const Effects& effects) {
  return Model<double>(with_effects(description_of(model), effects));
}

}  // namespace torsor
