#pragma once
/// Runs the built command as a user would and keeps its two outputs apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "house/process.hpp"
#include "support/json.hpp"

namespace torsor::testing {

struct CommandResult {
  int code = -1;
  std::string out, err;

  nlohmann::json json() const;
  bool says(const std::string& text) const { return out.find(text) != std::string::npos; }
  /// The same wherever lines are folded.
  bool tells(const std::string& words) const;
};

/// In `folder`, without a shell. Standard output goes to `output` where that is given.
CommandResult torsor_command(const std::vector<std::string>& arguments,
                             const std::filesystem::path& folder = ".",
                             const std::string& output = "");

/// Bad input: exit code 2, nothing on standard output, one line that begins "torsor: " and holds `text`.
void expect_refusal(const CommandResult& result, const std::string& text);

}  // namespace torsor::testing
