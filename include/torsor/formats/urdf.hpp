#pragma once
/// URDF files in and out; what URDF cannot say goes in an extension that other readers ignore.
///
/// Numbers survive writing and reading bit by bit, poses included: where roll, pitch and yaw do not
/// reproduce a rotation exactly, its matrix is written beside them as torsor:rotation (by rows); in
/// reading, the two must agree to 1e-6. Inertia is written about the centre of mass, in the axes of
/// the link.
///
/// The extension is bound by xmlns:torsor="urn:torsor:urdf:1" on <robot>:
///   <robot>     torsor:source; <torsor:gravity xyz>, <torsor:base> with an <origin>,
///               <torsor:frame name link> with an <origin>, <torsor:loop name kind distance>,
///               <torsor:coupling name offset>,
///               <torsor:spring_damper name stiffness rest_length damping preload>,
///               <torsor:motor name rotor_inertia> with <torsor:term joint ratio>s and a
///               <torsor:friction>
///   <joint>     <torsor:joint kind pitch order> with <torsor:part>s of a composite; such a joint
///               is of type fixed (floating, if it is as free) to other readers. Of one degree of
///               freedom (number `dof`, counted from 0) each: <torsor:limit>, <torsor:friction>,
///               <torsor:actuator>, <torsor:spring>
///   <limit>     torsor:acceleration, torsor:jerk, torsor:unlimited ("lower upper effort velocity":
///               what is unlimited, whatever number stands there for readers that need one)
///   <dynamics>  torsor:viscous, torsor:stiction, torsor:stribeck, torsor:width, torsor:offset,
///               torsor:viscous_asymmetry, torsor:coulomb_asymmetry
///   <cylinder>  torsor:capsule
///
/// Limits with lower above upper are read as they stand: every Model refuses them, check_model
/// reports them and repair_model exchanges them.
///
/// Of URDF 1.2, quat_xyzw of <origin>, <capsule>, and acceleration, deceleration and jerk of <limit> are
/// read; written is what older readers take, with the extension beside it.
///
/// A mimic joint is read as a coordinate and a coupling row: q - multiplier q_other = offset.
/// Source   wiki.ros.org/urdf/XML (the elements and their defaults).
#include <string>

#include "torsor/formats/finding.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

/// Throws Error "file:line: element: what is wrong" for everything that is not a usable robot.
/// `findings`, if there are any, receives what else there is to say.
RobotDescription read_urdf(const std::string& text, const std::string& file_name,
                           Findings* findings = nullptr);
/// The same of a file, compiled.
Model<double> load_urdf(const std::string& path, Findings* findings = nullptr);

/// Throws Error for a description that could not be read back, such as one with two roots.
std::string write_urdf(const RobotDescription& robot);
void save_urdf(const RobotDescription& robot, const std::string& path);

}  // namespace torsor
