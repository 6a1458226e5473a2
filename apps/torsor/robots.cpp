#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "robot_argument.hpp"
#include "text_output.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor::command {
namespace {

struct RobotsArguments {
  bool json = false, sources = false;
};

int degrees_of_freedom(const RobotDescription& robot) {
  int sum = 0;
  for (const Joint& joint : robot.joints) sum += n_v(joint);
  return sum;
}

int list_robots(const RobotsArguments& options, std::string& out) {
  Json list = Json::array();
  std::size_t longest = 0;
  for (const BuiltinRobot& robot : builtin_robots()) longest = std::max(longest, robot.name.size());
  Table table({{"name"}, {"dof", Table::right}, {"robot"}});
  std::string sources;
  for (const BuiltinRobot& robot : builtin_robots()) {
    const bool family = robot.name == "chain:N";
    const int dof = family ? 0 : degrees_of_freedom(load_description(robot.name));
    list.push_back({{"name", robot.name},
                    {"dof", family ? Json(nullptr) : Json(dof)},
                    {"title", robot.title},
                    {"source", robot.source}});
    table.add({robot.name, family ? "N" : std::to_string(dof), robot.title});
    std::string name = robot.name;
    name.resize(longest + 2, ' ');
    sources += "  " + name + wrapped(robot.source, longest + 4) + "\n";
  }
  if (options.json)
    out += json_text({{"robots", list}});
  else if (options.sources)
    out += bold("sources") + "\n" + sources;
  else
    out += table.words() + "\n" +
           wrapped(
               "Where the figures come from: torsor robots --sources. Look at one: torsor "
               "info puma560",
               0) +
           "\n";
  return good;
}

Action add_robots(Arguments& app) {
  const auto options = std::make_shared<RobotsArguments>();
  app.add_flag("--sources", options->sources, "where the figures come from");
  add_json(app, options->json);
  return [options](std::string& out) { return list_robots(*options, out); };
}

}  // namespace

extern const Verb robots;
const Verb robots{"robots", "list the built-in robots", "  torsor robots\n  torsor info puma560\n",
                  add_robots};

}  // namespace torsor::command
