#pragma once
/// Adaptive hybrid position and force control: the robot's parameters are estimated on the way.
///
///   x_r' = [x_p^d' + Lambda e_p; 0],   qd_r = J~^-1 E^T x_r'
///   qdd_r = J~^-1 (E^T x_r'' + E'^T x_r' - J~' qd_r),   s = x_r' - x_c'
///   tau = Y(q, qd, qd_r, qdd_r) p_hat + J~^T E^T (Ks s + [0; f^d + KF int (f^d - f_c2)])
///   p_hat' = Gamma^-1 Y^T (qd_r - qd)
///   V = 1/2 (qd_r - qd)^T H (qd_r - qd) + 1/2 p~^T Gamma p~,   V' = -s^T Ks s
///
/// Assumes  As hybrid_position_force.hpp, but for the model: a plant that p can say; Lambda
///          symmetric positive definite, Ks >= 0 and > 0 where the point moves; bounded rates of
///          the reference.
/// Claim    e_p -> 0 whatever the parameters: s^T (f_c - f_c^d) = 0, as s has no part along E_f and
///          forces no other. The force is as good as the estimates. With KF > 0 and the mismatch
///          d(t) of the model along E_f, e_f' + KF e_f = -d': |e_f| <= sup |d'| / KF in the end. It
///          vanishes where d comes to rest only; p~ need not, so neither need d.
/// Measured   f_c2 from F_contact in state_derivative, with KF > 0.
/// Robot    As many joints as the task has coordinates.
/// States   p_hat (adaptation.hpp), then the integral of forces (with KF), then x_p
///          (hybrid_task.hpp).
/// Reference, errors   As hybrid_position_force.hpp.
/// Cost     O(n) for Y p_hat and Y^T r, one factorisation of J~.
/// Source   Huo 2005, exercise 3-22.
#include "torsor/control/kinetic_form.hpp"
#include "torsor/control/task/hybrid_task.hpp"
#include "torsor/control/task/task_solver.hpp"
#include "torsor/control/uncertain/adaptation.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct AdaptiveHybridGains {
  Gain Lambda;  ///< of x_p, n_position: 1/s
  Gain Ks;      ///< of x_c, all directions: N s / m
  Gain KF{};    ///< of forces, n_force: 1/s; empty: no force is measured
};

class AdaptiveHybridPositionForce final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size, another number of joints
  /// than coordinates, and as Adaptation does.
  AdaptiveHybridPositionForce(const Model<double>& model, HybridTaskOptions options,
                              AdaptiveHybridGains gains, AdaptationOptions adaptation);

  int n_states() const override { return adaptation_.size() + gains_.KF.size() + task_.n_states(); }
  std::string state_name(int k) const override {
    const int force = k - first_integral();
    return force < 0                  ? adaptation_.name(k)
           : force < gains_.KF.size() ? "integral." + task_.error_name(task_.n_position() + force)
                                      : task_.state_name(k - first_position());
  }
  void reset(Out<double> x_c) override;
  void torque(const ControlInput& input, Out<double> tau) override;
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override;
  Hypotheses hypotheses() const override {
    return {.knowledge = Hypotheses::Knowledge::stated,
            .friction = Hypotheses::Friction::stated,
            .surface = Hypotheses::Surface::rigid,
            .held_states = adaptation_.size()};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  int n_task_errors() const override { return task_.n(); }
  std::string task_error_name(int k) const override { return task_.error_name(k); }
  void task_error(const ControlInput& input, Out<double> e) override;
  void check_reference(const ControlReference& reference) const override {
    task_.check_reference(name(), reference);
  }

  HybridTask& task() { return task_; }
  Adaptation& adaptation() { return adaptation_; }

 private:
  int first_integral() const { return adaptation_.size(); }
  int first_position() const { return adaptation_.size() + gains_.KF.size(); }
  In<double> x_p(In<double> x_c) const { return {x_c.data + first_position(), task_.n_states()}; }
  In<double> estimates(In<double> x_c) const { return {x_c.data, adaptation_.size()}; }
  /// s, qd_r, qdd_r and r = qd_r - qd.
  void refer(const ControlInput& input);

  HybridTask task_;
  AdaptiveHybridGains gains_;
  Adaptation adaptation_;
  TaskSolver solver_;
  MomentumWorkspace<double> momentum_;
  TaskVector s_{};
  Array<double> qd_r_, qdd_r_, r_, y_;
};

}  // namespace torsor
