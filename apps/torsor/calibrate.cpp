#include "torsor/identification/calibrate.hpp"

#include <cmath>
#include <cstdio>
#include <memory>

#include "command.hpp"
#include "interrupt.hpp"
#include "json_output.hpp"
#include "output_file.hpp"
#include "pose_text.hpp"
#include "print.hpp"
#include "robot_argument.hpp"
#include "run_table.hpp"
#include "text_output.hpp"
#include "torsor/formats/pose_csv.hpp"
#include "torsor/formats/save_edited.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {
namespace {

struct CalibrateArguments {
  RobotArgument robot;
  std::string poses, frame = "tool", base = "known", tool = "known", parameters = "dh", out,
                     separation = "1e-3";
  int folds = 5, bootstrap = 0, seed = 1;
  bool degrees = false, keep_all = false, force = false, json = false;
};

bool is_unknown(const std::string& word, const char* option) {
  if (word != "known" && word != "unknown")
    throw Error(std::string(option) + ": say known or unknown, not " + in_quotes(word));
  return word == "unknown";
}
double positive(const std::string& text, const char* option) {
  std::string why;
  const std::optional<double> value = parse_number(text, &why);
  if (!value) throw Error(std::string(option) + ": " + why);
  if (!(*value > 0 && *value < 1)) throw Error(std::string(option) + ": between 0 and 1, please");
  return *value;
}

std::vector<PoseMeasurement> measurements(const PoseTable& table) {
  std::vector<PoseMeasurement> all;
  for (std::size_t i = 0; i < table.size(); ++i) {
    PoseMeasurement m;
    m.q.assign(table.q[i].begin(), table.q[i].end());
    m.position = table.position[i];
    m.has_rotation = !table.rotation.empty();
    if (m.has_rotation) m.rotation = table.rotation[i];
    m.is_distance = !table.distance.empty();
    if (m.is_distance) m.distance = table.distance[i];
    if (!table.frame.empty()) m.frame = table.frame[i];
    if (!table.weight.empty()) m.weight = table.weight[i];
    m.line = table.lines[i];
    all.push_back(std::move(m));
  }
  return all;
}

Json json_of(const PoseResiduals& r) {
  return {{"poses", r.poses},
          {"position_rms", r.position_rms},
          {"position_max", r.position_max},
          {"rotation_rms", r.rotation_rms},
          {"rotation_max", r.rotation_max}};
}
Json json_of(const Calibration& found, const PoseTable& table) {
  Json parameters = Json::array(), rejected = Json::array(), tools = Json::array();
  for (const CalibratedParameter& p : found.parameters) {
    Json same = Json::array();
    for (const CalibratedParameter::Share& s : p.same_as)
      same.push_back({{"name", s.name}, {"factor", s.factor}});
    Json one = {
        {"name", p.name}, {"unit", p.angle ? "rad" : "m"}, {"change", p.change}, {"held", p.held}};
    if (p.held) {
      one["same_as"] = same;
    } else {
      one.update({{"sigma", p.sigma}, {"lower", p.lower}, {"upper", p.upper}});
      if (p.bootstrap_sigma > 0) one["bootstrap_sigma"] = p.bootstrap_sigma;
    }
    parameters.push_back(std::move(one));
  }
  for (const int i : found.rejected) rejected.push_back(View<const int>(table.lines)[i]);
  for (const Calibration::Tool& tool : found.tools)
    tools.push_back({{"frame", tool.frame}, {"pose", json_of_pose(tool.T_frame_tool)}});
  return {{"parameters", parameters},
          {"before", json_of(found.before)},
          {"after", json_of(found.after)},
          {"held_out", json_of(found.held_out)},
          {"rejected_lines", rejected},
          {"sigma_position", found.sigma_position},
          {"sigma_rotation", found.sigma_rotation},
          {"condition", found.condition},
          {"base", json_of_pose(found.T_measuring_world)},
          {"tools", tools}};
}

std::string fixed(double x, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, x);
  return text;
}

/// Of base or tool, which are shown as poses.
bool is_outside(const CalibratedParameter& p) {
  return p.name.starts_with("base.") || p.name.starts_with("tool.");
}

std::string residual_table(const Calibration& found) {
  Table table({{"poses"},
               {"number", Table::right},
               {"rms mm", Table::right},
               {"largest mm", Table::right},
               {"rms mrad", Table::right},
               {"largest mrad", Table::right}});
  const auto add = [&](const char* name, const PoseResiduals& r) {
    if (r.poses == 0) return;
    const bool turns = r.rotation_max > 0;
    table.add({name, std::to_string(r.poses), fixed(1e3 * r.position_rms, 4),
               fixed(1e3 * r.position_max, 4), turns ? fixed(1e3 * r.rotation_rms, 4) : "",
               turns ? fixed(1e3 * r.rotation_max, 4) : ""});
  };
  add("before", found.before);
  add("after", found.after);
  add("not seen by the fit", found.held_out);
  return table.text();
}
std::string parameter_table(const Calibration& found, bool bootstrap) {
  Table table({{"parameter"},
               {"change", Table::right},
               {"sigma", Table::right},
               {bootstrap ? "bootstrap" : "", Table::right},
               {"95 % from", Table::right},
               {"to", Table::right},
               {"unit"}});
  for (const CalibratedParameter& p : found.parameters)
    if (!p.held && !is_outside(p))
      table.add({p.name, fixed(1e3 * p.change, 4), fixed(1e3 * p.sigma, 4),
                 bootstrap ? fixed(1e3 * p.bootstrap_sigma, 4) : "", fixed(1e3 * p.lower, 4),
                 fixed(1e3 * p.upper, 4), p.angle ? "mrad" : "mm"});
  return table.text();
}
std::string held_text(const Calibration& found) {
  std::string out;
  for (const CalibratedParameter& p : found.parameters) {
    if (!p.held) continue;
    std::string line = p.name + ": ";
    if (p.same_as.empty()) line += "no pose depends on it";
    for (std::size_t k = 0; k < p.same_as.size(); ++k)
      line +=
          (k == 0 ? "does what " : ", ") + number(p.same_as[k].factor) + " " + p.same_as[k].name;
    out += "  " + wrapped(line, 4, 78) + "\n";
  }
  return out;
}

std::string to_text(const Model<double>& model, const CalibrateArguments& options,
                    const Calibration& found, const PoseTable& table) {
  std::string out = bold(model.name()) + ": calibrated with " + std::to_string(found.after.poses) +
                    " of " + std::to_string(table.size()) + " poses of " + options.poses + "\n";
  out += heading("residuals") + residual_table(found);
  if (!found.rejected.empty()) {
    std::vector<std::string> lines;
    for (const int i : found.rejected)
      lines.push_back(std::to_string(View<const int>(table.lines)[i]));
    out += heading("left out", "poses that do not fit, by line of the file") + "  " +
           wrapped(listed(lines), 2, 78) + "\n";
  }
  out += heading("parameters", "to be added to those of the robot") +
         parameter_table(found, options.bootstrap > 0);
  if (const std::string held = held_text(found); !held.empty())
    out += heading("held", "the poses cannot tell them from others") + held;
  if (options.base == "unknown")
    out += heading("base", "the robot's world in the measuring frame; not written") +
           pose_table({{"base", found.T_measuring_world}}, options.degrees);
  if (options.tool == "unknown") {
    std::vector<NamedPose> tools;
    for (const Calibration::Tool& tool : found.tools)
      tools.push_back({tool.frame, tool.T_frame_tool});
    out += heading("tool", "what was seen, in the frame of the file") +
           pose_table(tools, options.degrees);
  }
  return out;
}

int run(const CalibrateArguments& o, std::string& out) {
  CalibrationOptions how;
  how.parameters = split(o.parameters);
  how.frame = o.frame;
  how.base_unknown = is_unknown(o.base, "--base");
  how.tool_unknown = is_unknown(o.tool, "--tool");
  how.separation = positive(o.separation, "--separation");
  how.reject = !o.keep_all;
  how.folds = o.folds;
  how.bootstrap = o.bootstrap;
  how.seed = static_cast<unsigned>(o.seed);
  if (!o.out.empty()) refuse_to_overwrite(o.out, o.force);
  const Model<double> model = load_model(o.robot);
  const PoseTable table = read_poses_csv(o.poses, model, o.degrees);
  const Interrupt interrupt;
  const Calibration found = calibrate(model, measurements(table), how, [&](double share) {
    progress("calibrating: " + std::to_string(static_cast<int>(100 * share)) + " %", share);
    return !interrupt.asked();
  });
  end_progress();
  if (!found.ok()) throw Failure(found.message);
  if (found.stopped)
    remark("stopped: the parameters are found, from " + std::to_string(found.resamples) + " of " +
           std::to_string(how.bootstrap) + " resamples, without the cross-validation");
  if (!o.out.empty()) {
    const Findings unseen = save_edited(o.robot.name, found.robot, o.out, o.robot.files);
    for (const Finding& finding : unseen) remark(finding.line());
  }
  out += o.json ? json_text(json_of(found, table)) : to_text(model, o, found, table);
  if (!o.json && !o.out.empty()) out += wrote({o.out});
  return good;
}

Action add_calibrate(Arguments& app) {
  const auto o = std::make_shared<CalibrateArguments>();
  o->robot.motion_only = true;
  add_robot(app, o->robot, false);
  app.add_option("POSES.csv", o->poses,
                 "q.<joint>, x, y, z, and qx, qy, qz, qw or rx, ry, rz; frame")
      .required();
  app.add_option("--frame", o->frame, "what was seen, where the file has no column of it")
      .type_name("NAME")
      .show_default();
  app.add_option("--parameters", o->parameters,
                 "dh, placement, offsets, or names with commas between them (dh.2.a, offset.elbow)")
      .type_name("NAMES")
      .show_default();
  app.add_option("--base", o->base, "known, or unknown: the measuring frame is anywhere")
      .type_name("NAME")
      .show_default();
  app.add_option("--tool", o->tool, "known, or unknown: what was seen is anywhere on the frame")
      .type_name("NAME")
      .show_default();
  app.add_option("--separation", o->separation,
                 "a parameter of which others leave less than this part is held")
      .type_name("NUMBER")
      .show_default();
  app.add_option("--folds", o->folds, "of the cross-validation").range(0, 100).show_default();
  app.add_option("--bootstrap", o->bootstrap, "resamples of the poses for a second sigma")
      .range(0, 100000);
  app.add_option("--seed", o->seed, "of folds and bootstrap").range(0, 2147483647).show_default();
  app.add_flag("--keep-all", o->keep_all, "no pose is left out");
  app.add_flag("--deg", o->degrees, "angles of q and rx, ry, rz in the file, and of poses shown");
  app.add_option("-o,--output", o->out, "the robot's file with the new geometry, all else kept");
  app.add_flag("--force", o->force, "write over an existing file");
  add_json(app, o->json);
  return [o](std::string& out) -> int { return run(*o, out); };
}

}  // namespace

extern const Verb calibrate_verb;
const Verb calibrate_verb{
    "calibrate", "geometry of a robot from measured poses",
    "  torsor calibrate puma560 examples/calibration/puma560_poses.csv --base unknown\n"
    "  torsor calibrate puma560 examples/calibration/puma560_poses.csv --base unknown \\\n"
    "    --parameters offsets --json\n"
    "  torsor calibrate puma560 examples/calibration/puma560_poses.csv --base unknown \\\n"
    "    -o calibrated.yaml\n",
    add_calibrate};

}  // namespace torsor::command
