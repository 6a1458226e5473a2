#include "rpy.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

namespace torsor::internal {
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

/// The largest difference of two entries.
double apart(const SO3<double>& A, const SO3<double>& B) {
  double most = 0;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) most = std::max(most, std::abs(A(r, c) - B(r, c)));
  return most;
}

}  // namespace

SO3<double> rotation_xyz(const Vec3<double>& rpy) {
  return rotation_z(rpy.z) * rotation_y(rpy.y) * rotation_x(rpy.x);
}

Vec3<double> rpy_of(const SO3<double>& R) {
  // Near pitch = 90 deg the first column says little about yaw; taking roll from Rz(-yaw) R makes
  // up for whatever yaw came out.
  const double yaw = std::atan2(R(1, 0), R(0, 0)), s = std::sin(yaw), c = std::cos(yaw);
  const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
  const double roll = std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1));
  return {roll + 0.0, pitch + 0.0, yaw + 0.0};  // -0 is 0
}

bool exact_rpy(const SO3<double>& R, SO3<double> (*rotation_of)(const Vec3<double>&),
               Vec3<double>& rpy) {
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
        if (same(rotation_of(rpy), R)) return true;
      }
    }
  const auto step = [](double x, int k) {
    return k == 0 ? x : std::nextafter(x, k * std::numeric_limits<double>::infinity());
  };
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) {
        rpy = {step(a.x, i), step(a.y, j), step(a.z, k)};
        if (same(rotation_of(rpy), R)) return true;
      }
  rpy = a;
  return false;
}

double tidied(double x, double rounding) {
  const double short_one = rounded(x, 12);
  return std::abs(short_one - x) <= rounding ? short_one : x;
}
Vec3<double> tidied(const Vec3<double>& v, double rounding) {
  return {tidied(v.x, rounding), tidied(v.y, rounding), tidied(v.z, rounding)};
}
SO3<double> tidied(const SO3<double>& R, double rounding) {
  Vec3<double> rpy = rpy_of(R);
  if (std::hypot(R(0, 0), R(1, 0)) <= rounding)  // roll and yaw are one turn there
    rpy = {std::atan2(-R(1, 2), R(1, 1)), rpy.y, 0};
  for (const Vec3<double>& angles : {tidied(rpy, rounding), rpy}) {
    const SO3<double> tidy = rotation_xyz(angles);
    if (apart(tidy, R) <= rounding) return tidy;
  }
  return R;
}

}  // namespace torsor::internal
