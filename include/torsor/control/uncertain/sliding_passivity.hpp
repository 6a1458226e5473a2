#pragma once
/// Sliding mode on the passive structure: the believed torque of (3-67) and a switched one that
/// outweighs what the parameters can be wrong by.
///
///   tau = Hhat qdd_r + Chat(q, qd) qd_r + Ghat + Kd s + SGN(s) (k + eta)        (3-105), (3-106)
///   k_i = sum_j Ybar_ij a_j >= |Y p~|_i,   |p~_j| <= a_j,   s = edot + Lambda e
///   V = 1/2 s^T H s,   V' <= -s^T Kd s - sum_i eta_i |s_i|                                  (3-104)
///
/// Claim    e, edot -> 0 for every robot within the stated half widths a. With eta > 0 the surface
///          s = 0 is reached by sqrt(2 V(0) l_M(H)) / min eta; without it only in the limit.
/// Layer    In a boundary layer V' <= -s^T Kd s - sum_i |s_i| (|sat_i| (k + eta)_i - k_i); while
///          |s_i| <= epsilon_i, |e_i| <= epsilon_i / Lambda_i.
/// Units    Lambda 1/s, Kd N m s, eta N m, layer rad/s, a those of the parameters.
/// Joints   As passivity_tracking.hpp.
/// Cost     One two_velocity_inverse_dynamics and one Ybar.
/// Source   Textbook section 3.10, (3-104) to (3-106); Slotine & Li 1991.
#include "torsor/control/kinetic_form.hpp"
#include "torsor/control/uncertain/regressor_bound.hpp"
#include "torsor/control/uncertain/sliding_gains.hpp"
#include "torsor/control/uncertain/sliding_variable.hpp"
#include "torsor/dynamics/two_velocity.hpp"

namespace torsor {

class SlidingPassivity {
 public:
  static constexpr const char* name = "sliding_passivity";

  /// `model` is what is believed and outlives the law; `half_width` holds one number for each
  /// column of the bound. Throws Error for sizes that do not fit and numbers that are not finite.
  SlidingPassivity(const Model<double>& model, SlidingGains gains, RegressorBound bound,
                   std::vector<double> half_width);

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
  const Model<double>* model_;
  SlidingGains gains_;
  SlidingVariable slide_;
  RegressorBound bound_;
  std::vector<double> half_width_, k_;
  TwoVelocityWorkspace<double> two_;
  MomentumWorkspace<double> momentum_;
};

}  // namespace torsor
