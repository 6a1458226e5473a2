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
    ++at_;
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

}  // namespace torsor::internal
