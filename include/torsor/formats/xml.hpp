#pragma once
/// XML in and out, with file, line and element in every message.
///
/// Reading stands on tinyxml2 after a look at the raw text that refuses what no robot file needs
/// and what parsers handle badly: document types and entities, deep nesting, elements with thousands of
/// attributes.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/formats/finding.hpp"
#include "torsor/math/vec3.hpp"

namespace tinyxml2 {
class XMLDocument;
class XMLElement;
}  // namespace tinyxml2

namespace torsor {

inline constexpr int xml_depth_limit = 64;
inline constexpr int xml_attribute_limit = 256;  // of one element
/// For formats whose bodies nest, as MJCF's do. The parser takes 100.
inline constexpr int xml_deep_limit = 98;

/// A borrowed element of an XmlDocument; false when there is none.
class XmlElement {
 public:
  XmlElement() = default;
  /// With `errors`, numbers that cannot be read are reported there and are NaN.
  XmlElement(const tinyxml2::XMLElement* element, const std::string* file,
             Findings* errors = nullptr)
      : element_(element), file_(file), errors_(errors) {}
  explicit operator bool() const { return element_ != nullptr; }
  /// The same without a list of errors: whatever cannot be read is thrown.
  XmlElement strict() const { return {element_, file_}; }
  /// What it stands on, for readers that need texts and comments among the elements.
  const tinyxml2::XMLElement* xml() const { return element_; }

  std::string name() const;
  /// The text directly inside, "" if none.
  std::string text() const;
  Origin origin() const;
  /// The element of the robot that this one belongs to, as in: joint "elbow". In a file that nests, the
  /// nearest one with a name.
  std::string label() const;
  /// Throws Error "file:line: label: message".
  [[noreturn]] void fail(const std::string& message) const;

  std::vector<XmlElement> children() const;
  std::vector<XmlElement> children(std::string_view name) const;
  /// None or one; a second one is an error.
  XmlElement child(const char* name) const;
  XmlElement required_child(const char* name) const;

  std::vector<std::string> attribute_names() const;
  std::optional<std::string> attribute(const char* name) const;
  std::string required(const char* name) const;

  double number(const char* name) const;
  double number(const char* name, double fallback) const;
  /// Exactly `count` numbers separated by blanks.
  std::vector<double> numbers(const char* name, std::size_t count) const;
  /// At least `least` and at most `most` numbers.
  std::vector<double> numbers(const char* name, std::size_t least, std::size_t most) const;
  Vec3<double> vec3(const char* name) const;
  Vec3<double> vec3(const char* name, const Vec3<double>& fallback) const;
  /// Numbers in the text of the element, as SDF writes them.
  std::vector<double> text_numbers(std::size_t count) const;

 private:
  std::vector<double> parsed_list(const char* name, const std::string& value, std::size_t least,
                                  std::size_t most) const;
  double parsed(const char* name, std::string_view word) const;
  /// fail(), or a report where errors are collected.
  void complain(const std::string& message) const;

  const tinyxml2::XMLElement* element_ = nullptr;
  const std::string* file_ = nullptr;
  Findings* errors_ = nullptr;
};

class XmlDocument {
 public:
  /// Throws Error for text that is not well-formed XML with one root element. `errors` as above.
  XmlDocument(const std::string& text, const std::string& file_name, Findings* errors = nullptr,
              int depth_limit = xml_depth_limit);
  ~XmlDocument();
  XmlDocument(const XmlDocument&) = delete;
  XmlDocument& operator=(const XmlDocument&) = delete;

  XmlElement root() const;
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  Findings* errors_;
  std::unique_ptr<tinyxml2::XMLDocument> document_;
};

/// The name of the root element, without a look at the rest; empty where there is none.
std::string_view xml_root_name(std::string_view text);

/// As the value of an attribute between quotes.
std::string xml_escaped(std::string_view value, char quote = '"');

/// Indented XML, one element a line.
class XmlWriter {
 public:
  XmlWriter();
  void open(std::string_view name);
  void close();
  /// Of the element opened last. Throws Error for characters that XML cannot hold and for numbers
  /// that are not finite.
  void attribute(std::string_view name, std::string_view value);
  void number(std::string_view name, double value);
  void numbers(std::string_view name, const std::vector<double>& values);
  void vec3(std::string_view name, const Vec3<double>& v) { numbers(name, {v.x, v.y, v.z}); }
  /// Between the tags of the element opened last, which has no other children.
  void content(std::string_view value);
  /// The text; every element must be closed.
  const std::string& text() const { return text_; }

 private:
  [[noreturn]] void fail(std::string_view name, const std::string& message) const;

  std::string text_, label_;
  std::vector<std::string> open_;
  bool in_tag_ = false, in_line_ = false;
};

}  // namespace torsor
