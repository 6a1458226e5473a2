#pragma once
/// Several runs beside each other, as a table, JSON and CSV; progress on standard error.
#include <string>
#include <vector>

#include "json_output.hpp"
#include "robot_argument.hpp"
#include "torsor/experiments/internal/run_facts.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/sim/run_summary.hpp"

namespace torsor::command {

using internal::drawn_points;

/// Warnings about the robot's file are counted on standard error.
Scenario load_run(const std::string& scenario_file,
                  const std::vector<std::string>& package_folders);
/// What the run refuses names the file that it is of.
Recording run_of(const Scenario& scenario, const std::string& scenario_file);

struct NamedRun {
  std::string name;
  Recording recording;
};

/// One line for each run; conditions and predictions that were not kept below.
std::string runs_text(const std::vector<NamedRun>& runs);
/// {"run", "law", "stop", "message", figures..., "conditions", "predictions"} of each.
Json runs_json(const std::vector<NamedRun>& runs);
/// A header and one line for each run.
std::string runs_csv(const std::vector<NamedRun>& runs);

Json summary_json(const RunSummary& summary);

/// What the scenario file says, version, date and command line: for the page of a run.
std::vector<RunFact> page_facts(const std::string& scenario_file, bool with_sweep = false);
/// Version, date and command line.
std::vector<RunFact> call_facts();
/// The robot by name, its file and the hash of it, and how it was changed on the way.
std::vector<RunFact> robot_facts(const RobotArgument& robot);
/// Processor and instruction set, where the result depends on how fast they are.
std::vector<RunFact> machine_facts();
/// The robot's meshes for a page of a scenario, where they are asked for.
internal::PictureOptions picture_options(bool meshes, const std::string& scenario_file,
                                         const std::vector<std::string>& package_folders);

/// A line that the next one replaces; nothing where standard error is no terminal. It is cut where
/// the terminal ends.
void progress(const std::string& line);
/// The same with the time that is left, by the share of the work that is done: 0 to 1, counted from
/// the first call after end_progress. The time is said once it can be told, after a second.
void progress(const std::string& line, double share);
/// ", about 12 s left", "" where that cannot be told yet: of work of which a share took so long.
std::string time_left(double seconds, double share);
/// Removes the line.
void end_progress();

}  // namespace torsor::command
