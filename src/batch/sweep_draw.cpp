// What a sample of a sweep is made of.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include "torsor/batch/sweep.hpp"
#include "torsor/math/fixed_array.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {

namespace {

enum class Kind : unsigned char {
  parameter_factor,
  link_factor,
  inertial_factor,
  friction_factor,
  payload_mass,
  start_q,
  start_qd,
  noise_seed,
  gain
};

/// One number of a sample: what it is, of which link, payload, degree of freedom or gain.
struct Value {
  std::string name;
  Kind kind;
  int index = 0;
  Distribution distribution{};
};

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

std::vector<Value> values_of(const Scenario& s) {
  const SweepPlan& plan = s.sweep;
  const Model<double>& m = s.plant_model;
  const View<const UncertainPayload> payloads(plan.payloads);
  const View<const UncertainGain> gains(plan.gains);
  std::vector<Value> all;
  if (plan.parameter_factor)
    all.push_back({"parameter_factor", Kind::parameter_factor, 0, *plan.parameter_factor});
  for (int i = 1; plan.link_factor && i < m.n_bodies(); ++i)
    all.push_back({m.body_name(i) + ".factor", Kind::link_factor, i - 1, *plan.link_factor});
  if (plan.inertial_factor) {
    const Array<std::string> names = parameter_names(m);
    for (int k = 0; k < names.size(); ++k)
      all.push_back({names[k], Kind::inertial_factor, k, *plan.inertial_factor});
  }
  if (plan.friction_factor)
    all.push_back({"friction_factor", Kind::friction_factor, 0, *plan.friction_factor});
  for (int k = 0; k < payloads.size; ++k)
    all.push_back(
        {payloads.size == 1 ? "payload.mass" : "payload_" + std::to_string(k + 1) + ".mass",
         Kind::payload_mass, k, payloads[k].mass});
  for (const auto& [spread, kind, word] : {std::tuple{plan.start_q, Kind::start_q, "start.q."},
                                           std::tuple{plan.start_qd, Kind::start_qd, "start.qd."}})
    for (int k = 0; spread && k < m.n_v(); ++k)
      all.push_back({word + m.dof_name(k), kind, k, *spread});
  if (plan.noise) all.push_back({"noise_seed", Kind::noise_seed});
  for (int k = 0; k < gains.size; ++k)
    all.push_back({"gain." + gains[k].name, Kind::gain, k, gains[k].factor});
  return all;
}

/// The same numbers on every machine, which std's distributions do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  double operator()(const Distribution& d) {
    if (d.kind == Distribution::Kind::uniform) return d.a + (d.b - d.a) * uniform();
    const double u = uniform(), v = uniform();
    return d.a + d.b * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }

 private:
  std::mt19937_64 engine_;
};

/// splitmix64: neighbours in (seed, index) give numbers that have nothing in common.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15u + index + 0x632be59bd9b4e019u;
  for (int k = 0; k < 2; ++k) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
  }
  return z;
}

/// Ten factors for a link, drawn again until it is a possible body where it was one. False: none was
/// found, and the last draw stands.
bool draw_link(Random& random, const Distribution& d, const double* p,
               std::vector<double>& values) {
  const bool possible = is_physical(inertia_of(p));
  FixedArray<double, parameters_per_body> factors{}, drawn{};
  bool found = false;
  for (int tries = 0; tries < 10000 && !found; ++tries) {
    for (int k = 0; k < factors.size(); ++k) {
      factors[k] = random(d);
      drawn[k] = factors[k] * p[k];
    }
    found = !possible || is_physical(inertia_of(static_cast<const double*>(drawn.data())));
  }
  values.insert(values.end(), factors.begin(), factors.end());
  return found;
}

/// Why nothing can have this value; empty where something can.
std::string impossible(const Value& v, double x) {
  const bool zero = v.kind == Kind::friction_factor || v.kind == Kind::payload_mass;
  switch (v.kind) {
    case Kind::parameter_factor:
    case Kind::link_factor:
    case Kind::friction_factor:
    case Kind::payload_mass:
    case Kind::gain:
      if (x > 0 || (zero && x == 0)) return {};
      return v.name + " = " + short_number(x) + (zero ? " is negative" : " is not positive");
    default:
      return {};
  }
}

void scale(Friction& f, double factor) {
  f.viscous *= factor, f.damping *= factor, f.viscous_asymmetry *= factor;
  f.coulomb *= factor, f.stiction *= factor, f.coulomb_asymmetry *= factor;
  f.offset *= factor, f.load *= factor;
}
Model<double> with_friction(const Model<double>& model, double factor) {
  RobotDescription robot = model.description();
  for (Joint& joint : robot.joints) {
    for (Friction& f : joint.friction) scale(f, factor);
    for (Actuator& motor : joint.actuator) motor.motor_viscous *= factor;
  }
  for (Motor& motor : robot.motors) scale(motor.friction, factor);
  return Model<double>(std::move(robot));
}

}  // namespace

std::vector<std::string> sweep_value_names(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Value& v : values_of(scenario)) names.push_back(v.name);
  return names;
}

SweepSample draw_sample(const Scenario& scenario, long index) {
  SweepSample sample{index, mixed(scenario.sweep.seed, static_cast<std::uint64_t>(index)), {}};
  Random random(sample.seed);
  const std::vector<double> p = parameters(scenario.plant_model);
  const auto refuse = [&](const std::string& why) {
    if (sample.impossible.empty()) sample.impossible = why;
  };
  for (const Value& v : values_of(scenario)) switch (v.kind) {
      case Kind::inertial_factor:
        if (v.index % parameters_per_body == 0 &&
            !draw_link(random, v.distribution, p.data() + v.index, sample.values))
          refuse("no possible body found for " + v.name.substr(0, v.name.rfind('.')) +
                 " in 10000 draws of inertial_factor");
        break;
      case Kind::noise_seed:
        sample.values.push_back(std::floor(0x1p32 * random.uniform()));
        break;
      default:
        sample.values.push_back(random(v.distribution));
        refuse(impossible(v, sample.values.back()));
    }
  return sample;
}

Scenario with_sample(const Scenario& scenario, const SweepSample& sample) {
  if (!sample.impossible.empty())
    throw Error("sample " + std::to_string(sample.index) + " is impossible: " + sample.impossible);
  Scenario s = scenario;
  const Array<Value> all = values_of(scenario);
  const View<const double> values(sample.values);
  if (values.size != all.size())
    throw Error("sweep: a sample has " + std::to_string(values.size) + " values; " +
                std::to_string(all.size()) + " are needed");
  const View<const UncertainPayload> payloads(s.sweep.payloads);
  Array<double> p = parameters(s.plant_model), dq(s.plant_model.n_v()), mass(payloads.size);
  double friction = 1;
  bool scaled = false;
  s.options.v0.resize(s.plant_model.n_v());
  for (int k = 0; k < all.size(); ++k) {
    const double x = values[k];
    const int i = all[k].index;
    const auto scale = [&](int first, int count) {
      scaled = true;
      for (int j = first; j < first + count; ++j) p[j] *= x;
    };
    switch (all[k].kind) {
      case Kind::parameter_factor:
        scale(0, p.size());
        break;
      case Kind::link_factor:
        scale(parameters_per_body * i, parameters_per_body);
        break;
      case Kind::inertial_factor:
        scale(i, 1);
        break;
      case Kind::friction_factor:
        friction = x;
        break;
      case Kind::payload_mass:
        mass[i] = x;
        break;
      case Kind::start_q:
        dq[i] = x;
        break;
      case Kind::start_qd:
        s.options.v0[i] += x;
        break;
      case Kind::noise_seed:
        s.options.sensors.seed = static_cast<unsigned long>(x);
        break;
      case Kind::gain:
        s.parameters.scale(View<const UncertainGain>(s.sweep.gains)[i].name, x);
        break;
    }
  }
  if (friction != 1) s.plant_model = with_friction(s.plant_model, friction);
  if (scaled) s.plant_model = with_parameters(s.plant_model, p);
  for (int k = 0; k < mass.size(); ++k) {
    const UncertainPayload& load = payloads[k];
    const double J = 0.4 * mass[k] * load.radius * load.radius;
    if (mass[k] > 0)
      s.plant_model =
          attach_payload(s.plant_model, load.link, {mass[k], load.com, {J, 0, J, 0, 0, J}});
  }
  Array<double> q(s.plant_model.n_q());
  neutral(s.plant_model, q);
  if (!s.options.q0.empty()) q = s.options.q0;
  s.options.q0.resize(s.plant_model.n_q());
  integrate(s.plant_model, View<const double>(q), View<const double>(dq),
            View<double>(s.options.q0));
  return s;
}

}  // namespace torsor
