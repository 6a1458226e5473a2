#include "states.hpp"

#include <algorithm>
#include <memory>
#include <numbers>

#include "command.hpp"
#include "number_list.hpp"
#include "output_file.hpp"
#include "print.hpp"
#include "text_output.hpp"
#include "torsor/dynamics/singular_mass.hpp"
#include "torsor/formats/csv.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/internal/loop_rows.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::command {

void add_dynamics_robot(Arguments& app, DynamicsRobot& robot) {
  add_robot(app, robot.robot);
  app.add_flag("--no-friction", robot.no_friction, "without friction, damping and rotor inertia");
  app.add_flag("--tree", robot.tree, "open loops and couplings");
}
Model<double> load_model(const DynamicsRobot& robot) {
  const Effects effects{
      .rotors = !robot.no_friction, .friction = !robot.no_friction, .loops = !robot.tree};
  const Model<double> model(with_effects(load(robot.robot), effects));
  return robot.robot.floating ? with_base(model, JointKind::free) : model;
}
void require(const Model<double>& model, const State& state, const DynamicsResult<double>& result) {
  if (!result.loops.closed()) throw Error(message(model, result));
  if (!result.regular) throw Failure(singular_mass_message(model, state.q, state.prescribed));
  if (!result) throw Failure(message(model, result));
}
void require_closed(const Model<double>& model, const std::vector<State>& states, bool with_qd) {
  if (!has_loops(model)) return;
  const ConstraintSet set(model);
  AssemblyWorkspace ws(model, set);
  for (const State& s : states)
    require(model, s,
            {1, true, closure(model, set, ws, s.q, with_qd ? In<double>(s.qd) : In<double>{})});
}
std::vector<Quantity> motion_of(const Model<double>& model, const DynamicsWorkspace<double>& ws,
                                const State& state, const std::vector<double>& qdd,
                                const std::vector<double>& tau) {
  std::vector<Quantity> all{coordinates("q", model, state.q),
                            velocities("qd", model, state.qd, Rate::velocity),
                            velocities("qdd", model, qdd, Rate::acceleration),
                            velocities("tau", model, tau, Rate::torque)};
  if (ws.loops) all.push_back(multipliers(model, ws.loops->lambda));
  return all;
}
Quantity multipliers(const Model<double>& model, const std::vector<double>& lambda) {
  const ConstraintSet set(model);
  Quantity out{"lambda", {}, {}, lambda};
  for (int row = 0; row < set.n_rows(); ++row) out.rows.push_back(set.row_name(row));
  out.units.assign(out.rows.size(), "N");
  const auto is_moment = [&](int row) { out.units[static_cast<std::size_t>(row)] = "N m"; };
  for (const LoopConstraint& loop : set.loops()) {
    const internal::LoopShape shape = internal::shape_of(loop.kind);
    for (int k = 0; k < shape.moments + (shape.universal ? 1 : 0); ++k)
      is_moment(loop.first_row + k);
  }
  const std::vector<Measure> measures = velocity_measures(model);
  for (const CouplingConstraint& c : set.couplings())  // of a row in the unit of its first joint
    if (measures[static_cast<std::size_t>(c.terms.front().v)] == Measure::angle)
      is_moment(c.first_row);
  return out;
}
void close_loops(const Model<double>& model, State& s) {
  const ConstraintSet set(model);
  AssemblyWorkspace ws(model, set);
  const Assembly result = assemble(model, set, ws, s.q);
  if (!result) throw Failure("\"" + model.name() + "\": " + message(set, result));
  (void)project_velocity(model, set, ws, s.q, s.qd);
  (void)project_acceleration(model, set, ws, s.q, s.qd, s.qdd);
}

namespace {

struct Options {
  DynamicsRobot robot;
  std::string q, qd, qdd, tau, prescribe, csv, output;
  std::vector<std::string> f_ext;
  bool json = false, degrees = false, force = false, close = false;
};

/// "--qd 0,1,2"; empty text: zero. `degrees` counts for angular velocities.
std::vector<double> parse_velocity(const char* option, const std::string& text, bool degrees,
                                   const Model<double>& model) {
  std::vector<double> v(static_cast<std::size_t>(model.n_v()), 0.0);
  if (text.empty()) return v;
  const std::vector<double> given = parse_numbers(option, text);
  if (given.size() != v.size())
    throw Error(std::string(option) + ": has " + std::to_string(given.size()) + " numbers, \"" +
                model.name() + "\" has " + std::to_string(v.size()) + " degrees of freedom");
  const std::vector<Measure> measures = velocity_measures(model);
  for (std::size_t k = 0; k < v.size(); ++k)
    v[k] = degrees && measures[k] == Measure::angle ? given[k] * std::numbers::pi / 180 : given[k];
  return v;
}

std::vector<State> states_of_options(const Options& o, const Model<double>& model) {
  return {{parse_configuration(o.q, o.degrees, model),
           parse_velocity("--qd", o.qd, o.degrees, model),
           parse_velocity("--qdd", o.qdd, o.degrees, model),
           parse_velocity("--tau", o.tau, false, model)}};
}
std::vector<State> states_of_table(const StateTable& table, const Model<double>& model) {
  std::vector<State> states;
  const std::vector<double> zero(static_cast<std::size_t>(model.n_v()), 0.0);
  const auto pick = [&](const std::vector<std::vector<double>>& list, std::size_t r) {
    return list.empty() ? zero : list[r];
  };
  for (std::size_t r = 0; r < table.size(); ++r)
    states.push_back({table.q[r], pick(table.qd, r), pick(table.qdd, r), pick(table.tau, r)});
  return states;
}

/// "link=mx,my,mz,fx,fy,fz" each: wrenches on links, moved to the frames of the bodies they are on.
std::vector<Wrench<double>> parse_wrenches(const std::vector<std::string>& options,
                                           const Model<double>& model) {
  std::vector<Wrench<double>> F;
  if (options.empty()) return F;
  F.resize(static_cast<std::size_t>(model.n_bodies()));
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
    F[static_cast<std::size_t>(frame.body)] +=
        Ad_dual_inv(frame.placement, Wrench<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
  }
  return F;
}
/// What a verb answers of a state. Throws Failure where a number is not finite.
std::vector<Quantity> finite(const Reporter& report, const State& state) {
  std::vector<Quantity> all = report.quantities(state);
  require_finite(all);
  return all;
}

std::string json_of(const Model<double>& model, const StateTable& table,
                    const std::vector<State>& states, const Reporter& report) {
  Json joints = Json::array();
  for (int i = 1; i < model.n_bodies(); ++i) joints.push_back(model.joint_name(i));
  JsonList list(
      {{"robot", model.name()}, {"joints", joints}, {"n_q", model.n_q()}, {"n_v", model.n_v()}},
      "results");
  for (std::size_t r = 0; r < states.size(); ++r) {
    Json entry = Json::object();
    if (!table.t.empty()) entry["t"] = table.t[r];
    const std::vector<Quantity> all = finite(report, states[r]);
    if (report.json)
      entry.update(report.json(states[r]));
    else
      for (const Quantity& x : all) entry[x.name] = command::json_of(x);
    list.add(entry);
  }
  return std::move(list).text();
}

/// One row per state.
CsvTable csv_of(const StateTable& table, const std::vector<State>& states, const Reporter& report) {
  CsvTable out;
  if (!table.t.empty()) out.columns.emplace_back("t");
  for (std::size_t r = 0; r < states.size(); ++r) {
    out.rows.emplace_back();
    if (!table.t.empty()) out.rows.back().push_back(table.t[r]);
    for (const Quantity& x : finite(report, states[r])) {
      if (r == 0)
        for (std::string& name : column_names(x)) out.columns.push_back(std::move(name));
      out.rows.back().insert(out.rows.back().end(), x.values.begin(), x.values.end());
    }
  }
  return out;
}

std::string text_of(const Model<double>& model, const State& state, const Reporter& report,
                    bool degrees) {
  const std::vector<Quantity> all = finite(report, state);
  return bold(model.name()) + "\n" +
         (report.text ? report.text(state) : command::text_of(all, degrees));
}

int evaluate(const StateVerb& verb, const Options& o, std::string& out) {
  if (!o.output.empty()) {
    refuse_to_overwrite(o.output, o.force);
    for (const std::string& input : {o.robot.robot.name, o.csv})
      if (is_same_file(o.output, input))
        throw Error(one_line(input) + ": is read; write elsewhere");
  }
  const Model<double> model = load_model(o.robot);
  const StateTable table = o.csv.empty() ? StateTable{} : read_states_csv(o.csv, model);
  if (!table.ignored.empty())
    remark("torsor: " + one_line(o.csv) + ": ignored: " + one_line(listed(table.ignored)));
  std::vector<State> states =
      o.csv.empty() ? states_of_options(o, model) : states_of_table(table, model);
  if (!o.csv.empty()) {
    std::vector<std::string> missing;
    if (verb.qd && table.qd.empty()) missing.emplace_back("qd");
    if (verb.qdd && table.qdd.empty()) missing.emplace_back("qdd");
    if (verb.tau && table.tau.empty()) missing.emplace_back("tau");
    if (!missing.empty() && !o.robot.robot.motion_only)  // poses need none of them
      remark("torsor: " + one_line(o.csv) + ": has no " + listed(missing) + ": taken as zero");
  }
  if (!o.csv.empty())
    (void)std::any_of(states.begin(), states.end(), [&](const State& s) {
      return mention_limits(o.csv, model, s.q, false, "CSV is in rad and m");
    });
  for (State& state : states) {
    state.F_ext = parse_wrenches(o.f_ext, model);
    if (verb.prescribes) state.prescribed = parse_prescribed(o.prescribe, model);
    if (o.close) close_loops(model, state);
  }
  if (states.empty()) throw Error(one_line(o.csv) + ": has no states, only a header");
  if (!verb.geometry_only) require_closed(model, states, verb.qd);
  const Given given{!o.csv.empty() || !o.q.empty(), !o.qd.empty() || !table.qd.empty(),
                    !o.qdd.empty() || !table.qdd.empty(), o.degrees};
  const Reporter report =
      verb.reporter ? verb.reporter(model, given) : Reporter{verb.evaluator(model)};
  const bool as_csv = !o.json && (!o.csv.empty() || !o.output.empty());
  const std::string text = o.json   ? json_of(model, table, states, report)
                           : as_csv ? csv_text(csv_of(table, states, report))
                                    : text_of(model, states.front(), report, o.degrees);
  if (o.output.empty())
    out += text;
  else
    write_file(o.output, text);
  return good;
}

}  // namespace

std::vector<char> parse_prescribed(const std::string& text, const Model<double>& model) {
  std::vector<char> prescribed(static_cast<std::size_t>(model.n_bodies()), text == "all" ? 1 : 0);
  if (text == "all" || text == "none") return prescribed;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string joint = text.substr(begin, end - begin);
    try {
      prescribed[static_cast<std::size_t>(model.joint_index(joint))] = 1;
    } catch (const Error& refused) {
      throw Error("--prescribe: " + std::string(refused.what()));
    }
    begin = end + 1;
  }
  return prescribed;
}

Action add_state_verb(Arguments& app, const StateVerb& verb) {
  const auto o = std::make_shared<Options>();
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
