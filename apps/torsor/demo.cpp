#include <chrono>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "run_table.hpp"
#include "text_output.hpp"
#include "torsor/experiments/report.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {
namespace {

struct Options {
  std::string page = "torsor-demo.html", figure;
  bool json = false, force = false;
};

struct DemoLaw {
  const char* name;
  const char* controller;
};

// Gains of like bandwidth, about 15 rad/s.
const DemoLaw laws[] = {
    {"PD",
     "{law: independent_pd, gains: {Kp: [800, 1500, 300, 80, 80, 80], Kd: [110, 200, 40, 8, 8, "
     "8]}}"},
    {"PD + gravity",
     "{law: pd_gravity, gains: {Kp: [800, 1500, 300, 80, 80, 80], Kd: [110, 200, 40, 8, 8, 8]}}"},
    {"computed torque", "{law: computed_torque, gains: {Kp: 225, Kd: 30}}"},
    {"Slotine-Li",
     "{law: slotine_li, gains: {Lambda: 15, Kd: [60, 100, 20, 4, 4, 4], parameters: [link_6.m, "
     "link_6.mx, link_6.my, link_6.mz, link_6.xx, link_6.yy, link_6.zz], adaptation: [2, 0.2, 0.2, "
     "0.2, 0.005, 0.005, 0.005]}}"},
};

// Every joint swings, off by 0.05 rad at first; torque limits of the PUMA's motors.
const char* const experiment = R"(
reference:
  sinusoid:
    offset: [0, 0.8, -1.6, 0.3, 0.6, 0]
    amplitude: [0.6, 0.5, 0.6, 0.4, 0.5, 0.6]
    frequency: [2, 1.5, 2, 2.5, 2, 1.5]
    phase: [-1.5707963, -1.5707963, -1.5707963, -1.5707963, -1.5707963, -1.5707963]
start: {q: [-0.65, 0.35, -2.15, -0.1, 0.1, -0.6]}
run: {duration: 6, record_every: 0.005, integrator: rk4, step: 0.001, period: 0.001}
sensors: {position_noise: 1.0e-5, velocity_noise: 1.0e-3}
actuators: {torque_limit: [97.6, 186.4, 89.4, 24.2, 20.1, 21.3]}
)";

struct Part {
  std::string title, text, plant;
  std::vector<NamedRun> runs{};
};

std::vector<Part> run_parts(Report& page) {
  std::vector<Part> parts = {
      {"The robot as the laws know it", "The true robot is the one that the laws believe in.",
       "{}"},
      {"2.5 kg in the hand that no law knows",
       "The true robot carries 2.5 kg, 100 mm from its flange; the laws believe in an empty hand. "
       "Slotine and Li's law estimates what its last link weighs while it moves.",
       "{payloads: [{link: link_6, mass: 2.5, com: [0, 0, 0.1]}]}"}};
  int k = 0;
  for (Part& part : parts)
    for (const DemoLaw& law : laws) {
      progress("run " + std::to_string(++k) + " of " +
               std::to_string(parts.size() * std::size(laws)) + ": " + law.name);
      const Scenario scenario = read_scenario(
          "robot: puma560\nplant: " + part.plant + "\ncontroller: " + law.controller + experiment,
          "demo");
      part.runs.push_back({law.name, run_scenario(scenario)});
      page.torque_limit = scenario.options.actuators.torque_limit;
    }
  end_progress();
  for (const Part& part : parts) {
    page.sections.push_back({part.title, part.text, {}});
    for (const NamedRun& run : part.runs)
      page.sections.back().runs.push_back({run.name, &run.recording});
  }
  return parts;
}

/// A page of this verb may be replaced, anything else not without --force.
void refuse_to_overwrite_others(const std::string& path, bool force) {
  std::error_code ignored;
  if (force || !std::filesystem::is_regular_file(path, ignored)) return;
  const bool ours = std::filesystem::file_size(path, ignored) > 0 &&
                    read_text_file(path).find("<footer>Made by Torsor") != std::string::npos;
  if (!ours) refuse_to_overwrite(path, force);
}

int show(const Options& o, std::string& out) {
  refuse_to_overwrite_others(o.page, o.force);
  if (!o.figure.empty()) refuse_to_overwrite(o.figure, o.force);
  const auto begin = std::chrono::steady_clock::now();
  Report page;
  page.title = "A PUMA 560 under control";
  page.text =
      "Six seconds of swinging in every joint, sampled at 1 kHz, with the robot's own friction, "
      "sensor noise and the torque limits of its motors. All laws see the same noise.";
  const std::vector<Part> parts = run_parts(page);
  write_file(o.page, report_page(page));
  if (!o.figure.empty()) write_file(o.figure, report_figure(page, 1));
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
    out += "\n" + std::to_string(parts.size() * std::size(laws)) + " runs of 6 s in " + time +
           " s; plots, conditions and figures in " + one_line(o.page) + "\n";
  }
  for (const Part& part : parts)
    for (const NamedRun& run : part.runs)
      if (run.recording.stop != StopReason::finished) return findings;
  return good;
}

Action add(Arguments& app) {
  const auto o = std::make_shared<Options>();
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
    add};

}  // namespace torsor::command
