#include "verdict_text.hpp"

#include <algorithm>

namespace torsor::command {

namespace {

/// A run that stopped early shows nothing of what is claimed about its end.
bool judged(const Recording& r, const Comparison&) { return r.stop == StopReason::finished; }

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::violated:
      return "violated";
    case Verdict::not_covered:
      return "not_covered";
  }
  return "";
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
  if (bad > 0) text += ", " + std::to_string(bad) + " violated";
  if (open == 0) return text;
  text += ", " + std::to_string(open) + " not covered by the proof:";
  const char* before = " ";
  for (const Condition& c : conditions)
    if (c.verdict == Verdict::not_covered) text += before + c.name, before = "; ";
  return text;
}

std::string verdict_of(const Recording& r, const Comparison& c) {
  if (!judged(r, c)) return "not judged: the run stopped early";
  return c.kept ? "kept" : "not kept";
}

bool keeps_its_proof(const Recording& r) {
  const std::vector<Comparison> all = compare_predictions(r);
  return all_satisfied(r.conditions) &&
         std::all_of(all.begin(), all.end(), [&](const auto& c) { return judged(r, c) && c.kept; });
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
                    {"verdict", !judged(r, c) ? "not_judged"
                                : c.kept      ? "kept"
                                              : "not_kept"}});
  return list;
}

}  // namespace torsor::command
