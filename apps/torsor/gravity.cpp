#include <memory>

#include "command.hpp"
#include "states.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor::command {
namespace {

Evaluator evaluator(const Model<double>& model) {
  const auto workspace = std::make_shared<RneaWorkspace<double>>(model);
  return [&model, workspace](const State& s) -> std::vector<Quantity> {
    std::vector<double> gravity(s.qd.size());
    gravity_torque(model, *workspace, s.q, gravity);
    return {velocities("gravity", model, gravity, Rate::torque)};
  };
}

Action add(Arguments& app) { return add_state_verb(app, {.evaluator = evaluator}); }

}  // namespace

extern const Verb gravity;
const Verb gravity{"gravity", "torques that hold the robot against its weight",
                   "  torsor gravity puma560 --q 0,45,0,0,30,0 --deg\n", add};

}  // namespace torsor::command
