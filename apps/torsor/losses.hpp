#pragma once
/// The loss report of a robot file for people and programs.
#include <string>

#include "json_output.hpp"
#include "torsor/formats/loss_report.hpp"

namespace torsor::command {

/// What was read, kept and dropped, a line each; empty where nothing was dropped.
std::string losses_text(const LossReport& report);
Json losses_json(const LossReport& report);

/// Throws Error for the first thing that was dropped.
void refuse_losses(const Findings& findings, const std::string& file);

}  // namespace torsor::command
