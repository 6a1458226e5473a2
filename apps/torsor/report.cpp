#include "torsor/experiments/report.hpp"

#include <filesystem>
#include <memory>
#include <optional>

#include "command.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "run_table.hpp"
#include "torsor/experiments/internal/run_facts.hpp"
#include "torsor/experiments/recording_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {
namespace {

struct ReportArguments {
  std::vector<std::string> recordings, package_folders;
  std::string page, figure, title, robot;
  bool json = false, force = false, meshes = false;
};

int write_report(const ReportArguments& o, std::string& out) {
  if (o.page.empty() && o.figure.empty())
    throw Error("report: give a page to write, --output page.html, or a picture, --figure e.svg");
  for (const std::string& file : {o.page, o.figure})
    if (!file.empty()) refuse_to_overwrite(file, o.force);
  std::vector<NamedRun> runs;
  for (const std::string& file : o.recordings)
    runs.push_back({std::filesystem::path(file).stem().string(), load_recording(file)});
  Report page;
  page.title = o.title.empty() ? "Recorded runs" : o.title;
  page.sections.emplace_back();
  for (const NamedRun& run : runs) page.sections[0].runs.push_back({run.name, &run.recording});
  std::optional<Model<double>> robot;
  if (!o.robot.empty()) {
    robot.emplace(load_robot(o.robot, nullptr, {.package_folders = o.package_folders}));
    for (const NamedRun& run : runs)
      if (run.recording.q.width() != robot->n_q())
        throw Error("report: run \"" + run.name + "\" has " +
                    std::to_string(run.recording.q.width()) + " coordinates, robot \"" +
                    robot->name() + "\" " + std::to_string(robot->n_q()));
    page.sections[0].robot = &*robot;
    page.linear = linear_dofs(*robot);
  }
  for (const NamedRun& run : runs) {
    const auto k = static_cast<std::size_t>(&run - runs.data());
    page.facts.push_back({"recording", internal::file_with_hash(o.recordings[k])});
    const Recording& r = run.recording;
    std::string what = r.robot.empty() ? "" : one_line(r.robot);
    if (!r.controller.empty()) what += " under " + one_line(r.controller);
    if (!r.integrator.empty()) what += ", integrator " + one_line(r.integrator);
    if (r.period > 0) what += ", sampled every " + format_number(r.period) + " s";
    if (!what.empty()) page.facts.push_back({"run " + run.name, what});
  }
  if (!o.robot.empty()) {
    page.facts.push_back({"robot", one_line(o.robot)});
    page.facts.push_back(internal::robot_file_fact(o.robot));
    if (o.meshes) page.picture.mesh = internal::mesh_files(o.robot, o.package_folders);
  }
  for (RunFact& fact : call_facts()) page.facts.push_back(std::move(fact));
  if (!o.page.empty()) write_file(o.page, report_page(page));
  if (!o.figure.empty()) write_file(o.figure, report_figure(page));
  if (o.json)
    out += json_text({{"report", o.page}, {"figure", o.figure}, {"runs", runs_json(runs)}});
  else
    out += runs_text(runs) + wrote({o.page, o.figure});
  return good;
}

Action add_report(Arguments& app) {
  const auto o = std::make_shared<ReportArguments>();
  app.add_option("recordings", o->recordings, "recordings (.trec, .csv) of runs of one robot")
      .required();
  app.add_option("-o,--output", o->page, "the HTML page");
  app.add_option("--figure", o->figure, "write the errors as one SVG picture");
  app.add_option("--title", o->title, "of the page").type_name("TITLE");
  app.add_option("--robot", o->robot, "a file or a built-in name: it moves on the page")
      .type_name("ROBOT");
  app.add_flag("--meshes", o->meshes, "embed the robot's visual meshes in the page");
  add_package_path(app, o->package_folders);
  app.add_flag("--force", o->force, "overwrite files");
  add_json(app, o->json);
  return [o](std::string& out) { return write_report(*o, out); };
}

}  // namespace

extern const Verb report;
const Verb report{"report", "a page with plots from recordings of simulations",
                  "  torsor report run.trec --output run.html\n"
                  "  torsor report run.trec --robot planar2r -o moving.html     # the robot moves\n"
                  "  torsor simulate pd.yaml -o pd.trec && torsor simulate ct.yaml -o ct.trec\n"
                  "  torsor report pd.trec ct.trec -o page.html --figure errors.svg\n"
                  "\n"
                  "A .trec file has conditions and predictions of the law, too; a .csv the series "
                  "alone.\n",
                  add_report};

}  // namespace torsor::command
