#pragma once
/// What a page asks, read with suspicion: bounded in size and depth, numbers finite, keys known.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "server/answers.hpp"
#include "torsor/math/se3.hpp"

namespace torsor::view {

using Json = nlohmann::json;

inline constexpr int depth_limit = 8;

/// An object. Throws Error for a text that is too long, too deep, no JSON or no object.
Json parse_request(std::string_view text);

/// Reads the keys of one request; `done` refuses those that nobody asked for.
class Request {
 public:
  /// `verb`: for messages.
  Request(const Json& object, std::string verb);

  bool has(const char* key);
  bool flag(const char* key, bool otherwise);
  double number(const char* key);
  /// Inside [low, high].
  double number(const char* key, double low, double high);
  int index(const char* key, int count);
  std::string text(const char* key);
  /// `count` finite numbers.
  std::vector<double> numbers(const char* key, int count);
  /// "T": 16 numbers, rows of a rigid 4 x 4 matrix; or "position" (m) and, where it is given, "rpy"
  /// (rad: R = Rz(yaw) Ry(pitch) Rx(roll)) or "quaternion" (x, y, z, w). `has_rotation`: whether an
  /// orientation was given.
  SE3<double> pose(bool& has_rotation);
  /// The value itself, to be looked into by the caller.
  const Json& value(const char* key);
  void done() const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  const Json& object_;
  std::string verb_;
  std::vector<std::string> asked_;
};

Json to_json(const Vec3<double>& v);
/// 16 numbers, row by row.
Json to_json(const SE3<double>& T);
/// Nothing where it is not finite: JSON has no infinity.
Json to_json(double x);

}  // namespace torsor::view
