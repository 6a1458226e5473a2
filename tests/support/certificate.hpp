#pragma once
/// Conditions and predictions of a law for the run of its theorem (ideal_run), and what a
/// certificate says does not hold.
#include "torsor/control/run.hpp"

namespace torsor::testing {

template <class Law>
std::vector<Condition> conditions_of(Law&& law) {
  return law.conditions(ideal_run(law.model()));
}
/// The same from another posture.
template <class Law>
std::vector<Condition> conditions_from(Law&& law, Array<double> q0) {
  Run run = ideal_run(law.model());
  run.q0 = std::move(q0);
  return law.conditions(run);
}
template <class Law>
std::vector<Prediction> predictions_of(Law&& law) {
  return law.predictions(ideal_run(law.model()));
}

/// The ideal run of a robot with another reference and start.
inline Run run_from(const Model<double>& model, ReferenceFunction reference, Array<double> q0,
                    Array<double> v0 = {}, double duration = 1) {
  Run run = ideal_run(model);
  run.reference = std::move(reference);
  run.q0 = std::move(q0);
  if (!v0.empty()) run.v0 = std::move(v0);
  run.duration = duration;
  return run;
}

/// The first row whose name has this in it; one without a name where there is none.
inline Condition row(const std::vector<Condition>& rows, const std::string& part) {
  for (const Condition& c : rows)
    if (c.name.find(part) != std::string::npos) return c;
  return {};
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
