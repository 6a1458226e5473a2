#include <filesystem>
#include <memory>

#include "command.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "run_table.hpp"
#include "text_output.hpp"
#include "torsor/experiments/report.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/sim/experiment.hpp"
#include "torsor/sim/outcome.hpp"

namespace torsor::command {
namespace {

struct CompareArguments {
  std::vector<std::string> files, package_folders;
  std::string page, figure, output;
  bool json = false, force = false, meshes = false;
};

struct ComparedRuns {
  Scenario experiment;
  std::vector<NamedRun> runs;
  std::vector<std::string> notes;
};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

/// The scenario's name or its file's, told apart by a number where another run has it.
std::string name_of_run(const Scenario& s, const std::string& file,
                        const std::vector<NamedRun>& others) {
  const std::string name =
      s.name.empty() ? std::filesystem::path(file).stem().string() : one_line(s.name);
  const auto taken = [&](const std::string& n) {
    return std::any_of(others.begin(), others.end(),
                       [&](const NamedRun& r) { return r.name == n; });
  };
  if (!taken(name)) return name;
  int k = 2;
  while (taken(name + " (" + std::to_string(k) + ")")) ++k;
  return name + " (" + std::to_string(k) + ")";
}

ComparedRuns compare_files(const CompareArguments& o) {
  std::vector<Scenario> scenarios;
  for (const std::string& file : o.files) scenarios.push_back(load_run(file, o.package_folders));
  ComparedRuns c{scenarios.front(), {}, {}};
  const Interrupt interrupt;
  for (std::size_t k = 0; k < scenarios.size() && !interrupt.asked(); ++k) try {
      Scenario run = with_law_of(c.experiment, scenarios[k]);
      if (!o.page.empty() || !o.figure.empty()) run.options.curve_points = drawn_points;
      if (const auto others = differences(c.experiment, scenarios[k]); !others.empty())
        c.notes.push_back(one_line(o.files[k]) + " has another " + joined(others) + "; " +
                          one_line(o.files[0]) + "'s counts");
      const std::string name = name_of_run(run, o.files[k], c.runs);
      run.options.progress = [&](double t) {
        const double part = (t - run.options.start) / run.options.duration;
        progress("run " + std::to_string(k + 1) + " of " + std::to_string(scenarios.size()) + ": " +
                     name,
                 (static_cast<double>(k) + part) / static_cast<double>(scenarios.size()));
        return !interrupt.asked();
      };
      (void)run.options.progress(run.options.start);
      Recording r = run_scenario(run);
      if (r.size() == 0 && interrupt.asked()) break;  // nothing to compare
      c.runs.push_back({name, std::move(r)});
    } catch (const Error& error) {
      end_progress();
      throw Error(one_line(o.files[k]) + ": " + error.what());
    }
  end_progress();
  if (c.runs.size() < scenarios.size())
    c.notes.push_back("interrupted after " + std::to_string(c.runs.size()) + " of " +
                      std::to_string(scenarios.size()) + " runs");
  return c;
}

Report page_of(const ComparedRuns& c, const CompareArguments& o) {
  Report page;
  page.facts = page_facts(o.files[0]);
  for (std::size_t k = 1; k < c.runs.size(); ++k)
    for (const RunFact& fact : page_facts(o.files[k]))
      if (fact.name == "controller" || fact.name == "scenario file")
        page.facts.insert(page.facts.end() - 3,  // before version, date and command
                          {fact.name + " of " + c.runs[k].name, fact.value});
  page.picture = picture_options(o.meshes, o.files[0], o.package_folders);
  page.title = "Laws compared on " + c.experiment.plant_model.name();
  for (const std::string& note : c.notes) page.text += note + ". ";
  page.linear = linear_dofs(c.experiment.plant_model);
  page.torque_limit = c.experiment.options.actuators.torque_limit;
  page.sections.emplace_back();
  page.sections[0].robot = &c.experiment.plant_model;
  page.sections[0].surfaces = c.experiment.surfaces;
  for (const NamedRun& run : c.runs) page.sections[0].runs.push_back({run.name, &run.recording});
  return page;
}

int compare_runs(const CompareArguments& o, std::string& out) {
  for (const std::string& file : {o.page, o.figure, o.output})
    if (!file.empty()) refuse_to_overwrite(file, o.force);
  const ComparedRuns c = compare_files(o);
  if (c.runs.empty()) throw Failure("interrupted before the first run ended");
  if (!o.page.empty()) write_file(o.page, report_page(page_of(c, o)));
  if (!o.figure.empty()) write_file(o.figure, report_figure(page_of(c, o)));
  if (!o.output.empty()) write_file(o.output, runs_csv(c.runs));
  if (o.json) {
    Json j;
    j["robot"] = c.experiment.plant_model.name();
    j["experiment"] = o.files[0];
    j["notes"] = c.notes;
    j["runs"] = runs_json(c.runs);
    out += json_text(j);
  } else {
    out += fitted(bold(c.experiment.plant_model.name()) + ", plant and experiment of " +
                      one_line(o.files[0]),
                  2) +
           "\n";
    for (const std::string& note : c.notes)
      out += "  " + coloured(Colour::yellow, fitted(note, 4)) + "\n";
    out += "\n" + runs_text(c.runs);
    out += wrote({o.page, o.figure, o.output});
  }
  if (c.runs.size() < o.files.size()) return findings;
  for (const NamedRun& run : c.runs)
    if (run.recording.stop != StopReason::finished || diverged(run.recording)) return findings;
  return good;
}

Action add_compare(Arguments& app) {
  const auto o = std::make_shared<CompareArguments>();
  app.add_option("scenarios", o->files, "scenario files (.yaml); the first one is the experiment")
      .required();
  app.add_option("--report", o->page, "write an HTML page with all runs over each other");
  app.add_option("--figure", o->figure, "write the errors as one SVG picture");
  app.add_option("-o,--output", o->output, "write the table as CSV");
  app.add_flag("--meshes", o->meshes, "embed the robot's visual meshes in the page");
  add_package_path(app, o->package_folders);
  app.add_flag("--force", o->force, "overwrite files");
  add_json(app, o->json);
  return [o](std::string& out) { return compare_runs(*o, out); };
}

}  // namespace

extern const Verb compare;
const Verb compare{
    "compare", "run several control laws in one experiment and compare them",
    "  torsor compare pd.yaml computed_torque.yaml --report page.html\n"
    "  torsor compare examples/scenarios/direct_drive_tracking_*.yaml\n"
    "\n"
    "The first file gives the experiment: the true robot with its payload and friction, start,\n"
    "reference, sampling, noise and torque limits. Every file gives a law: its gains and what it\n"
    "believes of the robot. Where another file's experiment differs, a line says so; a robot\n"
    "with other joints is refused.\n"
    "\n"
    "rms e: of the norm over the joints; max and final e, max tau: the worst joint; settled:\n"
    "seconds until every joint stays within 0.01; energy (J) and chatter: summed over the joints;\n"
    "balance: of the Lyapunov function; holds: conditions of the proof; kept: its predictions.\n"
    "Exit code 1: a run stopped before its end or diverged.\n",
    add_compare};

}  // namespace torsor::command
