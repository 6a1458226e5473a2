#pragma once
/// Sliding mode without a model: the switched torque outweighs the robot itself.
///
///   tau = tau_known + Kd s + SGN(s) (k + eta),   k_i = sum_j Ybar_ij pbar_j                 (3-107)
///   |p_j| <= pbar_j,   s = edot + Lambda e
///   V = 1/2 s^T H s,   V' <= -s^T Kd s - sum_i eta_i |s_i|
///
/// tau_known is the torque that the bound's set does not name (rotors, friction); with a bound of
/// the caller there is none, and nothing of the robot is computed but its error.
///
/// Claim    As sliding_passivity.hpp, with far less computation and more effort: a layer has to be
///          thicker for the same smoothness.
/// Cost     One Ybar; with |Y| of a set one recursion more.
/// Source   Textbook section 3.10, (3-107).
#include "torsor/control/kinetic_form.hpp"
#include "torsor/control/uncertain/regressor_bound.hpp"
#include "torsor/control/uncertain/sliding_gains.hpp"
#include "torsor/control/uncertain/sliding_variable.hpp"

namespace torsor {

class SlidingRegressorBound {
 public:
  static constexpr const char* name = "sliding_regressor_bound";

  /// `p_bar` holds one number for each column of the bound; `model` outlives the law. Throws Error
  /// for sizes that do not fit and numbers that are not finite.
  SlidingRegressorBound(const Model<double>& model, SlidingGains gains, RegressorBound bound,
                        std::vector<double> p_bar);

  int n_states() const { return 0; }
  void reset(View<double>) {}
  void torque(double t, const ControlState& state, View<const double> x_c,
              const ControlReference& reference, View<double> tau);
  bool switches() const { return !gains_.switching.is_smooth(); }
  std::vector<Condition> conditions();
  std::vector<Prediction> predictions() { return slide_.layer_bounds(gains_.switching); }
  LyapunovValue lyapunov(double t, const ControlState& state, View<const double> x_c,
                         const ControlReference& reference, const Model<double>& plant);
  void filtered_error(const ControlState& state, const ControlReference& reference, View<double> s);

 private:
  SlidingGains gains_;
  SlidingVariable slide_;
  RegressorBound bound_;
  std::vector<double> p_bar_, k_;
  MomentumWorkspace<double> momentum_;
};

}  // namespace torsor
