#include "mjcf/writer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mjcf/steps.hpp"
#include "mjcf/write_parts.hpp"
#include "rooted.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mjcf {
namespace {

constexpr int deepest = 90;

bool is_massless(const Link& link) {
  const Inertial& i = link.inertial;
  return i.mass == 0 && trace(i.about_com) == 0;
}

/// How far the joints go down below a link.
int depth_of(const RobotDescription& robot) {
  std::map<std::string, std::vector<std::string>> below;
  for (const Joint& joint : robot.joints) below[joint.parent].push_back(joint.child);
  std::vector<std::string> level = {robot.root};
  int depth = 0;
  for (; !level.empty() && depth <= deepest; ++depth) {
    std::vector<std::string> next;
    for (const std::string& link : level)
      next.insert(next.end(), below[link].begin(), below[link].end());
    level = std::move(next);
  }
  return depth;
}

class Writer {
 public:
  Writer(const RobotDescription& robot, Conversion& out)
      : robot_(robot), out_(out), losses_(out.losses), parts_(robot, xml_, losses_) {
    for (const Link& link : robot.links) links_[link.name] = &link;
    for (const Joint& joint : robot.joints) {
      below_[joint.parent].push_back(&joint);
      names_.insert(joint.name);
    }
    for (const FrameOnLink& frame : robot.frames) used_.insert(frame.link);
    for (const LoopJoint& loop : robot.loops) used_.insert(loop.link_a), used_.insert(loop.link_b);
    for (const SpringDamper& s : robot.springs) used_.insert(s.link_a), used_.insert(s.link_b);
  }

  void run() {
    xml_.open("mujoco");
    xml_.attribute("model", robot_.name);
    xml_.open("compiler");
    xml_.attribute("angle", "radian");
    xml_.attribute("autolimits", "true");
    xml_.attribute("inertiafromgeom", "false");
    xml_.close();
    xml_.open("option");
    xml_.vec3("gravity", robot_.gravity);
    xml_.close();
    parts_.write_assets();
    xml_.open("worldbody");
    write_root();
    xml_.close();
    parts_.write_tendons();
    parts_.write_equalities();
    parts_.write_motors(written_);
    write_keys();
    xml_.close();
    out_.text = xml_.text();
  }

 private:
  const Link& root() const { return *links_.at(robot_.root); }

  void write_root() {
    const std::vector<const Joint*>& children = below_[robot_.root];
    const bool any_free = std::any_of(children.begin(), children.end(),
                                      [](const Joint* j) { return j->kind == JointKind::free; });
    if (robot_.root == "world") {
      if (!is_massless(root()))
        losses_.unused(root().origin, "link \"world\"", "the mass of the world",
                       "the world of MJCF has none, and does not move", Finding::Topic::dynamics);
      out_.link_frames.push_back({"world", "world", robot_.base, root().origin});
      parts_.write_members(root(), robot_.base);
      for (const Joint* joint : children) write_body(*joint, robot_.base, true);
      return;
    }
    out_.link_frames.push_back({robot_.root, robot_.root, {}, root().origin});
    xml_.open("body");
    xml_.attribute("name", robot_.root);
    parts_.write_pose(robot_.base);
    parts_.write_inertial(root());
    parts_.write_members(root(), {});
    if (any_free) xml_.close();  // free joints belong to bodies of the world
    for (const Joint* joint : children)
      write_body(*joint, any_free ? robot_.base : SE3<double>{}, any_free);
    if (!any_free) xml_.close();
  }

  /// Nothing is on it, so that the joints above and below it can be those of one body.
  bool is_between(const Link& link) {
    return is_massless(link) && link.geometry.empty() && !used_.contains(link.name) &&
           below_[link.name].size() == 1;
  }

  void write_body(const Joint& first, const SE3<double>& T_parent, bool on_world) {
    Chain chain;
    chain.T = T_parent;
    std::vector<std::string> passed;
    const Joint* joint = &first;
    (void)add_steps(*joint, on_world, chain);
    remember_velocities(*joint, on_world);
    for (;;) {
      const Link& link = *links_.at(joint->child);
      if (!is_between(link)) break;
      const Joint& next = *below_[link.name].front();
      Chain longer = chain;
      if (!chain.may_move(next.placement) || next.kind == JointKind::free ||
          !add_steps(next, false, longer) || longer.dofs() > 6 || ball_before_turn(longer))
        break;
      remember_velocities(next, false);
      passed.push_back(link.name);
      chain = std::move(longer);
      joint = &next;
    }
    const Link& link = *links_.at(joint->child);
    for (const std::string& name : passed)
      losses_.unused(link.origin, "link " + in_quotes(name), "massless links between joints",
                     "MJCF has several joints in one body instead", Finding::Topic::motion);
    out_.link_frames.push_back({link.name, link.name, {}, link.origin});
    xml_.open("body");
    xml_.attribute("name", link.name);
    parts_.write_pose(chain.T);
    parts_.write_inertial(link);
    for (Step& step : chain.steps) {
      step.name = name_of(step, chain);
      parts_.write_joint(step);
      written_.push_back(step);
      if (step.type == Step::Type::free) free_pose_[step.joint->name] = chain.T;
    }
    parts_.write_members(link, {});
    for (const Joint* child : below_[link.name]) write_body(*child, {}, false);
    xml_.close();
  }

  /// qpos of a step at the coordinates q of its joint.
  void add_qpos(const Step& step, const std::vector<double>& q, std::vector<double>& qpos) const {
    const double* x = q.data() + coordinate_of(step);
    if (step.type == Step::Type::ball) {
      qpos.insert(qpos.end(), {x[3], x[0], x[1], x[2]});
    } else if (step.type == Step::Type::free) {
      const SE3<double> T =
          free_pose_.at(step.joint->name) *
          SE3<double>{rotation(normalised(Quaternion<double>{x[3], x[4], x[5], x[6]})),
                      {x[0], x[1], x[2]}};
      const Quaternion<double> turn = quaternion(T.R);
      qpos.insert(qpos.end(), {T.p.x, T.p.y, T.p.z, turn.w, turn.x, turn.y, turn.z});
    } else {
      qpos.push_back(*x);
    }
  }
  void write_keys() {
    if (robot_.configurations.empty()) return;
    std::map<std::string, std::vector<double>> neutral_of;
    for (const Joint& joint : robot_.joints) neutral_of[joint.name] = neutral_coordinates(joint);
    xml_.open("keyframe");
    for (const NamedConfiguration& c : robot_.configurations) {
      std::map<std::string, const std::vector<double>*> given;
      for (const NamedConfiguration::Entry& e : c.entries) given[e.joint] = &e.q;
      std::vector<double> qpos;
      for (const Step& step : written_) {
        const auto at = given.find(step.joint->name);
        add_qpos(step, at == given.end() ? neutral_of.at(step.joint->name) : *at->second, qpos);
      }
      xml_.open("key");
      xml_.attribute("name", c.name);
      xml_.numbers("qpos", qpos);
      xml_.close();
    }
    xml_.close();
  }
  static std::vector<double> neutral_coordinates(const Joint& joint) {
    std::vector<double> q;
    const auto add = [&](JointKind kind) {
      const std::size_t first = q.size();
      q.resize(first + static_cast<std::size_t>(n_q(kind)));
      if (const int at = quaternion_of(kind); at >= 0)
        q[first + static_cast<std::size_t>(at) + 3] = 1;
    };
    if (joint.kind != JointKind::composite)
      add(joint.kind);
    else
      for (const JointPart& part : joint.parts) add(part.kind);
    return q;
  }

  static bool ball_before_turn(const Chain& chain) {
    bool ball = false;
    for (const Step& step : chain.steps) {
      if (ball && step.type != Step::Type::slide) return true;
      ball = ball || step.type == Step::Type::ball;
    }
    return false;
  }

  /// The joint's own name where it is one step, numbered names otherwise.
  std::string name_of(const Step& step, const Chain& chain) {
    const auto same = [&](const Step& s) { return s.joint == step.joint; };
    if (std::count_if(chain.steps.begin(), chain.steps.end(), same) == 1) return step.joint->name;
    std::string name;
    for (int k = 1; name.empty() || !names_.insert(name).second; ++k)
      name = step.joint->name + "_" + std::to_string(k);
    return name;
  }

  void remember_velocities(const Joint& joint, bool on_world) {
    if (!changes_velocities(joint, on_world)) return;
    const auto none = [](const auto& entries, auto zero) {
      return std::all_of(entries.begin(), entries.end(), zero);
    };
    const bool bare =
        none(joint.friction,
             [](const Friction& f) { return f.viscous + f.damping + f.coulomb == 0; }) &&
        none(joint.actuator,
             [](const Actuator& a) { return a.rotor_inertia + a.motor_viscous == 0; }) &&
        none(joint.spring, [](const JointSpring& s) { return s.stiffness == 0; });
    if (!bare)
      losses_.dropped(joint.origin, "joint " + in_quotes(joint.name),
                      "axes of friction, rotors and springs of planar and free joints",
                      "MJCF counts them along the axes of the parent");
    losses_.unused(joint.origin, "joint " + in_quotes(joint.name),
                   "velocities of planar and free joints",
                   "MJCF counts them along the axes of the parent: torques have other components",
                   Finding::Topic::motion);
  }

  const RobotDescription& robot_;
  Conversion& out_;
  WriteLosses losses_;
  XmlWriter xml_;
  Parts parts_;
  std::map<std::string, const Link*> links_;
  std::map<std::string, std::vector<const Joint*>> below_;
  std::set<std::string> used_, names_;
  std::vector<Step> written_;
  std::map<std::string, SE3<double>> free_pose_;  // of free joints' bodies, in the file
};

/// Why MJCF cannot hold the robot, or nothing.
std::string refusal(const RobotDescription& robot) {
  for (const Joint& joint : robot.joints) {
    Chain chain;
    if (!add_steps(joint, true, chain))
      return "joint " + in_quotes(joint.name) + " is " + name_of(joint.kind) +
             ": MJCF has hinges, slides, balls and free joints";
  }
  for (const LoopJoint& loop : robot.loops)
    if (loop.kind != LoopJoint::Kind::weld && loop.kind != LoopJoint::Kind::spherical &&
        loop.kind != LoopJoint::Kind::revolute)
      return "loop " + in_quotes(loop.name) + " is " + name_of(loop.kind) +
             ": MJCF closes loops by welds and points";
  for (const Link& link : robot.links)
    if (link.name == "world" && robot.root != "world")
      return "link \"world\" is not the root: MJCF calls the ground so";
  if (depth_of(robot) > deepest)
    return "the robot is more than " + std::to_string(deepest) +
           " links deep: MJCF files nest bodies";
  return {};
}

}  // namespace

Conversion write(const RobotDescription& robot, const std::string&) {
  Conversion out;
  out.exact = false;
  const RobotDescription whole = rooted(robot);
  out.message = refusal(whole);
  if (!out.ok()) return out;
  Writer(whole, out).run();
  return out;
}

std::vector<std::string> cannot_say(const RobotDescription& robot) {
  return unsaid(write(robot, ""));
}

}  // namespace torsor::internal::mjcf
