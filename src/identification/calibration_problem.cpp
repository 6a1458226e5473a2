#include "calibration_problem.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/kinematics/forward.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/parameter.hpp"

namespace torsor::internal {
namespace {

/// The link that carries a frame of the model, by its place in the description.
int link_of_frame(const RobotDescription& robot, const std::string& frame) {
  std::string name = frame;
  if (robot.find_link(frame) == nullptr) {
    for (const FrameOnLink& f : robot.frames)
      if (f.name == frame) name = f.link;
    if (const Joint* joint = robot.find_joint(frame); name == frame && joint != nullptr)
      name = joint->child;
  }
  for (std::size_t k = 0; k < robot.links.size(); ++k)
    if (robot.links[k].name == name) return static_cast<int>(k);
  throw Error("robot \"" + robot.name + "\" has no frame \"" + frame + "\"");
}

}  // namespace

CalibrationProblem::CalibrationProblem(const Model<double>& model,
                                       const std::vector<PoseMeasurement>& measured,
                                       const CalibrationOptions& options)
    : measured_(measured),
      nominal_(model.description()),
      geometry_(geometry_parameters(model, options.parameters)) {
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const PoseMeasurement& m = measured[i];
    const std::string where =
        "pose " + std::to_string(i + 1) +
        (m.line > 0 ? " (line " + std::to_string(m.line) + "): " : std::string(": "));
    if (m.q.size() != model.n_q())
      throw Error(where + "has " + std::to_string(m.q.size()) + " coordinates, the robot has " +
                  std::to_string(model.n_q()));
    if (!std::isfinite(squared_norm(m.position) + m.distance) || !(m.weight >= 0))
      throw Error(where + "a number is not finite");
    try {
      Array<double> q = m.q;
      check_configuration(model, q);
    } catch (const Error& refused) {
      throw Error(where + refused.what());
    }
    const std::string& frame = m.frame.empty() ? options.frame : m.frame;
    (void)model.frame(frame);  // throws with the nearest name
    const auto at = std::find(frames_.begin(), frames_.end(), frame);
    frame_of_.push_back(static_cast<int>(at - frames_.begin()));
    if (at == frames_.end()) frames_.push_back(frame);
  }
  const auto add = [&](int frame, int axis, const std::string& of) {
    outside_.push_back({frame, axis});
    names_.push_back(of + "." + placement_words[static_cast<std::size_t>(axis)]);
    angles_.push_back(axis < 3);
  };
  for (int axis = 0; options.base_unknown && axis < 6; ++axis) add(-1, axis, "base");
  for (std::size_t f = 0; options.tool_unknown && f < frames_.size(); ++f) {
    bool turns = false;  // points have no axes
    for (int i = 0; i < n_poses(); ++i)
      turns = turns || (frame_of_[i] == static_cast<int>(f) && measurement(i).n_numbers() == 6);
    for (int axis = turns ? 0 : 3; axis < 6; ++axis)
      add(static_cast<int>(f), axis, "tool." + frames_[f]);
  }
  n_outside_ = static_cast<int>(outside_.size());
  for (const GeometryParameter& p : geometry_) {
    names_.push_back(p.name);
    angles_.push_back(p.angle);
    const Array<bool> beyond = links_beyond(nominal_, p.joint);
    Array<bool> moves;
    for (const std::string& frame : frames_)
      moves.push_back(beyond[link_of_frame(nominal_, frame)]);
    moves_.push_back(std::move(moves));
  }
}

CalibrationState CalibrationProblem::start() const {
  return {nominal_, {}, Array<SE3<double>>(static_cast<int>(frames_.size()))};
}

void CalibrationProblem::move(CalibrationState& state, In<double> step) const {
  Twist<double> base;
  std::vector<Twist<double>> tools(frames_.size());
  for (int k = 0; k < n_outside_; ++k) {
    const auto [frame, axis] = outside_[static_cast<std::size_t>(k)];
    Twist<double>& xi = frame < 0 ? base : tools[static_cast<std::size_t>(frame)];
    (axis < 3 ? xi.w : xi.v)[axis % 3] += step[k];
  }
  state.base = state.base * exp(base);
  for (std::size_t f = 0; f < tools.size(); ++f) state.tools[f] = state.tools[f] * exp(tools[f]);
  for (std::size_t k = 0; k < geometry_.size(); ++k)
    if (const double x = step[n_outside_ + static_cast<int>(k)]; x != 0)
      apply(geometry_[k], x, state.robot);
}

void CalibrationProblem::fill(const Model<double>& model, const CalibrationState& state,
                              const Array<SE3<double>>& T_world_body, int pose,
                              const Vec3<double>& e_r, Matrix& J) const {
  const int f = frame_of_[pose];
  const auto world = [&](const Frame& frame) { return T_world_body[frame.body] * frame.placement; };
  const SE3<double> T_world_tool =
      world(model.frame(frames_[static_cast<std::size_t>(f)])) * state.tools[f];
  const SO3<double> R = state.base.R * T_world_tool.R;
  const PoseMeasurement& m = measurement(pose);
  const bool turns = m.n_numbers() == 6;
  const Vec3<double> apart = (state.base * T_world_tool).p - m.position;
  const Vec3<double> away = apart * (1 / std::max(norm(apart), 1e-12));
  const auto put = [&](int column, const Twist<double>& delta) {
    Vec3<double> p = R * delta.v;
    const Vec3<double> r = turns ? dexp_inv(-e_r, delta.w) : Vec3<double>{};
    if (m.is_distance) p = {dot(away, p), 0, 0};
    for (int k = 0; k < 3; ++k) J(6 * pose + k, column) = p[k], J(6 * pose + 3 + k, column) = r[k];
  };
  for (int k = 0; k < n_outside_; ++k) {
    const auto [frame, axis] = outside_[static_cast<std::size_t>(k)];
    Twist<double> xi;
    (axis < 3 ? xi.w : xi.v)[axis % 3] = 1;
    if (frame < 0)
      put(k, Ad_inv(T_world_tool, xi));
    else if (frame == f)
      put(k, xi);
  }
  for (std::size_t k = 0; k < geometry_.size(); ++k) {
    const GeometryParameter& p = geometry_[k];
    if (!moves_[k][f]) continue;
    const Joint& joint = state.robot.joints[static_cast<std::size_t>(p.joint)];
    SE3<double> T_world_cut =
        world(model.frame(p.side == GeometryParameter::Side::link ? joint.child : joint.parent));
    if (p.side == GeometryParameter::Side::joint) T_world_cut = T_world_cut * joint.placement;
    put(n_outside_ + static_cast<int>(k), Ad_inv(inverse_times(T_world_cut, T_world_tool), p.xi));
  }
}

void CalibrationProblem::evaluate(const CalibrationState& state, std::vector<PoseRows>& rows,
                                  Matrix* J) const {
  const Model<double> model(state.robot);
  KinematicsWorkspace<double> ws(model);
  rows.resize(measured_.size());
  if (J != nullptr) *J = Matrix(6 * n_poses(), n());
  for (int i = 0; i < n_poses(); ++i) {
    const PoseMeasurement& m = measurement(i);
    forward_kinematics<double, double>(model, ws, m.q);
    const int f = frame_of_[i];
    const SE3<double> T = state.base *
                          frame_pose(ws, model.frame(frames_[static_cast<std::size_t>(f)])) *
                          state.tools[f];
    PoseRows& e = rows[static_cast<std::size_t>(i)];
    e.position = m.position - T.p;
    if (m.is_distance) e.position = {m.distance - norm(e.position), 0, 0};
    e.rotation = m.n_numbers() == 6 ? log(transpose(T.R) * m.rotation) : Vec3<double>{};
    if (J != nullptr) fill(model, state, ws.T_world_body, i, e.rotation, *J);
  }
}

}  // namespace torsor::internal
