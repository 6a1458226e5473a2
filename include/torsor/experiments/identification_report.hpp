#pragma once
/// One self-contained HTML page about an identification.
///
/// Torques measured and of the model with their predicted interval, joint by joint and log by log, what is
/// left of them, residuals, parameters with intervals beside the robot's own, what the logs do not
/// determine, how well they excite, what was repaired. The page needs no script and no other file.
#include "torsor/experiments/report.hpp"
#include "torsor/identification/identify.hpp"

namespace torsor {

/// `facts`: what was run, as a table at the end.
std::string identification_page(const Model<double>& model, const Identification& found,
                                const std::vector<RunFact>& facts = {});

}  // namespace torsor
