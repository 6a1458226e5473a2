#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "command.hpp"
#include "identify_options.hpp"
#include "identify_report.hpp"
#include "interrupt.hpp"
#include "json_output.hpp"
#include "on_ranks.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "run_table.hpp"
#include "text_output.hpp"
#include "torsor/experiments/identification_report.hpp"
#include "torsor/experiments/internal/run_facts.hpp"
#include "torsor/formats/save_edited.hpp"
#include "torsor/sim/reference_run.hpp"

namespace torsor::command {
namespace {

/// What the page says was run.
std::vector<RunFact> page_facts(const IdentifyArguments& given, const IdentifyOptions& o,
                                const Identification& found) {
  using internal::file_with_hash;
  std::vector<RunFact> facts = robot_facts(given.robot);
  for (const std::string& log : given.logs) facts.push_back({"log", file_with_hash(log)});
  for (const std::string& log : given.validate)
    facts.push_back({"validation", file_with_hash(log)});
  if (!given.columns.empty()) facts.push_back({"columns", file_with_hash(given.columns)});
  facts.push_back({"estimator", std::string(name_of(found.estimator)) +
                                    (o.estimator == Estimator::automatic ? ", chosen" : "")});
  facts.push_back({"filter", found.filter});
  if (o.split < 1) facts.push_back({"fitted share of each log", number(o.split)});
  facts.push_back({"intervals", found.bootstrapped
                                    ? std::to_string(o.bootstrap) + " draws of blocks of " +
                                          number(o.block) + " s, seed " + std::to_string(o.seed)
                                    : "classical"});
  for (RunFact& fact : call_facts()) facts.push_back(std::move(fact));
  return facts;
}

/// What is asked for, read and checked before anything is fitted.
struct Task {
  Model<double> model;
  LoadedLogs logs{}, validation{};
  IdentifyOptions options{};
  bool simulated = false;

  explicit Task(const IdentifyArguments& given) : model(load_model(given.robot)) {
    if (internal::launch().rank == 0)
      for (const std::string& file : {given.output, given.page})
        if (!file.empty()) refuse_to_overwrite(file, given.force);
    simulated = simulates(estimator_of(given.estimator));
    ColumnMap map = given.columns.empty() ? ColumnMap{} : load_column_map(given.columns);
    map.find_reference = simulated;
    logs = load_logs(given.logs, model, map);
    if (!given.validate.empty()) validation = load_logs(given.validate, model, map);
    options = identify_options(given, logs.motors);
  }
  std::string job(const IdentifyArguments& given) const {
    std::vector<std::string> files = given.logs;
    files.insert(files.end(), given.validate.begin(), given.validate.end());
    if (!given.columns.empty()) files.push_back(given.columns);
    return job_text(model, files);
  }
};

/// By all ranks where there are several.
Identification fit(Task& task, internal::Ranks* ranks) {
  const Interrupt interrupt;
  const auto go_on = [&] { return !interrupt.asked(); };
  if (task.simulated)
    task.options.simulate = reference_simulator({.gains = task.logs.controller, .go_on = go_on});
  RankProgress lines;
  if (ranks) {
    task.options.threads = internal::threads_of_rank();
    task.options.hands = internal::hands_of(*ranks);
  }
  const auto tell = [&](double share) {
    const std::string text = "identifying: " + std::to_string(static_cast<int>(100 * share)) + " %";
    if (!ranks)
      progress(text, share);
    else if (ranks->rank() == 0 && lines.due())
      std::fprintf(stderr, "torsor: %s, %d ranks\n", text.c_str(), ranks->size());
    return go_on();
  };
  Identification found =
      identify(task.model, task.logs.logs, task.validation.logs, task.options, tell);
  end_progress();
  if (found.stopped) throw Error("identify: stopped");
  if (ranks && ranks->rank() == 0) {
    lines.conclude(*ranks, std::to_string(found.rows) + " rows");
    ranks->leave();
  }
  return found;
}

int identify_robot(const IdentifyArguments& given, Task& task, internal::Ranks* ranks,
                   std::string& out) {
  const bool follows = ranks && ranks->rank() > 0;
  const Identification found = fit(task, ranks);
  if (follows) return good;
  std::vector<std::string> said;  // of the file that is written
  std::string failed;
  try {
    if (!given.output.empty())
      said = save_identified(task.model, task.options, found, given.robot, given.output);
  } catch (const std::runtime_error& error) {  // what was found is not lost
    failed = error.what();
  }
  if (!given.page.empty())
    write_file(given.page,
               identification_page(task.model, found, page_facts(given, task.options, found)));
  if (given.json) {
    Json answer = identification_json(found);
    if (!given.output.empty() && failed.empty())
      answer["written"] = {{"file", given.output}, {"notes", said}};
    out += json_text(answer);
  } else {
    out += identification_text(task.model, found);
    for (const std::string& note : said) out += "  " + wrapped(note, 4) + "\n";
    out += wrote({failed.empty() ? given.output : "", given.page});
  }
  if (failed.empty()) return good;
  std::fprintf(stderr, "torsor: %s is not written: %s\n", given.output.c_str(), failed.c_str());
  return findings;
}

int identify_on_ranks(const IdentifyArguments& given, std::string& out) {
  std::optional<Task> task;
  return on_all_ranks(
      {[&] { task.emplace(given); }, [&] { return task->job(given); },
       [&](internal::Ranks* ranks) { return identify_robot(given, *task, ranks, out); }});
}

Action add_identify(Arguments& app) {
  const auto o = std::make_shared<IdentifyArguments>();
  add_robot(app, o->robot, false);
  app.add_option("logs", o->logs, "measured motions (.csv)").required();
  app.add_option("--validate", o->validate, "logs that the result is tried on; may be repeated")
      .type_name("LOG")
      .repeatable();
  app.add_option("--columns", o->columns, "what the columns of the logs mean (docs/logs.md)")
      .type_name("MAP.yaml");
  app.add_option("-o,--output", o->output, "write the robot with its new numbers")
      .type_name("ROBOT");
  app.add_option("--report", o->page, "write an HTML page");
  app.add_option(
         "--estimator", o->estimator,
         "automatic, ordinary, weighted, total, robust, consistent, joint_by_joint, power; with "
         "references in the logs instrumental, didim; output_error (Stribeck velocities)")
      .type_name("NAME")
      .show_default();
  app.add_option("--filter", o->filter,
                 "butterworth, savitzky_golay (derivatives), fourier (mean of periods), none")
      .type_name("NAME")
      .show_default();
  app.add_option("--period", o->motion_period, "of a periodic motion, s; found if not given")
      .type_name("NUMBER");
  app.add_flag("--keep-delay", o->keep_delay, "torques that come late stay late");
  app.add_option("--cutoff", o->cutoff, "of the low-pass, Hz; proposed from the data if not given")
      .type_name("NUMBER");
  app.add_option("--decimate", o->decimate, "every how many samples make a row").type_name("N");
  app.add_option("--least-speed", o->least_speed, "rows of slower joints are left out, rad/s")
      .type_name("NUMBER");
  app.add_option(
         "--width", o->width,
         "of the smooth sign of Coulomb friction, rad/s or m/s (where the file has none 0.02, of "
         "slides 0.002; 0: exact)")
      .type_name("NUMBER");
  app.add_flag("--no-velocities", o->no_velocities, "differentiate positions, ignore logged qd");
  app.add_flag("--no-rotors", o->no_rotors, "no rotor inertias (torque sensors behind the gears)");
  app.add_flag("--no-friction", o->no_friction, "no viscous, Coulomb friction and offsets");
  app.add_flag("--asymmetry", o->asymmetry, "friction that depends on the direction");
  app.add_flag("--stiction", o->stiction, "of joints with a Stribeck velocity");
  app.add_flag("--load", o->load, "friction in proportion to the load");
  app.add_flag("--springs", o->springs, "stiffness of springs, counterbalances");
  app.add_option("--unknowns", o->unknowns, "names with commas, in place of all these")
      .type_name("NAMES");
  app.add_option("--payload", o->payloads,
                 "unknown load: FRAME, FRAME=KG, FRAME=KG:LOG,LOG; may be repeated")
      .type_name("LOAD")
      .repeatable();
  app.add_flag("--payload-only", o->payload_only, "the robot is known, its load is not");
  app.add_option("--mass", o->mass, "of all moving bodies, kg: 14.4 or 14.4+-0.3")
      .type_name("NUMBER");
  app.add_option("--link-mass", o->link_masses,
                 "bounds of one link: LINK=LEAST:LARGEST, kg; may be repeated")
      .type_name("BOUNDS")
      .repeatable();
  app.add_option(
         "--link-ellipsoid", o->link_ellipsoids,
         "that contains one link: LINK=X,Y,Z:A,B,C, centre and half axes, m; may be repeated")
      .type_name("ELLIPSOID")
      .repeatable();
  app.add_option("--gamma", o->gamma, "weight of the robot's file; by cross-validation")
      .type_name("NUMBER");
  app.add_option("--split", o->split, "first share of each log that is fitted, the rest validates")
      .type_name("NUMBER");
  app.add_option("--block", o->block, "of the bootstrap, s (1)").type_name("NUMBER");
  app.add_option("--bootstrap", o->bootstrap, "draws for the intervals").range(0, 100000);
  app.add_option("--seed", o->seed, "of the draws").range(0, 2147483647).show_default();
  app.add_flag("--force", o->force, "overwrite files");
  add_json(app, o->json);
  return [o](std::string& out) { return identify_on_ranks(*o, out); };
}

}  // namespace

extern const Verb identify_verb;
const Verb identify_verb{
    "identify", "from measured motions to masses, friction and rotors",
    "  torsor excite planar2r --time 1 -o motion.csv         # what the robot should do\n"
    "  torsor id planar2r --csv motion.csv -o log.csv        # here: a log without noise\n"
    "  torsor identify planar2r log.csv                      # t, q.<joint>, qd.., tau..\n"
    "  torsor identify planar2r log.csv --split 0.7 -o found.yaml --report page.html\n"
    "  torsor identify planar2r log.csv --estimator weighted --json\n"
    "  torsor identify planar2r log.csv --payload tip --payload-only\n"
    "\n"
    "mpirun -n 8 torsor identify ROBOT LOG ... shares stretches of the logs and draws of the "
    "bootstrap\n"
    "among many machines, the same numbers in every bit (docs/many-machines.md).\n",
    add_identify, true};

}  // namespace torsor::command
