#include "ik.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "command.hpp"
#include "output_file.hpp"
#include "torsor/formats/csv.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::command {
namespace {

double distance(const Model<double>& model, const std::vector<double>& a,
                const std::vector<double>& b) {
  Array<double> v(model.n_v());
  difference(model, a, b, v);
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

IkMethod ik_method(const IkOptions& o, const IkRobot& robot, const IkQuestions& questions) {
  const std::string& frame = robot.frames().front();
  const IkOrientation asked = questions.list.front().poses.front().orientation;
  const bool several = robot.frames().size() > 1;
  const bool iterated =
      o.numeric || several || asked == IkOrientation::axis ||
      (asked == IkOrientation::none && !position_has_closed_form(robot.model(), frame));
  int carried = 0;
  for (int i = robot.model().frame(frame).body; i > 0; i = robot.model().body(i).parent)
    carried += robot.model().body(i).v.count;
  if (asked == IkOrientation::none && !o.numeric && !o.position_only && !several && carried >= 6)
    throw Error(
        "the orientation is missing: --rpy, --quaternion, --axis or --pose; --position-only leaves "
        "it free");
  if (iterated) return numeric_method(o, robot);
  for (const auto& [given, option] : {std::pair{!o.start.empty(), "--start"},
                                      {o.restarts >= 0, "--restarts"},
                                      {!o.prefer.empty(), "--prefer"}})
    if (given) throw Error(std::string(option) + " requires --numeric: it is about iteration");
  return analytic_method(o, robot.model(), frame);
}

namespace {

/// Poses in, answers out, each pose near to --near or, with --follow, to the solution before.
class Solving {
 public:
  explicit Solving(const IkOptions& o) : o_(o), robot_(o), model_(robot_.model()) {
    given_ = read_ik_questions(o, robot_);
    method_ = ik_method(o, robot_, given_);
    near_ = robot_.configuration("--near", o.near, o.degrees);
  }

  int run(std::string& out) {
    for (const IkQuestion& question : given_.list) answers_.push_back(answer_of(question));
    const bool as_csv = !o_.json && !(o_.csv.empty() && o_.output.empty());
    if (!o_.json && !as_csv && !answers_.front().solved) throw Failure(answers_.front().summary);
    const std::string text =
        o_.json  ? json()
        : as_csv ? csv_text(csv())
                 : ik_text(robot_, method_, o_, given_.list.front(), answers_.front());
    give(o_.output, text, out);
    return unsolved_.empty() && in_part_.empty() && outside_.empty() ? good : complain();
  }

 private:
  bool near() const { return o_.follow || !o_.near.empty(); }
  bool one_each() const { return method_.numeric || near(); }

  IkAnswer answer_of(const IkQuestion& question) {
    IkAnswer answer = method_.solve(question, near_);
    for (IkSolution& s : answer.solutions) s.distance = distance(model_, near_, s.q);
    if (near())
      std::stable_sort(
          answer.solutions.begin(), answer.solutions.end(),
          [](const IkSolution& a, const IkSolution& b) { return a.distance < b.distance; });
    const IkSolution* best = best_of(answer);
    if (!answer.solved)
      unsolved_.push_back(question.line);
    else if (answer.in_part && !o_.csv.empty())
      in_part_.push_back(question.line);
    else if (one_each() && !o_.csv.empty() && !best->outside_limits.empty())
      outside_.push_back(question.line);
    if (o_.follow && best != nullptr) near_ = best->q;
    return answer;
  }
  /// The first one inside the limits, or the first one.
  static const IkSolution* best_of(const IkAnswer& answer) {
    for (const IkSolution& s : answer.solutions)
      if (s.outside_limits.empty()) return &s;
    return answer.solutions.empty() ? nullptr : &answer.solutions.front();
  }

  std::string json() const {
    Json joints = Json::array(), results = Json::array();
    for (const int c : method_.coordinates) joints.push_back(model_.coordinate_name(c));
    for (std::size_t r = 0; r < answers_.size(); ++r) {
      Json entry = Json::object();
      if (!given_.t.empty()) entry["t"] = given_.t[r];
      entry.update(ik_json(robot_, given_.list[r], answers_[r], near()));
      results.push_back(std::move(entry));
    }
    Json out{{"robot", model_.name()},
             {"frame", robot_.frames().front()},
             {"method", method_.name},
             {"moves", joints},
             {"results", results}};
    if (robot_.frames().size() > 1) out["frames"] = robot_.frames();
    if (!robot_.root().empty()) out["root"] = robot_.root();
    return json_text(out);
  }

  /// A row for each solution, or for the best one of each pose; a pose without any has a row without
  /// q that says how far off it is.
  CsvTable csv() const {
    CsvTable table;
    const bool all = !one_each();
    const Model<double>& robot = robot_.robot();
    table.columns = {"pose"};
    if (!given_.t.empty()) table.columns.emplace_back("t");
    if (all) table.columns.emplace_back("solution");
    for (int k = 0; k < robot.n_q(); ++k) table.columns.push_back("q." + robot.coordinate_name(k));
    for (const char* name : {"reached", "inside_limits", "position_error", "rotation_error"})
      table.columns.emplace_back(name);
    const auto add = [&](std::size_t r, std::size_t number, const Array<double>& q,
                         const std::vector<double>& rest) {
      std::vector<double> row{static_cast<double>(r + 1)};
      if (!given_.t.empty()) row.push_back(given_.t[r]);
      if (all) row.push_back(static_cast<double>(number));
      row.insert(row.end(), q.begin(), q.end());
      row.insert(row.end(), rest.begin(), rest.end());
      table.rows.push_back(std::move(row));
    };
    for (std::size_t r = 0; r < answers_.size(); ++r) {
      const IkAnswer& answer = answers_[r];
      const IkSolution* const best = best_of(answer);
      if (best == nullptr)
        add(r, 0, Array<double>(robot.n_q(), std::nan("")),
            {0, 0, answer.distance, answer.rotation_distance});
      for (std::size_t k = 0; k < answer.solutions.size(); ++k) {
        const IkSolution& s = answer.solutions[k];
        if (!all && &s != best) continue;
        add(r, k + 1, robot_.whole(s.q),
            {answer.in_part ? 0.0 : 1.0, s.outside_limits.empty() ? 1.0 : 0.0, s.position_error,
             s.rotation_error});
      }
    }
    return table;
  }

  static std::string lines_of(const std::vector<int>& lines) {
    std::string out = lines.size() > 1 ? "lines " : "line ";
    constexpr std::size_t most = 10;
    for (std::size_t k = 0; k < std::min(lines.size(), most); ++k)
      (out += k == 0 ? "" : ", ") += std::to_string(lines[k]);
    return out + (lines.size() > most ? ", ..." : "");
  }
  /// Says which poses have no solution, and which none inside the limits.
  int complain() const {
    if (o_.csv.empty()) return findings;
    const auto say = [&](const std::vector<int>& lines, const char* what) {
      if (lines.empty()) return;
      std::fprintf(stderr, "torsor: %s: %zu of %zu poses %s: %s\n", one_line(o_.csv).c_str(),
                   lines.size(), answers_.size(), what, lines_of(lines).c_str());
    };
    say(unsolved_, unsolved_.size() > 1 ? "are unreachable" : "is unreachable");
    say(in_part_, in_part_.size() > 1 ? "are met in part only" : "is met in part only");
    say(outside_, outside_.size() > 1 ? "are reached beyond the limits only"
                                      : "is reached beyond the limits only");
    return findings;
  }

  const IkOptions& o_;
  IkRobot robot_;
  const Model<double>& model_;
  IkQuestions given_;
  IkMethod method_;
  std::vector<double> near_;
  std::vector<IkAnswer> answers_;
  std::vector<int> unsolved_, in_part_, outside_;  // lines
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
  const auto list = [&](const char* name, std::vector<std::string>& texts, const char* what) {
    return app.add_option(name, texts, what).type_name("LIST").repeatable();
  };
  const Argument xyz =
      list("--xyz", o.xyz, "where the frame's origin shall be (m), as 0.4,0.2,0.1");
  const Argument rpy = list("--rpy", o.rpy, "its orientation: roll, pitch, yaw, as in URDF");
  const Argument quaternion =
      list("--quaternion", o.quaternion, "or as a unit quaternion x, y, z, w");
  const Argument axis =
      list("--axis", o.axis,
           "or only where its z axis shall point, as 0,0,-1; of its x or y axis: x=0,0,-1");
  const Argument pose = list("--pose", o.pose, "or all as a 4 x 4 matrix, row by row");
  app.add_flag("--position-only", o.position_only, "leave the orientation free");
  const Argument csv =
      app.add_option(
             "--csv", o.csv,
             "many poses: t, x, y, z and roll, pitch, yaw or qx, qy, qz, qw, as fk writes them")
          .type_name("FILE");
  const Argument degrees =
      app.add_flag("--deg", o.degrees, "angles of lists and text in degrees (CSV and JSON never)");
  for (const Argument other : {xyz, rpy, quaternion, axis, pose, degrees}) csv.excludes(other);
  app.add_option("--near", o.near,
                 "sort by the distance to this configuration; CSV: only the nearest")
      .type_name("LIST");
  app.add_flag("--follow", o.follow, "of many poses: each near to the one before").needs(csv);
}

Action add_ik(Arguments& app) {
  const auto o = std::make_shared<IkOptions>();
  o->robot.motion_only = true;
  add_robot(app, o->robot);
  app.add_option("--frame,--tip", o->frames,
                 "the link, frame or joint to put there; again, with its own pose, for several")
      .type_name("NAME")
      .repeatable();
  add_poses(app, *o);
  app.add_option("--root", o->root,
                 "poses are relative to this link, and joints before it stand still")
      .type_name("LINK");
  app.add_option("--lock", o->lock, "JOINT=VALUE: this joint stands still there (may be repeated)")
      .type_name("JOINT=VALUE")
      .repeatable();
  app.add_flag("--ignore-limits", o->ignore_limits, "as if joints had no position limits");
  app.add_flag("--numeric", o->numeric,
               "one solution inside the limits by iteration, for any robot");
  app.add_option("--start", o->start, "iteration: where to begin; otherwise --near or neutral")
      .type_name("LIST");
  app.add_option("--restarts", o->restarts, "iteration: at most so many random starts after that")
      .type_name("N");
  app.add_option("--prefer", o->prefer,
                 "iteration: use freedom for nearest, limits (away from them) or manipulability")
      .type_name("NAME");
  app.add_option("-o,--output", o->output, "write CSV (or JSON) here").type_name("FILE");
  app.add_flag("--force", o->force, "replace an existing output");
  add_json(app, o->json);
  return [o, &app](std::string& out) {
    o->written = app.written();
    return solve(*o, out);
  };
}

}  // namespace

extern const Verb ik;
const Verb ik{
    "ik", "inverse kinematics: the configurations that put a frame at a pose",
    "  torsor ik puma560 --frame tool --xyz 0.4,0.2,0.1 --rpy 180,0,90 --deg\n"
    "  torsor ik panda --frame tool --xyz 0.4,0.2,0.5 --rpy 3.1,0,0 --numeric --prefer limits\n"
    "  torsor ik panda --frame tool --xyz 0.4,0.2,0.5 --rpy 3.1,0,0 --lock joint_3=0\n"
    "  torsor ik planar2r --frame tip --xyz 1.2,0.7,0       # two joints: a position is enough\n"
    "  torsor ik ur5 --frame tool --xyz 0.4,0.2,0.3 --axis 0,0,-1  # tool down, turned anyhow\n"
    "  torsor ik ur5 --frame tool --csv poses.csv --near 0,-1,1,0,1,0 --follow -o states.csv\n"
    "\n"
    "Up to six revolute and prismatic joints: all isolated solutions, by name, in closed form for\n"
    "spherical wrists and shoulders, three parallel axes, planar chains and three slides, else by\n"
    "elimination, or by a search that may miss some; solutions that may move while the frame\n"
    "stays are families, with their free joints. More joints, other joints, mimic joints, several\n"
    "frames and partial orientations: one solution, by iteration (--numeric).\n"
    "CSV may also have the matrix, in columns T.1.1 ... T.4.4; the answer has a row for every "
    "pose,\n"
    "with reached 0 and the distance (m, rad) where there is no solution: without q, or with as "
    "much\n"
    "as fewer than six joints can do.\n"
    "Exit code 1 where a pose is unreachable.\n",
    add_ik};

}  // namespace torsor::command
