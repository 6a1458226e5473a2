#include "trajectory.hpp"

#include <cmath>
#include <memory>

#include "command.hpp"
#include "number_list.hpp"
#include "output_file.hpp"
#include "quantity.hpp"
#include "torsor/formats/csv.hpp"

namespace torsor::command {
namespace {

constexpr double most_rows = 1e6;

/// Every `step` seconds, and at the end.
std::vector<double> times_of(const TrajectoryOptions& o, double duration) {
  const double step = parse_numbers("--step", o.step, 1, "s")[0];
  if (step <= 0) throw Error("--step: is " + o.step + ", not positive");
  if (duration / step > most_rows)
    throw Error("--step " + o.step + ": more than a million rows in " + std::to_string(duration) +
                " s");
  std::vector<double> times;
  for (int k = 0; k * step < duration * (1 - 1e-12); ++k) times.push_back(k * step);
  times.push_back(duration);
  return times;
}

int print_motion(const TrajectoryOptions& o, std::string& out) {
  if (!o.output.empty()) refuse_to_overwrite(o.output, o.force);
  const Model<double> model = load_model(o.robot);
  const PlannedMotion motion = plan_motion(o, model);
  Array<double> q(model.n_q()), qd(model.n_v()), qdd(model.n_v());
  CsvTable table;
  JsonList list({{"robot", model.name()}, {"duration", motion.duration}}, "results");
  std::string json;
  for (const double t : times_of(o, motion.duration)) {
    motion.sample(t, q, qd, qdd);
    const std::vector<Quantity> all{coordinates("q", model, q),
                                    velocities("qd", model, qd, Rate::velocity),
                                    velocities("qdd", model, qdd, Rate::acceleration)};
    require_finite(all);
    if (o.json) {
      Json entry{{"t", t}};
      for (const Quantity& x : all) entry[x.name] = json_of(x);
      list.add(entry, json);
      continue;
    }
    if (table.columns.empty()) table.columns.emplace_back("t");
    table.rows.push_back({t});
    for (const Quantity& x : all) {
      if (table.rows.size() == 1)
        for (std::string& name : column_names(x)) table.columns.push_back(std::move(name));
      table.rows.back().insert(table.rows.back().end(), x.values.begin(), x.values.end());
    }
  }
  if (o.json) list.end(json);
  give(o.output, o.json ? json : csv_text(table), out);
  return good;
}

Action add_trajectory(Arguments& app) {
  const auto o = std::make_shared<TrajectoryOptions>();
  const auto add_list = [&](const char* name, std::string& text, const char* what) {
    app.add_option(name, text, what).type_name("LIST");
  };
  const auto add_word = [&](const char* name, std::string& text, const char* what) {
    app.add_option(name, text, what).type_name("NAME").show_default();
  };
  add_robot(app, o->robot);
  add_list("--from", o->from, "configuration at the start; otherwise neutral");
  add_list("--to", o->to, "configuration at the end");
  app.add_option("--via", o->via, "configuration on the way (may be repeated): a spline")
      .type_name("LIST")
      .repeatable();
  add_word(
      "--profile", o->profile,
      "cubic, quintic, septic, trapezoid or double_s; with --via cubic or quintic; or fourier");
  app.add_option("--duration", o->duration, "s; otherwise as fast as the limits allow")
      .type_name("NUMBER");
  add_list("--times", o->times, "with --via: of all points, from 0 on (s)");
  add_word("--ends", o->ends, "of a cubic spline: natural, clamped, periodic or not_a_knot");
  add_list("--velocity", o->velocity, "limit, one or a list, instead of the robot's");
  add_list("--acceleration", o->acceleration, "likewise");
  add_list("--jerk", o->jerk, "likewise");
  app.add_option("--frame", o->frame, "this link, frame or joint moves on a path of its own")
      .type_name("NAME");
  add_word("--path", o->path, "of the frame: screw or line");
  add_list("--xyz", o->xyz, "with --frame: where its origin ends (m)");
  add_list("--rpy", o->rpy, "with --frame: its roll, pitch and yaw at the end; otherwise kept");
  app.add_option("--sine", o->sine, "fourier: velocities a_l of a harmonic (may be repeated)")
      .type_name("LIST")
      .repeatable();
  app.add_option("--cosine", o->cosine, "fourier: velocities b_l (may be repeated)")
      .type_name("LIST")
      .repeatable();
  app.add_option("--frequency", o->frequency, "fourier: of the first harmonic, rad/s")
      .type_name("NUMBER");
  app.add_flag("--at-rest", o->at_rest, "fourier: begins and ends at rest");
  app.add_option("--step", o->step, "s between rows").type_name("NUMBER").show_default();
  app.add_flag("--deg", o->degrees, "angles of these lists in degrees (CSV and JSON never)");
  app.add_option("-o,--output", o->output, "write CSV (or JSON) here");
  app.add_flag("--force", o->force, "replace an existing output");
  add_json(app, o->json);
  return [o](std::string& out) { return print_motion(*o, out); };
}

}  // namespace

extern const Verb trajectory;
const Verb trajectory{
    "trajectory", "a motion as CSV: polynomials, least time, splines, paths of a frame",
    "  torsor trajectory puma560 --to 0,45,-90,0,30,0 --deg --duration 2 -o motion.csv\n"
    "  torsor id puma560 --csv motion.csv\n"
    "  torsor trajectory planar2r --to 1,2 --profile double_s --velocity 1 --acceleration 2 --jerk "
    "9\n"
    "  torsor trajectory planar2r --via 1,0 --via 1,1 --to 0,1 --times 0,1,2,3 --profile cubic\n"
    "  torsor trajectory puma560 --from 0.4,0.6,-1.5,0.3,0.5,0.2 --frame tool \\\n"
    "    --path line --xyz 0.45,0.1,0.5 --duration 2\n"
    "  torsor trajectory planar2r --profile fourier --sine 1,0.5 --cosine 0,0.2 --frequency 2\n"
    "\n"
    "Columns t, q.<joint>, qd.<joint>, qdd.<joint>: what id, fk, mass and others read with --csv.\n"
    "A Fourier series moves about --from: q = q0 + sum a_l/(w l) sin(w l t) - b_l/(w l) cos(w l "
    "t).\n"
    "Exit code 1: the frame cannot follow its path.\n",
    add_trajectory};

}  // namespace torsor::command
