#pragma once
/// Impedance control of an object that several arms hold: pushed, it answers as a mass with a
/// spring and a damper would.
///
///   X'' = X_d'' + M_d^-1 [B_d e' + K_d e - g],   e = X_d - X,   g: impedance.hpp's three modes
///   u^i = H_x^i X'' + N_x^i + W_i^-1 (sum_j W_j^-1)^-1 f_e,   tau^i = J~^i^T (u^i + F^i)
///
/// Summed over the arms, Huo 2005, (3-155) leaves M_d e'' + B_d e' + K_d e = g; at a set point
/// this is
///   u^i = -H_x^i M_d^-1 [B_d X' + K_d (X - X_d) + f_e] + N_x^i + W_i^-1 (...)^-1 f_e
/// of Huo 2005, exercise 3-24.
///
/// Letters  K_d is a stiffness, as in impedance.hpp.
/// Assumes  Exact models; no arm singular at the start and along the reference; M_d, B_d, K_d
///          symmetric positive definite, K_d = k I on rotations.
/// Claim    The closed loop is the one above, whatever the environment, the fractions, the weights
///          and the internal wrenches F^i (cooperating_arms.hpp); rotations as in impedance.hpp.
///          V = 1/2 e'^T M_d e' + 1/2 e^T K_d e, V' = -e'^T B_d e' + e'^T g.
/// Measured   f_e from the wrench on the object; missing: zero.
/// Reference  x of the task, or pose; f_on_environment: f_d, then internal wrenches.
/// Cost     cooperating_arms.hpp.
/// Source   Huo 2005, exercise 3-24 and section 3.12, corrected.
#include "torsor/control/arms/object_task.hpp"
#include "torsor/control/task/impedance.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

class MultiArmImpedance final : public ControlLaw {
 public:
  /// Throws Error for arms, gains, weights or internal wrenches that do not fit each other. The
  /// task's constraint is not used.
  MultiArmImpedance(CooperatingArms arms, ObjectTaskOptions task, ImpedanceGains gains,
                    ImpedanceMode mode = ImpedanceMode::hogan);
  MultiArmImpedance(const Model<double>& model, CooperationOptions arms, ObjectTaskOptions task,
                    ImpedanceGains gains, ImpedanceMode mode = ImpedanceMode::hogan);

  void torque(const ControlInput& input, Out<double> tau) override;
  Hypotheses hypotheses() const override {
    return {.surface = Hypotheses::Surface::any,
            .loops = true,
            .rotation_gains = arms_.coordinates(0).rotation_gains({{"Kd", gains_.Kd}})};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  int n_task_errors() const override { return task_.n_x(); }
  std::string task_error_name(int k) const override { return task_.error_name(arms_, k); }
  void task_error(const ControlInput& input, Out<double> e) override;
  void check_reference(const ControlReference& reference) const override;

  const CooperatingArms& arms() const { return arms_; }
  bool near_singular() const { return arms_.near_singular(); }

 private:
  /// Errors, f_e and g at a state.
  void evaluate(const ControlState& state, const ControlReference& reference);

  CooperatingArms arms_;
  ObjectTask task_;
  ImpedanceGains gains_;
  TaskMass mass_;
  ImpedanceMode mode_;
  Array<double> qdd_;
  TaskVector f_e_{}, g_{};
};

}  // namespace torsor
