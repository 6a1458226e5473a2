#include "torsor/formats/internal/yaml_text.hpp"

#include <cmath>

#include "torsor/formats/text.hpp"

namespace torsor::internal {
namespace {

using Kind = YamlNode::Kind;

bool is_yaml_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

std::size_t YamlText::behind_anchor(std::size_t at) const {
  if (at >= text_.size() || text_[at] != '&') return at;
  while (at < text_.size() && !is_yaml_blank(text_[at])) ++at;
  while (at < text_.size() && is_yaml_blank(text_[at])) ++at;
  return at;
}

std::optional<YamlText::Range> YamlText::range(std::size_t at, const std::string& value) const {
  at = behind_anchor(at);
  if (at >= text_.size()) return std::nullopt;
  const char quote = text_[at];
  if (quote != '"' && quote != '\'')
    return text_.compare(at, value.size(), value) == 0
               ? std::optional<Range>({at, at + value.size()})
               : std::nullopt;
  for (std::size_t k = at + 1; k < text_.size(); ++k) {
    if (quote == '"' && text_[k] == '\\') {
      ++k;
    } else if (text_[k] == quote) {
      if (quote == '"' || k + 1 >= text_.size() || text_[k + 1] != quote) return Range{at, k + 1};
      ++k;
    }
  }
  return std::nullopt;
}

/// Behind the bracket that closes the one at `at`; npos where none does. Quotes and comments may hold
/// brackets of their own.
std::size_t YamlText::end_of_brackets(std::size_t at) const {
  int depth = 0;
  for (std::size_t k = at; k < text_.size(); ++k) {
    const char c = text_[k], before = k == 0 ? ' ' : text_[k - 1];
    const bool starts = is_yaml_blank(before) || before == ',' || before == '[' || before == '{';
    if (c == '#' && is_yaml_blank(before)) {
      while (k + 1 < text_.size() && text_[k + 1] != '\n') ++k;
    } else if ((c == '"' || c == '\'') && starts) {
      for (++k; k < text_.size() && text_[k] != c; ++k)
        if (c == '"' && text_[k] == '\\') ++k;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return k + 1;
    }
  }
  return std::string::npos;
}

std::optional<YamlText::Range> YamlText::range(const YamlNode& node) const {
  if (node.kind == Kind::scalar) return range(node.begin, node.text);
  if (!node.flow) return std::nullopt;
  const std::size_t begin = behind_anchor(node.begin);
  if (begin >= text_.size() || (text_[begin] != '[' && text_[begin] != '{')) return std::nullopt;
  const std::size_t end = end_of_brackets(begin);
  return end == std::string::npos ? std::nullopt : std::optional<Range>({begin, end});
}

void YamlText::set(const YamlNode& scalar, double value) {
  if (std::isnan(value)) return;  // what was no number stays for its owner to see
  if (const std::optional<double> now = parse_number(scalar.text); now && *now == value) return;
  if (scalar.kind == Kind::scalar) replace(scalar, format_number(value));
}
void YamlText::replace(const YamlNode& node, const std::string& value) {
  if (const auto at = range(node)) edits_.push_back({at->begin, at->end, value});
}
void YamlText::insert(const YamlNode& map, const std::string& field, const YamlNode* behind) {
  inserted_[{&map, behind}].push_back(field);
}

void YamlText::put(const YamlNode& map, const YamlNode* behind,
                   const std::vector<std::string>& fields) {
  std::optional<Range> last = behind == nullptr ? std::nullopt : range(*behind);
  for (const YamlNode& item : map.items)
    if (item.kind == Kind::scalar && behind == nullptr)
      if (const auto at = range(item); at && (!last || at->begin > last->begin)) last = at;
  std::string joined;
  if (map.flow) {
    for (const std::string& field : fields) joined += (joined.empty() ? "" : ", ") + field;
    if (last)
      add({last->end, last->end, ", " + joined});
    else if (!map.keys.empty())
      add({map.key_begins[0], map.key_begins[0], joined + ", "});
    else if (const auto all = range(map))
      add({all->begin + 1, all->begin + 1, joined});
    return;
  }
  if (map.keys.empty()) return;
  const std::size_t first = map.key_begins[0];
  const std::size_t line = first == 0 ? 0 : text_.rfind('\n', first - 1) + 1;
  const std::string indent(first - (line == std::string::npos + 1 ? 0 : line), ' ');
  if (!last) {
    for (const std::string& field : fields) joined += field + "\n" + indent;
    add({first, first, joined});
    return;
  }
  std::size_t end = std::min(text_.find('\n', last->end), text_.size());
  const bool windows = end > 0 && end < text_.size() && text_[end - 1] == '\r';
  if (windows) --end;
  for (const std::string& field : fields) joined += (windows ? "\r\n" : "\n") + indent + field;
  add({end, end, joined});
}

std::vector<TextEdit> YamlText::take() {
  for (const auto& [at, fields] : inserted_) put(*at.first, at.second, fields);
  inserted_.clear();
  return std::move(edits_);
}

}  // namespace torsor::internal
