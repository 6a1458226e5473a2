#pragma once
/// One self-contained HTML page about a sweep: how its figures are spread, which uncertainty drives
/// which of them, bands of errors and torques over time, and its worst cases as runs beside the
/// scenario as it stands in the file.
#include "torsor/batch/sweep.hpp"
#include "torsor/experiments/report.hpp"

namespace torsor {

struct SweepReport {
  Report page;  ///< title, text and facts; one section: the runs that are shown in full
  const Scenario* scenario = nullptr;
  const std::vector<SweepRow>* rows = nullptr;
  /// Of samples, at the same instants each (others are left out): what bands are made of.
  std::vector<Recording> samples;
  /// Of each run of the section: what it is, "sample 17: worst max_error".
  std::vector<std::string> cases;
};

/// Throws Error as report_page does.
std::string sweep_page(const SweepReport& report);

}  // namespace torsor
