#pragma once
/// Parts of a law in lanes: what joints take of its torque, and its gains.
#include "lane_model.hpp"
#include "rollout.hpp"

namespace torsor::internal {

/// tau += friction, springs, less disturbances, of joints with one coordinate for each velocity.
template <class P>
void add_lane_joints(const LaneModel<double>& model, const Effects& effects, In<P> q, In<P> qd,
                     Out<P> tau) {
  for (int k = 0; k < tau.size; ++k) {
    const DofConstants<P>& dof = model.dof(k);
    if (effects.friction) tau[k] = tau[k] + friction_torque(dof, qd[k]);
    if (effects.springs) tau[k] = tau[k] + (q[k] - dof.rest) * dof.stiffness;
    if (effects.disturbance) tau[k] = tau[k] - dof.disturbance;
  }
}

/// A gain (control/gain.hpp) of every lane.
template <class P>
class LaneGain {
 public:
  LaneGain() = default;
  LaneGain(const FixedArray<const Gain*, most_lanes>& of, int n) : n_(n), K_(n * n, P(0)) {
    for (int k = 0; k < n * n; ++k)
      for (int l = 0; l < lane_count<double>; ++l) {
        const Gain& gain = *of[l];
        full_ = full_ || !gain.is_diagonal();
        put<double>(K_[k], l, gain(k / n, k % n));
      }
  }
  /// y += K x.
  void add_product(In<P> x, Out<P> y) const {
    each([&](int r, int c, const P& K) { y[r] = y[r] + K * x[c]; });
  }
  /// x^T K x.
  P quadratic(In<P> x) const {
    P sum(0);
    each([&](int r, int c, const P& K) { sum = sum + K * x[r] * x[c]; });
    return sum;
  }

 private:
  template <class Function>
  void each(Function f) const {
    for (int r = 0; r < n_; ++r)
      for (int c = full_ ? 0 : r; c < (full_ ? n_ : r + 1); ++c) f(r, c, K_[r * n_ + c]);
  }
  int n_ = 0;
  bool full_ = false;
  AlignedArray<P> K_;
};

}  // namespace torsor::internal
