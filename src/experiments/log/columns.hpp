#pragma once
/// Which columns of a table hold what.
#include <string>
#include <vector>

#include "torsor/math/array.hpp"

namespace torsor::internal::logs {

struct Wanted {
  std::string word;                   ///< t, q, qd, tau, q_ref
  std::vector<std::string> said{};    ///< by the map; empty: recognised
  std::vector<std::string> joints{};  ///< names of coordinates or torques
  std::vector<std::string> labels{};  ///< other names of the same; may be empty
  bool needed = true;
};

struct FoundColumns {
  Array<int> at{};  ///< in the order of the joints; empty where there are none and none are needed
  bool bare = false;  ///< known after their units were taken off
};
FoundColumns find_columns(const std::vector<std::string>& columns, const Wanted& wanted,
                          const std::string& file);
/// The column of time, or -1.
int find_time(const std::vector<std::string>& columns, const std::string& said,
              const std::string& file);

}  // namespace torsor::internal::logs
