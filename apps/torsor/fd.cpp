#include <memory>

#include "command.hpp"
#include "constrained_dynamics.hpp"

namespace torsor::command {
namespace {

/// With loops or couplings: also the multipliers.
Evaluator constrained(const Model<double>& model) {
  const auto dynamics = std::make_shared<ConstrainedDynamics>(model);
  return [&model, dynamics](const State& s) -> std::vector<Quantity> {
    std::vector<double> qdd, lambda;
    dynamics->check(s, false);
    dynamics->accelerate(s, s.F_ext, qdd, lambda);
    return {coordinates("q", model, s.q), velocities("qd", model, s.qd),
            velocities("qdd", model, qdd), velocities("tau", model, s.tau),
            dynamics->multipliers(lambda)};
  };
}
Evaluator evaluator(const Model<double>& model) {
  if (has_constraints(model)) return constrained(model);
  const auto acceleration = std::make_shared<JointAcceleration<double>>(model);
  return [&model, acceleration](const State& s) -> std::vector<Quantity> {
    std::vector<double> qdd(s.qd.size());
    if (!(*acceleration)(s.q, s.qd, s.tau, s.F_ext, qdd)) throw singular_mass_matrix(model);
    return {coordinates("q", model, s.q), velocities("qd", model, s.qd),
            velocities("qdd", model, qdd), velocities("tau", model, s.tau)};
  };
}

Action add(Arguments& app) {
  return add_state_verb(app, {.qd = true, .tau = true, .wrenches = true, .evaluator = evaluator});
}

}  // namespace

extern const Verb fd;
const Verb fd{"fd", "forward dynamics: the accelerations that torques cause",
              "  torsor fd planar2r --q 0.5,-1 --qd 1,0 --tau 3,0.5\n"
              "  torsor fd puma560 --csv torques.csv --json              columns q., qd., tau.\n"
              "  torsor fd five_bar --tau 1,0,0,-1,0                     with loops: lambda too\n",
              add};

}  // namespace torsor::command
