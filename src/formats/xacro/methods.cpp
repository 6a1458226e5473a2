// What stands behind the dot: keys of dictionaries from YAML, names of namespaces, methods.
#include <algorithm>

#include "torsor/formats/text.hpp"
#include "torsor/model/description.hpp"
#include "xacro/expression.hpp"
#include "xacro/scope.hpp"

namespace torsor::internal::xacro {
namespace {

using Method = Value (*)(const Value& self, Arguments& a);

const std::string& text_argument(const Arguments& a, std::size_t k) {
  if (k >= a.values.size() || a.values[k].text() == nullptr)
    throw Refusal("a method takes a text as argument " + std::to_string(k + 1));
  return *a.values[k].text();
}

Value strip(const Value& self, const Arguments& a, bool left, bool right) {
  const std::string& s = *self.text();
  const std::string of =
      a.values.empty() || a.values[0].is_none() ? " \t\n\r\f\v" : text_argument(a, 0);
  const std::size_t begin = left ? s.find_first_not_of(of) : 0;
  if (begin == s.npos) return Value("");
  const std::size_t last = right ? s.find_last_not_of(of) : s.size() - 1;
  return Value(last == s.npos ? std::string() : s.substr(begin, last + 1 - begin));
}
Value split_text(const Value& self, Arguments& a) {
  const std::string& s = *self.text();
  std::vector<Value> parts;
  std::int64_t most = a.values.size() > 1 && a.values[1].is_int() ? a.values[1].integer() : -1;
  if (a.values.empty() || a.values[0].is_none()) {
    constexpr const char* blanks = " \t\n\r\f\v";
    for (std::size_t at = s.find_first_not_of(blanks); at != s.npos;) {
      const std::size_t end = most-- == 0 ? s.npos : s.find_first_of(blanks, at);
      parts.emplace_back(s.substr(at, end - at));
      at = end == s.npos ? s.npos : s.find_first_not_of(blanks, end);
    }
  } else {
    const std::string& by = text_argument(a, 0);
    if (by.empty()) throw Refusal("split() by an empty text");
    std::size_t at = 0;
    for (std::size_t end; most-- != 0 && (end = s.find(by, at)) != s.npos; at = end + by.size())
      parts.emplace_back(s.substr(at, end - at));
    parts.emplace_back(s.substr(at));
  }
  a.budget.spend_list(parts.size());
  return Value::list(std::move(parts));
}
Value join_text(const Value& self, Arguments& a) {
  if (a.values.size() != 1) throw Refusal("join() takes one list");
  std::string out;
  bool first = true;
  for (const Value& part : items_of(a.values[0], a.budget)) {
    if (part.text() == nullptr) throw Refusal(std::string("join() of a ") + part.type_name());
    out += (first ? "" : *self.text()) + *part.text();
    first = false;
    if (out.size() > text_limit) a.budget.spend_text(out.size());
  }
  a.budget.spend_text(out.size());
  return Value(std::move(out));
}
Value replace_text(const Value& self, Arguments& a) {
  const std::string &s = *self.text(), &from = text_argument(a, 0), &to = text_argument(a, 1);
  if (from.empty()) throw Refusal("replace() of an empty text");
  std::string out;
  std::size_t at = 0;
  for (std::size_t next; (next = s.find(from, at)) != s.npos; at = next + from.size()) {
    out += s.substr(at, next - at) + to;
    if (out.size() > text_limit) a.budget.spend_text(out.size());
  }
  out += s.substr(at);
  a.budget.spend_text(out.size());
  return Value(std::move(out));
}
Value changed_case(const Value& self, bool upper, bool first_only) {
  std::string s = *self.text();
  bool first = true;
  for (char& c : s) {
    const bool to_upper = upper && (!first_only || first);
    if (to_upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    if (!to_upper && c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    first = false;
  }
  return Value(std::move(s));
}
/// Of letters, not of bytes.
Value found(const Value& self, Arguments& a, bool must) {
  const std::size_t at = self.text()->find(text_argument(a, 0));
  if (at == std::string::npos) {
    if (must) throw Refusal("index(): the text is not in it");
    return Value(std::int64_t{-1});
  }
  return Value(static_cast<std::int64_t>(letters_of(self.text()->substr(0, at)).size()));
}
bool only(const std::string& s, bool (*accepts)(char)) {
  return !s.empty() && std::all_of(s.begin(), s.end(), accepts);
}

const std::map<std::string, Method>& text_methods() {
  static const std::map<std::string, Method> all = {
      {"split", split_text},
      {"join", join_text},
      {"replace", replace_text},
      {"strip", [](const Value& s, Arguments& a) { return strip(s, a, true, true); }},
      {"lstrip", [](const Value& s, Arguments& a) { return strip(s, a, true, false); }},
      {"rstrip", [](const Value& s, Arguments& a) { return strip(s, a, false, true); }},
      {"lower", [](const Value& s, Arguments&) { return changed_case(s, false, false); }},
      {"upper", [](const Value& s, Arguments&) { return changed_case(s, true, false); }},
      {"capitalize", [](const Value& s, Arguments&) { return changed_case(s, true, true); }},
      {"startswith",
       [](const Value& s, Arguments& a) {
         return Value(s.text()->starts_with(text_argument(a, 0)));
       }},
      {"endswith", [](const Value& s,
                      Arguments& a) { return Value(s.text()->ends_with(text_argument(a, 0))); }},
      {"find", [](const Value& s, Arguments& a) { return found(s, a, false); }},
      {"index", [](const Value& s, Arguments& a) { return found(s, a, true); }},
      {"count",
       [](const Value& s, Arguments& a) {
         const std::string& what = text_argument(a, 0);
         if (what.empty()) throw Refusal("count() of an empty text");
         std::int64_t n = 0;
         for (std::size_t at = 0; (at = s.text()->find(what, at)) != std::string::npos;
              at += what.size())
           ++n;
         return Value(n);
       }},
      {"isdigit",
       [](const Value& s, Arguments&) {
         return Value(only(*s.text(), [](char c) { return c >= '0' && c <= '9'; }));
       }},
      {"isnumeric",
       [](const Value& s, Arguments&) {
         return Value(only(*s.text(), [](char c) { return c >= '0' && c <= '9'; }));
       }},
  };
  return all;
}

const std::map<std::string, Method>& list_methods() {
  static const std::map<std::string, Method> all = {
      {"index",
       [](const Value& l, Arguments& a) {
         if (a.values.size() != 1) throw Refusal("index() takes one argument");
         const auto& items = l.list()->items;
         for (std::size_t k = 0; k < items.size(); ++k)
           if (equal(items[k], a.values[0], a.budget)) return Value(static_cast<std::int64_t>(k));
         throw Refusal("index(): " + one_line(repr_of(a.values[0], a.budget)) +
                       " is not in the list");
       }},
      {"count",
       [](const Value& l, Arguments& a) {
         if (a.values.size() != 1) throw Refusal("count() takes one argument");
         std::int64_t n = 0;
         for (const Value& item : l.list()->items) n += equal(item, a.values[0], a.budget) ? 1 : 0;
         return Value(n);
       }},
  };
  return all;
}

const std::map<std::string, Method>& dict_methods() {
  static const std::map<std::string, Method> all = {
      {"keys", [](const Value& d, Arguments& a) { return Value::list(items_of(d, a.budget)); }},
      {"values",
       [](const Value& d, Arguments& a) {
         a.budget.spend_list(d.dict()->items.size());
         std::vector<Value> items;
         for (const auto& [key, value] : d.dict()->items) items.push_back(value);
         return Value::list(std::move(items));
       }},
      {"items",
       [](const Value& d, Arguments& a) {
         a.budget.spend_list(d.dict()->items.size());
         std::vector<Value> items;
         for (const auto& [key, value] : d.dict()->items)
           items.push_back(Value::list({key, value}, true));
         return Value::list(std::move(items));
       }},
      {"get",
       [](const Value& d, Arguments& a) {
         if (a.values.empty() || a.values.size() > 2)
           throw Refusal("get() takes a key and a default");
         const Value* value = d.dict()->find(a.values[0]);
         return value != nullptr ? *value : a.values.size() == 2 ? a.values[1] : Value();
       }},
  };
  return all;
}

Value bound(const Value& self, const std::string& name, Method method) {
  return Value(std::make_shared<const Callable>(
      Callable{name, [self, method](Arguments& a) { return method(self, a); }}));
}

}  // namespace

Value attribute_of(const Value& of, const std::string& name, Budget& budget) {
  budget.spend();
  if (name.starts_with("__")) throw Refusal("names with two underscores are not accepted");
  const std::map<std::string, Method>* methods = of.text() != nullptr   ? &text_methods()
                                                 : of.list() != nullptr ? &list_methods()
                                                 : of.set() != nullptr  ? nullptr
                                                 : of.dict() != nullptr ? &dict_methods()
                                                                        : nullptr;
  if (methods != nullptr)
    if (const auto method = methods->find(name); method != methods->end())
      return bound(of, name, method->second);
  std::vector<std::string> known;
  if (const Dict* d = of.dict(); d != nullptr && d->dotted) {
    if (const Value* value = d->find(Value(name))) return *value;
    for (const auto& [key, value] : d->items)
      if (key.text() != nullptr && known.size() < 100) known.push_back(*key.text());
    throw Refusal("the dictionary has no key " + in_quotes(name) + did_you_mean(name, known));
  }
  if (methods != nullptr)
    for (const auto& [word, method] : *methods) known.push_back(word);
  throw Refusal(std::string("a ") + of.type_name() + " has no " + in_quotes(name) +
                did_you_mean(name, known));
}

}  // namespace torsor::internal::xacro
