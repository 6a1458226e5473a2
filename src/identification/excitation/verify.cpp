#include "excitation/verify.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/model/joint_units.hpp"
#include "torsor/trajectory/limits.hpp"

namespace torsor::internal {
namespace {

constexpr int finer = 10;  // checked samples for one that is optimised on

MotionSamples samples_of(const Excitation& found, int trajectory, int coordinates) {
  MotionSamples all;
  for (Matrix* x : {&all.q, &all.qd, &all.qdd}) *x = Matrix(found.verified, coordinates);
  const double step = found.duration() / (found.verified - 1);
  for (int k = 0; k < found.verified; ++k) {
    const auto row = [&](Matrix& x) {
      return View<double>(x.data() + k * coordinates, coordinates);
    };
    found.sample(trajectory, std::min(k * step, found.duration()), row(all.q), row(all.qd),
                 row(all.qdd));
  }
  return all;
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
    const Limits &has = most[k], &may = task.limits.joints[k];
    uses.push_back(use_of(labels[k], "position", has.lower, has.upper, may.lower, may.upper));
    const auto add = [&](const char* what, double x, double limit) {
      if (std::isfinite(limit)) uses.push_back({labels[k], what, x, limit, x / limit});
    };
    add("velocity", has.velocity, may.velocity);
    add("acceleration", has.acceleration, may.acceleration);
    add("jerk", has.jerk, may.jerk);
  }
  return uses;
}

void add_sampled_uses(const ExcitationTask& task, const std::vector<MotionSamples>& motions,
                      std::vector<LimitUse>& uses) {
  const Model<double>& model = task.model;
  const int n = model.n_v();
  const std::vector<std::string> labels = velocity_labels(model);
  if (task.limits.torques) {
    MotionTorques torques(model);
    Array<double> most(n, 0.0);
    Matrix tau;
    for (const MotionSamples& motion : motions) {
      torques.fill(motion, tau);
      for (int k = 0; k < tau.rows(); ++k)
        for (int i = 0; i < n; ++i) most[i] = std::max(most[i], std::abs(tau(k, i)));
    }
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double limit = task.limits.joints[at].effort;
      if (std::isfinite(limit))
        uses.push_back({labels[at], "torque", most[i], limit, most[i] / limit});
    }
  }
  std::vector<Extremes> frames(task.limits.frames.size());
  KinematicsWorkspace<double> ws(model);
  for (const MotionSamples& motion : motions)
    for (int k = 0; k < motion.q.rows() && !frames.empty(); ++k) {
      forward_kinematics(model, ws, View<const double>(motion.q.data() + k * n, n));
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

  std::vector<MotionSamples> motions;
  for (int r = 0; r < found.size(); ++r) motions.push_back(samples_of(found, r, task.model.n_q()));
  Array<double> width;  // the robot's own
  for (int k = 0; k < task.model.n_v(); ++k) width.push_back(task.model.dof(k).width);
  ExcitationColumns columns(task.model, task.unknowns, width);
  Matrix W, G, all(task.unknowns.size(), task.unknowns.size());
  for (const MotionSamples& motion : motions) {
    columns.fill(motion, W);
    gram(W, G);
    for (int k = 0; k < G.rows() * G.cols(); ++k) all.data()[k] += G.data()[k] / finer;
  }
  const InformationFigures figures = information_figures(all);
  found.condition = figures.condition;
  found.log_det = figures.log_det;
  found.use = joint_uses(task, found);
  add_sampled_uses(task, motions, found.use);
  return found;
}

}  // namespace torsor::internal
