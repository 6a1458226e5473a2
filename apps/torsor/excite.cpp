#include "excite.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "interrupt.hpp"
#include "number_list.hpp"
#include "on_ranks.hpp"
#include "output_file.hpp"
#include "print.hpp"
#include "run_table.hpp"
#include "text_output.hpp"

namespace torsor::command {
namespace {

constexpr double most_rows = 1e6;

/// Of trajectory r: the name itself where there is one, else with _1, _2, ... before its ending.
std::string numbered(const std::string& name, int r, int all) {
  if (name.empty() || all == 1) return name;
  const std::filesystem::path path = name;
  return (path.parent_path() /
          (path.stem().string() + "_" + std::to_string(r + 1) + path.extension().string()))
      .string();
}

std::string progress_text(const ExcitationProgress& p) {
  return "stage " + std::to_string(p.stage) + " of " + std::to_string(p.stages) + ", " +
         std::to_string(p.starts) + (p.starts == 1 ? " motion, " : " motions, ") +
         std::to_string(p.evaluations) + " steps" +
         (std::isfinite(p.condition) ? ", condition below " + number(p.condition) : "") + ", " +
         number(std::round(p.seconds)) + " s";
}

/// What is asked for, read and checked before anything is searched.
struct Task {
  double rate;
  Model<double> model;
  std::vector<std::string> notes{};
  ExcitationOptions options{};

  Task(const ExciteArguments& given, double rows_a_second)
      : rate(rows_a_second), model(load_model(given.robot)) {
    options = excitation_options(given, model, notes);
    if (!given.series.empty() && excited_coordinates(model).size() < model.n_q())
      throw Error("--series: is for trees; the motion of a robot with loops is in --output");
    if (rate * options.period > most_rows)
      throw Error("--rate " + given.rate + ": more than a million rows in " + given.period + " s");
  }
};

std::unique_ptr<Task> prepare(const ExciteArguments& given) {
  const double rate = parse_numbers("--rate", given.rate, 1, "Hz")[0];
  if (rate <= 0) throw Error("--rate: is " + given.rate + ", not positive");
  if (given.points > 0 && !given.series.empty())
    throw Error("--series: is for Fourier series; a quintic spline is in --output and --json");
  if (internal::launch().rank == 0) {
    for (int r = 0; r < given.trajectories; ++r)
      for (const std::string& name : {given.output, given.series})
        if (!name.empty()) refuse_to_overwrite(numbered(name, r, given.trajectories), given.force);
    if (!given.page.empty()) refuse_to_overwrite(given.page, given.force);
  }
  return std::make_unique<Task>(given, rate);
}

/// The search, by all ranks where there are several.
Excitation search(Task& task, internal::Ranks* ranks, const Interrupt& interrupt) {
  RankProgress lines;
  if (ranks) {
    if (task.options.threads == 0) task.options.threads = internal::threads_of_rank();
    task.options.hands = internal::hands_of(*ranks);
  }
  const bool speaks = !ranks || ranks->rank() == 0;
  Excitation found = design_excitation(task.model, task.options, [&](const ExcitationProgress& p) {
    if (!ranks && p.evaluations % 10 == 1) progress(progress_text(p));
    if (ranks && speaks && lines.due())
      std::fprintf(stderr, "torsor: %s by rank 0\n", progress_text(p).c_str());
    return !interrupt.asked();
  });
  end_progress();
  if (ranks && speaks)
    lines.conclude(*ranks, std::to_string(task.options.starts) + " motions, " +
                               std::to_string(found.evaluations) + " evaluations");
  return found;
}

int excite_robot(const ExciteArguments& given, Task& task, internal::Ranks* ranks,
                 std::string& out) {
  const Interrupt interrupt;
  const Model<double>& model = task.model;
  const ExcitationOptions& options = task.options;
  const Excitation found = search(task, ranks, interrupt);
  if (ranks && ranks->rank() > 0) return good;
  if (ranks) ranks->leave();
  if (!found.keeps_limits())
    throw Failure("excite: no motion was found that keeps all limits between its samples");
  if (!std::isfinite(found.condition))
    throw Failure("excite: no motion was found that tells all " +
                  std::to_string(found.unknowns.size()) +
                  " unknowns apart; more --harmonics or --trajectories may");

  std::vector<std::string> files;
  const auto write = [&](const std::string& name, int r, const auto& text) {
    if (name.empty()) return;
    files.push_back(numbered(name, r, found.size()));
    write_file(files.back(), text());
  };
  for (int r = 0; r < found.size(); ++r) {
    write(given.output, r, [&] { return excitation_csv(model, found, r, task.rate); });
    write(given.series, r, [&] { return excitation_reference(model, found, r); });
  }
  if (!given.page.empty()) {
    write_file(given.page, excitation_page(model, given, options, found, task.rate));
    files.push_back(given.page);
  }
  out += given.json ? json_text(excitation_json(model, options, found, task.notes))
                    : excitation_text(model, options, found, task.notes) + wrote(files);
  if (interrupt.asked()) remark("torsor: interrupted; this is the best motion so far");
  return interrupt.asked() ? findings : good;
}

int excite_on_ranks(const ExciteArguments& given, std::string& out) {
  std::unique_ptr<Task> task;
  return on_all_ranks(
      {[&] { task = prepare(given); }, [&] { return job_text(task->model, {}); },
       [&](internal::Ranks* ranks) { return excite_robot(given, *task, ranks, out); }});
}

Action add_excite(Arguments& app) {
  const auto o = std::make_shared<ExciteArguments>();
  const auto add_text = [&](const char* name, std::string& text, const char* type,
                            const char* what) {
    return app.add_option(name, text, what).type_name(type);
  };
  add_robot(app, o->robot, false);
  add_text("--criterion", o->criterion, "NAME", "condition, or d: log det of the information")
      .show_default();
  add_text("--period", o->period, "NUMBER", "s, of each trajectory").show_default();
  app.add_option("--harmonics", o->harmonics, "of the Fourier series").range(0, 100).show_default();
  app.add_option("--spline", o->points, "quintic splines through so many points instead")
      .range(1, 1000);
  app.add_option("--trajectories", o->trajectories, "to be run one after another")
      .range(1, 100)
      .show_default();
  add_text("--lower", o->lower, "LIST", "positions, one or a list, instead of the robot's");
  add_text("--upper", o->upper, "LIST", "likewise");
  add_text("--max-velocity", o->velocity, "LIST", "likewise");
  add_text("--max-acceleration", o->acceleration, "LIST", "likewise");
  add_text("--max-jerk", o->jerk, "LIST", "likewise");
  add_text("--max-torque", o->torque, "LIST", "likewise, by the robot's own masses and friction");
  add_text("--share", o->share, "PERCENT", "of all these limits that may be used").show_default();
  app.add_option("--box", o->boxes, "FRAME:x=0.2..0.8,z=0.1.. where its origin may be, m")
      .type_name("BOX")
      .repeatable();
  add_text("--floor", o->floor, "NUMBER", "m: origins of all links that move stay above");
  add_text("--start", o->start, "LIST", "posture at both ends; otherwise chosen");
  add_text("--noise", o->noise, "LIST", "standard deviation of the torques; otherwise all alike");
  add_text("--without", o->without, "LIST", "unknowns: rotors, viscous, coulomb, offset");
  app.add_option("--starts", o->starts, "random motions to begin with")
      .range(1, 100000)
      .show_default();
  app.add_option("--seed", o->seed, "of the random motions; 1 unless given");
  app.add_option("--threads", o->threads, "all cores unless given").range(1, 4096);
  add_text("--time", o->time, "NUMBER", "s: then the best motion so far is taken");
  app.add_flag("--deg", o->degrees, "angles of these lists in degrees (files never)");
  add_text("--rate", o->rate, "NUMBER", "Hz, rows of the CSV").show_default();
  app.add_option("-o,--output", o->output, "write t, q, qd, qdd as CSV");
  app.add_option("--series", o->series, "write the coefficients: the reference of a scenario")
      .type_name("FILE");
  app.add_option("--report", o->page, "write an HTML page: the robot on these motions, plots");
  app.add_flag("--meshes", o->meshes, "embed the robot's visual meshes in the page");
  app.add_flag("--force", o->force, "replace existing files");
  add_json(app, o->json);
  return [o](std::string& out) { return excite_on_ranks(*o, out); };
}

}  // namespace

extern const Verb excite;
const Verb excite{
    "excite", "motions from which masses and friction can be identified, within limits",
    "  torsor excite puma560 -o motion.csv --series motion.yaml\n"
    "  torsor excite panda --max-acceleration 8 --share 80 --floor 0.05 --time 5\n"
    "  torsor excite ur5 --criterion d --trajectories 2 --box tool:x=-0.6..0.6,z=0.1.. --time 5\n"
    "  torsor excite planar2r --spline 12 --start 0,0 --json\n"
    "\n"
    "The condition number is that of the columns of tau = W x, each of length one, over all\n"
    "trajectories together; x: base parameters with rotors, viscous and Coulomb friction, "
    "offsets.\n"
    "Below about 100 identification works, near 1 every unknown is seen by itself. --criterion d\n"
    "asks for the most information instead: larger motions, smaller errors under the same noise.\n"
    "\n"
    "Every limit is kept and its use is shown; torques are those of the robot file, so leave room\n"
    "(--share) where they are a guess. Boxes and floor are about origins of frames: links have no\n"
    "shape here. Run the CSV slowly first.\n"
    "\n"
    "One seed gives one motion, whatever the number of threads, unless --time or Ctrl-C ends the\n"
    "search: then the best motion so far is written. Exit code 1: interrupted, or nothing found.\n"
    "mpirun -n 8 torsor excite ROBOT --starts 32 ... searches on many machines, the same motion "
    "in\n"
    "every bit (docs/many-machines.md).\n",
    add_excite, true};

}  // namespace torsor::command
