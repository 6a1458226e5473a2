#include "torsor/formats/internal/xml_text.hpp"

#include <algorithm>

#include "torsor/formats/xml.hpp"

namespace torsor::internal {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::unique_ptr<XmlTag> run() {
    std::unique_ptr<XmlTag> root;
    std::vector<XmlTag*> open;
    while ((at_ = text_.find('<', at_)) != std::string_view::npos) {
      if (skipped("<!--", "-->") || skipped("<![CDATA[", "]]>") || skipped("<?", "?>")) continue;
      if (starts("</")) {
        if (!open.empty()) open.back()->close = at_;
        skip_past(">");
        if (!open.empty()) open.pop_back();
        continue;
      }
      auto tag = std::make_unique<XmlTag>();
      const bool empty = read(*tag);
      XmlTag* const here = tag.get();
      if (!open.empty())
        open.back()->children.push_back(std::move(tag));
      else if (root == nullptr)
        root = std::move(tag);
      else
        return root;
      if (!empty) open.push_back(here);
    }
    return root;
  }

 private:
  bool starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  void skip_past(std::string_view word) {
    at_ = text_.find(word, at_);
    at_ = at_ == std::string_view::npos ? text_.size() : at_ + word.size();
  }
  bool skipped(std::string_view begin, std::string_view end) {
    if (!starts(begin)) return false;
    skip_past(end);
    return true;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '>'; }
  std::string_view word(std::string_view ends) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && ends.find(text_[at_]) == ends.npos) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// The start tag at `<`; true for an empty element.
  bool read(XmlTag& tag) {
    tag.begin = at_++;
    tag.name = word("/>");
    for (;;) {
      const std::size_t begin = at_;
      tag.insert_at = begin;
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (peek() == '>' || peek() == '/') break;
      XmlTag::Attribute a{std::string(word("=/>")), {}, '"', begin, 0, 0, 0};
      while (is_blank(peek()) || peek() == '=') ++at_;
      const char quote = a.quote = peek();
      if (quote != '"' && quote != '\'') break;
      a.value_begin = ++at_;
      a.value_end = at_ = std::min(text_.find(quote, at_), text_.size());
      a.value = text_.substr(a.value_begin, a.value_end - a.value_begin);
      a.end = at_ = std::min(at_ + 1, text_.size());
      tag.attributes.push_back(std::move(a));
    }
    const bool empty = peek() == '/';
    skip_past(">");
    tag.open_end = at_;
    return empty;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const XmlTag::Attribute* XmlTag::find(std::string_view attribute) const {
  const auto at = std::find_if(attributes.begin(), attributes.end(),
                               [&](const Attribute& a) { return a.name == attribute; });
  return at == attributes.end() ? nullptr : &*at;
}
const XmlTag* XmlTag::child(std::string_view tag) const {
  const auto at =
      std::find_if(children.begin(), children.end(), [&](const auto& c) { return c->name == tag; });
  return at == children.end() ? nullptr : at->get();
}

std::unique_ptr<XmlTag> scan_xml(std::string_view text) { return Scanner(text).run(); }

void XmlEditor::set(const XmlTag& tag, std::string_view name, std::string_view value) {
  if (const XmlTag::Attribute* const a = tag.find(name))
    edits.push_back({a->value_begin, a->value_end, xml_escaped(value, a->quote)});
  else
    edits.push_back({tag.insert_at, tag.insert_at,
                     " " + std::string(name) + "=\"" + xml_escaped(value) + "\""});
}
void XmlEditor::remove(const XmlTag& tag, std::string_view name) {
  if (const XmlTag::Attribute* const a = tag.find(name)) edits.push_back({a->begin, a->end, ""});
}
void XmlEditor::exchange(const XmlTag& tag, std::string_view a, std::string_view b) {
  const XmlTag::Attribute *const first = tag.find(a), *const second = tag.find(b);
  if (first == nullptr || second == nullptr) return;
  edits.push_back({first->value_begin, first->value_end, std::string(second->value)});
  edits.push_back({second->value_begin, second->value_end, std::string(first->value)});
}

void XmlEditor::insert(const XmlTag& tag, std::string element) {
  inserted_[&tag].push_back(std::move(element));
}

namespace {

/// Blanks before `at`, where nothing else stands before it on its line; "?" otherwise.
std::string indent_before(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  const bool alone = begin == 0 || text[begin - 1] == '\n';
  return alone ? std::string(text.substr(begin, at - begin)) : "?";
}
std::string indented(const std::string& element, const std::string& indent) {
  std::string out = indent;
  for (const char c : element) out += c == '\n' ? "\n" + indent : std::string(1, c);
  return out + "\n";
}
std::string on_one_line(const std::string& element) {
  std::string out;
  for (std::size_t k = 0; k < element.size(); ++k) {
    if (element[k] != '\n') {
      out += element[k];
      continue;
    }
    while (k + 1 < element.size() && element[k + 1] == ' ') ++k;
  }
  return out;
}

}  // namespace

std::vector<TextEdit> XmlEditor::take(std::string_view text) {
  for (const auto& [tag, elements] : inserted_) {
    const std::string own = indent_before(text, tag->begin);
    std::string inner = tag->children.empty() ? "?" : indent_before(text, tag->children[0]->begin);
    if (inner == "?") inner = (own == "?" ? "" : own) + "  ";
    std::string lines, packed;
    for (const std::string& element : elements) {
      lines += indented(element, inner);
      packed += on_one_line(element);
    }
    if (tag->close == 0) {
      const std::size_t slash = tag->open_end - 2;
      edits.push_back({slash, tag->open_end,
                       own == "?" ? ">" + packed + "</" + tag->name + ">"
                                  : ">\n" + lines + own + "</" + tag->name + ">"});
    } else if (const std::string before = indent_before(text, tag->close); before != "?") {
      const std::size_t line = tag->close - before.size();
      edits.push_back({line, line, lines});
    } else {
      edits.push_back({tag->close, tag->close, packed});
    }
  }
  inserted_.clear();
  return std::move(edits);
}

}  // namespace torsor::internal
