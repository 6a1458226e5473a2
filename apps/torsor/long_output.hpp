#pragma once
/// Answers of any length, passed on as they come.
///
/// A short answer waits for the end of the run, so that a run that is refused prints nothing but its
/// line. Of a long one the pieces before the refusal have been printed; a file is whole or not there.
#include <optional>
#include <string>

#include "torsor/formats/internal/output_file.hpp"

namespace torsor::command {

class LongOutput {
 public:
  /// To a file, or to standard output where `path` is empty.
  explicit LongOutput(const std::string& path);

  std::string text;  ///< what comes next is appended here
  /// Passes the text on where there is enough of it. False if the reader closed the pipe.
  bool pass_on();
  /// The rest: the file takes its name; what is for standard output goes to `out`.
  void finish(std::string& out);

 private:
  std::optional<torsor::internal::OutputFile> file_;
  bool begun_ = false;  // the answer is a long one
};

}  // namespace torsor::command
