#pragma once
/// Tables of expected numbers, as data files under tests/data.
#include <fstream>
#include <string>

#include "support/json.hpp"

namespace torsor::testing {

/// The content of tests/data/`name`. A missing or malformed file throws.
inline nlohmann::json golden_file(const std::string& name) {
  std::ifstream in(std::string(TORSOR_SOURCE_DIR) + "/tests/data/" + name);
  return nlohmann::json::parse(in);
}

}  // namespace torsor::testing
