#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "command.hpp"
#include "demo_files.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "run_table.hpp"
#include "text_output.hpp"
#include "torsor/experiments/report.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/sim/experiment.hpp"

namespace torsor::command {
namespace {

struct DemoArguments {
  std::string page = "torsor-demo.html", figure;
  bool json = false, force = false;
};

struct Part {
  std::string title, text;
  std::vector<NamedRun> runs{};
  std::optional<Model<double>> robot{};  // the true one
};

/// Of the files of demo/, the scenario `payload` and the laws, which come first.
std::vector<Scenario> scenarios() {
  std::vector<Scenario> list;
  for (const builtin::File& file : demo_files())
    list.push_back(read_scenario(file.text, "demo/" + std::string(file.name)));
  return list;
}

std::vector<Part> run_parts(Report& page) {
  std::vector<Part> parts = {
      {"The robot as the laws know it", "The true robot is the one that the laws believe in."},
      {"2.5 kg in the hand that no law knows",
       "The true robot carries 2.5 kg, 100 mm from its flange; the laws believe in an empty hand. "
       "Slotine and Li's law estimates what its last link weighs while it moves."}};
  std::vector<Scenario> laws = scenarios();
  const Scenario payload = std::move(laws.back());
  laws.pop_back();
  std::size_t k = 0;
  const Interrupt interrupt;
  for (Part& part : parts)
    for (const Scenario& law : laws) {
      if (interrupt.asked()) break;
      const std::size_t all = parts.size() * laws.size();
      progress("run " + std::to_string(k + 1) + " of " + std::to_string(all) + ": " + law.name,
               static_cast<double>(k) / static_cast<double>(all));
      ++k;
      Scenario run = with_law_of(&part == &parts[0] ? law : payload, law);
      part.robot = run.plant_model;
      run.options.curve_points = drawn_points;
      part.runs.push_back({law.name, run_scenario(run)});
    }
  end_progress();
  page.torque_limit = payload.options.actuators.torque_limit;
  for (const Part& part : parts) {
    page.sections.push_back({part.title, part.text, {}});
    page.sections.back().robot = part.robot ? &*part.robot : nullptr;
    for (const NamedRun& run : part.runs)
      page.sections.back().runs.push_back({run.name, &run.recording});
  }
  return parts;
}

/// What the files of demo/ say: the experiment, and the law of each run.
std::vector<RunFact> facts() {
  std::vector<RunFact> all, laws;
  for (const builtin::File& file : demo_files()) {
    const std::string name = "demo/" + std::string(file.name);
    std::string law;
    all = scenario_facts(file.text, name);  // in the end: of the payload
    for (const RunFact& fact : all)
      if (fact.name == "controller") law = fact.value;
    laws.push_back({"law of " + name, law});
  }
  laws.pop_back();
  std::erase_if(all, [](const RunFact& fact) { return fact.name == "controller"; });
  all.insert(all.end(), laws.begin(), laws.end());
  for (RunFact& fact : call_facts()) all.push_back(std::move(fact));
  return all;
}

/// A page of this verb may be replaced, anything else not without --force.
void refuse_to_overwrite_others(const std::string& path, bool force) {
  std::error_code ignored;
  const bool ours = std::filesystem::is_regular_file(path, ignored) &&
                    std::filesystem::file_size(path, ignored) > 0 &&
                    read_text_file(path).find("<footer>Made by Torsor") != std::string::npos;
  refuse_to_overwrite(path, force || ours);
}

int show(const DemoArguments& o, std::string& out) {
  refuse_to_overwrite_others(o.page, o.force);
  if (!o.figure.empty()) refuse_to_overwrite(o.figure, o.force);
  const auto begin = std::chrono::steady_clock::now();
  Report page;
  page.title = "A PUMA 560 under control";
  page.text =
      "Six seconds of swinging in every joint, sampled at 1 kHz, with the robot's own friction, "
      "sensor noise and the torque limits of its motors. All laws see the same noise.";
  page.facts = facts();
  const std::vector<Part> parts = run_parts(page);
  std::size_t done = 0;
  for (const Part& part : parts) done += part.runs.size();
  if (done == 0) throw Failure("interrupted before the first run ended");
  const std::size_t all = parts.size() * (demo_files().size() - 1);
  write_file(o.page, report_page(page));
  if (!o.figure.empty()) write_file(o.figure, report_figure(page, parts[1].runs.empty() ? 0 : 1));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  if (o.json) {
    Json j;
    j["robot"] = "puma560";
    j["report"] = o.page;
    j["parts"] = Json::array();
    for (const Part& part : parts)
      j["parts"].push_back({{"title", part.title}, {"runs", runs_json(part.runs)}});
    out += json_text(j);
  } else {
    out += bold(page.title) + "\n" + wrapped(page.text, 0) + "\n";
    for (const Part& part : parts) out += heading(part.title) + runs_text(part.runs);
    char time[32];
    std::snprintf(time, sizeof time, "%.1f", seconds);
    out += "\n" + (done < all ? "interrupted after " : std::string()) + std::to_string(done) +
           " runs of 6 s in " + time + " s; plots, conditions and figures in " + one_line(o.page) +
           "\n" + wrote({o.figure});
  }
  if (done < all) return findings;
  for (const Part& part : parts)
    for (const NamedRun& run : part.runs)
      if (run.recording.stop != StopReason::finished) return findings;
  return good;
}

Action add_demo(Arguments& app) {
  const auto o = std::make_shared<DemoArguments>();
  app.add_option("-o,--output", o->page, "the HTML page").show_default();
  app.add_option("--figure", o->figure, "write the errors under the payload as one SVG picture");
  app.add_flag("--force", o->force, "overwrite a file that is no page of this command");
  add_json(app, o->json);
  return [o](std::string& out) { return show(*o, out); };
}

}  // namespace

extern const Verb demo;
const Verb demo{
    "demo", "a PUMA 560 under four laws, with and without an unknown payload",
    "  torsor demo\n"
    "  torsor demo --output /tmp/page.html\n"
    "\n"
    "Prints a table of errors, torques and checks of each law's proof, and writes a page with\n"
    "plots. `torsor compare` does the same with your own robots and laws.\n",
    add_demo};

}  // namespace torsor::command
