#include "xacro/value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace torsor::internal::xacro {
namespace {

void append(std::string& out, const std::string& more, Budget& budget) {
  budget.spend_text(out.size() + more.size() > text_limit ? text_limit + 1 : more.size());
  out += more;
}

std::string quoted(const std::string& text) {
  const char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
  return out + quote;
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* blanks = " \t\n\r\f\v";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace

const Value* Dict::find(const Value& key) const {
  const auto found = places.find(key_text(key));
  return found == places.end() ? nullptr : &items[found->second].second;
}
void Dict::set(const Value& key, Value value) {
  const auto [at, fresh] = places.emplace(key_text(key), items.size());
  depth = std::max(depth, 1 + value.depth());
  if (fresh)
    items.emplace_back(key, std::move(value));
  else
    items[at->second].second = std::move(value);
}

Value Value::list(std::vector<Value> items, bool is_tuple) {
  if (items.size() > list_limit)
    throw Refusal("a list of more than " + std::to_string(list_limit) + " items");
  int depth = 1;
  for (const Value& item : items) depth = std::max(depth, 1 + item.depth());
  if (depth > value_depth_limit)
    throw Refusal("lists inside each other more than " + std::to_string(value_depth_limit) +
                  " times");
  Value value;
  value.data_ = std::make_shared<const List>(List{std::move(items), is_tuple, depth});
  return value;
}
Value Value::dict(Dict items) {
  if (items.items.size() > list_limit)
    throw Refusal("a dictionary of more than " + std::to_string(list_limit) + " items");
  if (items.depth > value_depth_limit)
    throw Refusal("dictionaries inside each other more than " + std::to_string(value_depth_limit) +
                  " times");
  Value value;
  value.data_ = std::make_shared<const Dict>(std::move(items));
  return value;
}

Value Value::set(const std::vector<Value>& items) {
  Dict keys;
  keys.is_set = true;
  for (const Value& item : items) keys.set(item, Value());
  return dict(std::move(keys));
}

double Value::number() const {
  return is_float() ? std::get<double>(data_) : static_cast<double>(integer());
}
std::int64_t Value::integer() const {
  return is_bool() ? std::int64_t{std::get<bool>(data_)} : std::get<std::int64_t>(data_);
}
bool Value::truth() const {
  if (is_none()) return false;
  if (is_number()) return number() != 0;
  if (const std::string* s = text()) return !s->empty();
  if (const List* l = list()) return !l->items.empty();
  if (const Dict* d = dict()) return !d->items.empty();
  return true;
}
int Value::depth() const {
  if (const List* l = list()) return l->depth;
  if (const Dict* d = dict()) return d->depth;
  return 0;
}
const char* Value::type_name() const {
  if (is_none()) return "None";
  if (is_bool()) return "bool";
  if (is_int()) return "int";
  if (is_float()) return "float";
  if (text() != nullptr) return "str";
  if (const List* l = list()) return l->is_tuple ? "tuple" : "list";
  if (dict() != nullptr) return dict()->is_set ? "set" : "dict";
  return callable() != nullptr ? "function" : "namespace";
}

std::string float_text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  // The shortest digits, laid out as Python does: an exponent below 1e-4 and from 1e16 on.
  char buffer[40];
  char* const end =
      std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific).ptr;
  const std::string all(buffer, end);
  const std::size_t e = all.find('e');
  const int exponent = std::stoi(all.substr(e + 1));
  if (exponent < -4 || exponent >= 16) return all;
  char* const fixed =
      std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::fixed).ptr;
  std::string out(buffer, fixed);
  if (out.find('.') == out.npos) out += ".0";
  return out;
}

std::string repr_of(const Value& value, Budget& budget) {
  if (const std::string* s = value.text()) return quoted(*s);
  if (const List* l = value.list()) {
    std::string out = l->is_tuple ? "(" : "[";
    for (std::size_t k = 0; k < l->items.size(); ++k) {
      if (k > 0) out += ", ";
      append(out, repr_of(l->items[k], budget), budget);
    }
    if (l->is_tuple && l->items.size() == 1) out += ',';
    return out + (l->is_tuple ? ")" : "]");
  }
  if (const Dict* d = value.dict()) {
    if (d->is_set && d->items.empty()) return "set()";
    std::string out = "{";
    for (const auto& [key, item] : d->items) {
      if (out.size() > 1) out += ", ";
      append(out, repr_of(key, budget) + (d->is_set ? "" : ": " + repr_of(item, budget)), budget);
    }
    return out + "}";
  }
  return text_of(value, budget);
}
std::string text_of(const Value& value, Budget& budget) {
  budget.spend();
  if (const std::string* s = value.text()) return *s;
  if (value.is_none()) return "None";
  if (value.is_bool()) return value.truth() ? "True" : "False";
  if (value.is_int()) return std::to_string(value.integer());
  if (value.is_float()) return float_text(value.number());
  if (value.list() != nullptr || value.dict() != nullptr) return repr_of(value, budget);
  if (value.callable() != nullptr) return "<function " + value.callable()->name + ">";
  return "<namespace>";
}

std::string key_text(const Value& key) {
  if (const std::string* s = key.text()) return "s" + *s;
  if (key.is_number()) return "n" + float_text(key.number());
  if (key.is_none()) return "0";
  if (const List* l = key.list(); l != nullptr && l->is_tuple) {
    std::string all = "t";
    for (const Value& item : l->items) {
      const std::string one = key_text(item);
      all += std::to_string(one.size()) + ":" + one;
      if (all.size() > text_limit) throw Refusal("a key of more than a mebibyte");
    }
    return all;
  }
  throw Refusal(std::string("a ") + key.type_name() +
                " cannot be a key of a dictionary or in a set");
}

bool equal(const Value& a, const Value& b, Budget& budget) {
  budget.spend();
  if (a.is_number() && b.is_number())
    return a.is_int() && b.is_int() ? a.integer() == b.integer() : a.number() == b.number();
  if (a.text() != nullptr && b.text() != nullptr) return *a.text() == *b.text();
  if (const List* x = a.list(), *y = b.list(); x != nullptr && y != nullptr)
    return x->is_tuple == y->is_tuple &&
           std::equal(x->items.begin(), x->items.end(), y->items.begin(), y->items.end(),
                      [&](const Value& u, const Value& v) { return equal(u, v, budget); });
  if (const Dict* x = a.dict(), *y = b.dict(); x != nullptr && y != nullptr)
    return x->is_set == y->is_set && x->items.size() == y->items.size() &&
           std::all_of(x->items.begin(), x->items.end(), [&](const auto& item) {
             const Value* other = y->find(item.first);
             return other != nullptr && equal(item.second, *other, budget);
           });
  if (a.callable() != nullptr || b.callable() != nullptr) return a.callable() == b.callable();
  if (a.space() != nullptr || b.space() != nullptr) return a.space() == b.space();
  return a.is_none() && b.is_none();
}

bool parse_int(const std::string& text, std::int64_t& x) {
  std::string_view word = trimmed(text);
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  if (word.empty() || word.find_first_not_of("0123456789") != word.npos) return false;
  const std::string all = (negative ? "-" : "") + std::string(word);
  const auto [end, code] = std::from_chars(all.data(), all.data() + all.size(), x);
  if (code == std::errc::result_out_of_range)
    throw Refusal("the integer " + all.substr(0, 40) + " needs more than 64 bits");
  return code == std::errc() && end == all.data() + all.size();
}
bool parse_float(const std::string& text, double& x) {
  std::string word(trimmed(text));
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.erase(0, 1);
  if (word.empty() || word[0] == '-' || word[0] == '+') return false;
  const double sign = negative ? -1 : 1;
  if (word == "inf" || word == "infinity") {
    x = sign * std::numeric_limits<double>::infinity();
    return true;
  }
  if (word == "nan") {
    x = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (word.find_first_not_of("0123456789.e+-") != word.npos) return false;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), x);
  if (end != word.data() + word.size()) return false;
  if (code == std::errc::result_out_of_range) {  // too large is infinite, too small is zero
    const std::size_t e = word.find('e');
    const bool small = e != word.npos && e + 1 < word.size() && word[e + 1] == '-';
    x = small ? 0 : std::numeric_limits<double>::infinity();
  } else if (code != std::errc()) {
    return false;
  }
  x *= sign;
  return true;
}

std::vector<std::string> letters_of(const std::string& text) {
  std::vector<std::string> letters;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    std::size_t size = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    size = std::min(size, text.size() - at);
    letters.push_back(text.substr(at, size));
    at += size;
  }
  return letters;
}

std::vector<Value> items_of(const Value& value, Budget& budget) {
  std::vector<Value> items;
  if (const List* l = value.list()) {
    budget.spend_list(l->items.size());
    return l->items;
  }
  if (const std::string* s = value.text()) {
    budget.spend_list(s->size());
    for (std::string& letter : letters_of(*s)) items.emplace_back(std::move(letter));
    return items;
  }
  if (const Dict* d = value.dict()) {
    budget.spend_list(d->items.size());
    for (const auto& [key, item] : d->items) items.push_back(key);
    return items;
  }
  throw Refusal(std::string("a ") + value.type_name() + " has no items");
}

}  // namespace torsor::internal::xacro
