#pragma once
/// One call of a verb as kernels get it. Arrays are by number: number k of state s at [k count + s].

namespace torsor::internal {

/// Numbers of a thread's ColumnMemory for n joints.
constexpr int slope_numbers(int n) { return (n > 2 ? 20 * (n - 2) : 0) + n + 2; }

/// A reference that moves from where the rollout starts, `from`, to `goal` in `duration` seconds by a
/// quintic, and stays there; and the law that follows it.
template <class Real>
struct DeviceLaw {
  const Real *from, *goal;  ///< coordinates
  const Real *kp, *kd;      ///< of every velocity, the same for all states
  Real duration, time, step;
  int steps, substeps;
  int computed_torque;  ///< else PD
  int gravity;          ///< of PD: the torques that hold the robot are added
};

template <class Real>
struct DeviceJob {
  long long count;
  const Real *q, *qd, *third;  ///< null: zero
  Real* out[3];                ///< null: not wanted
  unsigned long long* unanswered;
  int packed;  ///< of M and its inverse: the lower triangle by rows alone
  DeviceLaw<Real> law;
};

}  // namespace torsor::internal
