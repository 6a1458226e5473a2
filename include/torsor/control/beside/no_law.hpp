#pragma once
/// No law: the motors give nothing, and the robot moves as weight, friction and springs let it.
///
///   tau = 0
///
/// For robots that are dropped, thrown or swing: the run still has its energy balance.
///
/// Reference  None.
/// Cost     Nothing.
/// Source   Huo 2005, sec. 2.4 with tau = 0.
#include "torsor/control/control_law.hpp"

namespace torsor {

class NoLaw final : public ControlLaw {
 public:
  /// `model` outlives the law.
  explicit NoLaw(const Model<double>& model) : ControlLaw("none", model) {}

  void torque(const ControlInput&, Out<double> tau) override {
    for (double& x : tau) x = 0;
  }
  void check_reference(const ControlReference&) const override {}
  Hypotheses hypotheses() const override {
    return {.reference = Hypotheses::Reference::none,
            .knowledge = Hypotheses::Knowledge::nothing,
            .friction = Hypotheses::Friction::any,
            .surface = Hypotheses::Surface::any,
            .disturbance = true,
            .loops = true,
            .closes_loop = false};
  }
  /// It claims nothing.
  std::vector<Condition> conditions(const Run&) override { return {}; }
};

}  // namespace torsor
