#include <memory>

#include "command.hpp"
#include "states.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor::command {
namespace {

Reporter gravity_report(const Model<double>& model) {
  const auto ws = std::make_shared<RneaWorkspace<double>>(model);
  const auto torque = [&model, ws](const State& s) {
    std::vector<double> gravity(s.qd.size());
    gravity_torque(model, *ws, s.q, gravity);
    return gravity;
  };
  return {.quantities = [&model, torque](const State& s) -> std::vector<Quantity> {
            return {velocities("gravity", model, torque(s), Rate::torque)};
          },
          .row =
              [torque](const State& s, std::vector<double>& row) {
                const std::vector<double> gravity = torque(s);
                row.insert(row.end(), gravity.begin(), gravity.end());
              }};
}

Action add_gravity(Arguments& app) {
  StateVerb verb;
  verb.reporter = [](const Model<double>& model, const Given&) { return gravity_report(model); };
  return add_state_verb(app, verb);
}

}  // namespace

extern const Verb gravity;
const Verb gravity{"gravity", "torques that hold the robot against its weight",
                   "  torsor gravity puma560 --q 0,45,0,0,30,0 --deg\n", add_gravity};

}  // namespace torsor::command
