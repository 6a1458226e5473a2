// Equalities, tendons and actuators: what becomes a loop, a coupling, a motor or a spring.
#include <algorithm>
#include <cmath>

#include "mjcf/reader.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mjcf {

const Reader::Known& Reader::known_joint(const XmlElement& at, const char* attribute) {
  const std::string name = at.required(attribute);
  const auto found = joints_.find(name);
  if (found == joints_.end()) {
    std::vector<std::string> known;
    for (const Joint& joint : robot_.joints)
      if (known.size() < 200) known.push_back(joint.name);
    at.fail("unknown joint " + in_quotes(name) + did_you_mean(name, known));
  }
  return found->second;
}

/// Link and place of one side of a <connect> or <weld>; the world where nothing is named.
Reader::Site Reader::end_of(const XmlElement& at, const char* body, const char* site) {
  if (const std::optional<std::string> name = at.attribute(site)) {
    const auto found = sites_.find(*name);
    if (found == sites_.end()) at.fail("unknown site " + in_quotes(*name));
    return found->second;
  }
  const std::string name = at.attribute(body).value_or("world");
  const auto found = bodies_.find(name);
  if (found == bodies_.end()) {
    std::vector<std::string> known;
    for (const Link& link : robot_.links)
      if (known.size() < 200) known.push_back(link.name);
    at.fail("unknown body " + in_quotes(name) + did_you_mean(name, known));
  }
  return {found->second, {}};
}

void Reader::read_loop(const Node& node) {
  const XmlElement& at = node.xml;
  const bool weld = node.tag == "weld", by_sites = at.attribute("site1").has_value();
  check_attributes(at, node.tag, notes_);
  if (by_sites != at.attribute("site2").has_value()) at.fail("site1 and site2 belong together");
  if (by_sites && (at.attribute("body1") || at.attribute("body2") || at.attribute("anchor")))
    at.fail("<" + node.tag + "> has sites and bodies; remove one of them");
  if (!by_sites) (void)at.required("body1");
  const Site a = end_of(at, "body1", "site1"), b = end_of(at, "body2", "site2");
  LoopJoint loop;
  loop.origin = at.origin();
  loop.kind = weld ? LoopJoint::Kind::weld : LoopJoint::Kind::spherical;
  loop.name =
      fresh(node.attribute("name").empty() ? node.tag : node.attribute("name"), loop_names_);
  loop.link_a = robot_.links[a.link].name;
  loop.link_b = robot_.links[b.link].name;
  loop.placement_a = a.T;
  loop.placement_b = b.T;
  const SE3<double> T_ab = inverse(T_world_[a.link]) * T_world_[b.link];  // as the file has it
  const auto moved = [](const Vec3<double>& p) { return SE3<double>{SO3<double>::identity(), p}; };
  if (!by_sites && weld) {
    const Vec3<double> anchor = at.vec3("anchor", {});
    loop.placement_b = moved(anchor);
    loop.placement_a = T_ab * moved(anchor);
    std::vector<double> pose = Attributes(at, "", nullptr).numbers("relpose", 7, 7);
    if (!pose.empty() && (pose[3] != 0 || pose[4] != 0 || pose[5] != 0 || pose[6] != 0)) {
      const double n = std::hypot(std::hypot(pose[3], pose[4]), std::hypot(pose[5], pose[6]));
      const SO3<double> R =
          rotation(Quaternion<double>{pose[4] / n, pose[5] / n, pose[6] / n, pose[3] / n});
      loop.placement_a = {R, {pose[0], pose[1], pose[2]}};
    }
  } else if (!by_sites) {
    const Vec3<double> anchor = at.vec3("anchor");
    loop.placement_a = moved(anchor);
    loop.placement_b = moved(inverse(T_ab) * anchor);
  }
  robot_.loops.push_back(std::move(loop));
}

void Reader::add_coupling(const Node& node, std::vector<Coupling::Term> terms, double offset) {
  Coupling coupling;
  coupling.origin = node.xml.origin();
  coupling.name =
      fresh(node.attribute("name").empty() ? "equality" : node.attribute("name"), loop_names_);
  for (const Coupling::Term& term : terms) {  // one term for each joint
    const auto same = std::find_if(coupling.terms.begin(), coupling.terms.end(),
                                   [&](const auto& t) { return t.joint == term.joint; });
    if (same != coupling.terms.end())
      same->factor += term.factor;
    else
      coupling.terms.push_back(term);
  }
  std::erase_if(coupling.terms, [](const Coupling::Term& t) { return t.factor == 0; });
  if (coupling.terms.empty()) node.xml.fail("<" + node.tag + "> couples nothing");
  coupling.offset = offset;
  robot_.couplings.push_back(std::move(coupling));
}

/// q1 - ref1 = sum_k c_k (q2 - ref2)^k
void Reader::read_joint_equality(const Node& node) {
  const XmlElement& at = node.xml;
  check_attributes(at, "equality joint", notes_);
  const Known& first = known_joint(at, "joint1");
  std::vector<double> c = Attributes(at, "", nullptr).numbers("polycoef", 1, 5);
  if (c.empty()) c = {0, 1};
  c.resize(5);
  std::vector<Coupling::Term> terms = {{robot_.joints[first.joint].name, 1}};
  double offset = c[0] + first.ref;
  for (const char* name : {"joint1", "joint2"})
    if (at.attribute(name) && n_q(robot_.joints[known_joint(at, name).joint]) != 1)
      at.fail("joint " + in_quotes(*at.attribute(name)) + " has more than one coordinate");
  if (at.attribute("joint2")) {
    if (c[2] != 0 || c[3] != 0 || c[4] != 0)
      return notes_.dropped(at, "<joint> of <equality> that is not linear",
                            "couplings are linear here", "remove the higher coefficients");
    const Known& second = known_joint(at, "joint2");
    terms.push_back({robot_.joints[second.joint].name, -c[1]});
    offset -= c[1] * second.ref;
  }
  add_coupling(node, std::move(terms), offset);
}

/// L1 - L1(ref) = sum_k c_k (L2 - L2(ref))^k of fixed tendons
void Reader::read_tendon_equality(const Node& node) {
  const XmlElement& at = node.xml;
  check_attributes(at, "equality tendon", notes_);
  std::vector<double> c = Attributes(at, "", nullptr).numbers("polycoef", 1, 5);
  if (c.empty()) c = {0, 1};
  c.resize(5);
  std::vector<Coupling::Term> terms;
  double offset = c[0];
  double sign = 1;
  for (const char* name : {"tendon1", "tendon2"}) {
    if (*(name + 6) == '2' && !at.attribute(name)) continue;
    const auto found = tendons_.find(at.required(name));
    if (found == tendons_.end()) at.fail("unknown tendon " + in_quotes(at.required(name)));
    const Tendon& tendon = found->second;
    const bool curved = sign < 0 && (c[2] != 0 || c[3] != 0 || c[4] != 0);
    if (!tendon.fixed || curved)
      return notes_.dropped(at, "<tendon> of <equality>",
                            curved ? "couplings are linear here"
                                   : "the length of a spatial tendon is not constrained here",
                            "couple joints by a fixed tendon");
    for (const Coupling::Term& term : tendon.terms)
      terms.push_back({term.joint, term.factor * sign});
    offset += sign * tendon.at_reference;
    sign = -c[1];
  }
  add_coupling(node, std::move(terms), offset);
}

void Reader::read_equality(const Node& node) {
  const XmlElement& at = node.xml;
  static const std::set<std::string> known = {"connect", "weld", "joint", "tendon"};
  if (!known.contains(node.tag)) {
    if (node.tag == "flex" || node.tag == "flexvert" || node.tag == "flexstrain")
      return notes_.dropped(at, "<" + node.tag + "> of <equality>", "there are no flexible bodies",
                            "remove it");
    return notes_.unknown(at, "element <" + node.tag + "> in <equality>",
                          did_you_mean(node.tag, {"connect", "weld", "joint", "tendon"}), "MJCF");
  }
  const Class* defaults = classes_.of(at, "class", classes_.main());
  if (Attributes(at, "equality", defaults).word("active", {"false", "true"}, "true") == "false")
    return notes_.unused(at, "<" + node.tag + "> of <equality> that is not active",
                         Finding::Topic::motion);
  if (leaves_bodies_out_)
    for (const char* end : {"body1", "body2", "site1", "site2"}) {
      const std::string name = node.attribute(end);
      if (!name.empty() && !bodies_.contains(name) && !sites_.contains(name))
        return notes_.dropped(at, "<" + node.tag + "> of <equality> with a body that is left out",
                              "that of a <composite> or <flexcomp>", "write its bodies out");
    }
  if (node.tag == "joint")
    read_joint_equality(node);
  else if (node.tag == "tendon")
    read_tendon_equality(node);
  else
    read_loop(node);
}

/// Two sites, a spring and a damper between them.
void Reader::read_spatial(const Node& node, const Attributes& a) {
  const XmlElement& at = node.xml;
  const double stiffness =
      a.numbers("stiffness", 1, 3).empty() ? 0 : a.numbers("stiffness", 1, 3)[0];
  const double damping = a.numbers("damping", 1, 3).empty() ? 0 : a.numbers("damping", 1, 3)[0];
  if (a.number("frictionloss", 0) != 0 || a.number("armature", 0) != 0)
    notes_.dropped(at, "friction and inertia of spatial tendons", "they are not computed",
                   "remove them");
  if (stiffness == 0 && damping == 0) return notes_.unused(at, "<spatial>", Finding::Topic::motion);
  std::vector<double> rest = a.numbers("springlength", 1, 2);
  const bool band = rest.size() == 2 && rest[0] != rest[1];
  const bool straight =
      node.children.size() == 2 && node.children[0].tag == "site" && node.children[1].tag == "site";
  if (!straight || band)
    return notes_.dropped(at, "springs of <spatial>",
                          band ? "springs with a dead band are not computed"
                               : "springs go straight from one site to another",
                          "make it a tendon between two sites with one springlength");
  const Site p = end_of(node.children[0].xml, "", "site"),
             q = end_of(node.children[1].xml, "", "site");
  SpringDamper spring;
  spring.name =
      fresh(node.attribute("name").empty() ? "tendon" : node.attribute("name"), spring_names_);
  spring.origin = at.origin();
  spring.link_a = robot_.links[p.link].name;
  spring.link_b = robot_.links[q.link].name;
  spring.point_a = p.T.p;
  spring.point_b = q.T.p;
  spring.stiffness = stiffness;
  spring.damping = damping;
  spring.rest_length = !rest.empty() && rest[0] >= 0
                           ? rest[0]
                           : norm(T_world_[p.link] * p.T.p - T_world_[q.link] * q.T.p);
  robot_.springs.push_back(std::move(spring));
}

void Reader::read_tendon(const Node& node) {
  const XmlElement& at = node.xml;
  if (node.tag != "fixed" && node.tag != "spatial")
    return notes_.unknown(at, "element <" + node.tag + "> in <tendon>",
                          did_you_mean(node.tag, {"fixed", "spatial"}), "MJCF");
  check_attributes(at, node.tag, notes_);
  const Attributes a(at, "tendon", classes_.of(at, "class", classes_.main()));
  Tendon tendon;
  tendon.fixed = node.tag == "fixed";
  if (!tendon.fixed) {
    tendons_[node.attribute("name")] = tendon;
    return read_spatial(node, a);
  }
  for (const Node& part : node.children) {
    if (part.tag != "joint") {
      notes_.unknown(part.xml, "element <" + part.tag + "> in <fixed>", "", "MJCF");
      continue;
    }
    const Known& joint = known_joint(part.xml, "joint");
    const double factor = part.xml.number("coef");
    if (n_q(robot_.joints[joint.joint]) != 1) {  // MuJoCo takes the first number of its quaternion
      tendons_[node.attribute("name")] = {};
      return notes_.dropped(part.xml, "<fixed> of a joint with more than one coordinate",
                            "such a joint has no length", "name hinges and slides");
    }
    tendon.terms.push_back({robot_.joints[joint.joint].name, factor});
    tendon.at_reference += factor * joint.ref;
  }
  tendons_[node.attribute("name")] = tendon;
  Motor motor;
  const std::vector<double> damping = a.numbers("damping", 1, 3),
                            stiffness = a.numbers("stiffness", 1, 3);
  motor.rotor_inertia = a.number("armature", 0);
  motor.friction.damping = damping.empty() ? 0 : damping[0];
  motor.friction.coulomb = a.number("frictionloss", 0);
  if (!stiffness.empty() && stiffness[0] != 0)
    notes_.dropped(at, "stiffness of a fixed tendon", "springs on sums of joints are not computed",
                   "give the joints springs");
  if (motor.rotor_inertia == 0 && motor.friction.damping == 0 && motor.friction.coulomb == 0)
    return notes_.unused(at, "<fixed>", Finding::Topic::motion);
  motor.name = node.attribute("name").empty() ? "tendon" : node.attribute("name");
  motor.ratios = tendon.terms;
  motor.origin = at.origin();
  robot_.motors.push_back(std::move(motor));
}

/// A motor is known by its joint; its range is the joint's effort. What it does with a command is not
/// read: laws are elsewhere.
void Reader::read_actuator(const Node& node) {
  const XmlElement& at = node.xml;
  if (!is_actuator(node.tag))
    return notes_.unknown(
        at, "element <" + node.tag + "> in <actuator>",
        did_you_mean(node.tag, {"general", "motor", "position", "velocity", "intvelocity", "damper",
                                "cylinder", "muscle", "adhesion"}),
        "MJCF");
  const Attributes a(at, node.tag.c_str(), classes_.of(at, "class", classes_.main()), true);
  const char* place = at.attribute("joint") ? "joint" : "jointinparent";
  if (!at.attribute(place)) return notes_.unused(at, "<" + node.tag + ">", Finding::Topic::motion);
  Joint& joint = robot_.joints[known_joint(at, place).joint];
  const auto size = static_cast<std::size_t>(n_v(joint));
  const double armature = a.number("armature", 0);
  const std::vector<double> damping = a.numbers("damping", 1, 3), gear = a.numbers("gear", 1, 6);
  if (armature != 0 || (!damping.empty() && damping[0] != 0))
    notes_.dropped(at, "armature and damping of an actuator", "they act on the joint",
                   "give them to the joint");
  if (joint.kind == JointKind::free)
    return notes_.unused(at, "<" + node.tag + ">", Finding::Topic::motion);
  if (joint.actuator.empty()) joint.actuator.assign(size, {});
  // kept: that the joint has a motor, and how strong it is
  const auto limited = [&](const char* range, const char* word) {
    const std::string is = a.word(word, {"false", "true", "auto"}, "auto");
    return a.has(range) && (is == "true" || (is == "auto" && compiler_.autolimits));
  };
  double effort = infinity;
  if (limited("forcerange", "forcelimited")) {
    const std::vector<double> r = a.numbers("forcerange", 2, 2);
    effort = std::max(std::abs(r[0]), std::abs(r[1]));
  }
  if (node.tag == "motor" && limited("ctrlrange", "ctrllimited")) {
    const std::vector<double> r = a.numbers("ctrlrange", 2, 2);
    effort = std::min(effort, std::max(std::abs(r[0]), std::abs(r[1])));
  }
  effort *= gear.empty() ? 1 : std::abs(gear[0]);
  if (size == 1 && effort < infinity) {
    if (joint.limits.empty()) joint.limits.assign(1, {});
    joint.limits[0].effort = std::min(joint.limits[0].effort, effort);
  }
  notes_.unused(at, "control of <" + node.tag + ">", Finding::Topic::motion);
}

}  // namespace torsor::internal::mjcf
