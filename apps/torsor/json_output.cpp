#include "json_output.hpp"

#include <cmath>

namespace torsor::command {
namespace {

bool is_flat(const Json& list) {
  for (const Json& item : list)
    if (item.is_structured() && !item.empty()) return false;
  return true;
}

void append(const Json& value, std::size_t indent, std::string& out) {
  const auto plain = [](const Json& v) {  // bytes that are not UTF-8 must not end the run
    return v.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  if (!value.is_structured() || value.empty()) {
    out += plain(value);
    return;
  }
  const bool object = value.is_object(), line = !object && is_flat(value);
  out += object ? '{' : '[';
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    out += first ? "" : line ? ", " : ",";
    if (!line) out.append("\n").append(indent + 2, ' ');
    if (object) out.append(plain(Json(key))).append(": ");
    append(item, indent + 2, out);
    first = false;
  }
  if (!line) out.append("\n").append(indent, ' ');
  out += object ? '}' : ']';
}

}  // namespace

std::string json_text(const Json& value) {
  std::string out;
  append(value, 0, out);
  return out + "\n";
}

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json json_vector(const Vec3<double>& v) {
  return Json::array({json_number(v.x), json_number(v.y), json_number(v.z)});
}
Json json_pose(const SE3<double>& T) {
  Json rows = Json::array();
  for (int r = 0; r < 3; ++r)
    rows.push_back({json_number(T.R(r, 0)), json_number(T.R(r, 1)), json_number(T.R(r, 2)),
                    json_number(T.p[r])});
  rows.push_back({0.0, 0.0, 0.0, 1.0});
  return rows;
}

}  // namespace torsor::command
