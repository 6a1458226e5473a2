#pragma once
/// Hybrid position and force control of a point on a constraint.
///
///   u_c = N_c + [H_11; H_21] (x_p^d'' + Kd e_p' + Kp e_p) + [0; f_c2^d]
///                                                                       Huo 2005, (3-143), (3-144)
///   tau = J~^T E^T u_c
///
/// as coded, without H_c: tau = ID(q, qd, qdd*) + J~^T E^T [0; f], f = f^d + KF int (f^d - f_c2),
///   J~ qdd* = E^T [x_p^d'' + Kd e_p' + Kp e_p; 0] + E'^T x_c' - J~' qd
///
/// Assumes  The exact model; rigid surfaces without friction that are those of the constraint, in
///          contact from the start and pressed (or bilateral); J~ not singular along the reference;
///          Kp symmetric, Kp and Kd positive definite.
/// Claim    e_p'' + Kd e_p' + Kp e_p = 0 and f_c2 = f_c2^d identically; no force is measured.
///          V = 1/2 |e_p'|^2 + 1/2 e_p^T Kp e_p, V' = -e_p'^T Kd e_p'.
/// Force    KF (1/s; 0: none) integrates the measured error, for models that are not exact: with a
///          mismatch d(t) along the force e_f' + KF e_f = -d', so that e_f -> 0 where d is constant
///          and |e_f| <= sup |d'| / KF in the end.
/// Soft     On a surface with stiffness k and damping c nothing of this is claimed, and KF needs
///          c (k + KF c) > m KF k (Routh): without damping every KF > 0 is unstable.
/// Sampled  The integral, and x_p where it is integrated, are stepped once a period T; the force of
///          a rigid surface is one period old, so that KF T < 1.
/// Evaluated  At the start and at sampled postures along the reference.
///          pulling() says after each torque whether a force is commanded, and after each
///          state_derivative whether one is measured, that a one-sided contact cannot give.
/// Limits   Friction, impact and the loss of contact are outside the law.
/// Reference   x (hybrid_task.hpp), f_on_environment: n_force numbers.
/// Errors   task_error: e_p, then f_c2^d - f_c2.
/// Cost     Inverse dynamics and one solution with J~ (task_solver.hpp).
/// Source   Yoshikawa 1987; Huo 2005, sec. 3.12.
#include "torsor/control/task/hybrid_task.hpp"
#include "torsor/control/task/task_solver.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/minverse_times.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct HybridGains {
  Gain Kp, Kd;  ///< of x_p, n_position: 1/s^2, 1/s
  Gain KF{};    ///< of forces, n_force: 1/s; empty: no force is measured
};

class HybridPositionForce final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size.
  HybridPositionForce(const Model<double>& model, HybridTaskOptions options, HybridGains gains,
                      Effects effects = {});

  int n_states() const override { return task_.n_states() + gains_.KF.size(); }
  std::string state_name(int k) const override {
    const int force = k - task_.n_states();
    return force < 0 ? task_.state_name(k)
                     : "integral." + task_.error_name(task_.n_position() + force);
  }
  void reset(Out<double> x_c) override;
  void torque(const ControlInput& input, Out<double> tau) override;
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override;
  Hypotheses hypotheses() const override {
    std::vector<RotationGain> turning;
    if (const int first = task_.first_rotation(); first >= 0)
      turning.push_back({"Kp", gains_.Kp, first});
    return {.surface = Hypotheses::Surface::rigid, .rotation_gains = std::move(turning)};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run&) override {
    return internal::task_predictions(gains_.Kp, gains_.Kd, task_.n_linear());
  }
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  int n_task_errors() const override { return task_.n(); }
  std::string task_error_name(int k) const override { return task_.error_name(k); }
  void task_error(const ControlInput& input, Out<double> e) override;
  void check_reference(const ControlReference& reference) const override {
    task_.check_reference(name(), reference);
  }

  HybridTask& task() { return task_; }
  bool pulling() const { return pulling_; }
  bool near_singular() const { return inverse_.near_singular(); }

 private:
  In<double> x_p(In<double> x_c) const { return {x_c.data, task_.n_states()}; }

  HybridTask task_;
  HybridGains gains_;
  Effects effects_;
  TaskSolver inverse_;
  DynamicsWorkspace<double> ws_;
  Array<double> qdd_;
  double null_damping_ = 0;
  bool pulling_ = false;
};

struct ConstraintForceWorkspace {
  DynamicsWorkspace<double> dynamics;
  MinverseTimesWorkspace<double> minverse;
  Array<double> qdd, columns, rows;

  explicit ConstraintForceWorkspace(const Model<double>& model)
      : dynamics(model),
        minverse(model),
        qdd(model.n_v()),
        columns(6 * qdd.size()),
        rows(columns.size()) {}
};

/// f_c2 that the constraint takes under tau: Huo 2005, (3-136), (3-138) without H_c,
///   f_c2 = (A H_c^-1 A^T)^-1 A H_c^-1 (u_c - N_c),   H_c^-1 = E J~ H^-1 J~^T E^T,
///   H_c^-1 (u_c - N_c) = x_c'' of the robot without the constraint.
/// `task` is evaluated at the same state. False: the constraint cannot be kept (singular).
[[nodiscard]] bool constraint_force(const Model<double>& model, ConstraintForceWorkspace& ws,
                                    const HybridTask& task, In<double> q, In<double> qd,
                                    In<double> tau, Out<double> f, const Effects& effects = {});

}  // namespace torsor
