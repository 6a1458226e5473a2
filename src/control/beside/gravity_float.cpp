#include "torsor/control/beside/gravity_float.hpp"

#include <cmath>

#include "law_makers.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

GravityFloat::GravityFloat(const Model<double>& model, GravityFloatOptions options)
    : model_(&model),
      options_(std::move(options)),
      rnea_(model),
      momentum_(model),
      part_(static_cast<std::size_t>(model.n_v())) {
  options_.Kd.check(name, "Kd", model.n_v());
  if (!std::isfinite(options_.friction) || !(options_.width > 0))
    throw Error(std::string(name) + ": friction must be finite and width positive");
}

void GravityFloat::torque(double, const ControlState& state, View<const double>,
                          const ControlReference&, View<double> tau) {
  gravity_torque(*model_, rnea_, state.q, tau);
  joint_spring_torque(*model_, state.q, part_);
  for (int k = 0; k < tau.size; ++k) {
    DofConstants<double> dof = model_->dof(k);
    dof.width = std::fmax(dof.width, options_.width);
    tau[k] += part_[static_cast<std::size_t>(k)];
    if (options_.friction != 0) tau[k] += options_.friction * friction_torque(dof, state.qd[k]);
    part_[static_cast<std::size_t>(k)] = -state.qd[k];
  }
  options_.Kd.add_product(part_, tau);
}

std::vector<Condition> GravityFloat::conditions() {
  return {condition("Kd positive definite", "smallest eigenvalue of Kd",
                    options_.Kd.smallest_eigenvalue(), Relation::greater, 0),
          condition("friction not driven", "share of friction that is compensated",
                    options_.friction, Relation::at_least, 0),
          condition("friction not overcompensated", "share of friction that is compensated",
                    options_.friction, Relation::at_most, 1)};
}

std::vector<Prediction> GravityFloat::predictions() {
  const double rate = 2 * options_.Kd.smallest_eigenvalue() / inertia_bounds(*model_).largest;
  if (!(rate > 0)) return {};
  return {{"V decays at least at 2 l_m(Kd) / l_M(H)", Quantity::decay_rate, -1, rate}};
}

LyapunovValue GravityFloat::lyapunov(double, const ControlState& state, View<const double>,
                                     const ControlReference&, const Model<double>& plant) {
  double V = kinetic_form(plant, momentum_, state.q, state.qd) +
             potential_energy(plant, momentum_.kinematics) + joint_spring_energy(plant, state.q);
  forward_kinematics(*model_, momentum_.kinematics, state.q);
  V -= potential_energy(*model_, momentum_.kinematics) + joint_spring_energy(*model_, state.q);
  bool friction = options_.friction != 0;
  for (int k = 0; k < plant.n_v(); ++k)
    friction = friction || plant.dof(k).viscous != 0 || plant.dof(k).stiction != 0;
  return {V, -options_.Kd.quadratic(state.qd), friction};
}

AnyController make_gravity_float(const Model<double>& model, LawParameters& p) {
  GravityFloatOptions o;
  o.Kd = p.gain("Kd", model.n_v());
  o.friction = p.number("friction", o.friction);
  o.width = p.number("width", o.width);
  return AnyController(GravityFloat(model, std::move(o)));
}

}  // namespace torsor
