#pragma once
/// Text for programs: JSON with numbers that read back as the same doubles.
#include <nlohmann/json.hpp>
#include <string>

#include "torsor/math/se3.hpp"

namespace torsor::command {

/// Keys stay in the order they are written.
using Json = nlohmann::ordered_json;

/// Indented; lists of plain values stay on one line. Ends with a newline.
std::string json_text(const Json& value);

/// null for what is not finite: JSON has no infinity.
Json json_number(double value);
Json json_vector(const Vec3<double>& v);
/// 4x4, by rows.
Json json_pose(const SE3<double>& T);

}  // namespace torsor::command
