#include "joint_words.hpp"

#include <algorithm>

namespace torsor::internal {
namespace {

using Dof = DofConstants<double>;

/// The sum of bearing, structure and motor is x: the bearing gives way first.
void set_viscous(const JointSlot& at, double x) {
  Friction& f = at.friction();
  Actuator* const motor = at.joint.actuator.empty() ? nullptr : &at.actuator();
  const double ratio = motor == nullptr ? 1 : motor->gear_ratio * motor->gear_ratio;
  const double of_motor = motor == nullptr ? 0 : motor->motor_viscous * ratio;
  f.viscous = x - f.damping - of_motor;
  if (f.viscous >= 0 || x < 0) return;
  f.viscous = 0;
  f.damping = std::max(0.0, x - of_motor);
  if (f.damping > 0 || x == of_motor) {
    at.notes.push_back("joint " + at.joint.name +
                       ": damping was more than the estimate and is less");
    return;
  }
  motor->motor_viscous = x / ratio;
  at.notes.push_back("joint " + at.joint.name +
                     ": the motor's viscous friction was more than the estimate and is less");
}
/// Stiction that the file leaves to coulomb follows it; another one stays, where it can.
void set_coulomb(const JointSlot& at, double x) {
  Friction& f = at.friction();
  if (f.stiction <= f.coulomb) f.stiction = 0;
  f.coulomb = x;
  if (f.stiction == 0 || f.stiction >= x) return;
  at.notes.push_back("joint " + at.joint.name +
                     ": stiction was below the estimate of coulomb and is"
                     " the same now");
  f.stiction = 0;
}
void set_rotor(const JointSlot& at, double x) {
  const double ratio = at.actuator().gear_ratio;
  at.actuator().rotor_inertia = x / (ratio * ratio);
}

const JointWord words[] = {
    {"", ".viscous", [](const Dof& d) { return d.viscous; }, set_viscous},
    {"", ".coulomb", [](const Dof& d) { return d.coulomb; }, set_coulomb},
    {"", ".stiction", [](const Dof& d) { return d.stiction; },
     [](const JointSlot& at, double x) { at.friction().stiction = x; }},
    {"", ".stribeck", [](const Dof& d) { return d.stribeck; },
     [](const JointSlot& at, double x) { at.friction().stribeck = x; }},
    {"", ".width", [](const Dof& d) { return d.width; },
     [](const JointSlot& at, double x) { at.friction().width = x; }},
    {"", ".offset", [](const Dof& d) { return d.offset; },
     [](const JointSlot& at, double x) { at.friction().offset = x; }},
    {"", ".viscous_asymmetry", [](const Dof& d) { return d.viscous_asymmetry; },
     [](const JointSlot& at, double x) { at.friction().viscous_asymmetry = x; }},
    {"", ".coulomb_asymmetry", [](const Dof& d) { return d.coulomb_asymmetry; },
     [](const JointSlot& at, double x) { at.friction().coulomb_asymmetry = x; }},
    {"", ".load", [](const Dof& d) { return d.load; },
     [](const JointSlot& at, double x) { at.friction().load = x; }},
    {"disturbance.", "", [](const Dof& d) { return d.disturbance; },
     [](const JointSlot& at, double x) { at.actuator().disturbance = x; }},
    {"rotor.", "", [](const Dof& d) { return d.armature; }, set_rotor, true},
    {"spring.", ".stiffness", [](const Dof& d) { return d.stiffness; },
     [](const JointSlot& at, double x) { at.spring().stiffness = x; }},
    {"spring.", ".rest", [](const Dof& d) { return d.rest; },
     [](const JointSlot& at, double x) { at.spring().rest = x; }},
};
/// The lambdas of one list of the description.
#define TORSOR_LIST(list)                                                            \
  [](const RobotDescription& robot) { return static_cast<int>(robot.list.size()); }, \
      [](const RobotDescription& robot, int k) -> const std::string& {               \
        return robot.list[static_cast<std::size_t>(k)].name;                         \
      }
#define TORSOR_NUMBER(list, member)                         \
  [](const RobotDescription& robot, int k) {                \
    return robot.list[static_cast<std::size_t>(k)].member;  \
  },                                                        \
      [](RobotDescription& robot, int k, double x) {        \
        robot.list[static_cast<std::size_t>(k)].member = x; \
      }
Friction& of_motor(RobotDescription& robot, int k) {
  return robot.motors[static_cast<std::size_t>(k)].friction;
}
const Friction& of_motor(const RobotDescription& robot, int k) {
  return robot.motors[static_cast<std::size_t>(k)].friction;
}
/// Viscous friction of a motor counts its damping, which gives way last.
double viscous_of_motor(const RobotDescription& robot, int k) {
  return of_motor(robot, k).viscous + of_motor(robot, k).damping;
}
void set_viscous_of_motor(RobotDescription& robot, int k, double x) {
  Friction& f = of_motor(robot, k);
  f.damping = std::min(f.damping, std::max(0.0, x));
  f.viscous = x - f.damping;
}
/// Stiction that is not above coulomb follows it.
void set_coulomb_of_motor(RobotDescription& robot, int k, double x) {
  Friction& f = of_motor(robot, k);
  if (f.stiction <= f.coulomb || f.stiction < x) f.stiction = 0;
  f.coulomb = x;
}
double stiction_of_motor(const RobotDescription& robot, int k) {
  return std::max(of_motor(robot, k).stiction, of_motor(robot, k).coulomb);
}

const ElementWords elements[] = {
    {"spring_damper.",
     TORSOR_LIST(springs),
     {{"stiffness", TORSOR_NUMBER(springs, stiffness)},
      {"rest_length", TORSOR_NUMBER(springs, rest_length)},
      {"damping", TORSOR_NUMBER(springs, damping)},
      {"preload", TORSOR_NUMBER(springs, preload)}}},
    {"motor.",
     TORSOR_LIST(motors),
     {{"rotor", TORSOR_NUMBER(motors, rotor_inertia), true},
      {"viscous", viscous_of_motor, set_viscous_of_motor},
      {"coulomb", [](const RobotDescription& robot, int k) { return of_motor(robot, k).coulomb; },
       set_coulomb_of_motor},
      {"stiction", stiction_of_motor,
       [](RobotDescription& robot, int k, double x) { of_motor(robot, k).stiction = x; }},
      {"stribeck", TORSOR_NUMBER(motors, friction.stribeck)},
      {"width", TORSOR_NUMBER(motors, friction.width)},
      {"offset", TORSOR_NUMBER(motors, friction.offset)},
      {"viscous_asymmetry", TORSOR_NUMBER(motors, friction.viscous_asymmetry)},
      {"coulomb_asymmetry", TORSOR_NUMBER(motors, friction.coulomb_asymmetry)}}},
};
#undef TORSOR_LIST
#undef TORSOR_NUMBER

}  // namespace

std::span<const JointWord> joint_words() { return words; }
std::span<const ElementWords> element_words() { return elements; }

}  // namespace torsor::internal
