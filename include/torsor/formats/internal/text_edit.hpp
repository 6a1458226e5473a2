#pragma once
/// Changes of a text that leave everything else as it is. Private to the formats.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::internal {

/// What stands in [begin, end) becomes `text`.
struct TextEdit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// The text with all edits. Edits that are there twice count once; of two that overlap, the one that
/// begins first is made.
std::string edited(std::string_view text, std::vector<TextEdit> edits);

}  // namespace torsor::internal
