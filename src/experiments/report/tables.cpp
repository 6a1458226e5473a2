// Tables of a report.
#include <algorithm>
#include <cmath>

#include "report/parts.hpp"
#include "report/theory.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/sim/internal/recorded_units.hpp"
#include "torsor/sim/outcome.hpp"

namespace torsor::report {

namespace {

std::string cell(const std::string& text, const char* kind = nullptr) {
  return (kind ? std::string("<td class=\"") + kind + "\">" : std::string("<td>")) + text + "</td>";
}
std::string number_cell(double x, bool best = false) {
  return cell(figure(x), best ? "n best" : "n");
}
/// A dot in the colour of the run, and its name.
std::string run_cell(const ReportRun& run, const Palette& palette) {
  return "<th scope=\"row\"><span class=\"dot k" + std::to_string(palette.colour(run.name)) +
         "\"></span>" + escaped(run.name) + "</th>";
}
std::string row(const ReportRun& run, const Palette& palette, const std::string& cells) {
  return "<tr class=\"" + palette.run_class(run.name) + "\">" + run_cell(run, palette) + cells +
         "</tr>\n";
}
std::string head(const std::vector<std::string>& titles) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
  for (const std::string& t : titles) out += "<th scope=\"col\">" + t + "</th>";
  return out + "</tr></thead><tbody>\n";
}
const char* const tail = "</tbody></table></div>\n";

std::string verdict(bool good, const char* yes, const char* no) {
  return good ? cell(std::string("✓ ") + yes, "yes") : cell(std::string("✗ ") + no, "no");
}
std::string verdict(const Condition& c) {
  if (c.verdict == Verdict::not_covered) return cell("? not covered", "open");
  return verdict(c.satisfied(), "holds", "violated");
}

const char* symbol(Relation relation) {
  switch (relation) {
    case Relation::greater:
      return "&gt;";
    case Relation::at_least:
      return "≥";
    case Relation::less:
      return "&lt;";
    case Relation::at_most:
      return "≤";
    case Relation::equal:
      return "=";
  }
  return "";
}

struct Column {
  const char *title, *unit;
  double RunSummary::*value;
};
constexpr const char* of_the_task = "task";  // its unit is the task's

/// "max |τ|, N m"; the units of a task are those of all runs, which may differ.
std::string titled(const Column& column, const Report& report, const ReportSection& section) {
  std::vector<std::string> known;
  std::string title = column.title;
  for (const ReportRun& run : section.runs) {
    const internal::RecordedUnits units(*run.recording, report.linear, section.robot);
    const std::string unit = column.unit == of_the_task ? units.all(run.recording->task_e)
                                                        : units.of_figure(column.unit);
    if (unit.empty() || std::find(known.begin(), known.end(), unit) != known.end()) continue;
    title += (known.empty() ? ", " : "; ") + typeset(unit, true);
    known.push_back(unit);
  }
  return title;
}

}  // namespace

std::string joint_label(const Model<double>* robot, const std::string& name, bool coordinate) {
  for (int k = 0; robot && k < (coordinate ? robot->n_q() : robot->n_v()); ++k)
    if (name == (coordinate ? robot->coordinate_name(k) : robot->dof_name(k)))
      return (coordinate ? coordinate_labels(*robot)
                         : velocity_labels(*robot))[static_cast<std::size_t>(k)];
  return name;
}

std::string summary_table(const Report& report, const ReportSection& section,
                          const Palette& palette) {
  static const Column all[] = {{"rms ‖e‖ of all joints", "rad", &RunSummary::rms_error},
                               {"max |e| of one", "rad", &RunSummary::max_error},
                               {"final |e| of one", "rad", &RunSummary::final_error},
                               {"settled", "s", &RunSummary::settling_time},
                               {"task rms", of_the_task, &RunSummary::task_rms},
                               {"task max", of_the_task, &RunSummary::task_max},
                               {"max |τ|", "N m", &RunSummary::max_torque},
                               {"energy", "J", &RunSummary::energy},
                               {"chatter", "N m/s", &RunSummary::chatter},
                               {"|V balance|", "", &RunSummary::lyapunov_balance}};
  std::vector<RunSummary> runs;
  for (const ReportRun& run : section.runs) runs.push_back(summarise(*run.recording));
  std::vector<Column> shown;  // what some run has
  for (const Column& c : all)
    if (std::any_of(runs.begin(), runs.end(),
                    [&](const RunSummary& s) { return !std::isnan(s.*c.value); }))
      shown.push_back(c);

  std::vector<std::string> titles{"run"};
  for (const Column& c : shown) titles.push_back(titled(c, report, section));
  titles.insert(titles.end(), {"conditions", "predictions", "end"});
  std::string out = head(titles);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Recording& r = *section.runs[k].recording;
    std::string cells;
    for (const Column& c : shown) {
      double least = HUGE_VAL;
      for (const RunSummary& s : runs)
        if (s.*c.value < least) least = s.*c.value;
      const double x = runs[k].*c.value;
      cells += number_cell(x, runs.size() > 1 && x == least && std::isfinite(x));
    }
    const auto count = [&](std::size_t of, double bad) {
      if (of == 0) return cell("–", "n");
      const auto good = of - static_cast<std::size_t>(bad);
      return cell(std::to_string(good) + " of " + std::to_string(of), bad == 0 ? "yes" : "no");
    };
    cells += count(r.conditions.size(), runs[k].violated + runs[k].not_covered);
    const std::vector<Comparison> claims = compare_predictions(r);
    cells += count(claims.size(),
                   static_cast<double>(std::count_if(claims.begin(), claims.end(),
                                                     [](const Comparison& c) { return !c.kept; })));
    if (r.stop != StopReason::finished)
      cells += cell(escaped(r.message), "no");
    else
      cells += diverged(r) ? cell("diverged", "no") : cell("finished", "yes");
    out += row(section.runs[k], palette, cells);
  }
  return out + tail +
         "<p class=\"remark\">Errors are of the whole robot: rms of the norm over the joints, and "
         "the worst joint. Settled: every joint stays within 0.01. Chatter: total variation "
         "of the torques per second, summed over the joints.</p>\n";
}

namespace {

/// Links to the sections of theory at the end of the page.
std::string theory(const ReportSection& section) {
  std::string out;
  std::vector<std::string> known;
  for (const ReportRun& run : section.runs)
    for (const LawEntry& law : laws()) {
      if (run.recording->controller != law.name) continue;
      if (std::find(known.begin(), known.end(), law.name) != known.end()) continue;
      known.emplace_back(law.name);
      out += "<li><a href=\"#" + theory_anchor(law) + "\">" + escaped(law.name) + "</a> <small>" +
             escaped(law.source) + "</small></li>";
    }
  if (out.empty()) return "";
  return "<p class=\"remark\">Assumptions, statement and proof, below:</p>\n"
         "<ul class=\"theory\">" +
         out + "</ul>\n";
}

}  // namespace

std::string proof_tables(const ReportSection& section, const Palette& palette) {
  std::string conditions, predictions, outcomes;
  for (const ReportRun& run : section.runs) {
    for (const OutcomeRow& o : outcome(*run.recording))
      if (o.verdict != OutcomeVerdict::told || !std::isnan(o.value))
        outcomes += row(run, palette,
                        cell(escaped(o.name)) + cell(escaped(typeset(o.text))) +
                            (o.verdict == OutcomeVerdict::told
                                 ? cell("")
                                 : verdict(o.verdict == OutcomeVerdict::good, "", "")));
    for (const Condition& c : run.recording->conditions)
      conditions +=
          row(run, palette,
              cell(escaped(typeset(c.name))) +
                  cell(escaped(typeset(c.quantity)) +
                       (c.note.empty() ? "" : " <small>" + escaped(typeset(c.note)) + "</small>")) +
                  number_cell(c.value) +
                  cell(std::string(symbol(c.relation)) + " " + figure(c.bound), "n") + verdict(c));
    const bool claimed = all_satisfied(run.recording->conditions);
    for (const Comparison& c : compare_predictions(*run.recording))
      predictions += row(
          run, palette,
          cell(escaped(typeset(c.prediction.name))) + number_cell(c.prediction.value) +
              number_cell(c.observed) +
              (!c.covered ? cell("? not judged: " + escaped(c.why_open), "open")
               : claimed  ? verdict(c.kept, "kept",
                                   run.recording->period > 0 ? "not kept by samples" : "not kept")
                          : cell(c.kept ? "kept, not claimed" : "not kept, not claimed", "open")));
  }
  std::string out;
  if (!conditions.empty())
    out +=
        "<h3>Conditions of the proof <small>with this robot, these gains and this "
        "run</small></h3>\n" +
        head({"run", "condition", "quantity", "value", "needed", "verdict"}) + conditions + tail +
        theory(section);
  if (!predictions.empty())
    out += "<h3>Predictions <small>of the proof, beside what happened</small></h3>\n" +
           head({"run", "prediction", "predicted", "observed", "verdict"}) + predictions + tail;
  if (!outcomes.empty())
    out +=
        "<h3>What the runs came to</h3>\n" + head({"run", "what", "numbers", ""}) + outcomes + tail;
  return out;
}

std::string joint_table(const Report& report, const ReportSection& section,
                        const Palette& palette) {
  std::vector<std::string> titles{"run", "joint", "unit"};
  for (const MetricFigure& f : metric_figures()) {
    titles.emplace_back(*f.title != 0 ? f.title : f.name);
    std::replace(titles.back().begin(), titles.back().end(), '_', ' ');
  }
  bool rows_alone = false, tasks = false;
  for (const ReportRun& run : section.runs) {
    rows_alone = rows_alone || !run.recording->figures.given();
    tasks = tasks || run.recording->task_e.rows() > 0;
  }
  std::string out = std::string("<details><summary>Figures of each joint") +
                    (tasks ? " and of each component of the task" : "") +
                    std::string(rows_alone ? " <small>estimated from rows where a recording has "
                                             "no figures of its own</small>"
                                           : "") +
                    "</summary>\n" + head(titles);
  for (const ReportRun& run : section.runs) {
    const Recording& r = *run.recording;
    const internal::RecordedUnits units(r, report.linear, section.robot);
    const bool errors = r.e.rows() > 0;
    const auto add = [&](const std::string& name, const std::string& unit, const Metrics& m,
                         bool of_error, bool of_torque) {
      std::string cells = cell(escaped(name)) + cell(typeset(unit, true));
      for (const MetricFigure& f : metric_figures())
        cells += number_cell((f.of_error ? of_error : of_torque) ? m.*f.value : NAN);
      out += row(run, palette, cells);
    };
    for (int k = 0; k < r.of_joints().width(); ++k)
      add(joint_label(section.robot, r.of_joints().label(k), false),
          std::string(units.error(k)) + ", " + units.torque(k), metrics(r, k, r.t.front()), errors,
          true);
    for (int k = 0; k < r.task_e.width() && r.task_e.rows() > 0; ++k)
      add(r.task_e.label(k), units.of(r.task_e, k), task_metrics(r, k, r.t.front()), true, false);
  }
  return out + tail + "</details>\n";
}

}  // namespace torsor::report
