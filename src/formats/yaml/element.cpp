#include <algorithm>
#include <limits>
#include <optional>

#include "torsor/formats/internal/yaml_tree.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal {

using Kind = YamlNode::Kind;

YamlElement::YamlElement(const YamlNode& node, const std::string& file, std::string name,
                         Findings* errors)
    : node_(&node), file_(&file), name_(std::move(name)), errors_(errors) {}

void YamlElement::fail(const std::string& what) const {
  throw FileError({one_line(*file_), node_->line}, name_, what);
}
void YamlElement::complain(const std::string& what) const {
  attempt([&] { fail(what); });
}

void YamlElement::allow_keys(const std::vector<std::string_view>& known) const {
  if (!is_map()) fail("must be a map of keys and values");
  for (std::size_t k = 0; k < node_->keys.size(); ++k) {
    const std::string& key = node_->keys[k];
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string advice = did_you_mean(key, {known.begin(), known.end()});
    if (advice.empty())
      for (const std::string_view word : known)
        (advice += advice.empty() ? "; known are " : ", ") += word;
    attempt([&] {
      throw FileError({one_line(*file_), node_->key_lines[k]}, name_,
                      "unknown key " + in_quotes(key) + advice);
    });
  }
}

YamlElement YamlElement::at(std::string_view key) const {
  if (!is_map()) fail("must be a map of keys and values");
  const YamlNode* found = node_->find(key);
  if (found == nullptr) fail(in_quotes(key) + " is missing");
  return {*found, *file_, (name_.empty() ? "" : name_ + ": ") + std::string(key), errors_};
}

std::vector<YamlElement> YamlElement::items(const std::string& kind) const {
  if (!is_sequence()) fail("must be a list");
  std::vector<YamlElement> result;
  for (const YamlNode& item : node_->items) {
    const YamlNode* named = item.find("name");
    const bool has_name = named != nullptr && named->kind == Kind::scalar && !named->text.empty();
    result.emplace_back(
        item, *file_,
        kind + " " + (has_name ? in_quotes(named->text) : std::to_string(result.size() + 1)),
        errors_);
  }
  return result;
}

std::vector<YamlElement> YamlElement::entries() const {
  if (!is_map()) fail("must be a map of keys and values");
  std::vector<YamlElement> result;
  for (std::size_t k = 0; k < node_->items.size(); ++k)
    result.emplace_back(node_->items[k], *file_, name_ + ": " + one_line(node_->keys[k]), errors_);
  return result;
}

std::string YamlElement::text() const {
  if (node_->kind == Kind::null) fail("has no value");
  if (node_->kind != Kind::scalar) fail("must be text");
  return node_->text;
}

bool YamlElement::boolean() const {
  const std::string value = text();
  if (value == "true") return true;
  if (value == "false") return false;
  fail(in_quotes(value) + " is neither true nor false");
}

double YamlElement::number() const {
  std::string why = node_->kind == Kind::null ? "has no value" : "must be a number";
  if (node_->kind == Kind::scalar)
    if (const std::optional<double> value = parse_number(node_->text, &why)) return *value;
  complain(why);
  return std::numeric_limits<double>::quiet_NaN();
}

Array<double> YamlElement::numbers() const {
  Array<double> result;
  if (!is_sequence()) fail("must be a list of numbers");
  for (const YamlNode& item : node_->items)
    result.push_back(YamlElement(item, *file_, name_, errors_).number());
  return result;
}

Array<double> YamlElement::numbers(int expected) const {
  if (is_sequence() && static_cast<int>(node_->items.size()) == expected) return numbers();
  complain(is_sequence() ? "has " + std::to_string(node_->items.size()) + " numbers instead of " +
                               std::to_string(expected)
                         : "must be a list of numbers");
  return Array<double>(expected, std::numeric_limits<double>::quiet_NaN());
}

Vec3<double> YamlElement::vec3() const {
  const Array<double> v = numbers(3);
  return {v[0], v[1], v[2]};
}

}  // namespace torsor::internal
