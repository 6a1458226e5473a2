#pragma once
/// Sliding mode on the passive structure: what is known of the torque, and a switched one that
/// outweighs what is not.
///
///   tau = tau_known + Kd s + SGN(s) (k + eta),   k_i = sum_j Ybar_ij a_j,   s = edot + Lambda e
///   V = 1/2 s^T H s,   V' <= -s^T Kd s - sum_i eta_i |s_i|                  Huo 2005, (3-104)
///
///   SlidingBound   tau_known                              a
///   half_widths    Hhat qdd_r + Chat qd_r + Ghat          |p~_j| <= a_j,
///                                                                       Huo 2005, (3-105), (3-106)
///   sizes          what the set does not name (rotors,    |p_j| <= a_j,  Huo 2005, (3-107)
///                  friction); none with a bound of the
///                  caller
///
/// Assumes  A plant within the bounds a; Lambda, Kd symmetric positive definite, eta >= 0; bounded
///          qd_d, qdd_d; velocities that are rates of coordinates.
/// Claim    e, edot -> 0 (solutions in the sense of Filippov). With eta > 0 the surface s = 0 is
///          reached by sqrt(2 V(0) l_M(H)) / min eta; without it only in the limit. Sizes need far
///          less computation and more effort: a layer has to be thicker for the same smoothness.
/// Layer    V' <= -s^T Kd s - sum_i |s_i| (|sat_i| (k + eta)_i - k_i)
///             <= -l_m(Kd) |s|^2 + beta,   beta = sum_i epsilon_i k_i^2 / (4 (k_i + eta_i))
///          V couples the joints: what one of them lacks inside its layer accelerates the others
///          through H^-1. So one bound for all: with alpha = 2 l_m(Kd) / l_M(H)
///             |s| <= sqrt(2 V(0) / l_m(H)) exp(-alpha t / 2) + sigma,
///             sigma = sqrt(l_M(H) / l_m(H)) sqrt(beta / l_m(Kd)),
///          and |e_i| <= sigma / Lambda_i in the end. Predicted with the largest k over sampled
///          states that reference and this bound allow, and with what is left of the start.
/// Units    Lambda 1/s, Kd N m s, eta N m, layer rad/s, a those of the parameters.
/// Joints   As passivity_tracking.hpp.
/// Cost     One Ybar, and one two_velocity_inverse_dynamics or, with |Y| of a set, one recursion.
/// Source   Huo 2005, sec. 3.10, (3-104) to (3-107); Slotine & Li 1991.
#include "torsor/control/kinetic_form.hpp"
#include "torsor/control/uncertain/regressor_bound.hpp"
#include "torsor/control/uncertain/sliding_gains.hpp"
#include "torsor/control/uncertain/sliding_variable.hpp"
#include "torsor/dynamics/two_velocity.hpp"

namespace torsor {

struct RunInstant;  // control/scope.hpp

/// What the numbers bound: the errors of the believed parameters, or the parameters themselves.
enum class SlidingBound : unsigned char { half_widths, sizes };

/// "sliding_passivity" with half widths, "sliding_regressor_bound" with sizes.
class SlidingPassivity final : public ControlLaw {
 public:
  /// `model` is what is believed and outlives the law; `a` holds one number for each column of the
  /// bound. Throws Error for sizes that do not fit and numbers that are not finite.
  SlidingPassivity(const Model<double>& model, SlidingGains gains, RegressorBound bound,
                   Array<double> a, SlidingBound kind = SlidingBound::half_widths);

  void torque(const ControlInput& input, Out<double> tau) override;
  bool switches() const override { return !gains_.switching.is_smooth(); }
  Hypotheses hypotheses() const override {
    return {.knowledge = Hypotheses::Knowledge::stated,
            .friction = bound_.says_friction() ? Hypotheses::Friction::stated
                                               : Hypotheses::Friction::compensated,
            .link_springs = false,
            .coordinate_rates = true};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  bool filtered_error(const ControlInput& input, Out<double> s) override;

 private:
  /// beta of the header: k at its largest over states about the instants, with errors up to these
  /// sizes.
  double layer_power(const Array<RunInstant>& instants, double e_size, double s_size);

  SlidingBound kind_;
  SlidingGains gains_;
  SlidingVariable slide_;
  RegressorBound bound_;
  Array<double> a_, k_;
  TwoVelocityWorkspace<double> two_;
  MomentumWorkspace<double> momentum_;
};

}  // namespace torsor
