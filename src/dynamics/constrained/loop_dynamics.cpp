#include "torsor/dynamics/constrained/loop_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "torsor/kinematics/mobility.hpp"

namespace torsor {
namespace {

using Fault = LoopStatus::Fault;

constexpr double open_at_most = 1e-6;

double largest(In<double> x) {
  double most = 0;
  for (const double e : x) most = std::max(most, std::abs(e));
  return most;
}

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

/// Kind, name and unit of the constraint that owns a row.
struct RowText {
  std::string name, unit = "m or rad";
};
RowText text_of(const ConstraintSet& set, int row) {
  for (const LoopConstraint& loop : set.loops())
    if (row >= loop.first_row && row < loop.first_row + loop.n_rows) {
      const internal::LoopShape shape = internal::shape_of(loop.kind);
      const int turns = shape.moments + (shape.universal ? 1 : 0);
      return {"loop \"" + loop.name + "\"", row - loop.first_row < turns ? "rad" : "m"};
    }
  for (const ConstraintSet::Part& part : set.parts())
    if (row >= part.first_row && row < part.first_row + part.n_rows)
      return {"coupling \"" + part.name + "\""};
  return {};
}

internal::LoopDynamicsResult status(LoopStatus loops) { return {loops, 1, true}; }

}  // namespace

LoopStatus closure(const Model<double>& model, const ConstraintSet& set, AssemblyWorkspace& ws,
                   In<double> q, In<double> qd, In<double> qdd) {
  const ConstraintErrors e = constraint_errors(model, set, ws, q, qd, qdd);
  const double v = largest(qd), a = largest(qdd);
  if (!(e.position <= open_at_most)) return {Fault::position, e.position_row, e.position};
  if (!(e.velocity <= open_at_most * std::max(1.0, v)))
    return {Fault::velocity, e.velocity_row, e.velocity};
  if (!(e.acceleration <= open_at_most * std::max({1.0, a, v * v})))
    return {Fault::acceleration, e.acceleration_row, e.acceleration};
  return {};
}

std::string message(const Model<double>& model, const LoopStatus& status) {
  const RowText row = text_of(ConstraintSet(model), status.row);
  const std::string by = number_text(status.by) + " " + row.unit, robot = model.name() + ": ";
  switch (status.fault) {
    case Fault::none:
      return "";
    case Fault::position:
      return robot + row.name + " is open by " + by +
             " at this q; assemble() or --close closes it, --tree leaves it out";
    case Fault::velocity:
      return robot + "qd opens " + row.name + " by " + by +
             "/s; project_velocity() or --close finds the nearest that fits";
    case Fault::acceleration:
      return robot + "qdd opens " + row.name + " by " + by +
             "/s^2; project_acceleration() or --close finds the nearest that fits";
    case Fault::contradicted:
      return robot +
             "no acceleration satisfies all loops and couplings here; they contradict each "
             "other by " +
             number_text(status.by);
    case Fault::undriven:
      return robot + std::to_string(status.passive) + " passive velocities and a rank of " +
             std::to_string(status.rank) + ": no motor torque makes this motion (" +
             number_text(status.by) +
             " N m or N are missing); hybrid dynamics prescribes some joints";
  }
  return "";
}

namespace internal {
namespace {

/// t with friction of the load.
double supplied(const Model<double>& model, int k, double v, double t, const Effects& effects) {
  return effects.friction ? with_load_friction(model.dof(k), v, t) : t;
}

}  // namespace

LoopDynamics::LoopDynamics(const Model<double>& model)
    : assembly(model, ConstraintSet(model)),
      forward(model, ConstraintSet(model)),
      inverse(model, forward.set),
      actuated(actuated_velocities(model)),
      lambda(forward.set.n_rows()),
      left(model.n_v()) {
  for (const char has_motor : actuated) passive += has_motor ? 0 : 1;
}

LoopDynamicsResult LoopDynamics::inverse_dynamics(const Model<double>& model, In<double> q,
                                                  In<double> qd, In<double> qdd, In<double> joint,
                                                  In<Wrench<double>> F, const Effects& effects,
                                                  Out<double> tau) {
  if (const LoopStatus loops = closure(model, set(), assembly, q, qd, qdd); !loops)
    return status(loops);
  if (passive > set().n_rows()) return status({Fault::undriven, -1, 0, passive, set().n_rows()});
  for (int k = 0; k < model.n_v(); ++k) tau[k] = -joint[k];  // read where a joint is passive
  if (effects.friction) subtract_load_friction(model, qd, tau);
  inverse.rnea.rotors = effects.rotors;
  const ConstrainedInverseResult result =
      constrained_inverse_dynamics(model, set(), inverse, actuated, q, qd, qdd, F, tau, lambda);
  for (int k = 0; k < model.n_v(); ++k)
    tau[k] = actuated[k] ? supplied(model, k, qd[k], tau[k], effects) + joint[k] : 0;
  if (!result) return status({Fault::undriven, -1, result.residual, result.passive, result.rank});
  return {};
}

LoopDynamicsResult LoopDynamics::hybrid_dynamics(const Model<double>& model, In<char> prescribed,
                                                 In<double> q, In<double> qd, Out<double> qdd,
                                                 Out<double> tau, In<double> joint,
                                                 In<Wrench<double>> F, const Effects& effects) {
  if (const LoopStatus loops = closure(model, set(), assembly, q, qd); !loops) return status(loops);
  for (int k = 0; k < model.n_v(); ++k) left[k] = tau[k] - joint[k];
  if (effects.friction) subtract_load_friction(model, qd, left);
  forward.rotors = effects.rotors;
  const ConstrainedResult result =
      prescribed.empty()
          ? constrained_forward_dynamics(model, forward, q, qd, left, F, qdd, lambda)
          : constrained_hybrid_dynamics(model, forward, prescribed, q, qd, qdd, left, F, lambda);
  for (int i = 1; i < model.n_bodies(); ++i) {
    if (prescribed.empty() || !prescribed[i]) continue;  // a given torque stays as it was given
    const Dofs v = model.body(i).v;
    for (int k = v.first; k < v.first + v.count; ++k)
      tau[k] = supplied(model, k, qd[k], left[k], effects) + joint[k];
  }
  LoopDynamicsResult found{{}, regularity(forward.D).pivot_ratio, result.mass_regular};
  if (!result.consistent) found.loops = {Fault::contradicted, -1, result.inconsistency};
  return found;
}

}  // namespace internal

}  // namespace torsor
