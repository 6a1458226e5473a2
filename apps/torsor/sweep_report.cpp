#include "sweep_report.hpp"

#include <algorithm>
#include <cmath>

#include "run_table.hpp"
#include "text_output.hpp"
#include "torsor/experiments/internal/sweep_cases.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {

using internal::tells_samples_apart;
using internal::values_text;
using internal::worst_cases;

namespace {

/// "3 runs stopped before their end", in red; nothing for none.
std::string count_line(std::size_t count, const char* one, const char* many, Colour colour) {
  if (count == 0) return "";
  return coloured(colour, "  " + std::to_string(count) + " " + (count == 1 ? one : many)) + "\n";
}

/// Whether it stopped or went on to its end.
bool diverged(const SweepRow& row) {
  return row.sample.impossible.empty() &&
         (row.summary.diverged > 0 || row.summary.stop == StopReason::blow_up ||
          row.summary.stop == StopReason::not_finite);
}

std::string head_text(const Sweep& s) {
  const std::string& title = s.scenario.title.empty() ? s.scenario.name : s.scenario.title;
  std::size_t stopped = 0, of_them = 0, went_on = 0, impossible = 0;
  for (const SweepRow& row : s.rows)
    if (!row.sample.impossible.empty())
      ++impossible;
    else if (!row.finished())
      ++stopped, of_them += diverged(row) ? 1 : 0;
    else
      went_on += diverged(row) ? 1 : 0;
  std::string what = s.scenario.plant_model.name() + " under " + s.scenario.law + ", " +
                     std::to_string(s.rows.size()) + " of " +
                     std::to_string(s.scenario.sweep.samples) + " runs, seed " +
                     std::to_string(s.scenario.sweep.seed);
  if (s.resumed > 0) what += ", " + std::to_string(s.resumed) + " of them from the journal";
  return bold(title.empty() ? "sweep" : one_line(title)) + "\n  " + fitted(what, 4) + "\n" +
         count_line(stopped, "run stopped before its end", "runs stopped before their end",
                    Colour::red) +
         count_line(of_them, "of them diverged", "of them diverged", Colour::red) +
         count_line(went_on, "run went on to its end and diverged",
                    "runs went on to their end and diverged", Colour::red) +
         count_line(impossible, "draw is of no possible robot or law and was not run",
                    "draws are of no possible robot or law and were not run", Colour::yellow);
}

}  // namespace

std::string sweep_text(const Sweep& s) {
  const std::vector<FigureStatistics> figures = statistics(s.rows);
  Table table({{"figure"},
               {"5 %", Table::right},
               {"50 %", Table::right},
               {"95 %", Table::right},
               {"worst", Table::right},
               {"in sample", Table::right},
               {"unit"}});
  for (const FigureStatistics& f : figures)
    table.add({f.figure.name, number(f.q05), number(f.median), number(f.q95), number(f.worst),
               tells_samples_apart(f) ? std::to_string(f.worst_sample) : "", f.figure.unit});
  std::string out = head_text(s) + heading("figures", "of the runs that reached their end") +
                    table.text() +
                    "  overshoot: largest error of the other sign, over the error at the start\n"
                    "  violated, not_covered: conditions; not_kept: predictions; diverged: runs\n";

  const auto told = [&](const SweepRow& row, const std::string& what) {
    return "  " + wrapped("sample " + std::to_string(row.sample.index) + ": " + what, 4) +
           "\n      " + wrapped(values_text(s.scenario, row.sample), 6) + "\n";
  };
  std::string not_finished, worst;
  int shown = 0;
  for (const SweepRow& row : s.rows)
    if (!row.finished() && shown++ < 10)
      not_finished += told(row, row.sample.impossible.empty()
                                    ? std::string("stopped (") + name_of(row.summary.stop) +
                                          ") at " + number(row.summary.stopped_at) + " s"
                                    : "impossible: " + one_line(row.sample.impossible));
  for (const auto& [row, what] : worst_cases(s.rows)) worst += told(*row, "worst " + what);
  if (!not_finished.empty())
    out += heading("not finished", shown > 10 ? "the first ten of " + std::to_string(shown) : "") +
           not_finished;
  if (!worst.empty()) out += heading("worst cases", "--sample N runs one again") + worst;
  return out + "\nall runs in " + one_line(s.journal) + "\n";
}

Json sample_json(const Sweep& s, const SweepRow& row) {
  Json j;
  j["sample"] = row.sample.index;
  j["seed"] = row.sample.seed;
  const bool ran = row.sample.impossible.empty();
  j["stop"] = ran ? name_of(row.summary.stop) : "impossible";
  if (ran)
    j["stopped_at"] = row.summary.stopped_at;
  else
    j["reason"] = row.sample.impossible;
  const std::vector<std::string> names = sweep_value_names(s.scenario);
  for (std::size_t k = 0; k < names.size(); ++k) j["values"][names[k]] = row.sample.values[k];
  if (ran) j["figures"] = summary_json(row.summary);
  return j;
}

Json sweep_json(const Sweep& s) {
  Json j;
  j["scenario"] = s.scenario.name;
  j["robot"] = s.scenario.plant_model.name();
  j["law"] = s.scenario.law;
  j["seed"] = s.scenario.sweep.seed;
  j["samples"] = s.scenario.sweep.samples;
  j["runs"] = s.rows.size();
  j["diverged"] = static_cast<std::int64_t>(std::count_if(s.rows.begin(), s.rows.end(), diverged));
  j["stopped"] = j["impossible"] = Json::array();
  for (const SweepRow& row : s.rows)
    if (!row.finished())
      j[row.sample.impossible.empty() ? "stopped" : "impossible"].push_back(sample_json(s, row));
  const std::vector<FigureStatistics> figures = statistics(s.rows);
  j["figures"] = Json::object();
  for (const FigureStatistics& f : figures)
    j["figures"][f.figure.name] = {{"count", f.count},     {"q05", f.q05},
                                   {"q50", f.median},      {"q95", f.q95},
                                   {"worst", f.worst},     {"worst_sample", f.worst_sample},
                                   {"unit", f.figure.unit}};
  j["worst_cases"] = Json::array();
  for (const auto& [row, what] : worst_cases(s.rows)) {
    j["worst_cases"].push_back(sample_json(s, *row));
    j["worst_cases"].back()["worst_in"] = what;
  }
  j["journal"] = s.journal;
  return j;
}

}  // namespace torsor::command
