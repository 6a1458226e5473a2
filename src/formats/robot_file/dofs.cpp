#include "torsor/formats/internal/robot_file_parts.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::robot_file {
namespace {

/// One per velocity, the order of all data per degree of freedom (limits_of_coordinate in
/// configuration.hpp says which coordinate each limits).
std::vector<Measure> measures(const Joint& joint) {
  std::vector<Measure> found;
  const auto add = [&](JointKind kind) {
    for (int k = 0; k < n_v(kind); ++k) found.push_back(velocity_measure(kind, k));
  };
  if (joint.parts.empty()) add(joint.kind);
  for (const JointPart& part : joint.parts) add(part.kind);
  return found;
}

/// One map for every degree of freedom, or a list with one map each.
template <class Entry, class Read>
void read_per_dof(const YamlElement& joint, const char* key, const std::vector<Measure>& dofs,
                  std::vector<Entry>& entries, Read read) {
  if (!joint.has(key)) return;
  const YamlElement element = joint.at(key);
  if (dofs.empty()) element.fail("a fixed joint has none");
  if (element.is_map()) {
    for (const Measure of : dofs) entries.push_back(read(element, of));
    return;
  }
  if (!element.is_sequence()) element.fail("must be a map, or a list of maps");
  const std::vector<YamlElement> items = element.items();
  if (items.size() != dofs.size())
    element.fail("has " + std::to_string(items.size()) + " entries for " +
                 std::to_string(dofs.size()) + " degree(s) of freedom");
  for (std::size_t k = 0; k < items.size(); ++k) entries.push_back(read(items[k], dofs[k]));
}

double optional_number(const YamlElement& element, const char* key, double otherwise) {
  return element.has(key) ? element.at(key).number() : otherwise;
}
double not_negative(const YamlElement& element, const char* key, double otherwise = 0) {
  const double value = optional_number(element, key, otherwise);
  if (!(value < 0)) return value;
  element.at(key).complain(format_number(value) + " is negative");
  return otherwise;
}

Limits read_limits(const YamlElement& element, Measure of, Units units) {
  element.allow_keys({"lower", "upper", "velocity", "acceleration", "jerk", "effort"});
  const auto si = [&](double value) { return of == Measure::angle ? units.angle(value) : value; };
  Limits limits;
  limits.lower = si(optional_number(element, "lower", limits.lower));
  limits.upper = si(optional_number(element, "upper", limits.upper));
  limits.velocity = si(not_negative(element, "velocity", limits.velocity));
  limits.acceleration = si(not_negative(element, "acceleration", limits.acceleration));
  limits.jerk = si(not_negative(element, "jerk", limits.jerk));
  limits.effort = not_negative(element, "effort", limits.effort);
  return limits;
}

}  // namespace

Friction read_friction(const YamlElement& element) {
  element.allow_keys({"viscous", "damping", "coulomb", "stiction", "stribeck", "width", "offset",
                      "viscous_asymmetry", "coulomb_asymmetry", "load"});
  Friction friction;
  friction.viscous = not_negative(element, "viscous");
  friction.damping = not_negative(element, "damping");
  friction.coulomb = not_negative(element, "coulomb");
  friction.stiction = not_negative(element, "stiction");
  friction.stribeck = not_negative(element, "stribeck");
  friction.width = not_negative(element, "width");
  friction.offset = optional_number(element, "offset", 0);
  friction.viscous_asymmetry = optional_number(element, "viscous_asymmetry", 0);
  friction.coulomb_asymmetry = optional_number(element, "coulomb_asymmetry", 0);
  friction.load = not_negative(element, "load");
  if (friction.stiction != 0 && friction.stiction < friction.coulomb)
    element.at("stiction")
        .complain(format_number(friction.stiction) + " is below coulomb " +
                  format_number(friction.coulomb));
  return friction;
}

namespace {

Actuator read_actuator(const YamlElement& element) {
  element.allow_keys(
      {"rotor_inertia", "gear_ratio", "motor_viscous", "torque_constant", "disturbance"});
  Actuator actuator;
  actuator.rotor_inertia = not_negative(element, "rotor_inertia");
  actuator.gear_ratio = optional_number(element, "gear_ratio", 1);
  if (actuator.gear_ratio == 0) {
    element.at("gear_ratio").complain("is zero");
    actuator.gear_ratio = 1;
  }
  actuator.motor_viscous = not_negative(element, "motor_viscous");
  actuator.torque_constant = not_negative(element, "torque_constant");
  actuator.disturbance = optional_number(element, "disturbance", 0);
  return actuator;
}

JointSpring read_spring(const YamlElement& element, Measure of, Units units) {
  element.allow_keys({"stiffness", "rest"});
  const double rest = optional_number(element, "rest", 0);
  return {not_negative(element, "stiffness"), of == Measure::angle ? units.angle(rest) : rest};
}

}  // namespace

void read_dof_data(const YamlElement& element, Units units, Joint& joint) {
  const std::vector<Measure> dofs = measures(joint);
  const auto read = [&](const char* key, auto& entries, const auto& entry) {
    element.attempt([&] { read_per_dof(element, key, dofs, entries, entry); });
    if (entries.size() != dofs.size()) entries.clear();  // what could not be read
  };
  read("limits", joint.limits,
       [&](const YamlElement& e, Measure of) { return read_limits(e, of, units); });
  read("friction", joint.friction, [](const YamlElement& e, Measure) { return read_friction(e); });
  read("actuator", joint.actuator, [](const YamlElement& e, Measure) { return read_actuator(e); });
  read("spring", joint.spring,
       [&](const YamlElement& e, Measure of) { return read_spring(e, of, units); });
}

}  // namespace torsor::internal::robot_file
