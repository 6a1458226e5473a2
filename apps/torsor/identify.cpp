#include <cstdio>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "identify_options.hpp"
#include "identify_report.hpp"
#include "interrupt.hpp"
#include "json_output.hpp"
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

Action add(Arguments& app) {
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
         "of the smooth sign of Coulomb friction, rad/s (0.02 where the file has none; 0: exact)")
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
                 "unknown load: FRAME, FRAME=KG, FRAME=KG:LOG; may be repeated")
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
  return [o](std::string& out) -> int {
    const Model<double> model = load_model(o->robot);
    for (const std::string& file : {o->output, o->page})
      if (!file.empty()) refuse_to_overwrite(file, o->force);
    const bool simulated = simulates(estimator_of(o->estimator));
    ColumnMap map = o->columns.empty() ? ColumnMap{} : load_column_map(o->columns);
    map.find_reference = simulated;
    const LoadedLogs logs = load_logs(o->logs, model, map);
    const LoadedLogs validation =
        o->validate.empty() ? LoadedLogs{} : load_logs(o->validate, model, map);
    IdentifyOptions options = identify_options(*o, logs.motors);
    const Interrupt interrupt;
    if (simulated)
      options.simulate = reference_simulator(
          {.gains = logs.controller, .go_on = [&] { return !interrupt.asked(); }});
    const Identification found =
        identify(model, logs.logs, validation.logs, options, [&](double share) {
          progress("identifying: " + std::to_string(static_cast<int>(100 * share)) + " %", share);
          return !interrupt.asked();
        });
    end_progress();
    std::string said, failed;
    try {
      if (!o->output.empty()) said = save_identified(model, options, found, o->robot, o->output);
    } catch (const std::runtime_error& error) {  // what was found is not lost
      failed = error.what();
    }
    if (!o->page.empty()) {
      write_file(o->page, identification_page(model, found, page_facts(*o, options, found)));
    }
    out += o->json ? json_text(identification_json(found)) : identification_text(model, found);
    if (!o->json) out += said + wrote({failed.empty() ? o->output : "", o->page});
    if (failed.empty()) return good;
    std::fprintf(stderr, "torsor: %s is not written: %s\n", o->output.c_str(), failed.c_str());
    return findings;
  };
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
    "  torsor identify planar2r log.csv --payload tip --payload-only\n",
    add};

}  // namespace torsor::command
