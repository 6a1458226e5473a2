#include <algorithm>
#include <cmath>
#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "robot_argument.hpp"
#include "text_output.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/model/loop.hpp"

namespace torsor::command {
namespace {

struct Options {
  RobotArgument robot;
  bool rotors = false, numeric = false, json = false;
};

/// Base parameters with and without rotors; the table shows the one that was asked for.
struct Answer {
  BaseParameters base;
  Array<double> values;
  int n = 0, n_with_rotors = 0;
};

Answer answer(const Model<double>& model, const Options& options) {
  const auto find = [&](bool rotors) {
    const BaseParameterOptions how{.rotors = rotors};
    return options.numeric ? numeric_base_parameters(model, how) : base_parameters(model, how);
  };
  BaseParameters rigid = find(false), full = find(true);
  Answer found;
  found.n = rigid.size();
  found.n_with_rotors = full.size();
  found.base = std::move(options.rotors ? full : rigid);
  found.values = found.base.values(all_parameters(model, {.rotors = options.rotors}));
  return found;
}

Json to_json(const Answer& found) {
  const BaseParameters& base = found.base;
  Json list = Json::array(), roles = Json::object();
  for (int k = 0; k < base.size(); ++k)
    list.push_back({{"name", base.names[static_cast<std::size_t>(base.kept[k])]},
                    {"formula", base.formula(k, 17)},
                    {"value", found.values[k]}});
  for (int c = 0; c < base.n_parameters(); ++c)
    roles[base.names[static_cast<std::size_t>(c)]] = name_of(base.roles[c]);
  return {{"n", found.n},
          {"n_with_rotors", found.n_with_rotors},
          {"parameters", list},
          {"roles", roles}};
}

std::string to_text(const Model<double>& model, const Options& options, const Answer& found) {
  const BaseParameters& base = found.base;
  std::string out = bold(model.name()) + ": " + std::to_string(found.n) + " base parameters of " +
                    std::to_string(10 * (model.n_bodies() - 1)) + ", " +
                    std::to_string(found.n_with_rotors) + " with rotor inertias\n";
  if (!options.numeric && ConstraintSet(model).n_rows() > 0)
    out += "the robot has loops or couplings: found numerically, over motions that close them\n";
  out += heading("base parameters", "kg, kg m, kg m^2; products of inertia are matrix entries");
  double largest = 0;
  for (const double x : found.values) largest = std::max(largest, std::abs(x));
  for (int k = 0; k < base.size(); ++k) {
    const double x = found.values[k];
    const std::string value = number(std::abs(x) < 1e-14 * largest ? 0 : x);
    const std::size_t wide = 14;
    std::string line = wrapped(std::string(wide + 3, '.') + base.formula(k), wide + 3, 80);
    line.replace(0, wide + 3,
                 std::string(wide - std::min(wide, value.size()), ' ') + value + "   ");
    out += line + "\n";
  }
  const auto list = [&](ParameterRole role) {
    std::string names;
    for (int c = 0; c < base.n_parameters(); ++c)
      if (base.roles[c] == role)
        names += (names.empty() ? "" : ", ") + base.names[static_cast<std::size_t>(c)];
    return names.empty() ? std::string("none") : names;
  };
  out += heading("without effect on any motion");
  out += "  " + wrapped(list(ParameterRole::ineffective), 2, 78) + "\n";
  return out;
}

Action add(Arguments& app) {
  const auto o = std::make_shared<Options>();
  add_robot(app, o->robot);
  app.add_flag("--rotors", o->rotors, "rotor inertias are parameters, too");
  app.add_flag("--numeric", o->numeric,
               "by elimination of columns of the regressor at random states");
  add_json(app, o->json);
  return [o](std::string& out) -> int {
    const Model<double> model = load_model(o->robot);
    const Answer found = answer(model, *o);
    out += o->json ? json_text(to_json(found)) : to_text(model, *o, found);
    return good;
  };
}

}  // namespace

extern const Verb base;
const Verb base{"base", "base parameters: what motions can tell about the masses",
                "  torsor base puma560\n"
                "  torsor base panda --rotors --json\n",
                add};

}  // namespace torsor::command
