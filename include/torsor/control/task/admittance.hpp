#pragma once
/// Admittance control: the measured force moves a virtual mass, and a stiff position loop follows.
///
///   M_d z'' + B_d z' + K_d z = f_d - f_e,    X_v = X_d + z                   states z, z'
///   X'' = X_v'' + Kv (X_v' - X') + Kp (X_v - X),   tau = ID(q, qd, qdd) + J~^T f_e
///
/// The order of impedance control turned round: impedance measures motion and gives force, this
/// measures force and gives motion, so that the inner loop may be as stiff as the robot allows. The
/// mass starts on the reference, at rest (z = z' = 0).
///
/// Assumes  As impedance.hpp; Kp symmetric, Kp and Kv positive definite, Kp = k I on a rotation.
/// Claim    The inner error d = X_v - X of positions decays by d'' + Kv d' + Kp d = 0:
///          V = 1/2 |d'|^2 + 1/2 d^T Kp d, V' = -d'^T Kv d', and then X moves as the impedance
///          (hogan, or force_tracking with f_d) says. Rotations: to first order in z.
/// Sampled  z and z' are stepped once a period; on a rigid surface as impedance.hpp.
/// Measured   f_e from F_contact on the frame's body; missing: zero.
/// Reference, cost, source   As impedance.hpp; Seraji 1994.
#include "torsor/control/task/impedance.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct AdmittanceGains {
  ImpedanceGains virtual_mass;
  Gain Kp, Kv;  ///< of X: 1/s^2, 1/s
};

class Admittance final : public ControlLaw {
 public:
  bool feels_contact() const override { return true; }
  /// `model` outlives the law. Throws Error for gains of another size.
  Admittance(const Model<double>& model, TaskCoordinateOptions task, AdmittanceGains gains,
             Effects effects = {});

  int n_states() const override { return 2 * task_.size(); }
  /// z = X_v - X_d and z'.
  std::string state_name(int k) const override {
    const int n = task_.size();
    return k < n ? "offset." + task_.names()[k] : "offset_rate." + task_.names()[k - n];
  }
  void torque(const ControlInput& input, Out<double> tau) override;
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override;
  Hypotheses hypotheses() const override {
    return {.surface = Hypotheses::Surface::any,
            .rotation_gains =
                task_.rotation_gains({{"Kd", gains_.virtual_mass.Kd}, {"Kp", gains_.Kp}})};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  int n_task_errors() const override { return task_.size(); }
  std::string task_error_name(int k) const override { return task_.names()[k]; }
  /// X_v - X: what the inner loop leaves.
  void task_error(const ControlInput& input, Out<double> e) override;
  void check_reference(const ControlReference& reference) const override {
    internal::check_task_reference(name(), task_, reference);
  }

  TaskCoordinates& task() { return task_; }

 private:
  /// Errors of the inner loop with X_v'' as their acceleration; fills f_e.
  TaskError inner(const ControlInput& input);
  /// z''.
  TaskVector virtual_acceleration(In<double> x_c, const ControlReference& reference) const;

  TaskCoordinates task_;
  AdmittanceGains gains_;
  TaskMass mass_;
  Effects effects_;
  TaskSolver solver_;
  DynamicsWorkspace<double> ws_;
  Array<double> qdd_;
  TaskVector f_e_{};
  double null_damping_ = 0;
};

}  // namespace torsor
