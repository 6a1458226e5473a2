#include <memory>

#include "command.hpp"
#include "constrained_dynamics.hpp"

namespace torsor::command {
namespace {

/// With loops or couplings: torques of the joints that have an actuator, and the multipliers.
Evaluator constrained(const Model<double>& model) {
  const auto dynamics = std::make_shared<ConstrainedDynamics>(model);
  return [&model, dynamics](const State& s) -> std::vector<Quantity> {
    std::vector<double> tau, lambda;
    dynamics->check(s, true);
    dynamics->drive(s, s.F_ext, tau, lambda);
    return {coordinates("q", model, s.q), velocities("qd", model, s.qd),
            velocities("qdd", model, s.qdd), velocities("tau", model, tau),
            dynamics->multipliers(lambda)};
  };
}
Evaluator evaluator(const Model<double>& model) {
  if (has_constraints(model)) return constrained(model);
  const auto torque = std::make_shared<JointTorque<double>>(model);
  return [&model, torque](const State& s) -> std::vector<Quantity> {
    std::vector<double> tau(s.qd.size());
    (*torque)(s.q, s.qd, s.qdd, s.F_ext, tau);
    return {coordinates("q", model, s.q), velocities("qd", model, s.qd),
            velocities("qdd", model, s.qdd), velocities("tau", model, tau)};
  };
}

Action add(Arguments& app) {
  return add_state_verb(app, {.qd = true, .qdd = true, .wrenches = true, .evaluator = evaluator});
}

}  // namespace

extern const Verb id;
const Verb id{"id", "inverse dynamics: the torques of a motion, with friction and rotors",
              "  torsor id planar2r --q 0.5,-1 --qd 1,0 --qdd 0,2\n"
              "  torsor id planar2r --f-ext tip=0,0,0,0,5,0               a force on the tip\n"
              "  torsor id puma560 --csv motion.csv -o torques.csv       columns q., qd., qdd.\n"
              "  torsor id five_bar --qdd 1,0,0,2,0 --close              with loops: the motors'\n",
              add};

}  // namespace torsor::command
