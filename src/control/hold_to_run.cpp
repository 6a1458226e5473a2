/// What a run did beside what was asked before it.
#include <algorithm>
#include <cmath>
#include <string>

#include "sampled_loop.hpp"
#include "scope_rows.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace {

std::string at(double t) { return "at t = " + short_number(t) + " s"; }

Condition* find(std::vector<Condition>& rows, const std::string& name) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const Condition& c) { return c.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

/// The row of that name, which held, or a new one.
void contradict(std::vector<Condition>& rows, Condition found) {
  Condition* const row = find(rows, found.name);
  if (row == nullptr)
    rows.push_back(std::move(found));
  else if (row->satisfied())
    *row = std::move(found);
}

/// Hypotheses compared again at the states of the run, and inequalities that are of states.
void hold_states(std::vector<Condition>& rows, ControlLaw& law, const Run& run, RunTrace& trace) {
  if (trace.instants.empty()) return;
  auto seen = std::make_shared<RunRange>(run_range(law, run));
  seen->instants = std::move(trace.instants);
  seen->speed = std::move(trace.speed);
  seen->passed = true;
  const std::string count = internal::count_of(seen->instants.size(), "posture") + " of the run";
  const std::string postures = "sampled, " + count;
  const auto take = [&](std::vector<Condition> again) {
    for (Condition& c : again)
      if (!c.satisfied()) contradict(rows, std::move(c));
  };
  take(control_detail::Scope(law, run, *seen, postures).rows_of_states());
  if (run.period > 0 && law.hypotheses().closes_loop && !law.switches())
    take(control_detail::sampled_control(law, run, *seen));
  if (!law.conditions_of_states()) return;
  Run passed = run;
  passed.range = seen;
  std::vector<Condition> again = law.conditions(passed);
  for (Condition& c : again)
    if (const Condition* row = find(rows, c.name); row != nullptr && row->satisfied())
      c.note += (c.note.empty() ? "" : "; ") + std::string("at ") + count;
  take(std::move(again));
}

/// What no theorem covers: runs that were not integrated, or whose robot has no equation of motion.
void see_integration(std::vector<Condition>& rows, const RunTrace& trace) {
  if (!std::isnan(trace.singular_at))
    rows.push_back(hypothesis("mass matrix regular", "1: it became singular", 1, Relation::equal, 0,
                              at(trace.singular_at) + ": " + trace.singular));
  if (trace.energy_balance > trace.energy_tolerance)
    rows.push_back(hypothesis("the integration is accurate", "balance of the energy off by, J",
                              trace.energy_balance, Relation::at_most, trace.energy_tolerance,
                              "what its steps explain; shorter steps are needed"));
  if (trace.explained > trace.most_explained)
    rows.push_back(hypothesis("the integration is fine enough", "errors that its steps explain",
                              trace.explained, Relation::at_most, trace.most_explained,
                              "a hundredth of the motion; a smaller tolerance is needed"));
}

/// Where all rows still hold and the run is not what they promise, something acts that none names:
/// in sampled control the samples, else what is not known.
void see_promise(std::vector<Condition>& rows, const Run& run, const RunTrace& trace) {
  if (!all_satisfied(rows)) return;
  const char* const unnamed = "no row above says why";
  if (!std::isnan(trace.diverged_at))
    rows.push_back(hypothesis("errors stay bounded", "1: the run diverged", 1, Relation::equal, 0,
                              "until t = " + short_number(trace.diverged_at) + " s; " + unnamed));
  else if (!trace.stopped.empty())
    rows.push_back(hypothesis("the run comes to its end", "1: it was stopped", 1, Relation::equal,
                              0, trace.stopped));
  else if (trace.value_balance > trace.value_tolerance)
    rows.push_back(hypothesis("V follows its rate", "balance of V off by", trace.value_balance,
                              Relation::at_most, trace.value_tolerance, unnamed));
  else if (trace.missed > 0 && run.period > 0)
    rows.push_back(hypothesis("continuous control", "period, s", run.period, Relation::equal, 0,
                              std::to_string(trace.missed) + " of " +
                                  internal::count_of(trace.claims, "claim") +
                                  " of continuous control missed, though the loop is stable"));
  else if (trace.missed > 0)
    rows.push_back(hypothesis("the run is as predicted", "predictions that were not kept",
                              trace.missed, Relation::equal, 0, unnamed));
}

}  // namespace

void hold_to_run(std::vector<Condition>& rows, ControlLaw& law, const Run& run, RunTrace trace) {
  const Hypotheses theorem = law.hypotheses();
  const Model<double>& plant = *run.plant;
  if (!std::isnan(trace.saturated_at))
    contradict(rows, hypothesis("torques of the reference within their limits",
                                "largest share of a limit", 1, Relation::less, 1,
                                plant.dof_name(trace.saturated_dof) + " reached its limit " +
                                    at(trace.saturated_at) + " of the run"));
  if (theorem.surface == Hypotheses::Surface::none && !std::isnan(trace.touched_at))
    contradict(rows, hypothesis("nothing is touched", "smallest distance from a surface, m", 0,
                                Relation::greater, 0,
                                "the run touched " + trace.touched + " " + at(trace.touched_at)));
  if (run.stops && !std::isnan(trace.stop_at))
    contradict(rows, hypothesis("no stop is touched", "smallest distance from a stop, rad or m",
                                -trace.beyond_stop, Relation::greater, 0,
                                plant.dof_name(trace.stop_dof) + " of the run, first " +
                                    at(trace.stop_at)));
  for (int k = 0; k < std::min(theorem.speed.size(), trace.speed.size()); ++k)
    if (trace.speed[k] > theorem.speed[k]) {
      contradict(
          rows, hypothesis("the run keeps the stated speed", "largest speed, rad/s or m/s",
                           trace.speed[k], Relation::at_most, theorem.speed[k], plant.dof_name(k)));
      break;
    }
  // What is linear at postures without error says nothing of errors as large as these, where no other
  // row says why they grew.
  const bool told = std::any_of(rows.begin(), rows.end(),
                                [](const Condition& c) { return c.verdict == Verdict::violated; });
  if (Condition* loop = find(rows, "the sampled loop is stable");
      loop != nullptr && loop->satisfied() && !told && !std::isnan(trace.diverged_at)) {
    loop->verdict = Verdict::not_covered;
    loop->note += "; the run diverged until t = " + short_number(trace.diverged_at) +
                  " s: its errors were larger than what is linear";
  }
  hold_states(rows, law, run, trace);
  if (rows.empty()) return;  // nothing is claimed
  see_integration(rows, trace);
  see_promise(rows, run, trace);
}

}  // namespace torsor
