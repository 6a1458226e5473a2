#pragma once
/// Adaptive tracking (Slotine and Li): the passive law with estimates for the parameters that are
/// not known. No acceleration is measured, no matrix inverted, and the estimates may start at zero.
///
///   qd_r = qd_d + Lambda e,   qdd_r = qdd_d + Lambda edot,   r = qd_r - qd = edot + Lambda e
///   tau = Y(q, qd, qd_r, qdd_r) p_hat + Kd r = H_hat qdd_r + C_hat(q, qd) qd_r + G_hat + Kd r
///                                                                                           (3-79)
///   p_hat' = Gamma^-1 Y^T r                                                                 (3-81)
///   H r' + C r + Kd r = Y p~,   p~ = p - p_hat                                              (3-80)
///   V = 1/2 (r^T H r + p~^T Gamma p~),   V' = -r^T Kd r                                     (3-83)
///
/// Parameters  Any ParameterSet; what it does not name is taken from the model (partly known
///             parameters, (3-85)). Natural rates and bounds: adaptation.hpp; then V holds W in
///             place of 1/2 p~^T Gamma p~, and with bounds V' <= -r^T Kd r.
/// Ordinary    `ordinary`: C_hat qd in place of C_hat qd_r, what an inverse dynamics with one
///             velocity can do. V' = -r^T (Kd - 1/2 H') r, so Kd > 1/2 H' must hold at all q and qd
///             that the motion meets (3-84): only from states that are not too fast.
/// Claim       e, edot -> 0 from everywhere; int |r|^2 <= V(0) / l_m(Kd); p_hat stays bounded and
///             need not come to p.
/// States      p_hat, from p0 or the model's values.
/// Cost        O(n) for the torque and for Y^T r: no regressor is formed (exercise 3-16).
/// Source      Textbook section 3.9, (3-79) to (3-86); Slotine & Li 1987.
#include "torsor/control/control_law.hpp"
#include "torsor/control/kinetic_form.hpp"
#include "torsor/control/uncertain/adaptation.hpp"
#include "torsor/control/uncertain/sliding_variable.hpp"
#include "torsor/dynamics/two_velocity.hpp"

namespace torsor {

struct SlotineLiGains {
  Gain Lambda;  ///< 1/s
  Gain Kd;      ///< N m s
  bool ordinary = false;
  std::vector<double> speed{};  ///< rad/s, of (3-84); empty: the model's limits, or 1
};

class SlotineLiAdaptive {
 public:
  static constexpr const char* name = "slotine_li";

  /// `model` outlives the law. Throws Error for gains of another size or that are not finite, and
  /// as Adaptation does.
  SlotineLiAdaptive(const Model<double>& model, SlotineLiGains gains, AdaptationOptions adaptation);

  int n_states() const { return adaptation_.size(); }
  void reset(View<double> p_hat) { adaptation_.reset(p_hat); }
  void torque(double t, const ControlState& state, View<const double> p_hat,
              const ControlReference& reference, View<double> tau);
  void state_derivative(double t, const ControlState& state, View<const double> p_hat,
                        const ControlReference& reference, View<double> p_hat_rate);
  std::vector<Condition> conditions();
  std::vector<Prediction> predictions();
  LyapunovValue lyapunov(double t, const ControlState& state, View<const double> p_hat,
                         const ControlReference& reference, const Model<double>& plant);
  void filtered_error(const ControlState& state, const ControlReference& reference, View<double> r);

  Adaptation& adaptation() { return adaptation_; }

 private:
  View<const double> second_velocity(const ControlState& state) const {
    return gains_.ordinary ? state.qd : View<const double>(slide_.qd_r);
  }
  Condition ordinary_condition();

  const Model<double>* model_;
  SlotineLiGains gains_;
  Adaptation adaptation_;
  TwoVelocityWorkspace<double> two_;
  MomentumWorkspace<double> momentum_;
  SlidingVariable slide_;
  std::vector<double> y_, C_r_, G_, rest_;
};

}  // namespace torsor
