#pragma once
/// YAML text as a tree of scalars with line numbers, and a cursor over it whose messages name file,
/// line and element. Private to the readers of this room.
///
/// yaml-cpp scans and parses; its own node type is not used, because it keeps duplicate keys
/// silently, shares aliased nodes without bound and turns scalars into values before anyone can be
/// strict about them.
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/formats/internal/file_error.hpp"
#include "torsor/math/array.hpp"
#include "torsor/math/se3.hpp"

namespace torsor::internal {

struct YamlNode {
  enum class Kind : unsigned char { null, scalar, sequence, map };

  Kind kind = Kind::null;
  bool flow = false;  ///< written in brackets
  int line = 1;
  std::size_t begin = 0;  ///< byte of the text; an alias has that of what it repeats
  std::string text;       ///< of a scalar, unquoted
  std::string tag;        ///< where tags are kept: "?" of a plain scalar, "!" of a quoted one
  std::vector<std::string> keys;  ///< of a map, beside `items`
  std::vector<int> key_lines;
  std::vector<std::size_t> key_begins;
  std::vector<YamlNode> items;  ///< of a sequence or a map, in the order of the file

  const YamlNode* find(std::string_view key) const;
};

/// Limits that protect the reader: nesting, the number of values, and the memory that aliases may
/// take by repeating what they name.
inline constexpr int yaml_depth_limit = 32;
inline constexpr std::size_t yaml_node_limit = 1'000'000;
inline constexpr std::size_t yaml_alias_limit = std::size_t{2} << 20;  // bytes

/// Where `text` stops being UTF-8; its size if it does not.
std::size_t first_not_utf8(std::string_view text);

/// The one document in `text`. Throws Error for text that is not UTF-8 or not YAML, more than one document,
/// duplicate keys and tags unless they are kept, keys that are not plain names, and the limits above.
YamlNode parse_yaml(std::string_view text, const std::string& file, bool keep_tags = false);

/// A node and what to call it in messages: "file:line: joint "elbow": limits: lower: ...".
class YamlElement {
 public:
  /// With `errors`, numbers and keys that cannot be read are reported there and reading goes on: a
  /// number is NaN then.
  YamlElement(const YamlNode& node, const std::string& file, std::string name,
              Findings* errors = nullptr);

  const YamlNode& node() const { return *node_; }
  const std::string& name() const { return name_; }
  Origin origin() const { return {*file_, node_->line}; }
  [[noreturn]] void fail(const std::string& what) const;
  /// fail(), or a report where errors are collected.
  void complain(const std::string& what) const;
  /// Reads one part; see internal::attempt.
  template <class Part>
  void attempt(Part part) const {
    internal::attempt(errors_, part);
  }
  bool reads_on() const { return errors_ != nullptr; }

  bool is_map() const { return node_->kind == YamlNode::Kind::map; }
  bool is_sequence() const { return node_->kind == YamlNode::Kind::sequence; }

  /// Refuses anything but a map with these keys, naming the nearest known one.
  void allow_keys(std::initializer_list<std::string_view> known) const {
    allow_keys(std::vector<std::string_view>(known));
  }
  void allow_keys(const std::vector<std::string_view>& known) const;
  bool has(std::string_view key) const { return node_->find(key) != nullptr; }
  /// The value under a key that must be there.
  YamlElement at(std::string_view key) const;
  /// The members of a sequence; a member that is a map with a `name` is called `kind "name"`, any
  /// other by its number, counted from 1.
  std::vector<YamlElement> items(const std::string& kind) const;
  std::vector<YamlElement> items() const { return items(name_); }

  /// The values of a map, under the names of their keys.
  std::vector<YamlElement> entries() const;

  std::string text() const;
  bool boolean() const;
  double number() const;
  Array<double> numbers() const;
  Array<double> numbers(int count) const;
  Vec3<double> vec3() const;

 private:
  const YamlNode* node_;
  const std::string* file_;
  std::string name_;
  Findings* errors_;
};

}  // namespace torsor::internal
