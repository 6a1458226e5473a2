#include "scenario/section.hpp"

#include <cassert>
#include <cmath>

#include "torsor/formats/text.hpp"

namespace torsor::internal::scenario {

namespace {

/// "-1 N m, N" would be two units: a value is told in the first.
std::string first_unit(const ScenarioKey& key) {
  const std::string unit = key.unit;
  return unit.empty() ? "" : " " + unit.substr(0, unit.find(','));
}

}  // namespace

Section::Section(const YamlElement& element, const char* section)
    : element_(element), section_(section) {
  std::vector<std::string_view> known;
  for (const ScenarioKey& k : scenario_keys())
    if (std::string_view(k.section) == section) known.emplace_back(k.key);
  element_.allow_keys(known);
}

const ScenarioKey& Section::entry(const char* key) const {
  for (const ScenarioKey& k : scenario_keys())
    if (std::string_view(k.section) == section_ && std::string_view(k.key) == key) return k;
  assert(false && "a key that the table does not have");
  return scenario_keys().front();
}

bool Section::has(const char* key) const {
  (void)entry(key);
  return element_.has(key);
}
YamlElement Section::at(const char* key) const {
  (void)entry(key);
  return element_.at(key);
}

void Section::check_number(const ScenarioKey& key, const YamlElement& at, double x) const {
  if (key.allows(x)) return;
  const std::string range = key.range();
  at.fail(format_number(x) + first_unit(key) + " is out of bounds; needed is " +
          (range.find("...") == std::string::npos ? range : "a number in " + range));
}
void Section::check(const char* key, In<double> values) const {
  for (const double x : values) check_number(entry(key), at(key), x);
}

double Section::number(const char* key) const {
  const YamlElement e = at(key);
  const double x = e.number();
  check_number(entry(key), e, x);
  return x;
}
double Section::whole(const char* key) const {
  const YamlElement e = at(key);
  const double x = e.number();
  const ScenarioKey& k = entry(key);
  if (!k.allows(x) || x != std::floor(x))
    e.fail(format_number(x) + " is no whole number from " + format_number(k.least) + " to " +
           format_number(k.largest));
  return x;
}
Array<double> Section::numbers(const char* key) const {
  Array<double> x = at(key).numbers();
  check(key, x);
  return x;
}
Array<double> Section::numbers(const char* key, int count) const {
  Array<double> x = at(key).numbers(count);
  check(key, x);
  return x;
}

void Section::read(const char* key, double& x) const {
  if (has(key)) x = number(key);
}
void Section::read(const char* key, bool& x) const {
  if (has(key)) x = at(key).boolean();
}
void Section::read(const char* key, std::string& x) const {
  if (has(key)) x = at(key).text();
}
void Section::read(const char* key, Vec3<double>& x) const {
  if (has(key)) x = at(key).vec3();
}
void Section::read(const char* key, Array<double>& x, int count) const {
  if (has(key)) x = numbers(key, count);
}

}  // namespace torsor::internal::scenario
