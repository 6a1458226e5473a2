#pragma once
/// The scripts and styles of the viewer (viewer/), compiled into the library where they were built
/// (TORSOR_BUILD_VIEWER).
#include <span>

#include "torsor/formats/builtin_files.hpp"

namespace torsor::internal {

/// "page.css", "page.js", ...; empty when the library was built without the viewer.
std::span<const builtin::File> viewer_files();
/// The text of one of them, "" where there is none of that name.
std::string_view viewer_file(std::string_view name);

}  // namespace torsor::internal
