#pragma once
/// Robots whose logs identify is tried on, and what it has to give back.
#include <algorithm>

#include "identification/moved_robot.hpp"
#include "torsor/identification/identify.hpp"
#include "torsor/model/error.hpp"

namespace torsor::testing {

/// Joints of these kinds, friction and rotors of any size; no stiction.
inline RobotDescription tree(unsigned seed, int joints, std::vector<JointKind> kinds,
                             bool chain = false) {
  RobotDescription robot = random_tree(seed, joints, {.kinds = std::move(kinds), .chain = chain});
  Draw<double> draw(seed + 5);
  for (Joint& joint : robot.joints)
    for (Friction& f : joint.friction) {
      f = {};
      f.viscous = draw(0.1, 1), f.coulomb = draw(0.1, 1), f.offset = draw(-0.5, 0.5);
      f.width = 0.1;
    }
  return robot;
}

/// The robot as its file may have it: other masses, no friction, no rotors.
inline Model<double> guess(RobotDescription robot, double factor = 1.3) {
  for (Link& link : robot.links) {
    link.inertial.mass *= factor;
    link.inertial.about_com = link.inertial.about_com * factor;
  }
  for (Joint& joint : robot.joints) {
    for (Friction& f : joint.friction) {
      f.viscous = f.damping = f.coulomb = f.stiction = f.offset = 0;
    }
    for (Actuator& a : joint.actuator) a.rotor_inertia = a.motor_viscous = 0;
  }
  return Model<double>(robot);
}

/// Nothing stands between the log and its equations: the low-pass is far above the motion.
inline IdentifyOptions exact(Estimator estimator = Estimator::ordinary) {
  IdentifyOptions options;
  options.estimator = estimator;
  options.filter.cutoff = 20;
  options.bootstrap = 0;
  return options;
}

/// The largest error of a base parameter that the log determines, relative to the largest of all.
inline double worst_error(const Identification& found, const Model<double>& truth,
                          const IdentifyOptions& options) {
  const Model<double> shape = identified_shape(truth, options);
  const ParameterColumns columns(shape,
                                 std::vector<std::string>(found.names.begin(), found.names.end()));
  const Array<double> wanted = found.base.values(columns.values(shape));
  double worst = 0, most = 0;
  for (int k = 0; k < wanted.size(); ++k) most = std::max(most, std::abs(wanted[k]));
  for (int k = 0; k < wanted.size(); ++k)
    worst = std::max(worst, std::abs(found.parameters[k].value - wanted[k]));
  return worst / most;
}

/// Three joints, the second one prismatic.
inline RobotDescription arm(unsigned seed = 1) {
  return tree(seed, 3, {JointKind::revolute, JointKind::prismatic, JointKind::continuous});
}
inline const IdentifiedParameter& parameter(const Identification& found, const std::string& name) {
  for (const IdentifiedParameter& p : found.parameters)
    if (p.name == name) return p;
  throw Error("no parameter " + name);
}

/// The robot with a load fixed to its last link.
inline RobotDescription loaded(RobotDescription robot, const std::string& on,
                               const Inertial& load) {
  Link link;
  link.name = "load", link.inertial = load, link.has_inertial = true;
  robot.links.push_back(link);
  Joint joint;
  joint.name = "load_joint", joint.kind = JointKind::fixed, joint.parent = on, joint.child = "load";
  robot.joints.push_back(joint);
  return robot;
}

}  // namespace torsor::testing
