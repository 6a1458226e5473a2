#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "identify_report.hpp"
#include "interrupt.hpp"
#include "json_output.hpp"
#include "number_list.hpp"
#include "output_file.hpp"
#include "robot_argument.hpp"
#include "run_table.hpp"
#include "text_output.hpp"
#include "torsor/experiments/identification_report.hpp"
#include "torsor/experiments/log_file.hpp"
#include "torsor/formats/save_edited.hpp"
#include "torsor/identification/write_back.hpp"

namespace torsor::command {
namespace {

struct Options {
  RobotArgument robot;
  std::vector<std::string> logs, validate, payloads, link_masses;
  std::string columns, estimator = "automatic", output, page, unknowns;
  std::string filter = "butterworth", motion_period, cutoff, decimate, least_speed, width, split,
              block, mass, gamma;
  int bootstrap = 200;
  std::optional<std::uint64_t> seed;
  bool no_rotors = false, no_friction = false, asymmetry = false, stiction = false, load = false,
       springs = false, payload_only = false, no_velocities = false, keep_delay = false;
  bool json = false, force = false;
};

double one_number(const char* option, const std::string& text) {
  return parse_numbers(option, text, 1, "a number")[0];
}
double at_least(const char* option, const std::string& text, double least) {
  const double x = one_number(option, text);
  if (x < least) throw Error(std::string(option) + ": " + number(x) + " is below " + number(least));
  return x;
}

Estimator estimator_of(const std::string& word) {
  std::vector<std::string> known;
  for (int k = 0; k <= static_cast<int>(Estimator::power); ++k) {
    known.emplace_back(name_of(static_cast<Estimator>(k)));
    if (known.back() == word) return static_cast<Estimator>(k);
  }
  throw Error("--estimator: unknown estimator \"" + word + "\"" + did_you_mean(word, known));
}

void read_filter(const std::string& word, IdentifyOptions& to) {
  const std::vector<std::string> known = {"butterworth", "savitzky_golay", "fourier", "none"};
  if (std::find(known.begin(), known.end(), word) == known.end())
    throw Error("--filter: unknown filter \"" + word + "\"" + did_you_mean(word, known));
  if (word == "savitzky_golay") to.filter.derivatives = FilterOptions::Derivatives::savitzky_golay;
  to.periodic = word == "fourier";
  to.filter.low_pass = word != "none";
}

/// "14.4" or "14.4+-0.3".
void read_mass(const std::string& text, ConsistencyOptions& to) {
  const std::size_t at = text.find("+-");
  to.total_mass = one_number("--mass", text.substr(0, at));
  if (at != std::string::npos) to.total_mass_sigma = one_number("--mass", text.substr(at + 2));
  if (to.total_mass <= 0 || to.total_mass_sigma < 0) throw Error("--mass: " + text + " is no mass");
}

/// "forearm=4:7", kg.
LinkKnowledge link_mass(const std::string& text) {
  const std::size_t equals = text.find('='), colon = text.find(':');
  if (equals == std::string::npos || colon == std::string::npos || colon < equals)
    throw Error("--link-mass: \"" + text + "\" is not LINK=LEAST:LARGEST, in kg");
  LinkKnowledge link;
  link.link = text.substr(0, equals);
  link.least_mass = at_least("--link-mass", text.substr(equals + 1, colon - equals - 1), 0);
  link.largest_mass = at_least("--link-mass", text.substr(colon + 1), link.least_mass);
  return link;
}

/// "FRAME", "FRAME=2.5" (kg), "FRAME=2.5:loaded.csv": of some logs alone.
PayloadUnknown payload_of(const std::string& text, const std::vector<std::string>& logs) {
  PayloadUnknown load;
  const std::size_t colon = text.find(':');
  std::string what = text.substr(0, colon);
  if (colon != std::string::npos) {
    const std::string log = text.substr(colon + 1);
    const auto found = std::find(logs.begin(), logs.end(), log);
    if (found == logs.end()) throw Error("--payload: \"" + log + "\" is none of the logs");
    load.logs.push_back(static_cast<int>(found - logs.begin()));
  }
  const std::size_t equals = what.find('=');
  if (equals != std::string::npos) {
    load.mass = one_number("--payload", what.substr(equals + 1));
    if (load.mass <= 0) throw Error("--payload: " + text + ": a mass is positive");
    what = what.substr(0, equals);
  }
  load.frame = what;
  return load;
}

IdentifyOptions options_of(const Options& o, const Motors& motors) {
  IdentifyOptions to;
  to.motors = motors;
  to.estimator = estimator_of(o.estimator);
  to.choice.rotors = !o.no_rotors;
  to.choice.viscous = to.choice.coulomb = to.choice.offset = !o.no_friction;
  to.choice.asymmetry = o.asymmetry;
  to.choice.stiction = o.stiction;
  to.choice.load = o.load;
  to.choice.springs = to.choice.spring_dampers = o.springs;
  for (std::size_t from = 0; !o.unknowns.empty() && from <= o.unknowns.size();) {
    const std::size_t comma = std::min(o.unknowns.find(',', from), o.unknowns.size());
    to.unknowns.push_back(o.unknowns.substr(from, comma - from));
    from = comma + 1;
  }
  std::vector<std::string> logs = o.logs;
  for (const std::string& text : o.payloads) to.payloads.push_back(payload_of(text, logs));
  to.payload_only = o.payload_only;
  read_filter(o.filter, to);
  if (!o.motion_period.empty()) to.motion_period = at_least("--period", o.motion_period, 1e-6);
  to.find_delay = !o.keep_delay;
  if (!o.cutoff.empty()) to.filter.cutoff = at_least("--cutoff", o.cutoff, 1e-6);
  if (!o.decimate.empty())
    to.filter.decimation = static_cast<int>(at_least("--decimate", o.decimate, 1));
  to.filter.use_velocities = !o.no_velocities;
  if (!o.least_speed.empty()) to.least_speed = at_least("--least-speed", o.least_speed, 0);
  if (!o.width.empty()) {
    to.sign_width = at_least("--width", o.width, 0);
    to.force_width = true;
  }
  if (o.bootstrap > 0 && o.bootstrap < 10)
    throw Error("--bootstrap: " + std::to_string(o.bootstrap) +
                " draws tell nothing; 0, or 10 at least");
  if (!o.split.empty()) {
    to.split = at_least("--split", o.split, 0.01);
    if (to.split > 1) throw Error("--split: " + o.split + " is a share, at most 1");
  }
  if (!o.block.empty()) to.block = at_least("--block", o.block, 1e-3);
  if (!o.mass.empty()) read_mass(o.mass, to.consistency);
  for (const std::string& text : o.link_masses) to.consistency.links.push_back(link_mass(text));
  if (!o.gamma.empty()) to.consistency.gamma = at_least("--gamma", o.gamma, 1e-12);
  to.bootstrap = o.bootstrap;
  if (o.seed) to.seed = static_cast<unsigned>(*o.seed);
  return to;
}

Action add(Arguments& app) {
  const auto o = std::make_shared<Options>();
  add_robot(app, o->robot, false);
  app.add_option("logs", o->logs, "measured motions (.csv)").required();
  app.add_option("--validate", o->validate, "logs that the result is tried on; may be repeated")
      .repeatable();
  app.add_option("--columns", o->columns, "what the columns of the logs mean (docs/logs.md)")
      .type_name("MAP.yaml");
  app.add_option("-o,--output", o->output, "write the robot with its new numbers")
      .type_name("ROBOT");
  app.add_option("--report", o->page, "write an HTML page");
  app.add_option("--estimator", o->estimator,
                 "automatic, ordinary, weighted, total, robust, consistent, joint_by_joint, power")
      .show_default();
  app.add_option("--filter", o->filter,
                 "butterworth, savitzky_golay (derivatives), fourier (mean of periods), none")
      .show_default();
  app.add_option("--period", o->motion_period, "of a periodic motion, s; found if not given");
  app.add_flag("--keep-delay", o->keep_delay, "torques that come late stay late");
  app.add_option("--cutoff", o->cutoff, "of the low-pass, Hz; proposed from the data if not given");
  app.add_option("--decimate", o->decimate, "every how many samples make a row");
  app.add_option("--least-speed", o->least_speed, "rows of slower joints are left out, rad/s");
  app.add_option(
      "--width", o->width,
      "of the smooth sign of Coulomb friction, rad/s (0.02 where the file has none; 0: exact)");
  app.add_flag("--no-velocities", o->no_velocities, "differentiate positions, ignore logged qd");
  app.add_flag("--no-rotors", o->no_rotors, "no rotor inertias (torque sensors behind the gears)");
  app.add_flag("--no-friction", o->no_friction, "no viscous, Coulomb friction and offsets");
  app.add_flag("--asymmetry", o->asymmetry, "friction that depends on the direction");
  app.add_flag("--stiction", o->stiction, "of joints with a Stribeck velocity");
  app.add_flag("--load", o->load, "friction in proportion to the load");
  app.add_flag("--springs", o->springs, "stiffness of springs, counterbalances");
  app.add_option("--unknowns", o->unknowns, "names with commas, in place of all these");
  app.add_option("--payload", o->payloads,
                 "unknown load: FRAME, FRAME=KG, FRAME=KG:LOG; may be repeated")
      .repeatable();
  app.add_flag("--payload-only", o->payload_only, "the robot is known, its load is not");
  app.add_option("--mass", o->mass, "of all moving bodies, kg: 14.4 or 14.4+-0.3");
  app.add_option("--link-mass", o->link_masses,
                 "bounds of one link: LINK=LEAST:LARGEST, kg; may be repeated")
      .repeatable();
  app.add_option("--gamma", o->gamma, "weight of the robot's file; by cross-validation");
  app.add_option("--split", o->split, "first share of each log that is fitted, the rest validates");
  app.add_option("--block", o->block, "of the bootstrap, s (1)");
  app.add_option("--bootstrap", o->bootstrap, "draws for the intervals").range(0, 100000);
  app.add_option("--seed", o->seed, "of the draws (1)");
  app.add_flag("--force", o->force, "overwrite files");
  add_json(app, o->json);
  return [o](std::string& out) -> int {
    const Model<double> model = load_model(o->robot);
    for (const std::string& file : {o->output, o->page})
      if (!file.empty()) refuse_to_overwrite(file, o->force);
    const ColumnMap map = o->columns.empty() ? ColumnMap{} : load_column_map(o->columns);
    const LoadedLogs logs = load_logs(o->logs, model, map);
    const LoadedLogs validation =
        o->validate.empty() ? LoadedLogs{} : load_logs(o->validate, model, map);
    const IdentifyOptions options = options_of(*o, logs.motors);
    const Interrupt interrupt;
    const Identification found =
        identify(model, logs.logs, validation.logs, options, [&](double share) {
          progress("identifying: " + std::to_string(static_cast<int>(100 * share)) + " %");
          return !interrupt.asked();
        });
    end_progress();
    std::string said, failed;
    try {
      if (!o->output.empty())
        said = save_identified(model, options, found, o->robot.name, o->output);
    } catch (const std::runtime_error& error) {  // what was found is not lost
      failed = error.what();
    }
    if (!o->page.empty()) {
      std::vector<RunFact> facts = {{"robot", o->robot.name}};
      for (const std::string& log : o->logs) facts.push_back({"log", log});
      for (const std::string& log : o->validate) facts.push_back({"validation", log});
      if (!o->columns.empty()) facts.push_back({"columns", o->columns});
      for (RunFact& fact : call_facts()) facts.push_back(std::move(fact));
      write_file(o->page, identification_page(model, found, facts));
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
