#include <algorithm>

#include "parameter_parts.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

using namespace parameter_parts;

Change of_dof(int dof, const DofConstants<double>& by, Of what = Of::dof) {
  return {
      what,
      dof,
      {by.viscous, by.coulomb, by.stiction, by.stribeck, by.width, by.armature, by.stiffness,
       by.rest, by.disturbance, by.offset, by.viscous_asymmetry, by.coulomb_asymmetry, by.load}};
}
/// By how much number k of friction_words changes the constants. Model: viscous counts damping too,
/// and stiction is at least coulomb.
DofConstants<double> by_friction(const Model<double>& model, const std::string& of,
                                 const Friction& f, int k) {
  DofConstants<double> by;
  const FixedArray<double*, 10> to = {
      &by.viscous, &by.viscous, &by.coulomb,           &by.stiction,          &by.stribeck,
      &by.width,   &by.offset,  &by.viscous_asymmetry, &by.coulomb_asymmetry, &by.load};
  const bool follows = f.stiction <= f.coulomb;  // stiction follows coulomb
  if (k == 3 && follows)
    fail(model, "stiction of \"" + of + "\" is its coulomb friction; it has none of its own");
  *to[k] = 1;
  if (k == 2 && follows) by.stiction = 1;
  return by;
}
/// The joint of a velocity and the velocity's number in it.
struct DofOf {
  int body, k;
};
DofOf dof_of(const Model<double>& model, int dof) {
  need(model, dof, model.n_v(), "degree of freedom");
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Dofs v = model.body(i).v;
    if (dof < v.first + v.count) return {i, dof - v.first};
  }
  return {0, 0};
}
template <class Entry>
Entry entry_of(const Model<double>& model, int dof, std::vector<Entry> Joint::*entries) {
  const DofOf d = dof_of(model, dof);
  const View<const Entry> list = model.joint_description(d.body).*entries;
  return list.empty() ? Entry{} : list[d.k];
}
Parameter dof_parameter(const Model<double>& model, int dof, const std::string& kind,
                        const std::string& tail, const DofConstants<double>& by) {
  return {kind + model.dof_name(dof) + tail, {of_dof(dof, by)}};
}

}  // namespace

Parameter Parameter::gravity(const Model<double>& model, int k) {
  return {std::string("gravity.") + word(model, internal::axis_words, k),
          {change(Of::gravity, 0, unit(k))}};
}
Parameter Parameter::wrench(const Model<double>& model, const std::string& name, int k) {
  const Frame& frame = model.frame(name);
  Parameter p{"wrench." + frame.name + "." + word(model, internal::wrench_words, k), {}};
  const Wrench<double> F = Ad_dual_inv(frame.placement, Wrench<double>{unit(k), unit(k - 3)});
  if (frame.body > 0) p.changes = {change(Of::wrench, frame.body, F.m, F.f)};
  return p;
}
Parameter Parameter::tool(const Model<double>& model, const std::string& name, int k) {
  const Frame& frame = model.frame(name);
  Parameter p{"tool." + frame.name + "." + word(model, internal::placement_words, k), {}};
  if (frame.body > 0)
    p.changes = {change(Of::wrench_pose, frame.body, Ad(frame.placement, unit_twist(k)))};
  return p;
}
Parameter Parameter::point(const Model<double>& model, const std::string& name, int k) {
  const char* const direction = word(model, internal::axis_words, k);
  Parameter p = tool(model, name, k + 3);
  p.name = "point." + name + "." + direction;
  return p;
}

Parameter Parameter::friction(const Model<double>& model, int dof, int k) {
  const auto f = entry_of(model, dof, &Joint::friction);
  const char* const what = word(model, internal::friction_words, k);
  if (const int body = dof_of(model, dof).body; k == 9 && model.body(body).v.count > 1)
    fail(model, "joint \"" + model.joint_name(body) +
                    "\" has several degrees of freedom; friction of the load is that of one");
  return dof_parameter(model, dof, "", std::string(".") + what,
                       by_friction(model, model.dof_name(dof), f, k));
}
Parameter Parameter::rotor(const Model<double>& model, int dof) {
  const auto motor = entry_of(model, dof, &Joint::actuator);
  DofConstants<double> by;
  by.armature = motor.gear_ratio * motor.gear_ratio;
  return dof_parameter(model, dof, "rotor.", "", by);
}
Parameter Parameter::gear(const Model<double>& model, int dof) {
  const auto motor = entry_of(model, dof, &Joint::actuator);
  DofConstants<double> by;
  by.armature = 2 * motor.gear_ratio * motor.rotor_inertia;
  by.viscous = 2 * motor.gear_ratio * motor.motor_viscous;
  return dof_parameter(model, dof, "gear.", "", by);
}
Parameter Parameter::motor_viscous(const Model<double>& model, int dof) {
  const auto motor = entry_of(model, dof, &Joint::actuator);
  DofConstants<double> by;
  by.viscous = motor.gear_ratio * motor.gear_ratio;
  return dof_parameter(model, dof, "motor_viscous.", "", by);
}
Parameter Parameter::disturbance(const Model<double>& model, int dof) {
  need(model, dof, model.n_v(), "degree of freedom");
  DofConstants<double> by;
  by.disturbance = 1;
  return dof_parameter(model, dof, "disturbance.", "", by);
}
Parameter Parameter::spring(const Model<double>& model, int dof, int k) {
  const char* const what = word(model, internal::spring_words, k);
  const DofOf d = dof_of(model, dof);
  if (internal::coordinate_of_dof(model.joint(d.body), d.k) < 0)
    fail(model, "\"" + model.dof_name(dof) + "\" is no coordinate's rate; it can have no spring");
  DofConstants<double> by;
  (k == 0 ? by.stiffness : by.rest) = 1;
  return dof_parameter(model, dof, "spring.", std::string(".") + what, by);
}
Parameter Parameter::spring_damper(const Model<double>& model, const std::string& name, int k) {
  const char* const what = word(model, internal::spring_damper_words, k);
  const View<const SpringDamper> springs = model.description().springs;
  std::vector<std::string> known;  // a spring without a name has its number
  for (int s = 0; s < springs.size; ++s)
    known.push_back(springs[s].name.empty() ? std::to_string(s + 1) : springs[s].name);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end())
    fail(model, "no spring_damper \"" + name + "\"" + did_you_mean(name, known));
  const int index = static_cast<int>(found - known.begin());
  Change c{Of::spring_damper, index, {}};
  if (k < 3 || k == 9) {
    c.by[k] = 1;
  } else {
    const SpringDamper& spring = springs[index];
    const std::string& link = k < 6 ? spring.link_a : spring.link_b;
    const SO3<double>& R =
        link.empty() ? model.description().base.R : model.frame(link).placement.R;
    const Vec3<double> u = R * unit((k - 3) % 3);
    const int first = k < 6 ? 3 : 6;
    c.by[first] = u.x, c.by[first + 1] = u.y, c.by[first + 2] = u.z;
  }
  return {"spring_damper." + name + "." + what, {c}};
}
Parameter Parameter::motor(const Model<double>& model, const std::string& name, int k) {
  const char* const what = word(model, internal::motor_words, k);
  const std::vector<Motor>& motors = model.description().motors;
  const auto found = std::find_if(motors.begin(), motors.end(),
                                  [&](const Motor& motor) { return motor.name == name; });
  if (found == motors.end()) {
    std::vector<std::string> known;
    for (const Motor& motor : motors) known.push_back(motor.name);
    fail(model, "no motor \"" + name + "\" of several joints" + did_you_mean(name, known));
  }
  DofConstants<double> by;
  if (k == 0)
    by.armature = 1;
  else
    by = by_friction(model, name, found->friction, k - 1);
  return {"motor." + name + "." + what,
          {of_dof(static_cast<int>(found - motors.begin()), by, Of::motor)}};
}

}  // namespace torsor
