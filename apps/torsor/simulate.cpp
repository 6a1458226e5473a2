#include "torsor/sim/simulate.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "text_output.hpp"
#include "torsor/experiments/recording_file.hpp"
#include "torsor/experiments/report.hpp"
#include "torsor/experiments/scenario_file.hpp"

namespace torsor::command {
namespace {

struct Options {
  std::string scenario, page;
  std::vector<std::string> outputs;
  bool json = false, force = false;
};

/// The name behind "tau.".
std::string joint_of(const Recording& r, int dof) {
  return r.tau.columns[static_cast<std::size_t>(dof)].substr(4);
}

std::string conditions_text(const Recording& r) {
  std::string text;
  for (const Condition& c : r.conditions) {
    const std::string verdict =
        c.satisfied ? "  holds     " : coloured(Colour::yellow, "  violated  ");
    text += verdict + c.name + ": " + c.text() + "\n";
  }
  return text.empty() ? "" : heading("conditions of the proof") + text;
}

/// One row of figures for each joint, or for each component of the task.
std::string metrics_text(const Recording& r, bool task) {
  if (r.size() == 0 || (task && r.task_e.rows() == 0)) return "";
  std::vector<Table::Column> columns{{task ? "component" : "joint"}};
  for (const MetricFigure& f : metric_figures())
    if (*f.title && (f.of_error || !task)) columns.push_back({f.title, Table::right});
  Table table(columns);
  const bool errors = task || r.e.rows() > 0;
  const Series& of = task ? r.task_e : r.tau;
  for (int k = 0; k < of.width(); ++k) {
    const Metrics m = task ? task_metrics(r, k) : metrics(r, k);
    std::vector<std::string> row{task ? std::to_string(k) : joint_of(r, k)};
    for (const MetricFigure& f : metric_figures())
      if (*f.title && (f.of_error || !task))
        row.push_back(f.of_error && !errors ? "" : number(m.*f.value));
    table.add(row);
  }
  return heading(task ? "errors of the task" : "metrics", "settled: |e| stays within 0.01") +
         table.text();
}
Json metrics_json(const Metrics& m, bool task) {
  Json j;
  for (const MetricFigure& f : metric_figures())
    if (f.of_error || !task) j[f.name] = json_number(m.*f.value);
  return j;
}

std::string checks_text(const Recording& r) {
  std::string text = heading("checks");
  if (r.lyapunov.rows() > 0) {
    const int last = r.lyapunov.rows() - 1;
    text += "  V from " + number(r.lyapunov(0, 0)) + " to " + number(r.lyapunov(last, 0)) +
            ", largest increase between rows " + number(r.lyapunov_increase()) + "\n";
    text += std::string("  V - V(0) - integral of the predicted rate: ") +
            (r.rate_is_bound ? "at most " : "within ") + number(r.lyapunov_balance()) + "\n";
  }
  text += "  energy balance within " + number(r.energy_balance()) + " J\n";
  for (const Comparison& c : compare_predictions(r))
    text += "  " + c.prediction.name + ": predicted " + number(c.prediction.value) + ", observed " +
            number(c.observed) + (c.kept ? "" : coloured(Colour::yellow, "  not kept")) + "\n";
  return text;
}

std::string report(const Scenario& scenario, const Recording& r) {
  std::string text = bold(scenario.title.empty() ? scenario.name : scenario.title) + "\n";
  text += "  " + r.robot + " under " + r.controller + ", " + std::to_string(r.size()) + " rows, " +
          std::to_string(r.steps) + " steps, " + std::to_string(r.evaluations) + " evaluations";
  if (r.events > 0) text += ", " + std::to_string(r.events) + " events";
  text += "\n";
  if (r.saturated > 0)
    text += "  torques at their limits in " + std::to_string(r.saturated) + " evaluations\n";
  if (!r.message.empty()) text += coloured(Colour::red, "  " + r.message) + "\n";
  return text + conditions_text(r) + metrics_text(r, false) + metrics_text(r, true) +
         checks_text(r);
}

Json json_report(const Scenario& scenario, const Recording& r) {
  Json j;
  j["scenario"] = scenario.name;
  j["robot"] = r.robot;
  j["controller"] = r.controller;
  j["stop"] = name_of(r.stop);
  j["message"] = r.message;
  j["conditions"] = Json::array();
  for (const Condition& c : r.conditions)
    j["conditions"].push_back({{"name", c.name},
                               {"text", c.text()},
                               {"value", json_number(c.value)},
                               {"bound", json_number(c.bound)},
                               {"satisfied", c.satisfied}});
  j["predictions"] = Json::array();
  for (const Comparison& c : compare_predictions(r))
    j["predictions"].push_back({{"name", c.prediction.name},
                                {"predicted", json_number(c.prediction.value)},
                                {"observed", json_number(c.observed)},
                                {"kept", c.kept}});
  j["lyapunov_increase"] = json_number(r.lyapunov_increase());
  j["lyapunov_balance"] = json_number(r.lyapunov_balance());
  j["energy_balance"] = json_number(r.energy_balance());
  j["metrics"] = Json::array();
  for (int k = 0; k < r.tau.width() && r.size() > 0; ++k) {
    j["metrics"].push_back({{"joint", joint_of(r, k)}});
    j["metrics"].back().update(metrics_json(metrics(r, k), false));
  }
  j["task_metrics"] = Json::array();
  for (int k = 0; k < r.task_e.width() && r.size() > 0; ++k) {
    j["task_metrics"].push_back({{"component", k}});
    j["task_metrics"].back().update(metrics_json(task_metrics(r, k), true));
  }
  const CsvTable table = recording_table(r);
  j["columns"] = table.columns;
  j["rows"] = Json::array();
  for (const std::vector<double>& row : table.rows) {
    Json list = Json::array();
    for (const double x : row) list.push_back(json_number(x));
    j["rows"].push_back(std::move(list));
  }
  return j;
}

std::string page_of(const Scenario& scenario, const Recording& r) {
  Report page;
  page.title = scenario.title.empty() ? scenario.name : scenario.title;
  page.text = r.robot + " under " + r.controller;
  page.sections = {{"", "", {{r.controller, &r}}}};
  page.linear = linear_dofs(scenario.plant_model);
  page.torque_limit = scenario.options.actuators.torque_limit;
  return report_page(page);
}

Action add(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  app.add_option("scenario", o->scenario, "scenario file (.yaml)")->required();
  app.add_option("-o,--output", o->outputs, "write the recording to a .csv or .trec file");
  app.add_option("--report", o->page, "write an HTML page with plots, conditions and figures");
  app.add_flag("--force", o->force, "overwrite files");
  add_json(app, o->json);
  return [o](std::string& out) -> int {
    const Scenario scenario = load_scenario(o->scenario);
    std::vector<std::string> files = scenario.outputs;
    files.insert(files.end(), o->outputs.begin(), o->outputs.end());
    for (const std::string& file : files) refuse_to_overwrite(file, o->force);
    if (!o->page.empty()) refuse_to_overwrite(o->page, o->force);
    const Recording r = run_scenario(scenario);
    for (const std::string& file : files) save_recording(r, file);
    if (!o->page.empty()) write_file(o->page, page_of(scenario, r));
    out += o->json ? json_text(json_report(scenario, r)) : report(scenario, r);
    return r.stop == StopReason::finished ? good : findings;
  };
}

}  // namespace

extern const Verb simulate;
const Verb simulate{"simulate",
                    "run a scenario: a robot under a control law, checked against its proof",
                    "  torsor simulate examples/scenarios/planar_arm_pd_without_gravity.yaml\n"
                    "  torsor simulate my_run.yaml --output my_run.csv --report my_run.html\n"
                    "\n"
                    "Exit code 1: the run stopped before its end; what was recorded is kept.\n",
                    add};

}  // namespace torsor::command
