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

/// The samples that are the worst in some figure, each with the figures it is worst in.
std::vector<std::pair<const SweepRow*, std::string>> worst_cases(const Sweep& sweep);

std::string sweep_text(const Sweep& sweep);
Json sweep_json(const Sweep& sweep);

/// The values of one sample: "payload.mass 0.3, ..."
std::string values_text(const Sweep& sweep, const SweepSample& sample);
Json sample_json(const Sweep& sweep, const SweepRow& row);

}  // namespace torsor::command
