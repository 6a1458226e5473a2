#pragma once
/// Where the elements and attributes of an XML text stand, byte by byte, for changes in place.
///
/// tinyxml2 keeps line numbers and no offsets. This scanner walks the same text again, after
/// XmlDocument has accepted it, so that it meets well-formed XML only: it knows tags, attributes,
/// comments, CDATA and processing instructions, and looks at nothing else.
#include <map>
#include <memory>
#include <optional>

#include "torsor/formats/internal/text_edit.hpp"

namespace torsor::internal {

struct XmlTag {
  struct Attribute {
    std::string name;
    std::string_view value;  ///< as it is written, between the quotes
    char quote;
    std::size_t begin, end;  ///< with the blanks before the name, to the closing quote
    std::size_t value_begin, value_end;
  };

  std::string name;
  std::size_t begin = 0;      ///< the bracket that opens the start tag
  std::size_t insert_at = 0;  ///< behind the last attribute, or behind the name
  std::size_t open_end = 0;   ///< behind the bracket that closes the start tag
  std::size_t close = 0;      ///< the bracket of the end tag; 0 of an empty element
  std::vector<Attribute> attributes;
  std::vector<std::unique_ptr<XmlTag>> children;

  const Attribute* find(std::string_view attribute) const;
  /// The first child of that name; nullptr where there is none.
  const XmlTag* child(std::string_view tag) const;
};

/// The root element of a text that XmlDocument accepts; nullptr where the scanner finds none.
std::unique_ptr<XmlTag> scan_xml(std::string_view text);

/// Collects changes of attributes, and new elements.
class XmlEditor {
 public:
  /// Replaces the value, or adds the attribute behind the others.
  void set(const XmlTag& tag, std::string_view name, std::string_view value);
  void remove(const XmlTag& tag, std::string_view name);
  /// Exchanges two values as they are written.
  void exchange(const XmlTag& tag, std::string_view a, std::string_view b);

  /// A new last child, on lines of its own where the others are. Its lines are indented from there.
  void insert(const XmlTag& tag, std::string element);

  std::vector<TextEdit> edits;
  /// All edits, with the new elements; `text` is what was scanned.
  std::vector<TextEdit> take(std::string_view text);

 private:
  std::map<const XmlTag*, std::vector<std::string>> inserted_;
};

}  // namespace torsor::internal
