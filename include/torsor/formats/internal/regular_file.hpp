#pragma once
/// The text of a file that must be one: a robot, or what another file names.
///
/// A pipe or a device that a robot file names would be waited for, or never end.
#include <filesystem>
#include <string>

#include "torsor/formats/text.hpp"

namespace torsor::internal {

/// Like read_text_file; throws Error for what is neither a regular file nor a link to one.
inline std::string read_regular_file(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (exists(status) && !is_regular_file(status) && !is_directory(status))
    throw Error(one_line(path) + ": is a pipe or a device, not a file");
  return read_text_file(path);
}

}  // namespace torsor::internal
