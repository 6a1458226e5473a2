#pragma once
/// Momentum observer: the torque from outside, without measuring accelerations.
///
///   p = H(q) qd,   p' = tau + C^T qd - G - friction - springs + tau_ext
///   s' = tau + C^T qd - G - friction - springs + r,   r = K (p - s)
///   r' = K (tau_ext - r)                                       each joint a first-order filter
///
/// r is what hands, tools and collisions do to the joints: J^T F of every external wrench, through
/// a first-order lag with the time constant 1 / K. A wrong model shows in r as well: weight that the
/// model lacks, friction, forces of loops.
///
/// As a law it stands around another one, whose torque it passes on and watches:
///   x_c = (x_c inside, s),   V = V_inside + 1/2 r^T K^-1 r,   V' = V_inside' - r^T r   untouched
///
/// Start    s = 0: exact from rest; the r of a robot that moves is off by K p exp(-K t) at first.
/// Detection  `threshold` (N m) per degree of freedom: a collision is some |r_i| above its own.
/// Sampled  s is stepped once a period T: r_k+1 = (1 - K T) r_k + ..., bounded for K T < 2.
/// Joints   Rotors are part of p. Exact for all joints: H' = C + C^T holds for each of them.
/// Cost     H, C, one inverse dynamics and the law inside once more.
/// Source   De Luca & Mattone 2003; De Luca, Albu-Schaeffer, Haddadin & Hirzinger 2006.
#include <memory>
#include "torsor/math/array.hpp"

#include "torsor/control/control_law.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor {

struct MomentumObserverOptions {
  Array<double> K;            ///< 1/s, per degree of freedom
  Array<double> threshold{};  ///< N m; empty: nothing is detected
  Effects effects{};          ///< of the believed joints
};

class MomentumObserver final : public ControlLaw {
 public:
  /// `model` outlives the observer; `inside` is the law whose torque acts. Throws Error for numbers
  /// of another size or sign.
  MomentumObserver(const Model<double>& model, std::unique_ptr<ControlLaw> inside,
                   MomentumObserverOptions options);

  int n_states() const override { return inside_->n_states() + model_->n_v(); }
  std::string state_name(int k) const override {
    const int own = k - inside_->n_states();
    return own < 0 ? inside_->state_name(k) : "momentum." + model_->dof_name(own);
  }
  void reset(Out<double> x_c) override;
  void torque(const ControlInput& input, Out<double> tau) override {
    inside_->torque(seen_inside(input), tau);
  }
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override;
  void check_reference(const ControlReference& reference) const override {
    inside_->check_reference(reference);
  }
  bool switches() const override { return inside_->switches(); }
  bool feels_contact() const override { return inside_->feels_contact(); }
  bool filtered_error(const ControlInput& input, Out<double> s) override {
    return inside_->filtered_error(seen_inside(input), s);
  }
  int n_task_errors() const override { return inside_->n_task_errors(); }
  std::string task_error_name(int k) const override { return inside_->task_error_name(k); }
  void task_error(const ControlInput& input, Out<double> e) override {
    inside_->task_error(seen_inside(input), e);
  }
  Hypotheses hypotheses() const override { return inside_->hypotheses(); }
  std::vector<Condition> conditions(const Run& run) override;
  /// Of the law inside.
  std::vector<Prediction> predictions(const Run& run) override { return inside_->predictions(run); }
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

  /// r, and where there are thresholds 1 or 0 for a collision or none.
  int n_estimates() const override { return model_->n_v() + (options_.threshold.empty() ? 0 : 1); }
  std::string estimate_name(int k) const override {
    return k < model_->n_v() ? "r." + model_->dof_name(k) : "collision";
  }
  void estimate(const ControlInput& input, Out<double> r) override;
  /// Whether some |r_i| is above its threshold.
  bool collides(In<double> r) const;

 private:
  /// The same instant with the states of the law inside.
  ControlInput seen_inside(const ControlInput& input) const {
    return {input.t, input.state, {input.x_c.data, inside_->n_states()}, input.reference};
  }
  void residual(const ControlInput& input, Out<double> r);

  std::unique_ptr<ControlLaw> inside_;
  MomentumObserverOptions options_;
  CrbaWorkspace<double> crba_;
  CoriolisWorkspace<double> coriolis_;
  DynamicsWorkspace<double> dynamics_;
  Array<double> M_, r_, tau_, bias_, zero_;  // M_: H, then C
};

}  // namespace torsor
