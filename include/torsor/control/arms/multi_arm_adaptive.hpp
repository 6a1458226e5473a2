#pragma once
/// Hybrid position and force control of an object in several hands, with masses that are not known.
///
///   x_r' = [x_p_d' + Lambda e_p; 0],   s = x_r' - x_c',   J~^i qd_r^i = E^-1 x_r'
///   J~^i qdd_r^i = E^-1 x_r'' + (E^-1)' x_r' - J~^i' qd_r^i
///   tau^i = Y^i(q, qd, qd_r, qdd_r) p_hat^i + J~^i^T (E^T f^i + F^i)
///   f^i = W_i^-1 (sum_j W_j^-1)^-1 [Ks s_p; f_c2_d + KF int (f_c2_d - f_c2)]
///   p_hat' = Gamma^-1 Y^T s_q,   s_q = qd_r - qd
///   V = 1/2 s_q^T H s_q + 1/2 p~^T Gamma p~,   V' = -s_p^T Ks s_p
///
/// p_hat^i are parameters of arm i with its share of the object (grasp.hpp): "hand_2.m" holds what
/// hand 2 and its share weigh. All arms adapt at once; forces through the grasps and contact forces
/// do no work on s, because all arms move the object as one and E_f s = 0.
///
/// Assumes  As multi_arm_hybrid.hpp, but for the model: a plant that p can say; Lambda and Ks
///          positive definite; bounded rates of the reference.
/// Claim    e_p -> 0 without the masses of arms and object. The contact force is bounded; its error
///          is the mismatch d(t) of the estimates along E_f, or at most sup |d'| / KF in the end
///          with a force that is measured. Neither need vanish: p~ need not fall.
/// Joints   Friction, rotors and springs are those of the model where the set does not name them.
/// Arms     As many joints as coordinates of the task: a redundant arm is refused.
/// States   p_hat, x_p where it is integrated, the integral of the force error where KF is.
/// Cost     cooperating_arms.hpp with two solutions for each arm; O(n) for Y p_hat and Y^T s_q.
/// Source   Huo 2005, exercises 3-22 and 3-25.
#include "torsor/control/arms/object_task.hpp"
#include "torsor/control/kinetic_form.hpp"
#include "torsor/control/uncertain/adaptation.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct MultiArmAdaptiveGains {
  Gain Lambda;  ///< 1/s, n_p x n_p
  Gain Ks;      ///< N s / m, n_p x n_p
  Gain KF{};    ///< 1/s, n_f x n_f; empty: no force is measured
};

class MultiArmAdaptive final : public ControlLaw {
 public:
  /// Throws Error for arms, task, gains or parameters that do not fit each other.
  MultiArmAdaptive(CooperatingArms arms, ObjectTaskOptions task, MultiArmAdaptiveGains gains,
                   AdaptationOptions adaptation);
  MultiArmAdaptive(const Model<double>& model, CooperationOptions arms, ObjectTaskOptions task,
                   MultiArmAdaptiveGains gains, AdaptationOptions adaptation);

  int n_states() const override { return adaptation_.size() + task_.n_states() + gains_.KF.size(); }
  std::string state_name(int k) const override {
    const int own = k - adaptation_.size();
    return own < 0 ? adaptation_.name(k) : task_.state_name(arms_, own);
  }
  void reset(Out<double> x_c) override;
  void torque(const ControlInput& input, Out<double> tau) override;
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override;
  Hypotheses hypotheses() const override {
    return {.knowledge = Hypotheses::Knowledge::stated,
            .friction = Hypotheses::Friction::stated,
            .surface = task_.is_free() ? Hypotheses::Surface::none : Hypotheses::Surface::rigid,
            .loops = true,
            .held_states = adaptation_.size()};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  int n_task_errors() const override { return task_.n_p() + task_.n_f(); }
  std::string task_error_name(int k) const override { return task_.error_name(arms_, k); }
  void task_error(const ControlInput& input, Out<double> e) override;
  void check_reference(const ControlReference& reference) const override {
    task_.check_reference(name(), reference);
  }

  const CooperatingArms& arms() const { return arms_; }
  Adaptation& adaptation() { return adaptation_; }
  bool near_singular() const { return arms_.near_singular(); }

 private:
  In<double> x_p(In<double> x_c) const { return {x_c.data + adaptation_.size(), task_.n_states()}; }
  /// s, qd_r, qdd_r and s_q at a state.
  void refer(const ControlInput& input);
  /// The plant with the object in its hands' shares; made when the plant is another one.
  const Model<double>& partition_of(const Model<double>& plant);

  CooperatingArms arms_;
  ObjectTask task_;
  MultiArmAdaptiveGains gains_;
  Adaptation adaptation_;
  MomentumWorkspace<double> momentum_;
  Array<double> qd_r_, qdd_r_, s_q_, y_;
  TaskVector s_{};
  Array<double> plant_inertial_;
  Array<Model<double>> plant_partition_;  // one, or none yet
};

}  // namespace torsor
