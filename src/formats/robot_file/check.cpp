#include <map>
#include <set>

#include "torsor/formats/internal/robot_checks.hpp"
#include "torsor/formats/internal/robot_file_parts.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/loop.hpp"

namespace torsor::internal::robot_file {
namespace {

using Names = std::map<std::string, Origin>;

[[noreturn]] void fail(const Origin& origin, const std::string& what) {
  throw Error(Origin{one_line(origin.file), origin.line}.prefix() + what);
}

template <class Element>
Names unique_names(const std::vector<Element>& elements, const char* kind) {
  Names names;
  for (const Element& element : elements) {
    const auto [at, fresh] = names.emplace(element.name, element.origin);
    if (!fresh)
      fail(element.origin, std::string(kind) + " " + in_quotes(element.name) +
                               ": the name is taken in line " + std::to_string(at->second.line));
  }
  return names;
}

void must_exist(const Names& names, const std::string& name, const char* kind, const Origin& origin,
                const std::string& who) {
  if (names.contains(name)) return;
  std::vector<std::string> known;
  for (const auto& [candidate, where] : names) known.push_back(candidate);
  fail(origin, who + ": unknown " + kind + " " + in_quotes(name) + did_you_mean(name, known));
}

/// The links that are no joint's child.
std::vector<const Link*> roots(const RobotDescription& robot) {
  std::map<std::string, const Joint*> child_of;
  for (const Joint& joint : robot.joints) {
    const auto [at, fresh] = child_of.emplace(joint.child, &joint);
    if (!fresh)
      fail(joint.origin, "joint " + in_quotes(joint.name) + ": " + in_quotes(joint.child) +
                             " is already the child of joint " + in_quotes(at->second->name) +
                             "; close loops under \"loops\"");
  }
  std::vector<const Link*> result;
  for (const Link& link : robot.links)
    if (!child_of.contains(link.name)) result.push_back(&link);
  return result;
}

void find_root(RobotDescription& robot) {
  const std::vector<const Link*> free_links = roots(robot);
  if (free_links.empty())
    fail(robot.joints.front().origin,
         "joint " + in_quotes(robot.joints.front().name) +
             ": the joints form a cycle: every body is some joint's child");
  if (robot.root.empty()) robot.root = free_links.front()->name;
  for (const Link* link : free_links)
    if (link->name != robot.root)
      fail(link->origin, "body " + in_quotes(link->name) + ": no joint has it as child, and " +
                             in_quotes(robot.root) + " is the root already");
  if (free_links.front()->name != robot.root)
    fail(robot.origin, "root: body " + in_quotes(robot.root) + " is the child of a joint");
}

// With one root and one parent each, a body out of reach hangs on a cycle.
void check_reach(const RobotDescription& robot) {
  std::multimap<std::string, const Joint*> by_parent;
  for (const Joint& joint : robot.joints) by_parent.emplace(joint.parent, &joint);
  std::set<std::string> reached{robot.root};
  std::vector<std::string> front{robot.root};
  while (!front.empty()) {
    const std::string parent = front.back();
    front.pop_back();
    const auto [begin, end] = by_parent.equal_range(parent);
    for (auto at = begin; at != end; ++at)
      if (reached.insert(at->second->child).second) front.push_back(at->second->child);
  }
  for (const Joint& joint : robot.joints)
    if (!reached.contains(joint.child))
      fail(joint.origin, "joint " + in_quotes(joint.name) +
                             ": is part of a cycle, out of reach of the root " +
                             in_quotes(robot.root));
}

}  // namespace

void check_structure(RobotDescription& robot) {
  const Names links = unique_names(robot.links, "body");
  const Names joints = unique_names(robot.joints, "joint");
  unique_names(robot.frames, "frame");
  unique_names(robot.loops, "loop");
  unique_names(robot.couplings, "coupling");
  unique_names(robot.springs, "spring");
  unique_names(robot.motors, "motor");
  unique_names(robot.configurations, "configuration");
  if (!robot.root.empty()) must_exist(links, robot.root, "body", robot.origin, "root");
  for (const Joint& joint : robot.joints) {
    const std::string who = "joint " + in_quotes(joint.name);
    must_exist(links, joint.parent, "parent", joint.origin, who);
    if (!links.contains(joint.child))
      fail(joint.origin, who + ": unknown child " + in_quotes(joint.child) +
                             did_you_mean_child(robot, joint.child));
  }
  for (const FrameOnLink& frame : robot.frames) {
    const std::string who = "frame " + in_quotes(frame.name);
    must_exist(links, frame.link, "link", frame.origin, who);
    if (links.contains(frame.name)) fail(frame.origin, who + ": a body has this name");
  }
  for (const LoopJoint& loop : robot.loops) {
    const std::string who = "loop " + in_quotes(loop.name);
    must_exist(links, loop.link_a, "link_a", loop.origin, who);
    must_exist(links, loop.link_b, "link_b", loop.origin, who);
    if (loop.link_a == loop.link_b) fail(loop.origin, who + ": both ends are on one body");
  }
  std::set<std::string> single;  // joints with one coordinate
  for (const Joint& joint : robot.joints)
    if (n_v(joint) == 1) single.insert(joint.name);
  const auto check_terms = [&](const std::string& who, const Origin& origin,
                               const std::vector<Coupling::Term>& terms) {
    for (const Coupling::Term& term : terms) {
      must_exist(joints, term.joint, "joint", origin, who);
      if (!single.contains(term.joint))
        fail(origin,
             who + ": joint " + in_quotes(term.joint) + " has more or less than one coordinate");
    }
  };
  for (const Coupling& c : robot.couplings)
    check_terms("coupling " + in_quotes(c.name), c.origin, c.terms);
  for (const Motor& m : robot.motors) check_terms("motor " + in_quotes(m.name), m.origin, m.ratios);
  for (const SpringDamper& spring : robot.springs)
    for (const std::string& link : {spring.link_a, spring.link_b})
      if (!link.empty())
        must_exist(links, link, "link", spring.origin, "spring " + in_quotes(spring.name));
  robot = split_loops(std::move(robot));
  find_root(robot);
  check_reach(robot);
}

}  // namespace torsor::internal::robot_file
