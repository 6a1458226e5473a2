#include "robot_file/fields.hpp"

#include "torsor/formats/text.hpp"

namespace torsor::internal::robot_file {

void add_inertial(YamlFields& fields, const Inertial& inertial) {
  const Sym3<double>& J = inertial.about_com;
  YamlFields inertia(fields.element());
  inertia.number("xx", J.xx).number("yy", J.yy).number("zz", J.zz);
  inertia.number("xy", J.xy).number("xz", J.xz).number("yz", J.yz);
  fields.required("mass", inertial.mass).vector("com", inertial.com);
  if (!inertia.empty()) fields.raw("inertia", inertia.flow());
}

YamlFields dof_fields(const YamlFields& of, const Limits& limits) {
  YamlFields f = of.sibling();
  return f.number("lower", limits.lower, -infinity)
      .number("upper", limits.upper, infinity)
      .number("velocity", limits.velocity, infinity)
      .number("acceleration", limits.acceleration, infinity)
      .number("jerk", limits.jerk, infinity)
      .number("effort", limits.effort, infinity);
}
YamlFields dof_fields(const YamlFields& of, const Friction& friction) {
  YamlFields f = of.sibling();
  return f.number("viscous", friction.viscous)
      .number("damping", friction.damping)
      .number("coulomb", friction.coulomb)
      .number("stiction", friction.stiction)
      .number("stribeck", friction.stribeck)
      .number("width", friction.width)
      .number("offset", friction.offset)
      .number("viscous_asymmetry", friction.viscous_asymmetry)
      .number("coulomb_asymmetry", friction.coulomb_asymmetry)
      .number("load", friction.load);
}
YamlFields dof_fields(const YamlFields& of, const Actuator& actuator) {
  YamlFields f = of.sibling();
  return f.number("rotor_inertia", actuator.rotor_inertia)
      .number("gear_ratio", actuator.gear_ratio, 1)
      .number("motor_viscous", actuator.motor_viscous)
      .number("torque_constant", actuator.torque_constant)
      .number("disturbance", actuator.disturbance);
}
YamlFields dof_fields(const YamlFields& of, const JointSpring& spring) {
  YamlFields f = of.sibling();
  return f.number("stiffness", spring.stiffness).number("rest", spring.rest);
}

YamlFields motor_fields(const Motor& motor) {
  YamlFields f("motor " + in_quotes(motor.name)), ratios(f.element());
  f.raw("name", yaml_scalar(motor.name, f.element()));
  for (const Coupling::Term& term : motor.ratios)
    ratios.required(yaml_scalar(term.joint, f.element()).c_str(), term.factor);
  f.raw("ratios", ratios.flow());
  f.number("rotor_inertia", motor.rotor_inertia);
  const YamlFields friction = dof_fields(f, motor.friction);
  if (!friction.empty()) f.raw("friction", friction.flow());
  return f;
}

YamlFields frame_fields(const FrameOnLink& frame) {
  YamlFields f("frame " + in_quotes(frame.name));
  f.raw("name", yaml_scalar(frame.name, f.element()));
  f.raw("link", yaml_scalar(frame.link, f.element()));
  return f.pose("placement", frame.placement);
}

}  // namespace torsor::internal::robot_file
