#include "torsor/control/make_controller.hpp"

#include <algorithm>

#include "law_makers.hpp"
#include "torsor/control/adaptive_hybrid_position_force.hpp"
#include "torsor/control/admittance.hpp"
#include "torsor/control/adaptive_computed_torque.hpp"
#include "torsor/control/computed_torque.hpp"
#include "torsor/control/hybrid_position_force.hpp"
#include "torsor/control/independent_pd.hpp"
#include "torsor/control/independent_pid.hpp"
#include "torsor/control/multi_arm_adaptive.hpp"
#include "torsor/control/multi_arm_hybrid.hpp"
#include "torsor/control/gravity_float.hpp"
#include "torsor/control/independent_pd.hpp"
#include "torsor/control/independent_pid.hpp"
#include "torsor/control/joint_limit_avoidance.hpp"
#include "torsor/control/momentum_observer.hpp"
#include "torsor/control/multi_arm_impedance.hpp"
#include "torsor/control/nonlinear_decoupling.hpp"
#include "torsor/control/operational_space.hpp"
#include "torsor/control/optimal_computed_torque.hpp"
#include "torsor/control/passivity_tracking.hpp"
#include "torsor/control/pd_fixed_gravity.hpp"
#include "torsor/control/pd_gravity.hpp"
#include "torsor/control/point_lqr.hpp"
#include "torsor/control/resolved_acceleration.hpp"
#include "torsor/control/robust_computed_torque.hpp"
#include "torsor/control/sliding_computed_torque.hpp"
#include "torsor/control/sliding_passivity.hpp"
#include "torsor/control/sliding_regressor_bound.hpp"
#include "torsor/control/slotine_li.hpp"

namespace torsor {

namespace {

struct LawKind {
  const char* name;
  LawMaker* make;
};

/// Lambda0 and Lambda1, or two poles per degree of freedom by their real and imaginary parts.
DecouplingGains decoupling_gains(int n, LawParameters& p) {
  if (!p.has("poles")) return {p.numbers("Lambda0", n), p.numbers("Lambda1", n)};
  const std::vector<double> re = p.numbers("poles", 2 * n);
  const std::vector<double> im = p.numbers("imaginary", 2 * n, std::vector<double>(re.size(), 0.0));
  std::vector<std::complex<double>> poles;
  for (std::size_t k = 0; k < re.size(); ++k) poles.emplace_back(re[k], im[k]);
  return NonlinearDecoupling::from_poles(poles);
}

PdiGains pdi_gains(LawParameters& p, int n) {
  return {p.gain("Kp", n), p.gain("Kd", n), p.gain("Ki", n, Gain())};
}

OrientationError orientation_error(const std::string& word) {
  const std::vector<std::string> known{"axis_sine", "quaternion", "rotation_vector", "euler"};
  for (std::size_t k = 0; k < known.size(); ++k)
    if (word == known[k]) return static_cast<OrientationError>(k);
  throw Error("unknown orientation error \"" + word + "\"" + did_you_mean(word, known));
}

/// In alphabetical order.
const LawKind kinds[] = {
    {AdaptiveHybridPositionForce::name, make_adaptive_hybrid_position_force},
    {Admittance::name, make_admittance},
    {AdaptiveComputedTorque::name, make_adaptive_computed_torque},
    {ComputedTorque::name,
     [](const Model<double>& model, LawParameters& p) {
       return AnyController(ComputedTorque(model, pdi_gains(p, model.n_v())));
     }},
    {Feedforward::name,
     [](const Model<double>& model, LawParameters& p) {
       return AnyController(Feedforward(model, pdi_gains(p, model.n_v())));
     }},
    {HybridPositionForce::name, make_hybrid_position_force},
    {ImpedanceControl::name, make_impedance},
    {GravityFloat::name, make_gravity_float},
    {IndependentPd::name,
     [](const Model<double>& model, LawParameters& p) {
       const int n = model.n_v();
       return AnyController(IndependentPd(model, {p.gain("Kp", n), p.gain("Kd", n)}));
     }},
    {IndependentPid::name,
     [](const Model<double>& model, LawParameters& p) {
       const int n = model.n_v();
       return AnyController(
           IndependentPid(model, {p.gain("Kp", n), p.gain("Ki", n), p.gain("Kd", n)}));
     }},
    {MultiArmAdaptive::name, make_multi_arm_adaptive},
    {MultiArmHybrid::name, make_multi_arm_hybrid},
    {JointLimitAvoidance::name, make_joint_limit_avoidance},
    {MomentumObserver::name, make_momentum_observer},
    {MultiArmImpedance::name, make_multi_arm_impedance},
    {NonlinearDecoupling::name,
     [](const Model<double>& model, LawParameters& p) {
       return AnyController(NonlinearDecoupling(model, decoupling_gains(model.n_v(), p)));
     }},
    {OperationalSpace::name, make_operational_space},
    {OptimalComputedTorque::name,
     [](const Model<double>& model, LawParameters& p) {
       const int n = model.n_v();
       OptimalWeights weights{p.gain("Q", 2 * n), p.gain("R0", n)};
       const double horizon = p.number("horizon", 0);
       if (horizon == 0) return AnyController(OptimalComputedTorque(model, std::move(weights)));
       return AnyController(
           OptimalComputedTorque(model, std::move(weights), p.gain("P", 2 * n), horizon));
     }},
    {PassivityTracking::name,
     [](const Model<double>& model, LawParameters& p) {
       const int n = model.n_v();
       return AnyController(PassivityTracking(model, {p.gain("Lambda", n), p.gain("Kd", n)}));
     }},
    {PointLqr::name,
     [](const Model<double>& model, LawParameters& p) {
       const int n = model.n_v();
       return AnyController(
           PointLqr(model, p.numbers("point", model.n_q()), p.gain("Q", 2 * n), p.gain("R", n)));
     }},
    {PdFixedGravity::name,
     [](const Model<double>& model, LawParameters& p) {
       return AnyController(PdFixedGravity(model, pdi_gains(p, model.n_v())));
     }},
    {PdGravity::name,
     [](const Model<double>& model, LawParameters& p) {
       return AnyController(PdGravity(model, pdi_gains(p, model.n_v())));
     }},
    {ResolvedAcceleration::name,
     [](const Model<double>& model, LawParameters& p) {
       ResolvedAccelerationOptions o;
       o.frame = p.word("frame", o.frame);
       o.kp = p.number("kp");
       o.kd = p.number("kd");
       o.axes = p.word("axes", o.axes);
       o.orientation = orientation_error(p.word("orientation", "axis_sine"));
       return AnyController(ResolvedAcceleration(model, o));
     }},
    {RobustComputedTorque::name, make_robust_computed_torque},
    {SlidingComputedTorque::name, make_sliding_computed_torque},
    {SlidingPassivity::name, make_sliding_passivity},
    {SlidingRegressorBound::name, make_sliding_regressor_bound},
    {SlotineLiAdaptive::name, make_slotine_li},
};

}  // namespace

void LawParameters::set(const std::string& name, std::vector<double> numbers) {
  entries_.push_back({name, std::move(numbers), {}, false});
}
void LawParameters::set(const std::string& name, std::vector<std::string> words) {
  entries_.push_back({name, {}, std::move(words), true});
}
void LawParameters::scale(const std::string& name, double factor) {
  if (!find(name)) {
    std::vector<std::string> given;
    for (const Entry& e : entries_) given.push_back(e.name);
    throw Error("there is no gain \"" + name + "\"" + did_you_mean(name, given));
  }
  for (Entry& e : entries_) {
    if (e.name == name && e.is_words) throw Error("gain \"" + name + "\" is no number");
    if (e.name == name)
      for (double& x : e.numbers) x *= factor;
  }
}
const LawParameters::Entry* LawParameters::find(const std::string& name) const {
  for (const Entry& e : entries_)
    if (e.name == name) return &e;
  return nullptr;
}
const LawParameters::Entry& LawParameters::take(const std::string& name, bool words) {
  asked_.push_back(name);
  const Entry* entry = find(name);
  if (!entry) {
    std::vector<std::string> given;
    for (const Entry& e : entries_) given.push_back(e.name);
    throw Error("parameter \"" + name + "\" is missing" + did_you_mean(name, given));
  }
  if (entry->is_words != words)
    throw Error("parameter \"" + name + "\" takes " + (words ? "words, not numbers" : "numbers"));
  return *entry;
}

double LawParameters::number(const std::string& name) { return numbers(name, 1)[0]; }
double LawParameters::number(const std::string& name, double fallback) {
  asked_.push_back(name);
  return has(name) ? number(name) : fallback;
}
std::vector<double> LawParameters::numbers(const std::string& name, int count) {
  const std::vector<double>& x = take(name, false).numbers;
  const auto n = static_cast<std::size_t>(count);
  if (x.size() == 1) return std::vector<double>(n, x[0]);
  if (x.size() != n)
    throw Error("parameter \"" + name + "\" has " + std::to_string(x.size()) + " numbers; 1 or " +
                std::to_string(count) + " are needed");
  return x;
}
std::vector<double> LawParameters::numbers(const std::string& name, int count,
                                           std::vector<double> fallback) {
  asked_.push_back(name);
  return has(name) ? numbers(name, count) : std::move(fallback);
}
Gain LawParameters::gain(const std::string& name, int n) {
  const std::vector<double>& x = take(name, false).numbers;
  const auto full = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  if (n > 1 && x.size() == full) return Gain::full(n, x);
  return Gain(numbers(name, n));
}
Gain LawParameters::gain(const std::string& name, int n, Gain fallback) {
  asked_.push_back(name);
  return has(name) ? gain(name, n) : std::move(fallback);
}
std::string LawParameters::word(const std::string& name) {
  const std::vector<std::string>& list = take(name, true).words;
  if (list.size() != 1)
    throw Error("parameter \"" + name + "\" has " + std::to_string(list.size()) +
                " words; one is needed");
  return list[0];
}
std::string LawParameters::word(const std::string& name, const std::string& fallback) {
  asked_.push_back(name);
  return has(name) ? word(name) : fallback;
}
std::vector<std::string> LawParameters::words(const std::string& name) {
  return take(name, true).words;
}
std::vector<std::string> LawParameters::words(const std::string& name,
                                              std::vector<std::string> fallback) {
  asked_.push_back(name);
  return has(name) ? words(name) : std::move(fallback);
}
void LawParameters::check_all_taken(const std::string& law) const {
  for (const Entry& e : entries_)
    if (std::find(asked_.begin(), asked_.end(), e.name) == asked_.end())
      throw Error("law \"" + law + "\" has no parameter \"" + e.name + "\"" +
                  did_you_mean(e.name, asked_));
}

std::vector<std::string> controller_names() {
  std::vector<std::string> names;
  for (const LawKind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

LawMaker& maker_of(const std::string& law) {
  for (const LawKind& kind : kinds)
    if (law == kind.name) return *kind.make;
  throw Error("unknown control law \"" + law + "\"" + did_you_mean(law, controller_names()));
}

AnyController make_controller(const std::string& law, const Model<double>& model,
                              LawParameters parameters) {
  AnyController controller = maker_of(law)(model, parameters);
  parameters.check_all_taken(law);
  return controller;
}

}  // namespace torsor
