#include <deque>
#include <map>
#include <set>

#include "torsor/model/loop.hpp"

namespace torsor {
namespace {

bool turns_round(JointKind kind) { return has_axis(kind) && internal::velocities_are_rates(kind); }

std::string fresh(const std::string& wish, std::set<std::string>& taken) {
  std::string name = wish;
  for (int k = 1; !taken.insert(name).second; ++k) name = wish + "_" + std::to_string(k);
  return name;
}

/// Links that fixed joints hold together are one body: what is split is all of it.
struct Splitter {
  RobotDescription& robot;
  std::string base{};
  std::map<std::string, std::size_t> links{};
  std::set<std::string> link_names{}, loop_names{};
  std::map<std::string, std::string> body_of{};  // the first link of the body that holds a link
  std::map<std::string, SE3<double>> T_body_link{};
  std::map<std::string, std::vector<std::size_t>> below{};  // joints of each parent
  std::deque<std::string> front{};
  std::vector<std::size_t> pending{};  // fixed joints; a stack, because chains may be long
  std::vector<std::size_t> closing{};  // joints that reach a link which is reached already
  std::map<std::string, int> parts{};  // into how many a body falls, less one

  explicit Splitter(RobotDescription& r) : robot(r) {
    for (std::size_t k = 0; k < r.links.size(); ++k) {
      links.emplace(r.links[k].name, k);
      link_names.insert(r.links[k].name);
    }
    for (const LoopJoint& loop : r.loops) loop_names.insert(loop.name);
    for (const FrameOnLink& frame : r.frames) link_names.insert(frame.name);
    base = root();
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

  /// Nearest links first; what is fixed to a link is reached with the link.
  void walk() {
    for (std::size_t k = 0; k < robot.joints.size(); ++k)
      below[robot.joints[k].parent].push_back(k);
    arrive(base, base, {});
    drain();
    while (!front.empty()) {
      const std::string link = front.front();
      front.pop_front();
      for (const std::size_t k : below[link])
        if (robot.joints[k].kind != JointKind::fixed) follow(k);
    }
  }
  void follow(std::size_t k) {
    step(k);
    drain();
  }
  void drain() {
    while (!pending.empty()) {
      const std::size_t k = pending.back();
      pending.pop_back();
      step(k);
    }
  }
  void step(std::size_t k) {
    const Joint& joint = robot.joints[k];
    const bool fixed = joint.kind == JointKind::fixed;
    if (!links.contains(joint.child) || joint.child == joint.parent) return;  // Model says so
    if (body_of.contains(joint.child))
      closing.push_back(k);
    else if (fixed)
      arrive(joint.child, body_of.at(joint.parent), T_body_link.at(joint.parent) * joint.placement);
    else
      arrive(joint.child, joint.child, {});
  }
  void arrive(const std::string& link, const std::string& body, const SE3<double>& T) {
    body_of[link] = body;
    T_body_link[link] = T;
    front.push_back(link);
    for (const std::size_t k : below[link])
      if (robot.joints[k].kind == JointKind::fixed) pending.push_back(k);
  }

  bool leads_to_world(const Joint& joint) const { return body_of.at(joint.child) == base; }
  const std::string& split_body(const Joint& joint) const {
    return body_of.at(leads_to_world(joint) ? joint.parent : joint.child);
  }

  /// A new link with a share of a body, in the frame `T` on one of its links.
  std::string part_of(const std::string& link, const SE3<double>& T, const std::string& joint) {
    const std::string& body = body_of.at(link);
    const SE3<double> T_part_body = inverse(T_body_link.at(link) * T);
    Inertia<double> sum;
    Link part;
    for (const auto& [name, held_by] : body_of) {
      if (held_by != body) continue;
      const Link& from = robot.links[links.at(name)];
      const Inertial& i = from.inertial;
      sum = sum + transported(T_part_body * T_body_link.at(name),
                              Inertia<double>::at_com(i.mass, i.com, i.about_com));
      part.has_inertial = part.has_inertial || from.has_inertial;
    }
    const double share = 1.0 / (parts.at(body) + 1);
    part.name = fresh(link + "_" + joint, link_names);
    part.origin = robot.links[links.at(link)].origin;
    part.inertial.mass = share * sum.m;
    if (sum.m > 0) part.inertial.com = sum.h * (1 / sum.m);
    part.inertial.about_com =
        (sum.J - Inertia<double>::parallel_axes(sum.m, part.inertial.com)) * share;
    robot.links.push_back(std::move(part));
    return robot.links.back().name;
  }

  void run() {
    if (base.empty()) return;
    walk();
    if (closing.empty()) return;
    if (robot.root.empty()) robot.root = base;
    for (const std::size_t k : closing)
      if (robot.joints[k].kind != JointKind::fixed) ++parts[split_body(robot.joints[k])];
    for (const std::size_t k : closing) close(robot.joints[k]);
    for (const auto& [link, body] : body_of) {
      const auto split = parts.find(body);
      if (split == parts.end()) continue;
      Inertial& inertial = robot.links[links.at(link)].inertial;
      inertial.mass /= split->second + 1;
      inertial.about_com = inertial.about_com * (1.0 / (split->second + 1));
    }
    std::erase_if(robot.joints, [](const Joint& joint) { return joint.child.empty(); });
  }

  void close(Joint& joint) {
    LoopJoint weld;
    weld.name = fresh(joint.name, loop_names);
    weld.origin = joint.origin;
    if (joint.kind == JointKind::fixed) {
      weld.link_a = joint.parent;
      weld.link_b = joint.child;
      weld.placement_a = joint.placement;
      joint.child.clear();  // no coordinate: the weld is all of it
    } else if (leads_to_world(joint)) {
      if (!turns_round(joint.kind))
        throw Error(joint.origin.prefix() + "joint \"" + joint.name +
                    "\": leads back to the world through \"" + joint.child + "\"; a " +
                    name_of(joint.kind) + " joint cannot be turned round, so make \"" +
                    joint.child + "\" its parent");
      weld.link_a = joint.parent;
      weld.placement_a = joint.placement;
      weld.link_b = part_of(joint.parent, joint.placement, joint.name);
      joint.parent = joint.child;
      joint.child = weld.link_b;
      joint.placement = {};
      joint.axis = -joint.axis;
    } else {
      weld.link_a = joint.child;
      weld.link_b = part_of(joint.child, {}, joint.name);
      joint.child = weld.link_b;
    }
    robot.loops.push_back(std::move(weld));
  }
};

}  // namespace

RobotDescription internal::split_loops(RobotDescription robot) {
  if (!robot.links.empty()) Splitter(robot).run();
  return robot;
}

}  // namespace torsor
