#pragma once
/// Parameters by name, the same in derivatives, adaptive laws, sweeps and identification: "q",
/// "forearm.mass", "dh.3.a", "elbow.viscous", ...
///
/// model/parameter.hpp lists the names. A name without its last word stands for all of them:
///
///   q  qd  qdd  tau          every degree of freedom          q.JOINT      every one of the joint
///   LINK                     the ten inertial parameters      gravity      x, y, z
///   placement.JOINT  axis.JOINT  dh  dh.ROW  wrench.FRAME  tool.FRAME  point.FRAME  friction.JOINT
///   spring.JOINT  spring_damper.NAME
///
/// "link.LINK.mass" is "LINK.mass" and "friction.JOINT.viscous" is "JOINT.viscous" also for elements
/// with the name of a kind. ROW is a number from 1 or the joint's name. Elements may have dots in
/// their names: the longest one that the robot has is meant.
#include <string>
#include <vector>

#include "torsor/model/parameter.hpp"

namespace torsor {

/// One name, which may stand for several parameters. Throws Error with what is wrong and the nearest
/// name that the robot has.
std::vector<Parameter> parse_parameter(const Model<double>& model, const std::string& name);
/// Names with commas between them.
std::vector<Parameter> parse_parameters(const Model<double>& model, const std::string& names);

}  // namespace torsor
