// xacro.load_yaml(): YAML 1.1 as PyYAML's safe loader reads it, and numbers with units.
#include <algorithm>
#include <limits>
#include <numbers>
#include <set>

#include "torsor/formats/internal/regular_file.hpp"
#include "torsor/formats/internal/yaml_tree.hpp"
#include "torsor/formats/text.hpp"
#include "xacro/expander.hpp"

namespace torsor::internal::xacro {
namespace {

bool is_one_of(const std::string& text, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// A plain scalar. A float has a point, and a sign in its exponent: 1e-3 is a text.
Value plain_scalar(const std::string& text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return {};
  if (is_one_of(text, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}))
    return Value(true);
  if (is_one_of(text, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}))
    return Value(false);
  if (is_one_of(text, {".nan", ".NaN", ".NAN"}))
    return Value(std::numeric_limits<double>::quiet_NaN());
  std::string word = text;
  std::erase(word, '_');
  const std::size_t sign = !word.empty() && (word[0] == '-' || word[0] == '+') ? 1 : 0;
  const std::string body = word.substr(sign);
  if (is_one_of(body, {".inf", ".Inf", ".INF"}))
    return Value((word[0] == '-' ? -1 : 1) * std::numeric_limits<double>::infinity());
  if (body.empty() || !((body[0] >= '0' && body[0] <= '9') || body[0] == '.')) return Value(text);
  const auto digits = [](const std::string& s) {
    return !s.empty() && s.find_first_not_of("0123456789") == s.npos;
  };
  std::int64_t whole = 0;
  if (digits(body)) {
    if (body.size() > 1 && body[0] == '0') {  // octal, as YAML 1.1 has it
      if (body.size() > 21 || body.find_first_of("89") != body.npos) return Value(text);
      for (const char c : body) whole = whole * 8 + (c - '0');
      return Value(word[0] == '-' ? -whole : whole);
    }
    return parse_int(word, whole) ? Value(whole) : Value(text);
  }
  const std::size_t point = body.find('.'), e = body.find_first_of("eE");
  if (point == body.npos || (e != body.npos && (e + 2 >= body.size() || e < point ||
                                                (body[e + 1] != '-' && body[e + 1] != '+') ||
                                                !digits(body.substr(e + 2)))))
    return Value(text);
  double real = 0;
  return parse_float(word, real) ? Value(real) : Value(text);
}

/// What a number with a unit is multiplied by; 0 for an unknown tag.
double unit_of(const std::string& tag) {
  constexpr std::pair<const char*, double> units[] = {
      {"!radians", 1},   {"!degrees", std::numbers::pi / 180},
      {"!meters", 1},    {"!millimeters", 0.001},
      {"!foot", 0.3048}, {"!inches", 0.0254}};
  for (const auto& [name, unit] : units)
    if (tag == name) return unit;
  return 0;
}

/// The maps that << merges, the first one last: its keys count.
std::vector<const YamlNode*> merged_maps(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::map) return {&node};
  std::vector<const YamlNode*> maps;
  for (auto at = node.items.rbegin(); at != node.items.rend(); ++at)
    if (at->kind == YamlNode::Kind::map) maps.push_back(&*at);
  return maps;
}

/// `repeated` receives the line of a key that is there twice: the last one counts.
template <class Scalar>
Value value_of(const YamlNode& node, const Scalar& scalar, std::vector<int>& repeated) {
  if (node.kind == YamlNode::Kind::null) return {};
  if (node.kind == YamlNode::Kind::scalar) return scalar(node);
  if (node.kind == YamlNode::Kind::sequence) {
    std::vector<Value> items;
    for (const YamlNode& item : node.items) items.push_back(value_of(item, scalar, repeated));
    return Value::list(std::move(items));
  }
  Dict dict;
  dict.dotted = true;
  const auto add = [&](const YamlNode& map, bool own) {
    std::set<std::string> seen;
    for (std::size_t k = 0; k < map.keys.size(); ++k) {
      if (map.keys[k] == "<<") continue;
      if (own && !seen.insert(map.keys[k]).second) repeated.push_back(map.key_lines[k]);
      const Value key = plain_scalar(map.keys[k]);
      dict.set(key.is_int() && !key.is_bool() ? key : Value(map.keys[k]),
               value_of(map.items[k], scalar, repeated));
    }
  };
  if (const YamlNode* merge = node.find("<<"))
    for (const YamlNode* map : merged_maps(*merge)) add(*map, false);
  add(node, true);
  return Value::dict(std::move(dict));
}

}  // namespace

Value Expander::load_yaml(const std::string& given) {
  const std::string path = path_from_here(given);
  try {
    const std::string text = read_regular_file(path);
    budget_.spend(1 + text.size() / 8);
    const YamlNode root = parse_yaml(text, path, true);
    std::vector<int> repeated;
    const auto scalar = [&](const YamlNode& node) -> Value {
      if (node.tag == "!" || node.tag == "tag:yaml.org,2002:str") return Value(node.text);
      if (node.tag.empty() || node.tag == "?") return plain_scalar(node.text);
      const double unit = unit_of(node.tag);
      const auto where = [&] { return one_line(path) + ":" + std::to_string(node.line) + ": "; };
      if (unit == 0) throw Refusal(where() + "unknown tag " + in_quotes(node.tag));
      Table nothing;
      const Value value = expression(node.text, nothing);
      if (!value.is_number()) throw Refusal(where() + in_quotes(node.text) + " is no number");
      return Value(value.number() * unit);
    };
    Value value = value_of(root, scalar, repeated);
    if (!repeated.empty())
      say(Finding::Severity::warning, path + ":" + std::to_string(repeated.front()) +
                                          ": a key is there twice; the last one counts");
    return value;
  } catch (const Error& refused) {
    throw Refusal(std::string("load_yaml(): ") + refused.what());
  }
}

}  // namespace torsor::internal::xacro
