// A recorded motion under a law: gains that suit the robot, factors on them, and what the run came to.
#include <cmath>

#include "server/parts.hpp"
#include "server/session.hpp"
#include "torsor/experiments/new_scenario.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/forward.hpp"

namespace torsor::view {
namespace {

constexpr int most_points = 20000, rows_sent = 240;
constexpr double longest = 120;        // s, of a motion
constexpr double least_spacing = 0.1;  // s, between points that the reference passes through
constexpr long most_evaluations = 5'000'000;

struct Motion {
  std::vector<double> times;
  std::vector<Robot::Vector> points;
};

/// Times from 0 and configurations; those that come too soon after another are left out.
Motion motion_of(const Json& given, int n_q) {
  if (!given.is_array() || given.size() < 2 || given.size() > most_points)
    throw Error("run: \"points\" is no list of 2 to " + std::to_string(most_points) + " points");
  Motion motion;
  double first = 0;
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (!given[k].is_object()) throw Error("run: point " + std::to_string(k) + " is no object");
    Request point(given[k], "run: point " + std::to_string(k));
    const double t = point.number("t");
    const Robot::Vector q = vector_of(point.numbers("q", n_q));
    point.done();
    if (k == 0) first = t;
    if (!motion.times.empty() && t - first < motion.times.back())
      throw Error("run: times of \"points\" go back at point " + std::to_string(k));
    if (t - first > longest)
      throw Error("run: the motion is longer than " + format_number(longest) + " s");
    const bool last = k + 1 == given.size();
    if (!motion.times.empty() && t - first - motion.times.back() < least_spacing) {
      if (!last || motion.times.size() < 2) continue;
      motion.times.pop_back();  // the end counts
      motion.points.pop_back();
    }
    motion.times.push_back(t - first);
    motion.points.push_back(q);
  }
  if (motion.times.size() < 2)
    throw Error("run: the motion is shorter than " + format_number(least_spacing) + " s");
  return motion;
}

ReferenceFunction reference_along(const JointTrajectory& trajectory) {
  return [trajectory](double t, ReferencePoint& point) {
    point.q.resize(trajectory.n_q());
    point.qd.resize(trajectory.n_v());
    point.qdd.resize(trajectory.n_v());
    using Map = Eigen::Map<Eigen::VectorXd>;
    Map q(point.q.data(), point.q.size()), qd(point.qd.data(), point.qd.size()),
        qdd(point.qdd.data(), point.qdd.size());
    trajectory.sample(t, q, qd, qdd);
  };
}

Json gains_json(const Scenario& scenario, int n_v) {
  Json out = Json::array();
  LawParameters parameters = scenario.parameters;
  for (const GainEntry& gain : find_law(scenario.law).gains) {
    const bool numbers = gain.kind == GainKind::number || gain.kind == GainKind::vector ||
                         gain.kind == GainKind::gain;
    if (!numbers || !parameters.has(gain.name)) continue;
    Json entry = {{"name", gain.name}, {"unit", gain.unit}, {"meaning", gain.meaning}};
    try {
      const Array<double> values = parameters.numbers(gain.name, n_v);
      entry["values"] = std::vector<double>(values.begin(), values.end());
    } catch (const Error&) {  // of another size than the joints: a matrix, or of parameters
      entry["values"] = nullptr;
    }
    out.push_back(std::move(entry));
  }
  return out;
}

Json columns(const Series& series, const std::vector<int>& taken) {
  Json out = {{"names", Json::array()}, {"values", Json::array()}};
  for (int c = 0; c < series.width(); ++c) {
    Json column = Json::array();
    for (const int r : taken) column.push_back(to_json(series(r, c)));
    const std::string& name = series.columns[static_cast<std::size_t>(c)];
    out["names"].push_back(name.starts_with(series.name + ".") ? series.label(c) : name);
    out["values"].push_back(std::move(column));
  }
  return out;
}

Json recording_json(const Model<double>& model, const Recording& r) {
  std::vector<int> taken;
  const int count = std::min(r.size(), rows_sent);
  for (int k = 0; k < count; ++k)
    taken.push_back(
        count < 2 ? 0 : static_cast<int>(std::lround(1.0 * k * (r.size() - 1) / (count - 1))));
  Json out = {{"stop", name_of(r.stop)}, {"message", r.message}, {"t", Json::array()}};
  out["poses"] = Json::array();
  KinematicsWorkspace<double> ws(model);
  for (const int row : taken) {
    out["t"].push_back(r.t[static_cast<std::size_t>(row)]);
    forward_kinematics(model, ws, r.q.row(row));
    Json poses = Json::array();
    for (int i = 1; i < model.n_bodies(); ++i) append_pose(poses, ws.T_world_body[i]);
    out["poses"].push_back(std::move(poses));
  }
  for (const Series* series : {&r.q, &r.e, &r.tau, &r.lyapunov})
    out[series->name] = columns(*series, taken);
  out["conditions"] = Json::array();
  for (const Condition& c : r.conditions)
    out["conditions"].push_back({{"name", c.name},
                                 {"verdict", name_of(c.verdict)},
                                 {"satisfied", c.satisfied()},
                                 {"text", c.text()}});
  out["predictions"] = Json::array();
  for (const Comparison& c : compare_predictions(r))
    out["predictions"].push_back({{"name", c.prediction.name},
                                  {"predicted", to_json(c.prediction.value)},
                                  {"observed", to_json(c.observed)},
                                  {"kept", c.kept}});
  out["lyapunov_increase"] = to_json(r.lyapunov_increase());
  out["energy_balance"] = to_json(r.energy_balance());
  return out;
}

Scenario scenario_of(const std::string& law, const std::string& robot, const Model<double>& model) {
  if (robot.empty()) throw Error("run: this robot is none of a file: it cannot be run here");
  return read_scenario(new_scenario(law, robot, model), "");
}

}  // namespace

Json Session::law(Request request) const {
  const std::string name = request.text("name");
  request.done();
  const LawEntry& entry = find_law(name);
  const Scenario scenario = scenario_of(name, options_.runs ? options_.robot : "", robot_.model());
  return {{"name", entry.name},
          {"claim", entry.claim},
          {"source", entry.source},
          {"gains", gains_json(scenario, robot_.n_v())}};
}

Json Session::run(Request request) {
  const std::unique_lock one(running_, std::try_to_lock);
  if (!one) throw Error("run: another run is under way");
  std::unique_lock lock(mutex_);
  Robot robot = robot_;  // runs beside what the pages do with the other
  lock.unlock();
  const std::string name = request.text("law");
  const LawEntry& entry = find_law(name);
  const Motion motion = motion_of(request.value("points"), robot.n_q());
  Scenario scenario = scenario_of(name, options_.runs ? options_.robot : "", robot.model());
  if (request.has("factors")) {
    const Json& factors = request.value("factors");
    if (!factors.is_object()) throw Error("run: \"factors\" is no object");
    Request given(factors, "run: factors");
    for (const auto& [gain, unused] : factors.items())
      scenario.parameters.scale(gain, given.number(gain.c_str(), 1e-6, 1e6));
  }
  const double end = motion.times.back();
  scenario.options.duration =
      request.has("duration") ? request.number("duration", least_spacing, longest) : end + 1;
  request.done();
  const bool constant = std::string(entry.reference) == "q of the joints, constant";
  const Robot::Vector& goal = motion.points.back();
  scenario.reference =
      constant ? hold({goal.data(), goal.data() + goal.size()}, robot.n_v())
               : reference_along(robot.spline(motion.times, motion.points, SplineEnds::clamped));
  const Robot::Vector& start = motion.points.front();
  scenario.options.q0 = {start.data(), start.data() + start.size()};
  scenario.options.v0 = {};
  scenario.options.start = 0;
  scenario.options.record_every = scenario.options.duration / rows_sent;
  scenario.options.most_evaluations = most_evaluations;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  scenario.options.progress = [&](double) { return seconds() < options_.run_seconds; };
  const Recording recording = run_scenario(scenario);
  Json out = recording_json(robot.model(), recording);
  out["law"] = name;
  out["gains"] = gains_json(scenario, robot.n_v());
  out["seconds"] = seconds();
  return out;
}

}  // namespace torsor::view
