#pragma once
/// What a sweep found, as text and JSON.
#include <string>
#include <vector>

#include "json_output.hpp"
#include "torsor/batch/sweep.hpp"

namespace torsor::command {

struct Sweep {
  Scenario scenario;
  std::string fingerprint, journal;
  std::vector<SweepRow> rows;  ///< by index
  std::size_t resumed = 0;     ///< rows that the journal held
};

std::string sweep_text(const Sweep& sweep);
Json sweep_json(const Sweep& sweep);

Json sample_json(const Sweep& sweep, const SweepRow& row);

}  // namespace torsor::command
