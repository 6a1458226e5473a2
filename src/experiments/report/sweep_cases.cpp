#include "torsor/experiments/internal/sweep_cases.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "torsor/experiments/internal/run_facts.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/array.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {
namespace {

constexpr std::size_t most_cases = 5, most_samples = 80;
constexpr std::size_t told_values = 12;

Recording run_again(Scenario scenario) {
  scenario.options.curve_points = drawn_points / 2;
  return run_scenario(scenario);
}

/// Of a value of a sample; "" of a factor.
std::string unit_of_value(const std::string& name, const Model<double>& robot) {
  if (name.starts_with("payload") && name.ends_with(".mass")) return " kg";
  for (const auto& [word, angle, length] :
       {std::tuple{"start.qd.", " rad/s", " m/s"}, std::tuple{"start.q.", " rad", " m"}}) {
    if (!name.starts_with(word)) continue;
    const Array<Measure> measures = velocity_measures(robot);
    for (int k = 0; k < measures.size(); ++k)
      if (name == word + robot.dof_name(k)) return measures[k] == Measure::length ? length : angle;
  }
  return "";
}

}  // namespace

bool tells_samples_apart(const FigureStatistics& f) {
  return f.q05 != f.worst && std::abs(f.worst) > 1e-9;
}

std::vector<std::pair<const SweepRow*, std::string>> worst_cases(
    const std::vector<SweepRow>& rows) {
  std::vector<std::pair<const SweepRow*, std::string>> cases;
  for (const FigureStatistics& f : statistics(rows)) {
    if (!tells_samples_apart(f)) continue;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const SweepRow& r) {
      return r.sample.index == f.worst_sample;
    });
    const auto known =
        std::find_if(cases.begin(), cases.end(), [&](const auto& c) { return c.first == &*row; });
    if (known == cases.end())
      cases.push_back({&*row, f.figure.name});
    else
      known->second += std::string(", ") + f.figure.name;
  }
  return cases;
}

std::string values_text(const Scenario& scenario, const SweepSample& sample) {
  const std::vector<std::string> names = sweep_value_names(scenario);
  std::string text;
  for (std::size_t k = 0; k < names.size() && k < told_values; ++k) {
    const double value = sample.values[k];
    text += (k == 0 ? "" : ", ") + names[k] + " " +
            (names[k] == "noise_seed" ? format_number(value) : short_number(value)) +
            unit_of_value(names[k], scenario.plant_model);
  }
  return names.size() > told_values ? text + ", ... (all in the journal)" : text;
}

SweepCases run_cases(const Scenario& scenario, const std::vector<SweepRow>& rows,
                     const std::string& file,
                     const std::function<bool(const std::string&, double)>& go_on) {
  SweepCases out;
  out.runs.emplace_back("as in the file", run_again(scenario));
  out.what.push_back("the scenario as it stands in " + one_line(file));
  const auto cases = worst_cases(rows);
  const auto finished = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const SweepRow& row) { return row.finished(); }));
  const std::size_t all = 1 + std::min(most_cases, cases.size()) + std::min(most_samples, finished);
  const auto goes_on = [&](const std::string& what) {
    return go_on(
        what, static_cast<double>(out.runs.size() + out.samples.size()) / static_cast<double>(all));
  };
  for (const auto& [row, figures] : cases) {
    const std::string name = "sample " + std::to_string(row->sample.index);
    if (out.runs.size() > most_cases || !goes_on(name)) break;
    out.runs.emplace_back(name, run_again(with_sample(scenario, row->sample)));
    out.what.push_back("worst " + figures + ": " + values_text(scenario, row->sample));
  }
  for (const SweepRow& row : rows) {
    if (out.samples.size() >= most_samples) break;
    if (!row.finished()) continue;
    if (!goes_on("sample " + std::to_string(row.sample.index) + " for bands over time")) break;
    out.samples.push_back(run_again(with_sample(scenario, row.sample)));
  }
  return out;
}

std::string sweep_page(const Scenario& scenario, const std::vector<SweepRow>& rows,
                       SweepCases cases, std::vector<RunFact> facts, PictureOptions picture) {
  const Model<double>& model = scenario.plant_model;
  SweepReport report;
  report.scenario = &scenario;
  report.rows = &rows;
  report.samples = std::move(cases.samples);
  report.cases = std::move(cases.what);
  Report& page = report.page;
  page.title = scenario.title.empty() ? "A sweep of " + model.name() : scenario.title;
  page.text = model.name() + " under " + scenario.law + ", " + std::to_string(rows.size()) +
              " runs, seed " + std::to_string(scenario.sweep.seed);
  page.facts = std::move(facts);
  page.picture = std::move(picture);
  page.linear = linear_dofs(model);
  page.torque_limit = scenario.options.actuators.torque_limit;
  ReportSection& section = page.sections.emplace_back();
  section.robot = &model;
  section.surfaces = scenario.surfaces;
  for (const auto& [name, recording] : cases.runs) section.runs.push_back({name, &recording});
  return torsor::sweep_page(report);
}

}  // namespace torsor::internal
