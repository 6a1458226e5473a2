#include "torsor/formats/internal/text_edit.hpp"

#include <algorithm>

namespace torsor::internal {

std::string edited(std::string_view text, std::vector<TextEdit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t at = 0;
  const TextEdit* last = nullptr;
  for (const TextEdit& edit : edits) {
    const bool again = last != nullptr && last->begin == edit.begin && last->end == edit.end &&
                       last->text == edit.text;
    if (again || edit.begin < at) continue;
    out.append(text.substr(at, edit.begin - at)).append(edit.text);
    at = edit.end;
    last = &edit;
  }
  return out.append(text.substr(at));
}

}  // namespace torsor::internal
