#include "torsor/control/beside/gravity_float.hpp"

#include <cmath>

#include "joint/set_point_proof.hpp"
#include "law_entries.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/friction.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace {

/// Speeds at which friction is compared, rad/s.
constexpr double slowest = 1e-4, fastest = 1e3, step = 1.3;

}  // namespace

GravityFloat::GravityFloat(const Model<double>& model, GravityFloatOptions options)
    : ControlLaw("gravity_float", model),
      options_(std::move(options)),
      rnea_(model),
      momentum_(model),
      part_(model.n_v()) {
  options_.Kd.check(name(), "Kd", model.n_v());
  if (!std::isfinite(options_.friction) || !(options_.width > 0))
    throw Error(std::string(name()) + ": friction must be finite and width positive");
  if (options_.friction != 0 && !model.motors().empty())
    throw Error(std::string(name()) + ": friction of robot \"" + model.name() +
                "\", whose motors turn with several joints, is not compensated; leave it at 0");
}

void GravityFloat::torque(const ControlInput& input, Out<double> tau) {
  gravity_torque(*model_, rnea_, input.state.q, tau);
  joint_spring_torque(*model_, input.state.q, part_);
  for (int k = 0; k < tau.size; ++k) {
    DofConstants<double> dof = model_->dof(k);
    dof.width = std::fmax(dof.width, options_.width);
    tau[k] += part_[k];
    if (options_.friction != 0)
      tau[k] += options_.friction * friction_torque(dof, input.state.qd[k]);
    part_[k] = -input.state.qd[k];
  }
  options_.Kd.add_product(part_, tau);
}

/// Largest share of the plant's friction that the law gives back, over joints and speeds.
double GravityFloat::friction_share(const Run& run) const {
  double most = 0;
  for (int k = 0; k < model_->n_v() && options_.friction != 0; ++k) {
    DofConstants<double> believed = model_->dof(k);
    believed.width = std::fmax(believed.width, options_.width);
    for (double speed = slowest; speed < fastest; speed *= step)
      for (const double v : {speed, -speed}) {  // both directions: they need not be alike
        const double way = v > 0 ? 1 : -1;
        const double given = options_.friction * friction_torque(believed, v) * way;
        const double taken = run.friction ? friction_torque(run.plant->dof(k), v) * way : 0;
        if (given > 0) most = std::fmax(most, taken > 0 ? given / taken : infinity);
      }
  }
  return most;
}

std::vector<Condition> GravityFloat::conditions(const Run& run) {
  return {
      condition("Kd positive definite", "smallest eigenvalue of Kd",
                options_.Kd.smallest_eigenvalue(), Relation::greater, 0),
      condition("friction not driven", "share of friction that is compensated", options_.friction,
                Relation::at_least, 0),
      condition("friction not overcompensated", "share of the believed friction", options_.friction,
                Relation::at_most, 1),
      condition(
          "friction of the plant not overcompensated", "largest share of the plant's own friction",
          friction_share(run), Relation::at_most, 1 + 1e-12,
          "speeds from " + short_number(slowest) + " to " + short_number(fastest) + " sampled")};
}

std::vector<Prediction> GravityFloat::predictions(const Run& run) {
  const double rate =
      2 * options_.Kd.smallest_eigenvalue() / inertia_bounds(*run.plant, 512, run.stops).largest;
  // with another weight V is more than the kinetic energy
  if (!(rate > 0) || !internal::weighs_as_believed(run)) return {};
  return {{"V decays at least at 2 l_m(Kd) / l_M(H)", PredictedQuantity::decay_rate, -1, rate}};
}

LyapunovValue GravityFloat::lyapunov(const ControlInput& input, const Model<double>& plant) {
  double V = kinetic_form(plant, momentum_, input.state.q, input.state.qd) +
             potential_energy(plant, momentum_.kinematics) +
             joint_spring_energy(plant, input.state.q);
  forward_kinematics(*model_, momentum_.kinematics, input.state.q);
  V -=
      potential_energy(*model_, momentum_.kinematics) + joint_spring_energy(*model_, input.state.q);
  bool friction = options_.friction != 0;
  for (int k = 0; k < plant.n_v(); ++k)
    friction = friction || plant.dof(k).viscous != 0 || plant.dof(k).stiction != 0 ||
               plant.dof(k).offset != 0 || plant.dof(k).load != 0;
  friction = friction || !plant.motors().empty();
  return {V, -options_.Kd.quadratic(input.state.qd), friction};
}

LawEntry internal::gravity_float() {
  return {"gravity_float",
          "beside/gravity_float.hpp",
          "the robot carries itself and is led by hand",
          {required_gain("Kd", GainKind::gain, "1", "N m s / rad", "damping"),
           optional_gain("friction", GainKind::number, "0", "",
                         "share of the believed friction that is compensated"),
           optional_gain("width", GainKind::number, "0.05", "rad/s",
                         "speed below which dry friction is compensated in part")},
          "none",
          "Huo 2005, sec. 3.3 at q_d = q",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            return std::make_unique<GravityFloat>(
                model, GravityFloatOptions{p.gain("Kd", model.n_v()), p.number("friction"),
                                           p.number("width")});
          }};
}

}  // namespace torsor
