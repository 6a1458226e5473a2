#pragma once
/// The functions of a room that is compiled for several instruction sets.
///
/// A call jumps through `in_use[k]`; `versions[level][k]` is the same function for each level of the
/// build, the plainest first. cmake/level_objects.cmake writes one table for each room.
#include <array>

namespace torsor::internal {

inline constexpr int n_levels = 3;

struct KernelTable {
  using Function = void (*)();

  Function* in_use;
  std::array<const Function*, n_levels> versions;
  int n_functions;
  KernelTable* next = nullptr;

  /// Enters the table into the list of all, with the level in use.
  KernelTable(Function* used, std::array<const Function*, n_levels> of_levels, int n);
  KernelTable(const KernelTable&) = delete;
  KernelTable& operator=(const KernelTable&) = delete;
};

/// What is wrong with TORSOR_ARCH, or nothing.
const char* wrong_instruction_set();

}  // namespace torsor::internal
