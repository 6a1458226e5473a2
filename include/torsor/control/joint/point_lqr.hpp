#pragma once
/// Linear-quadratic regulator around a configuration: optimal there, a linear law everywhere.
///
///   x = (q (-) q*, qd),   x' = A x + B (tau - tau*),   tau* = G(q*)
///   A = [0 1; dqdd/dq dqdd/dqd],   B = [0; H^-1]                                  at (q*, 0, tau*)
///   J = 1/2 int (x^T Q x + (tau - tau*)^T R (tau - tau*)) dt
///   tau = tau* - R^-1 B^T K x,   0 = K A + A^T K + Q - K B R^-1 B^T K
///
/// Unlike the law of Huo 2005, (3-54) it pays for torque. The reference is q* itself; what the
/// caller gives is not read.
///
/// Assumes  The exact model; Q >= 0, R > 0, K > 0; and that V = 1/2 x^T K x falls along the plant,
///          its torque limits included, wherever V <= V(0): sampled, not proven.
/// Claim    x -> 0. It is local: near q* a run costs 1/2 x^T K x but for terms of third order.
/// Joints   Rotors, springs and the slope of friction at rest are part of A and B.
/// Cost     2 n^2 multiplications; derivatives and Riccati equation in the constructor.
/// Source   Huo 2005, sec. 3.6 applied to the linearised (2-31); Anderson & Moore 1990.
#include "torsor/control/control_law.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/linear/riccati.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

class PointLqr final : public ControlLaw {
 public:
  /// `Q` of 2n, `R` of n numbers. `model` outlives the law. Throws Error for weights or a
  /// configuration that do not fit, an R that is not symmetric positive definite, and a point that
  /// cannot be linearised.
  PointLqr(const Model<double>& model, In<double> q_star, const Gain& Q, const Gain& R);

  void torque(const ControlInput& input, Out<double> tau) override;
  void check_reference(const ControlReference&) const override {}
  Hypotheses hypotheses() const override {
    return {
        .reference = Hypotheses::Reference::none, .link_springs = false, .coordinate_rates = true};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  /// 1/2 x^T K x and minus what the linear system would cost: exact to second order in x.
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

  /// 1/2 x^T K x at a state: what the linear system would cost from there.
  double predicted_cost(const ControlState& state);
  const RiccatiSolution& riccati() const { return solution_; }

 private:
  void deviation(const ControlState& state);
  /// Largest V' / V over states of the plant with V <= V(0), 1/s.
  double largest_growth(const Run& run, double V_start);

  RiccatiSolution solution_;
  Gain Q_, R_;
  Array<double> q_star_, tau_star_, gain_, x_, u_;
};

}  // namespace torsor
