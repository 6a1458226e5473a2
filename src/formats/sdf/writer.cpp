#include "sdf/writer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "fresh_name.hpp"
#include "rooted.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/xml.hpp"
#include "write_losses.hpp"

namespace torsor::internal::sdf {
namespace {

bool is_zero(const Vec3<double>& v) { return v.x == 0 && v.y == 0 && v.z == 0; }
bool is_unturned(const SO3<double>& R) {
  return is_zero(R.c0 - Vec3<double>{1, 0, 0}) && is_zero(R.c1 - Vec3<double>{0, 1, 0});
}
bool is_massless(const Link& link) {
  return link.inertial.mass == 0 && trace(link.inertial.about_com) == 0;
}
std::string numbers(std::initializer_list<double> list) {
  std::string text;
  for (const double x : list) {
    if (!std::isfinite(x)) throw Error(format_number(x) + " is not finite");
    text += (text.empty() ? "" : " ") + format_number(x);
  }
  return text;
}

/// Two turns in one joint: T = placement R(first) R(second) in the axes of the child.
struct TwoTurns {
  bool possible = false;
  SE3<double> placement{};
  Vec3<double> first{}, second{};
};
TwoTurns two_turns(const Joint& joint) {
  if (joint.kind == JointKind::universal) return {true, joint.placement, {1, 0, 0}, {0, 1, 0}};
  if (joint.kind != JointKind::composite || joint.parts.size() != 2) return {};
  const JointPart &a = joint.parts[0], &b = joint.parts[1];
  const auto turns = [](const JointPart& p) {
    return p.kind == JointKind::revolute || p.kind == JointKind::continuous;
  };
  if (!turns(a) || !turns(b) || !is_zero(b.placement.p)) return {};
  return {true, joint.placement * a.placement * b.placement, transpose(b.placement.R) * a.axis,
          b.axis};
}

/// Whether a joint that closes a loop may have the link as its child: what floats would hang on it instead,
/// and the world is nobody's child.
bool closes_at(const RobotDescription& robot, const std::string& link) {
  return link != robot.root &&
         std::none_of(robot.joints.begin(), robot.joints.end(), [&](const Joint& joint) {
           return joint.child == link && joint.kind == JointKind::free;
         });
}

class Writer {
 public:
  Writer(const RobotDescription& robot, Conversion& out)
      : robot_(robot), out_(out), losses_(out.losses) {
    for (const Link& link : robot.links) links_[link.name] = &link;
    for (const Joint& joint : robot.joints) {
      above_[joint.child] = &joint;
      below_[joint.parent].push_back(&joint);
    }
    for (const Link& link : robot.links) taken_.insert(link.name);
    for (const Joint& joint : robot.joints) {
      names_[joint.name] = taken_.contains(joint.name) ? fresh(joint.name + "_joint") : joint.name;
      taken_.insert(names_[joint.name]);
      if (names_[joint.name] != joint.name)
        losses_.unused(joint.origin, "joint " + in_quotes(joint.name),
                       "names of joints that other elements have", "names of SDF are unique",
                       Finding::Topic::motion);
    }
    for (const FrameOnLink& f : robot.frames) used_.insert(f.link);
    for (const LoopJoint& l : robot.loops) used_.insert(l.link_a), used_.insert(l.link_b);
    ground_ = robot.root == "world" || is_bare_root();
    for (const Coupling& c : robot.couplings)
      if (c.terms.size() == 2 && !mimic_.contains(c.terms[0].joint)) {
        mimic_[c.terms[0].joint] = &c;
        newer_ = true;
      }
    for (const Joint& joint : robot.joints) newer_ = newer_ || joint.kind == JointKind::helical;
  }

  void run() {
    xml_.open("sdf");
    xml_.attribute("version", newer_ ? "1.11" : "1.9");
    const Vec3<double>& g = robot_.gravity;
    const bool world = g.x != 0 || g.y != 0 || g.z != -9.81;
    if (world) {
      xml_.open("world");
      xml_.attribute("name", "world_of_" + robot_.name);
      element("gravity", numbers({g.x, g.y, g.z}));
    }
    xml_.open("model");
    xml_.attribute("name", robot_.name);
    pose(robot_.base);
    if (!ground_) write_anchor();
    for (const Link& link : robot_.links) write_link(link);
    for (const Joint& joint : robot_.joints) write_joint(joint);
    for (const LoopJoint& loop : robot_.loops) write_weld(loop);
    for (const FrameOnLink& frame : robot_.frames) write_frame(frame);
    xml_.close();
    if (world) xml_.close();
    xml_.close();
    note_losses();
    out_.text = xml_.text();
  }

 private:
  /// A root that is only there to hang free bodies on.
  bool is_bare_root() const {
    const Link& root = *links_.at(robot_.root);
    const auto below = below_.find(robot_.root);
    return is_massless(root) && root.geometry.empty() && !used_.contains(root.name) &&
           below != below_.end() &&
           std::all_of(below->second.begin(), below->second.end(),
                       [](const Joint* j) { return j->kind == JointKind::free; });
  }
  /// Left out: its joint leads to the link behind the fixed joint that it carries.
  bool is_between(const Link& link) const {
    const auto above = above_.find(link.name);
    const auto below = below_.find(link.name);
    if (above == above_.end() || below == below_.end() || below->second.size() != 1) return false;
    const JointKind kind = above->second->kind;
    const Joint& next = *below->second.front();
    const bool tied = kind == JointKind::spherical || kind == JointKind::universal ||
                      kind == JointKind::composite;
    return is_massless(link) && link.geometry.empty() && !used_.contains(link.name) &&
           next.kind == JointKind::fixed && kind != JointKind::fixed && kind != JointKind::free &&
           (!tied || is_unturned(next.placement.R));
  }

  std::string fresh(const std::string& wish) { return fresh_name(wish, taken_); }
  void element(const char* name, const std::string& text) {
    xml_.open(name);
    xml_.content(text);
    xml_.close();
  }
  void number(const char* name, double value) { element(name, numbers({value})); }
  void pose(const SE3<double>& T, const std::string& relative_to = "") {
    if (is_zero(T.p) && is_unturned(T.R) && relative_to.empty()) return;
    const Quaternion<double> q = quaternion(T.R);
    xml_.open("pose");
    if (!relative_to.empty()) xml_.attribute("relative_to", relative_to);
    xml_.attribute("rotation_format", "quat_xyzw");
    xml_.content(numbers({T.p.x, T.p.y, T.p.z, q.x, q.y, q.z, q.w}));
    xml_.close();
  }

  void write_anchor() {
    xml_.open("joint");
    xml_.attribute("name", fresh("world_joint"));
    xml_.attribute("type", "fixed");
    element("parent", "world");
    element("child", robot_.root);
    xml_.close();
  }

  /// Where the link hangs: the joint that is written, and the pose from its frame.
  void write_link_pose(const Link& link) {
    const auto above = above_.find(link.name);
    if (above == above_.end()) return;
    const Joint& joint = *above->second;
    if (joint.kind == JointKind::free) {
      pose(joint.placement, joint.parent == robot_.root && !ground_ ? joint.parent : "");
      return;
    }
    if (const Link& parent = *links_.at(joint.parent); is_between(parent)) {
      pose(joint.placement, names_.at(above_.at(parent.name)->name));
      return;
    }
    pose({}, names_.at(joint.name));
  }

  void write_link(const Link& link) {
    if (ground_ && link.name == robot_.root) {
      if (!is_massless(link))
        losses_.unused(link.origin, "link " + in_quotes(link.name), "the mass of the world",
                       "the world of SDF has none, and does not move", Finding::Topic::dynamics);
      out_.link_frames.push_back({link.name, "world", robot_.base, link.origin});
      return;
    }
    if (is_between(link))
      return losses_.unused(link.origin, "link " + in_quotes(link.name),
                            "massless links between joints", "SDF places joints off their links",
                            Finding::Topic::motion);
    out_.link_frames.push_back({link.name, link.name, {}, link.origin});
    xml_.open("link");
    xml_.attribute("name", link.name);
    write_link_pose(link);
    const Inertial& i = link.inertial;
    const Sym3<double>& J = i.about_com;
    xml_.open("inertial");
    pose({SO3<double>::identity(), i.com});
    number("mass", i.mass);
    xml_.open("inertia");
    number("ixx", J.xx), number("ixy", J.xy), number("ixz", J.xz);
    number("iyy", J.yy), number("iyz", J.yz), number("izz", J.zz);
    xml_.close();
    xml_.close();
    int k = 0;
    for (const Geometry& g : link.geometry) write_shape(g, ++k);
    xml_.close();
  }

  void write_shape(const Geometry& g, int k) {
    using Shape = Geometry::Shape;
    xml_.open(g.collision ? "collision" : "visual");
    xml_.attribute("name", g.name.empty() ? "shape_" + std::to_string(k) : g.name);
    pose(g.placement);
    xml_.open("geometry");
    switch (g.shape) {
      case Shape::box:
        xml_.open("box");
        element("size", numbers({g.size.x, g.size.y, g.size.z}));
        break;
      case Shape::sphere:
        xml_.open("sphere");
        number("radius", g.size.x);
        break;
      case Shape::cylinder:
      case Shape::capsule:
        xml_.open(g.shape == Shape::cylinder ? "cylinder" : "capsule");
        number("radius", g.size.x), number("length", g.size.y);
        break;
      case Shape::mesh:
        xml_.open("mesh");
        element("uri", g.mesh_file);
        element("scale", numbers({g.size.x, g.size.y, g.size.z}));
        break;
    }
    xml_.close();
    xml_.close();
    if (g.rgba.size() == 4 && !g.collision) {
      xml_.open("material");
      element("diffuse", numbers({g.rgba[0], g.rgba[1], g.rgba[2], g.rgba[3]}));
      xml_.close();
    }
    xml_.close();
  }

  void write_axis(const char* tag, const Joint& joint, std::size_t dof, const Vec3<double>& axis) {
    const auto entry = [&](const auto& entries) {
      using Entry = typename std::decay_t<decltype(entries)>::value_type;
      return dof < entries.size() ? entries[dof] : Entry{};
    };
    const Limits l = entry(joint.limits);
    const Friction f = entry(joint.friction);
    const Actuator m = entry(joint.actuator);
    const JointSpring s = entry(joint.spring);
    xml_.open(tag);
    element("xyz", numbers({axis.x, axis.y, axis.z}));
    xml_.open("limit");
    number("lower", std::max(l.lower, -1e16)), number("upper", std::min(l.upper, 1e16));
    if (l.effort < infinity) number("effort", l.effort);
    if (l.velocity < infinity) number("velocity", l.velocity);
    xml_.close();
    const double damping = f.damping + f.viscous + m.gear_ratio * m.gear_ratio * m.motor_viscous;
    if (damping != 0 || f.coulomb != 0 || s.stiffness != 0) {
      xml_.open("dynamics");
      number("damping", damping), number("friction", f.coulomb);
      number("spring_reference", s.rest), number("spring_stiffness", s.stiffness);
      xml_.close();
    }
    if (const auto at = mimic_.find(joint.name); at != mimic_.end() && n_q(joint) == 1) {
      const Coupling& c = *at->second;
      const double own = c.terms[0].factor;
      xml_.open("mimic");
      xml_.attribute("joint", names_.at(c.terms[1].joint));
      xml_.attribute("axis", "axis");
      number("multiplier", -c.terms[1].factor / own), number("offset", c.offset / own);
      number("reference", 0);
      xml_.close();
    }
    xml_.close();
  }

  void write_joint(const Joint& joint) {
    const Link& parent = *links_.at(joint.parent);
    if (joint.kind == JointKind::free) {
      if (joint.name != "root_joint")
        losses_.unused(joint.origin, "joint " + in_quotes(joint.name), "names of free joints",
                       "SDF has no such joint: what no joint holds moves freely",
                       Finding::Topic::motion);
      return;
    }
    if (is_between(parent)) return;
    const Link* child = links_.at(joint.child);
    if (is_between(*child)) child = links_.at(below_.at(child->name).front()->child);
    const TwoTurns two = two_turns(joint);
    xml_.open("joint");
    xml_.attribute("name", names_.at(joint.name));
    const char* type = joint.kind == JointKind::spherical   ? "ball"
                       : joint.kind == JointKind::helical   ? "screw"
                       : joint.kind == JointKind::composite ? "revolute2"
                                                            : name_of(joint.kind);
    xml_.attribute("type", type);
    const bool on_ground = ground_ && joint.parent == robot_.root;
    pose(two.possible ? two.placement : joint.placement, on_ground ? "__model__" : joint.parent);
    element("parent", on_ground ? "world" : joint.parent);
    element("child", child->name);
    if (joint.kind == JointKind::helical)
      number("screw_thread_pitch", joint.pitch * 2 * std::numbers::pi);
    if (two.possible) {
      write_axis("axis", joint, 0, two.first);
      write_axis("axis2", joint, 1, two.second);
    } else if (has_axis(joint.kind)) {
      write_axis("axis", joint, 0, joint.axis);
    }
    xml_.close();
  }

  /// Two links that keep the pose in which they are drawn.
  void write_weld(const LoopJoint& loop) {
    const bool turned = !closes_at(robot_, loop.link_b) && closes_at(robot_, loop.link_a);
    const std::string &parent = turned ? loop.link_b : loop.link_a,
                      &child = turned ? loop.link_a : loop.link_b;
    xml_.open("joint");
    xml_.attribute("name", fresh(loop.name.empty() ? "loop" : loop.name));
    xml_.attribute("type", "fixed");
    element("parent", ground_ && parent == robot_.root ? "world" : parent);
    element("child", child);
    xml_.close();
  }

  void write_frame(const FrameOnLink& frame) {
    const bool on_ground = ground_ && frame.link == robot_.root;
    xml_.open("frame");
    const std::string name = fresh(frame.name);
    if (name != frame.name)
      losses_.unused(frame.origin, "frame " + in_quotes(frame.name),
                     "names of frames that other elements have", "names of SDF are unique",
                     Finding::Topic::motion);
    xml_.attribute("name", name);
    xml_.attribute("attached_to", on_ground ? "world" : frame.link);
    pose(frame.placement, on_ground ? "__model__" : frame.link);
    xml_.close();
  }

  void note_losses() {
    for (const Joint& joint : robot_.joints) {
      const std::string who = "joint " + in_quotes(joint.name);
      for (const Friction& f : joint.friction)
        if (f.load != 0 || f.offset != 0 || f.viscous_asymmetry != 0 || f.coulomb_asymmetry != 0 ||
            (f.stiction != 0 && f.stiction != f.coulomb) || f.stribeck != 0 || f.width != 0)
          losses_.dropped(joint.origin, who, "friction beyond damping and Coulomb", "SDF has none");
      for (const Actuator& m : joint.actuator) {
        if (m.rotor_inertia != 0) losses_.dropped(joint.origin, who, "rotors", "SDF has none");
        if (m.disturbance != 0)
          losses_.dropped(joint.origin, who, "constant torques", "SDF has none");
      }
      for (const Limits& l : joint.limits)
        if (l.acceleration < infinity || l.jerk < infinity)
          losses_.unused(joint.origin, who, "limits of acceleration and jerk", "SDF has none",
                         Finding::Topic::motion);
      const bool bare = joint.kind == JointKind::spherical || joint.kind == JointKind::free;
      if (bare && (!joint.friction.empty() || !joint.spring.empty()))
        losses_.dropped(joint.origin, who, "friction and springs of ball and free joints",
                        "SDF has none");
    }
    for (const Coupling& c : robot_.couplings)
      if (c.terms.size() != 2 || mimic_.at(c.terms[0].joint) != &c)
        losses_.dropped(c.origin, "coupling " + in_quotes(c.name), "couplings that are no mimic",
                        "a joint of SDF follows one other joint");
    for (const SpringDamper& s : robot_.springs)
      losses_.dropped(s.origin, "spring " + in_quotes(s.name), "springs between links",
                      "SDF has springs of joints");
    for (const NamedConfiguration& c : robot_.configurations)
      losses_.unused(c.origin, "configuration " + in_quotes(c.name), "named configurations",
                     "SDF has none", Finding::Topic::motion);
    for (const Motor& m : robot_.motors)
      losses_.dropped(m.origin, "motor " + in_quotes(m.name), "motors of several joints",
                      "SDF has none");
  }

  const RobotDescription& robot_;
  Conversion& out_;
  WriteLosses losses_;
  XmlWriter xml_;
  std::map<std::string, const Link*> links_;
  std::map<std::string, const Joint*> above_;
  std::map<std::string, std::vector<const Joint*>> below_;
  std::map<std::string, const Coupling*> mimic_;
  std::map<std::string, std::string> names_;  // of joints, in the file
  std::set<std::string> used_, taken_;
  bool ground_ = false, newer_ = false;
};

SE3<double> pose_at_rest(const RobotDescription& robot, std::string link) {
  SE3<double> T;
  for (std::size_t steps = 0; link != robot.root && steps <= robot.joints.size(); ++steps)
    for (const Joint& joint : robot.joints)
      if (joint.child == link) {
        SE3<double> own = joint.placement;
        for (const JointPart& part : joint.parts) own = own * part.placement;
        T = own * T;
        link = joint.parent;
        break;
      }
  return T;
}

/// Why SDF cannot hold the robot, or nothing.
std::string refusal(const RobotDescription& robot) {
  using enum JointKind;
  for (const Joint& joint : robot.joints) {
    const bool known =
        joint.kind == fixed || joint.kind == revolute || joint.kind == continuous ||
        joint.kind == prismatic || joint.kind == helical || joint.kind == spherical ||
        (joint.kind == free && joint.parent == robot.root) || two_turns(joint).possible;
    if (!known)
      return "joint " + in_quotes(joint.name) + " is " + name_of(joint.kind) +
             ": SDF has fixed, revolute, continuous, prismatic, screw, universal and ball joints, "
             "and models that float";
  }
  for (const LoopJoint& loop : robot.loops) {
    if (loop.kind != LoopJoint::Kind::weld)
      return "loop " + in_quotes(loop.name) + " is " + name_of(loop.kind) +
             ": SDF closes loops by joints, which have coordinates";
    const SE3<double> gap = inverse(pose_at_rest(robot, loop.link_a) * loop.placement_a) *
                            (pose_at_rest(robot, loop.link_b) * loop.placement_b);
    if (norm(gap.p) + norm(gap.R.c0 - Vec3<double>{1, 0, 0}) +
            norm(gap.R.c1 - Vec3<double>{0, 1, 0}) >
        1e-9)
      return "loop " + in_quotes(loop.name) +
             " is open at the neutral configuration, in which SDF draws robots";
    if (!closes_at(robot, loop.link_a) && !closes_at(robot, loop.link_b))
      return "loop " + in_quotes(loop.name) + " holds link " +
             in_quotes(loop.link_b == robot.root ? loop.link_a : loop.link_b) +
             ", which floats: a link that a joint of SDF holds does not";
  }
  return {};
}

}  // namespace

Conversion write(const RobotDescription& robot, const std::string&) {
  Conversion out;
  out.exact = false;
  RobotDescription whole = rooted(robot);
  const std::map<std::string, std::string> old_names = make_names_plain(whole);
  out.message = refusal(whole);
  if (out.ok()) Writer(whole, out).run();
  for (FrameOnLink& frame : out.link_frames)
    if (const auto at = old_names.find(frame.name); at != old_names.end()) frame.name = at->second;
  if (!old_names.empty())
    WriteLosses(out.losses)
        .unused(robot.origin, "robot " + in_quotes(robot.name), "\"::\" in names",
                "SDF has it between models and what is in them", Finding::Topic::drawing);
  return out;
}

std::vector<std::string> cannot_say(const RobotDescription& robot) {
  return unsaid(write(robot, ""));
}

}  // namespace torsor::internal::sdf
