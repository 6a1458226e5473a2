#include <memory>

#include "command.hpp"
#include "print.hpp"
#include "states.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/mobility.hpp"

namespace torsor::command {
namespace {

Evaluator evaluator(const Model<double>& model) {
  const auto ws = std::make_shared<DynamicsWorkspace<double>>(model);
  return [&model, ws](const State& s) -> std::vector<Quantity> {
    std::vector<double> qdd(s.qd.size());
    require(model, s, forward_dynamics(model, *ws, s.q, s.qd, s.tau, s.F_ext, qdd));
    std::vector<Quantity> all = motion_of(model, *ws, s, qdd, s.tau);
    if (ws->loops) {
      const int lost = lost_rank(model, ws->loops->set(), s.q);
      all.push_back(scalar("lost_rank", lost));
      if (lost > 0)
        remark("torsor: " + one_line(model.name()) +
               ": the loops are singular at this q (their rank is " + std::to_string(lost) +
               " less than beside it): qdd is one of infinitely many accelerations");
    }
    return all;
  };
}

Action add(Arguments& app) {
  return add_state_verb(app, {.qd = true, .tau = true, .wrenches = true, .evaluator = evaluator});
}

}  // namespace

extern const Verb fd;
const Verb fd{"fd", "forward dynamics: the accelerations that torques cause",
              "  torsor fd planar2r --q 0.5,-1 --qd 1,0 --tau 3,0.5\n"
              "  torsor fd puma560 --csv torques.csv --json         # reads q., qd., tau.\n"
              "  torsor fd five_bar --tau 1,0,0,-1,0                # with loops: lambda, too\n",
              add};

}  // namespace torsor::command
