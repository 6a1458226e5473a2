#include "pose_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torsor/math/euler.hpp"

namespace torsor::command {
namespace {

constexpr double degrees_per_radian = 180 / std::numbers::pi;

double largest_of(const Vec3<double>& v) {
  return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
}
void add_numbers(std::vector<std::string>& row, const Vec3<double>& v, double unit, double scale) {
  for (int k = 0; k < 3; ++k) row.push_back(tidy_number(v[k] * unit, scale * unit));
}
std::vector<Table::Column> columns(const std::vector<std::string>& numbers) {
  std::vector<Table::Column> titles{{"frame", Table::left}};
  for (const std::string& title : numbers) titles.push_back({title, Table::right});
  return titles;
}
const std::vector<std::string>& pose_rows() {
  static const std::vector<std::string> rows{"x",   "y",  "z",  "roll", "pitch",
                                             "yaw", "qx", "qy", "qz",   "qw"};
  return rows;
}

}  // namespace

std::string tidy_number(double value, double scale) {
  return number(std::abs(value) < 1e-14 * scale ? 0.0 : value);
}

Vec3<double> roll_pitch_yaw(const SO3<double>& R) {
  const EulerAngles<double> zyx = euler_angles(EulerSequence::zyx, R).first;
  return {zyx.psi, zyx.theta, zyx.phi};
}
SO3<double> rotation_of_roll_pitch_yaw(const Vec3<double>& rpy) {
  return rotation(EulerSequence::zyx, EulerAngles<double>{rpy.z, rpy.y, rpy.x});
}

std::string pose_table(const std::vector<NamedPose>& poses, bool degrees) {
  Table table(columns(pose_rows()));
  double size = 0;
  for (const NamedPose& pose : poses) size = std::max(size, largest_of(pose.T.p));
  for (const NamedPose& pose : poses) {
    std::vector<std::string> row{pose.name};
    add_numbers(row, pose.T.p, 1, size);
    add_numbers(row, roll_pitch_yaw(pose.T.R), degrees ? degrees_per_radian : 1, 1);
    const Quaternion<double> q = quaternion(pose.T.R);
    for (const double x : {q.x, q.y, q.z, q.w}) row.push_back(tidy_number(x, 1));
    table.add(std::move(row));
  }
  return table.text();
}

std::string twist_table(const std::vector<NamedTwist>& twists, bool degrees) {
  Table table(columns(twist_rows()));
  double turning = 0, moving = 0;
  for (const NamedTwist& twist : twists) {
    turning = std::max(turning, largest_of(twist.V.w));
    moving = std::max(moving, largest_of(twist.V.v));
  }
  for (const NamedTwist& twist : twists) {
    std::vector<std::string> row{twist.name};
    add_numbers(row, twist.V.w, degrees ? degrees_per_radian : 1, turning);
    add_numbers(row, twist.V.v, 1, moving);
    table.add(std::move(row));
  }
  return table.text();
}

Json json_of_pose(const SE3<double>& T) {
  const Quaternion<double> q = quaternion(T.R);
  return {{"T", json_pose(T)},
          {"position", json_vector(T.p)},
          {"rpy", json_vector(roll_pitch_yaw(T.R))},
          {"quaternion", Json::array({q.x, q.y, q.z, q.w})}};
}

std::vector<double> numbers_of(const Twist<double>& V) {
  return {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
}

Quantity pose_quantity(const std::string& name, const SE3<double>& T) {
  const Vec3<double> rpy = roll_pitch_yaw(T.R);
  const Quaternion<double> q = quaternion(T.R);
  return {name, pose_rows(), {}, {T.p.x, T.p.y, T.p.z, rpy.x, rpy.y, rpy.z, q.x, q.y, q.z, q.w}};
}

const std::vector<std::string>& twist_rows() {
  static const std::vector<std::string> rows{"wx", "wy", "wz", "vx", "vy", "vz"};
  return rows;
}

}  // namespace torsor::command
