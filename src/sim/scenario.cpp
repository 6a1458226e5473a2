#include "torsor/sim/scenario.hpp"

#include <algorithm>

#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/internal/parameter_advice.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {

Model<double> changed(const Model<double>& model, const ModelChanges& changes) {
  Model<double> result = model;
  if (changes.gravity) result = with_gravity(result, *changes.gravity);
  if (changes.parameter_factor != 1 || !changes.parameters.empty()) {
    Array<double> p = parameters(result);
    for (double& x : p) x *= changes.parameter_factor;
    const std::vector<std::string> names = parameter_names(result);
    for (const ParameterValue& set : changes.parameters) {
      const auto found = std::find(names.begin(), names.end(), set.name);
      if (found == names.end())
        throw Error("no inertial parameter \"" + set.name + "\"" +
                    internal::parameter_advice(model, set.name, names));
      p[static_cast<int>(found - names.begin())] = set.value;
    }
    result = with_parameters(result, p);
  }
  for (const Payload& payload : changes.payloads)
    result = attach_payload(result, payload.link, payload.inertial);
  if (!changes.friction) result = with_effects(result, {.friction = false});
  return result;
}

Plant internal::plant_of(const Scenario& scenario) {
  Plant plant(scenario.plant_model);
  plant.friction = scenario.friction;
  plant.stops = scenario.stops;
  plant.surfaces = scenario.surfaces;
  plant.disturbance = scenario.disturbance;
  return plant;
}

Recording run_scenario(const Scenario& scenario) {
  const std::unique_ptr<ControlLaw> law =
      make_law(scenario.law, scenario.controller_model, scenario.parameters);
  return simulate(internal::plant_of(scenario), *law, scenario.reference, scenario.options);
}

}  // namespace torsor
