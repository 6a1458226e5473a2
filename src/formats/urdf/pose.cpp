#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "torsor/formats/internal/file_axis.hpp"
#include "urdf/elements.hpp"

namespace torsor::internal::urdf {
namespace {

/// x to so many decimals, and without the sign of a zero.
double rounded(double x, int decimals) {
  char buffer[64];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::fixed, decimals);
  double y = x;
  if (written.ec == std::errc()) std::from_chars(buffer, written.ptr, y);
  return y + 0.0;
}

bool same(const SO3<double>& A, const SO3<double>& B) {
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r)
      if (A(r, c) != B(r, c)) return false;
  return true;
}

/// quat_xyzw of URDF 1.2, of any length that is not zero.
SO3<double> read_quaternion(const XmlElement& origin) {
  const std::vector<double> q = origin.numbers("quat_xyzw", 4);
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (std::isnan(length)) return SO3<double>::identity();  // reported already
  if (!(length > 0) || !std::isfinite(length))
    origin.fail("<" + origin.name() + "> quat_xyzw is zero (" + *origin.attribute("quat_xyzw") +
                ")");
  return rotation(Quaternion<double>{q[0] / length, q[1] / length, q[2] / length, q[3] / length});
}

}  // namespace

SO3<double> rotation_of_rpy(const Vec3<double>& rpy) {
  const double sr = std::sin(rpy.x), cr = std::cos(rpy.x), sp = std::sin(rpy.y),
               cp = std::cos(rpy.y), sy = std::sin(rpy.z), cy = std::cos(rpy.z);
  return {{cy * cp, sy * cp, -sp},
          {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
          {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr}};
}

Vec3<double> rpy_of(const SO3<double>& R) {
  // Near pitch = 90 deg the first column says little about yaw; taking roll from Rz(-yaw) R makes
  // up for whatever yaw came out.
  const double yaw = std::atan2(R(1, 0), R(0, 0)), s = std::sin(yaw), c = std::cos(yaw);
  const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
  const double roll = std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1));
  return {roll, pitch, yaw};
}

bool exact_rpy(const SO3<double>& R, Vec3<double>& rpy) {
  // Files hold few decimals, angles beyond pi ("3.14159265359") and pitches beyond 90 deg; the
  // rounded forms of all these are tried before neighbouring doubles.
  const double pi = std::numbers::pi;
  const Vec3<double> a = rpy_of(R);
  const auto opposite = [&](double x) { return x > 0 ? x - pi : x + pi; };
  const auto beyond = [&](double x) { return x > 0 ? x - 2 * pi : x + 2 * pi; };
  const Vec3<double> other{opposite(a.x), (a.y < 0 ? -pi : pi) - a.y, opposite(a.z)};
  for (const Vec3<double>& b : {a, other})
    for (int turns = 0; turns < 8; ++turns) {
      const Vec3<double> c{(turns & 1) != 0 ? beyond(b.x) : b.x,
                           (turns & 2) != 0 ? beyond(b.y) : b.y,
                           (turns & 4) != 0 ? beyond(b.z) : b.z};
      if (std::max({std::abs(c.x), std::abs(c.y), std::abs(c.z)}) > pi + 0.01) continue;
      for (int decimals = 0; decimals <= 16; ++decimals) {
        rpy = {rounded(c.x, decimals), rounded(c.y, decimals), rounded(c.z, decimals)};
        if (same(rotation_of_rpy(rpy), R)) return true;
      }
    }
  const auto step = [](double x, int k) { return k == 0 ? x : std::nextafter(x, k * infinity); };
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) {
        rpy = {step(a.x, i), step(a.y, j), step(a.z, k)};
        if (same(rotation_of_rpy(rpy), R)) return true;
      }
  rpy = a;
  return false;
}

SE3<double> read_pose(const XmlElement& origin, Notes& notes,
                      const std::vector<std::string>& further_attributes) {
  if (!origin) return {};
  std::vector<std::string> attributes = {"xyz", "rpy", "quat_xyzw", "torsor:rotation"};
  attributes.insert(attributes.end(), further_attributes.begin(), further_attributes.end());
  notes.check_names(origin, {}, attributes);
  const Vec3<double> p = origin.vec3("xyz", {}), rpy = origin.vec3("rpy", {});
  const bool by_quaternion = origin.attribute("quat_xyzw").has_value();
  if (by_quaternion && origin.attribute("rpy"))
    origin.fail("<" + origin.name() + "> has both rpy and quat_xyzw; remove one of them");
  SO3<double> R = by_quaternion ? read_quaternion(origin) : rotation_of_rpy(rpy);
  const double angle = std::max({std::abs(rpy.x), std::abs(rpy.y), std::abs(rpy.z)});
  if (angle > 6.3)  // a turn is 6.283
    notes.add(Finding::Severity::warning, origin,
              "rpy (" + *origin.attribute("rpy") + ") rad turns more than once",
              "it looks like degrees", "write radians: 90 deg are 1.5707963267948966");
  if (origin.attribute("torsor:rotation")) {
    const std::vector<double> m = origin.numbers("torsor:rotation", 9);
    const auto exact =
        SO3<double>::rows({m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]});
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        if (std::abs(exact(r, c) - R(r, c)) > 1e-6)
          origin.fail("<" + origin.name() +
                      "> rpy and torsor:rotation are different rotations; remove one of them");
    R = exact;
  }
  return {R, p};
}

Vec3<double> read_axis(const XmlElement& axis, Notes& notes) {
  notes.check_names(axis, {}, {"xyz"});
  const Vec3<double> a = axis.vec3("xyz");
  if (std::isnan(a.x + a.y + a.z)) return Vec3<double>::unit_z();  // reported already
  if (a.x == 0 && a.y == 0 && a.z == 0) axis.fail("axis is zero (" + *axis.attribute("xyz") + ")");
  return file_axis(a);
}

}  // namespace torsor::internal::urdf
