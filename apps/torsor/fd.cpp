#include <CLI/CLI.hpp>
#include <memory>

#include "command.hpp"
#include "joint_dynamics.hpp"
#include "states.hpp"

namespace torsor::command {
namespace {

Evaluator evaluator(const Model<double>& model) {
  const auto acceleration = std::make_shared<JointAcceleration<double>>(model);
  return [&model, acceleration](const State& s) -> std::vector<Quantity> {
    std::vector<double> qdd(s.qd.size());
    if (!(*acceleration)(s.q, s.qd, s.tau, s.F_ext, qdd)) throw singular_mass_matrix(model);
    return {coordinates("q", model, s.q), velocities("qd", model, s.qd),
            velocities("qdd", model, qdd), velocities("tau", model, s.tau)};
  };
}

Action add(CLI::App& app) {
  return add_state_verb(
      app, {.qd = true, .tau = true, .tree_only = true, .wrenches = true, .evaluator = evaluator});
}

}  // namespace

extern const Verb fd;
const Verb fd{"fd", "forward dynamics: the accelerations that torques cause",
              "  torsor fd planar2r --q 0.5,-1 --qd 1,0 --tau 3,0.5\n"
              "  torsor fd puma560 --csv torques.csv --json              columns q., qd., tau.\n",
              add};

}  // namespace torsor::command
