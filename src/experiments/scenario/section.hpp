#pragma once
/// One map of a scenario file, read by the table of keys. Private to the reader.
#include <string>

#include "torsor/experiments/scenario_keys.hpp"
#include "torsor/formats/internal/yaml_tree.hpp"
#include "torsor/math/view.hpp"

namespace torsor::internal::scenario {

/// Keys that the table does not have are refused when it is made; numbers outside the bounds of the
/// table where they are read, with file, line, key, value and unit.
class Section {
 public:
  Section(const YamlElement& element, const char* section);

  const YamlElement& element() const { return element_; }
  bool has(const char* key) const;
  YamlElement at(const char* key) const;
  [[noreturn]] void fail(const std::string& what) const { element_.fail(what); }

  /// What must be there.
  double number(const char* key) const;
  double whole(const char* key) const;
  Array<double> numbers(const char* key) const;
  Array<double> numbers(const char* key, int count) const;
  std::string text(const char* key) const { return at(key).text(); }
  /// Of a list that was read by other means.
  void check(const char* key, In<double> values) const;

  // What need not be there: `x` stays as it is.
  void read(const char* key, double& x) const;
  void read(const char* key, bool& x) const;
  void read(const char* key, std::string& x) const;
  void read(const char* key, Vec3<double>& x) const;
  void read(const char* key, Array<double>& x, int count) const;
  template <class Read>
  void if_there(const char* key, Read use) const {
    if (has(key)) use(at(key));
  }

 private:
  const ScenarioKey& entry(const char* key) const;
  void check_number(const ScenarioKey& key, const YamlElement& at, double x) const;

  YamlElement element_;
  const char* section_;
};

}  // namespace torsor::internal::scenario
