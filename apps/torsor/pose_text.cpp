#include "pose_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torsor/math/euler.hpp"

namespace torsor::command {
namespace {

constexpr double degrees_per_radian = 180 / std::numbers::pi;
// Angles are written with ten digits or so: what is smaller than that is not shown.
constexpr double not_shown = 1e-10;

std::string pose_number(double value, double scale) {
  return number(std::abs(value) < not_shown * scale ? 0.0 : value);
}
double largest_of(const Vec3<double>& v) {
  return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
}
void add_numbers(std::vector<std::string>& row, const Vec3<double>& v, double unit, double scale) {
  for (int k = 0; k < 3; ++k) row.push_back(pose_number(v[k] * unit, scale * unit));
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

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    longest = std::max(longest, width_of(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return longest;
}

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
  Table table(columns(pose_rows())), places(columns({"x", "y", "z", "roll", "pitch", "yaw"})),
      quaternions(columns({"qx", "qy", "qz", "qw"}));
  double size = 0;
  for (const NamedPose& pose : poses) size = std::max(size, largest_of(pose.T.p));
  for (const NamedPose& pose : poses) {
    std::vector<std::string> row{pose.name};
    add_numbers(row, pose.T.p, 1, size);
    add_numbers(row, roll_pitch_yaw(pose.T.R), degrees ? degrees_per_radian : 1, 1);
    const Quaternion<double> q = quaternion(pose.T.R);
    places.add(row);
    std::vector<std::string> turn{pose.name};
    for (const double x : {q.x, q.y, q.z, q.w}) turn.push_back(pose_number(x, 1));
    row.insert(row.end(), turn.begin() + 1, turn.end());
    quaternions.add(std::move(turn));
    table.add(std::move(row));
  }
  const std::string text = table.text();
  return longest_line(text) <= 80 ? text : places.text() + quaternions.text();
}

std::string matrix_tables(const std::vector<NamedPose>& poses) {
  double size = 0;
  for (const NamedPose& pose : poses) size = std::max(size, largest_of(pose.T.p));
  std::string out;
  for (const NamedPose& pose : poses) {
    Table table(
        {{pose.name, Table::right}, {"", Table::right}, {"", Table::right}, {"", Table::right}});
    for (int r = 0; r < 3; ++r)
      table.add({pose_number(pose.T.R(r, 0), 1), pose_number(pose.T.R(r, 1), 1),
                 pose_number(pose.T.R(r, 2), 1), pose_number(pose.T.p[r], size)});
    table.add({"0", "0", "0", "1"});
    out += table.text();
  }
  return out;
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

Quantity matrix_quantity(const std::string& name, const SE3<double>& T) {
  Quantity out{name + ".T", {"1", "2", "3", "4"}, {"1", "2", "3", "4"}, {}};
  for (int r = 0; r < 3; ++r)
    out.values.insert(out.values.end(), {T.R(r, 0), T.R(r, 1), T.R(r, 2), T.p[r]});
  out.values.insert(out.values.end(), {0, 0, 0, 1});
  return out;
}

const std::vector<std::string>& twist_rows() {
  static const std::vector<std::string> rows{"wx", "wy", "wz", "vx", "vy", "vz"};
  return rows;
}

}  // namespace torsor::command
