#include <memory>

#include "command.hpp"
#include "states.hpp"

namespace torsor::command {
namespace {

Reporter acceleration_report(const Model<double>& model) {
  const auto ws = std::make_shared<DynamicsWorkspace<double>>(model);
  const auto acceleration = [&model, ws](const State& s) {
    std::vector<double> qdd(s.qd.size());
    require(model, s, forward_dynamics(model, *ws, s.q, s.qd, s.tau, s.F_ext, qdd));
    return qdd;
  };
  Reporter report{[&model, ws, acceleration](const State& s) {
    const std::vector<double> qdd = acceleration(s);
    std::vector<Quantity> all = motion_of(model, *ws, s, qdd, s.tau);
    if (ws->loops)
      all.push_back(scalar("lost_rank", note_lost_rank(model, ws->loops->set(), s.q,
                                                       "qdd is one of infinitely many "
                                                       "accelerations")));
    return all;
  }};
  if (!ws->loops)
    report.row = [acceleration](const State& s, std::vector<double>& row) {
      append_motion(s, acceleration(s), s.tau, row);
    };
  return report;
}

Action add_fd(Arguments& app) {
  StateVerb verb{.qd = true, .tau = true, .wrenches = true};
  verb.reporter = [](const Model<double>& model, const Given&) {
    return acceleration_report(model);
  };
  return add_state_verb(app, verb);
}

}  // namespace

extern const Verb fd;
const Verb fd{"fd", "forward dynamics: the accelerations that torques cause",
              "  torsor fd planar2r --q 0.5,-1 --qd 1,0 --tau 3,0.5\n"
              "  torsor fd puma560 --csv torques.csv --json         # reads q., qd., tau.\n"
              "  torsor fd five_bar --tau 1,0,0,-1,0                # with loops: lambda, too\n",
              add_fd};

}  // namespace torsor::command
