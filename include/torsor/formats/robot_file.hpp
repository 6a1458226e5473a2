#pragma once
/// The robot file: a robot in YAML, as a DH table or as bodies and joints. docs/robot-file.md is
/// its reference.
///
/// Reading is strict: unknown and duplicate keys, numbers that are not plain finite decimals, names
/// that do not resolve and trees that are none are refused by an Error of one line with file, line
/// and element. What is merely doubtful (a massless body, an inertia that breaks the triangle
/// inequality) is read as it stands; check_model judges it. So are limits with lower above upper,
/// which every Model refuses and repair_model exchanges.
///
/// Writing gives the form with bodies and joints and the shortest numbers that read back as the
/// same doubles: read(write(robot)) equals robot in every bit of every field but the origins and
/// the sign of zeros in rotations, if its rotations are orthogonal and its axes of unit length to
/// rounding.
#include <string>
#include <string_view>

#include "torsor/formats/finding.hpp"
#include "torsor/model/dh.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

/// The robot in `text`; `file_name` appears in messages and origins. `findings`, if there are any,
/// receives warnings of angles that look like degrees.
RobotDescription read_robot_file(std::string_view text, const std::string& file_name,
                                 Findings* findings = nullptr);

/// Throws Error for what a file cannot hold: numbers that are not finite, names that are not UTF-8
/// text.
std::string write_robot_file(const RobotDescription& robot);
/// The text of a DH table; `frames` are further frames on its links (in the frames that from_dh
/// gives them).
std::string write_dh_file(const DhTable& table, const std::vector<FrameOnLink>& frames = {});

/// The robot in a file, compiled.
Model<double> load_robot_file(const std::string& path, Findings* findings = nullptr);

/// Replaces the file in one step: a reader sees the old text or the new one.
void save_robot_file(const RobotDescription& robot, const std::string& path);

}  // namespace torsor
