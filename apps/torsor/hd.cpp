#include <memory>

#include "command.hpp"
#include "states.hpp"

namespace torsor::command {
namespace {

Evaluator hd_evaluator(const Model<double>& model) {
  const auto ws = std::make_shared<DynamicsWorkspace<double>>(model);
  return [&model, ws](const State& s) -> std::vector<Quantity> {
    std::vector<double> qdd = s.qdd, tau = s.tau;
    require(model, s, hybrid_dynamics(model, *ws, s.prescribed, s.q, s.qd, qdd, tau, s.F_ext));
    std::vector<Quantity> all = motion_of(model, *ws, s, qdd, tau);
    if (ws->loops)
      all.push_back(
          scalar("lost_rank", note_lost_rank(model, ws->loops->set(), s.q,
                                             "qdd and tau are one of infinitely many answers")));
    return all;
  };
}

Action add_hd(Arguments& app) {
  return add_state_verb(app, {.qd = true,
                              .qdd = true,
                              .tau = true,
                              .wrenches = true,
                              .prescribes = true,
                              .evaluator = hd_evaluator});
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
    add_hd};

}  // namespace torsor::command
