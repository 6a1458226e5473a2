#pragma once
/// Fields that both forms of the robot file write alike. Private to its writers.
#include "torsor/formats/internal/yaml_writer.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal::robot_file {

/// mass, com and inertia of a body or a DH row.
void add_inertial(YamlFields& fields, const Inertial& inertial);

/// Data of one degree of freedom, as a map inside the element `of`.
YamlFields dof_fields(const YamlFields& of, const Limits& limits);
YamlFields dof_fields(const YamlFields& of, const Friction& friction);
YamlFields dof_fields(const YamlFields& of, const Actuator& actuator);
YamlFields dof_fields(const YamlFields& of, const JointSpring& spring);

/// A motor of several joints, as a member of `motors`.
YamlFields motor_fields(const Motor& motor);
/// A frame on a link, as a member of `frames`.
YamlFields frame_fields(const FrameOnLink& frame);

}  // namespace torsor::internal::robot_file
