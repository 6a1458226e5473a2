#pragma once
/// Operational space control: the point moves as a unit mass, redundant joints on their own.
///
///   x'' = x_d'' + Kd e' + Kp e,                              e = x_d - x
///   tau = J^T (Lambda x'' + mu + p) + (1 - J^T Jbar^T) tau_0
///   tau_0 = C qd + g + M (kp_null (q_n - q) - kd_null qd)    damping and posture, if there is one
///
/// The null space is dynamically consistent: whatever tau_0 is, the task does not feel it.
///
/// Assumes  The exact model; J not singular at the start and along the reference; Kp symmetric, Kp
///          and Kd positive definite, Kp = k I on a rotation; damping = 0.
/// Claim    Of positions and planar angles e'' + Kd e' + Kp e = 0, whatever the other joints do. Of
///          a rotation w~' = -Kd w~ - k e with e = log(R_d R^T), w~ = w_d - w, which is not the
///          rate of e: not linear, and from 1/2 |w~|^2 + k/2 |e|^2 < k pi^2 / 2 at the start alone.
///          V = 1/2 |e'|^2 + 1/2 e^T Kp e, V' = -e'^T Kd e'. About the motion of redundant joints
///          nothing is claimed.
/// Evaluated  J at the start and at sampled postures along the reference.
/// Singular   What the task cannot move gets no force; near_singular() says so after each torque.
///            `damping` > 0 keeps Lambda finite on the way there and is not exact.
/// Task     Positions of a point, with none, planar or rotation angles (task_coordinates.hpp).
/// Reference   x of the task, or pose.
/// Cost     Lambda from M^-1 J^T in O(n m), singular values of a 6 x 6 matrix.
/// Source   Khatib 1987; dynamics/operational.hpp.
#include "torsor/control/gain.hpp"
#include "torsor/control/task/task_coordinates.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/operational.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct OperationalSpaceOptions {
  TaskCoordinateOptions task;
  Gain Kp, Kd;            ///< 1/s^2, 1/s
  double kp_null = 0;     ///< 1/s^2, towards the posture
  double kd_null = 0;     ///< 1/s
  Array<double> posture;  ///< q_n, n_q numbers; empty: none
  double damping = 0;     ///< of Lambda, dynamics/operational.hpp
  Effects effects{};
};

class OperationalSpace final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for Euler angles, gains or a posture of another size.
  OperationalSpace(const Model<double>& model, OperationalSpaceOptions options);

  void torque(const ControlInput& input, Out<double> tau) override;
  Hypotheses hypotheses() const override {
    return {.rotation_gains = task_.rotation_gains({{"Kp", options_.Kp}})};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  int n_task_errors() const override { return task_.size(); }
  std::string task_error_name(int k) const override { return task_.names()[k]; }
  void task_error(const ControlInput& input, Out<double> e) override;
  void check_reference(const ControlReference& reference) const override;

  TaskCoordinates& task() { return task_; }
  bool near_singular() const { return !result_; }
  /// Lambda, mu, p, J and Jbar of the last torque.
  const OperationalDynamics<double>& dynamics() const { return dynamics_; }

 private:
  OperationalSpaceOptions options_;
  TaskCoordinates task_;
  OperationalTask rows_;
  OperationalWorkspace<double> operational_;
  OperationalDynamics<double> dynamics_;
  OperationalResult result_{};
  CrbaWorkspace<double> crba_;
  Array<double> M_, a_, tau_0_;
};

}  // namespace torsor
