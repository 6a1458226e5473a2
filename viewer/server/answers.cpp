#include "server/answers.hpp"

#include <nlohmann/json.hpp>

namespace torsor::view {

std::string complaint(std::string_view why) {
  std::string line(why);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return nlohmann::json{{"error", line}}.dump(-1, ' ', false,
                                              nlohmann::json::error_handler_t::replace);
}

}  // namespace torsor::view
