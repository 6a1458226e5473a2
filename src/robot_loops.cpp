// Robot: closing loops, what they allow, and the dynamics of rigid bodies under them.
#include "robot_workspaces.hpp"
#include "torsor/kinematics/assembly_modes.hpp"

namespace torsor {
namespace {

struct Loops {
  ConstraintSet set;
  AssemblyWorkspace assembly;
  explicit Loops(const Model<double>& model) : set(model), assembly(model, set) {}
};
struct ForwardLoops : ConstrainedWorkspace {
  explicit ForwardLoops(const Model<double>& model)
      : ConstrainedWorkspace(model, ConstraintSet(model)) {}
};
struct InverseLoops : ConstrainedInverseWorkspace {
  explicit InverseLoops(const Model<double>& model)
      : ConstrainedInverseWorkspace(model, ConstraintSet(model)) {}
};

}  // namespace

View<const double> Robot::closed(ConstVector q) {
  const View<const double> at = checked(q);
  if (!has_loops(model())) return at;
  auto& [set, ws] = work<Loops>();
  internal::require(model(), closure(model(), set, ws, at));
  return at;
}
View<const double> Robot::closed(ConstVector q, ConstVector qd) {
  check("qd", qd);
  const View<const double> at = checked(q);
  if (!has_loops(model())) return at;
  auto& [set, ws] = work<Loops>();
  internal::require(model(), closure(model(), set, ws, at, qd));
  return at;
}
View<const double> Robot::tree(ConstVector q, ConstVector qd) {
  if (has_loops(model()))
    refuse("has loops or couplings; dynamics on a base that is carried along are for trees");
  return closed(q, qd);
}
View<const double> Robot::stabilised(ConstVector q, ConstVector qd, const Baumgarte& poles) {
  if (poles.p1 == 0 && poles.p2 == 0) return closed(q, qd);
  check("qd", qd);
  return checked(q);
}

int Robot::n_constraints() const { return ConstraintSet(model()).n_rows(); }
Robot::Names Robot::constraint_names() const {
  const ConstraintSet set(model());
  Names out;
  for (int row = 0; row < set.n_rows(); ++row) out.push_back(set.row_name(row));
  return out;
}
Robot::ConstraintRows Robot::constraint_rows(ConstVector q, ConstVector qd) {
  check("qd", qd);
  auto& [set, ws] = work<Loops>();
  ConstraintRows out{Vector(set.n_rows()), Matrix(set.n_rows(), n_v()), Vector(set.n_rows())};
  torsor::constraint_rows(model(), set, ws.rows, checked(q), qd, out.phi, out.A, out.bias);
  return out;
}
ConstraintErrors Robot::constraint_errors(ConstVector q, ConstVector qd, ConstVector qdd) {
  if (qd.size() > 0) check("qd", qd);
  if (qdd.size() > 0) check("qdd", qdd);
  auto& [set, ws] = work<Loops>();
  return torsor::constraint_errors(model(), set, ws, checked(q), qd, qdd);
}
Robot::Assembled Robot::assemble(ConstVector q, const JointSet& moving, AssemblyOptions options) {
  auto& [set, ws] = work<Loops>();
  Assembled out{{}, internal::to_eigen(checked(q)), ""};
  options.moving = velocity_flags(moving);
  static_cast<Assembly&>(out) = torsor::assemble(model(), set, ws, out.q, options);
  out.message = torsor::message(set, out);
  return out;
}
std::vector<Robot::Vector> Robot::assembly_modes(ConstVector q, const JointSet& moving, int samples,
                                                 unsigned seed, AssemblyOptions options,
                                                 const std::function<bool(double)>& progress) {
  options.moving = velocity_flags(moving);
  std::vector<Vector> out;
  for (const auto& mode : torsor::assembly_modes(model(), work<Loops>().set, checked(q), options,
                                                 samples, seed, progress))
    out.push_back(internal::to_eigen(mode));
  return out;
}
Robot::Projected Robot::project_velocity(ConstVector q, ConstVector qd, const JointSet& moving) {
  check("qd", qd);
  auto& [set, ws] = work<Loops>();
  Projected out{qd, 0};
  out.residual =
      torsor::project_velocity(model(), set, ws, checked(q), out.rates, velocity_flags(moving));
  return out;
}
Robot::Projected Robot::project_acceleration(ConstVector q, ConstVector qd, ConstVector qdd,
                                             const JointSet& moving) {
  check("qd", qd);
  check("qdd", qdd);
  auto& [set, ws] = work<Loops>();
  Projected out{qdd, 0};
  out.residual = torsor::project_acceleration(model(), set, ws, checked(q), qd, out.rates,
                                              velocity_flags(moving));
  return out;
}
Mobility Robot::mobility(ConstVector q, const JointSet& actuated, const FrameArgument& output,
                         bool output_point) {
  MobilityOptions options;
  options.actuated = velocity_flags(actuated);
  options.output = output.empty() ? nullptr : &find(output);
  options.output_point = output_point;
  return torsor::mobility(model(), work<Loops>().set, closed(q), options);
}

Robot::Constrained Robot::constrained_forward_dynamics(ConstVector q, ConstVector qd,
                                                       ConstVector tau, const Wrenches& external,
                                                       const ConstrainedOptions& options) {
  check("tau", tau);
  auto& ws = work<ForwardLoops>();
  Constrained out{{}, Vector(n_v()), tau, Vector(ws.set.n_rows())};
  static_cast<ConstrainedResult&>(out) = torsor::constrained_forward_dynamics(
      model(), ws, stabilised(q, qd, options.stabilisation), qd, tau, body_wrenches(external),
      out.qdd, out.lambda, options);
  return out;
}
Robot::Constrained Robot::constrained_hybrid_dynamics(const JointSet& prescribed, ConstVector q,
                                                      ConstVector qd, ConstVector qdd,
                                                      ConstVector tau, const Wrenches& external,
                                                      const ConstrainedOptions& options) {
  check("qdd", qdd);
  check("tau", tau);
  auto& ws = work<ForwardLoops>();
  Constrained out{{}, qdd, tau, Vector(ws.set.n_rows())};
  static_cast<ConstrainedResult&>(out) = torsor::constrained_hybrid_dynamics(
      model(), ws, body_flags(prescribed), stabilised(q, qd, options.stabilisation), qd, out.qdd,
      out.tau, body_wrenches(external), out.lambda, options);
  return out;
}
Robot::ConstrainedTorques Robot::constrained_inverse_dynamics(const JointSet& actuated,
                                                              ConstVector q, ConstVector qd,
                                                              ConstVector qdd, ConstVector tau,
                                                              const Wrenches& external,
                                                              const ActuationOptions& options) {
  check("qdd", qdd);
  check("tau", tau);
  const ConstraintSet& set = work<Loops>().set;
  ConstrainedTorques out{{}, tau, Vector(set.n_rows())};
  const std::vector<char> motors = actuated_velocities(model());
  static_cast<ConstrainedInverseResult&>(out) = torsor::constrained_inverse_dynamics(
      model(), set, work<InverseLoops>(),
      actuated.empty() ? In<char>(motors) : velocity_flags(actuated), closed(q, qd), qd, qdd,
      body_wrenches(external), out.tau, out.lambda, options);
  return out;
}

}  // namespace torsor
