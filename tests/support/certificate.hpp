#pragma once
/// Conditions and predictions of a law for the run of its theorem (ideal_run), and what a
/// certificate says does not hold.
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

/// Names of the rows with this verdict.
inline std::vector<std::string> rows_with(Verdict verdict, const std::vector<Condition>& rows) {
  std::vector<std::string> names;
  for (const Condition& c : rows)
    if (c.verdict == verdict) names.push_back(c.name);
  return names;
}
inline std::vector<std::string> not_covered(const std::vector<Condition>& rows) {
  return rows_with(Verdict::not_covered, rows);
}
inline std::vector<std::string> violated(const std::vector<Condition>& rows) {
  return rows_with(Verdict::violated, rows);
}

}  // namespace torsor::testing
