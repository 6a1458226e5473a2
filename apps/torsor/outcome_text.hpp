#pragma once
/// What a run came to, as text and JSON.
#include <string>

#include "json_output.hpp"
#include "torsor/sim/outcome.hpp"

namespace torsor::command {

/// A heading and one line for each row; "" where there is nothing to say.
std::string outcome_text(const Recording& recording);
Json outcome_json(const Recording& recording);

}  // namespace torsor::command
