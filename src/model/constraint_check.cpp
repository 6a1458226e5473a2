#include "constraint_check.hpp"

#include <cmath>
#include <cstdio>
#include <unordered_set>

#include "torsor/model/configuration.hpp"
#include "torsor/model/text.hpp"

namespace torsor {
namespace {

bool finite(const Vec3<double>& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

[[noreturn]] void refuse(const Origin& origin, const std::string& element,
                         const std::string& what) {
  throw Error(origin.prefix() + element + ": " + what);
}

/// One element, for messages: "file:line: loop "name": what".
struct Element {
  const Origin& origin;
  const char* type;
  const std::string& name;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(origin.prefix() + type + " \"" + name + "\": " + what);
  }
  void need_finite(const char* what, double x) const {
    if (!std::isfinite(x)) fail(std::string(what) + " is not finite (" + number(x) + ")");
  }
  void need_not_negative(const char* what, double x) const {
    if (!std::isfinite(x) || x < 0)
      fail(std::string(what) + " is " + number(x) + "; it must be 0 or more");
  }
  void need_pose(const char* what, const SE3<double>& T) const {
    const SO3<double> e = transpose_times(T.R, T.R) - SO3<double>::identity();
    const double off2 = squared_norm(e.c0) + squared_norm(e.c1) + squared_norm(e.c2);
    if (!finite(T.p)) fail(std::string(what) + " is not finite");
    if (!(off2 < 1e-18) || !(determinant(T.R) > 0))
      fail(std::string(what) + " has an orientation that is not a rotation");
  }
};

/// Links and joints by name, and which names of an element type are taken.
class Checker {
 public:
  explicit Checker(const RobotDescription& robot) : robot_(robot) {
    for (const Link& link : robot.links) links_.insert(link.name);
  }
  void run() const {
    for (const Joint& joint : robot_.joints) check(joint);
    check_all(robot_.loops, "loop");
    check_all(robot_.couplings, "coupling");
    check_all(robot_.springs, "spring");
    check_all(robot_.motors, "motor");
    check_all(robot_.configurations, "configuration");
  }

 private:
  template <class Entry>
  void check_all(const std::vector<Entry>& entries, const char* type) const {
    std::unordered_set<std::string> names;
    for (const Entry& entry : entries) {
      const Element element{entry.origin, type, entry.name};
      if (!entry.name.empty() && !names.insert(entry.name).second) element.fail("appears twice");
      check(entry, element);
    }
  }

  void need_link(const Element& element, const std::string& link) const {
    if (links_.contains(link)) return;
    std::vector<std::string> known;
    for (const Link& l : robot_.links) known.push_back(l.name);
    element.fail("link \"" + link + "\" does not exist" + did_you_mean(link, known));
  }

  const Joint& joint_of(const std::string& name, const Element& element) const {
    if (const Joint* joint = robot_.find_joint(name)) return *joint;
    std::vector<std::string> known;
    for (const Joint& j : robot_.joints) known.push_back(j.name);
    element.fail("joint \"" + name + "\" does not exist" + did_you_mean(name, known));
  }

  void check(const LoopJoint& loop, const Element& element) const {
    need_link(element, loop.link_a);
    need_link(element, loop.link_b);
    if (loop.link_a == loop.link_b) element.fail("joins link \"" + loop.link_a + "\" to itself");
    element.need_pose("placement on the first link", loop.placement_a);
    element.need_pose("placement on the second link", loop.placement_b);
    if (!(norm(loop.axis) > 1e-12) || !std::isfinite(norm(loop.axis)))
      element.fail("axis is zero or not finite");
    if (loop.kind == LoopJoint::Kind::distance)
      element.need_not_negative("distance", loop.distance);
  }

  void check(const Coupling& coupling, const Element& element) const {
    if (coupling.terms.empty()) element.fail("has no terms");
    element.need_finite("offset", coupling.offset);
    check_terms(coupling.terms, element, "factor", "a coupling");
  }
  void check_terms(const std::vector<Coupling::Term>& terms, const Element& element,
                   const char* factor, const char* what) const {
    std::unordered_set<std::string> seen;
    for (const Coupling::Term& term : terms) {
      const Joint& joint = joint_of(term.joint, element);
      if (n_q(joint) != 1)
        element.fail("joint \"" + term.joint + "\" has " + std::to_string(n_q(joint)) +
                     " coordinates; " + what + " takes joints with one");
      if (!seen.insert(term.joint).second)
        element.fail("joint \"" + term.joint + "\" appears twice");
      if (!std::isfinite(term.factor) || term.factor == 0)
        element.fail(std::string(factor) + " of joint \"" + term.joint + "\" is " +
                     number(term.factor) + "; it must be finite and not 0");
    }
  }

  void check(const Motor& motor, const Element& element) const {
    if (motor.name.empty()) element.fail("has no name");
    if (motor.ratios.empty()) element.fail("turns with no joint");
    check_terms(motor.ratios, element, "ratio", "a motor");
    element.need_not_negative("rotor inertia", motor.rotor_inertia);
  }

  void check(const NamedConfiguration& configuration, const Element& element) const {
    if (configuration.name.empty()) element.fail("has no name");
    std::unordered_set<std::string> seen;
    for (const NamedConfiguration::Entry& entry : configuration.entries) {
      const Joint& joint = joint_of(entry.joint, element);
      const auto size = static_cast<std::size_t>(n_q(joint));
      if (!seen.insert(entry.joint).second)
        element.fail("joint \"" + entry.joint + "\" appears twice");
      if (size == 0) element.fail("joint \"" + entry.joint + "\" is fixed");
      if (entry.q.size() != size)
        element.fail("joint \"" + entry.joint + "\" has " + std::to_string(size) +
                     " coordinates, not " + std::to_string(entry.q.size()));
      for (const double x : entry.q) element.need_finite("a coordinate", x);
      need_unit_quaternions(joint, entry, element);
    }
  }
  void need_unit_quaternions(const Joint& joint, const NamedConfiguration::Entry& entry,
                             const Element& element) const {
    std::size_t first = 0;
    const auto look = [&](JointKind kind) {
      if (const int at = internal::quaternion_of(kind); at >= 0) {
        const double* x = entry.q.data() + first + static_cast<std::size_t>(at);
        const double length = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        if (!(std::abs(length - 1) <= 1e-6))
          element.fail("joint \"" + entry.joint + "\": the quaternion has norm " + number(length) +
                       " instead of 1 (order x y z w)");
      }
      first += static_cast<std::size_t>(n_q(kind));
    };
    if (joint.kind != JointKind::composite) return look(joint.kind);
    for (const JointPart& part : joint.parts) look(part.kind);
  }

  void check(const SpringDamper& spring, const Element& element) const {
    for (const std::string& link : {spring.link_a, spring.link_b})
      if (!link.empty()) need_link(element, link);
    if (spring.link_a == spring.link_b) element.fail("both ends are on one link");
    if (!finite(spring.point_a) || !finite(spring.point_b)) element.fail("a point is not finite");
    element.need_not_negative("stiffness", spring.stiffness);
    element.need_not_negative("rest length", spring.rest_length);
    element.need_not_negative("damping", spring.damping);
    element.need_finite("preload", spring.preload);
  }

  /// A spring needs a coordinate whose rate is the velocity that it acts on.
  static void check(const Joint& joint) {
    JointShape<double> shape;
    shape.kind = joint.kind;
    for (const JointPart& part : joint.parts) shape.parts[shape.n_parts++].kind = part.kind;
    for (std::size_t k = 0; k < joint.spring.size(); ++k)
      if (joint.spring[k].stiffness != 0 &&
          internal::coordinate_of_dof(shape, static_cast<int>(k)) < 0)
        Element{joint.origin, "joint", joint.name}.fail(
            "velocity " + std::to_string(k) + " of a " + name_of(joint.kind) +
            " joint is not the rate of a coordinate; it cannot have a spring");
  }

  const RobotDescription& robot_;
  std::unordered_set<std::string> links_;
};

}  // namespace

void check_friction(const Friction& f, double further, bool one, const Origin& origin,
                    const std::string& element) {
  for (double x : {f.viscous, f.damping, f.coulomb, f.stiction, f.stribeck, f.width})
    if (!std::isfinite(x) || x < 0)
      refuse(origin, element, "a friction parameter is " + number(x) + "; it must be 0 or more");
  if (!std::isfinite(f.offset))
    refuse(origin, element, "offset of friction is not finite (" + number(f.offset) + ")");
  const auto check = [&](const char* what, double asymmetry, const char* of, double size) {
    if (!(std::abs(asymmetry) <= size))
      refuse(origin, element,
             std::string(what) + " is " + number(asymmetry) + " and " + of + " " + number(size) +
                 "; in one direction friction would drive the joint");
  };
  check("viscous_asymmetry", f.viscous_asymmetry, "all viscous friction",
        f.viscous + f.damping + further);
  check("coulomb_asymmetry", f.coulomb_asymmetry, "coulomb", f.coulomb);
  if (!(f.load >= 0 && f.load < 1))
    refuse(origin, element,
           "load of friction is " + number(f.load) + "; it must be 0 or more and less than 1");
  if (f.load > 0 && !one)
    refuse(origin, element,
           "load of friction is " + number(f.load) +
               "; friction of the load is that of joints with one degree of freedom");
}

void check_constraints(const RobotDescription& robot) { Checker(robot).run(); }

}  // namespace torsor
