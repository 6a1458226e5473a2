#include <algorithm>
#include <chrono>
#include <memory>
#include <numbers>
#include <optional>

#include "command.hpp"
#include "interrupt.hpp"
#include "long_output.hpp"
#include "number_list.hpp"
#include "output_file.hpp"
#include "print.hpp"
#include "run_table.hpp"
#include "state_answers.hpp"
#include "states.hpp"
#include "text_output.hpp"
#include "torsor/formats/state_reader.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::command {
namespace {

struct StateVerbArguments {
  DynamicsRobot robot;
  std::string q, qd, qdd, tau, prescribe, csv, output;
  std::vector<std::string> f_ext;
  bool json = false, degrees = false, force = false, close = false;
};

/// "--qd 0,1,2"; empty text: zero. `degrees` counts for angular velocities.
std::vector<double> parse_velocity(const char* option, const std::string& text, bool degrees,
                                   const Model<double>& model) {
  Array<double> v(model.n_v());
  if (text.empty()) return v;
  const Array<double> given = parse_numbers(option, text);
  if (given.size() != v.size())
    throw Error(std::string(option) + ": has " + std::to_string(given.size()) + " numbers, \"" +
                model.name() + "\" has " + std::to_string(v.size()) + " degrees of freedom");
  const Array<Measure> measures = velocity_measures(model);
  for (int k = 0; k < v.size(); ++k)
    v[k] = degrees && measures[k] == Measure::angle ? given[k] * std::numbers::pi / 180 : given[k];
  return v;
}

State state_of_options(const StateVerbArguments& o, const Model<double>& model) {
  return {parse_configuration(o.q, o.degrees, model),
          parse_velocity("--qd", o.qd, o.degrees, model),
          parse_velocity("--qdd", o.qdd, o.degrees, model),
          parse_velocity("--tau", o.tau, false, model)};
}
/// "link=mx,my,mz,fx,fy,fz" each: wrenches on links, moved to the frames of the bodies they are on.
std::vector<Wrench<double>> parse_wrenches(const std::vector<std::string>& options,
                                           const Model<double>& model) {
  Array<Wrench<double>> F;
  if (options.empty()) return F;
  F.resize(model.n_bodies());
  for (const std::string& option : options) {
    const std::size_t sign = option.rfind('=');
    if (sign == std::string::npos)
      throw Error("--f-ext " + in_quotes(option) + ": is not LINK=mx,my,mz,fx,fy,fz");
    const std::string link = option.substr(0, sign), text = option.substr(sign + 1);
    const Frame& frame = model.frame(link);
    std::vector<double> x;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      std::string why;
      const std::optional<double> value = parse_number(text.substr(begin, end - begin), &why);
      if (!value)
        throw Error("--f-ext " + in_quotes(link) + ": number " + std::to_string(x.size() + 1) +
                    ": " + why);
      x.push_back(*value);
      begin = end + 1;
    }
    if (x.size() != 6)
      throw Error("--f-ext " + in_quotes(link) + ": has " + std::to_string(x.size()) +
                  " numbers, a wrench has 6 (moment, force)");
    F[frame.body] +=
        Ad_dual_inv(frame.placement, Wrench<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
  }
  return F;
}

/// What the columns of a table are not used for, and what it lacks.
void mention_columns(const StateVerb& verb, const StateVerbArguments& o, const StateReader& table) {
  const std::string file = "torsor: " + one_line(o.csv);
  if (!table.ignored().empty()) remark(file + ": ignored: " + one_line(listed(table.ignored())));
  std::vector<std::string> missing;
  if (verb.qd && !table.has_qd()) missing.emplace_back("qd");
  if (verb.qdd && !table.has_qdd()) missing.emplace_back("qdd");
  if (verb.tau && !table.has_tau()) missing.emplace_back("tau");
  if (!missing.empty() && !o.robot.robot.motion_only)  // poses need none of them
    remark(file + ": has no " + listed(missing) + ": taken as zero");
}

/// What the work throws, with the line of the table before it.
template <class Work>
void at_line(const StateReader& table, Work work) {
  try {
    work();
  } catch (const Error& refused) {
    throw Error(table.rows().place() + refused.what());
  } catch (const Failure& failed) {
    throw Failure(table.rows().place() + failed.what());
  }
}

/// All states of a table; memory does not grow with their number.
template <class Prepare, class Answers>
void evaluate_table(const StateVerbArguments& o, const Model<double>& model, StateReader& table,
                    State& state, Prepare prepare, Answers& answers, std::string& out) {
  LongOutput to(o.output);
  const Interrupt interrupt;
  bool limits_mentioned = false;
  long count = 0;
  const struct End {
    ~End() { end_progress(); }
  } end;
  auto shown = std::chrono::steady_clock::now();
  for (; table.next(); ++count) {
    state.q = table.q(), state.qd = table.qd(), state.qdd = table.qdd(), state.tau = table.tau();
    limits_mentioned =
        limits_mentioned || mention_limits(o.csv, model, state.q, false, "CSV is in rad and m");
    at_line(table, [&] {
      prepare(state);
      answers.add(state, to.text);
    });
    if (!to.pass_on()) return;
    const auto now = std::chrono::steady_clock::now();
    if (!o.output.empty() && now - shown > std::chrono::milliseconds(500)) {
      shown = now;
      progress(std::to_string(count + 1) + " states");  // how many there are is not known before
    }
    if (interrupt.asked())
      throw Failure(one_line(o.csv) + ": interrupted after " + std::to_string(count + 1) +
                    " states");
  }
  if (count == 0) throw Error(one_line(o.csv) + ": has no states, only a header");
  answers.end(to.text);
  to.finish(out);
  if (!o.output.empty()) remark("torsor: wrote " + one_line(o.output));
}

int evaluate(const StateVerb& verb, const StateVerbArguments& o, std::string& out) {
  if (!o.output.empty()) {
    refuse_to_overwrite(o.output, o.force);
    for (const std::string& input : {o.robot.robot.name, o.csv})
      if (is_same_file(o.output, input))
        throw Error(one_line(input) + ": is read; write elsewhere");
  }
  const Model<double> model = load_model(o.robot);
  std::optional<StateReader> table;
  if (!o.csv.empty()) mention_columns(verb, o, table.emplace(o.csv, model));
  State state = table ? State{} : state_of_options(o, model);
  state.F_ext = parse_wrenches(o.f_ext, model);
  if (verb.prescribes) state.prescribed = parse_prescribed(o.prescribe, model);
  ClosedStates closed(model, verb.qd);
  const auto prepare = [&](State& s) {
    if (o.close) close_loops(model, s);
    if (!verb.geometry_only) closed.require(s);
  };
  const Given given{table || !o.q.empty(), !o.qd.empty() || (table && table->has_qd()),
                    !o.qdd.empty() || (table && table->has_qdd()), o.degrees};
  const Reporter report =
      verb.reporter ? verb.reporter(model, given) : Reporter{verb.evaluator(model)};
  JsonAnswers json(model, report, table ? &*table : nullptr);
  CsvAnswers csv(report, table ? &*table : nullptr);
  if (table && o.json) {
    evaluate_table(o, model, *table, state, prepare, json, out);
  } else if (table) {
    evaluate_table(o, model, *table, state, prepare, csv, out);
  } else {
    prepare(state);
    std::string text;
    if (o.json)
      json.add(state, text), json.end(text);
    else if (!o.output.empty())
      csv.add(state, text);
    else
      text = text_answer(model, state, report, o.degrees);
    give(o.output, text, out);
  }
  return good;
}

}  // namespace

Action add_state_verb(Arguments& app, const StateVerb& verb) {
  const auto o = std::make_shared<StateVerbArguments>();
  o->robot.robot.motion_only = verb.geometry_only;
  if (verb.geometry_only)
    add_robot(app, o->robot.robot);
  else
    add_dynamics_robot(app, o->robot);
  const auto add = [&](const char* name, std::string& text, const char* what) {
    return app.add_option(name, text, what).type_name("LIST");
  };
  std::vector<Argument> lists = {
      add("--q", o->q, "configuration, such as 0,0.5,-1; otherwise neutral")};
  if (verb.qd) lists.push_back(add("--qd", o->qd, "velocities; otherwise zero"));
  if (verb.qdd) lists.push_back(add("--qdd", o->qdd, "accelerations; otherwise zero"));
  if (verb.tau) lists.push_back(add("--tau", o->tau, "joint torques and forces; otherwise zero"));
  if (verb.prescribes)
    app.add_option("--prescribe", o->prescribe,
                   "joints that follow --qdd; the others obey --tau. Also: all, none")
        .type_name("JOINTS")
        .required();
  if (verb.wrenches)
    app.add_option("--f-ext", o->f_ext,
                   "LINK=mx,my,mz,fx,fy,fz: a wrench on a link, in its frame (may be repeated)")
        .type_name("WRENCH")
        .repeatable();
  const Argument degrees = app.add_flag(
      "--deg", o->degrees, "angles of these lists and of the text in degrees (CSV and JSON never)");
  const Argument csv =
      app.add_option("--csv", o->csv,
                     "many states: columns t, q.<joint>, qd.<joint>, ... in SI; others are ignored")
          .type_name("FILE");
  for (const Argument option : lists) csv.excludes(option);
  csv.excludes(degrees);
  app.add_flag("--close", o->close,
               std::string("move q") + (verb.qd ? ", qd" : "") + (verb.qdd ? ", qdd" : "") +
                   " to the nearest that loops and couplings allow");
  app.add_option("-o,--output", o->output, "write CSV (or JSON) here").type_name("FILE");
  app.add_flag("--force", o->force, "replace an existing output");
  add_json(app, o->json);
  return [o, verb](std::string& out) { return evaluate(verb, *o, out); };
}

}  // namespace torsor::command
