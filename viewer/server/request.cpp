#include "server/request.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/formats/text.hpp"
#include "torsor/math/euler.hpp"
#include "torsor/model/description.hpp"

namespace torsor::view {
namespace {

constexpr double rigid = 1e-6;  // by which a typed matrix may miss a rotation

bool is_rotation(const SO3<double>& R) {
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      if (std::abs(dot(R[a], R[b]) - (a == b ? 1 : 0)) > rigid) return false;
  return dot(cross(R.c0, R.c1), R.c2) > 0;
}

}  // namespace

Json parse_request(std::string_view text) {
  if (text.size() > request_limit)
    throw Error("request: longer than " + std::to_string(request_limit) + " bytes");
  const auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > depth_limit)
      throw Error("request: nested more than " + std::to_string(depth_limit) + " deep");
    return true;
  };
  try {
    Json value = text.empty() ? Json::object() : Json::parse(text, shallow);
    if (!value.is_object()) throw Error("request: is no JSON object");
    return value;
  } catch (const Json::exception& error) {
    throw Error("request: " + one_line(error.what()));
  }
}

Request::Request(const Json& object, std::string verb) : object_(object), verb_(std::move(verb)) {}

void Request::refuse(const std::string& why) const { throw Error(verb_ + ": " + why); }

bool Request::has(const char* key) {
  asked_.emplace_back(key);
  return object_.contains(key);
}
const Json& Request::value(const char* key) {
  if (!has(key)) refuse("\"" + std::string(key) + "\" is missing");
  return object_.at(key);
}
bool Request::flag(const char* key, bool otherwise) {
  if (!has(key)) return otherwise;
  if (!object_.at(key).is_boolean()) refuse("\"" + std::string(key) + "\" is not true or false");
  return object_.at(key).get<bool>();
}
double Request::number(const char* key) {
  const Json& v = value(key);
  if (!v.is_number() || !std::isfinite(v.get<double>()))
    refuse("\"" + std::string(key) + "\" is no finite number");
  return v.get<double>();
}
double Request::number(const char* key, double low, double high) {
  const double x = number(key);
  if (!(x >= low && x <= high))
    refuse("\"" + std::string(key) + "\" is " + format_number(x) + ", not " + format_number(low) +
           " to " + format_number(high));
  return x;
}
int Request::index(const char* key, int count) {
  const double x = number(key);
  if (x != std::floor(x) || x < 0 || x >= count)
    refuse("\"" + std::string(key) + "\" is " + format_number(x) + ", not a whole number below " +
           std::to_string(count));
  return static_cast<int>(x);
}
std::string Request::text(const char* key) {
  const Json& v = value(key);
  if (!v.is_string()) refuse("\"" + std::string(key) + "\" is no text");
  return v.get<std::string>();
}
std::vector<double> Request::numbers(const char* key, int count) {
  const Json& v = value(key);
  if (!v.is_array() || static_cast<int>(v.size()) != count)
    refuse("\"" + std::string(key) + "\" is no list of " + std::to_string(count) + " numbers");
  std::vector<double> out;
  for (const Json& x : v) {
    if (!x.is_number() || !std::isfinite(x.get<double>()))
      refuse("\"" + std::string(key) + "\" has an entry that is no finite number");
    out.push_back(x.get<double>());
  }
  return out;
}

SE3<double> Request::pose(bool& has_rotation) {
  SE3<double> T;
  has_rotation = true;
  if (has("T")) {
    const std::vector<double> m = numbers("T", 16);
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c)
        T.R(static_cast<int>(r), static_cast<int>(c)) = m[4 * r + c];
      T.p[static_cast<int>(r)] = m[4 * r + 3];
    }
    if (m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1 || !is_rotation(T.R))
      refuse("\"T\" is no rigid motion");
    return T;
  }
  const std::vector<double> p = numbers("position", 3);
  T.p = {p[0], p[1], p[2]};
  if (has("rpy")) {
    const std::vector<double> a = numbers("rpy", 3);
    T.R = rotation_z(a[2]) * rotation_y(a[1]) * rotation_x(a[0]);
  } else if (has("quaternion")) {
    const std::vector<double> q = numbers("quaternion", 4);
    const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    if (std::abs(length - 1) > rigid) refuse("\"quaternion\" is not of unit length");
    T.R = rotation(Quaternion<double>{q[0] / length, q[1] / length, q[2] / length, q[3] / length});
  } else {
    has_rotation = false;
  }
  return T;
}

void Request::done() const {
  for (const auto& [key, unused] : object_.items())
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end())
      refuse("unknown key " + in_quotes(key) + did_you_mean(key, asked_));
}

Json to_json(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Json to_json(const SE3<double>& T) {
  Json out = Json::array();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out.push_back(T.R(r, c));
    out.push_back(T.p[r]);
  }
  for (const double x : {0.0, 0.0, 0.0, 1.0}) out.push_back(x);
  return out;
}
Json to_json(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

}  // namespace torsor::view
