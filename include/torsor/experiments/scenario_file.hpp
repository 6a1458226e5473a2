#pragma once
/// Scenario files: a simulated experiment in YAML.
///
///   robot: planar2r                                built in, or a file beside this one
///   plant: {payloads: [{link: link_2, mass: 0.5, com: [1, 0, 0]}]}
///   controller:
///     law: computed_torque
///     gains: {Kp: 100, Kd: 20}
///   reference: {quintic: {from: [0, 1], to: [1, 0], duration: 2}}
///   start: {q: [0, 1]}
///   run: {duration: 3}
///
/// scenario_keys.hpp has all keys, docs/scenarios.md a whole scenario of every kind;
/// new_scenario.hpp writes one for a law and a robot. `robot`, `controller` and, for laws that
/// follow one, `reference` must be there. Unknown keys are refused with the nearest name, numbers
/// outside their bounds with file, line, key, value and unit.
#include <string>
#include <string_view>

#include "torsor/experiments/report.hpp"
#include "torsor/formats/finding.hpp"
#include "torsor/sim/scenario.hpp"

namespace torsor {

/// Throws Error with file, line and element. `findings`, if there are any, receives what there is to
/// say about the robot's file (load_robot) and about the plant's parameters; built-in robots are as
/// they are known to be. `package_folders`: where robots' files look for packages first.
Scenario load_scenario(const std::string& path, Findings* findings = nullptr,
                       const std::vector<std::string>& package_folders = {});
/// The same for a text; `file_name` is for messages and for the folder of the robot's file.
Scenario read_scenario(std::string_view text, const std::string& file_name,
                       Findings* findings = nullptr,
                       const std::vector<std::string>& package_folders = {});

/// What the file says, key by key in one line each, and the integrator and control that count where
/// it says nothing: for a report. A block `sweep:` is told as it stands; runs without a sweep have no use
/// for it.
std::vector<RunFact> scenario_facts(std::string_view text, const std::string& file_name);

/// The robot that a scenario names: the file beside it where there is one, else the name itself.
std::string robot_of_scenario(const std::string& robot, const std::string& file_name);

/// Sixteen hexadecimal digits that change with anything that a run depends on: the scenario but for
/// names, outputs and the number of samples, and all of its robot's file.
std::string scenario_fingerprint(std::string_view text, const std::string& file_name,
                                 const std::vector<std::string>& package_folders = {});

}  // namespace torsor
