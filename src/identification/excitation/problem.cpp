#include "excitation/problem.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/model/joint_units.hpp"
#include "torsor/model/loop.hpp"
#include "torsor/trajectory/configuration_path.hpp"
#include "torsor/trajectory/internal/check_input.hpp"

namespace torsor::internal {
namespace {

/// Of the velocity limit: signs are exact outside of a few per cent of it.
constexpr double smooth_share = 0.03;
/// What follows through loops may have no velocity limit.
double smooth_width(const Limits& l) {
  return smooth_share * (std::isfinite(l.velocity) ? l.velocity : 1);
}

void check_numbers(const ExcitationOptions& o) {
  const auto refuse = [](const std::string& what) { throw Error("design_excitation: " + what); };
  if (!(o.period > 0) || std::isinf(o.period))
    refuse("period is " + check::number(o.period) + " s, not positive");
  if (o.motion == ExcitationMotion::fourier && (o.harmonics < 2 || o.harmonics > 100))
    refuse("has " + std::to_string(o.harmonics) +
           " harmonics; a series that begins and ends at rest needs 2 to 100");
  if (o.motion == ExcitationMotion::spline && (o.points < 3 || o.points > 1000))
    refuse("has " + std::to_string(o.points) + " points; a spline needs 3 to 1000");
  if (o.trajectories < 1 || o.trajectories > 100)
    refuse("is for 1 to 100 trajectories, not " + std::to_string(o.trajectories));
  if (o.starts < 1 || o.starts > 100000)
    refuse("takes 1 to 100000 starts, not " + std::to_string(o.starts));
  if (o.iterations < 0) refuse("iterations are below zero");
  if (o.samples < 0 || o.samples > 100000)
    refuse("takes up to 100000 samples, not " + std::to_string(o.samples));
  if (!(o.seconds >= 0)) refuse("seconds are below zero");
  if (!(o.information >= 0) || std::isinf(o.information))
    refuse("the weight of information is " + check::number(o.information) + ", below zero");
}

/// What drives must have bounds; what follows it through loops may have some.
void check_limits(const Model<double>& model, const std::vector<Limits>& limits,
                  const Array<int>& driven) {
  const std::vector<std::string> labels = coordinate_labels(model);
  for (std::size_t k = 0; k < limits.size(); ++k) {
    const Limits& l = limits[k];
    const std::string at = "design_excitation: joint \"" + labels[k] + "\" ";
    const bool drives =
        std::find(driven.begin(), driven.end(), static_cast<int>(k)) != driven.end();
    if (drives && (!std::isfinite(l.lower) || !std::isfinite(l.upper)))
      throw Error(at + "has no position limits");
    if (!(l.lower < l.upper))
      throw Error(at + "has no room between " + check::number(l.lower) + " and " +
                  check::number(l.upper));
    if (drives && !std::isfinite(l.velocity)) throw Error(at + "has no velocity limit");
    const std::pair<double, const char*> rest[] = {{l.velocity, "velocity"},
                                                   {l.acceleration, "acceleration"},
                                                   {l.jerk, "jerk"},
                                                   {l.effort, "effort"}};
    for (const auto& [x, what] : rest)
      if (!(x > 0))
        throw Error(at + "has the " + what + " limit " + check::number(x) + ", not positive");
  }
}

/// The options, checked: what the members are made of.
const ExcitationOptions& checked(const Model<double>& model, const ExcitationOptions& o) {
  check_numbers(o);
  const std::vector<Limits> own = coordinate_limits(model);  // refuses quaternions
  if (model.n_v() == 0) throw Error("design_excitation: \"" + model.name() + "\" does not move");
  const Array<int> driven = LoopMotion(model).driven();
  const auto size = [&](const char* what, std::size_t has, int needs) {
    if (has != 0) check::size("design_excitation", what, static_cast<int>(has), needs);
  };
  size("limits", o.limits.size(), model.n_q());
  check_limits(model, o.limits.empty() ? own : o.limits, driven);
  if (!o.start.empty()) check::numbers("design_excitation", "start", o.start, driven.size());
  if (!o.torque_noise.empty())
    check::numbers("design_excitation", "torque_noise", o.torque_noise, driven.size());
  for (const double sigma : o.torque_noise)
    check::positive("design_excitation", "torque_noise", sigma);
  for (const WorkspaceBox& box : o.boxes)
    for (int axis = 0; axis < 3; ++axis)
      if (!(box.lower[axis] < box.upper[axis]))
        throw Error("design_excitation: the box of \"" + box.frame + "\" is empty: " + "xyz"[axis] +
                    " from " + check::number(box.lower[axis]) + " to " +
                    check::number(box.upper[axis]));
  return o;
}

/// Fine against the highest frequency: 1 - cos(pi / 25) of a sine is missed between samples.
int samples_of(const ExcitationOptions& o) {
  if (o.samples > 0) return std::max(o.samples, 8);
  return o.motion == ExcitationMotion::fourier ? 25 * o.harmonics : 10 * (o.points + 1);
}

}  // namespace

Model<double> with_smooth_signs(const Model<double>& model, const std::vector<Limits>& limits) {
  if (!model.is_described()) return model;
  RobotDescription robot = model.description();
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Dofs v = model.body(i).v;
    for (Joint& joint : robot.joints) {
      if (joint.name != model.joint_name(i)) continue;
      for (std::size_t k = 0; k < joint.friction.size(); ++k)
        if (joint.friction[k].width == 0)
          joint.friction[k].width =
              smooth_width(limits[static_cast<std::size_t>(v.first) +
                                  std::min(k, static_cast<std::size_t>(v.count - 1))]);
    }
  }
  return Model<double>(std::move(robot));
}

namespace {

std::vector<Limits> of_driven(const std::vector<Limits>& all, const Array<int>& driven) {
  std::vector<Limits> some;
  for (const int k : driven) some.push_back(all[static_cast<std::size_t>(k)]);
  return some;
}

void zero(const MotionSamples& as, MotionSamples& bar) {
  for (Matrix* x : {&bar.q, &bar.qd, &bar.qdd, &bar.jerk}) *x = Matrix(as.q.rows(), as.q.cols());
}

}  // namespace

ExcitationTask::ExcitationTask(const Model<double>& robot, const ExcitationOptions& o)
    : options(checked(robot, o)),
      model(robot),
      smooth(with_smooth_signs(robot, o.limits.empty() ? coordinate_limits(robot) : o.limits)),
      limits(robot, o),
      loops(model),
      unknowns(model, o, loops),
      basis(o, of_driven(limits.joints, loops.driven()), samples_of(o)) {}

Array<double> ExcitationTask::widths() const {
  Array<double> width;
  for (const Limits& l : limits.joints) width.push_back(smooth_width(l));
  for (const CoupledMotor<double>& motor : model.motors()) {
    double largest = 0;
    for (const auto& term : motor.terms)
      largest = std::max(largest, std::abs(term.ratio) * width[term.v]);
    width.push_back(largest);
  }
  return width;
}

ExcitationEvaluator::ExcitationEvaluator(const ExcitationTask& task)
    : task_(&task),
      loops_(task.loops),
      columns_(task.model, task.unknowns, task.widths()),
      barrier_(task.smooth, task.limits, task.loops.driven()),
      criterion_(task.unknowns.size(), task.options.information),
      trajectories_(task.options.trajectories) {}

double ExcitationEvaluator::sample(In<double> one, double mu, Trajectory& own) {
  task_->basis.sample(one, own.motion);
  zero(own.motion, own.bar);
  if (!loops_.loops()) return barrier_.add(own.motion, mu, own.bar);
  if (!loops_.follow(own.motion, own.all, own.G)) return infinity;
  zero(own.all, own.bar_all);
  own.bar_G.assign(own.G.size(), Matrix(own.all.q.cols(), own.motion.q.cols()));
  return barrier_.add(own.all, mu, own.bar_all, &own.G, &own.bar_G);
}

void ExcitationEvaluator::fill(Trajectory& own) {
  if (!loops_.loops()) {
    columns_.fill(own.motion, own.W);
    return;
  }
  columns_.fill(own.all, own.W_tree);
  project_columns(own.W_tree, own.G, task_->unknowns.row_weight, own.W);
}

void ExcitationEvaluator::add_gradient(Trajectory& own) {
  if (!loops_.loops()) {
    columns_.add_gradient(own.motion, own.A, own.bar);
    return;
  }
  unproject_columns(own.A, own.W_tree, own.G, task_->unknowns.row_weight, own.A_tree, own.bar_G);
  columns_.add_gradient(own.all, own.A_tree, own.bar_all);
  loops_.add_gradient(own.motion, own.all, own.G, own.bar_all, own.bar_G, own.bar);
}

bool ExcitationEvaluator::inside(In<double> one) {
  return std::isfinite(sample(one, 1, trajectories_[0]));
}

double ExcitationEvaluator::operator()(const ExcitationStage& stage, In<double> z,
                                       Out<double> gradient) {
  ++evaluations;
  const int n = task_->basis.coefficients();
  double value = 0;
  for (int r = 0; r < trajectories_.size(); ++r) {
    value += sample({z.data + r * n, n}, stage.mu, trajectories_[r]);
    if (!std::isfinite(value)) return infinity;
  }
  const int p = task_->unknowns.size();
  G_ = Matrix(p, p);
  for (Trajectory& own : trajectories_) {
    fill(own);
    gram(own.W, G_one_);
    for (int k = 0; k < p * p; ++k) G_.data()[k] += G_one_.data()[k];
  }
  value += criterion_(G_, stage.s, dG_);
  if (!std::isfinite(value)) return infinity;
  for (double& g : gradient) g = 0;
  for (int r = 0; r < trajectories_.size(); ++r) {
    Trajectory& own = trajectories_[r];
    own.A = Matrix(own.W.rows(), p);
    add_product(own.W, dG_, 2, own.A);
    add_gradient(own);
    task_->basis.add_gradient(own.bar, {gradient.data + r * n, n});
  }
  return value;
}

}  // namespace torsor::internal
