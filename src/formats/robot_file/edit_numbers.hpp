#pragma once
/// Numbers of a robot that changed, put into the text of its file; missing keys are inserted. Private to
/// the editor.
#include "torsor/formats/internal/robot_file_parts.hpp"
#include "torsor/formats/internal/yaml_text.hpp"

namespace torsor::internal::robot_file {

/// mass, com and inertia of a body or a DH row, both as the element has them, in its own frame.
void edit_inertial(YamlText& out, const YamlNode& element, const Inertial& read,
                   const Inertial& wanted);
/// friction, actuator and spring.
void edit_dofs(YamlText& out, const YamlNode& element, const Joint& read, const Joint& wanted,
               bool degrees);
/// The pose under `key`, in the words that stand there.
void edit_pose(YamlText& out, const YamlNode& element, const char* key, const SE3<double>& read,
               const SE3<double>& wanted, bool degrees);
/// base and gravity, poses of `frames`, numbers of `springs` and `motors`.
void edit_others(YamlText& out, const YamlNode& root, const RobotDescription& read,
                 const RobotDescription& wanted, bool degrees);
/// A whole `motors` list at the end of a text that has none; nothing where there are no new ones.
std::string new_motors(const std::string& text, const YamlNode& root,
                       const RobotDescription& wanted);
/// a, alpha, d, theta and the inertias of rows in their DH frames, and the tool. Throws Error for a
/// placement that no row can say.
void edit_dh_table(YamlText& out, const YamlNode& root, const YamlNode& dh,
                   const RobotDescription& read, const RobotDescription& wanted, bool degrees);

}  // namespace torsor::internal::robot_file
