#include <cmath>
#include <numbers>

#include "mjcf/reader.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/model.hpp"

namespace torsor::internal::mjcf {
namespace {

SO3<double> about(char axis, double angle) {
  return axis == 'x' || axis == 'X'   ? rotation_x(angle)
         : axis == 'y' || axis == 'Y' ? rotation_y(angle)
                                      : rotation_z(angle);
}

Vec3<double> unit(const XmlElement& at, const char* name, const Vec3<double>& v) {
  const double n = norm(v);
  if (std::isnan(n)) return Vec3<double>::unit_z();  // reported already
  if (!(n > 1e-14) || !std::isfinite(n))
    at.fail("<" + at.name() + "> " + name + " has no direction: " + in_quotes(*at.attribute(name)));
  return v * (1 / n);
}

}  // namespace

double Compiler::angle(double value) const {
  return degrees ? value * (std::numbers::pi / 180) : value;
}

SO3<double> read_orientation(const Attributes& a, const Compiler& compiler) {
  if (const XmlElement at = a.giver("axisangle")) {
    const std::vector<double> v = at.numbers("axisangle", 4);
    const Vec3<double> axis = unit(at, "axisangle", {v[0], v[1], v[2]});
    return exp(axis * compiler.angle(v[3]));
  }
  if (const XmlElement at = a.giver("xyaxes")) {
    const std::vector<double> v = at.numbers("xyaxes", 6);
    const Vec3<double> x = unit(at, "xyaxes", {v[0], v[1], v[2]}), y{v[3], v[4], v[5]};
    const Vec3<double> square = unit(at, "xyaxes", y - x * dot(x, y));
    return {x, square, cross(x, square)};
  }
  if (const XmlElement at = a.giver("zaxis")) return turn_to(unit(at, "zaxis", at.vec3("zaxis")));
  if (const XmlElement at = a.giver("euler")) {
    const std::vector<double> v = at.numbers("euler", 3);
    SO3<double> R = SO3<double>::identity();
    for (std::size_t k = 0; k < 3; ++k) {
      const char axis = compiler.euler[k];
      const SO3<double> turn = about(axis, compiler.angle(v[k]));
      R = axis >= 'a' ? R * turn : turn * R;  // axes that turn along, or fixed ones
    }
    return R;
  }
  if (const XmlElement at = a.giver("quat")) {
    const std::vector<double> v = at.numbers("quat", 4);  // w first
    const double n = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (std::isnan(n)) return SO3<double>::identity();
    if (!(n > 1e-14) || !std::isfinite(n)) at.fail("<" + at.name() + "> quat is zero");
    return rotation(Quaternion<double>{v[1] / n, v[2] / n, v[3] / n, v[0] / n});
  }
  return SO3<double>::identity();
}

SE3<double> read_pose(const Attributes& a, const Compiler& compiler) {
  return {read_orientation(a, compiler), a.vec3("pos", {})};
}

SE3<double> read_fromto(const Attributes& a, double& half_length) {
  const XmlElement at = a.giver("fromto");
  const std::vector<double> v = at.numbers("fromto", 6);
  const Vec3<double> from{v[0], v[1], v[2]}, to{v[3], v[4], v[5]};
  half_length = norm(from - to) / 2;
  return {turn_to(unit(at, "fromto", from - to)), (from + to) * 0.5};
}

}  // namespace torsor::internal::mjcf
