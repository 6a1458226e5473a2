#pragma once
/// States of a robot on the command line, and what the dynamics verbs compute of them.
///
/// A verb says which inputs it reads and how it turns one state into named quantities; options,
/// CSV, JSON and text are the same for all.
#include <functional>
#include <string>
#include <vector>

#include "command.hpp"
#include "quantity.hpp"
#include "robot_argument.hpp"

namespace torsor::command {

struct State {
  std::vector<double> q, qd, qdd, tau;
};

/// The robot as the dynamics verbs want it.
struct DynamicsRobot {
  RobotArgument robot;
  bool no_friction = false;  ///< without friction, damping and rotor inertia
  bool tree = false;         ///< loops and couplings opened
};
void add_dynamics_robot(CLI::App& app, DynamicsRobot& robot);
Model<double> load_model(const DynamicsRobot& robot);
bool has_constraints(const Model<double>& model);

/// Quantities of one state; made once for a model, so that workspaces live there.
using Evaluator = std::function<std::vector<Quantity>(const State& state)>;
struct StateVerb {
  bool qd = false, qdd = false, tau = false;  ///< inputs besides q
  bool tree_only = false;                     ///< robots with loops must be opened by --tree
  Evaluator (*evaluator)(const Model<double>& model);
};
/// Adds ROBOT and all options, and returns the action.
Action add_state_verb(CLI::App& app, const StateVerb& verb);

}  // namespace torsor::command
