#include <map>
#include <numeric>
#include <set>

#include "check/parts.hpp"
#include "torsor/formats/internal/robot_checks.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::checks {
namespace {

/// What to do about an unknown name, as a sentence of its own.
std::string advice(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = did_you_mean(name, known, "");
  return near.empty() ? "correct the name, or add what it names" : near;
}

template <class Element>
std::vector<std::string> names_of(const std::vector<Element>& elements) {
  std::vector<std::string> names;
  for (const Element& e : elements) names.push_back(e.name);
  return names;
}

template <class Element>
void check_names_of(const std::vector<Element>& elements, const char* kind, Report& report) {
  std::map<std::string, const Element*> seen;
  for (const Element& e : elements) {
    const std::string who = element(kind, e.name);
    if (e.name.empty())
      report.error(e.origin, kind, "has no name", "results are reported by name", "give it a name");
    const auto [at, fresh] = seen.emplace(e.name, &e);
    if (!fresh) {
      const int line = at->second->origin.line;
      report.error(e.origin, who,
                   "the name is taken" + (line > 0 ? " in line " + std::to_string(line) : ""),
                   "a name must mean one thing", "rename one of them and what refers to it");
    }
    if (has_control_character(e.name))
      report.error(e.origin, who, "the name holds a control character",
                   "names are printed: it could forge lines and colours of a terminal",
                   "write \"_\" instead; --fix does");
    else if (is_awkward_name(e.name))
      report.warning(e.origin, who, "the name holds a blank, a comma or a quote",
                     "it breaks table headers, option lists and other programs",
                     "write \"_\" instead; --fix does");
  }
}

/// The names of links that no joint mentions.
std::vector<std::string> loose_links(const RobotDescription& robot) {
  std::set<std::string> mentioned;
  for (const Joint& j : robot.joints) mentioned.insert({j.parent, j.child});
  std::vector<std::string> loose;
  for (const Link& link : robot.links)
    if (!mentioned.contains(link.name)) loose.push_back(link.name);
  return loose;
}

/// The names of links that a joint with the unknown child `name` could carry: no joint does, and they
/// do not carry that joint.
std::vector<std::string> without_joint_above(const RobotDescription& robot,
                                             const std::string& name) {
  std::map<std::string, std::string> parent_of;
  for (const Joint& j : robot.joints) parent_of.emplace(j.child, j.parent);
  std::set<std::string> above;  // the joint, up to its root
  for (auto at = parent_of.find(name); at != parent_of.end(); at = parent_of.find(at->second))
    if (!above.insert(at->second).second) break;
  std::vector<std::string> links;
  for (const Link& link : robot.links)
    if (!parent_of.contains(link.name) && !above.contains(link.name)) links.push_back(link.name);
  return links;
}

}  // namespace
}  // namespace torsor::internal::checks

namespace torsor::internal {

std::string did_you_mean_child(const RobotDescription& robot, const std::string& name,
                               const char* before) {
  const std::vector<std::string> loose = checks::loose_links(robot);
  if (loose.size() == 1)
    return std::string(before) + "did you mean " + in_quotes(loose[0]) +
           ", which no joint carries?";
  const std::string among_loose = did_you_mean(name, loose, before);
  return among_loose.empty() ? did_you_mean(name, checks::without_joint_above(robot, name), before)
                             : among_loose;
}

}  // namespace torsor::internal

namespace torsor::internal::checks {

void check_names(const RobotDescription& robot, Report& report) {
  if (has_control_character(robot.name))
    report.error(robot.origin, element("robot", robot.name), "the name holds a control character",
                 "names are printed: it could forge lines and colours of a terminal",
                 "write \"_\" instead; --fix does");
  std::set<std::string> links;
  for (const Link& link : robot.links) links.insert(link.name);
  check_names_of(robot.links, "link", report);
  check_names_of(robot.joints, "joint", report);
  check_names_of(robot.frames, "frame", report);
  check_names_of(robot.loops, "loop", report);
  check_names_of(robot.couplings, "coupling", report);
  check_names_of(robot.springs, "spring", report);
  check_names_of(robot.motors, "motor", report);
  check_names_of(robot.configurations, "configuration", report);
  for (const FrameOnLink& f : robot.frames)
    if (links.contains(f.name))
      report.error(f.origin, element("frame", f.name), "a link has this name",
                   "a frame is looked up by name, links first", "rename the frame");
  for (const Joint& j : robot.joints)
    if (links.contains(j.name) && j.child != j.name)
      report.note(j.origin, element("joint", j.name), "another link has this name",
                  "as a frame, the name means the link, not this joint's child",
                  "rename one of them to use the joint's frame");
}

void check_tree(const Tree& tree, Report& report) {
  const RobotDescription& robot = tree.robot;
  const std::string self = element("robot", robot.name);
  const std::vector<std::string> links = names_of(robot.links);
  if (robot.links.empty())
    return report.error(robot.origin, self, "has no links", "there is nothing to compute",
                        "add at least one link");

  std::map<std::string, const Joint*> child_of;
  for (const Joint& j : robot.joints) {
    const std::string who = element("joint", j.name);
    if (tree.find(j.parent) == Tree::none)
      report.error(j.origin, who, "parent " + element("link", j.parent) + " does not exist",
                   "the joint connects nothing", advice(j.parent, links));
    if (tree.find(j.child) == Tree::none) {
      const std::string near = did_you_mean_child(robot, j.child, "");
      report.error(j.origin, who, "child " + element("link", j.child) + " does not exist",
                   "the joint connects nothing",
                   near.empty() ? "correct the name, or add what it names" : near);
    }
    const auto [at, fresh] = child_of.emplace(j.child, &j);
    if (!fresh)
      report.error(j.origin, who,
                   element("link", j.child) + " is already the child of " +
                       element("joint", at->second->name),
                   "a link has one parent; two make a loop",
                   "close loops with a loop joint between two links");
  }
  if (!robot.root.empty() && child_of.contains(robot.root))
    report.error(robot.origin, self, element("root", robot.root) + " is the child of a joint",
                 "the root is what is fixed to the world", "name the link without a parent joint");
  for (const std::size_t k : tree.roots)
    if (!tree.reached[k])
      report.error(robot.links[k].origin, element("link", robot.links[k].name),
                   "no joint has it as child, and " +
                       element("link", robot.links[tree.order[0]].name) + " is the root already",
                   "a robot is one tree; this part hangs on nothing",
                   "add the joint that carries it, or remove the link");
  for (std::size_t k = 0; k < robot.links.size(); ++k) {
    if (tree.reached[k] || tree.joint_above[k] == Tree::none) continue;
    std::size_t at = k;  // up to a root, or round a cycle
    for (std::size_t step = 0; step <= robot.links.size() && tree.joint_above[at] != Tree::none;
         ++step)
      at = tree.parent(at);
    if (tree.joint_above[at] != Tree::none)
      report.error(robot.links[k].origin, element("link", robot.links[k].name),
                   "hangs on a cycle of joints, out of reach of the root",
                   "a cycle has no first joint to start from",
                   "open the cycle and close it with a loop joint");
  }
  for (const FrameOnLink& f : robot.frames)
    if (tree.find(f.link) == Tree::none)
      report.error(f.origin, element("frame", f.name), element("link", f.link) + " does not exist",
                   "the frame is out of reach", advice(f.link, links));
    else if (!tree.reached[tree.find(f.link)])
      report.error(f.origin, element("frame", f.name),
                   element("link", f.link) + " is out of reach of the root",
                   "the frame has no pose", "connect the link");
  bool moves = false;
  for (const Joint& j : robot.joints) moves = moves || j.kind != JointKind::fixed;
  if (!moves)
    report.note(robot.origin, self, "has no moving joint", "there is no motion to compute",
                "torsor info --floating lets the whole robot move");
}

namespace {

void check_loop(const LoopJoint& loop, const Tree& tree, Report& report) {
  const std::string who = element("loop", loop.name);
  const std::size_t a = tree.find(loop.link_a), b = tree.find(loop.link_b);
  const std::vector<std::string> links = names_of(tree.robot.links);
  for (const std::string& link : {loop.link_a, loop.link_b})
    if (tree.find(link) == Tree::none)
      report.error(loop.origin, who, element("link", link) + " does not exist",
                   "the loop closes nothing", advice(link, links));
  if (a == Tree::none || b == Tree::none || !tree.reached[a] || !tree.reached[b]) return;
  if (tree.body[a] == tree.body[b])
    return report.error(loop.origin, who, "both ends are on one rigid body",
                        "its rows are empty or contradict each other", "remove the loop");
  using Kind = LoopJoint::Kind;
  const bool has_axis =
      loop.kind != Kind::weld && loop.kind != Kind::spherical && loop.kind != Kind::distance;
  if (has_axis && !(norm(loop.axis) > 1e-12))
    report.error(loop.origin, who, "axis is zero (" + numbers(loop.axis) + ")",
                 "the loop has no direction", "give a unit vector");
  if (loop.kind == Kind::distance && !(loop.distance > 0))
    report.error(loop.origin, who, "distance is " + short_number(loop.distance) + " m",
                 "a distance of zero has no direction", "use a spherical loop joint for zero");
  const Vec3<double> apart =
      tree.T_root_link[a] * loop.placement_a.p - tree.T_root_link[b] * loop.placement_b.p;
  const double gap =
      loop.kind == Kind::distance ? std::abs(norm(apart) - loop.distance) : norm(apart);
  if (gap > 1e-6 && loop.kind != Kind::prismatic && loop.kind != Kind::cylindrical)
    report.note(loop.origin, who,
                "is open by " + short_number(gap) + " m at the neutral configuration",
                "constrained dynamics needs a configuration that closes the loops",
                "find one before constrained dynamics, or correct the placements");
}

/// Joins couplings of two joints into groups; a second path between two joints is a cycle.
void check_couplings(const RobotDescription& robot, Report& report) {
  std::map<std::string, std::size_t> number_of;
  for (std::size_t k = 0; k < robot.joints.size(); ++k) number_of.emplace(robot.joints[k].name, k);
  std::vector<std::size_t> group(robot.joints.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto leader = [&](std::size_t k) {
    while (group[k] != k) k = group[k] = group[group[k]];
    return k;
  };
  for (const Coupling& c : robot.couplings) {
    const std::string who = element("coupling", c.name);
    std::vector<std::size_t> coupled;
    for (const Coupling::Term& term : c.terms) {
      const auto at = number_of.find(term.joint);
      if (at == number_of.end()) {
        report.error(c.origin, who, element("joint", term.joint) + " does not exist",
                     "the coupling has no meaning", advice(term.joint, names_of(robot.joints)));
        continue;
      }
      if (n_v(robot.joints[at->second]) != 1)
        report.error(c.origin, who,
                     element("joint", term.joint) + " has " +
                         std::to_string(n_v(robot.joints[at->second])) + " degrees of freedom",
                     "couplings are between joints of one degree of freedom", "remove the term");
      if (term.factor == 0)
        report.warning(c.origin, who, element("joint", term.joint) + " has the factor 0",
                       "the joint does not take part", "remove the term or correct the factor");
      coupled.push_back(at->second);
    }
    if (coupled.size() != c.terms.size()) continue;
    if (coupled.empty()) {
      report.error(c.origin, who, "has no terms", "it is no equation", "remove it");
    } else if (coupled.size() == 2) {
      const std::size_t a = leader(coupled[0]), b = leader(coupled[1]);
      if (a == b)
        report.error(c.origin, who,
                     element("joint", c.terms[0].joint) +
                         (coupled[0] == coupled[1] ? " follows itself"
                                                   : " follows itself through other couplings"),
                     "a cycle of mimic joints is redundant or locks the joints",
                     "let one joint of the cycle lead");
      else
        group[a] = b;
    }
  }
}

void check_motor(const Motor& motor, const RobotDescription& robot, Report& report) {
  const std::string who = element("motor", motor.name);
  if (motor.ratios.empty())
    report.error(motor.origin, who, "turns with no joint", "it does nothing", "give its ratios");
  for (const Coupling::Term& term : motor.ratios) {
    const Joint* const joint = robot.find_joint(term.joint);
    if (joint == nullptr)
      report.error(motor.origin, who, element("joint", term.joint) + " does not exist",
                   "nothing would turn the motor", advice(term.joint, names_of(robot.joints)));
    else if (n_v(*joint) != 1)
      report.error(motor.origin, who,
                   element("joint", term.joint) + " has " + std::to_string(n_v(*joint)) +
                       " degrees of freedom",
                   "motors turn with joints of one degree of freedom", "remove the ratio");
    if (!std::isfinite(term.factor) || term.factor == 0)
      report.error(motor.origin, who,
                   "ratio of " + element("joint", term.joint) + " is " + short_number(term.factor),
                   "the joint would not turn the motor", "give motor turns per joint turn");
  }
  if (motor.ratios.size() == 1)
    report.note(motor.origin, who, "turns with one joint alone",
                "the motor of a single joint is that joint's actuator",
                "give rotor inertia and gear ratio at the joint");
  if (!std::isfinite(motor.rotor_inertia) || motor.rotor_inertia < 0)
    report.error(motor.origin, who,
                 "rotor inertia is " + short_number(motor.rotor_inertia) + " kg m^2",
                 "the mass matrix loses its meaning", "give 0 or more");
  check_friction(motor.friction, 0, false, motor.origin, who, report);
}

}  // namespace

void check_constraints(const Tree& tree, Report& report) {
  const RobotDescription& robot = tree.robot;
  for (const LoopJoint& loop : robot.loops) check_loop(loop, tree, report);
  check_couplings(robot, report);
  for (const Motor& motor : robot.motors) check_motor(motor, robot, report);
  for (const SpringDamper& s : robot.springs) {
    const std::string who = element("spring", s.name);
    for (const std::string& link : {s.link_a, s.link_b})
      if (!link.empty() && tree.find(link) == Tree::none)
        report.error(s.origin, who, element("link", link) + " does not exist",
                     "the spring hangs on nothing", advice(link, names_of(robot.links)));
    if (s.stiffness < 0 || s.damping < 0 || s.rest_length < 0)
      report.error(s.origin, who, "stiffness, damping or rest length is negative",
                   "it would produce energy from nothing", "give numbers of 0 or more");
    if (!std::isfinite(s.preload))
      report.error(s.origin, who, "preload is " + short_number(s.preload), "it has no meaning",
                   "give it in N", Finding::Kind::not_finite);
  }
}

}  // namespace torsor::internal::checks
