#include "json_input.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "torsor/formats/text.hpp"
#include "torsor/model/error.hpp"

namespace torsor::command {
namespace {

using Kind = JsonValue::Kind;
using Parser = nlohmann::json;

/// Builds the tree from the parser's events.
class TreeBuilder {
 public:
  TreeBuilder(const std::string& file, const TakeJson& take) : file_(file), take_(take) {}

  JsonValue root;

  bool null() { return add({}); }
  bool boolean(bool value) { return add({Kind::boolean, value ? 1.0 : 0.0, {}, {}, {}, {}}); }
  bool number_integer(Parser::number_integer_t value) { return number(static_cast<double>(value)); }
  bool number_unsigned(Parser::number_unsigned_t value) {
    return number(static_cast<double>(value));
  }
  bool number_float(Parser::number_float_t value, const std::string&) { return number(value); }
  bool string(std::string& value) {
    JsonValue text;
    text.kind = Kind::text;
    text.text = std::move(value);
    return add(std::move(text));
  }
  bool binary(Parser::binary_t&) { return true; }
  bool start_object(std::size_t) { return open(Kind::object); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Kind::list); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Open& here = open_.back();
    if (!here.seen.insert(name).second)
      throw Error(file_ + ": key " + in_quotes(name) + " stands twice in one object");
    here.value.keys.push_back(std::move(name));
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Parser::exception& error) {
    std::string why = error.what();  // "[json.exception.parse_error.101] parse error at line ..."
    why.erase(0, why.starts_with("[") ? std::min(why.find("] ") + 2, why.size()) : 0);
    throw Error(file_ + ": " + why);
  }

 private:
  struct Open {
    JsonValue value;
    std::set<std::string> seen;
    std::size_t count = 0;  // of a list
  };

  bool number(double value) {
    if (!open_.empty() && open_.back().value.is(Kind::list) && open_.back().value.items.empty()) {
      open_.back().value.numbers.push_back(value);
      ++open_.back().count;
      return true;
    }
    return add({Kind::number, value, {}, {}, {}, {}});
  }
  bool open(Kind kind) {
    if (static_cast<int>(open_.size()) >= json_depth_limit)
      throw Error(file_ + ": nested more than " + std::to_string(json_depth_limit) + " deep");
    open_.emplace_back();
    open_.back().value.kind = kind;
    return true;
  }
  bool close() {
    JsonValue done = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(JsonValue value) {
    if (open_.empty()) {
      root = std::move(value);
      return true;
    }
    Open& parent = open_.back();
    const bool in_list = parent.value.is(Kind::list);
    if (take_ && (value.is(Kind::object) || value.is(Kind::list))) {
      std::vector<std::string> path;
      for (const Open& o : open_)
        path.push_back(o.value.is(Kind::list) ? std::to_string(o.count) : o.value.keys.back());
      if (take_(path, value)) {
        value = {};
        if (in_list) return ++parent.count > 0;  // nothing is left of it
      }
    }
    ++parent.count;
    if (in_list && !parent.value.numbers.empty())
      for (const double x : std::exchange(parent.value.numbers, {}))
        parent.value.items.push_back({Kind::number, x, {}, {}, {}, {}});
    parent.value.items.push_back(std::move(value));
    return true;
  }

  const std::string& file_;
  const TakeJson& take_;
  std::vector<Open> open_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto at = std::find(keys.begin(), keys.end(), key);
  return at == keys.end() ? nullptr : items.data() + (at - keys.begin());
}

JsonValue read_json(const std::string& text, const std::string& file, const TakeJson& take) {
  TreeBuilder builder(file, take);
  Parser::sax_parse(text, &builder);
  return std::move(builder.root);
}

std::string shown(const JsonValue& value) {
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.number != 0 ? "true" : "false";
    case Kind::number:
      return format_number(value.number);
    case Kind::text:
      return in_quotes(value.text);
    case Kind::list:
      return "a list";
    case Kind::object:
      break;
  }
  return "an object";
}

}  // namespace torsor::command
