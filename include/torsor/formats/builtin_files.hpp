#pragma once
/// The text of every file in models/, compiled into the library (cmake/embed.cmake writes the
/// definition), so that built-in robots load without a data folder.
#include <span>
#include <string_view>

#include "torsor/math/language.hpp"

namespace torsor::builtin {

struct File {
  std::string_view name;  ///< File name with its extension, such as "puma560.yaml".
  std::string_view text;
};

/// Sorted by name; empty when the library was built without models.
std::span<const File> files();

}  // namespace torsor::builtin
