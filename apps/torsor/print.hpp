#pragma once
/// What a run says on standard output.
#include <string>

namespace torsor::command {

/// Prints what there is and empties it. False if the reader closed the pipe: it has what it wanted
/// (`torsor robots | head -1`). Throws Failure if the text cannot be written, as on a full disk.
bool print(std::string& out);

/// A line on standard error, beside the answer. It waits for print_remarks(): a run that is refused
/// exits with one line. The same line twice in a row is said once.
void remark(const std::string& line);
void print_remarks();

}  // namespace torsor::command
