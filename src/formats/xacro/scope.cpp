#include "xacro/scope.hpp"

namespace torsor::internal::xacro {

Value literal_value(Value value) {
  const std::string* text = value.text();
  if (text == nullptr) return value;
  const std::string& s = *text;
  if (s.size() >= 2 && s.front() == '\'' && s.back() == '\'')
    return Value(s.substr(1, s.size() - 2));
  if (s.empty() || s.size() > 400 || s.find('_') != s.npos) return value;
  if (s == "true" || s == "True") return Value(true);
  if (s == "false" || s == "False") return Value(false);
  std::int64_t whole = 0;
  try {
    if (parse_int(s, whole)) return Value(whole);
  } catch (const Refusal&) {
    return value;  // more than 64 bits: a text that looks the same
  }
  double real = 0;
  if (parse_float(s, real)) return Value(real);
  return value;
}

void Table::set(const std::string& name, Value value, bool unevaluated, const Place& place) {
  value = literal_value(std::move(value));
  const bool later = unevaluated && value.text() != nullptr;
  entries_[name] = {std::move(value), later, false, nullptr, place};
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> all;
  for (const auto& [name, property] : entries_)
    if (!name.starts_with('*') && all.size() < 200) all.push_back(name);
  return all;
}

}  // namespace torsor::internal::xacro
