#pragma once
/// Error, and where an element of a model came from.
#include <string>

#include "torsor/math/error.hpp"

namespace torsor {

/// Empty for models built in code.
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
