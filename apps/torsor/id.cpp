#include <memory>

#include "command.hpp"
#include "id_methods.hpp"
#include "states.hpp"

namespace torsor::command {
namespace {

Reporter torque_report(const Model<double>& model) {
  const auto ws = std::make_shared<DynamicsWorkspace<double>>(model);
  const auto torque = [&model, ws](const State& s) {
    std::vector<double> tau(s.qd.size());
    require(model, s, inverse_dynamics(model, *ws, s.q, s.qd, s.qdd, s.F_ext, tau));
    return tau;
  };
  Reporter report{[&model, ws, torque](const State& s) {
    const std::vector<double> tau = torque(s);
    return motion_of(model, *ws, s, s.qdd, tau);
  }};
  if (!ws->loops)
    report.row = [torque](const State& s, std::vector<double>& row) {
      append_motion(s, s.qdd, torque(s), row);
    };
  return report;
}

Action add_id(Arguments& app) {
  const auto method = std::make_shared<std::string>();
  app.add_option("--method", *method,
                 "recursive, newton_euler, lagrange, matrices or all, and what they cost; rigid "
                 "bodies alone")
      .type_name("NAME");
  StateVerb verb{.qd = true, .qdd = true, .wrenches = true};
  verb.reporter = [method](const Model<double>& model, const Given& given) -> Reporter {
    return method->empty() ? torque_report(model) : method_report(model, *method, given);
  };
  return add_state_verb(app, verb);
}

}  // namespace

extern const Verb id;
const Verb id{
    "id", "inverse dynamics: the torques of a motion, with friction and rotors",
    "  torsor id planar2r --q 0.5,-1 --qd 1,0 --qdd 0,2\n"
    "  torsor id planar2r --f-ext tip=0,0,0,0,5,0            # a force on the tip\n"
    "  torsor id puma560 --csv motion.csv -o torques.csv     # reads q., qd., qdd.\n"
    "  torsor id five_bar --qdd 1,0,0,2,0 --close           # with loops: torques of the motors\n"
    "  torsor id puma560 --q 0,0.5,-1,0,0.3,0 --method all   # four algorithms, their cost\n",
    add_id};

}  // namespace torsor::command
