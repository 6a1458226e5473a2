#pragma once
/// What a run's certificate says, for people and for programs.
#include <string>
#include <vector>

#include "json_output.hpp"
#include "torsor/sim/outcome.hpp"

namespace torsor::command {

/// "all 8 conditions hold", or "5 hold, 1 violated, 2 not covered by the proof: constant q_d; ...".
std::string verdict_summary(const std::vector<Condition>& conditions);
/// "kept", "not kept", with what the proof does not claim of this run; or why the run shows nothing of what is predicted.
std::string verdict_of(const Recording& recording, const Comparison& comparison);
/// Why a prediction of this run need not be kept; empty: it should be.
std::string why_not_kept(const Recording& recording);
/// Every condition holds, every prediction was kept, the balances hold and nothing diverged.
bool keeps_its_proof(const Recording& recording);

/// [{"name", "text", "value", "bound", "verdict": "holds" | "violated" | "not_covered"}]
Json conditions_json(const std::vector<Condition>& conditions);
/// [{"name", "predicted", "observed", "verdict": "kept" | "not_kept" | "not_judged"}]
Json predictions_json(const Recording& recording);

/// A line for each thing that the run came to (outcome.hpp).
std::string outcome_text(const Recording& recording);
/// [{"name", "verdict": "good" | "bad" | "told", "value", "bound", "text"}]
Json outcome_json(const Recording& recording);

}  // namespace torsor::command
