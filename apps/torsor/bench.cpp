#include "torsor/experiments/bench.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

#include "command.hpp"
#include "interrupt.hpp"
#include "json_input.hpp"
#include "json_output.hpp"
#include "number_list.hpp"
#include "output_file.hpp"
#include "print.hpp"
#include "robot_argument.hpp"
#include "run_table.hpp"
#include "text_output.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {
namespace {

/// Slower by more than this share is a finding.
constexpr double tolerated = 0.05;
constexpr const char* peers_program = "torsor-bench-peers";

struct BenchArguments {
  RobotArgument robot;
  std::vector<std::string> compared;
  std::string time = "0.1", report;
  bool json = false, force = false;
};

// Figures of other libraries.

/// The program that measures them, where it stands beside this one; otherwise empty.
std::string beside(const char* name) {
  std::error_code wrong;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", wrong);
  const std::filesystem::path there = here.parent_path() / name;
  return !wrong && access(there.c_str(), X_OK) == 0 ? there.string() : "";
}

/// Lines "verb ns torsor_ns difference library".
std::vector<BenchPeer> measure_peers(const std::string& program, const std::string& robot) {
  std::vector<BenchPeer> peers;
  FILE* pipe = popen((shell_word(program) + " " + shell_word(robot)).c_str(), "r");
  if (pipe == nullptr) throw Failure(std::string(peers_program) + ": cannot be started");
  std::string text;
  char part[4096];
  for (std::size_t n = 0; (n = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
  if (pclose(pipe) != 0) throw Failure(std::string(peers_program) + ": failed: " + one_line(text));
  std::istringstream lines(text);
  for (BenchPeer p; lines >> p.verb >> p.ns >> p.torsor_ns >> p.difference;) {
    std::getline(lines >> std::ws, p.library);
    peers.push_back(p);
  }
  return peers;
}

// Files of figures.

Json bench_json(const Bench& bench) {
  Json figures = Json::array(), peers = Json::array();
  for (const BenchFigure& f : bench.figures)
    figures.push_back({{"verb", f.verb}, {"mode", f.mode}, {"ns", f.ns}});
  for (const BenchPeer& p : bench.peers)
    peers.push_back({{"verb", p.verb},
                     {"library", p.library},
                     {"ns", p.ns},
                     {"torsor_ns", p.torsor_ns},
                     {"difference", p.difference}});
  return {{"robot", bench.robot},
          {"n_v", bench.n_v},
          {"processor", bench.processor},
          {"instruction_set", bench.instruction_set},
          {"compiler", bench.compiler},
          {"figures", figures},
          {"peers", peers}};
}

std::string text_of(const JsonValue& object, const char* key, const std::string& file) {
  const JsonValue* value = object.find(key);
  if (value == nullptr || !value->is(JsonValue::Kind::text))
    throw Error(file + ": has no text \"" + key + "\"; write it by torsor bench --json");
  return value->text;
}

Bench read_bench(const std::string& file) {
  const JsonValue all = read_json(read_text_file(file), file);
  Bench bench;
  bench.robot = text_of(all, "robot", file);
  bench.processor = text_of(all, "processor", file);
  bench.instruction_set = text_of(all, "instruction_set", file);
  const JsonValue* figures = all.find("figures");
  if (figures == nullptr || !figures->is(JsonValue::Kind::list) || figures->items.empty())
    throw Error(file + ": has no list \"figures\"; write it by torsor bench --json");
  for (const JsonValue& item : figures->items) {
    const JsonValue* ns = item.find("ns");
    if (ns == nullptr || !ns->is(JsonValue::Kind::number) || !(ns->number > 0))
      throw Error(file + ": a figure has no positive \"ns\"");
    bench.figures.push_back({text_of(item, "verb", file), text_of(item, "mode", file), ns->number});
  }
  return bench;
}

// Text.

std::string bench_text(const Bench& bench) {
  std::string out = bench.robot + ", " + std::to_string(bench.n_v) + " degrees of freedom\n" +
                    bench.processor + ", " + bench.instruction_set + ", " + bench.compiler + "\n";
  std::vector<std::string> modes, verbs;
  const auto enter = [](std::vector<std::string>& list, const std::string& word) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
  };
  for (const BenchFigure& f : bench.figures) enter(modes, f.mode), enter(verbs, f.verb);
  std::vector<Table::Column> columns = {{"verb", Table::left}};
  for (const std::string& mode : modes) columns.push_back({mode, Table::right});
  Table table(columns);
  for (const std::string& verb : verbs) {
    std::vector<std::string> row = {verb};
    for (const std::string& mode : modes) {
      std::string cell;
      for (const BenchFigure& f : bench.figures)
        if (f.verb == verb && f.mode == mode) cell = number(f.ns);
      row.push_back(cell);
    }
    table.add(row);
  }
  out += heading("speed", "ns per state, least CPU time of one thread") + table.text();
  if (bench.peers.empty()) return out;
  Table others({{"verb", Table::left},
                {"library", Table::left},
                {"ns", Table::right},
                {"torsor", Table::right},
                {"ratio", Table::right},
                {"differ by", Table::right}});
  for (const BenchPeer& p : bench.peers)
    others.add({p.verb, p.library, number(p.ns), number(p.torsor_ns), number(p.torsor_ns / p.ns),
                number(p.difference)});
  return out + heading("beside others", "in one run, results compared first") + others.text();
}

/// Exit code 1 where something got slower.
int compare_files(const BenchArguments& given, std::string& out) {
  const std::vector<SpeedChange> changes =
      speed_changes(read_bench(given.compared[0]), read_bench(given.compared[1]));
  if (changes.empty()) throw Error(given.compared[1] + ": has no figure of " + given.compared[0]);
  int slower = 0;
  Table table({{"verb", Table::left},
               {"mode", Table::left},
               {"before, ns", Table::right},
               {"after, ns", Table::right},
               {"ratio", Table::right}});
  Json list = Json::array();
  for (const SpeedChange& c : changes) {
    slower += c.ratio() > 1 + tolerated;
    table.add({c.verb, c.mode, number(c.before), number(c.after), number(c.ratio())});
    list.push_back({{"verb", c.verb},
                    {"mode", c.mode},
                    {"before", c.before},
                    {"after", c.after},
                    {"ratio", c.ratio()}});
  }
  if (given.json)
    out += json_text({{"figures", list}, {"slower", slower}});
  else
    out += table.text(0) + "\n" + std::to_string(slower) + " of " + std::to_string(changes.size()) +
           " slower by more than 5 %\n";
  return slower > 0 ? findings : good;
}

int bench_robot(const BenchArguments& given, std::string& out) {
  if (given.compared.size() == 2) return compare_files(given, out);
  if (!given.compared.empty()) throw Error("--compare: takes two files, BEFORE AFTER");
  if (given.robot.name.empty()) throw Error("bench: ROBOT is missing (torsor bench --help)");
  const double seconds = parse_numbers("--time", given.time, 1, "s")[0];
  if (!(seconds > 0 && seconds <= 60)) throw Error("--time: is " + given.time + " s, not 0 to 60");
  if (!given.report.empty()) refuse_to_overwrite(given.report, given.force);
  const Model<double> model = load_model(given.robot);
  const Interrupt interrupt;
  Bench bench = measure_speed(
      model, {.seconds = seconds,
              .go_on = [&](const std::string& verb, const std::string& mode, double share) {
                progress(verb + ", " + mode, share);
                return !interrupt.asked();
              }});
  const std::string program = beside(peers_program);
  std::string note;
  if (!interrupt.asked() && !program.empty()) {
    progress("other libraries");
    bench.peers = measure_peers(program, given.robot.name);
    if (bench.peers.empty()) note = "the program of peers was built without any";
  } else if (program.empty()) {
    note = "no other library beside it: ";
    note += peers_program;
    note += " is not in the folder of this program (benchmarks/ builds it)";
  }
  end_progress();
  if (!given.report.empty()) {
    std::vector<RunFact> facts = robot_facts(given.robot);
    facts.push_back({"time of each figure", number(seconds) + " s"});
    facts.push_back({"states", "random, the same in every run (seed 1)"});
    for (RunFact& fact : machine_facts()) facts.push_back(std::move(fact));
    facts.push_back({"compiler", bench.compiler});
    for (RunFact& fact : call_facts()) facts.push_back(std::move(fact));
    write_file(given.report, bench_page(bench, facts));
  }
  if (given.json)
    out += json_text(bench_json(bench));
  else
    out += bench_text(bench) + (note.empty() ? "" : "\n" + wrapped(note, 0) + "\n") +
           wrote({given.report});
  if (interrupt.asked()) remark("torsor: interrupted; these are the figures so far");
  return interrupt.asked() ? findings : good;
}

Action add_bench(Arguments& app) {
  const auto given = std::make_shared<BenchArguments>();
  app.add_option("ROBOT", given->robot.name, "robot file or built-in name").type_name("");
  app.add_option("--time", given->time, "s for each figure").type_name("NUMBER").show_default();
  app.add_option(
         "--compare", given->compared,
         "two files of --json instead: exit code 1 where a figure is slower by more than 5 %")
      .type_name("BEFORE AFTER");
  app.add_option("--report", given->report, "write a page with bars").type_name("FILE");
  app.add_flag("--force", given->force, "replace an existing page");
  add_json(app, given->json);
  return [given](std::string& out) { return bench_robot(*given, out); };
}

}  // namespace

extern const Verb bench;
const Verb bench{
    "bench", "how fast the verbs are for a robot on this machine",
    "  torsor bench panda --time 0.02\n"
    "  torsor bench planar2r --time 0.01 --json > before.json\n"
    "\n"
    "single: calls one after the other. latency: each call waits for the last one's\n"
    "result, as a control loop does. batch: many states at once, one in each lane of\n"
    "the registers; batch_float: the same in float. The best instruction set of the\n"
    "machine is used; TORSOR_ARCH=baseline (x86-64-v3, x86-64-v4) forces one. Two files\n"
    "of --json are held against each other by --compare BEFORE AFTER.\n",
    add_bench};

}  // namespace torsor::command
