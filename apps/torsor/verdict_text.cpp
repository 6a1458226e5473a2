#include "verdict_text.hpp"

#include <algorithm>
#include <cmath>

#include "text_output.hpp"

namespace torsor::command {

namespace {

const char* word(Verdict verdict) {
  return verdict == Verdict::not_covered ? "not_covered" : name_of(verdict);
}

/// All that this run lacks of its theorem is that its control is sampled.
bool of_samples_alone(const Recording& r) {
  if (r.period == 0) return false;
  bool stable = false;
  for (const Condition& c : r.conditions) {
    if (!c.satisfied() && c.name != "continuous control") return false;
    stable = stable || c.name == "the sampled loop is stable";
  }
  return stable;
}

}  // namespace

std::string verdict_summary(const std::vector<Condition>& conditions) {
  const auto count = [&](Verdict verdict) {
    return std::count_if(conditions.begin(), conditions.end(),
                         [&](const Condition& c) { return c.verdict == verdict; });
  };
  const auto good = count(Verdict::holds), bad = count(Verdict::violated),
             open = count(Verdict::not_covered);
  if (bad + open == 0) return "all " + std::to_string(good) + " conditions hold";
  std::string text = std::to_string(good) + (good == 1 ? " holds" : " hold");
  const auto names = [&](Verdict verdict) {
    std::string all;
    for (const Condition& c : conditions)
      if (c.verdict == verdict) all += (all.empty() ? ": " : "; ") + c.name;
    return all;
  };
  if (bad > 0) text += ", " + std::to_string(bad) + " violated" + names(Verdict::violated);
  if (open > 0)
    text += ", " + std::to_string(open) + " not covered by the proof" + names(Verdict::not_covered);
  return text;
}

std::string why_not_kept(const Recording& r) {
  const auto some = [&](Verdict verdict) {
    return std::any_of(r.conditions.begin(), r.conditions.end(),
                       [&](const Condition& row) { return row.verdict == verdict; });
  };
  if (of_samples_alone(r))
    return "a claim of continuous control, and this run is sampled every " + number(r.period) +
           " s";
  if (some(Verdict::violated)) return "not claimed: a condition of the proof is violated";
  if (some(Verdict::not_covered)) return "not claimed: the proof does not cover this run";
  return "";
}

std::string verdict_of(const Recording& r, const Comparison& c) {
  if (!c.covered) return "not judged: " + c.why_open;
  const std::string within = " (within " + number(c.allowed) + ")", why = why_not_kept(r);
  if (all_satisfied(r.conditions) || of_samples_alone(r))
    return (c.kept ? "kept" : "not kept") + within + (c.kept || why.empty() ? "" : ": " + why);
  return (c.kept ? "kept" + within + ", though " : std::string("not kept, and ")) + why;
}

bool keeps_its_proof(const Recording& r) {
  if (diverged(r) || !all_satisfied(r.conditions)) return false;
  for (const Comparison& c : compare_predictions(r))
    if (c.covered && !c.kept) return false;
  for (const OutcomeRow& row : outcome(r))
    if (row.verdict == OutcomeVerdict::bad && row.name.find("balance") != std::string::npos)
      return false;
  return true;
}

Json conditions_json(const std::vector<Condition>& conditions) {
  Json list = Json::array();
  for (const Condition& c : conditions)
    list.push_back({{"name", c.name},
                    {"text", c.text()},
                    {"value", c.value},
                    {"bound", c.bound},
                    {"verdict", word(c.verdict)}});
  return list;
}

Json predictions_json(const Recording& r) {
  Json list = Json::array();
  for (const Comparison& c : compare_predictions(r))
    list.push_back({{"name", c.prediction.name},
                    {"predicted", c.prediction.value},
                    {"observed", c.observed},
                    {"tolerance", c.allowed},
                    {"verdict", !c.covered ? "not_judged"
                                : c.kept   ? "kept"
                                           : "not_kept"},
                    {"text", verdict_of(r, c)}});
  return list;
}

std::string outcome_text(const Recording& r) {
  std::string text;
  for (const OutcomeRow& row : outcome(r)) {
    if (row.verdict == OutcomeVerdict::told && std::isnan(row.value)) continue;  // nothing there
    const std::string line = fitted(row.name + ": " + row.text, 4);
    text +=
        "  " + (row.verdict == OutcomeVerdict::bad ? coloured(Colour::yellow, line) : line) + "\n";
  }
  return text;
}

Json outcome_json(const Recording& r) {
  Json list = Json::array();
  for (const OutcomeRow& row : outcome(r))
    list.push_back({{"name", row.name},
                    {"verdict", name_of(row.verdict)},
                    {"value", row.value},
                    {"bound", row.bound},
                    {"text", row.text}});
  return list;
}

}  // namespace torsor::command
