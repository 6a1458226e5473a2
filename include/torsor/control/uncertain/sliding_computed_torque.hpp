#pragma once
/// Sliding mode on computed torque: every joint slides on its own, whatever the model is wrong by.
///
///   tau = ID_believed(q, qd, v),   v = qdd_d + Lambda edot + SGN(s) d_bar + u(s)
///   s = edot + Lambda e,  s' = d~ - SGN(s) d_bar - u(s)
///                                                       Huo 2005, (3-96), (3-99), (3-102), (3-103)
///
/// u is the reaching law: eta sgn(s) in Huo 2005, any of reaching_law.hpp (exercise 3-17).
/// d_bar >= |d~| is given, or computed from stated half widths of parameters
/// (disturbance_bound.hpp).
///
/// Assumes  |d~_i| <= d_bar_i: a plant within the half widths, with the spectral radius of A below
///          1 (sampled), or a d_bar that the caller answers for (compared with the plant along the
///          reference); velocities that are rates of coordinates; Lambda symmetric positive
///          definite.
/// Claim    s_i s_i' <= -u_i |s_i|: s_i = 0 from t <= |s_i(0)| / eta_i on (or the reaching law's
///          time; solutions in the sense of Filippov), then edot = -Lambda e.
///          V = 1/2 |s|^2, V' <= -sum_i s_i u_i + |s_i| (1 - |sgn s_i|) d_bar_i.
/// Layer    |s_i| <= epsilon_i is met by the same time and kept, joint by joint: s_i' does not
///          depend on other joints. In the end |e_i| <= epsilon_i / Lambda_i (Lambda diagonal), and
///          until then by what is left of e(0): max(|e_i(0)|, |s_i(0)| / Lambda_i) exp(-Lambda_i (t
///          - t_i)).
/// Units    Lambda 1/s, eta and d_bar rad/s^2, layer rad/s.
/// Cost     One inverse_dynamics, and one Ybar where d_bar is computed.
/// Source   Huo 2005, sec. 3.10.
#include "torsor/control/uncertain/disturbance_bound.hpp"
#include "torsor/control/uncertain/reaching_law.hpp"
#include "torsor/control/uncertain/sliding_variable.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct SlidingComputedTorqueGains {
  Gain Lambda;
  ReachingLaw reaching;
  Switching switching{};  ///< sgn, or a boundary layer
};

class SlidingComputedTorque final : public ControlLaw {
 public:
  /// `model` is what is believed and outlives the law. Throws Error for sizes that do not fit,
  /// numbers that are not finite and half widths without a positive definite inertia matrix.
  SlidingComputedTorque(const Model<double>& model, SlidingComputedTorqueGains gains,
                        DisturbanceBound bound, Effects effects = {});

  void torque(const ControlInput& input, Out<double> tau) override;
  bool switches() const override;
  Hypotheses hypotheses() const override {
    return {.knowledge = Hypotheses::Knowledge::stated,
            .friction = bound_.says_friction() ? Hypotheses::Friction::stated
                                               : Hypotheses::Friction::compensated,
            .coordinate_rates = true};
  }
  std::vector<Condition> conditions(const Run& run) override;
  bool conditions_of_states() const override { return !bound_.regressor(); }  // d_bar is stated
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  bool filtered_error(const ControlInput& input, Out<double> s) override;

 private:
  void find_bound(const ControlInput& input);
  /// Largest |d~_i| / d_bar_i of the plant along the reference.
  double disturbance_share(const Run& run);

  SlidingComputedTorqueGains gains_;
  SlidingVariable slide_;
  DisturbanceBound bound_;
  Effects effects_;
  DynamicsWorkspace<double> ws_;
  Array<double> v_, d_bar_;
};

}  // namespace torsor
