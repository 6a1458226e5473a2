#pragma once
/// Impedance control: the point answers forces as a mass with a spring and a damper would.
///
///   X'' = X_d'' + M_d^-1 [B_d e' + K_d e - g],   e = X_d - X
///   u = H_x X'' + N_x + f_e,   tau = J~^T u           as coded: ID(q, qd, qdd) + J~^T f_e
///
///   ImpedanceMode    g            closed loop, in e
///   hogan            f_e          M_d e'' + B_d e' + K_d e = f_e: the intended relation
///   force_tracking   f_e - f_d    the same, at rest where f_e = f_d + K_d e
///   book             f_d          as printed: the measured force is cancelled and never shapes the
///                                 motion; on a rigid wall the force is then indeterminate
///
/// Letters  M_d, B_d, K_d as Hogan has them: K_d is a stiffness here, no derivative gain.
/// Assumes  The exact model, exact f_e; J~ not singular at the start and along the reference; M_d,
///          B_d, K_d symmetric positive definite, K_d = k I on a rotation.
/// Claim    The closed loop is the one above, whatever the environment; of a rotation, where
///          e = log(R_d R^T) and e' stands for w_d - w, it is not linear, and holds while the angle
///          is below pi (without contact: from V < k pi^2 / 2).
///          V = 1/2 e'^T M_d e' + 1/2 e^T K_d e,
///          V' = -e'^T B_d e' + e'^T g: decay, and the work of the contact.
///          Without contact and with M_d = I it is task-space computed torque.
/// Measured   f_e from F_contact on the frame's body; missing: zero.
/// Sampled  On a rigid surface f is one period old, f <- (1 - m / M_d) f + ...: bounded for a mass
///          m of the plant there below 2 M_d.
/// Reference   x of the task, or pose; f_on_environment: f_d, as many numbers as X.
/// Cost     Inverse dynamics and one solution with J~ (task_solver.hpp).
/// Source   Hogan 1985; Huo 2005, sec. 3.12, corrected.
#include "torsor/control/gain.hpp"
#include "torsor/control/task/task_solver.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

enum class ImpedanceMode : unsigned char { hogan, force_tracking, book };

struct ImpedanceGains {
  Gain Md, Bd, Kd;  ///< of X: kg, N s / m, N / m; kg m^2, ... for angles
};

/// M_d^-1 of a task, up to six rows.
class TaskMass {
 public:
  /// Throws Error, naming the law, where Md cannot be inverted.
  TaskMass(const char* law, const Gain& Md);
  /// y += Md^-1 x.
  void add_inverse_product(In<double> x, Out<double> y) const;

 private:
  int n_;
  double inverse_[36]{};
};

class ImpedanceControl final : public ControlLaw {
 public:
  bool feels_contact() const override { return true; }
  /// `model` outlives the law. Throws Error for gains of another size.
  ImpedanceControl(const Model<double>& model, TaskCoordinateOptions task, ImpedanceGains gains,
                   ImpedanceMode mode = ImpedanceMode::hogan, Effects effects = {});

  void torque(const ControlInput& input, Out<double> tau) override;
  Hypotheses hypotheses() const override {
    return {.surface = Hypotheses::Surface::any,
            .rotation_gains = task_.rotation_gains({{"Kd", gains_.Kd}})};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  int n_task_errors() const override { return task_.size(); }
  std::string task_error_name(int k) const override { return task_.names()[k]; }
  /// X_d - X.
  void task_error(const ControlInput& input, Out<double> e) override;
  void check_reference(const ControlReference& reference) const override;

  TaskCoordinates& task() { return task_; }
  bool near_singular() const { return solver_.near_singular(); }

 private:
  /// g of the header, and f_e.
  void forces(const ControlInput& input);

  TaskCoordinates task_;
  ImpedanceGains gains_;
  TaskMass mass_;
  ImpedanceMode mode_;
  Effects effects_;
  TaskSolver solver_;
  DynamicsWorkspace<double> ws_;
  Array<double> qdd_;
  TaskVector f_e_{}, g_{};
  double null_damping_ = 0;
};

namespace internal {

/// `mode` of a law's parameters; hogan where it is missing.
ImpedanceMode impedance_mode(LawParameters& parameters);
/// Symmetry and definiteness of the three.
std::vector<Condition> impedance_conditions(const ImpedanceGains& gains);
/// Throws Error, naming the law, for x, its rates or forces of another size than the task, and for
/// a reference with neither x nor pose.
void check_task_reference(const char* law, const TaskCoordinates& task,
                          const ControlReference& reference);

}  // namespace internal

}  // namespace torsor
