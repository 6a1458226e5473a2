#pragma once
/// The runs of a sweep that its page shows: rows of a journal hold figures alone, so they are run again.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "torsor/experiments/sweep_report.hpp"

namespace torsor::internal {

/// Whether some run is worse than others: not where all are alike or differ by rounding.
bool tells_samples_apart(const FigureStatistics& figure);
/// The samples that are the worst in some figure, each with the figures it is worst in.
std::vector<std::pair<const SweepRow*, std::string>> worst_cases(const std::vector<SweepRow>& rows);
/// The values of one sample: "payload.mass 0.3, ..."
std::string values_text(const Scenario& scenario, const SweepSample& sample);

struct SweepCases {
  std::vector<std::pair<std::string, Recording>> runs;  ///< "as in the file", "sample 17", ...
  std::vector<std::string> what;                        ///< of each: "worst max_error: ..."
  std::vector<Recording> samples;                       ///< for bands over time
};

/// The scenario as it stands in `file`, five worst cases at most, and 80 samples at most for bands.
/// `go_on` is told what runs next and the share that is done; false: no more.
SweepCases run_cases(const Scenario& scenario, const std::vector<SweepRow>& rows,
                     const std::string& file,
                     const std::function<bool(const std::string&, double)>& go_on);
/// The page of the sweep with these runs. `picture`: how meshes of the robot are read.
std::string sweep_page(const Scenario& scenario, const std::vector<SweepRow>& rows,
                       SweepCases cases, std::vector<RunFact> facts, PictureOptions picture = {});

}  // namespace torsor::internal
