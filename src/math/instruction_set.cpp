#include "torsor/math/instruction_set.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "torsor/math/error.hpp"
#include "torsor/math/internal/builtins.hpp"
#include "torsor/math/internal/kernel_table.hpp"

namespace torsor {

namespace {

using internal::KernelTable;
using internal::n_levels;

constexpr std::array<const char*, n_levels> level_names{"baseline", "x86-64-v3", "x86-64-v4"};

// The levels of this build: all, or with TORSOR_HOST_LEVEL the one of the machine that compiled it.
#ifdef TORSOR_ONLY_LEVEL
constexpr int first_level = TORSOR_ONLY_LEVEL, last_level = TORSOR_ONLY_LEVEL;
#else
constexpr int first_level = 0, last_level = n_levels - 1;
#endif

int find_level(const char* name) {
  for (int level = 0; level < n_levels; ++level) {
    if (std::strcmp(level_names[static_cast<std::size_t>(level)], name) == 0) return level;
  }
  return -1;
}

/// The list of tables and the level that they have. It is made before anything uses it: tables enter
/// it while the program's globals are made, in any order.
struct Levels {
  KernelTable* tables = nullptr;
  int in_use = first_level;
  const char* wrong = nullptr;

  Levels() {
    if (!internal::machine_has(first_level)) {  // the first sweep would be an illegal instruction
      std::fprintf(stderr, "torsor: this build is for %s alone, which this machine has not\n",
                   level_names[static_cast<std::size_t>(first_level)]);
      std::_Exit(2);
    }
    while (in_use < last_level && internal::machine_has(in_use + 1)) ++in_use;
    if (const char* asked = std::getenv("TORSOR_ARCH"); asked != nullptr && *asked != '\0') {
      const int level = find_level(asked);
      if (level < 0) {
        wrong = "not one of baseline, x86-64-v3, x86-64-v4";
      } else if (level > in_use) {
        wrong = "not among the instructions of this machine";
      } else if (level < first_level) {
        wrong = "not in this build, which is for this machine alone";
      } else {
        in_use = level;
      }
    }
  }

  void fill(KernelTable& table) const {
    const KernelTable::Function* version =
        table.versions[static_cast<std::size_t>(in_use - first_level)];
    std::copy(version, version + table.n_functions, table.in_use);
  }
};

Levels& levels() {
  static Levels the;
  return the;
}

}  // namespace

namespace internal {

KernelTable::KernelTable(Function* used, std::array<const Function*, n_levels> of_levels, int n)
    : in_use(used), versions(of_levels), n_functions(n) {
  Levels& all = levels();
  next = all.tables;
  all.tables = this;
  all.fill(*this);
}

const char* wrong_instruction_set() { return levels().wrong; }

}  // namespace internal

std::string instruction_set() {
  const Levels& all = levels();
  return all.tables == nullptr ? internal::compiled_for
                               : level_names[static_cast<std::size_t>(all.in_use)];
}

std::vector<std::string> instruction_sets() {
  if (levels().tables == nullptr) return {internal::compiled_for};
  std::vector<std::string> names;
  for (int level = first_level; level <= last_level && internal::machine_has(level); ++level) {
    names.emplace_back(level_names[static_cast<std::size_t>(level)]);
  }
  return names;
}

void use_instruction_set(std::string_view name) {
  const std::vector<std::string> has = instruction_sets();
  const auto found = std::find(has.begin(), has.end(), name);
  if (found == has.end()) {
    std::string all;
    for (const std::string& each : has) all += (all.empty() ? "" : ", ") + each;
    throw Error("instruction set `" + std::string(name) + "`: this build on this machine has " +
                all);
  }
  Levels& all = levels();
  if (all.tables == nullptr) return;
  all.in_use = first_level + static_cast<int>(found - has.begin());
  for (KernelTable* table = all.tables; table != nullptr; table = table->next) all.fill(*table);
}

}  // namespace torsor
