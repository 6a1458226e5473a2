#include "json_output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "torsor/formats/text.hpp"

namespace torsor::command {

Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(Json other) noexcept {
  value_.swap(other.value_);
  return *this;
}
Json::~Json() = default;

Json::Json(const std::vector<double>& numbers) : value_(List(numbers.begin(), numbers.end())) {}
Json::Json(const std::vector<std::string>& texts) : value_(List(texts.begin(), texts.end())) {}
Json::Json(std::initializer_list<Json> members) {
  const auto is_member = [](const Json& pair) {
    const List* const two = std::get_if<List>(&pair.value_);
    return two != nullptr && two->size() == 2 &&
           std::holds_alternative<std::string>(two->front().value_);
  };
  if (!std::all_of(members.begin(), members.end(), is_member)) {
    value_ = List(members);
    return;
  }
  Object object;
  for (const Json& pair : members) {
    const List& two = std::get<List>(pair.value_);
    object.keys.push_back(std::get<std::string>(two[0].value_));
    object.values.push_back(two[1]);
  }
  value_ = std::move(object);
}
Json Json::array(std::initializer_list<Json> items) {
  Json list;
  list.value_ = List(items);
  return list;
}
Json Json::object() {
  Json object;
  object.value_ = Object();
  return object;
}

Json& Json::operator[](const std::string& key) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Object();
  auto& [keys, values] = std::get<Object>(value_);
  const auto known = std::find(keys.begin(), keys.end(), key);
  if (known != keys.end()) return *(values.begin() + (known - keys.begin()));
  keys.push_back(key);
  return values.emplace_back();
}
void Json::push_back(Json item) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = List();
  std::get<List>(value_).push_back(std::move(item));
}
Json& Json::back() { return std::get<List>(value_).back(); }
void Json::update(const Json& other) {
  const auto& [keys, values] = std::get<Object>(other.value_);
  for (std::size_t k = 0; k < keys.size(); ++k) (*this)[keys[k]] = values[k];
}

namespace {

/// In quotes, with escapes. Bytes that are not UTF-8 must not end the run.
std::string escaped(const std::string& text) {
  const std::string plain =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;  // control characters beyond those that JSON forbids
  for (std::size_t k = 0; k < plain.size(); ++k) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(plain[at]); };
    const bool latin = byte(k) == 0xc2 && byte(k + 1) < 0xa0;  // U+0080 to U+009F
    if (!latin && byte(k) != 0x7f) {
      out += plain[k];
      continue;
    }
    char code[8];
    std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(byte(latin ? ++k : k)));
    out += code;
  }
  return out;
}

std::string plain(std::nullptr_t) { return "null"; }
std::string plain(bool value) { return value ? "true" : "false"; }
std::string plain(std::int64_t value) { return std::to_string(value); }
std::string plain(std::uint64_t value) { return std::to_string(value); }
std::string plain(double value) {
  if (!std::isfinite(value)) return "null";
  if (value == 0) return "0.0";                   // not "-0.0"
  const std::string text = format_number(value);  // "1" is written 1.0: an integer is another type
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}
std::string plain(const std::string& value) { return escaped(value); }

}  // namespace

bool Json::is_structured() const {
  const List* const list = std::get_if<List>(&value_);
  const Object* const object = std::get_if<Object>(&value_);
  return (list != nullptr && !list->empty()) || (object != nullptr && !object->keys.empty());
}

bool Json::is_finite() const {
  const auto all = [](const List& list) {
    return std::all_of(list.begin(), list.end(), [](const Json& x) { return x.is_finite(); });
  };
  if (const double* const number = std::get_if<double>(&value_)) return std::isfinite(*number);
  if (const List* const list = std::get_if<List>(&value_)) return all(*list);
  const Object* const object = std::get_if<Object>(&value_);
  return object == nullptr || all(object->values);
}

std::string Json::key_not_finite() const {
  if (const Object* const object = std::get_if<Object>(&value_))
    for (std::size_t k = 0; k < object->keys.size(); ++k)
      if (!object->values[k].is_finite()) return object->keys[k];
  return {};
}

void Json::append(std::size_t indent, std::string& out) const {
  const auto new_line = [&](std::size_t blanks) { out.append("\n").append(blanks, ' '); };
  if (const List* const list = std::get_if<List>(&value_)) {
    const bool one_line =
        std::none_of(list->begin(), list->end(), [](const Json& x) { return x.is_structured(); });
    out += '[';
    for (const Json& item : *list) {
      if (&item != list->data()) out += one_line ? ", " : ",";
      if (!one_line) new_line(indent + 2);
      item.append(indent + 2, out);
    }
    if (!one_line) new_line(indent);
    out += ']';
  } else if (const Object* const object = std::get_if<Object>(&value_)) {
    out += '{';
    for (std::size_t k = 0; k < object->keys.size(); ++k) {
      if (k > 0) out += ',';
      new_line(indent + 2);
      out.append(escaped(object->keys[k])).append(": ");
      object->values[k].append(indent + 2, out);
    }
    if (is_structured()) new_line(indent);
    out += '}';
  } else {
    std::visit(
        [&](const auto& value) {
          if constexpr (requires { plain(value); }) out += plain(value);
        },
        value_);
  }
}

std::string json_text(const Json& value) {
  std::string out;
  value.append(0, out);
  return out + "\n";
}
JsonList::JsonList(const Json& object, const std::string& key) {
  Json whole = object;
  whole[key] = Json::array();
  head_ = json_text(whole);
  head_.resize(head_.rfind(']'));
}
void JsonList::add(const Json& item, std::string& out) {
  out += empty_ ? std::exchange(head_, {}) + "\n    " : ",\n    ";
  empty_ = false;
  item.append(4, out);
}
void JsonList::end(std::string& out) { out += empty_ ? head_ + "]\n}\n" : "\n  ]\n}\n"; }

void JsonMembers::begin(const std::string& key) {
  out_.append(empty_ ? "{\n  " : ",\n  ").append(escaped(key)).append(": ");
  empty_ = false;
}
void JsonMembers::member(const std::string& key, const Json& value) {
  if (!read_on_) return;
  begin(key);
  value.append(2, out_);
  read_on_ = pass_on_();
}
void JsonMembers::list(const std::string& key, int count, const std::function<Json(int)>& item) {
  if (!read_on_) return;
  begin(key);
  out_ += '[';
  bool one_line = true;
  for (int k = 0; k < count && read_on_; ++k) {
    const Json value = item(k);
    if (k == 0) one_line = !value.is_structured();
    if (k > 0) out_ += one_line ? ", " : ",";
    if (!one_line) out_ += "\n    ";
    value.append(4, out_);
    read_on_ = pass_on_();
  }
  out_ += one_line ? "]" : "\n  ]";
}
void JsonMembers::end() {
  if (read_on_) out_ += empty_ ? "{}\n" : "\n}\n";
}

Json json_vector(const Vec3<double>& v) { return std::vector<double>{v.x, v.y, v.z}; }
Json json_pose(const SE3<double>& T) {
  Json rows;
  for (int r = 0; r < 3; ++r)
    rows.push_back(std::vector<double>{T.R(r, 0), T.R(r, 1), T.R(r, 2), T.p[r]});
  rows.push_back(std::vector<double>{0.0, 0.0, 0.0, 1.0});
  return rows;
}

}  // namespace torsor::command
