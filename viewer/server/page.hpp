#pragma once
/// The page of `torsor view`: its texts, where the viewer was built into the library.
#include <string_view>

namespace torsor::view {

/// The texts of the page; empty ones are answered with 404.
struct PageFiles {
  std::string_view html, script, style;
};

/// `script` is empty in a library without the viewer.
PageFiles page_files();

}  // namespace torsor::view
