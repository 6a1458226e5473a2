#include "run_table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <optional>

#include "command.hpp"
#include "print.hpp"
#include "robot_argument.hpp"
#include "text_output.hpp"
#include "torsor/experiments/bench.hpp"
#include "torsor/experiments/internal/run_facts.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/instruction_set.hpp"
#include "torsor/model/text.hpp"
#include "verdict_text.hpp"

namespace torsor::command {
namespace {

/// Three digits; nothing where there was nothing to measure.
std::string three_digits(double x) {
  if (std::isnan(x)) return "";
  if (std::isinf(x)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x == 0 ? 0.0 : x);
  return text;
}
std::string count(std::size_t all, double bad) {
  if (all == 0) return "";
  return std::to_string(all - static_cast<std::size_t>(bad)) + "/" + std::to_string(all);
}
bool terminal() {
  static const bool answer = isatty(STDERR_FILENO) != 0;
  return answer;
}

}  // namespace

Scenario load_run(const std::string& scenario_file,
                  const std::vector<std::string>& package_folders) {
  Findings found;
  Scenario scenario = load_scenario(scenario_file, &found, package_folders);
  const auto of_scenario = std::stable_partition(
      found.begin(), found.end(), [&](const Finding& f) { return f.origin.file != scenario_file; });
  for (auto f = of_scenario; f != found.end(); ++f) remark("torsor: " + one_line(f->line()));
  found.erase(of_scenario, found.end());
  mention_warnings(found, scenario.plant_model.description().origin.file);
  return scenario;
}

Recording run_of(const Scenario& scenario, const std::string& scenario_file) {
  try {
    return run_scenario(scenario);
  } catch (const Error& error) {
    end_progress();
    throw Error(one_line(scenario_file) + ": " + error.what());
  }
}

std::string runs_text(const std::vector<NamedRun>& runs) {
  Table table({{"run"},
               {"rms e", Table::right},
               {"max e", Table::right},
               {"final e", Table::right},
               {"settled", Table::right},
               {"task rms", Table::right},
               {"task max", Table::right},
               {"max tau", Table::right},
               {"energy", Table::right},
               {"chatter", Table::right},
               {"balance", Table::right},
               {"holds", Table::right},
               {"kept", Table::right}});
  std::string remarks;
  for (const auto& [name, r] : runs) {
    const RunSummary s = summarise(r);
    const std::vector<Comparison> claims = compare_predictions(r);
    const auto missed =
        std::count_if(claims.begin(), claims.end(), [](const Comparison& c) { return !c.kept; });
    table.add({name, three_digits(s.rms_error), three_digits(s.max_error),
               three_digits(s.final_error), three_digits(s.settling_time), three_digits(s.task_rms),
               three_digits(s.task_max), three_digits(s.max_torque), three_digits(s.energy),
               three_digits(s.chatter), three_digits(s.lyapunov_balance),
               count(r.conditions.size(), s.violated + s.not_covered),
               count(claims.size(), static_cast<double>(missed))});
    const auto remark = [&, &of = name](const std::string& text) {
      const std::string line = std::string(of).append(": ").append(text);
      remarks.append("  ").append(wrapped(line, 4)).append("\n");
    };
    if (!r.message.empty()) remark(coloured(Colour::red, r.message));
    if (!r.figures.given() && r.size() > 0)
      remark("has no figures of its own: these are estimated from its " +
             internal::count_of(r.size(), "row"));
    for (const OutcomeRow& row : outcome(r))
      if (row.verdict == OutcomeVerdict::bad &&
          (r.message.empty() || row.text.find(r.message) == std::string::npos))
        remark(coloured(Colour::yellow, row.name) + ": " + row.text);
    for (const Condition& c : r.conditions)
      if (!c.satisfied())
        remark(coloured(Colour::yellow, name_of(c.verdict)) + " " + c.name + ": " + c.text());
    // The worst prediction stands for all that were not kept: often one cause breaks one of each
    // joint.
    int broken = 0;
    Comparison worst;
    const auto miss = [](const Comparison& c) { return std::abs(c.observed - c.prediction.value); };
    for (const Comparison& c : claims)
      if (!c.kept && c.covered && (broken++ == 0 || miss(c) > miss(worst))) worst = c;
    if (broken > 0)
      remark(coloured(Colour::yellow, "not kept") + " " + worst.prediction.name + ": predicted " +
             three_digits(worst.prediction.value) + ", observed " + three_digits(worst.observed) +
             (broken > 1 ? ", and " + std::to_string(broken - 1) + " more" : "") +
             (why_not_kept(r).empty() ? "" : "; " + why_not_kept(r)));
  }
  return table.text() + (remarks.empty() ? "" : "\n" + remarks);
}

Json summary_json(const RunSummary& summary) {
  Json j;
  for (const RunFigure& f : run_figures()) j[f.name] = summary.*f.value;
  return j;
}

Json runs_json(const std::vector<NamedRun>& runs) {
  Json list = Json::array();
  for (const auto& [name, r] : runs) {
    Json j;
    j["run"] = name;
    j["law"] = r.controller;
    j["stop"] = name_of(r.stop);
    j["message"] = r.message;
    j.update(summary_json(summarise(r)));
    j["conditions"] = conditions_json(r.conditions);
    j["predictions"] = predictions_json(r);
    j["outcome"] = outcome_json(r);
    list.push_back(std::move(j));
  }
  return list;
}

std::string runs_csv(const std::vector<NamedRun>& runs) {
  std::string out = "run,law,stop";
  for (const RunFigure& f : run_figures()) out += std::string(",") + f.name;
  for (const auto& [name, r] : runs) {
    out += "\n" + csv_cell(name) + "," + r.controller + "," + name_of(r.stop);
    const RunSummary s = summarise(r);
    for (const RunFigure& f : run_figures()) out += "," + format_number(s.*f.value);
  }
  return out + "\n";
}

std::vector<RunFact> page_facts(const std::string& scenario_file, bool with_sweep) {
  std::vector<RunFact> facts =
      scenario_facts(read_text_file(scenario_file), one_line(scenario_file));
  if (!with_sweep) std::erase_if(facts, [](const RunFact& fact) { return fact.name == "sweep"; });
  for (RunFact& fact : call_facts()) facts.push_back(std::move(fact));
  return facts;
}

std::vector<RunFact> robot_facts(const RobotArgument& robot) {
  std::vector<RunFact> facts{{"robot", one_line(robot.name)},
                             internal::robot_file_fact(robot.name)};
  for (const std::string& word : robot.files.arguments)
    facts.push_back({"argument of the file", one_line(word)});
  if (robot.floating) facts.push_back({"base", "floating"});
  return facts;
}

std::vector<RunFact> machine_facts() {
  return {{"processor", processor_name()}, {"instruction set", instruction_set()}};
}

internal::PictureOptions picture_options(bool meshes, const std::string& scenario_file,
                                         const std::vector<std::string>& package_folders) {
  if (!meshes) return {};
  for (const RunFact& fact : scenario_facts(read_text_file(scenario_file), scenario_file))
    if (fact.name == "robot")
      return {internal::mesh_files(robot_of_scenario(fact.value, scenario_file), package_folders)};
  return {};
}

std::vector<RunFact> call_facts() {
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", std::gmtime(&now));
  return {{"version", "torsor " TORSOR_VERSION}, {"date", date}, {"command", command_line()}};
}

namespace {

using Clock = std::chrono::steady_clock;

/// When the work began whose progress is shown.
std::optional<Clock::time_point>& begin_of_work() {
  static std::optional<Clock::time_point> begin;
  return begin;
}

}  // namespace

std::string time_left(double seconds, double share) {
  if (!(seconds > 1 && share > 0.01 && share < 1)) return "";
  const double left = std::ceil(seconds * (1 - share) / share);
  char text[48];
  if (left < 100)
    std::snprintf(text, sizeof text, ", about %.0f s left", left);
  else
    std::snprintf(text, sizeof text, ", about %.0f min left", std::ceil(left / 60));
  return text;
}

void progress(const std::string& line) {
  if (!terminal()) return;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  const std::size_t columns = known ? size.ws_col - 1U : 79U;
  std::string shown = one_line(line);
  if (shown.size() > columns) shown.resize(columns);
  std::fprintf(stderr, "\r\x1b[K%s", shown.c_str());
  std::fflush(stderr);
}
void progress(const std::string& line, double share) {
  std::optional<Clock::time_point>& begin = begin_of_work();
  if (!begin) begin = Clock::now();
  const double seconds = std::chrono::duration<double>(Clock::now() - *begin).count();
  progress(line + time_left(seconds, share));
}
void end_progress() {
  begin_of_work().reset();
  if (terminal()) std::fputs("\r\x1b[K", stderr);
}

}  // namespace torsor::command
