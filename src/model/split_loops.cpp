#include <deque>
#include <map>
#include <set>

#include "torsor/model/loop.hpp"

namespace torsor {
namespace {

bool turns_round(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::continuous ||
         kind == JointKind::prismatic || kind == JointKind::helical ||
         kind == JointKind::cylindrical;
}

struct Splitter {
  RobotDescription& robot;
  std::map<std::string, std::size_t> links{};
  std::set<std::string> names{}, loop_names{};

  explicit Splitter(RobotDescription& r) : robot(r) {
    for (std::size_t k = 0; k < r.links.size(); ++k) {
      links.emplace(r.links[k].name, k);
      names.insert(r.links[k].name);
    }
    for (const LoopJoint& loop : r.loops) loop_names.insert(loop.name);
    for (const FrameOnLink& frame : r.frames) names.insert(frame.name);
  }

  static std::string fresh(const std::string& wish, std::set<std::string>& taken) {
    std::string name = wish;
    for (int k = 1; !taken.insert(name).second; ++k) name = wish + "_" + std::to_string(k);
    return name;
  }

  /// The named root, else the link without a parent, else none.
  std::string root() const {
    if (links.contains(robot.root)) return robot.root;
    std::set<std::string> children;
    for (const Joint& joint : robot.joints) children.insert(joint.child);
    for (const Link& link : robot.links)
      if (!children.contains(link.name)) return link.name;
    return {};
  }

  /// Joints that reach a link which is reached already, in the order of the walk.
  std::vector<std::size_t> closing_joints() const {
    std::map<std::string, std::vector<std::size_t>> below;
    for (std::size_t k = 0; k < robot.joints.size(); ++k)
      below[robot.joints[k].parent].push_back(k);
    std::vector<std::size_t> closing;
    std::deque<std::string> front{root()};
    std::set<std::string> reached{front.front()};
    while (!front.empty()) {
      const std::string link = front.front();
      front.pop_front();
      for (const std::size_t k : below[link]) {
        const std::string& child = robot.joints[k].child;
        if (!links.contains(child) || child == link) continue;  // the tree's own check names it
        if (reached.insert(child).second)
          front.push_back(child);
        else
          closing.push_back(k);
      }
    }
    return closing;
  }

  /// A new link with a share of `whole`'s mass, in the frame `T_whole_part`.
  std::string part_of(const std::string& whole, const std::string& joint, double share,
                      const SE3<double>& T_whole_part) {
    const Link& from = robot.links[links.at(whole)];
    Link part;
    part.name = fresh(whole + "_" + joint, names);
    part.origin = from.origin;
    part.has_inertial = from.has_inertial;
    part.inertial.mass = share * from.inertial.mass;
    part.inertial.com = inverse(T_whole_part) * from.inertial.com;
    part.inertial.about_com = rotated(transpose(T_whole_part.R), from.inertial.about_com) * share;
    robot.links.push_back(std::move(part));
    return robot.links.back().name;
  }

  void run() {
    const std::string base = root();
    if (base.empty()) return;
    const std::vector<std::size_t> closing = closing_joints();
    std::map<std::string, int> parts;  // into how many a link falls
    for (const std::size_t k : closing) {
      const Joint& joint = robot.joints[k];
      if (joint.kind == JointKind::fixed) continue;
      ++parts[joint.child == base ? joint.parent : joint.child];
    }
    if (!closing.empty() && robot.root.empty()) robot.root = base;
    for (const std::size_t k : closing) close(robot.joints[k], base, parts);
    for (const auto& [name, count] : parts) {
      Inertial& inertial = robot.links[links.at(name)].inertial;
      inertial.mass /= count + 1;
      inertial.about_com = inertial.about_com * (1.0 / (count + 1));
    }
    std::erase_if(robot.joints, [](const Joint& joint) { return joint.child.empty(); });
  }

  void close(Joint& joint, const std::string& base, const std::map<std::string, int>& parts) {
    LoopJoint weld;
    weld.name = fresh(joint.name, loop_names);
    weld.origin = joint.origin;
    if (joint.kind == JointKind::fixed) {
      weld.link_a = joint.parent;
      weld.link_b = joint.child;
      weld.placement_a = joint.placement;
      joint.child.clear();  // no coordinate: the weld is all of it
    } else if (joint.child == base) {
      if (!turns_round(joint.kind))
        throw Error(joint.origin.prefix() + "joint \"" + joint.name + "\": leads back to the root \"" +
                    base + "\"; a " + name_of(joint.kind) +
                    " joint cannot be turned round, so make \"" + base + "\" its parent");
      const double share = 1.0 / (parts.at(joint.parent) + 1);
      weld.link_a = joint.parent;
      weld.placement_a = joint.placement;
      weld.link_b = part_of(joint.parent, joint.name, share, joint.placement);
      joint.parent = base;
      joint.child = weld.link_b;
      joint.placement = {};
      joint.axis = -joint.axis;
    } else {
      weld.link_a = joint.child;
      weld.link_b = part_of(joint.child, joint.name, 1.0 / (parts.at(joint.child) + 1), {});
      joint.child = weld.link_b;
    }
    robot.loops.push_back(std::move(weld));
  }
};

}  // namespace

RobotDescription split_loops(RobotDescription robot) {
  if (!robot.links.empty()) Splitter(robot).run();
  return robot;
}

}  // namespace torsor
