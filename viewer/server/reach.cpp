// Where the tool is dragged or typed to, and the configurations that put it there.
#include <cmath>

#include "server/parts.hpp"
#include "server/session.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/text.hpp"

namespace torsor::view {

/// What a search came to.
struct Session::Reached {
  bool reached = false;
  std::string method, message;
  Robot::Vector q;  ///< where to go; empty: nowhere
  Json branches = Json::array();
};

namespace {

constexpr double drag_seconds = 0.05, reach_seconds = 2;  // of the clock
constexpr int pose_freedom = 6;

int degrees_of_freedom(const Model<double>& model, int body) {
  int count = 0;
  internal::for_each_carrier(model, body, [&](int i) { count += model.body(i).v.count; });
  return count;
}

}  // namespace

Session::Reached Session::closed_form(const SE3<double>& T, bool position_only) {
  Reached out;
  if (!solver_tried_) {
    solver_tried_ = true;
    solver_.reset();
    try {
      solver_ = std::make_unique<AnalyticIkSolver>(robot_.model(), frame_);
    } catch (const Error&) {  // no chain of six simple joints at most
    }
  }
  if (!solver_ || !solver_->finds_all() || (position_only && !solver_->solves_position()))
    return out;
  out.method = solver_->method();
  AnalyticIkResult result;
  position_only ? solver_->solve_position(T.p, result) : solver_->solve(T, result);
  out.reached =
      result.status == AnalyticIkStatus::solved || result.status == AnalyticIkStatus::continuum;
  if (!out.reached) return out;
  const Array<std::string> names = solver_->branch_names(result);
  double nearest = infinity;
  bool inside = false;
  for (int k = 0; k < result.n_solutions; ++k) {
    const AnalyticIkSolution& s = result.begin()[k];
    Robot::Vector q = q_;
    solver_->write(s, q);
    out.branches.push_back({{"q", list(q)},
                            {"name", names[k]},
                            {"inside_limits", s.inside_limits()},
                            {"poses", poses(q)}});
    // The nearest one inside the limits; where none is inside, the nearest.
    const double distance = robot_.difference(q_, q).norm();
    if ((s.inside_limits() && !inside) || (s.inside_limits() == inside && distance < nearest)) {
      out.q = q;
      nearest = distance;
      inside = s.inside_limits();
    }
  }
  return out;
}

Session::Reached Session::numeric(const SE3<double>& T, bool position_only, bool drag) {
  InverseKinematicsOptions options;
  options.time_limit = drag ? drag_seconds : reach_seconds;
  if (drag) options.max_restarts = 0;  // from where the robot is, without jumps
  FrameTarget target{frame_, eigen_pose(T)};
  if (position_only) target.orientation_weight.setZero();
  const Robot::NumericIk found = robot_.inverse_kinematics({target}, q_, options);
  Reached out{found.converged, "numeric", found.message, found.q, Json::array()};
  return out;
}

/// The loops, and one more that holds the tool at the target: closed together as well as that goes, then
/// the robot's own alone.
Session::Reached Session::with_loops(const SE3<double>& T, bool position_only) {
  RobotDescription held = robot_.model().description();
  const Model<double>& model = robot_.model();
  LoopJoint hand;
  hand.name = "hand";
  while (std::any_of(held.loops.begin(), held.loops.end(),
                     [&](const LoopJoint& l) { return l.name == hand.name; }))
    hand.name += "_";
  hand.kind = position_only ? LoopJoint::Kind::spherical : LoopJoint::Kind::weld;
  hand.link_a = held.root;
  hand.placement_a = inverse(model.frame(held.root).placement) * T;
  const Frame& tool = model.frame(frame_);
  const std::string carrier = model.body_name(tool.body);
  hand.link_b = carrier;
  hand.placement_b = inverse(model.frame(carrier).placement) * tool.placement;
  held.loops.push_back(hand);
  Robot with_hand{Model<double>(std::move(held))};
  const Robot::Assembled near = with_hand.assemble(q_);
  const Robot::Assembled closed = robot_.assemble(near.q);
  if (!closed) return {false, "closing the loops", closed.message, {}, Json::array()};
  return {near.closed, "closing the loops", near.closed ? "" : "the tool cannot get there",
          closed.q, Json::array()};
}

Json Session::reach(Request request) {
  if (request.has("frame")) {
    const std::string frame = robot_.frame(request.text("frame")).name();
    if (frame != frame_) solver_tried_ = false;
    frame_ = frame;
  }
  bool has_rotation = false;
  const SE3<double> T = request.pose(has_rotation);
  const bool drag = request.flag("drag", false), stay = request.flag("stay", false);
  const Model<double>& model = robot_.model();
  const int body = model.frame(frame_).body;
  if (body == 0) throw Error("reach: no joint moves \"" + frame_ + "\"");
  const int freedom =
      loops_ ? robot_.mobility(q_).degrees_of_freedom : degrees_of_freedom(model, body);
  // Who drags an arm that cannot keep its orientation wants the point under the pointer.
  const bool position_only =
      request.flag("position_only", !has_rotation || (drag && freedom < pose_freedom));
  request.done();
  Reached found;
  if (loops_) {
    found = with_loops(T, position_only);
  } else {
    found = closed_form(T, position_only);
    if (!found.reached) found = numeric(T, position_only, drag);
  }
  if (found.q.size() > 0 && (found.reached || drag) && !stay) go_to(found.q);
  Json out = {{"reached", found.reached},
              {"method", found.method},
              {"message", found.message},
              {"position_only", position_only},
              {"branches", found.branches}};
  out["state"] = state();
  return out;
}

}  // namespace torsor::view
