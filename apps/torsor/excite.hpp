#pragma once
/// torsor excite: what was asked for, and the texts of its answer.
#include <optional>
#include <string>
#include <vector>

#include "json_output.hpp"
#include "robot_argument.hpp"
#include "torsor/identification/excitation.hpp"

namespace torsor::command {

struct ExciteArguments {
  RobotArgument robot;
  std::string criterion = "condition", period = "10", rate = "200", share = "100", time;
  std::string velocity, acceleration, jerk, torque, lower, upper;
  std::string start, floor, noise, without;
  std::vector<std::string> boxes;
  int harmonics = 5, points = 0, trajectories = 1, starts = 6, threads = 0;
  std::optional<std::uint64_t> seed;
  std::string output, series, page;
  bool degrees = false, json = false, force = false, meshes = false;
};

/// The options of the library, and in `notes` what was assumed.
ExcitationOptions excitation_options(const ExciteArguments& given, const Model<double>& model,
                                     std::vector<std::string>& notes);

/// What a person reads, without the names of files.
std::string excitation_text(const Model<double>& model, const ExcitationOptions& options,
                            const Excitation& found, const std::vector<std::string>& notes);
Json excitation_json(const Model<double>& model, const ExcitationOptions& options,
                     const Excitation& found, const std::vector<std::string>& notes);
/// t, q, qd, qdd of one trajectory, at the rate (Hz) and at the end.
/// Of the rows of a table or a page.
Array<double> excitation_times(const Excitation& found, double rate);
std::string excitation_csv(const Model<double>& model, const Excitation& found, int trajectory,
                           double rate);
/// The HTML page: the robot on these motions, plots of them.
std::string excitation_page(const Model<double>& model, const ExciteArguments& given,
                            const ExcitationOptions& options, const Excitation& found, double rate);
/// The reference of a scenario that replays a Fourier series exactly.
std::string excitation_reference(const Model<double>& model, const Excitation& found,
                                 int trajectory);

}  // namespace torsor::command
