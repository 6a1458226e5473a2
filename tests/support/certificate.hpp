#pragma once
/// Conditions and predictions of a law for the run of its theorem (ideal_run).
#include "torsor/control/run.hpp"

namespace torsor::testing {

template <class Law>
std::vector<Condition> conditions_of(Law&& law) {
  return law.conditions(ideal_run(law.model()));
}
template <class Law>
std::vector<Prediction> predictions_of(Law&& law) {
  return law.predictions(ideal_run(law.model()));
}

}  // namespace torsor::testing
