#pragma once
/// Hybrid position and force control of an object that several arms hold.
///
///   u_c = N_c + H_c [x_p_d'' + Kd e_p' + Kp e_p; 0] + f_c_d  Huo 2005, (3-158)
///   u_c^i = H_c^i [...] + N_c^i + f_c_d^i,   tau^i = J~^i^T (E^T u_c^i + F^i)
///   f_c_d^i = W_i^-1 (sum_j W_j^-1)^-1 [0; f_c2_d]  Huo 2005, (3-161)
///   e_p'' + Kd e_p' + Kp e_p = 0,   f_c2 = f_c2_d
///   V = 1/2 |e_p'|^2 + 1/2 e_p^T Kp e_p,   V' = -e_p'^T Kd e_p'
///
/// Assumes   Exact models; rigid grasps; no arm singular at the start and along the reference;
///           surfaces, KF and sampling as hybrid_position_force.hpp; Kp symmetric, Kp and Kd
///           positive definite, of a free object Kp = k I on its rotations.
/// Claim     Both hold identically, whatever fractions, weights and internal wrenches are: these
///           say what goes through the grasps. Arm i gives the object its fraction of the object's
///           own inertial and gravity wrench, E^T f_c_d^i and the internal wrench F^i, and nothing
///           else. f_c2 is the force along the unit rows of E_f: with a contact beside the point of
///           X it is not the normal force (object_task.hpp).
/// Force     With KF the force is f_c2_d + KF int (f_c2_d - f_c2), for models that are not exact.
/// Coordination   X and X' are means of what the arms measure.
/// Joints    Friction, rotors and springs of the believed joints are compensated.
/// Limits    Rigid grasps; no arm singular. V' is exact where x_p has coordinates or is integrated;
///           of a free object with rotations it needs Kp alike for the three of them.
/// Cost      cooperating_arms.hpp.
/// Source    Huo 2005, sec. 3.13 with (3-153) corrected; Uchiyama & Dauchez 1988.
#include "torsor/control/arms/object_task.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct MultiArmHybridGains {
  Gain Kp;    ///< 1/s^2, n_p x n_p
  Gain Kd;    ///< 1/s
  Gain KF{};  ///< 1/s, n_f x n_f, of the integral of the measured force error; empty: none
};

class MultiArmHybrid final : public ControlLaw {
 public:
  /// Throws Error for arms, task or gains that do not fit each other.
  MultiArmHybrid(const Model<double>& model, CooperationOptions arms, ObjectTaskOptions task,
                 MultiArmHybridGains gains);
  MultiArmHybrid(CooperatingArms arms, ObjectTaskOptions task, MultiArmHybridGains gains);

  int n_states() const override { return task_.n_states() + gains_.KF.size(); }
  std::string state_name(int k) const override { return task_.state_name(arms_, k); }
  void reset(Out<double> x_c) override;
  void torque(const ControlInput& input, Out<double> tau) override;
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override;
  Hypotheses hypotheses() const override {
    return {.surface = task_.is_free() ? Hypotheses::Surface::none : Hypotheses::Surface::rigid,
            .loops = true,
            .rotation_gains = task_.is_free()
                                  ? arms_.coordinates(0).rotation_gains({{"Kp", gains_.Kp}})
                                  : std::vector<RotationGain>()};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run&) override {
    return internal::task_predictions(gains_.Kp, gains_.Kd, task_.n_linear());
  }
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  int n_task_errors() const override { return task_.n_p() + task_.n_f(); }
  std::string task_error_name(int k) const override { return task_.error_name(arms_, k); }
  void task_error(const ControlInput& input, Out<double> e) override;

  void check_reference(const ControlReference& reference) const override {
    task_.check_reference(name(), reference);
  }

  const CooperatingArms& arms() const { return arms_; }
  /// Of the last torque: some arm is near a singular configuration, or the compliant frame is lost.
  bool near_singular() const { return near_singular_; }

 private:
  In<double> x_p(In<double> x_c) const { return {x_c.data, task_.n_states()}; }

  CooperatingArms arms_;
  ObjectTask task_;
  MultiArmHybridGains gains_;
  Array<double> qdd_;
  bool near_singular_ = false;
};

namespace internal {

/// Conditions that every law of several arms has: positive fractions, no arm singular at the start
/// and along the reference, and where the object is pressed the surfaces of the run.
std::vector<Condition> cooperation_conditions(ControlLaw& law, CooperatingArms& arms,
                                              ObjectTask& task, const Gain& KF, const Run& run);

}  // namespace internal

}  // namespace torsor
