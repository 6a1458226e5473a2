#pragma once
/// The one exception of the library: something that the caller could have known is wrong.
///
/// The message is one line that names the value, the joint or link and, where a file is involved,
/// "file:line: ". Results that only the computation can tell are result structs, not exceptions.
#include <stdexcept>
#include <string>

namespace torsor {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where an element of a model came from; empty for models built in code.
struct Origin {
  std::string file;
  int line = 0;

  /// "file:line: ", or nothing.
  std::string prefix() const {
    if (file.empty()) return {};
    return line > 0 ? file + ":" + std::to_string(line) + ": " : file + ": ";
  }
};

}  // namespace torsor
