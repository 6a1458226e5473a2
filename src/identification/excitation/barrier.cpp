#include "excitation/barrier.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "torsor/trajectory/configuration_path.hpp"

namespace torsor::internal {
namespace {

/// -log of what is left of a range, and its slope; infinite outside. Nothing for an open range.
struct Wall {
  double value = 0, slope = 0;
};
Wall wall(double x, double lower, double upper) {
  const double share = MotionBarrier::share;
  if (std::isinf(lower) && std::isinf(upper)) return {};
  if (std::isinf(lower) || std::isinf(upper)) {
    const double way = std::isinf(upper) ? 1 : -1, left = way > 0 ? x - lower : upper - x;
    if (!(left > 0)) return {infinity, 0};
    return {-std::log(left), -way / left};
  }
  const double half = share * (upper - lower) / 2, u = (x - (lower + upper) / 2) / half;
  if (!(std::abs(u) < 1)) return {infinity, 0};
  return {-std::log1p(-u * u), 2 * u / ((1 - u * u) * half)};
}

/// Whether a coordinate of the frame's origin depends on the configuration.
bool moves(const Model<double>& model, const Frame& frame, int axis,
           const std::vector<Limits>& limits) {
  KinematicsWorkspace<double> ws(model);
  Array<double> J(6 * model.n_v()), q(model.n_q());
  std::mt19937 random(1);
  double most = 0;
  for (int trial = 0; trial < 3; ++trial) {
    for (std::size_t k = 0; k < limits.size(); ++k) {
      const double share = static_cast<double>(random()) / 4294967296.0;
      const bool bounded = std::isfinite(limits[k].upper - limits[k].lower);
      q[k] = bounded ? limits[k].lower + (limits[k].upper - limits[k].lower) * share : share;
    }
    jacobian(model, ws, q, frame, Reference::world_aligned, column_major(J.data(), 6, model.n_v()));
    for (int k = 0; k < model.n_v(); ++k) most = std::max(most, std::abs(J[6 * k + 3 + axis]));
  }
  return most > 1e-9;
}

}  // namespace

MotionLimits::MotionLimits(const Model<double>& model, const ExcitationOptions& options)
    : joints(options.limits.empty() ? coordinate_limits(model) : options.limits) {
  for (const Limits& l : joints) torques = torques || std::isfinite(l.effort);
  for (const WorkspaceBox& box : options.boxes)
    for (int axis = 0; axis < 3; ++axis)
      if (std::isfinite(box.lower[axis]) || std::isfinite(box.upper[axis]))
        frames.push_back(
            {model.frame(box.frame), axis, box.lower[axis], box.upper[axis], box.frame});
  if (!std::isfinite(options.floor)) return;
  for (const Frame& frame : model.frames()) {
    const bool again = std::any_of(frames.begin(), frames.end(), [&](const FrameBound& other) {
      return other.upper == infinity && other.lower == options.floor &&
             other.frame.body == frame.body &&
             norm(other.frame.placement.p - frame.placement.p) < 1e-9;
    });
    if (frame.body > 0 && !again && moves(model, frame, 2, joints))
      frames.push_back({frame, 2, options.floor, infinity, frame.name});
  }
}

MotionBarrier::MotionBarrier(const Model<double>& model, const MotionLimits& limits,
                             const Array<int>& driven)
    : model_(&model), limits_(&limits), driven_(driven), kinematics_(model), J_(6 * model.n_v()) {
  if (limits.torques) torques_.emplace(model);
}

double MotionBarrier::add(const MotionSamples& motion, double factor, MotionSamples& bar,
                          const LoopMotion::Ratios* G, LoopMotion::Ratios* bar_G) {
  const int samples = motion.q.rows(), n = motion.q.cols();
  const double part = factor / samples;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const Limits& l = limits_->joints[static_cast<std::size_t>(i)];
    for (int k = 0; k < samples; ++k) {
      const Wall q = wall(motion.q(k, i), l.lower, l.upper),
                 v = wall(motion.qd(k, i), -l.velocity, l.velocity),
                 a = wall(motion.qdd(k, i), -l.acceleration, l.acceleration),
                 j = wall(motion.jerk(k, i), -l.jerk, l.jerk);
      sum += q.value + v.value + a.value + j.value;
      bar.q(k, i) += part * q.slope, bar.qd(k, i) += part * v.slope;
      bar.qdd(k, i) += part * a.slope, bar.jerk(k, i) += part * j.slope;
    }
  }
  double value = sum * part;
  if (std::isfinite(value)) value += add_frames(motion, part, bar);
  if (std::isfinite(value)) value += add_torques(motion, part, bar, G, bar_G);
  return value;
}

double MotionBarrier::add_frames(const MotionSamples& motion, double part, MotionSamples& bar) {
  if (limits_->frames.empty()) return 0;
  const int n = model_->n_v();
  double sum = 0;
  for (int k = 0; k < motion.q.rows(); ++k) {
    const View<const double> q(motion.q.data() + k * n, n);
    forward_kinematics(*model_, kinematics_, q);
    for (const FrameBound& bound : limits_->frames) {
      const Wall w =
          wall(frame_pose(kinematics_, bound.frame).p[bound.axis], bound.lower, bound.upper);
      sum += w.value;
      if (!std::isfinite(sum)) return sum;
      jacobian_of_pose(*model_, kinematics_, q, bound.frame, Reference::world_aligned,
                       column_major(J_.data(), 6, n));
      for (int i = 0; i < n; ++i) bar.q(k, i) += part * w.slope * J_[6 * i + 3 + bound.axis];
    }
  }
  return part * sum;
}

double MotionBarrier::add_torques(const MotionSamples& motion, double part, MotionSamples& bar,
                                  const LoopMotion::Ratios* G, LoopMotion::Ratios* bar_G) {
  if (!torques_) return 0;
  const int samples = motion.q.rows(), n = motion.q.cols();
  torques_->fill(motion, tau_);
  if (b_.rows() != samples) b_ = Matrix(samples, n);
  double sum = 0;
  for (int k = 0; k < samples; ++k) {
    if (G == nullptr) {
      for (int i = 0; i < n; ++i) {
        const double most = limits_->joints[static_cast<std::size_t>(i)].effort;
        const Wall w = wall(tau_(k, i), -most, most);
        sum += w.value;
        b_(k, i) = part * w.slope;
      }
      continue;
    }
    // The motors of a robot with loops carry G^T tau.
    const auto at = static_cast<std::size_t>(k);
    for (int v = 0; v < n; ++v) b_(k, v) = 0;
    for (int j = 0; j < driven_.size(); ++j) {
      const double most = limits_->joints[static_cast<std::size_t>(driven_[j])].effort;
      double torque = 0;
      for (int v = 0; v < n; ++v) torque += (*G)[at](v, j) * tau_(k, v);
      const Wall w = wall(torque, -most, most);
      sum += w.value;
      for (int v = 0; v < n; ++v) {
        b_(k, v) += part * w.slope * (*G)[at](v, j);
        (*bar_G)[at](v, j) += part * w.slope * tau_(k, v);
      }
    }
  }
  if (std::isfinite(sum)) torques_->add_gradient(motion, b_, bar);
  return part * sum;
}

}  // namespace torsor::internal
