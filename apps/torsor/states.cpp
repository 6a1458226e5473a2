#include "states.hpp"

#include <algorithm>

#include "command.hpp"
#include "print.hpp"
#include "torsor/dynamics/singular_mass.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/mobility.hpp"
#include "torsor/model/internal/loop_rows.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::command {

void add_dynamics_robot(Arguments& app, DynamicsRobot& robot) {
  add_robot(app, robot.robot);
  app.add_flag("--no-friction", robot.no_friction, "without friction, damping and rotor inertia");
  app.add_flag("--tree", robot.tree, "open loops and couplings");
}
Model<double> load_model(const DynamicsRobot& robot) {
  const Effects effects{
      .rotors = !robot.no_friction, .friction = !robot.no_friction, .loops = !robot.tree};
  const Model<double> model(with_effects(load(robot.robot), effects));
  return robot.robot.floating ? with_base(model, JointKind::free) : model;
}
void require(const Model<double>& model, const State& state, const DynamicsResult<double>& result) {
  if (!result.loops.closed()) throw Error(message(model, result));
  if (!result.regular) throw Failure(singular_mass_message(model, state.q, state.prescribed));
  if (!result) throw Failure(message(model, result));
}
ClosedStates::ClosedStates(const Model<double>& model, bool with_qd)
    : model_(model), with_qd_(with_qd) {
  if (!has_loops(model)) return;
  set_.emplace(model);
  ws_.emplace(model, *set_);
}
void ClosedStates::require(const State& s) {
  if (!set_) return;
  const In<double> qd = with_qd_ ? In<double>(s.qd) : In<double>{};
  command::require(model_, s, {1, true, closure(model_, *set_, *ws_, s.q, qd)});
}
std::vector<Quantity> motion_of(const Model<double>& model, const DynamicsWorkspace<double>& ws,
                                const State& state, const std::vector<double>& qdd,
                                const std::vector<double>& tau) {
  std::vector<Quantity> all{coordinates("q", model, state.q),
                            velocities("qd", model, state.qd, Rate::velocity),
                            velocities("qdd", model, qdd, Rate::acceleration),
                            velocities("tau", model, tau, Rate::torque)};
  if (ws.loops) all.push_back(multipliers(model, ws.loops->lambda));
  return all;
}
void append_motion(const State& state, const std::vector<double>& qdd,
                   const std::vector<double>& tau, std::vector<double>& row) {
  for (const std::vector<double>* x : {&state.q, &state.qd, &qdd, &tau})
    row.insert(row.end(), x->begin(), x->end());
}
int note_lost_rank(const Model<double>& model, const ConstraintSet& set,
                   const std::vector<double>& q, const std::string& what) {
  const int lost = lost_rank(model, set, q);
  note_lost_rank(model, lost, what);
  return lost;
}
void note_lost_rank(const Model<double>& model, int lost, const std::string& what) {
  if (lost > 0)
    remark("torsor: " + one_line(model.name()) +
           ": the loops are singular at this q (their rank is " + std::to_string(lost) +
           " less than beside it): " + what);
}
Quantity multipliers(const Model<double>& model, const std::vector<double>& lambda) {
  const ConstraintSet set(model);
  Quantity out{"lambda", {}, {}, lambda};
  for (int row = 0; row < set.n_rows(); ++row) out.rows.push_back(set.row_name(row));
  Array<std::string> units(set.n_rows(), "N");
  const auto is_moment = [&](int row) { units[row] = "N m"; };
  for (const LoopConstraint& loop : set.loops()) {
    const internal::LoopShape shape = internal::shape_of(loop.kind);
    for (int k = 0; k < shape.moments + (shape.universal ? 1 : 0); ++k)
      is_moment(loop.first_row + k);
  }
  const Array<Measure> measures = velocity_measures(model);
  for (const CouplingConstraint& c : set.couplings())  // of a row in the unit of its first joint
    if (measures[c.terms.front().v] == Measure::angle) is_moment(c.first_row);
  out.units = std::move(units);
  return out;
}
void close_loops(const Model<double>& model, State& s) {
  const ConstraintSet set(model);
  AssemblyWorkspace ws(model, set);
  const Assembly result = assemble(model, set, ws, s.q);
  if (!result) throw Failure("\"" + model.name() + "\": " + message(set, result));
  (void)project_velocity(model, set, ws, s.q, s.qd);
  (void)project_acceleration(model, set, ws, s.q, s.qd, s.qdd);
}

std::vector<char> parse_prescribed(const std::string& text, const Model<double>& model) {
  Array<char> prescribed(model.n_bodies(), text == "all" ? 1 : 0);
  if (text == "all" || text == "none") return prescribed;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string joint = text.substr(begin, end - begin);
    try {
      prescribed[model.joint_index(joint)] = 1;
    } catch (const Error& refused) {
      throw Error("--prescribe: " + std::string(refused.what()));
    }
    begin = end + 1;
  }
  return prescribed;
}

}  // namespace torsor::command
