#pragma once
/// Adaptive tracking (Slotine and Li): the passive law with estimates for the parameters that are
/// not known. No acceleration is measured, no matrix inverted, and the estimates may start at zero.
///
///   qd_r = qd_d + Lambda e,   qdd_r = qdd_d + Lambda edot,   r = qd_r - qd = edot + Lambda e
///   tau = Y(q, qd, qd_r, qdd_r) p_hat + Kd r = H_hat qdd_r + C_hat(q, qd) qd_r + G_hat + Kd r
///  Huo 2005, (3-79)
///   p_hat' = Gamma^-1 Y^T r  Huo 2005, (3-81)
///   H r' + C r + Kd r = Y p~,   p~ = p - p_hat  Huo 2005, (3-80)
///   V = 1/2 (r^T H r + p~^T Gamma p~),   V' = -r^T Kd r  Huo 2005, (3-83)
///
/// Parameters  Any ParameterSet; what it does not name is taken from the model (partly known
///             parameters, Huo 2005, (3-85)). Natural rates and bounds: adaptation.hpp; then V
///             holds W in
///             place of 1/2 p~^T Gamma p~, and with bounds V' <= -r^T Kd r.
/// Ordinary    `ordinary`: C_hat qd in place of C_hat qd_r, what an inverse dynamics with one
///             velocity can do. V' = -r^T (Kd - 1/2 H') r, so Kd > 1/2 H' must hold at all q and qd
///             that the motion meets (Huo 2005, (3-84)): only from states that are not too fast.
///             While V falls |r| <= sqrt(2 V(0) / l_m(H)) =: b and |e_i| <= max(|e_i(0)|, b / l_i),
///             so that |qd_i| <= |qd_d,i| + max(l_i |e_i(0)|, b) + b: these speeds are looked at,
///             of the plant, or the `speed` that is stated.
/// Assumes     Lambda and Kd symmetric positive definite, A > 0; bounded qd_d and qdd_d; a plant
///             that p can say, with bounds inside them by the margin; velocities that are rates of
///             coordinates.
/// Claim       e, edot -> 0 from everywhere (Barbalat; without bounded qd_d, qdd_d only e -> 0);
///             int |r|^2 <= V(0) / l_m(Kd). p_hat stays bounded and need not come to p: for that
///             the motion must excite the parameters persistently, which is not checked.
/// States      p_hat, from p0 or the model's values.
/// Cost        O(n) for the torque and for Y^T r: no regressor is formed (exercise 3-16).
/// Source      Huo 2005, sec. 3.9, (3-79) to (3-86); Slotine & Li 1987.
#include "torsor/control/control_law.hpp"
#include "torsor/control/kinetic_form.hpp"
#include "torsor/control/uncertain/adaptation.hpp"
#include "torsor/control/uncertain/sliding_variable.hpp"
#include "torsor/dynamics/two_velocity.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct SlotineLiGains {
  Gain Lambda;  ///< 1/s
  Gain Kd;      ///< N m s
  bool ordinary = false;
  Array<double> speed{};  ///< rad/s, of Huo 2005, (3-84); empty: those that V(0) allows
};

class SlotineLiAdaptive final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size or that are not finite, and
  /// as Adaptation does.
  SlotineLiAdaptive(const Model<double>& model, SlotineLiGains gains, AdaptationOptions adaptation);

  int n_states() const override { return adaptation_.size(); }
  std::string state_name(int k) const override { return adaptation_.name(k); }
  void reset(Out<double> p_hat) override { adaptation_.reset(p_hat); }
  void torque(const ControlInput& input, Out<double> tau) override;
  void state_derivative(const ControlInput& input, Out<double> p_hat_rate) override;
  Hypotheses hypotheses() const override {
    return {.knowledge = Hypotheses::Knowledge::stated,
            .friction = Hypotheses::Friction::stated,
            .link_springs = false,
            .coordinate_rates = true,
            .speed = gains_.ordinary ? gains_.speed : Array<double>(),
            .held_states = adaptation_.size()};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  bool filtered_error(const ControlInput& input, Out<double> r) override;

  Adaptation& adaptation() { return adaptation_; }

 private:
  In<double> second_velocity(const ControlState& state) const {
    return gains_.ordinary ? state.qd : In<double>(slide_.qd_r);
  }
  /// Speeds that reference and V(0) allow, while V falls.
  Array<double> reachable_speeds(const Run& run);
  void add_ordinary_conditions(const Run& run, std::vector<Condition>& list);

  SlotineLiGains gains_;
  Adaptation adaptation_;
  TwoVelocityWorkspace<double> two_;
  MomentumWorkspace<double> momentum_;
  SlidingVariable slide_;
  Array<double> y_, C_r_, G_, rest_;
};

}  // namespace torsor
