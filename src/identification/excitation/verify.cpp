#include "excitation/verify.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/model/joint_units.hpp"
#include "torsor/trajectory/limits.hpp"

namespace torsor::internal {
namespace {

constexpr int finer = 10;  // checked samples for one that is optimised on

MotionSamples samples_of(const Excitation& found, int trajectory, In<double> times) {
  MotionSamples own;
  const int n = found.coordinates.size();
  for (Matrix* x : {&own.q, &own.qd, &own.qdd}) *x = Matrix(times.size, n);
  for (int k = 0; k < times.size; ++k) {
    const auto row = [&](Matrix& x) { return View<double>(x.data() + k * n, n); };
    found.sample(trajectory, times[k], row(own.q), row(own.qd), row(own.qdd));
  }
  return own;
}

/// Of one trajectory: all coordinates, and of a robot with loops what each drives.
struct VerifiedMotion {
  MotionSamples all{};
  LoopMotion::Ratios G{};
  bool closes = true;
};
VerifiedMotion verified_motion(LoopMotion& loops, const Excitation& found, int trajectory,
                               In<double> times) {
  VerifiedMotion motion;
  if (!loops.loops()) {
    motion.all = samples_of(found, trajectory, times);
    return motion;
  }
  motion.closes = loops.follow(samples_of(found, trajectory, times), motion.all, motion.G);
  return motion;
}

/// The use of a range by what was attained of it.
LimitUse use_of(std::string of, std::string what, double low, double high, double lower,
                double upper) {
  LimitUse use{std::move(of), std::move(what), 0, 0, 0};
  const bool above = std::isinf(lower) || (std::isfinite(upper) && high - upper > lower - low);
  use.attained = above ? high : low;
  use.limit = above ? upper : lower;
  const double half = (upper - lower) / 2;
  if (std::isfinite(half))
    use.share = std::abs(use.attained - (lower + upper) / 2) / half;
  else
    use.share = (above ? high > upper : low < lower) ? infinity : std::nan("");
  return use;
}

struct Extremes {
  double low = infinity, high = -infinity;
  void include(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
};

std::vector<LimitUse> joint_uses(const ExcitationTask& task, const Excitation& found) {
  std::vector<Limits> most;
  const auto include = [&](const std::vector<Limits>& one) {
    if (most.empty()) most = one;
    for (std::size_t k = 0; k < one.size(); ++k) {
      most[k].lower = std::min(most[k].lower, one[k].lower);
      most[k].upper = std::max(most[k].upper, one[k].upper);
      most[k].velocity = std::max(most[k].velocity, one[k].velocity);
      most[k].acceleration = std::max(most[k].acceleration, one[k].acceleration);
      most[k].jerk = std::max(most[k].jerk, one[k].jerk);
    }
  };
  for (const auto& series : found.series) include(attained(series));
  for (const auto& spline : found.splines) include(attained(spline));
  const std::vector<std::string> labels = coordinate_labels(task.model);
  std::vector<LimitUse> uses;
  for (std::size_t k = 0; k < most.size(); ++k) {
    const auto at = static_cast<std::size_t>(found.coordinates[static_cast<int>(k)]);
    const Limits &has = most[k], &may = task.limits.joints[at];
    uses.push_back(use_of(labels[at], "position", has.lower, has.upper, may.lower, may.upper));
    const auto add = [&](const char* what, double x, double limit) {
      if (std::isfinite(limit)) uses.push_back({labels[at], what, x, limit, x / limit});
    };
    add("velocity", has.velocity, may.velocity);
    add("acceleration", has.acceleration, may.acceleration);
    add("jerk", has.jerk, may.jerk);
  }
  return uses;
}

/// Of joints that follow others through loops: what is bounded of them.
void add_following_uses(const ExcitationTask& task, const std::vector<VerifiedMotion>& motions,
                        std::vector<LimitUse>& uses) {
  const std::vector<std::string> labels = coordinate_labels(task.model);
  const Array<int>& driven = task.loops.driven();
  for (int v = 0; v < task.model.n_v(); ++v) {
    if (std::find(driven.begin(), driven.end(), v) != driven.end()) continue;
    Extremes q, qd, qdd;
    for (const VerifiedMotion& motion : motions)
      for (int k = 0; k < motion.all.q.rows(); ++k) {
        q.include(motion.all.q(k, v));
        qd.include(std::abs(motion.all.qd(k, v)));
        qdd.include(std::abs(motion.all.qdd(k, v)));
      }
    const Limits& may = task.limits.joints[static_cast<std::size_t>(v)];
    const std::string& of = labels[static_cast<std::size_t>(v)];
    if (std::isfinite(may.lower) || std::isfinite(may.upper))
      uses.push_back(use_of(of, "position", q.low, q.high, may.lower, may.upper));
    if (std::isfinite(may.velocity))
      uses.push_back({of, "velocity", qd.high, may.velocity, qd.high / may.velocity});
    if (std::isfinite(may.acceleration))
      uses.push_back({of, "acceleration", qdd.high, may.acceleration, qdd.high / may.acceleration});
  }
}

void add_sampled_uses(const ExcitationTask& task, const std::vector<VerifiedMotion>& motions,
                      std::vector<LimitUse>& uses) {
  const Model<double>& model = task.model;
  const int n = model.n_v();
  const std::vector<std::string> labels = velocity_labels(model);
  if (task.limits.torques) {
    MotionTorques torques(model);
    Array<double> most(n, 0.0);
    Matrix tau;
    const Array<int>& driven = task.loops.driven();
    for (const VerifiedMotion& motion : motions) {
      torques.fill(motion.all, tau);
      for (int k = 0; k < tau.rows(); ++k)
        for (int i = 0; i < driven.size(); ++i) {
          double torque = motion.G.empty() ? tau(k, i) : 0;
          for (int v = 0; v < n && !motion.G.empty(); ++v)
            torque += motion.G[static_cast<std::size_t>(k)](v, i) * tau(k, v);
          most[driven[i]] = std::max(most[driven[i]], std::abs(torque));
        }
    }
    for (const int i : driven) {
      const auto at = static_cast<std::size_t>(i);
      const double limit = task.limits.joints[at].effort;
      if (std::isfinite(limit))
        uses.push_back({labels[at], "torque", most[i], limit, most[i] / limit});
    }
  }
  std::vector<Extremes> frames(task.limits.frames.size());
  KinematicsWorkspace<double> ws(model);
  for (const VerifiedMotion& motion : motions)
    for (int k = 0; k < motion.all.q.rows() && !frames.empty(); ++k) {
      forward_kinematics(model, ws, View<const double>(motion.all.q.data() + k * n, n));
      for (std::size_t f = 0; f < frames.size(); ++f)
        frames[f].include(
            frame_pose(ws, task.limits.frames[f].frame).p[task.limits.frames[f].axis]);
    }
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const FrameBound& bound = task.limits.frames[f];
    uses.push_back(use_of(bound.name, std::string(1, "xyz"[bound.axis]), frames[f].low,
                          frames[f].high, bound.lower, bound.upper));
  }
}

}  // namespace

Excitation realised(const ExcitationTask& task, In<double> z) {
  Excitation found;
  const int n = task.basis.coefficients();
  for (int r = 0; r < task.options.trajectories; ++r) {
    const View<const double> own(z.data + r * n, n);
    if (task.options.motion == ExcitationMotion::fourier)
      found.series.push_back(task.basis.series(own));
    else
      found.splines.push_back(task.basis.spline(own));
  }
  found.samples = task.basis.samples();
  found.verified = finer * found.samples + 1;
  found.unknowns = task.unknowns.names;
  found.dependent = task.unknowns.dependent;
  found.seed = task.options.seed;

  found.coordinates = task.loops.driven();
  Array<double> times;
  const double step = found.duration() / (found.verified - 1);
  for (int k = 0; k < found.verified; ++k) times.push_back(std::min(k * step, found.duration()));
  std::vector<VerifiedMotion> motions;
  LoopMotion loops = task.loops;
  for (int r = 0; r < found.size(); ++r) {
    motions.push_back(verified_motion(loops, found, r, times));
    if (!motions.back().closes) {  // between its samples: beyond a limit
      found.use.push_back({task.model.name(), "loops", infinity, 0, infinity});
      return found;
    }
  }
  Array<double> width;  // the robot's own
  for (int k = 0; k < task.model.n_v(); ++k) width.push_back(task.model.dof(k).width);
  for (const CoupledMotor<double>& motor : task.model.motors())
    width.push_back(motor.constants.width);
  ExcitationColumns columns(task.model, task.unknowns, width);
  Matrix W, projected, G, all(task.unknowns.size(), task.unknowns.size());
  for (const VerifiedMotion& motion : motions) {
    columns.fill(motion.all, W);
    if (loops.loops()) project_columns(W, motion.G, task.unknowns.row_weight, projected);
    gram(loops.loops() ? projected : W, G);
    for (int k = 0; k < G.rows() * G.cols(); ++k) all.data()[k] += G.data()[k] / finer;
  }
  const InformationFigures figures = information_figures(all);
  found.condition = figures.condition;
  found.log_det = figures.log_det;
  found.use = joint_uses(task, found);
  if (loops.loops()) add_following_uses(task, motions, found.use);
  add_sampled_uses(task, motions, found.use);
  return found;
}

}  // namespace torsor::internal

namespace torsor {

Array<int> excited_coordinates(const Model<double>& model) {
  return internal::LoopMotion(model).driven();
}

SampledMotion sampled_motion(const Model<double>& model, const Excitation& found, int trajectory,
                             In<double> times) {
  using namespace internal;
  LoopMotion loops(model);
  VerifiedMotion motion = verified_motion(loops, found, trajectory, times);
  if (!motion.closes)
    throw Error("sampled_motion: the loops of \"" + model.name() +
                "\" do not close along the motion");
  return {std::move(motion.all.q), std::move(motion.all.qd), std::move(motion.all.qdd)};
}

}  // namespace torsor
