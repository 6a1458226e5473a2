#include "server/session.hpp"

#include <cmath>

#include "server/parts.hpp"
#include "torsor/dynamics/constrained/loop_dynamics.hpp"
#include "torsor/experiments/internal/robot_picture.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::view {
namespace {

/// The tool that pages draw the path of; where it is a point without a name, the link that has it.
std::string first_frame(const Model<double>& model) {
  const Frame tool = internal::picture_of(model).tool;
  if (!tool.name.empty() && model.has_frame(tool.name)) return tool.name;
  return tool.body > 0 ? model.body_name(tool.body) : model.frames().front().name;
}

/// Neutral, but where the limits of a joint leave that out in their middle.
Robot::Vector begin_of(const Robot& robot) {
  Robot::Vector q = robot.neutral();
  const Robot::CoordinateLimits limits = robot.limits();
  for (int k = 0; k < robot.n_q(); ++k)
    if ((q[k] < limits.lower[k] || q[k] > limits.upper[k]) &&
        std::isfinite(limits.upper[k] - limits.lower[k]))
      q[k] = 0.5 * (limits.lower[k] + limits.upper[k]);
  return q;
}

}  // namespace

Session::Session(Robot robot, SessionOptions options)
    : options_(std::move(options)),
      robot_(std::move(robot)),
      meshes_(robot_.model().description(), is_builtin_robot(options_.robot) ? "" : options_.robot,
              options_.package_folders),
      loops_(has_loops(robot_.model())),
      q_(begin_of(robot_)),
      qd_(Robot::Vector::Zero(robot_.n_v())),
      qdd_(qd_),
      frame_(first_frame(robot_.model())) {
  if (options_.q) {
    const Eigen::Map<const Robot::Vector> given(options_.q->data(),
                                                static_cast<Eigen::Index>(options_.q->size()));
    if (given.size() != robot_.n_q())
      throw Error("q has " + std::to_string(given.size()) + " numbers, \"" + name() + "\" has " +
                  std::to_string(robot_.n_q()) + " coordinates");
    go_to(given);
  } else if (loops_) {
    go_to(q_);
  }
}

Json Session::answer(const std::string& verb, const Json& given) {
  if (verb == "run") return run(Request(given, verb));  // takes long: holds no lock
  const std::scoped_lock lock(mutex_);
  if (verb == "move") return move(Request(given, verb));
  if (verb == "slide") return slide(Request(given, verb));
  if (verb == "nudge") return nudge(Request(given, verb));
  if (verb == "reach") return reach(Request(given, verb));
  if (verb == "look") return look(Request(given, verb));
  if (verb == "law") return law(Request(given, verb));
  Request(given, verb).done();
  if (verb == "scene") return scene();
  if (verb == "robot") return this->robot();
  if (verb == "state") return state();
  throw Error("unknown verb " + in_quotes(verb));
}

Answered Session::ask(const std::string& verb, std::string_view request) noexcept {
  try {
    return {
        200,
        answer(verb, parse_request(request)).dump(-1, ' ', false, Json::error_handler_t::replace)};
  } catch (const Error& error) {
    return {400, complaint(error.what())};
  } catch (const std::exception& error) {
    return {500, complaint(error.what())};
  }
}
Answered Session::mesh(std::string_view number) noexcept {
  try {
    const std::optional<double> k =
        number.size() < 6 ? parse_number(std::string(number)) : std::nullopt;
    if (!k || *k != static_cast<int>(*k)) return {404, complaint("there is no such mesh")};
    return {200, meshes_.read(static_cast<int>(*k))};
  } catch (const Error& error) {
    return {400, complaint(error.what())};
  } catch (const std::exception& error) {
    return {500, complaint(error.what())};
  }
}

Robot::Vector Session::q() const {
  const std::scoped_lock lock(mutex_);
  return q_;
}
std::uint64_t Session::version() const {
  const std::scoped_lock lock(mutex_);
  return version_;
}
std::uint64_t Session::wait(std::uint64_t seen, std::chrono::milliseconds most) const {
  std::unique_lock lock(mutex_);
  change_.wait_for(lock, most, [&] { return version_ != seen; });
  return version_;
}
void Session::changed() {
  ++version_;
  change_.notify_all();
}

void Session::go_to(Robot::Vector q, int held_body) {
  if (loops_) {
    std::vector<JointHandle> others;
    for (const JointHandle& joint : robot_.joints())
      if (joint.body() != held_body) others.push_back(joint);
    Robot::Assembled closed = robot_.assemble(q, held_body > 0 ? JointSet(others) : JointSet());
    if (!closed) throw Error(closed.message);
    q = closed.q;
  }
  const Robot::Vector poses_exist = robot_.integrate(q, Robot::Vector::Zero(robot_.n_v()));
  q_ = poses_exist;  // checked, quaternions normalised
  if (loops_) {
    qd_ = robot_.project_velocity(q_, qd_).rates;
    qdd_ = robot_.project_acceleration(q_, qd_, qdd_).rates;
  }
  changed();
}

Json Session::move(Request request) {
  const Robot::Vector q = vector_of(request.numbers("q", robot_.n_q()));
  request.done();
  go_to(q);
  return state();
}

Json Session::slide(Request request) {
  const int k = request.index("coordinate", robot_.n_q());
  const double value = request.number("value");
  request.done();
  const Model<double>& model = robot_.model();
  int body = 1;
  while (body + 1 < model.n_bodies() && model.body(body + 1).q.first <= k) ++body;
  Robot::Vector q = q_;
  q[k] = value;
  go_to(q, body);
  return state();
}

Json Session::nudge(Request request) {
  const int k = request.index("dof", robot_.n_v());
  Robot::Vector step = Robot::Vector::Zero(robot_.n_v());
  step[k] = request.number("by");
  request.done();
  go_to(robot_.integrate(q_, step));
  return state();
}

Json Session::look(Request request) {
  std::string frame = frame_;
  Reference reference = reference_;
  Robot::Vector qd = qd_, qdd = qdd_;
  if (request.has("frame")) frame = robot_.frame(request.text("frame")).name();
  if (request.has("reference")) reference = reference_of(request.text("reference"));
  if (request.has("qd")) qd = vector_of(request.numbers("qd", robot_.n_v()));
  if (request.has("qdd")) qdd = vector_of(request.numbers("qdd", robot_.n_v()));
  request.done();
  if (loops_) {
    qd = robot_.project_velocity(q_, qd).rates;
    qdd = robot_.project_acceleration(q_, qd, qdd).rates;
  }
  if (frame != frame_) solver_tried_ = false;
  frame_ = frame;
  reference_ = reference;
  qd_ = qd;
  qdd_ = qdd;
  changed();
  return state();
}

}  // namespace torsor::view
