#pragma once
/// Motion through several poses at given times: stopping at each, or rounding the corners.
///
///   T(t) = T_0 E_1 E_2 ... E_m,   E_i = exp(b_i(t) X_i),   X_i = log(T_{i-1}^-1 T_i)
///   V    = Ad_inv(E_i) V  + X_i b_i'                    for each i in turn; b_i goes from 0 to 1
///   V'   = Ad_inv(E_i) V' + ad(V, X_i) b_i' + X_i b_i''
///
/// stop    b_i = 10 x^3 - 15 x^4 + 6 x^5, x = (t - t_{i-1}) / h_i: every pose is met exactly, at
///         rest.
/// blend   b_i' is 1 / h_i, risen and fallen by 3 y^2 - 2 y^3 over a window of `blend` seconds
///         around each time, where E_i and E_{i+1} overlap. The ends are met exactly and at rest;
///         inner poses are passed at 3/32 blend / h_i before and 3/32 blend / h_{i+1} after them
///         along the screws. The windows of the ends make the motion `blend` seconds longer than
///         the last time.
/// The twist is continuous with its first derivative in both. Straight: positions add up in the
/// frame of the poses, and the same products run on SO(3).
///
/// Cost     sample: at most two exponentials and a binary search; no allocation.
/// Source   Kim, Kim & Shin 1995 (cumulative form); the windows are derived here.
#include "torsor/trajectory/se3_path.hpp"

namespace torsor {

enum class PoseInterpolation : unsigned char { screw, straight };

template <class Param = double>
class PosePath {
 public:
  /// `blend` 0: stop at each pose. The planner below checks what it passes.
  PosePath(const std::vector<double>& times, std::vector<SE3<Param>> poses,
           PoseInterpolation interpolation, double blend)
      : interpolation_(interpolation), half_(blend / 2), times_(times), poses_(std::move(poses)) {
    for (double& t : times_) t += half_;
    for (std::size_t k = 0; k + 1 < poses_.size(); ++k) {
      const SE3<Param>&T0 = poses_[k], &T1 = poses_[k + 1];
      steps_.push_back(interpolation == PoseInterpolation::screw
                           ? log(inverse_times(T0, T1))
                           : Twist<Param>{log(transpose_times(T0.R, T1.R)), T1.p - T0.p});
    }
  }

  double duration() const { return times_.back() + half_; }
  const std::vector<SE3<Param>>& poses() const { return poses_; }

  template <class Real>
  PoseMotion<Prod<Param, Real>> sample(const Real& time) const {
    using Result = Prod<Param, Real>;
    const Result t(time);
    const double x = static_cast<double>(value_of(t));
    // The last segment that has begun; the one before it may still be ending.
    std::size_t last = 0, above = steps_.size();
    while (above - last > 1) {
      const std::size_t middle = (last + above) / 2;
      (times_[middle] - half_ <= x ? last : above) = middle;
    }
    const std::size_t first = last > 0 ? last - 1 : 0;
    PoseMotion<Result> m;
    m.T = poses_[first].template cast<Result>();
    Vec3<Result> v{}, a{};  // of the origin, in the frame of the poses
    for (std::size_t k = first; k <= last; ++k) {
      const Step<Result> b = step(k, t);
      if (interpolation_ == PoseInterpolation::screw) {
        const SE3<Result> E = exp(steps_[k] * b.value);
        m.T = m.T * E;
        m.V = Ad_inv(E, m.V) + steps_[k] * b.rate;
        m.Vdot = Ad_inv(E, m.Vdot) + ad(m.V, steps_[k]) * b.rate + steps_[k] * b.acceleration;
      } else {
        const Vec3<Param>&w = steps_[k].w, &p = steps_[k].v;
        const SO3<Result> E = exp(w * b.value);
        m.T = {m.T.R * E, m.T.p + p * b.value};
        m.V.w = transpose_times(E, m.V.w) + w * b.rate;
        m.Vdot.w = transpose_times(E, m.Vdot.w) + cross(m.V.w, w) * b.rate + w * b.acceleration;
        v += p * b.rate;
        a += p * b.acceleration;
      }
    }
    if (interpolation_ == PoseInterpolation::straight) {
      m.V.v = transpose_times(m.T.R, v);
      m.Vdot.v = transpose_times(m.T.R, a) - cross(m.V.w, m.V.v);
    }
    return m;
  }

 private:
  template <class Result>
  struct Step {
    Result value{}, rate{}, acceleration{};
  };

  /// x clamped to [0, 1]: constant outside.
  template <class Result>
  static Result clamped(const Result& x) {
    return select(x < Result(0), Result(0), select(x > Result(1), Result(1), x));
  }
  /// The integral of the smooth step of width 2 half around zero, with two derivatives.
  template <class Result>
  Step<Result> ramp(const Result& u) const {
    const double width = 2 * half_;
    const Result y = clamped(Result((u + half_) / width)), one(1), two(2), three(3), six(6);
    const Result beyond = select(u > Result(half_), u - half_, Result(0));
    return {y * y * y * (one - y / two) * width + beyond, y * y * (three - two * y),
            six * y * (one - y) / width};
  }
  template <class Result>
  Step<Result> step(std::size_t k, const Result& t) const {
    const double h = times_[k + 1] - times_[k];
    if (half_ > 0) {
      const Step<Result> up = ramp(Result(t - times_[k])), down = ramp(Result(t - times_[k + 1]));
      return {(up.value - down.value) / h, (up.rate - down.rate) / h,
              (up.acceleration - down.acceleration) / h};
    }
    const Result x = clamped(Result((t - times_[k]) / h)), r = Result(1) - x;
    return {x * x * x * (Result(10) - x * (Result(15) - x * Result(6))),
            x * x * r * r * Result(30 / h), x * r * (r - x) * Result(60 / (h * h))};
  }

  PoseInterpolation interpolation_;
  double half_;
  std::vector<double> times_;  // in the middle of the windows
  std::vector<SE3<Param>> poses_;
  std::vector<Twist<Param>> steps_;
};

/// Through poses[k] at times[k] (plus blend / 2). `blend`, in seconds, may not exceed the shortest
/// segment; 0 stops at each pose. Times and poses are checked; throws Error.
PosePath<double> pose_path(const std::vector<double>& times, std::vector<SE3<double>> poses,
                           double blend = 0,
                           PoseInterpolation interpolation = PoseInterpolation::screw);

}  // namespace torsor
