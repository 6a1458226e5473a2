#pragma once
/// Every key of a scenario file: what it takes, in which unit and bounds, and what it means.
///
/// The reader (scenario_file.hpp), `torsor scenario keys` and docs/scenarios.md speak from this one
/// table.
#include <limits>
#include <string>
#include <vector>

namespace torsor {

/// What the value of a key may be.
enum class KeyKind : unsigned char {
  text,
  boolean,
  whole,    ///< a whole number
  number,   ///< bounded as the key says
  numbers,  ///< a list, each bounded as the key says
  vector,   ///< three numbers
  map,
  list
};
/// "number", "list of numbers", ...
const char* name_of(KeyKind kind);

struct ScenarioKey {
  const char* section;  ///< the key above it: "plant", "run"; "" for those of the file itself
  const char* key;
  KeyKind kind;
  const char* unit;      ///< "" where there is none
  const char* fallback;  ///< what counts where it is missing; "required"; "": nothing
  const char* meaning;
  double least = -std::numeric_limits<double>::infinity();
  double largest = std::numeric_limits<double>::infinity();
  bool more_than_least = false;  ///< the least value itself is too small

  bool allows(double x) const { return (more_than_least ? x > least : x >= least) && x <= largest; }
  /// "> 0", ">= 0", "0 ... 1"; empty where every number is allowed.
  std::string range() const;
};

/// All of them, section by section in the order in which a file is written.
const std::vector<ScenarioKey>& scenario_keys();
/// The sections, in that order.
std::vector<std::string> scenario_sections();
/// The table of one section for docs/scenarios.md.
std::string scenario_keys_table(const std::string& section);

}  // namespace torsor
