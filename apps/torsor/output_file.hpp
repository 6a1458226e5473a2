#pragma once
/// Files that the command writes: tried before the work, never over something by accident, never half.
#include <string>
#include <vector>

namespace torsor::command {

/// Throws Error where `path` cannot become a file: it exists and `force` is not given, it is a
/// folder, or its folder does not exist. Failure where it may not be written.
void refuse_to_overwrite(const std::string& path, bool force);
/// A name that a scenario gives, not the user: an absolute path, or one that leaves the current
/// folder, is an Error without `force`.
void refuse_to_leave_folder(const std::string& path, const std::string& scenario, bool force);
/// In one step; a full or write-protected disk is a WriteError.
void write_file(const std::string& path, const std::string& text);
/// An answer: to standard output where there is no `path`, else to that file, which is told on
/// standard error.
void give(const std::string& path, const std::string& text, std::string& out);
/// "wrote run.csv, page.html" as a line below a blank one; empty names and lists say nothing.
std::string wrote(const std::vector<std::string>& files);
/// Whether both names lead to one existing file.
bool is_same_file(const std::string& a, const std::string& b);

}  // namespace torsor::command
