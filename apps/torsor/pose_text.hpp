#pragma once
/// Poses for people: position, roll-pitch-yaw and quaternion, in tables, JSON and CSV, and back.
///
/// Roll, pitch and yaw are URDF's: R = Rz(yaw) Ry(pitch) Rx(roll). Quaternions are x, y, z, w.
#include <string>
#include <vector>

#include "json_output.hpp"
#include "quantity.hpp"
#include "text_output.hpp"
#include "torsor/math/spatial.hpp"

namespace torsor::command {

/// roll, pitch, yaw in rad.
Vec3<double> roll_pitch_yaw(const SO3<double>& R);
SO3<double> rotation_of_roll_pitch_yaw(const Vec3<double>& rpy);

/// Characters of the longest line.
std::size_t longest_line(const std::string& text);

/// A table with a row per pose: name, x, y, z, roll, pitch, yaw, qx, qy, qz, qw. Quaternions stand
/// below where that is wider than 80 columns.
struct NamedPose {
  std::string name;
  SE3<double> T;
};
std::string pose_table(const std::vector<NamedPose>& poses, bool degrees);
/// The same as 4 x 4 matrices, one below the other.
std::string matrix_tables(const std::vector<NamedPose>& poses);
/// A table of twists: name, wx, wy, wz, vx, vy, vz; angular parts in degrees where that is wanted.
struct NamedTwist {
  std::string name;
  Twist<double> V;
};
std::string twist_table(const std::vector<NamedTwist>& twists, bool degrees);

/// "T" (4 x 4), "position", "rpy", "quaternion".
Json json_of_pose(const SE3<double>& T);
/// Six numbers, angular first.
std::vector<double> numbers_of(const Twist<double>& V);
/// Columns name.x ... name.qw.
Quantity pose_quantity(const std::string& name, const SE3<double>& T);
/// Columns name.T.1.1 ... name.T.4.4.
Quantity matrix_quantity(const std::string& name, const SE3<double>& T);
/// wx, wy, wz, vx, vy, vz.
const std::vector<std::string>& twist_rows();
/// What rounding leaves of zero beside numbers of the size of `scale` is shown as zero.
std::string tidy_number(double value, double scale);

}  // namespace torsor::command
