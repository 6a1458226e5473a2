#include <memory>

#include "command.hpp"
#include "constrained_dynamics.hpp"

namespace torsor::command {
namespace {

/// With loops or couplings: also the multipliers.
Evaluator constrained(const Model<double>& model) {
  const auto dynamics = std::make_shared<ConstrainedDynamics>(model);
  return [&model, dynamics](const State& s) -> std::vector<Quantity> {
    std::vector<double> qdd = s.qdd, tau = s.tau, lambda;
    dynamics->check(s, false);
    dynamics->follow(s, s.F_ext, qdd, tau, lambda);
    return {coordinates("q", model, s.q), velocities("qd", model, s.qd),
            velocities("qdd", model, qdd), velocities("tau", model, tau),
            dynamics->multipliers(lambda)};
  };
}
Evaluator evaluator(const Model<double>& model) {
  if (has_constraints(model)) return constrained(model);
  const auto workspace = std::make_shared<DynamicsWorkspace<double>>(model);
  return [&model, workspace](const State& s) -> std::vector<Quantity> {
    std::vector<double> qdd = s.qdd, tau = s.tau;
    if (!hybrid_dynamics(model, *workspace, s.prescribed, s.q, s.qd, qdd, tau, s.F_ext))
      throw singular_mass_matrix(model);
    return {coordinates("q", model, s.q), velocities("qd", model, s.qd),
            velocities("qdd", model, qdd), velocities("tau", model, tau)};
  };
}

Action add(Arguments& app) {
  return add_state_verb(app, {.qd = true,
                              .qdd = true,
                              .tau = true,
                              .wrenches = true,
                              .prescribes = true,
                              .evaluator = evaluator});
}

}  // namespace

extern const Verb hd;
const Verb hd{
    "hd", "hybrid dynamics: some joints follow accelerations, the others obey torques",
    "  torsor hd planar2r --prescribe joint_1 --qdd 2,0 --tau 0,0.5\n"
    "  torsor hd puma560 --prescribe all --csv states.csv -o motion.csv\n"
    "\n"
    "Of a joint that is prescribed qdd is read and tau answered, of the others tau is\n"
    "read and qdd answered. A joint with several degrees of freedom is prescribed as one.\n",
    add};

}  // namespace torsor::command
