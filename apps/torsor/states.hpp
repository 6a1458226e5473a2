#pragma once
/// States of a robot on the command line, and what verbs compute of them.
///
/// A verb says which inputs it reads and how it turns one state into named quantities; options,
/// CSV, JSON and text are the same for all.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "quantity.hpp"
#include "robot_argument.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor::command {

struct State {
  std::vector<double> q, qd, qdd, tau;
  std::vector<Wrench<double>> F_ext{};  ///< per body, in its link frame; empty: none
  std::vector<char> prescribed{};       ///< per body, where the verb asks for it
};

/// The robot as the dynamics verbs want it.
struct DynamicsRobot {
  RobotArgument robot;
  bool no_friction = false;  ///< without friction, damping and rotor inertia
  bool tree = false;         ///< loops and couplings opened
};
void add_dynamics_robot(Arguments& app, DynamicsRobot& robot);
Model<double> load_model(const DynamicsRobot& robot);
/// Throws what kept a verb from an answer: Error where the state leaves loops open, else Failure,
/// which names the joints that move no mass.
void require(const Model<double>& model, const State& state, const DynamicsResult<double>& result);
/// The same of loops alone, for one state after the other.
class ClosedStates {
 public:
  /// `with_qd`: velocities, too, have to obey.
  ClosedStates(const Model<double>& model, bool with_qd);
  void require(const State& state);

 private:
  const Model<double>& model_;
  bool with_qd_;
  std::optional<ConstraintSet> set_;  // where there are loops
  std::optional<AssemblyWorkspace> ws_;
};
/// q, qd, qdd, tau and, of a robot with loops or couplings, the multipliers lambda.
std::vector<Quantity> motion_of(const Model<double>& model, const DynamicsWorkspace<double>& ws,
                                const State& state, const std::vector<double>& qdd,
                                const std::vector<double>& tau);
/// The values of the first four, at the end of `row`.
void append_motion(const State& state, const std::vector<double>& qdd,
                   const std::vector<double>& tau, std::vector<double>& row);
/// The rank that the loops lack at q (kinematics/mobility.hpp). Where they lack some, a line on
/// standard error says so, and `what` of the answer: "qdd is one of infinitely many accelerations".
int note_lost_rank(const Model<double>& model, const ConstraintSet& set,
                   const std::vector<double>& q, const std::string& what);
/// The same where the rank that they lack is known.
void note_lost_rank(const Model<double>& model, int lost, const std::string& what);
Quantity multipliers(const Model<double>& model, const std::vector<double>& lambda);
/// Moves q, qd and qdd to the nearest that loops and couplings allow. Throws Failure where there
/// are none near.
void close_loops(const Model<double>& model, State& state);

/// "shoulder,elbow", "all" or "none" of --prescribe: per body, whether it follows its acceleration.
std::vector<char> parse_prescribed(const std::string& text, const Model<double>& model);

/// Quantities of one state; made once for a model, so that workspaces live there.
using Evaluator = std::function<std::vector<Quantity>(const State& state)>;
/// The forms of one state's answer. Empty functions: JSON, text and values of the quantities.
struct Reporter {
  Evaluator quantities;  ///< a row of CSV
  std::function<Json(const State& state)> json{};
  std::function<std::string(const State& state)> text{};
  /// The values of the quantities alone, at the end of `row`: for many states, without their names.
  std::function<void(const State& state, std::vector<double>& row)> row{};
};
/// Which inputs the user wrote, whatever their values.
struct Given {
  bool q = false, qd = false, qdd = false, degrees = false;
};
struct StateVerb {
  bool qd = false, qdd = false, tau = false;  ///< inputs besides q
  bool wrenches = false;                      ///< takes --f-ext
  bool prescribes = false;                    ///< takes --prescribe
  bool geometry_only = false;                 ///< no forces: without --no-friction and --tree
  Evaluator (*evaluator)(const Model<double>& model) = nullptr;
  /// Instead of `evaluator`, for verbs with options or a text of their own.
  std::function<Reporter(const Model<double>& model, const Given& given)> reporter{};
};
/// Adds ROBOT and all options, and returns the action.
Action add_state_verb(Arguments& app, const StateVerb& verb);

}  // namespace torsor::command
