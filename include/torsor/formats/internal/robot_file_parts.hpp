#pragma once
/// Pieces of a robot file that both of its forms use. Private to the reader.
#include <vector>

#include "torsor/formats/internal/yaml_tree.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal::robot_file {

/// `unit: deg` at the top of a file, and who wants to hear of doubtful angles.
struct Units {
  bool degrees = false;
  Findings* findings = nullptr;

  void warn(const YamlElement& at, std::string message, std::string why, std::string fix) const;

  double angle(double value) const {
    return degrees ? value * 3.14159265358979323846 / 180 : value;
  }
};

/// The value in rad. Refuses angles of which sine and cosine have no digits left (above 1e4 rad);
/// warns of more than a turn where the file is in radians.
double checked_angle(const YamlElement& element, double value, Units units);

/// {xyz, rpy} | {xyz, quaternion} | {matrix}, under `key` or none for the identity.
SE3<double> read_pose(const YamlElement& element, Units units);
SE3<double> read_placement(const YamlElement& element, Units units, const char* key = "placement");

/// mass, com, inertia, inertia_about of a body or a DH row. False where there is no mass.
bool read_inertial(const YamlElement& element, Inertial& inertial);

/// limits, friction, actuator, spring: one entry per degree of freedom, in the order of velocities.
void read_dof_data(const YamlElement& element, Units units, Joint& joint);
/// Of one degree of freedom or motor.
Friction read_friction(const YamlElement& element);

std::vector<Geometry> read_geometry(const YamlElement& list, Units units);

/// Names the keys that read_inertial and read_dof_data look at.
#define TORSOR_INERTIAL_KEYS "mass", "com", "inertia", "inertia_about"
#define TORSOR_DOF_KEYS "limits", "friction", "actuator", "spring"

/// The `dh` section; everything but name, source, gravity and base.
RobotDescription read_dh(const YamlElement& dh, const SE3<double>& tool, Units units);

/// RobotFormat::examine and RobotFormat::edit.
RobotDescription examine(const std::string& text, const std::string& file_name, Findings& findings);
std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted);

/// Refuses duplicate names, names that do not resolve, and links and joints that make no tree. Sets
/// the root where the file names none.
void check_structure(RobotDescription& robot);

}  // namespace torsor::internal::robot_file
