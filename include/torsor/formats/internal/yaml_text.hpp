#pragma once
/// Changes of a YAML text in place: values that are set, keys that are inserted; all else stays byte for
/// byte. Private to the formats.
#include <map>
#include <optional>

#include "torsor/formats/internal/text_edit.hpp"
#include "torsor/formats/internal/yaml_tree.hpp"

namespace torsor::internal {

class YamlText {
 public:
  /// `text` and the nodes of its tree outlive this.
  explicit YamlText(const std::string& text) : text_(text) {}

  struct Range {
    std::size_t begin = 0, end = 0;
  };
  /// Of a plain or quoted scalar on one line, or of a collection in brackets; none of one that is
  /// written in another way.
  std::optional<Range> range(const YamlNode& node) const;
  std::optional<Range> range(std::size_t at, const std::string& value) const;
  std::string written(const Range& r) const { return text_.substr(r.begin, r.end - r.begin); }

  /// Nothing where the text says the same number, where it stands cannot be told, or for NaN.
  void set(const YamlNode& scalar, double value);
  void replace(const YamlNode& node, const std::string& value);
  /// "key: value" behind the value `behind`, or else behind the last key of the map whose value stands on
  /// its line.
  void insert(const YamlNode& map, const std::string& field, const YamlNode* behind = nullptr);
  void add(TextEdit edit) { edits_.push_back(std::move(edit)); }

  std::vector<TextEdit> take();

 private:
  std::size_t behind_anchor(std::size_t at) const;
  std::size_t end_of_brackets(std::size_t at) const;
  void put(const YamlNode& map, const YamlNode* behind, const std::vector<std::string>& fields);

  const std::string& text_;
  std::vector<TextEdit> edits_;
  std::map<std::pair<const YamlNode*, const YamlNode*>, std::vector<std::string>> inserted_;
};

}  // namespace torsor::internal
