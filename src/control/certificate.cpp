#include "torsor/control/certificate.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

#include "torsor/model/text.hpp"

namespace torsor {

namespace {

const char* symbol(Relation relation) {
  switch (relation) {
    case Relation::greater:
      return ">";
    case Relation::at_least:
      return ">=";
    case Relation::less:
      return "<";
    case Relation::at_most:
      return "<=";
    case Relation::equal:
      return "=";
  }
  return "?";
}
bool holds(double value, Relation relation, double bound) {
  switch (relation) {
    case Relation::greater:
      return value > bound;
    case Relation::at_least:
      return value >= bound;
    case Relation::less:
      return value < bound;
    case Relation::at_most:
      return value <= bound;
    case Relation::equal:
      return value == bound || (std::isfinite(bound) &&
                                std::abs(value - bound) <= 1e-9 * std::fmax(1, std::abs(bound)));
  }
  return false;
}
}  // namespace

std::string Condition::text() const {
  const auto told = [](double x) { return std::isinf(x) && x > 0 ? "infinite" : number(x); };
  std::string line = quantity + (std::isnan(value) ? " is not known" : " = " + told(value)) +
                     ", needed " + symbol(relation) + " " + told(bound);
  if (!note.empty()) line += " (" + note + ")";
  return line;
}

Condition condition(std::string name, std::string quantity, double value, Relation relation,
                    double bound, std::string note) {
  const Verdict verdict = holds(value, relation, bound) ? Verdict::holds : Verdict::violated;
  return {std::move(name), std::move(quantity), value, bound, relation, verdict, std::move(note)};
}

Condition hypothesis(std::string name, std::string quantity, double value, Relation relation,
                     double bound, std::string note) {
  const Verdict verdict = holds(value, relation, bound) ? Verdict::holds : Verdict::not_covered;
  return {std::move(name), std::move(quantity), value, bound, relation, verdict, std::move(note)};
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::violated:
      return "violated";
    case Verdict::not_covered:
      return "not covered";
  }
  return "";
}

Prediction linear_error(const std::string& joint, int dof, std::vector<double> coefficients) {
  return {"e of " + joint + " off the motion of its poles", PredictedQuantity::linear_error, dof, 0,
          std::move(coefficients)};
}

bool all_satisfied(const std::vector<Condition>& conditions) {
  for (const Condition& c : conditions)
    if (!c.satisfied()) return false;
  return true;
}

}  // namespace torsor
