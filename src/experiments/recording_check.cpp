#include "recording_check.hpp"

#include <cmath>
#include <set>
#include <string_view>

#include "torsor/formats/text.hpp"
#include "torsor/model/error.hpp"

namespace torsor::internal {

namespace {

class Check {
 public:
  Check(const Recording& r, const std::string& file) : r_(r), file_(one_line(file)) {}

  void all() const {
    times();
    for (const Series* s : r_.series()) names(*s);
    same_joints();
    columns_are(r_.lyapunov, {"V", "V.rate", "V.balance"});
    columns_are(r_.energy, {"energy.kinetic", "energy.potential", "work.motor", "work.loss",
                            "work.external", "energy.balance"});
    for (const Condition& c : r_.conditions) {
      if (c.relation > Relation::equal) fail("condition " + in_quotes(c.name) + " has no relation");
      if (c.verdict > Verdict::not_covered)
        fail("condition " + in_quotes(c.name) + " has no verdict");
    }
    for (const Prediction& p : r_.predictions) prediction(p);
    if (!(r_.period >= 0) || !std::isfinite(r_.period))
      fail("the period is " + format_number(r_.period) + " s");
    for (const long count : {r_.evaluations, r_.steps, r_.events})
      if (count < 0) fail("holds the count " + std::to_string(count));
    if (*name_of(r_.stop) == '\0') fail("does not say why the run ended");
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw Error(file_ + ": " + why); }

  void times() const {
    for (std::size_t k = 0; k < r_.t.size(); ++k) {
      const std::string row = "row " + std::to_string(k + 1) + ": t = " + format_number(r_.t[k]);
      if (!std::isfinite(r_.t[k])) fail(row + " is not finite");
      if (k > 0 && r_.t[k] < r_.t[k - 1])
        fail(row + " is before t = " + format_number(r_.t[k - 1]) + " of the row above");
    }
  }

  void names(const Series& s) const {
    if (s.data.size() != s.columns.size() * r_.t.size())
      fail("series " + in_quotes(s.name) + " has " + std::to_string(s.data.size()) +
           " numbers for " + std::to_string(r_.t.size()) + " times");
    std::set<std::string_view> before;
    const std::string beginning = s.name + ".";
    for (const std::string& c : s.columns) {
      const bool of_series = &s == &r_.lyapunov || &s == &r_.energy ||
                             (c.size() > beginning.size() && c.starts_with(beginning));
      if (!of_series) fail("column " + in_quotes(c) + " is not of series " + in_quotes(s.name));
      if (!before.insert(c).second) fail("column " + in_quotes(c) + " is twice");
    }
  }

  static std::vector<std::string> labels(const Series& s) {
    std::vector<std::string> all;
    for (int k = 0; k < s.width(); ++k) all.push_back(s.label(k));
    return all;
  }

  /// Series of velocities have one column for each degree of freedom, the same in all of them.
  void same_joints() const {
    const Series* first = nullptr;
    for (const Series* s : {&r_.qd, &r_.qdd, &r_.tau, &r_.qd_d, &r_.e, &r_.edot, &r_.s}) {
      if (s->width() == 0) continue;
      if (first == nullptr) first = s;
      if (labels(*s) != labels(*first))
        fail("series " + in_quotes(s->name) + " (" + listed(s->columns) +
             ") has other joints than series " + in_quotes(first->name) + " (" +
             listed(first->columns) + ")");
    }
    if (r_.q.width() > 0 && r_.q_d.width() > 0 && labels(r_.q) != labels(r_.q_d))
      fail("series \"q_d\" has other joints than series \"q\"");
    if (r_.tau.width() > 0 && r_.qd.width() == 0)
      fail("has torques (tau) and no velocities (qd), which the energy needs");
  }

  void columns_are(const Series& s, const std::vector<std::string>& wanted) const {
    if (s.width() > 0 && s.columns != wanted)
      fail("has " + listed(s.columns) + "; " + listed(wanted) + " are needed, in this order");
  }

  void prediction(const Prediction& p) const {
    const auto refuse = [&](const std::string& why) {
      fail("prediction " + in_quotes(p.name) + " " + why);
    };
    const auto of = [&](const Series& s) {
      const bool there = p.dof >= 0 && (s.width() == 0 || p.dof < s.width());
      if (!there)
        refuse("is of number " + std::to_string(p.dof) + " of the " + std::to_string(s.width()) +
               " in series " + in_quotes(s.name));
    };
    std::size_t coefficients = 0;
    switch (p.quantity) {
      case PredictedQuantity::final_error:
      case PredictedQuantity::error_bound:
        of(r_.e);
        break;
      case PredictedQuantity::linear_error:
        of(r_.e), of(r_.edot);
        if (r_.edot.width() != r_.e.width()) refuse("needs series \"edot\"");
        coefficients = 2;
        break;
      case PredictedQuantity::linear_task_error:
        of(r_.task_e);
        coefficients = 2;
        break;
      case PredictedQuantity::reaching_speed:
        of(r_.s);
        break;
      case PredictedQuantity::filtered_square:
      case PredictedQuantity::reach:
        coefficients = 1;
        break;
      case PredictedQuantity::decay_rate:
      case PredictedQuantity::integral_bound:
      case PredictedQuantity::cost:
        break;
      default:
        refuse("is of a quantity of another version");
    }
    if (p.coefficients.size() < coefficients)
      refuse("has " + std::to_string(p.coefficients.size()) + " coefficients; " +
             std::to_string(coefficients) + " are needed");
    for (const double c : p.coefficients)
      if (!std::isfinite(c)) refuse("has the coefficient " + format_number(c));
  }

  const Recording& r_;
  std::string file_;
};

}  // namespace

void check_recording(const Recording& recording, const std::string& file) {
  Check(recording, file).all();
}

}  // namespace torsor::internal
