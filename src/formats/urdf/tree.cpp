#include <algorithm>
#include <unordered_map>

#include "torsor/formats/internal/robot_checks.hpp"
#include "torsor/formats/text.hpp"
#include "urdf/elements.hpp"

namespace torsor::internal::urdf {
namespace {

using Index = std::unordered_map<std::string, std::size_t>;

[[noreturn]] void fail(const Origin& origin, const std::string& kind, const std::string& name,
                       const std::string& message) {
  throw Error(origin.prefix() + kind + " " + in_quotes(name) + ": " + message);
}

template <class Element>
std::vector<std::string> names_of(const std::vector<Element>& elements) {
  std::vector<std::string> names;
  for (const Element& e : elements) names.push_back(e.name);
  return names;
}

std::string in_line(const Origin& origin) {
  return origin.line > 0 ? " (line " + std::to_string(origin.line) + ")" : "";
}

/// Names must be there and differ; loops, couplings and springs may go without (`optional`).
template <class Element>
Index index_of(const std::vector<Element>& elements, const char* kind, bool optional = false) {
  Index index;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Element& e = elements[k];
    if (e.name.empty() && optional) continue;
    if (e.name.empty()) fail(e.origin, kind, e.name, "the name is empty");
    const auto [other, fresh] = index.emplace(e.name, k);
    if (!fresh)
      fail(e.origin, kind, e.name,
           "another " + std::string(kind) + " has the same name" +
               in_line(elements[other->second].origin));
  }
  return index;
}

struct Checker {
  const RobotDescription& robot;
  Index links = index_of(robot.links, "link"), joints = index_of(robot.joints, "joint");

  void know_link(const Origin& origin, const char* kind, const std::string& name,
                 const std::string& role, const std::string& link) const {
    if (!links.contains(link))
      fail(origin, kind, name,
           "unknown " + role + " link " + in_quotes(link) +
               did_you_mean(link, names_of(robot.links)));
  }

  /// The joint above each link, or -1.
  std::vector<std::ptrdiff_t> joints_above() const {
    std::vector<std::ptrdiff_t> above(robot.links.size(), -1);
    for (std::size_t k = 0; k < robot.joints.size(); ++k) {
      const Joint& joint = robot.joints[k];
      know_link(joint.origin, "joint", joint.name, "parent", joint.parent);
      if (!links.contains(joint.child))
        fail(joint.origin, "joint", joint.name,
             "unknown child link " + in_quotes(joint.child) +
                 did_you_mean_child(robot, joint.child));
      std::ptrdiff_t& slot = above[links.at(joint.child)];
      if (slot >= 0) {
        const Joint& other = robot.joints[static_cast<std::size_t>(slot)];
        fail(joint.origin, "joint", joint.name,
             "link " + in_quotes(joint.child) + " is already the child of joint " +
                 in_quotes(other.name) + in_line(other.origin));
      }
      slot = static_cast<std::ptrdiff_t>(k);
    }
    return above;
  }

  std::string root() const {
    if (robot.links.empty()) fail(robot.origin, "robot", robot.name, "has no links");
    const std::vector<std::ptrdiff_t> above = joints_above();
    std::ptrdiff_t root = -1;
    for (std::size_t k = 0; k < above.size(); ++k) {
      if (above[k] >= 0) continue;
      if (root >= 0)
        fail(robot.links[k].origin, "robot", robot.name,
             "has two root links, " + in_quotes(robot.links[static_cast<std::size_t>(root)].name) +
                 " and " + in_quotes(robot.links[k].name) + "; join them by a joint");
      root = static_cast<std::ptrdiff_t>(k);
    }
    refuse_cycles(above);
    const std::string& name = robot.links[static_cast<std::size_t>(root)].name;
    if (!robot.root.empty() && robot.root != name)
      fail(robot.origin, "robot", robot.name,
           "root " + in_quotes(robot.root) + " is not the link without a parent, " +
               in_quotes(name));
    return name;
  }

  void refuse_cycles(const std::vector<std::ptrdiff_t>& above) const {
    enum : unsigned char { fresh, on_path, safe };
    std::vector<unsigned char> state(above.size(), fresh);
    for (std::size_t start = 0; start < above.size(); ++start) {
      std::vector<std::size_t> path;
      std::size_t at = start;
      while (state[at] == fresh && above[at] >= 0) {
        state[at] = on_path;
        path.push_back(at);
        at = links.at(robot.joints[static_cast<std::size_t>(above[at])].parent);
      }
      if (state[at] == on_path) report_cycle(above, at);
      state[at] = safe;
      for (const std::size_t k : path) state[k] = safe;
    }
  }
  [[noreturn]] void report_cycle(const std::vector<std::ptrdiff_t>& above, std::size_t at) const {
    std::string way = in_quotes(robot.links[at].name);
    const Joint& joint = robot.joints[static_cast<std::size_t>(above[at])];
    std::size_t link = at;
    for (int shown = 0; shown < 6; ++shown) {
      link = links.at(robot.joints[static_cast<std::size_t>(above[link])].parent);
      way += " < " + in_quotes(robot.links[link].name);
      if (link == at) break;
    }
    if (link != at) way += " < ...";
    fail(joint.origin, "joint", joint.name, "closes a cycle of links: " + way);
  }

  template <class Element>
  void know_joint(const Element& element, const char* type, const std::string& name) const {
    const auto at = joints.find(name);
    if (at == joints.end())
      fail(element.origin, type, element.name,
           "unknown joint " + in_quotes(name) + did_you_mean(name, names_of(robot.joints)));
    const Joint& joint = robot.joints[at->second];
    if (n_q(joint) != 1)
      fail(element.origin, type, element.name,
           "joint " + in_quotes(name) + " is " + name_of(joint.kind) +
               "; only joints of one coordinate can be coupled");
  }

  void extension() const {
    const Index frames = index_of(robot.frames, "frame");
    for (const FrameOnLink& frame : robot.frames) {
      know_link(frame.origin, "frame", frame.name, "carrying", frame.link);
      if (links.contains(frame.name))
        fail(frame.origin, "frame", frame.name, "a link has the same name");
    }
    index_of(robot.loops, "loop", true);
    for (const LoopJoint& loop : robot.loops) {
      know_link(loop.origin, "loop", loop.name, "first", loop.link_a);
      know_link(loop.origin, "loop", loop.name, "second", loop.link_b);
    }
    index_of(robot.couplings, "coupling", true);
    for (const Coupling& coupling : robot.couplings) {
      if (coupling.terms.empty()) fail(coupling.origin, "coupling", coupling.name, "has no terms");
      for (const Coupling::Term& term : coupling.terms)
        know_joint(coupling, "coupling", term.joint);
    }
    index_of(robot.motors, "motor");
    for (const Motor& motor : robot.motors)
      for (const Coupling::Term& term : motor.ratios) know_joint(motor, "motor", term.joint);
    index_of(robot.springs, "spring_damper", true);
    for (const SpringDamper& spring : robot.springs)
      for (const std::string& link : {spring.link_a, spring.link_b})
        if (!link.empty()) know_link(spring.origin, "spring_damper", spring.name, "attached", link);
  }
};

}  // namespace

std::string check_tree(const RobotDescription& robot) {
  const Checker checker{robot};
  std::string root = checker.root();
  checker.extension();
  return root;
}

void note_massless_links(const RobotDescription& robot, Notes& notes) {
  std::unordered_map<std::string, double> mass;  // of each link and all that is fixed to it
  std::unordered_map<std::string, const Link*> links;
  for (const Link& link : robot.links) {
    mass[link.name] = link.inertial.mass;
    links[link.name] = &link;
  }
  std::unordered_map<std::string, std::vector<const Joint*>> below;
  for (const Joint& joint : robot.joints) below[joint.parent].push_back(&joint);
  std::vector<const Joint*> order;  // parents before children
  std::vector<std::string> stack = {robot.root};
  while (!stack.empty()) {
    const std::string link = stack.back();
    stack.pop_back();
    for (const Joint* joint : below[link]) {
      order.push_back(joint);
      stack.push_back(joint->child);
    }
  }
  for (auto joint = order.rbegin(); joint != order.rend(); ++joint)
    if ((*joint)->kind == JointKind::fixed) mass[(*joint)->parent] += mass[(*joint)->child];
  for (const Joint* joint : order) {
    if (joint->kind == JointKind::fixed || mass[joint->child] > 0) continue;
    const Link* link = links[joint->child];
    notes.add({Finding::Severity::warning, link->origin, "link " + in_quotes(link->name),
               link->has_inertial ? "moves and has no mass" : "moves and has no <inertial>",
               "accelerations are not defined if nothing beyond the link has mass either",
               "give the link a mass and an inertia", Finding::Kind::massless_body});
  }
}

}  // namespace torsor::internal::urdf
