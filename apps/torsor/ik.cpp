#include "ik.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "command.hpp"
#include "frame_option.hpp"
#include "output_file.hpp"
#include "torsor/formats/csv.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::command {
namespace {

Model<double> load_ik_model(const IkOptions& o) {
  RobotDescription d = load(o.robot);
  if (o.ignore_limits)
    for (Joint& joint : d.joints)
      for (Limits& limits : joint.limits) limits.lower = -infinity, limits.upper = infinity;
  const Model<double> model(std::move(d));
  return o.robot.floating ? with_base(model, JointKind::free) : model;
}

double distance(const Model<double>& model, const std::vector<double>& a,
                const std::vector<double>& b) {
  Array<double> v(model.n_v());
  difference(model, a, b, v);
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// Poses in, answers out, each pose near to --near or, with --follow, to the solution before.
class Solving {
 public:
  explicit Solving(const IkOptions& o) : o_(o), model_(load_ik_model(o)) {
    const Frame& frame = frame_of_option(model_, o.frame);
    given_ = read_ik_poses(o, model_);
    if (frame.body == 0)
      throw Error("no joint moves frame " + in_quotes(frame.name) + ": it is fixed to the world");
    method_ = o.numeric ? numeric_method(o, model_) : analytic_method(o, model_);
    near_ = parse_configuration(o.near, o.degrees, model_, "--near");
  }

  int run(std::string& out) {
    for (const IkPose& pose : given_.poses) answers_.push_back(answer_of(pose));
    const bool as_csv = !o_.json && !(o_.csv.empty() && o_.output.empty());
    if (!o_.json && !as_csv && !answers_.front().solved) throw Failure(answers_.front().summary);
    const std::string text =
        o_.json  ? json()
        : as_csv ? csv_text(csv())
                 : ik_text(model_, method_, o_, given_.poses.front(), answers_.front());
    if (o_.output.empty())
      out += text;
    else
      write_file(o_.output, text);
    return unsolved_.empty() ? good : complain();
  }

 private:
  bool near() const { return o_.follow || !o_.near.empty(); }
  bool one_each() const { return o_.numeric || near(); }

  IkAnswer answer_of(const IkPose& pose) {
    IkAnswer answer = method_.solve(pose, near_);
    for (IkSolution& s : answer.solutions) s.distance = distance(model_, near_, s.q);
    if (near())
      std::stable_sort(
          answer.solutions.begin(), answer.solutions.end(),
          [](const IkSolution& a, const IkSolution& b) { return a.distance < b.distance; });
    const IkSolution* best = best_of(answer);
    if (!answer.solved || (one_each() && best == nullptr && !o_.csv.empty()))
      unsolved_.push_back(pose.line);
    if (o_.follow && best != nullptr) near_ = best->q;
    return answer;
  }
  /// The first one inside the limits.
  static const IkSolution* best_of(const IkAnswer& answer) {
    for (const IkSolution& s : answer.solutions)
      if (s.outside_limits.empty()) return &s;
    return nullptr;
  }

  std::string json() const {
    Json joints = Json::array(), results = Json::array();
    for (const int c : method_.coordinates) joints.push_back(model_.coordinate_name(c));
    for (std::size_t r = 0; r < answers_.size(); ++r) {
      Json entry = Json::object();
      if (!given_.t.empty()) entry["t"] = given_.t[r];
      entry.update(ik_json(model_, given_.poses[r], answers_[r], near()));
      results.push_back(std::move(entry));
    }
    return json_text({{"robot", model_.name()},
                      {"frame", o_.frame},
                      {"method", method_.name},
                      {"moves", joints},
                      {"results", results}});
  }

  /// One solution for each pose: a table of states. All branches: a row for each.
  CsvTable csv() const {
    CsvTable table;
    const bool all = !one_each();
    if (all) table.columns = {"pose"};
    if (!given_.t.empty()) table.columns.emplace_back("t");
    if (all) table.columns.emplace_back("solution");
    for (int k = 0; k < model_.n_q(); ++k)
      table.columns.push_back("q." + model_.coordinate_name(k));
    if (all)
      for (const char* name : {"inside_limits", "position_error", "rotation_error"})
        table.columns.emplace_back(name);
    for (std::size_t r = 0; r < answers_.size(); ++r) {
      const IkSolution* const best = best_of(answers_[r]);
      const std::vector<IkSolution>& solutions = answers_[r].solutions;
      for (std::size_t k = 0; k < solutions.size(); ++k) {
        const IkSolution& s = solutions[k];
        if (!all && &s != best) continue;
        std::vector<double> row;
        if (all) row.push_back(static_cast<double>(r + 1));
        if (!given_.t.empty()) row.push_back(given_.t[r]);
        if (all) row.push_back(static_cast<double>(k + 1));
        row.insert(row.end(), s.q.begin(), s.q.end());
        if (all)
          row.insert(row.end(),
                     {s.outside_limits.empty() ? 1.0 : 0.0, s.position_error, s.rotation_error});
        table.rows.push_back(std::move(row));
      }
    }
    return table;
  }

  /// Poses without a solution have no row: says which they are.
  int complain() const {
    if (o_.csv.empty()) return findings;
    std::string lines;
    constexpr std::size_t most = 10;
    for (std::size_t k = 0; k < std::min(unsolved_.size(), most); ++k)
      (lines += k == 0 ? "" : ", ") += std::to_string(unsolved_[k]);
    std::fprintf(stderr, "torsor: %s: %zu of %zu poses have no solution%s: line%s %s%s\n",
                 one_line(o_.csv).c_str(), unsolved_.size(), answers_.size(),
                 one_each() ? " inside the limits" : "", unsolved_.size() > 1 ? "s" : "",
                 lines.c_str(), unsolved_.size() > most ? ", ..." : "");
    return findings;
  }

  const IkOptions& o_;
  Model<double> model_;
  IkPoses given_;
  IkMethod method_;
  std::vector<double> near_;
  std::vector<IkAnswer> answers_;
  std::vector<int> unsolved_;  // lines
};

int solve(const IkOptions& o, std::string& out) {
  if (o.restarts < -1) throw Error("--restarts: " + std::to_string(o.restarts) + " is negative");
  if (!o.output.empty()) {
    refuse_to_overwrite(o.output, o.force);
    for (const std::string& input : {o.robot.name, o.csv})
      if (is_same_file(o.output, input))
        throw Error(one_line(input) + ": is read; write elsewhere");
  }
  return Solving(o).run(out);
}

void add_poses(Arguments& app, IkOptions& o) {
  const auto list = [&](const char* name, std::string& text, const char* what) {
    return app.add_option(name, text, what).type_name("LIST");
  };
  const Argument xyz = list("--xyz", o.xyz, "where the frame's origin shall be (m)");
  const Argument rpy = list("--rpy", o.rpy, "its orientation: roll, pitch, yaw, as in URDF");
  const Argument quaternion =
      list("--quaternion", o.quaternion, "or as a unit quaternion x, y, z, w");
  const Argument pose = list("--pose", o.pose, "or all as a 4 x 4 matrix, row by row");
  const Argument csv =
      app.add_option(
             "--csv", o.csv,
             "many poses: t, x, y, z and roll, pitch, yaw or qx, qy, qz, qw, as fk writes them")
          .type_name("FILE");
  const Argument degrees =
      app.add_flag("--deg", o.degrees, "angles of lists and text in degrees (CSV and JSON never)");
  rpy.needs(xyz).excludes(quaternion);
  quaternion.needs(xyz);
  pose.excludes(xyz).excludes(rpy).excludes(quaternion);
  for (const Argument other : {xyz, rpy, quaternion, pose, degrees}) csv.excludes(other);
  list("--near", o.near, "sort by the distance to this configuration; CSV: only the nearest");
  app.add_flag("--follow", o.follow, "of many poses: each near to the one before").needs(csv);
}

Action add(Arguments& app) {
  const auto o = std::make_shared<IkOptions>();
  o->robot.motion_only = true;
  add_robot(app, o->robot);
  app.add_option("--frame", o->frame, "the link, frame or joint to put there").type_name("NAME");
  add_poses(app, *o);
  app.add_flag("--ignore-limits", o->ignore_limits, "as if joints had no position limits");
  const Argument numeric = app.add_flag(
      "--numeric", o->numeric, "one solution inside the limits by iteration, for any robot");
  app.add_option("--start", o->start, "numeric: where to begin; otherwise --near or neutral")
      .type_name("LIST")
      .needs(numeric);
  app.add_option("--restarts", o->restarts, "numeric: at most so many random starts after that")
      .type_name("N")
      .needs(numeric);
  app.add_option("--prefer", o->prefer,
                 "numeric: use freedom for nearest, limits (away from them) or manipulability")
      .type_name("NAME")
      .needs(numeric);
  app.add_option("-o,--output", o->output, "write CSV (or JSON) here").type_name("FILE");
  app.add_flag("--force", o->force, "replace an existing output");
  add_json(app, o->json);
  return [o](std::string& out) { return solve(*o, out); };
}

}  // namespace

extern const Verb ik;
const Verb ik{
    "ik", "inverse kinematics: every configuration that puts a frame at a pose",
    "  torsor ik puma560 --frame tool --xyz 0.4,0.2,0.1 --rpy 180,0,90 --deg\n"
    "  torsor ik panda --frame tool --xyz 0.4,0.2,0.5 --rpy 3.1,0,0 --numeric --prefer limits\n"
    "  torsor ik ur5 --frame tool --csv poses.csv --near 0,-1,1,0,1,0 --follow -o states.csv\n"
    "\n"
    "Arms of up to six turning and sliding joints: all solutions in closed form, with the names\n"
    "of their branches; others, and trees: --numeric. Exit code 1 where a pose is unreachable.\n"
    "CSV may also have the matrix, in columns T.1.1 ... T.4.4.\n",
    add};

}  // namespace torsor::command
