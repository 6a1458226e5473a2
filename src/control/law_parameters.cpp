#include <algorithm>

#include "torsor/control/make_controller.hpp"

namespace torsor {

void LawParameters::set(const std::string& name, std::vector<double> numbers) {
  entries_.push_back({name, std::move(numbers), {}, false});
}
void LawParameters::set(const std::string& name, std::vector<std::string> words) {
  entries_.push_back({name, {}, std::move(words), true});
}
void LawParameters::scale(const std::string& name, double factor) {
  if (!find(name)) {
    std::vector<std::string> given;
    for (const Entry& e : entries_) given.push_back(e.name);
    throw Error("there is no gain \"" + name + "\"" + did_you_mean(name, given));
  }
  for (Entry& e : entries_) {
    if (e.name == name && e.is_words) throw Error("gain \"" + name + "\" is no number");
    if (e.name == name)
      for (double& x : e.numbers) x *= factor;
  }
}
const LawParameters::Entry* LawParameters::find(const std::string& name) const {
  for (const Entry& e : entries_)
    if (e.name == name) return &e;
  return nullptr;
}
const LawParameters::Entry& LawParameters::take(const std::string& name, bool words) {
  asked_.push_back(name);
  const Entry* entry = find(name);
  if (!entry) {
    std::vector<std::string> given;
    for (const Entry& e : entries_) given.push_back(e.name);
    throw Error("parameter \"" + name + "\" is missing" + did_you_mean(name, given));
  }
  if (entry->is_words != words)
    throw Error("parameter \"" + name + "\" takes " + (words ? "words, not numbers" : "numbers"));
  return *entry;
}

double LawParameters::number(const std::string& name) { return numbers(name, 1)[0]; }
double LawParameters::number(const std::string& name, double fallback) {
  asked_.push_back(name);
  return has(name) ? number(name) : fallback;
}
std::vector<double> LawParameters::numbers(const std::string& name, int count) {
  const std::vector<double>& x = take(name, false).numbers;
  const auto n = static_cast<std::size_t>(count);
  if (x.size() == 1) return std::vector<double>(n, x[0]);
  if (x.size() != n)
    throw Error("parameter \"" + name + "\" has " + std::to_string(x.size()) + " numbers; 1 or " +
                std::to_string(count) + " are needed");
  return x;
}
std::vector<double> LawParameters::numbers(const std::string& name, int count,
                                           std::vector<double> fallback) {
  asked_.push_back(name);
  return has(name) ? numbers(name, count) : std::move(fallback);
}
Gain LawParameters::gain(const std::string& name, int n) {
  const std::vector<double>& x = take(name, false).numbers;
  const auto full = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  if (n > 1 && x.size() == full) return Gain::full(n, x);
  return Gain(numbers(name, n));
}
Gain LawParameters::gain(const std::string& name, int n, Gain fallback) {
  asked_.push_back(name);
  return has(name) ? gain(name, n) : std::move(fallback);
}
std::string LawParameters::word(const std::string& name) {
  const std::vector<std::string>& list = take(name, true).words;
  if (list.size() != 1)
    throw Error("parameter \"" + name + "\" has " + std::to_string(list.size()) +
                " words; one is needed");
  return list[0];
}
std::string LawParameters::word(const std::string& name, const std::string& fallback) {
  asked_.push_back(name);
  return has(name) ? word(name) : fallback;
}
std::vector<std::string> LawParameters::words(const std::string& name) {
  return take(name, true).words;
}
std::vector<std::string> LawParameters::words(const std::string& name,
                                              std::vector<std::string> fallback) {
  asked_.push_back(name);
  return has(name) ? words(name) : std::move(fallback);
}
void LawParameters::check_all_taken(const std::string& law) const {
  for (const Entry& e : entries_)
    if (std::find(asked_.begin(), asked_.end(), e.name) == asked_.end())
      throw Error("law \"" + law + "\" has no parameter \"" + e.name + "\"" +
                  did_you_mean(e.name, asked_));
}

}  // namespace torsor
