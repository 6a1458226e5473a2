// One joint of a body: its kind, where it stands, what it takes.
#include <cmath>

#include "mjcf/reader.hpp"
#include "torsor/formats/internal/file_axis.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mjcf {
namespace {

/// Zero but for what the axis does not feel.
Vec3<double> off_axis(const Vec3<double>& p, const Vec3<double>& axis) {
  const Vec3<double> a = axis * (1 / norm(axis));
  const Vec3<double> off = p - a * dot(a, p);
  return norm(off) <= 1e-15 * norm(p) ? Vec3<double>{} : p;
}

SE3<double> translation(const Vec3<double>& p) { return {SO3<double>::identity(), p}; }

}  // namespace

void Reader::read_one_dof(const Attributes& a, Joint& joint, bool hinge) {
  const auto size = static_cast<std::size_t>(n_v(joint));
  const XmlElement& at = a.own();
  const auto angle = [&](double x) { return hinge ? compiler_.angle(x) : x; };
  const auto coefficients = [&](const char* name) {  // of a polynomial, in newer files
    std::vector<double> c = a.numbers(name, 1, 3);
    c.resize(3);
    if (c[1] != 0 || c[2] != 0)
      notes_.dropped(at, "higher terms of " + std::string(name),
                     "springs and dampers are linear here", "give the linear term alone");
    if (c[0] < 0) at.fail(std::string(name) + " is negative (" + format_number(c[0]) + ")");
    return c[0];
  };
  Friction friction;
  notes_.attempt([&] { friction.damping = coefficients("damping"); });
  friction.coulomb = a.number("frictionloss", 0);
  if (friction.coulomb < 0)
    at.fail("frictionloss is negative (" + format_number(friction.coulomb) + ")");
  if (friction.damping != 0 || friction.coulomb != 0) joint.friction.assign(size, friction);

  const double armature = a.number("armature", 0);
  if (armature < 0) at.fail("armature is negative (" + format_number(armature) + ")");
  if (armature != 0 && joint.kind == JointKind::free)
    notes_.dropped(at, "armature of a free joint", "it has no meaning in the axes of the body",
                   "add it to the body's mass");
  else if (armature != 0)
    joint.actuator.assign(size, Actuator{.rotor_inertia = armature});

  const double stiffness = coefficients("stiffness");
  if (stiffness != 0 && size > 1)
    notes_.dropped(at, "stiffness of a ball or free joint", "such springs are not computed",
                   "remove it");
  else if (stiffness != 0)
    joint.spring = {{stiffness, angle(a.number("springref", 0))}};
  if (a.has("springdamper"))
    notes_.dropped(at, "springdamper", "MuJoCo computes stiffness and damping from it",
                   "write stiffness and damping");
  if (a.word("actuatorgravcomp", {"false", "true"}, "false") == "true")
    notes_.unused(at, "actuatorgravcomp");
}

Reader::Step Reader::read_joint(const Item& item, const std::string& body) {
  const XmlElement& at = item.node->xml;
  const bool free_element = item.node->tag == "freejoint";
  check_attributes(at, item.node->tag, notes_);
  const Class* defaults = free_element ? nullptr : classes_.of(at, "class", item.place.defaults);
  const Attributes a(at, "joint", defaults);
  Step step;
  Joint& joint = step.joint;
  joint.origin = at.origin();
  const std::string given = item.node->attribute("name");
  joint.name = given + item.place.suffix;
  if (given.empty())
    joint.name = fresh(body + "_joint", joint_names_);
  else if (!joint_names_.insert(joint.name).second)
    at.fail("another joint has the name " + in_quotes(joint.name));
  joints_[joint.name] = {0, 0};

  const std::string type =
      free_element ? "free" : a.word("type", {"free", "ball", "slide", "hinge"}, "hinge");
  if (type == "free") {
    joint.kind = JointKind::free;
    if (!free_element) read_one_dof(a, joint, false);
    if (a.word("align", {"false", "true", "auto"}, "auto") == "true")
      notes_.say(at, Finding::Severity::note, "align=\"true\" is not followed",
                 "the coordinates are those of the body's frame, not of its principal axes",
                 "nothing to do");
    return step;
  }
  const Vec3<double> pos = item.place.T * a.vec3("pos", {});
  std::vector<double> range = a.numbers("range", 2, 2);
  const std::string limited = a.word("limited", {"false", "true", "auto"}, "auto");
  const bool is_range = !range.empty() && (range[0] != 0 || range[1] != 0);
  const bool is_limited =
      !range.empty() &&
      (limited == "true" || (limited == "auto" && compiler_.autolimits && is_range));
  if (limited == "auto" && !compiler_.autolimits && is_range)
    notes_.unused(at, "ranges that do not limit", Finding::Topic::motion);

  if (type == "ball") {
    joint.kind = JointKind::spherical;
    step.before = translation(pos);
    step.before.R = SO3<double>::identity();
    step.after = translation(-pos);
    if (is_limited) notes_.unused(at, "range of a ball joint", Finding::Topic::motion);
    read_one_dof(a, joint, true);
    return step;
  }
  const bool hinge = type == "hinge";
  joint.axis = file_axis(item.place.T.R * a.vec3("axis", {0, 0, 1}));
  if (std::isnan(norm(joint.axis))) joint.axis = {0, 0, 1};  // reported already
  if (norm(joint.axis) == 0) at.fail("axis is zero (" + a.text("axis") + ")");
  const double ref = a.number("ref", 0);
  step.ref = hinge ? compiler_.angle(ref) : ref;
  joints_[joint.name].ref = step.ref;
  const Vec3<double> unit = joint.axis * (1 / norm(joint.axis));
  if (hinge) {
    const Vec3<double> p = off_axis(pos, joint.axis);
    step.before = {step.ref == 0 ? SO3<double>::identity() : exp(unit * -step.ref), p};
    step.after = translation(-p);
  } else {
    step.before = translation(unit * -step.ref);
  }
  Limits limits;
  if (is_limited) {
    limits.lower = hinge ? compiler_.angle(range[0]) : range[0];
    limits.upper = hinge ? compiler_.angle(range[1]) : range[1];
    if (limits.lower <= -1e9) limits.lower = -infinity;  // one side alone is limited
    if (limits.upper >= 1e9) limits.upper = infinity;
  }
  const std::vector<double> force = a.numbers("actuatorfrcrange", 2, 2);
  const std::string holds = a.word("actuatorfrclimited", {"false", "true", "auto"}, "auto");
  if (!force.empty() && (holds == "true" || (holds == "auto" && compiler_.autolimits)))
    limits.effort = std::max(std::abs(force[0]), std::abs(force[1]));
  joint.kind = !hinge       ? JointKind::prismatic
               : is_limited ? JointKind::revolute
                            : JointKind::continuous;
  if (is_limited || limits.effort < infinity) joint.limits = {limits};
  read_one_dof(a, joint, hinge);
  return step;
}

}  // namespace torsor::internal::mjcf
