#pragma once
/// Whether the plant of a run is a robot that a law's parameters can say: what moves, weighs and
/// rubs, at speeds of the run and near rest.
#include "torsor/control/run.hpp"
#include "torsor/control/uncertain/parameter_set.hpp"

namespace torsor::internal {

struct PlantInSet {
  Array<double> p;         ///< of the plant
  double unexplained = 0;  ///< largest torque that no p gives, over the largest torque; sampled

  /// "the plant differs in the stated parameters alone".
  Condition condition() const;
};
PlantInSet plant_in_set(const ParameterSet& set, const Run& run);

}  // namespace torsor::internal
