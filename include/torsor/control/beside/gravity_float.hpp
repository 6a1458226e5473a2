#pragma once
/// Gravity float: the robot carries itself and lets itself be led by hand.
///
///   tau = G(q) + springs(q) + c friction(qd) - Kd qd                         0 <= c <= 1
///   H qdd + (C + Kd) qd = tau_hand - (1 - c) friction
///   V = 1/2 qd^T H qd + (U - U_believed)(q),   V' = -qd^T Kd qd      without friction and hand
///
/// U is the potential energy of weight and joint springs: with the right model V is the kinetic
/// energy; with a wrong one the robot moves as if the difference were all its weight, and V still
/// falls by what Kd takes.
///
/// Assumes  Kd positive definite; the weight of the plant; a plant whose friction is at every speed
///          at least the c-th part of the believed one.
/// Claim    Left alone the robot comes to rest: V(t) <= V(0) exp(-2 l_m(Kd) / l_M(H) t), after
///          coasting by about l_M(H) |qd(0)| / l_m(Kd).
/// Friction   Dry friction is compensated by tanh(v / width): then the compensation gives no more
///            than friction takes, and V' <= -qd^T Kd qd. Friction of the load is left to the robot.
/// Evaluated  The friction of plant and law at sampled speeds; l_M(H) over sampled configurations.
/// Reference  None.
/// Cost     One gravity_torque.
/// Source   Huo 2005, sec. 3.3 at q_d = q; zero-force control.
#include "torsor/control/control_law.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/control/kinetic_form.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct GravityFloatOptions {
  Gain Kd;              ///< N m s
  double friction = 0;  ///< c, the share of the believed friction that is compensated
  double width = 0.05;  ///< rad/s (m/s): below it dry friction is compensated in part
};

class GravityFloat final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for a Kd of another size, numbers that are not finite
  /// and a width that is not positive.
  GravityFloat(const Model<double>& model, GravityFloatOptions options);

  void torque(const ControlInput& input, Out<double> tau) override;
  void check_reference(const ControlReference&) const override {}
  Hypotheses hypotheses() const override {
    return {.reference = Hypotheses::Reference::none,
            .knowledge = Hypotheses::Knowledge::gravity,
            .friction = Hypotheses::Friction::any,
            .surface = Hypotheses::Surface::any,
            .link_springs = false};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

 private:
  double friction_share(const Run& run) const;

  GravityFloatOptions options_;
  RneaWorkspace<double> rnea_;
  MomentumWorkspace<double> momentum_;
  Array<double> part_;
};

}  // namespace torsor
