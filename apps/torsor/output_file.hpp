#pragma once
/// Files that the command writes: never over something by accident, never half.
#include <string>

namespace torsor::command {

/// Throws Error if `path` exists and `force` is not given.
void refuse_to_overwrite(const std::string& path, bool force);
/// In one step; a full or write-protected disk is a Failure.
void write_file(const std::string& path, const std::string& text);
/// Whether both names lead to one existing file.
bool is_same_file(const std::string& a, const std::string& b);

}  // namespace torsor::command
