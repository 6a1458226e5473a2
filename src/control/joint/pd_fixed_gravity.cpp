#include "torsor/control/joint/pd_fixed_gravity.hpp"

#include <cmath>

#include "configuration_search.hpp"
#include "gain_rows.hpp"
#include "joint/set_point_proof.hpp"
#include "law_entries.hpp"
#include "run_start.hpp"
#include "torsor/dynamics/derivatives/rnea_derivatives.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace {

/// dG/dq + K over configurations.
class StiffnessSearch {
 public:
  StiffnessSearch(const Model<double>& model, const Gain& K, int samples, bool within_limits)
      : model_(model),
        K_(K),
        samples_(samples),
        within_limits_(within_limits),
        ws_(model),
        slope_(model.n_v() * model.n_v()) {}

  double smallest() {
    return -over_configurations(
        [&](const Array<double>& q) { return -at(q).smallest_eigenvalue(); });
  }
  double largest() {
    return over_configurations([&](const Array<double>& q) { return at(q).largest_eigenvalue(); });
  }

 private:
  Gain at(const Array<double>& q) {
    const int n = model_.n_v();
    gravity_torque_derivatives(model_, ws_, q, column_major(slope_.data(), n, n));
    for (int r = 0; r < K_.size(); ++r)
      for (int c = 0; c < K_.size(); ++c) slope_[r * n + c] += K_(r, c);
    return Gain::full(n, slope_);
  }
  template <class Function>
  double over_configurations(Function f) const {
    return control_detail::largest_over_configurations(model_, samples_, within_limits_, f);
  }

  const Model<double>& model_;
  const Gain& K_;
  int samples_;
  bool within_limits_;
  InverseDynamicsDerivativesWorkspace<double> ws_;
  Array<double> slope_;
};

double smallest_stiffness(const Model<double>& model, const Gain& K, bool within_limits) {
  return StiffnessSearch(model, K, 512, within_limits).smallest();
}

}  // namespace

GravityStiffness gravity_stiffness(const Model<double>& model, const Gain& K, int samples,
                                   bool within_limits) {
  StiffnessSearch search(model, K, samples, within_limits);
  return {search.smallest(), search.largest(), samples};
}

PdFixedGravity::PdFixedGravity(const Model<double>& model, PdiGains gains)
    : SetPointLaw("pd_fixed_gravity", model, std::move(gains)),
      rnea_(model),
      momentum_(model),
      G_(e_.size()) {}

void PdFixedGravity::torque(const ControlInput& input, Out<double> tau) {
  tracking_error(*model_, input, e_, edot_);
  gravity_torque(*model_, rnea_, input.reference.q, tau);
  gains_.add(e_, edot_, input.x_c, tau);
}

double PdFixedGravity::slide_room(const Run& run) const {
  const Model<double>& plant = *run.plant;
  const Array<double> q_d = internal::set_point(run);
  double room = infinity;
  for (int i = 1; i < plant.n_bodies(); ++i) {
    if (plant.body(i).kind != JointKind::prismatic) continue;
    const Limits& limits = plant.limits(plant.body(i).v.first);
    const double at = q_d[plant.body(i).q.first];
    room = std::fmin(room, at - (limits.lower > -infinity ? limits.lower : -1));
    room = std::fmin(room, (limits.upper < infinity ? limits.upper : 1) - at);
  }
  return room;
}

std::vector<Condition> PdFixedGravity::conditions(const Run& run) {
  std::vector<Condition> all = gains_.conditions();
  if (gains_.has_integral()) {
    all.push_back(internal::integral_condition(run, gains_.Kp, gains_.Kd, gains_.Ki, nullptr));
    return all;
  }
  const GravityStiffness bare = gravity_stiffness(*run.plant, {}, 512, run.stops);
  const double smallest = smallest_stiffness(*run.plant, gains_.Kp, run.stops);
  all.push_back(condition(
      "dG/dq + Kp positive definite everywhere (Huo 2005, (3-25))",
      "smallest eigenvalue of dG/dq + Kp over q", smallest, Relation::greater, 0,
      "dG/dq of the plant within [" + short_number(bare.smallest) + ", " +
          short_number(bare.largest) + "]; " + std::to_string(bare.samples) +
          " configurations sampled" + (run.stops ? " within the limits, which stops keep" : "")));
  const double V = internal::lyapunov_at_start(*this, run);
  internal::append(all, internal::half_turns_of_joints(*run.plant, smallest, V));
  if (const double room = slide_room(run); room < infinity)
    all.push_back(condition("sliding joints stay where dG/dq was searched",
                            "farthest that V(0) lets the robot go from q_d",
                            smallest > 0 ? std::sqrt(2 * std::fmax(V, 0) / smallest) : infinity,
                            Relation::less, room));
  return all;
}

std::vector<Prediction> PdFixedGravity::predictions(const Run& run) {
  return gains_.reach(smallest_stiffness(*model_, gains_.Kp, run.stops),
                      internal::lyapunov_at_start(*this, run));
}

LyapunovValue PdFixedGravity::lyapunov(const ControlInput& input, const Model<double>& plant) {
  tracking_error(*model_, input, e_, edot_);
  gravity_torque(plant, rnea_, input.reference.q, G_);
  double V = kinetic_form(plant, momentum_, input.state.q, edot_) + 0.5 * gains_.Kp.quadratic(e_) +
             potential_energy(plant, momentum_.kinematics);
  forward_kinematics(plant, momentum_.kinematics, input.reference.q);
  V -= potential_energy(plant, momentum_.kinematics);
  for (int k = 0; k < e_.size(); ++k) V += G_[k] * e_[k];
  return {V, -gains_.Kd.quadratic(edot_) - gains_.integral_form(edot_, input.x_c),
          internal::has_friction(plant)};
}

using namespace internal;

LawEntry internal::pd_fixed_gravity() {
  return {"pd_fixed_gravity",
          "joint/pd_fixed_gravity.hpp",
          "the same with G(q_d) alone, if dG/dq + Kp > 0 at all q (without Ki)",
          pdi_gain_list("N m / rad", "N m s / rad"),
          "q of the joints, constant",
          "Huo 2005, sec. 3.3, (3-10) to (3-27); Takegaki & Arimoto 1981",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            return std::make_unique<PdFixedGravity>(model, pdi_gains(p, model.n_v()));
          }};
}

}  // namespace torsor
