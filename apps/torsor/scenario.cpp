#include <filesystem>
#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "text_output.hpp"
#include "torsor/experiments/new_scenario.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/experiments/scenario_keys.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {
namespace {

struct ScenarioArguments {
  std::string what, law, robot, output;
  bool json = false, force = false;
};

/// The robot as a file in that folder names it.
std::string robot_from(const std::string& robot, const std::string& scenario) {
  std::error_code ignored;
  if (is_builtin_robot(robot) || !std::filesystem::is_regular_file(robot, ignored)) return robot;
  const std::filesystem::path folder = std::filesystem::path(scenario).parent_path();
  return std::filesystem::proximate(robot, folder.empty() ? "." : folder, ignored).string();
}

int write_new(const ScenarioArguments& o, std::string& out) {
  if (o.law.empty() || o.robot.empty())
    throw Error(
        "scenario new: --law and --robot are needed (torsor laws and torsor robots list "
        "what there is)");
  if (!o.output.empty()) refuse_to_overwrite(o.output, o.force);
  const Model<double> model = load_model({.name = o.robot});
  const std::string text = new_scenario(o.law, robot_from(o.robot, o.output), model);
  (void)read_scenario(text, o.output.empty() ? "scenario" : o.output);  // it can be run
  if (o.output.empty()) {
    out += text;
    return good;
  }
  write_file(o.output, text);
  out += "wrote " + one_line(o.output) + "; torsor simulate " + one_line(o.output) + " runs it\n";
  return good;
}

std::string keys_text() {
  std::string out;
  for (const std::string& section : scenario_sections()) {
    Table table({{"key"}, {"takes"}, {"unit"}, {"default"}, {"meaning"}});
    for (const ScenarioKey& k : scenario_keys())
      if (section == k.section) {
        const std::string range = k.range();
        table.add({k.key, name_of(k.kind) + (range.empty() ? "" : ", " + range), k.unit, k.fallback,
                   k.meaning});
      }
    out += heading(section.empty() ? "a scenario" : section) + table.words();
  }
  return out;
}

Json keys_json() {
  Json list = Json::array();
  for (const ScenarioKey& k : scenario_keys())
    list.push_back({{"section", k.section},
                    {"key", k.key},
                    {"takes", name_of(k.kind)},
                    {"range", k.range()},
                    {"unit", k.unit},
                    {"default", k.fallback},
                    {"meaning", k.meaning}});
  return {{"keys", list}};
}

Action add_scenario(Arguments& app) {
  const auto o = std::make_shared<ScenarioArguments>();
  app.add_option("what", o->what, "new: write a scenario; keys: list all keys of one").required();
  app.add_option("--law", o->law, "of a new one: its control law").type_name("NAME");
  app.add_option("--robot", o->robot, "of a new one: a file or the name of a built-in robot")
      .type_name("ROBOT");
  app.add_option("-o,--output", o->output, "the file of a new one; standard output unless given");
  app.add_flag("--force", o->force, "overwrite the file");
  add_json(app, o->json);
  return [o](std::string& out) -> int {
    if (o->what == "new") return write_new(*o, out);
    if (o->what != "keys")
      throw Error("scenario: " + in_quotes(o->what) + " is neither new nor keys");
    out += o->json ? json_text(keys_json()) : keys_text();
    return good;
  };
}

}  // namespace

extern const Verb scenario;
const Verb scenario{
    "scenario", "write a scenario for a law and a robot, or list all keys of one",
    "  torsor scenario new --law computed_torque --robot puma560 -o my_run.yaml\n"
    "  torsor simulate my_run.yaml --report my_run.html\n"
    "  torsor scenario keys\n"
    "\n"
    "A new scenario runs as it is: gains are scaled by the robot's masses, and every "
    "gain, unit and\n"
    "choice stands there with a comment. docs/scenarios.md shows one of every kind.\n",
    add_scenario};

}  // namespace torsor::command
