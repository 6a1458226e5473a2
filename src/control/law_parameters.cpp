#include <algorithm>
#include <sstream>

#include "torsor/control/law_registry.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

template <class List>
std::vector<std::string> names_in(const List& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.emplace_back(entry.name);
  return names;
}

template <class Element>
std::vector<Element> split(const char* text) {
  std::istringstream in(text);
  std::vector<Element> list;
  for (Element x; in >> x;) list.push_back(x);
  return list;
}

}  // namespace

bool LawParameters::has(const std::string& name) const { return find(name) != nullptr; }
const LawParameters::Value* LawParameters::find(const std::string& name) const {
  for (const Value& v : given_)
    if (v.name == name) return &v;
  return nullptr;
}
void LawParameters::scale(const std::string& name, double factor) {
  if (!has(name))
    throw Error("there is no gain \"" + name + "\"" + did_you_mean(name, names_in(given_)));
  for (Value& v : given_) {
    if (v.name == name && v.is_words) throw Error("gain \"" + name + "\" is no number");
    if (v.name == name)
      for (double& x : v.numbers) x *= factor;
  }
}
void LawParameters::require(const std::string& name) const {
  if (has(name)) return;
  const std::vector<std::string> known = names_in(known_);
  std::vector<std::string> unknown;
  for (const std::string& given : names_in(given_))
    if (std::find(known.begin(), known.end(), given) == known.end()) unknown.push_back(given);
  const std::string meant = internal::nearest_name(name, unknown);
  throw Error("parameter \"" + name + "\" is missing" +
              (meant.empty() ? "" : "; \"" + meant + "\" is none: is it meant?"));
}
void LawParameters::check_all_expected(const std::string& law) const {
  const std::vector<std::string> known = names_in(known_);
  for (const Value& v : given_)
    if (std::find(known.begin(), known.end(), v.name) == known.end())
      throw Error("law \"" + law + "\" has no parameter \"" + v.name + "\"" +
                  did_you_mean(v.name, known));
}

LawParameters::Value LawParameters::value(const std::string& name, bool words) const {
  const Value* given = find(name);
  if (!given) {
    for (const GainEntry& entry : known_) {
      if (name != entry.name) continue;
      if (entry.required) require(name);
      if (words) return {name, {}, split<std::string>(entry.value), true};
      return {name, split<double>(entry.value), {}, false};
    }
    require(name);
  }
  if (given->is_words != words)
    throw Error("parameter \"" + name + "\" takes " + (words ? "words, not numbers" : "numbers"));
  return *given;
}

double LawParameters::number(const std::string& name) {
  const Array<double> x = numbers(name, 1);
  return x.empty() ? 0.0 : x[0];
}
Array<double> LawParameters::numbers(const std::string& name, int count) {
  Array<double> x = value(name, false).numbers;
  if (x.size() == 1) x.assign(count, double(x[0]));
  if (!x.empty() && x.size() != count)
    throw Error("parameter \"" + name + "\" has " + std::to_string(x.size()) + " numbers; 1 or " +
                std::to_string(count) + " are needed");
  return x;
}
Gain LawParameters::gain(const std::string& name, int n) {
  Array<double> x = value(name, false).numbers;
  if (n > 1 && x.size() == n * n) return Gain::full(n, std::move(x));
  return Gain(numbers(name, n));
}
std::string LawParameters::word(const std::string& name) {
  const std::vector<std::string> list = value(name, true).words;
  if (list.size() > 1 || (list.empty() && has(name)))
    throw Error("parameter \"" + name + "\" has " + std::to_string(list.size()) +
                " words; one is needed");
  return list.empty() ? "" : list[0];
}
int LawParameters::choice(const std::string& name, const std::vector<std::string>& known) {
  const std::string given = word(name);
  const auto found = std::find(known.begin(), known.end(), given);
  if (found != known.end()) return static_cast<int>(found - known.begin());
  throw Error("unknown " + name + " \"" + given + "\"" + did_you_mean(given, known));
}
std::vector<std::string> LawParameters::words(const std::string& name) {
  return value(name, true).words;
}

}  // namespace torsor
