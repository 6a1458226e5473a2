#include <algorithm>
#include <cmath>

#include "torsor/formats/internal/file_axis.hpp"
#include "urdf/elements.hpp"

namespace torsor::internal::urdf {
namespace {

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
