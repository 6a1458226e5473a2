#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "torsor/formats/text.hpp"
#include "urdf/elements.hpp"

namespace torsor::internal::urdf {
namespace {

JointKind kind_of_type(const XmlElement& element) {
  const std::string type = element.required("type");
  std::vector<std::string> known;
  for (const JointKind kind : joint_kinds) {
    if (!in_urdf(kind)) continue;
    if (type == urdf_type(kind)) return kind;
    known.emplace_back(urdf_type(kind));
  }
  for (const JointKind kind : joint_kinds)
    if (!in_urdf(kind) && type == name_of(kind))
      element.fail("type " + in_quotes(type) + " is not URDF; write type=\"fixed\" and inside " +
                   "<torsor:joint kind=\"" + type + "\"/>");
  element.fail("unknown joint type " + in_quotes(type) + did_you_mean(type, known));
}

JointKind read_kind(const XmlElement& element) {
  const std::string kind = element.required("kind");
  try {
    return joint_kind(kind.substr(0, 64));
  } catch (const Error& error) {
    element.fail(error.what());
  }
}

EulerOrder read_order(const XmlElement& element) {
  const std::string order = element.attribute("order").value_or("zyx");
  for (const EulerOrder o : {EulerOrder::zyx, EulerOrder::zyz, EulerOrder::zxz})
    if (order == name_of(o)) return o;
  element.fail("unknown order " + in_quotes(order) + did_you_mean(order, {"zyx", "zyz", "zxz"}));
}

JointPart read_part(const XmlElement& element, Notes& notes) {
  notes.check_names(element, {"origin", "axis"}, {"kind", "pitch", "order"});
  JointPart part;
  part.kind = read_kind(element);
  if (n_v(part.kind) == 0)
    element.fail("a part of a composite joint cannot be " + std::string(name_of(part.kind)));
  part.placement = read_pose(notes.child(element, "origin"), notes);
  if (const XmlElement axis = notes.child(element, "axis")) part.axis = read_axis(axis, notes);
  part.pitch = element.number("pitch", 0);
  part.order = read_order(element);
  return part;
}

void read_own_kind(const XmlElement& element, Notes& notes, Joint& joint) {
  notes.check_names(element, {"torsor:part"}, {"kind", "pitch", "order"});
  joint.kind = read_kind(element);
  joint.pitch = element.number("pitch", 0);
  joint.order = read_order(element);
  for (const XmlElement& part : element.children("torsor:part"))
    joint.parts.push_back(read_part(part, notes));
  if (joint.kind == JointKind::composite && joint.parts.empty())
    element.fail("a composite joint needs at least one <torsor:part>");
  if (joint.kind != JointKind::composite && !joint.parts.empty())
    element.fail("only a composite joint has <torsor:part>s");
}

void read_joint_axis(const XmlElement& element, Notes& notes, Joint& joint) {
  const XmlElement axis = notes.child(element, "axis");
  if (!axis) {
    if (has_axis(joint.kind)) joint.axis = {1, 0, 0};  // URDF's default
    return;
  }
  // Exporters write a zero axis or none for fixed joints; there it says nothing.
  if (!has_axis(joint.kind)) {
    const Vec3<double> a = axis.vec3("xyz", {});
    if (a.x == 0 && a.y == 0 && a.z == 0) return;
  }
  joint.axis = read_axis(axis, notes);
}

void check_limits(const XmlElement& at, const Limits& limits, Notes& notes) {
  const auto show = [](double x) { return format_number(x); };
  using Kind = Finding::Kind;
  const std::tuple<const char*, double, Kind> sizes[] = {
      {"velocity", limits.velocity, Kind::velocity_limit},
      {"acceleration", limits.acceleration, Kind::acceleration_limit},
      {"jerk", limits.jerk, Kind::jerk_limit},
      {"effort", limits.effort, Kind::effort_limit}};
  for (const auto& [name, value, kind] : sizes) {
    if (value < 0 && !notes.reads_on())  // otherwise check_model says it
      notes.attempt([&, what = name, x = value] {
        at.fail(std::string(what) + " limit is negative (" + show(x) + ")");
      });
    if (value == 0)
      notes.add(Finding::Severity::warning, at, std::string(name) + " limit is 0",
                "the joint cannot be moved", "give the limit, or leave it out", kind);
  }
  if (limits.lower == limits.upper)
    notes.add(Finding::Severity::warning, at,
              "lower and upper limit are both " + show(limits.lower), "the joint cannot move",
              "give the limits, or make the joint fixed", Kind::limit_range);
}

std::vector<std::string> words_of(const XmlElement& element, const char* name) {
  std::vector<std::string> words(1);
  for (const char c : element.attribute(name).value_or("") + " ") {
    if (c != ' ') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  words.pop_back();
  return words;
}

/// <limit> of a revolute, continuous, prismatic or helical joint.
Limits read_limit(const XmlElement& element, Notes& notes, JointKind kind) {
  notes.check_names(
      element, {},
      {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk",
       "torsor:lower", "torsor:upper", "torsor:acceleration", "torsor:jerk", "torsor:unlimited"});
  const std::vector<std::string> unlimited = words_of(element, "torsor:unlimited");
  for (const std::string& word : unlimited) {
    const std::vector<std::string> known = {"lower", "upper", "effort", "velocity"};
    if (std::find(known.begin(), known.end(), word) == known.end())
      notes.attempt([&] {
        element.fail("torsor:unlimited: unknown limit " + in_quotes(word) +
                     did_you_mean(word, known));
      });
  }
  const auto is_unlimited = [&](const char* name) {
    return std::find(unlimited.begin(), unlimited.end(), name) != unlimited.end();
  };
  Limits limits;
  if (kind == JointKind::continuous) {
    if (element.attribute("lower") || element.attribute("upper"))
      notes.add(Finding::Severity::note, element,
                "ignored lower and upper limit of a continuous joint",
                "a continuous joint turns without end",
                "make the joint revolute if the limits are meant, else remove them",
                Finding::Kind::ignored);
    limits.lower = element.number("torsor:lower", -infinity);
    limits.upper = element.number("torsor:upper", infinity);
  } else {
    limits.lower = element.number("lower", 0);  // URDF's default
    limits.upper = element.number("upper", 0);
    if (is_unlimited("lower")) limits.lower = -infinity;
    if (is_unlimited("upper")) limits.upper = infinity;
  }
  for (const char* name : {"effort", "velocity"}) {
    double& value = name[0] == 'e' ? limits.effort : limits.velocity;
    value = element.number(name, infinity);
    if (!element.attribute(name) && !is_unlimited(name))
      notes.add(Finding::Severity::warning, element,
                "<limit> has no " + std::string(name) + "; taken as unlimited",
                "other readers refuse the file",
                "add " + std::string(name) + "=\"...\" to <limit>");
    if (is_unlimited(name)) value = infinity;
    if (value < 0) {  // as simulators understand -1
      notes.add(Finding::Severity::warning, element,
                std::string(name) + " limit is negative (" + format_number(value) +
                    "); taken as unlimited",
                "no joint keeps within it", "give the limit, 0 or more");
      value = infinity;
    }
  }
  // URDF 1.2 has words of its own; braking and speeding up share one limit here.
  const double speeding_up = element.number("acceleration", infinity);
  const double braking = element.number("deceleration", speeding_up);
  if (braking < speeding_up || speeding_up < braking)  // not where one cannot be read
    notes.add(Finding::Severity::note, element,
              "deceleration is " + format_number(braking) + " and acceleration " +
                  format_number(speeding_up) + "; the smaller one is taken for both",
              "a degree of freedom has one limit of acceleration", "nothing to do");
  limits.acceleration = element.number("torsor:acceleration", std::min(speeding_up, braking));
  limits.jerk = element.number("torsor:jerk", element.number("jerk", infinity));
  check_limits(element, limits, notes);
  if (limits.lower > limits.upper)
    notes.add(Finding::Severity::error, element,
              "lower limit " + format_number(limits.lower) + " exceeds upper limit " +
                  format_number(limits.upper),
              "no position is allowed", "exchange them", Finding::Kind::limit_order);
  return limits;
}

/// Elements `tag` of the extension, one for each degree of freedom; others keep their entry.
template <class Item, std::size_t size>
void read_dofs(const XmlElement& element, Notes& notes, const char* tag,
               const std::array<Field<Item>, size>& fields, int n, std::vector<Item>& items) {
  std::vector<std::string> attributes = {"dof"};
  for (const auto& field : fields) attributes.emplace_back(field.name);
  std::vector<bool> seen(static_cast<std::size_t>(n), false);
  const auto read = [&](const XmlElement& e) {
    notes.check_names(e, {}, attributes);
    const double dof = e.number("dof", 0);
    if (!(dof >= 0 && dof < n) || dof != std::floor(dof))
      e.fail("<" + std::string(tag) + "> dof is " + format_number(dof) + ", the joint has " +
             std::to_string(n) + " degrees of freedom, counted from 0");
    const auto k = static_cast<std::size_t>(dof);
    if (seen[k])
      e.fail("second <" + std::string(tag) + "> for degree of freedom " + std::to_string(k));
    seen[k] = true;
    items.resize(static_cast<std::size_t>(n));
    for (const auto& field : fields)
      items[k].*field.member = e.number(field.name, items[k].*field.member);
  };
  for (const XmlElement& e : element.children(tag)) notes.attempt([&] { read(e); });
}

void read_limits(const XmlElement& element, Notes& notes, Joint& joint) {
  const int n = n_v(joint);
  const bool one = is_plain(joint.kind) || has_pitch(joint.kind);
  const bool own = !element.children("torsor:limit").empty();
  if (const XmlElement limit = notes.child(element, "limit")) {
    if (one && own) limit.fail("has both <limit> and <torsor:limit>; remove one of them");
    if (one) {
      joint.limits = {read_limit(limit, notes, joint.kind)};
    } else if (joint.kind != JointKind::fixed) {
      notes.add(Finding::Severity::warning, limit,
                "ignored <limit> of a " + std::string(name_of(joint.kind)) + " joint",
                "it does not say which of the " + std::to_string(n) + " coordinates it limits",
                "write <torsor:limit dof=\"...\"/> for each", Finding::Kind::ignored);
    }
  } else if (!own && (joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic)) {
    notes.add(Finding::Severity::warning, element, "has no <limit>; taken as unlimited",
              "other readers refuse the file", "add <limit lower upper effort velocity>");
  }
  read_dofs(element, notes, "torsor:limit", limit_fields, n, joint.limits);
  if (own)
    for (const Limits& limits : joint.limits) check_limits(element, limits, notes);
}

}  // namespace

void refuse_negative(Friction& friction, const XmlElement& element, Notes& notes) {
  for (std::size_t k = 0; k < first_signed_friction; ++k) {
    double& value = friction.*friction_fields[k].member;
    if (!(value < 0)) continue;
    const double given = std::exchange(value, 0);
    notes.attempt([&] {
      element.fail(std::string(friction_fields[k].name) + " friction is negative (" +
                   format_number(given) + ")");
    });
  }
}

namespace {

void read_friction(const XmlElement& element, Notes& notes, Joint& joint) {
  const int n = n_v(joint);
  if (const XmlElement dynamics = notes.child(element, "dynamics")) {
    notes.check_names(dynamics, {},
                      {"damping", "friction", "torsor:viscous", "torsor:stiction",
                       "torsor:stribeck", "torsor:width", "torsor:load", "torsor:offset",
                       "torsor:viscous_asymmetry", "torsor:coulomb_asymmetry"});
    Friction friction;
    friction.damping = dynamics.number("damping", 0);
    friction.coulomb = dynamics.number("friction", 0);
    for (std::size_t k = 2; k < friction_fields.size(); ++k) {
      const std::string own = std::string(extension_prefix) + friction_fields[k].name;
      friction.*friction_fields[k].member = dynamics.number(own.c_str(), 0);
    }
    joint.friction.assign(static_cast<std::size_t>(n), friction);
  }
  read_dofs(element, notes, "torsor:friction", friction_fields, n, joint.friction);
  for (Friction& friction : joint.friction) refuse_negative(friction, element, notes);
}

template <class Item, std::size_t size>
void drop_if_default(const std::array<Field<Item>, size>& fields, std::vector<Item>& items) {
  for (const Item& item : items)
    for (const auto& field : fields)
      if (item.*field.member != Item{}.*field.member) return;
  items.clear();
}

void read_mimic(const XmlElement& element, Notes& notes, const Joint& joint,
                std::vector<CouplingRow>& couplings) {
  const XmlElement mimic = notes.child(element, "mimic");
  if (!mimic) return;
  notes.check_names(mimic, {}, {"joint", "multiplier", "offset", "torsor:name", "torsor:row"});
  const std::string other = mimic.required("joint");
  if (n_q(joint) != 1) {
    notes.add(Finding::Severity::warning, mimic,
              "ignored <mimic> of a " + std::string(name_of(joint.kind)) + " joint",
              "only joints of one coordinate follow another one", "remove it",
              Finding::Kind::ignored);
    return;
  }
  if (other == joint.name) mimic.fail("mimics itself");
  const double multiplier = mimic.number("multiplier", 1);
  if (multiplier == 0)
    notes.add(Finding::Severity::warning, mimic,
              "<mimic> multiplier is 0: the joint stands still at its offset",
              "it keeps a coordinate that cannot move",
              "make the joint fixed, or give the multiplier");
  CouplingRow row;
  row.coupling.name = mimic.attribute("torsor:name").value_or(mimic_name(joint.name));
  row.coupling.terms = {{joint.name, 1.0}, {other, -multiplier}};
  row.coupling.offset = mimic.number("offset", 0);
  row.coupling.origin = mimic.origin();
  row.placed = mimic.attribute("torsor:row").has_value();
  row.row = mimic.number("torsor:row", 0);
  couplings.push_back(std::move(row));
}

std::string read_end(const XmlElement& element, Notes& notes, const char* tag) {
  const XmlElement end = element.required_child(tag);
  notes.check_names(end, {}, {"link"});
  return end.required("link");
}

}  // namespace

Joint read_joint(const XmlElement& element, Notes& notes, std::vector<CouplingRow>& couplings) {
  using Topic = Finding::Topic;
  Joint joint;
  joint.origin = element.origin();
  notes.attempt([&] {
    joint.name = element.required("name");
    if (joint.name.empty()) element.fail("the name is empty");
  });
  notes.check_names(
      element,
      {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "torsor:joint",
       "torsor:limit", "torsor:friction", "torsor:actuator", "torsor:spring"},
      {"name", "type"}, {"safety_controller", "calibration", "gazebo"});
  notes.attempt([&] { joint.kind = kind_of_type(element); });
  notes.attempt([&] {
    if (const XmlElement own = element.child("torsor:joint")) read_own_kind(own, notes, joint);
  });
  notes.attempt([&] { joint.parent = read_end(element, notes, "parent"); });
  notes.attempt([&] { joint.child = read_end(element, notes, "child"); });
  notes.attempt([&] { joint.placement = read_pose(notes.child(element, "origin"), notes); });
  notes.attempt([&] { read_joint_axis(element, notes, joint); });

  const int n = n_v(joint);
  notes.attempt([&] { read_limits(element, notes, joint); });
  notes.topic = Topic::dynamics;
  notes.attempt([&] { read_friction(element, notes, joint); });
  read_dofs(element, notes, "torsor:actuator", actuator_fields, n, joint.actuator);
  read_dofs(element, notes, "torsor:spring", spring_fields, n, joint.spring);
  drop_if_default(limit_fields, joint.limits);
  drop_if_default(friction_fields, joint.friction);
  drop_if_default(actuator_fields, joint.actuator);
  drop_if_default(spring_fields, joint.spring);
  for (Actuator& actuator : joint.actuator) {
    if (!(actuator.rotor_inertia < 0)) continue;
    const double given = std::exchange(actuator.rotor_inertia, 0);
    notes.attempt(
        [&] { element.fail("rotor_inertia is negative (" + format_number(given) + " kg m^2)"); });
  }
  notes.topic = Topic::motion;
  notes.attempt([&] { read_mimic(element, notes, joint, couplings); });
  return joint;
}

}  // namespace torsor::internal::urdf
