#include "torsor/sim/simulate.hpp"

#include <cmath>
#include <filesystem>
#include <memory>
#include <span>

#include "command.hpp"
#include "interrupt.hpp"
#include "json_output.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "run_table.hpp"
#include "text_output.hpp"
#include "torsor/experiments/recording_file.hpp"
#include "torsor/experiments/report.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/text.hpp"
#include "torsor/sim/internal/recorded_units.hpp"
#include "verdict_text.hpp"

namespace torsor::command {
namespace {

struct SimulateArguments {
  std::string scenario, page, figure;
  std::vector<std::string> outputs, package_folders;
  bool json = false, force = false, strict = false, meshes = false;
};

std::string conditions_text(const Recording& r) {
  if (r.conditions.empty()) return "";
  const bool all = all_satisfied(r.conditions);
  const std::string summary = wrapped(verdict_summary(r.conditions), 2);
  std::string text = "  " + coloured(all ? Colour::green : Colour::yellow, summary) + "\n";
  for (const Condition& c : r.conditions) {
    std::string verdict = name_of(c.verdict);
    verdict.resize(13, ' ');
    const std::string line =
        (c.satisfied() ? verdict : coloured(Colour::yellow, verdict)) + c.name + ": " + c.text();
    text += "  " + fitted(line, 15) + "\n";
  }
  return heading("conditions of the proof") + text;
}

/// Those of errors stand first.
using Figures = std::span<const MetricFigure>;
Figures error_figures() { return Figures(metric_figures()).first(5); }
Figures torque_figures() { return Figures(metric_figures()).subspan(5); }

std::vector<Table::Column> columns_of(std::vector<Table::Column> columns, Figures figures) {
  for (const MetricFigure& f : figures)
    if (*f.title != 0) columns.push_back({f.title, Table::right});
  return columns;
}
void add_cells(std::vector<std::string>& row, const Metrics& m, Figures figures,
               bool known = true) {
  for (const MetricFigure& f : figures)
    if (*f.title != 0) row.push_back(known ? number(m.*f.value) : "");
}
void add_figures(Json& out, const Metrics& m, Figures figures) {
  for (const MetricFigure& f : figures) out[f.name] = m.*f.value;
}

std::string metrics_text(const Model<double>& robot, const Recording& r) {
  if (r.size() == 0) return "";
  const Array<std::string> joints = velocity_labels(robot);
  Table table(columns_of(columns_of({{"joint"}}, error_figures()), torque_figures()));
  for (int k = 0; k < r.tau.width(); ++k) {
    const Metrics m = metrics(r, k);
    std::vector<std::string> row{joints[k]};
    add_cells(row, m, error_figures(), r.e.rows() > 0);
    add_cells(row, m, torque_figures());
    table.add(std::move(row));
  }
  const internal::RecordedUnits units(r, {}, &robot);
  const std::string remark = r.e.rows() > 0 ? "e in " + units.of_figure("rad") + ", " : "";
  return heading("metrics",
                 remark + "tau in " + units.of_figure("N m") + "; settled: |e| stays within 0.01") +
         table.text();
}

std::string task_text(const Recording& r) {
  if (r.task_e.rows() == 0) return "";
  Table table(columns_of({{"component"}, {"unit"}}, error_figures()));
  const internal::RecordedUnits units(r);
  for (int k = 0; k < r.task_e.width(); ++k) {
    std::vector<std::string> row{r.task_e.label(k), units.of(r.task_e, k)};
    add_cells(row, task_metrics(r, k), error_figures());
    table.add(std::move(row));
  }
  return heading("errors of the task", "settled: |e| stays within 0.01") + table.text();
}

std::string checks_text(const Recording& r) {
  std::string text = heading("checks");
  if (r.lyapunov.rows() > 0) {
    const int last = r.lyapunov.rows() - 1;
    text += "  " +
            fitted("V from " + number(r.lyapunov(0, 0)) + " to " + number(r.lyapunov(last, 0)) +
                       ", largest rise " + number(r.lyapunov_increase()),
                   4) +
            "\n";
  }
  text += outcome_text(r);
  for (const Comparison& c : compare_predictions(r)) {
    const std::string verdict = verdict_of(r, c);
    const std::string line = c.prediction.name + ": predicted " + number(c.prediction.value) +
                             ", observed " + number(c.observed) + "  " +
                             (c.kept ? verdict : coloured(Colour::yellow, verdict));
    text += "  " + fitted(line, 4) + "\n";
  }
  return text;
}

/// Of the file where it has neither title nor name.
std::string title_of(const Scenario& s, const std::string& file) {
  if (!s.title.empty()) return one_line(s.title);
  return s.name.empty() ? std::filesystem::path(file).stem().string() : one_line(s.name);
}

std::string report(const Scenario& scenario, const std::string& file, const Recording& r) {
  std::string text = bold(title_of(scenario, file)) + "\n";
  using internal::count_of;
  std::string size = r.robot + " under " + r.controller + ", " + count_of(r.size(), "row") + ", " +
                     count_of(r.steps, "step") + ", " + count_of(r.evaluations, "evaluation");
  if (r.events > 0) size += ", " + count_of(r.events, "event");
  text += "  " + fitted(size, 4) + "\n";
  if (!std::isnan(r.step_error))
    text += "  " + r.integrator + ": worst estimated error of a step " + number(r.step_error) +
            " of its tolerance\n";
  else if (r.steps > 0 && !r.integrator.starts_with("dormand_prince"))  // those estimate it
    text += "  " + r.integrator + ": fixed steps, whose error is not estimated\n";
  if (scenario.options.q0.empty())
    text += "  starts at the neutral configuration: the file says no start\n";
  if (!r.message.empty()) text += "  " + coloured(Colour::red, fitted(r.message, 4)) + "\n";
  return text + conditions_text(r) + metrics_text(scenario.plant_model, r) + task_text(r) +
         checks_text(r);
}

Json json_report(const Scenario& scenario, const Recording& r) {
  Json j;
  j["scenario"] = scenario.name;
  j["robot"] = r.robot;
  j["controller"] = r.controller;
  j["stop"] = name_of(r.stop);
  j["message"] = r.message;
  j["integrator"] = r.integrator;
  if (!std::isnan(r.step_error)) j["step_error"] = r.step_error;
  j["conditions"] = conditions_json(r.conditions);
  j["predictions"] = predictions_json(r);
  j["diverged"] = diverged(r);
  j["outcome"] = outcome_json(r);
  j["lyapunov_increase"] = r.lyapunov_increase();
  j["lyapunov_balance"] = r.lyapunov_balance();
  j["energy_balance"] = r.energy_balance();
  j["metrics"] = Json::array();
  for (int k = 0; k < r.tau.width() && r.size() > 0; ++k) {
    Json entry = {{"joint", r.tau.label(k)}};
    add_figures(entry, metrics(r, k), error_figures());
    add_figures(entry, metrics(r, k), torque_figures());
    j["metrics"].push_back(std::move(entry));
  }
  j["task_metrics"] = Json::array();
  for (int k = 0; k < r.task_e.width() && r.size() > 0; ++k) {
    Json entry = {{"component", k},
                  {"name", r.task_e.label(k)},
                  {"unit", internal::RecordedUnits(r).of(r.task_e, k)}};
    add_figures(entry, task_metrics(r, k), error_figures());
    j["task_metrics"].push_back(std::move(entry));
  }
  const CsvTable table = recording_table(r);
  j["columns"] = table.columns;
  j["rows"] = Json::array();
  for (const std::vector<double>& row : table.rows) j["rows"].push_back(row);
  return j;
}

Report page_of(const Scenario& scenario, const SimulateArguments& o, const Recording& r) {
  const std::string& file = o.scenario;
  Report page;
  page.picture = picture_options(o.meshes, file, o.package_folders);
  page.title = title_of(scenario, file);
  page.facts = page_facts(file);
  page.text = r.robot + " under " + r.controller;
  page.sections = {{"", "", {{r.controller, &r}}, &scenario.plant_model, scenario.surfaces}};
  page.linear = linear_dofs(scenario.plant_model);
  page.torque_limit = scenario.options.actuators.torque_limit;
  return page;
}

Action add_simulate(Arguments& app) {
  const auto o = std::make_shared<SimulateArguments>();
  app.add_option("scenario", o->scenario, "scenario file (.yaml)").required();
  app.add_option("-o,--output", o->outputs, "write the recording to a .csv or .trec file");
  app.add_option("--report", o->page, "write an HTML page with plots, conditions and figures");
  app.add_option("--figure", o->figure, "write the errors as one SVG picture");
  app.add_flag("--strict", o->strict,
               "exit with 1 where a condition does not hold or a prediction was not kept");
  app.add_flag("--meshes", o->meshes, "embed the robot's visual meshes in the page");
  add_package_path(app, o->package_folders);
  app.add_flag("--force", o->force, "overwrite files");
  add_json(app, o->json);
  return [o](std::string& out) -> int {
    Scenario scenario = load_run(o->scenario, o->package_folders);
    std::vector<std::string> files = scenario.outputs;
    files.insert(files.end(), o->outputs.begin(), o->outputs.end());
    for (const std::string& file : scenario.outputs)
      refuse_to_leave_folder(file, o->scenario, o->force);
    for (const std::string& file : files) refuse_to_overwrite(file, o->force);
    for (const std::string& file : {o->page, o->figure})
      if (!file.empty()) refuse_to_overwrite(file, o->force);
    if (!o->page.empty() || !o->figure.empty() || !files.empty())
      scenario.options.curve_points = drawn_points;
    const Interrupt interrupt;
    scenario.options.progress = [&](double t) {
      const double done = t - scenario.options.start;
      progress(number(done) + " of " + number(scenario.options.duration) + " s",
               done / scenario.options.duration);
      return !interrupt.asked();
    };
    const Recording r = run_of(scenario, o->scenario);
    end_progress();
    for (const std::string& file : files) save_recording(r, file);
    const auto page = [&] { return page_of(scenario, *o, r); };
    std::string not_drawn;
    if (r.size() == 0) {  // stopped before its first row
      for (const std::string& file : {o->page, o->figure})
        if (!file.empty()) not_drawn += one_line(file) + " not written: the run has no rows\n";
    } else {
      if (!o->page.empty()) write_file(o->page, report_page(page()));
      if (!o->figure.empty()) write_file(o->figure, report_figure(page()));
      files.insert(files.end(), {o->page, o->figure});
    }
    out += o->json ? json_text(json_report(scenario, r))
                   : report(scenario, o->scenario, r) + wrote(files) + not_drawn;
    if (o->strict && !keeps_its_proof(r)) {
      if (!o->json)
        out +=
            "--strict: a condition does not hold, a prediction was not kept or a balance is off\n";
      return findings;
    }
    return r.stop == StopReason::finished && !diverged(r) ? good : findings;
  };
}

}  // namespace

extern const Verb simulate;
const Verb simulate{
    "simulate", "run a scenario: a robot under a control law, checked against its proof",
    "  torsor simulate examples/scenarios/planar_arm_pd_without_gravity.yaml\n"
    "  torsor simulate my_run.yaml --output my_run.csv --report my_run.html\n"
    "\n"
    "A scenario is a file like this one:\n"
    "\n"
    "  robot: planar2r\n"
    "  controller:\n"
    "    law: computed_torque\n"
    "    gains: {Kp: 100, Kd: 20}\n"
    "  reference: {quintic: {from: [0, 1], to: [1, 0], duration: 2}}\n"
    "  start: {q: [0, 1]}\n"
    "  run: {duration: 3}\n"
    "\n"
    "`torsor scenario new` writes one for any law and robot, `torsor scenario keys` "
    "lists all\n"
    "keys, `torsor laws` the laws.\n"
    "\n"
    "A condition of the proof holds, is violated, or does not cover the run: then\n"
    "the theorem is about other runs and claims nothing about this one.\n"
    "\n"
    "Exit code 1: the run stopped before its end (Ctrl-C, too) or diverged; what was\n"
    "recorded is kept. With --strict also: a condition does not hold, a prediction was not kept.\n",
    add_simulate};

}  // namespace torsor::command
