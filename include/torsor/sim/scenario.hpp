#pragma once
/// A whole experiment as data: robot, what the plant and the controller believe of it, law,
/// reference, run.
///
/// experiments/scenario_file.hpp reads one from YAML; run_scenario runs it.
#include <optional>
#include <string>
#include <vector>

#include "torsor/control/law_registry.hpp"
#include "torsor/sim/simulate.hpp"
#include "torsor/sim/uncertainty.hpp"

namespace torsor {

struct Payload {
  std::string link;
  Inertial inertial;  ///< in the link's frame
};

struct ParameterValue {
  std::string name;  ///< "link_2.mx" (model/inertial_parameters.hpp)
  double value = 0;
};

/// How one side's robot differs from the file's, in the order in which the changes are made.
struct ModelChanges {
  std::optional<Vec3<double>> gravity;
  double parameter_factor = 1;             ///< on all inertial parameters; 0: nothing has mass
  std::vector<ParameterValue> parameters;  ///< single inertial parameters
  std::vector<Payload> payloads;
  bool friction = true;  ///< false: joints and motors have none; rotors stay
};
/// Throws Error for a parameter that the robot does not have (with the nearest name).
Model<double> changed(const Model<double>& model, const ModelChanges& changes);

struct Scenario {
  std::string name, title;
  Model<double> plant_model;       ///< the true robot
  Model<double> controller_model;  ///< what the law believes
  bool friction = true;
  JointStops stops{};
  std::vector<Surface> surfaces{};
  TorqueFunction disturbance{};
  std::string law;
  LawParameters parameters{};
  ReferenceFunction reference{};
  SimulateOptions options{};
  std::vector<std::string> outputs{};  ///< files for the recording
  SweepPlan sweep{};                   ///< what a sweep varies (batch/sweep.hpp)
};

namespace internal {
/// The true robot of a scenario, which outlives it.
Plant plant_of(const Scenario& scenario);
}  // namespace internal

/// Throws Error for what could be known before the run: gains, sizes, a reference that the law
/// cannot follow.
Recording run_scenario(const Scenario& scenario);

}  // namespace torsor
