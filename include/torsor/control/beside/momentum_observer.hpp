#pragma once
/// Momentum observer: the torque from outside, without measuring accelerations.
///
///   p = H(q) qd,   p' = tau + C^T qd - G - friction - springs + tau_ext
///   s' = tau + C^T qd - G - friction - springs + r,   r = K (p - s)
///   r' = K (tau_ext - r)                                       each joint a first-order filter
///
/// r is what hands, tools and collisions do to the joints: J^T F of every external wrench, seen
/// with the delay 1 / K. A wrong model shows in r as well: weight that the model lacks, friction.
///
/// As a law it stands around another one, whose torque it passes on and watches:
///   x_c = (x_c inside, s),   V = V_inside + 1/2 r^T K^-1 r,   V' = V_inside' - r^T r   untouched
///
/// Start    s = 0: exact from rest; the r of a robot that moves is off by K p exp(-K t) at first.
/// Detection  `threshold` (N m) per degree of freedom: a collision is some |r_i| above its own.
/// Joints   Rotors are part of p. Exact where velocities are the coordinates' rates.
/// Cost     H, C, one inverse dynamics and the law inside once more.
/// Source   De Luca & Mattone 2003; De Luca, Albu-Schaeffer, Haddadin & Hirzinger 2006.
#include "torsor/control/any_controller.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor {

struct MomentumObserverOptions {
  std::vector<double> K;            ///< 1/s, per degree of freedom
  std::vector<double> threshold{};  ///< N m; empty: nothing is detected
  Effects effects{};                ///< of the believed joints
};

class MomentumObserver {
 public:
  static constexpr const char* name = "momentum_observer";

  /// `model` outlives the observer; `inside` is the law whose torque acts. Throws Error for numbers
  /// of another size or sign.
  MomentumObserver(const Model<double>& model, AnyController inside,
                   MomentumObserverOptions options);

  int n_states() const { return inside_.n_states() + model_->n_v(); }
  void reset(View<double> x_c);
  void torque(double t, const ControlState& state, View<const double> x_c,
              const ControlReference& reference, View<double> tau) {
    inside_.torque(t, state, states_inside(x_c), reference, tau);
  }
  void state_derivative(double t, const ControlState& state, View<const double> x_c,
                        const ControlReference& reference, View<double> xdot_c);
  void check_reference(const ControlReference& reference) const {
    inside_.check_reference(reference);
  }
  int n_task_errors() const { return inside_.n_task_errors(); }
  void task_error(double t, const ControlState& state, View<const double> x_c,
                  const ControlReference& reference, View<double> e) {
    inside_.task_error(t, state, states_inside(x_c), reference, e);
  }
  std::vector<Condition> conditions();
  /// Of the law inside.
  std::vector<Prediction> predictions() { return inside_.predictions(); }
  LyapunovValue lyapunov(double t, const ControlState& state, View<const double> x_c,
                         const ControlReference& reference, const Model<double>& plant);

  /// r, and where there are thresholds 1 or 0 for a collision or none.
  int n_estimates() const { return model_->n_v() + (options_.threshold.empty() ? 0 : 1); }
  void estimate(const ControlState& state, View<const double> x_c, View<double> r);
  /// Whether some |r_i| is above its threshold.
  bool collides(View<const double> r) const;

 private:
  View<const double> states_inside(View<const double> x_c) const {
    return {x_c.data, inside_.n_states()};
  }
  void residual(const ControlState& state, View<const double> x_c, View<double> r);

  const Model<double>* model_;
  AnyController inside_;
  MomentumObserverOptions options_;
  CrbaWorkspace<double> crba_;
  CoriolisWorkspace<double> coriolis_;
  DynamicsWorkspace<double> dynamics_;
  std::vector<double> M_, r_, tau_, bias_, zero_;  // M_: H, then C
};

}  // namespace torsor
